#include "sandbox/process_tree.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <csignal>
#include <cstring>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "sandbox/file_descriptor.h"

namespace lockstep::sandbox {

struct ProcessStatus {
  pid_t process = 0;
  pid_t parent = 0;
  pid_t session_id = 0;
  bool zombie = false;
  std::uint64_t processor_ticks = 0;
  std::uint64_t threads = 0;
  std::uint64_t start_time = 0;
  std::uint64_t resident_pages = 0;
  std::uint64_t page_table_bytes = 0;  ///< of members alone
};

namespace {

// Fields of /proc/PID/stat counted from the one after the name, which may itself hold spaces and parentheses.
// Source: proc_pid_stat(5), whose numbers are these plus 3.
constexpr std::size_t kState = 0, kParent = 1, kSession = 3, kUserTime = 11, kWaitedSystemTime = 14,
                      kThreads = 17, kStartTime = 19, kResidentPages = 21, kFields = 22;

using Buffer = std::array<char, 4096>;

// What a file in the folder of a process or thread begins with; nothing where it cannot be opened, as when
// that has ended since.
std::optional<std::string_view> text_of(int folder, const char* process, const char* name, Buffer& buffer) {
  std::array<char, 64> path{};
  if (std::strlen(process) + std::strlen(name) >= path.size()) return std::nullopt;
  std::strcat(std::strcat(path.data(), process), name);
  const FileDescriptor file(openat(folder, path.data(), O_RDONLY | O_CLOEXEC));
  if (!file) return std::nullopt;
  const ssize_t bytes = read(file.get(), buffer.data(), buffer.size());
  return std::string_view(buffer.data(), static_cast<std::size_t>(std::max<ssize_t>(bytes, 0)));
}

std::optional<ProcessStatus> status_of(int folder, const char* process) {
  Buffer buffer;
  const std::string_view text = text_of(folder, process, "/stat", buffer).value_or("");
  const std::size_t name_end = text.rfind(')');
  if (name_end == std::string_view::npos || name_end + 2 >= text.size()) return std::nullopt;
  ProcessStatus status;
  std::from_chars(process, process + std::strlen(process), status.process);
  const char* at = text.data() + name_end + 2;
  const char* const end = text.data() + text.size();
  for (std::size_t field = 0; field < kFields && at < end; ++field) {
    std::uint64_t value = 0;
    if (field == kState) status.zombie = *at == 'Z' || *at == 'X';
    std::from_chars(at, end, value);
    if (field == kParent) status.parent = static_cast<pid_t>(value);
    if (field == kSession) status.session_id = static_cast<pid_t>(value);
    if (field >= kUserTime && field <= kWaitedSystemTime) status.processor_ticks += value;
    if (field == kThreads) status.threads = value;
    if (field == kStartTime) status.start_time = value;
    if (field == kResidentPages) status.resident_pages = value;
    const char* const space = std::find(at, end, ' ');
    at = space == end ? end : space + 1;
  }
  return status;
}

// A process that only reads what it has mapped has the one page of zeros there, over and over: nothing is
// resident, and the tables that lead to it may fill the machine. Source: proc_pid_status(5).
std::uint64_t page_table_bytes(int folder, const char* process) {
  constexpr std::string_view kKey = "\nVmPTE:";
  Buffer buffer;
  const std::string_view text = text_of(folder, process, "/status", buffer).value_or("");
  const std::size_t key = text.find(kKey);
  const std::size_t digits = text.find_first_of("0123456789", std::min(key, text.size()));
  std::uint64_t kibibytes = 0;
  if (digits != std::string_view::npos)
    std::from_chars(text.data() + digits, text.data() + text.size(), kibibytes);
  return kibibytes << 10;
}

// Calls `visit` with the name of every numbered entry of a folder below `parent`, such as /proc or
// /proc/PID/task.
template <class Visit>
void for_each_number(int parent, const char* path, Visit visit) {
  const int folder = openat(parent, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (folder < 0) return;
  const std::unique_ptr<DIR, int (*)(DIR*)> entries(fdopendir(folder), closedir);
  if (!entries) {
    close(folder);
    return;
  }
  while (const dirent* entry = readdir(entries.get())) {
    if (entry->d_name[0] >= '1' && entry->d_name[0] <= '9') visit(folder, entry->d_name);
  }
}

// A process whose first thread has ended but others run reports no memory of its own; the others still do.
void ask_other_threads(ProcessStatus& status) {
  const std::string tasks = "/proc/" + std::to_string(status.process) + "/task";
  for_each_number(AT_FDCWD, tasks.c_str(), [&status](int folder, const char* name) {
    const auto thread = status_of(folder, name);
    if (!thread || thread->zombie) return;
    status.zombie = false;
    status.resident_pages = std::max(status.resident_pages, thread->resident_pages);
    status.page_table_bytes = std::max(status.page_table_bytes, page_table_bytes(folder, name));
  });
}

// A number may have passed to a stranger since it was read: the handle is of whoever has it now, and the
// start time shows whether that is still the one.
void send_signal(pid_t process, std::uint64_t start_time, int signal) {
  const FileDescriptor handle(static_cast<int>(syscall(SYS_pidfd_open, process, 0)));
  if (!handle) return;  // it has ended since
  const auto status = status_of(AT_FDCWD, ("/proc/" + std::to_string(process)).c_str());
  if (status && status->start_time == start_time)
    syscall(SYS_pidfd_send_signal, handle.get(), signal, nullptr, 0);
}

std::vector<ProcessStatus> all_processes() {
  std::vector<ProcessStatus> processes;
  for_each_number(AT_FDCWD, "/proc", [&processes](int folder, const char* name) {
    if (const auto status = status_of(folder, name)) processes.push_back(*status);
  });
  return processes;
}

// Calls `visit` with the children of one thread. False where the kernel does not list them, or perhaps more
// than the buffer holds: it ends with a whole number. Source: proc_pid_task_tid_children(5).
template <class Visit>
bool for_each_child(int folder, const char* thread, Visit visit) {
  Buffer buffer;
  const auto text = text_of(folder, thread, "/children", buffer);
  constexpr std::size_t kLongestNumber = 11;  // with the space behind it
  if (!text || text->size() + kLongestNumber > buffer.size()) return false;
  const char* const end = text->data() + text->size();
  for (const char* at = text->data(); at < end; ++at) {  // numbers, with a space after each
    pid_t child = 0;
    const auto [after, error] = std::from_chars(at, end, child);
    if (error == std::errc()) visit(child);
    at = after;
  }
  return true;
}

}  // namespace

ProcessTree::Usage ProcessTree::measure() {
  constexpr unsigned kWalks = 9;
  if (walks_left_ > 0) {
    --walks_left_;
    if (const auto processes = walk()) return count(*processes);
  }
  walks_left_ = kWalks;
  return count(all_processes());
}

std::optional<std::vector<ProcessStatus>> ProcessTree::walk() const {
  const FileDescriptor all(open("/proc", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  std::vector<ProcessStatus> processes;
  std::set<pid_t> seen = {root_};
  for (const auto& [member, start_time] : members_) seen.insert(member);
  std::vector<pid_t> next(seen.begin(), seen.end());
  while (!next.empty()) {
    const std::string process = std::to_string(next.back());
    next.pop_back();
    const auto status = status_of(all.get(), process.c_str());
    if (!status) continue;  // it has ended
    processes.push_back(*status);
    bool is_known = true;
    for_each_number(all.get(), (process + "/task").c_str(), [&](int folder, const char* thread) {
      is_known = for_each_child(folder, thread,
                                [&](pid_t child) {
                                  if (seen.insert(child).second) next.push_back(child);
                                }) &&
                 is_known;
    });
    if (!is_known) return std::nullopt;
  }
  return processes;
}

ProcessTree::Usage ProcessTree::count(const std::vector<ProcessStatus>& processes) {
  std::map<pid_t, const ProcessStatus*> by_number;
  for (const ProcessStatus& process : processes) by_number[process.process] = &process;

  std::map<pid_t, std::uint64_t> members;
  for (const auto& [process, start_time] : members_) {
    const auto found = by_number.find(process);
    if (found != by_number.end() && found->second->start_time == start_time) members[process] = start_time;
  }
  // A child may be listed before its parent when numbers have wrapped, so until nothing is added.
  for (bool added = true; added;) {
    added = false;
    for (const auto& [process, status] : by_number) {
      const bool descends = process != root_ && (status->parent == root_ || status->session_id == root_ ||
                                                 members.contains(status->parent));
      if (descends && members.emplace(process, status->start_time).second) added = true;
    }
  }
  members_ = std::move(members);

  static const auto page_bytes = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  static const auto ticks_per_second = static_cast<std::uint64_t>(sysconf(_SC_CLK_TCK));
  Usage usage;
  std::uint64_t ticks = 0;
  const auto add = [&](const ProcessStatus& process) { ticks += process.processor_ticks; };
  for (const auto& [process, start_time] : members_) {
    ProcessStatus status = *by_number.at(process);
    add(status);
    if (status.zombie && status.threads > 1) ask_other_threads(status);
    if (status.zombie) continue;
    status.page_table_bytes = std::max(
        status.page_table_bytes, page_table_bytes(AT_FDCWD, ("/proc/" + std::to_string(process)).c_str()));
    usage.threads += status.threads;
    usage.memory_bytes += status.resident_pages * page_bytes + status.page_table_bytes;
  }
  // Orphans' time is added to the root, which waits for them.
  if (const auto root = by_number.find(root_); root != by_number.end()) add(*root->second);
  usage.processor_time = std::chrono::milliseconds(ticks * 1000 / ticks_per_second);
  return usage;
}

bool ProcessTree::kill_all() {
  std::set<pid_t> stopped;
  bool alive = false;
  for (bool found = true; found;) {
    alive = count(all_processes()).threads > 0;
    found = false;
    for (const auto& [process, start_time] : members_) {
      if (!stopped.insert(process).second) continue;
      send_signal(process, start_time, SIGSTOP);
      found = true;
    }
  }
  for (const auto& [process, start_time] : members_) send_signal(process, start_time, SIGKILL);
  return alive;
}

}  // namespace lockstep::sandbox
