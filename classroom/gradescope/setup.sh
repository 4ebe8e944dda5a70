#!/usr/bin/env bash
# Gradescope runs this once as root, while it builds the image of an assignment: installs the compilers, and
# unpacks Lockstep into /opt/lockstep without what no grading of a machine without a GPU needs, among it the
# solutions. https://gradescope-autograders.readthedocs.io/en/latest/specs/
set -euo pipefail
source=/autograder/source
home=/opt/lockstep
toolkit=13-0  # as NVIDIA's packages are called
export DEBIAN_FRONTEND=noninteractive
umask 022

fail() {
  echo "setup.sh: $*" >&2
  exit 1
}

install() { apt-get install -y --no-install-recommends "$@"; }

has_toolkit() { command -v nvcc >/dev/null || [[ -x /usr/local/cuda/bin/nvcc ]]; }

# Adds NVIDIA's repository for this distribution, and installs compiler, headers and runtime.
install_toolkit() {
  local repository
  # shellcheck source=/dev/null
  . /etc/os-release
  case $ID in
    ubuntu) repository=ubuntu${VERSION_ID/./} ;;
    debian) repository=debian$VERSION_ID ;;
    *) fail "the toolkit can be installed on Ubuntu and Debian, and this is $ID: choose a base image of Ubuntu" ;;
  esac
  install ca-certificates curl
  curl -fsSL -o /tmp/cuda-keyring.deb \
    "https://developer.download.nvidia.com/compute/cuda/repos/$repository/x86_64/cuda-keyring_1.1-1_all.deb"
  dpkg -i /tmp/cuda-keyring.deb
  rm /tmp/cuda-keyring.deb
  apt-get update
  install "cuda-minimal-build-$toolkit"
}

unpack() {
  local package=$source/lockstep.tar.gz
  if [[ -f $source/package-address ]]; then
    command -v curl >/dev/null || {
      apt-get update
      install ca-certificates curl
    }
    curl -fsSL -o "$package" "$(cat "$source/package-address")"
  fi
  mkdir -p $home
  tar -xzf "$package" -C $home --strip-components=1 --no-same-owner
  rm -rf $home/measurements $home/site $home/solutions $home/tests
  rm "$package"
  # What a submission needs to come to as a user of its own, who may change nothing.
  chmod -R u=rwX,go=rX $home
}

if ! command -v g++ >/dev/null || ! has_toolkit; then apt-get update; fi
command -v g++ >/dev/null || install g++
has_toolkit || install_toolkit
unpack
# The dynamic linker names the versions that it lacks.
if ldd $home/bin/* $home/lib/emulated/*.so 2>&1 | grep "version .* not found"; then
  fail "this package does not run on this image, which is older than the distribution on which the package was made:" \
    "choose a newer base image, or make the package on an older distribution"
fi
$home/lockstep doctor
# The secret of the class's inputs, which no submission may read.
chmod 700 $source
chmod 600 $source/class.sqlite
