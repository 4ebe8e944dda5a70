#include "sandbox/isolation_memory.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <sstream>
#include <system_error>

#include "sandbox/file_descriptor.h"
#include "sandbox/launch_plan.h"
#include "sandbox/spawner.h"

namespace lockstep::sandbox {
namespace {

namespace fs = std::filesystem;

/// At most 64 KiB of it; empty where it cannot be read: some of /proc can be opened all the same.
std::string contents_of(const FileDescriptor& file) {
  constexpr std::size_t kMaxBytes = 64 << 10;
  std::string contents;
  std::array<char, 4096> buffer;
  for (ssize_t bytes = 0;
       file && contents.size() < kMaxBytes && (bytes = read(file.get(), buffer.data(), buffer.size())) > 0;)
    contents.append(buffer.data(), static_cast<std::size_t>(bytes));
  return contents;
}

std::string contents_of(const fs::path& path) {
  return contents_of(FileDescriptor(open(path.c_str(), O_RDONLY | O_CLOEXEC)));
}

/// Of a file that is this user's own. Whoever else may write in its folder could have put a pipe there.
std::string own_contents_of(const fs::path& path) {
  const FileDescriptor file(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
  struct stat status {};
  const bool is_own =
      file && fstat(file.get(), &status) == 0 && S_ISREG(status.st_mode) && status.st_uid == geteuid();
  return is_own ? contents_of(file) : "";
}

/// Of /proc/self/status: whose processes these are, and what they may do.
std::string privileges() {
  std::istringstream status(contents_of("/proc/self/status"));
  std::string found;
  for (std::string line; std::getline(status, line);) {
    for (const char* key :
         {"Uid:", "Gid:", "CapEff:", "CapBnd:", "NoNewPrivs:", "Seccomp:", "Seccomp_filters:"})
      if (line.starts_with(key)) found += line + '\n';
  }
  return found;
}

/// Which file it is, and of when.
std::string identity_of(const fs::path& program) {
  struct stat status {};
  std::ostringstream text;
  text << program.string();
  if (stat(program.c_str(), &status) == 0)
    text << ' ' << status.st_dev << ' ' << status.st_ino << ' ' << status.st_size << ' ' << status.st_mode
         << ' ' << status.st_mtim.tv_sec << '.' << status.st_mtim.tv_nsec;
  return text.str() + '\n';
}

}  // namespace

std::string circumstances() {
  std::string text = contents_of("/proc/sys/kernel/random/boot_id") + privileges();
  for (const char* name : {"cgroup", "ipc", "mnt", "net", "pid", "user", "uts"}) {
    std::error_code missing;
    text += fs::read_symlink(fs::path("/proc/self/ns") / name, missing).string() + '\n';
  }
  std::error_code missing;
  text += fs::read_symlink("/proc/self/root", missing).string() + '\n';
  for (const char* file :
       {"/proc/self/attr/current", "/proc/sys/kernel/unprivileged_userns_clone",
        "/proc/sys/kernel/apparmor_restrict_unprivileged_userns", "/proc/sys/user/max_user_namespaces",
        "/proc/sys/user/max_pid_namespaces", "/proc/sys/user/max_net_namespaces",
        "/proc/sys/user/max_mnt_namespaces", "/proc/sys/user/max_ipc_namespaces",
        "/proc/sys/user/max_uts_namespaces", "/proc/sys/user/max_cgroup_namespaces"})
    text += contents_of(file) + '\n';
  for (const fs::path& program :
       {find_bubblewrap().value_or("no bwrap"), own_folder() / kKeeperName, own_folder() / kSpawnerName})
    text += identity_of(program);
  return text;
}

bool IsolationMemory::has_worked() const { return own_contents_of(file_) == circumstances(); }

void IsolationMemory::keep() const {
  std::error_code ignored;
  fs::create_directories(file_.parent_path(), ignored);
  // Written beside it and renamed: two commands may do so at once, and a reader sees one or the other.
  const fs::path whole = file_.string() + '.' + std::to_string(getpid());
  fs::remove(whole, ignored);  // of a command that was killed
  const std::string text = circumstances();
  const FileDescriptor file(
      open(whole.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, S_IRUSR | S_IWUSR));
  if (!file) return;
  const bool is_whole = write(file.get(), text.data(), text.size()) == static_cast<ssize_t>(text.size());
  if (is_whole) fs::rename(whole, file_, ignored);
  fs::remove(whole, ignored);
}

void IsolationMemory::forget() const {
  std::error_code ignored;
  fs::remove(file_, ignored);
}

}  // namespace lockstep::sandbox
