#include "sandbox/isolation_memory.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <fstream>
#include <sstream>
#include <system_error>

#include "sandbox/file_descriptor.h"
#include "sandbox/launch_plan.h"
#include "sandbox/spawner.h"

namespace lockstep::sandbox {
namespace {

namespace fs = std::filesystem;

/// Empty where it cannot be read: some of /proc can be opened all the same.
std::string contents_of(const fs::path& path) {
  const FileDescriptor file(open(path.c_str(), O_RDONLY | O_CLOEXEC));
  std::string contents;
  std::array<char, 4096> buffer;
  for (ssize_t bytes = 0; file && (bytes = read(file.get(), buffer.data(), buffer.size())) > 0;)
    contents.append(buffer.data(), static_cast<std::size_t>(bytes));
  return contents;
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
        "/proc/sys/user/max_pid_namespaces", "/proc/sys/user/max_net_namespaces"})
    text += contents_of(file) + '\n';
  for (const fs::path& program :
       {find_bubblewrap().value_or("no bwrap"), own_folder() / kKeeperName, own_folder() / kSpawnerName})
    text += identity_of(program);
  return text;
}

bool IsolationMemory::has_worked() const { return contents_of(file_) == circumstances(); }

void IsolationMemory::keep() const {
  std::error_code ignored;
  fs::create_directories(file_.parent_path(), ignored);
  // Written beside it and renamed: two commands may do so at once, and a reader sees one or the other.
  const fs::path whole = file_.string() + '.' + std::to_string(getpid());
  if (std::ofstream(whole, std::ios::binary) << circumstances() << std::flush)
    fs::rename(whole, file_, ignored);
  fs::remove(whole, ignored);
}

void IsolationMemory::forget() const {
  std::error_code ignored;
  fs::remove(file_, ignored);
}

}  // namespace lockstep::sandbox
