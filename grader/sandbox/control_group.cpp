#include "sandbox/control_group.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <cstdint>
#include <fstream>
#include <optional>
#include <sstream>
#include <string>
#include <string_view>
#include <system_error>
#include <thread>
#include <vector>

#include "sandbox/spawner.h"

namespace lockstep::sandbox {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kPrefix = "lockstep-";

/// Where groups can be made, and by which version's names.
struct ParentGroup {
  fs::path folder;
  int version = 2;
  const char* limit() const { return version == 2 ? "memory.max" : "memory.limit_in_bytes"; }
  const char* events() const { return version == 2 ? "memory.events" : "memory.oom_control"; }
};

std::string text_of(const fs::path& path) {
  std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

bool write_text(const fs::path& path, std::string_view text) {
  const FileDescriptor file(open(path.c_str(), O_WRONLY | O_CLOEXEC));
  return file && write(file.get(), text.data(), text.size()) == static_cast<ssize_t>(text.size());
}

bool has_word(const std::string& text, std::string_view wanted) {
  std::istringstream words(text);
  for (std::string word; words >> word;) {
    if (word == wanted) return true;
  }
  return false;
}

/// The number after `key` in lines of "key number"; 0 when it is not there.
std::uint64_t number_after(const std::string& text, std::string_view key) {
  std::istringstream words(text);
  for (std::string word; words >> word;) {
    std::uint64_t number = 0;
    if (word == key && words >> number) return number;
  }
  return 0;
}

/// This process's own group below where the controller of memory is mounted, in either version.
/// Source: cgroups(7), /proc/PID/cgroup and /proc/PID/mountinfo.
std::vector<ParentGroup> own_groups() {
  std::vector<ParentGroup> mounts;
  std::istringstream lines(text_of("/proc/self/mountinfo"));
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string number, parent, device, root, folder, word, type, source, options;
    words >> number >> parent >> device >> root >> folder;
    while (words >> word && word != "-") continue;
    words >> type >> source >> options;
    if (type == "cgroup2") mounts.push_back({folder, 2});
    if (type == "cgroup" && ("," + options + ",").find(",memory,") != std::string::npos)
      mounts.push_back({folder, 1});
  }
  std::vector<ParentGroup> groups;
  std::istringstream memberships(text_of("/proc/self/cgroup"));
  for (std::string line; std::getline(memberships, line);) {
    const std::size_t first = line.find(':');
    const std::size_t second = line.find(':', first + 1);
    if (second == std::string::npos) continue;
    const std::string controllers = line.substr(first + 1, second - first - 1);
    const bool of_memory = ("," + controllers + ",").find(",memory,") != std::string::npos;
    const fs::path below = fs::path(line.substr(second + 1)).relative_path();
    for (const ParentGroup& mount : mounts) {
      if (mount.version == 1 ? of_memory : controllers.empty())
        groups.push_back({(mount.folder / below).lexically_normal(), mount.version});
    }
  }
  return groups;
}

/// Removes what judges that were killed have left: an empty group whose number is no process's.
void remove_stale(const fs::path& folder) {
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(folder, ignored)) {
    const std::string name = entry.path().filename();
    pid_t owner = 0;
    if (!name.starts_with(kPrefix)) continue;
    std::from_chars(name.data() + kPrefix.size(), name.data() + name.size(), owner);
    if (owner > 0 && kill(owner, 0) != 0 && errno == ESRCH) rmdir(entry.path().c_str());
  }
}

fs::path new_name(const fs::path& folder) {
  static std::atomic<unsigned> number = 0;
  return folder / (std::string(kPrefix) + std::to_string(getpid()) + "-" + std::to_string(number++));
}

/// Whether a child of this process can be put into a group here, and limited. Who may make a group need not
/// be allowed to move processes there.
bool admits_children(const ParentGroup& parent) {
  const fs::path trial = new_name(parent.folder);
  if (mkdir(trial.c_str(), 0755) != 0) return false;
  bool admitted = false;
  const FileDescriptor entry(open((trial / "cgroup.procs").c_str(), O_WRONLY | O_CLOEXEC));
  if (entry && access((trial / parent.limit()).c_str(), W_OK) == 0) {
    const pid_t child = spawn({.group = entry.get()}, {"/bin/true"}, {});
    int status = 1;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) continue;
    admitted = status == 0;
  }
  rmdir(trial.c_str());
  return admitted;
}

/// The nearest group, from this process's own upwards, that can be divided. In version 2 one that has
/// processes of its own cannot, so that it is most often the one above.
std::optional<ParentGroup> find_parent_group() {
  for (const ParentGroup& own : own_groups()) {
    for (fs::path folder = own.folder;; folder = folder.parent_path()) {
      const ParentGroup parent{folder, own.version};
      const bool divides = own.version == 1 || has_word(text_of(folder / "cgroup.subtree_control"), "memory");
      if (divides && access(folder.c_str(), W_OK) == 0) {
        remove_stale(folder);
        if (admits_children(parent)) return parent;
      }
      if (!fs::exists(folder / "cgroup.procs") || folder == folder.parent_path()) break;
    }
  }
  return std::nullopt;
}

const std::optional<ParentGroup>& parent_group() {
  static const std::optional<ParentGroup> found = find_parent_group();
  return found;
}

}  // namespace

std::unique_ptr<ControlGroup> ControlGroup::make(std::size_t memory_bytes) {
  if (!parent_group()) return nullptr;
  const fs::path folder = new_name(parent_group()->folder);
  if (mkdir(folder.c_str(), 0755) != 0) return nullptr;
  FileDescriptor entry(open((folder / "cgroup.procs").c_str(), O_WRONLY | O_CLOEXEC));
  std::unique_ptr<ControlGroup> group(new ControlGroup(folder, std::move(entry)));
  // Swap would be memory that this limit does not count; a kernel without it has no such file.
  if (parent_group()->version == 2) write_text(folder / "memory.swap.max", "0");
  if (!group->entry_ || !write_text(folder / parent_group()->limit(), std::to_string(memory_bytes)))
    return nullptr;
  return group;
}

ControlGroup::ControlGroup(fs::path folder, FileDescriptor entry)
    : folder_(std::move(folder)), entry_(std::move(entry)) {}

ControlGroup::~ControlGroup() {
  entry_.reset();
  // The kernel may still be clearing up after processes that have been waited for.
  for (int tries = 0; tries < 100 && rmdir(folder_.c_str()) != 0 && errno == EBUSY; ++tries)
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
}

bool ControlGroup::has_run_out() const {
  return number_after(text_of(folder_ / parent_group()->events()), "oom_kill") > 0;
}

}  // namespace lockstep::sandbox
