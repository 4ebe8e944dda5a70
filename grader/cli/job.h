// A command of this program in a process of its own, which can be ended at any moment with all that it has
// started.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace lockstep::cli {

/// One command at a time. It writes where this process writes and reads nothing. It dies with this process,
/// however that ends, and its sandboxes die with it. Whoever uses a job has no other child processes.
class Job {
 public:
  Job();
  ~Job();
  Job(const Job&) = delete;
  Job& operator=(const Job&) = delete;

  /// Ends what runs, then runs this program with `arguments`. Throws std::system_error.
  void start(const std::vector<std::string>& arguments);
  bool runs() const { return process_ > 0; }
  /// The exit status of a command that has ended since it was last asked, or 128 and the signal's number.
  std::optional<int> ended();
  /// Ends the command, and returns when nothing is left of all that it has started.
  void cancel();

 private:
  std::filesystem::path program_;
  pid_t process_ = -1;
};

}  // namespace lockstep::cli
