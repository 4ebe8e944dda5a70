#include "sandbox/supervisor.h"

#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <sys/eventfd.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <string_view>
#include <system_error>
#include <tuple>

#include "sandbox/keeper_protocol.h"
#include "sandbox/spare_user.h"
#include "sandbox/spawner.h"
#include "sandbox/system_calls.h"

namespace lockstep::sandbox {
namespace {

using std::chrono::milliseconds;

// Long enough for a loaded machine; a sandbox starts in some 20 ms.
constexpr std::chrono::seconds kStartTimeout{20};
// Memory grows by some 2 GB/s a core, so a tree overshoots its limit by at most about 40 MB a core.
constexpr milliseconds kShortestInterval{20};
constexpr milliseconds kLongestInterval{100};
// Reading /proc on a machine with thousands of processes takes milliseconds: at most this share of the time
// goes there.
constexpr int kMeasurementShare = 10;

std::system_error error_of(const std::string& what) { return {errno, std::generic_category(), what}; }

std::pair<FileDescriptor, FileDescriptor> open_pipe() {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) throw error_of("pipe2");
  return {FileDescriptor(ends[0]), FileDescriptor(ends[1])};
}

void set_nonblocking(const FileDescriptor& descriptor) {
  if (fcntl(descriptor.get(), F_SETFL, O_NONBLOCK) != 0) throw error_of("fcntl");
}

/// Without namespaces, too.
bool must_have_own_user() {
  const char* const wanted = std::getenv("LOCKSTEP_SANDBOX");
  return wanted != nullptr && std::string_view(wanted) == "user";
}

Mode mode_for(bool namespaces) {
  if (!namespaces) return Mode::limits_only;
  return geteuid() == 0 ? Mode::own_user_namespace : Mode::namespaces;
}

// A command's session may be a scheduling group of its own (sched(7), autogroup), beside which no niceness
// counts: a thousand failing forks then keep the thread that is to end them waiting for seconds. That thread
// sleeps most of the time and may go first where the system allows it, which it does for root.
void precede_commands() {
  sched_param priority{};
  priority.sched_priority = sched_get_priority_min(SCHED_RR);
  sched_setscheduler(0, SCHED_RR | SCHED_RESET_ON_FORK, &priority);
}

void write_map(pid_t process, const char* name) {
  const std::string path = "/proc/" + std::to_string(process) + "/" + name;
  const FileDescriptor file(open(path.c_str(), O_WRONLY | O_CLOEXEC));
  const std::string user = std::to_string(kCommandUser);
  const std::string map = "0 0 1\n" + user + " " + user + " 1\n";
  if (!file || write(file.get(), map.data(), map.size()) != static_cast<ssize_t>(map.size()))
    throw error_of(path);
}

}  // namespace

Supervisor::Supervisor(const Command& command, bool namespaces)
    : command_(command), mode_(mode_for(namespaces)) {
  open_pipes();
  std::promise<void> started;
  std::future<void> start = started.get_future();
  thread_ = std::thread(&Supervisor::run, this, std::move(started));
  try {
    start.get();
  } catch (...) {
    thread_.join();
    throw;
  }
}

Supervisor::~Supervisor() {
  kill();
  thread_.join();
}

std::optional<End> Supervisor::wait(milliseconds timeout) {
  std::unique_lock lock(mutex_);
  ended_.wait_for(lock, timeout, [this] { return end_.has_value(); });
  return end_;
}

void Supervisor::kill() { eventfd_write(wake_.get(), 1); }

std::string Supervisor::output() {
  const std::lock_guard lock(mutex_);
  take_output();
  return text_;
}

bool Supervisor::output_truncated() const {
  const std::lock_guard lock(mutex_);
  return truncated_;
}

void Supervisor::open_pipes() {
  std::tie(output_, output_of_command_) = open_pipe();
  std::tie(reports_, reports_of_keeper_) = open_pipe();
  if (mode_ != Mode::limits_only) std::tie(info_, info_of_bubblewrap_) = open_pipe();
  set_nonblocking(output_);
  wake_ = FileDescriptor(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  if (!wake_) throw error_of("eventfd");
}

void Supervisor::run(std::promise<void> started) {
  precede_commands();
  try {
    prepare();
    start();
    await_start();
  } catch (...) {
    end_tree();
    started.set_exception(std::current_exception());
    return;
  }
  started.set_value();
  watch();
}

void Supervisor::prepare() {
  // Resident memory has the exact limit; here both file systems of the scratch count as well, and what the
  // kernel holds.
  constexpr std::size_t kKernelBytes = std::size_t{128} << 20;
  group_ = ControlGroup::make(limits_.memory_bytes + 2 * limits_.scratch_bytes + kKernelBytes);
  uid_t user = 0;
  if (mode_ == Mode::own_user_namespace) user = kCommandUser;
  if (mode_ == Mode::limits_only) {
    scratch_.emplace(std::filesystem::temp_directory_path(), "lockstep-scratch-");
    // A user for this sandbox alone: then RLIMIT_NPROC counts just its processes, and the judge's are out of
    // its reach.
    const std::optional<std::filesystem::path> closed = closed_path(command_);
    if (geteuid() == 0 && !closed) user = spare_user().value_or(0);
    if (user == 0 && must_have_own_user()) {
      throw std::system_error(EPERM, std::generic_category(),
                              "LOCKSTEP_SANDBOX=user, and no user but the judge's can be had for " +
                                  command_.arguments.front() +
                                  (closed ? ", which others may not pass: " + closed->string() : ""));
    }
  }
  plan_ = plan_launch(command_, mode_, user, scratch_ ? scratch_->path() : std::filesystem::path());
  if (user == 0) return;
  std::vector<std::filesystem::path> written;
  if (scratch_) written.push_back(scratch_->path());
  for (const Mount& mount : command_.mounts) {
    if (mount.writable) written.push_back(mount.host);
  }
  for (const std::filesystem::path& path : written) {
    if (chown(path.c_str(), user, user) != 0) throw error_of("chown " + path.string());
  }
}

void Supervisor::start() {
  const FileDescriptor nothing(open("/dev/null", O_RDONLY | O_CLOEXEC));
  if (!nothing) throw error_of("open /dev/null");
  auto [child_speaks_here, child_speaks] = open_pipe();
  auto [child_listens, child_listens_here] = open_pipe();
  const bool makes_user_namespace = mode_ == Mode::own_user_namespace;
  const SetupDescriptors numbers = setup_descriptors(command_);
  SpawnerPlan plan;
  plan.refusals = reports_of_keeper_.get();
  if (group_) plan.group = group_->entry();
  if (makes_user_namespace) {
    plan.speaks = child_speaks.get();
    plan.listens = child_listens.get();
  }
  plan.placement = {{nothing.get(), STDIN_FILENO},
                    {output_of_command_.get(), STDOUT_FILENO},
                    {output_of_command_.get(), STDERR_FILENO},
                    {reports_of_keeper_.get(), numbers.keeper_reports},
                    {system_call_filter(command_), numbers.system_calls}};
  plan.placement.insert(plan.placement.end(), command_.descriptors.begin(), command_.descriptors.end());
  if (info_of_bubblewrap_) plan.placement.emplace_back(info_of_bubblewrap_.get(), numbers.bubblewrap_reports);
  std::vector<FileDescriptor> copied;
  for (const std::filesystem::path& file : plan_.copied) {
    FileDescriptor& source = copied.emplace_back(open(file.c_str(), O_RDONLY | O_CLOEXEC));
    if (!source) throw error_of("open " + file.string());
    plan.placement.emplace_back(source.get(), numbers.first_copied + static_cast<int>(copied.size()) - 1);
  }

  child_ = spawn(plan, plan_.arguments, plan_.environment);
  output_of_command_.reset();
  reports_of_keeper_.reset();
  info_of_bubblewrap_.reset();
  child_speaks.reset();
  child_listens.reset();
  if (makes_user_namespace) make_user_namespace(child_speaks_here, child_listens_here);
}

// Only somebody outside may map two users: root, who sets the sandbox up, and the one that the command
// becomes.
void Supervisor::make_user_namespace(const FileDescriptor& child_speaks,
                                     const FileDescriptor& child_listens) {
  char word = 0;
  if (read(child_speaks.get(), &word, 1) != 1)
    throw std::system_error(EPERM, std::generic_category(), "unshare");
  write_map(child_, "uid_map");
  write_map(child_, "gid_map");
  if (write(child_listens.get(), &word, 1) != 1) throw error_of("write");
}

void Supervisor::await_start() {
  const auto deadline = Clock::now() + kStartTimeout;
  tree_.emplace(mode_ == Mode::limits_only ? child_ : await_keeper_process(deadline));
  pollfd ready{reports_.get(), POLLIN, 0};
  const auto left = std::chrono::duration_cast<milliseconds>(deadline - Clock::now());
  if (poll(&ready, 1, static_cast<int>(std::max<std::int64_t>(left.count(), 0))) <= 0) {
    fail_to_start(ETIMEDOUT, "the sandbox did not start");
  }
  KeeperReport report;
  if (read(reports_.get(), &report, sizeof report) != static_cast<ssize_t>(sizeof report)) {
    // Without namespaces the command can kill its keeper before that has reported; watch() then ends the
    // rest.
    if (mode_ != Mode::limits_only) fail_to_start(EPROTO, "the sandbox ended while it started");
    report.kind = KeeperReport::Kind::started;
  }
  if (report.kind != KeeperReport::Kind::started) fail_to_start(report.value, "cannot execute the command");
  start_ = Clock::now();
  next_measurement_ = start_ + kShortestInterval;
}

pid_t Supervisor::await_keeper_process(Clock::time_point deadline) {
  // bubblewrap writes {"child-pid": N, …} and closes its end.
  std::string text;
  for (;;) {
    pollfd ready{info_.get(), POLLIN, 0};
    const auto left = std::chrono::duration_cast<milliseconds>(deadline - Clock::now());
    if (poll(&ready, 1, static_cast<int>(std::max<std::int64_t>(left.count(), 0))) <= 0) break;
    std::array<char, 512> buffer;
    const ssize_t bytes = read(info_.get(), buffer.data(), buffer.size());
    if (bytes <= 0) break;
    text.append(buffer.data(), static_cast<std::size_t>(bytes));
    if (text.find('}') != std::string::npos) break;
  }
  info_.reset();
  const std::size_t digits =
      text.find_first_of("0123456789", std::min(text.find("\"child-pid\""), text.size()));
  pid_t keeper = -1;
  if (digits != std::string::npos) std::from_chars(&text[digits], text.data() + text.size(), keeper);
  if (keeper > 0) keeper_handle_ = FileDescriptor(static_cast<int>(syscall(SYS_pidfd_open, keeper, 0)));
  if (!keeper_handle_) fail_to_start(EPROTO, "bubblewrap failed");
  return keeper;
}

void Supervisor::fail_to_start(int error, const std::string& what) {
  end_tree();
  read_output();
  std::string message = text_.substr(0, text_.find('\n'));
  throw std::system_error(error, std::generic_category(),
                          message.empty() ? what : what + " (" + message + ")");
}

void Supervisor::watch() {
  End end{End::Kind::signalled, SIGKILL, {}, 0};  // unless something below says more
  for (bool running = true; running;) {
    const auto now = Clock::now();
    if (const auto limit = exceeded_limit(now)) {
      end.kind = *limit;
      break;
    }
    const auto until_next = std::chrono::ceil<milliseconds>(next_measurement_ - now);
    std::array<pollfd, 3> ready{
        {{output_.get(), POLLIN, 0}, {reports_.get(), POLLIN, 0}, {wake_.get(), POLLIN, 0}}};
    if (!output_) ready[0].fd = -1;
    if (poll(ready.data(), ready.size(), static_cast<int>(std::max<std::int64_t>(until_next.count(), 0))) < 0)
      continue;
    if (ready[0].revents != 0) read_output();
    if (ready[1].revents != 0) {
      KeeperReport report;
      if (read(reports_.get(), &report, sizeof report) == static_cast<ssize_t>(sizeof report)) {
        const bool exited = WIFEXITED(report.value);
        end.kind = exited ? End::Kind::exited : End::Kind::signalled;
        end.status = exited ? WEXITSTATUS(report.value) : WTERMSIG(report.value);
        peak_memory_bytes_ = std::max<std::size_t>(peak_memory_bytes_, report.peak_memory_bytes);
        if (!exited && end.status == SIGXCPU) end.kind = End::Kind::time_limit;
        if (peak_memory_bytes_ > limits_.memory_bytes) end.kind = End::Kind::memory_limit;
      }
      running = false;
    }
    if (ready[2].revents != 0) {
      // Whoever asked for the end may have waited for a tree that has exceeded a limit since its last
      // measurement.
      next_measurement_ = Clock::now();
      if (const auto limit = exceeded_limit(next_measurement_); limit && running) end.kind = *limit;
      running = false;
    }
  }
  end.wall_time = std::chrono::duration_cast<milliseconds>(Clock::now() - start_);
  end.peak_memory_bytes = peak_memory_bytes_;
  end_tree();
  read_output();
  if (group_ && group_->has_run_out()) end.kind = End::Kind::memory_limit;
  group_.reset();
  scratch_.reset();
  {
    const std::lock_guard lock(mutex_);
    end_ = end;
  }
  ended_.notify_all();
}

std::optional<End::Kind> Supervisor::exceeded_limit(Clock::time_point now) {
  // Out of time is what every other excess looks like in the end, so it is said last.
  const bool out_of_time = now - start_ > limits_.wall_time;
  if (now < next_measurement_ && !out_of_time) return std::nullopt;
  const ProcessTree::Usage usage = tree_->measure();
  const auto after = Clock::now();
  next_measurement_ = after + std::clamp<Clock::duration>(kMeasurementShare * (after - now),
                                                          kShortestInterval, kLongestInterval);
  peak_memory_bytes_ = std::max(peak_memory_bytes_, usage.memory_bytes);
  if (usage.memory_bytes > limits_.memory_bytes) return End::Kind::memory_limit;
  if (usage.threads > limits_.processes) return End::Kind::process_limit;
  if (out_of_time || usage.processor_time > limits_.processor_time) return End::Kind::time_limit;
  return std::nullopt;
}

// In the thread, which alone closes the pipe.
void Supervisor::read_output() {
  const std::lock_guard lock(mutex_);
  if (!take_output()) output_.reset();
}

// Takes what is there, at most a few pipes full, so that a torrent does not keep the limits from being looked
// at. Whoever calls it holds the mutex. False once the pipe has ended.
bool Supervisor::take_output() {
  std::array<char, 64 << 10> buffer;
  for (int rounds = 0; rounds < 4 && output_; ++rounds) {
    const ssize_t bytes = read(output_.get(), buffer.data(), buffer.size());
    if (bytes < 0) break;
    if (bytes == 0) return false;
    const std::size_t room = limits_.output_bytes - std::min(limits_.output_bytes, text_.size());
    const std::size_t kept = std::min(room, static_cast<std::size_t>(bytes));
    text_.append(buffer.data(), kept);
    if (kept < static_cast<std::size_t>(bytes)) truncated_ = true;
  }
  return true;
}

// With namespaces: whether the kernel has ended the tree in the time that this usually takes, in which nobody
// needs to look for its processes in /proc.
bool Supervisor::is_gone_soon() {
  constexpr milliseconds kUsual{50};
  const auto end = Clock::now() + kUsual;
  pollfd ended{keeper_handle_.get(), POLLIN, 0};
  poll(&ended, 1, static_cast<int>(kUsual.count()));
  while (Clock::now() < end) {
    if (waitpid(child_, nullptr, WNOHANG) == child_) return true;
    std::this_thread::sleep_for(std::chrono::microseconds(200));
  }
  return false;
}

void Supervisor::end_tree() {
  if (child_ < 0) return;
  // With namespaces the kernel ends every process before the keeper, their first one, is gone, and bubblewrap
  // waits for that one. Without them the keeper, to which orphans fall, ends by itself when it has none left.
  bool gone = false;
  if (keeper_handle_) {
    syscall(SYS_pidfd_send_signal, keeper_handle_.get(), SIGKILL, nullptr, 0);
    gone = is_gone_soon();
  } else if (!tree_) {
    ::kill(child_, SIGKILL);
  }
  // Either needs a processor to end on, which failing forks deny it for as much as half a minute: what is
  // known of the tree is ended one by one as well. Should the command have killed the keeper, its children
  // are still known, and should it have stopped it, it goes on.
  for (bool alive = !gone; alive || !gone;) {
    alive = tree_ && tree_->kill_all();
    if (!gone) ::kill(child_, SIGCONT);
    gone = gone || waitpid(child_, nullptr, WNOHANG) == child_;
    if (gone && keeper_handle_) break;  // and with it all others, whose numbers are free
    std::this_thread::sleep_for(milliseconds(1));
  }
  child_ = -1;
}

}  // namespace lockstep::sandbox
