// One command's supervisor: a thread that starts it, reads what it prints, measures its process tree, and
// ends all of it at the first limit.
#pragma once

#include <condition_variable>
#include <future>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "sandbox/control_group.h"
#include "sandbox/file_descriptor.h"
#include "sandbox/launch_plan.h"
#include "sandbox/process_tree.h"
#include "sandbox/sandbox.h"
#include "sandbox/temporary_folder.h"

namespace lockstep::sandbox {

class Supervisor {
 public:
  /// Returns once the command runs; throws std::system_error, with bubblewrap's error message if it was
  /// bubblewrap that failed.
  Supervisor(const Command& command, bool namespaces);
  ~Supervisor();
  Supervisor(const Supervisor&) = delete;
  Supervisor& operator=(const Supervisor&) = delete;

  std::optional<End> wait(std::chrono::milliseconds timeout);
  void kill();
  /// With what the command has written and nobody has read yet.
  std::string output();
  bool output_truncated() const;

 private:
  using Clock = std::chrono::steady_clock;

  void open_pipes();

  // In the thread.
  void run(std::promise<void> started);
  void prepare();
  void start();
  void make_user_namespace(const FileDescriptor& child_speaks, const FileDescriptor& child_listens);
  void await_start();
  pid_t await_keeper_process(Clock::time_point deadline);
  [[noreturn]] void fail_to_start(int error, const std::string& what);
  void watch();
  std::optional<End::Kind> exceeded_limit(Clock::time_point now);
  void read_output();
  bool take_output();
  bool is_gone_soon();
  void end_tree();

  const Command command_;
  const Limits& limits_ = command_.limits;
  const Mode mode_;
  std::unique_ptr<ControlGroup> group_;  // null where the machine has none for us
  std::optional<TemporaryFolder> scratch_;
  LaunchPlan plan_;

  FileDescriptor output_, output_of_command_;
  FileDescriptor reports_, reports_of_keeper_;
  FileDescriptor info_, info_of_bubblewrap_;
  FileDescriptor wake_;           // an eventfd: kill() was called
  FileDescriptor keeper_handle_;  // a pidfd, with namespaces
  pid_t child_ = -1;              // bubblewrap, or the keeper
  std::optional<ProcessTree> tree_;
  Clock::time_point start_;
  Clock::time_point next_measurement_;
  std::size_t peak_memory_bytes_ = 0;

  mutable std::mutex mutex_;
  std::condition_variable ended_;
  std::optional<End> end_;
  std::string text_;
  bool truncated_ = false;

  std::thread thread_;
};

}  // namespace lockstep::sandbox
