"""A root with nothing of this machine but its programs, in which a test runs what others run in a container.

/usr is this machine's, read-only and without what a test hides; /opt and what else a test binds are folders of the
test. There is no network, no GPU, and nothing of the tree or a build. apt-get and curl are stand-ins: the first notes
what it is asked to install, the second copies what file:// names.
"""

import os
import pathlib
import re
import subprocess

STAND_INS = {
    "apt-get": '#!/bin/sh\n[ "$1" != install ] || shift\nfor word; do case $word in -* | update) ;; '
    "*) echo \"$word\" >>/stand-ins/installed ;; esac; done\n",
    "curl": '#!/bin/sh\nwhile [ $# -gt 1 ]; do [ "$1" = -o ] && to=$2; shift; done\n'
    'case $1 in file://*) cp "${1#file://}" "$to" ;; *) exit 22 ;; esac\n',
}
# What Docker and podman leave to root in a container, as far as it matters here: without CAP_SYS_ADMIN no namespaces.
CAPABILITIES_OF_CONTAINERS = "CHOWN DAC_OVERRIDE FOWNER FSETID KILL SETGID SETUID SETPCAP SYS_CHROOT".split()
LINKS = {"bin": "usr/bin", "sbin": "usr/sbin", "lib": "usr/lib", "lib64": "usr/lib64"}


class BareRoot:
    def __init__(self, bubblewrap, folder, toolkit_bin, hidden=()):
        """Keeps /opt and the stand-ins in `folder`; `hidden` are files that are empty in it."""
        self.folder = folder
        self.binds = {"/opt": folder / "opt", "/stand-ins": folder / "stand-ins"}
        for path in self.binds.values():
            path.mkdir(parents=True)
        for name, text in STAND_INS.items():
            (folder / "stand-ins" / name).write_text(text, encoding="utf-8")
            (folder / "stand-ins" / name).chmod(0o755)
        (folder / "nothing").touch()
        toolkit = toolkit_bin.resolve().parent
        self.beginning = [bubblewrap, "--die-with-parent", "--unshare-net", "--clearenv", "--dir", "/var",
                          "--dir", "/etc", "--ro-bind", "/usr", "/usr", "--bind", "/proc", "/proc", "--dev", "/dev",
                          "--perms", "1777", "--tmpfs", "/tmp"]  # fmt: skip
        for name in ("alternatives", "os-release", "passwd"):
            self.beginning += ["--ro-bind-try", f"/etc/{name}", f"/etc/{name}"]
        for name, target in LINKS.items():
            if os.path.islink(f"/{name}"):
                self.beginning += ["--symlink", target, f"/{name}"]
            elif os.path.isdir(f"/{name}"):
                self.beginning += ["--ro-bind", f"/{name}", f"/{name}"]
        if not toolkit.is_relative_to("/usr"):
            self.beginning += ["--ro-bind", toolkit, toolkit]
        for path in hidden:
            self.beginning += ["--ro-bind", folder / "nothing", os.path.realpath(path)]
        path = f"/stand-ins:/usr/bin:/bin:{toolkit_bin.resolve()}"
        self.environment = {"PATH": path, "HOME": "/tmp", "LC_ALL": "C.UTF-8"}

    def run(self, *command, cwd="/", is_container=False, **variables):
        """Output and standard error together; in a container root may do less."""
        arguments = list(self.beginning)
        if is_container:
            arguments += ["--cap-drop", "ALL"]
            for capability in CAPABILITIES_OF_CONTAINERS:
                arguments += ["--cap-add", f"CAP_{capability}"]
        for inside, path in self.binds.items():
            arguments += ["--bind", path, inside]
        for name, value in {**self.environment, **variables}.items():
            arguments += ["--setenv", name, value]
        return subprocess.run([*arguments, "--chdir", cwd, *command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              text=True, check=False)  # fmt: skip

    def installed(self):
        """What apt-get was asked for since the last time."""
        noted = self.folder / "stand-ins/installed"
        if not noted.exists():
            return set()
        words = set(noted.read_text(encoding="utf-8").split())
        noted.unlink()
        return words


def stages_of(recipe):
    """Stages of a Containerfile, each a list of pairs of an instruction and its text."""
    stages = []
    for line in re.sub(r"\\\n", "", recipe).splitlines():
        instruction, _, text = line.partition(" ")
        if instruction == "FROM":
            stages.append([])
        elif stages and instruction and not instruction.startswith("#"):
            stages[-1].append((instruction, text.strip()))
    return stages


def packages_of_stages(table, *stages):
    """Packages of a packages.txt that serve these stages."""
    rows = [line.split() for line in pathlib.Path(table).read_text(encoding="utf-8").splitlines()]
    return {row[1] for row in rows if row and row[0] in stages}
