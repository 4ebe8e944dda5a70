// Runs a command that is not trusted: a compiler over a student's source, or the runner with a student's
// code.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstddef>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace lockstep::sandbox {

/// Something of the host's file system that the command sees. Everything else is absent.
struct Mount {
  std::filesystem::path host;
  std::filesystem::path inside;
  bool writable = false;
};

struct Limits {
  std::chrono::milliseconds wall_time{30'000};
  std::chrono::seconds processor_time{30};             ///< summed over the process tree
  std::size_t memory_bytes = std::size_t{4} << 30;     ///< resident, summed over the process tree
  std::size_t file_bytes = std::size_t{64} << 20;      ///< size of any one file it writes
  std::size_t scratch_bytes = std::size_t{256} << 20;  ///< its private /tmp
  std::size_t output_bytes =
      64 << 10;             ///< of stdout and stderr together that is kept; the rest is read and dropped
  unsigned processes = 64;  ///< threads included
  unsigned open_files = 256;
};

struct Command {
  std::vector<std::string> arguments;              ///< program first, as a path that the command sees
  std::map<std::string, std::string> environment;  ///< all of it: nothing is inherited
  std::vector<Mount> mounts;  ///< besides the system's programs, libraries and headers, read-only
  /// Nothing of the system's folders is there, and each file among the mounts is a copy in memory that ends
  /// with the command: which pages of a file are in memory would show the next command what this one has
  /// read.
  bool own_files = false;
  bool segments = false;  ///< System V segments, whose memory counts only where it is attached
  std::vector<std::filesystem::path> device_nodes;  ///< of the host's /dev that it may use
  std::vector<std::pair<int, int>> descriptors;     ///< (ours, theirs): passed on; all others are closed
  std::filesystem::path working_directory = "/tmp";
  Limits limits;
};

/// How a command ended.
struct End {
  enum class Kind { exited, signalled, time_limit, memory_limit, process_limit };
  Kind kind = Kind::exited;
  int status = 0;  ///< exit status, or the signal's number
  std::chrono::milliseconds wall_time{0};
  std::size_t peak_memory_bytes = 0;
};

/// A command running in the sandbox. The destructor kills the whole tree and waits until it is gone.
class Process {
 public:
  /// Starts it. Throws std::system_error when the machine cannot (a fault of ours, never of the command).
  explicit Process(const Command& command);
  ~Process();
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;

  /// Waits up to `timeout` and returns how it ended, when its whole tree is gone; nothing while it runs. A
  /// thread enforces the limits and reads the output whether or not anybody waits.
  std::optional<End> wait(std::chrono::milliseconds timeout);
  /// Asks for the end of the whole tree; wait() returns when it has come.
  void kill();

  /// What it has printed so far, stdout and stderr in the order of arrival. Valid until the next call.
  const std::string& output() const;
  bool output_truncated() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// Whether namespaces isolate the command on this machine; without them limits still hold but the file system
/// and the network are open. `reason` says why not, for the warning that a report shows.
struct Isolation {
  bool namespaces = false;
  std::string reason;
  bool control_groups = false;  ///< whether memory that no process maps counts as well
};
/// Found out once, and kept in the file of remember_isolation(). The environment variable
/// LOCKSTEP_SANDBOX=none turns namespaces off; with "user" a command that gets neither namespaces nor a user
/// of its own does not start.
const Isolation& isolation();
/// Before anything asks for isolation(): the file that keeps from one command to the next that namespaces
/// work. Without it each process finds out.
void remember_isolation(const std::filesystem::path& file);

/// Where the command sees a mount: `inside` with namespaces, the host's own path without them.
std::filesystem::path seen_path(const Mount& mount);

}  // namespace lockstep::sandbox
