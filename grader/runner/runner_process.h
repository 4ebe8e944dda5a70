// The judge's handle on a runner: the sandboxed process that has loaded a submission and answers calls.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "course/signature.h"
#include "runner/host_program_call.h"
#include "sandbox/sandbox.h"

namespace lockstep::runner {

/// What came of loading an object or of one call. Only `done` is the submission's own word, and nothing
/// follows from it but that the judge may look at its buffers.
struct Outcome {
  enum class Kind {
    done,
    missing_function,  ///< no function of the wanted name and types; message says which
    load_failed,       ///< the dynamic linker refused the object; message says why
    threw,             ///< a C++ exception left the function; message is its what()
    device_error,      ///< the CUDA runtime or the driver reports an error; message is its text
    ended,             ///< the process is gone: `end` says how (exit, signal, limits)
    time_limit,        ///< no answer in time; the process has been killed
  };
  Kind kind = Kind::done;
  std::string message;  ///< also of `done`: the error that the calls left behind in the CUDA runtime, if any
  std::uint64_t value = 0;  ///< what the function returned, zero-extended; 0 for void
  sandbox::End end;         ///< Kind::ended and Kind::time_limit
};

/// For how long more than its time a call may go on where something else than the submission is to blame.
struct Patience {
  std::chrono::milliseconds more{0};
  std::function<bool()> is_due = nullptr;  ///< asked again and again when the time is over
};

class RunnerProcess {
 public:
  struct Options {
    std::filesystem::path executable;              ///< lockstep-runner
    std::filesystem::path object;                  ///< the submission's shared object
    std::filesystem::path cudart_directory;        ///< folder with the libcudart that the object is to load
    int device_descriptor = -1;                    ///< client's end of a device connection, or -1
    std::vector<std::filesystem::path> libraries;  ///< that the runtime opens by name
    bool whole_device = true;  ///< calls wait for every stream, not just for the given one
    std::vector<std::filesystem::path> device_nodes, folders;  ///< that it may use and read besides
    std::map<std::string, std::string> environment;            ///< likewise
    bool segments = false;                                     ///< System V segments
    sandbox::Limits limits;
  };

  explicit RunnerProcess(const Options& options);
  ~RunnerProcess();
  RunnerProcess(const RunnerProcess&) = delete;
  RunnerProcess& operator=(const RunnerProcess&) = delete;

  /// Makes the process's context on a GPU, of which otherwise the first call that has buffers makes one:
  /// before anything of the submission is loaded, while another one may be timed.
  Outcome make_context(std::chrono::milliseconds timeout);

  /// Loads the object and looks up every function of `functions`. Constructors of the submission run here.
  Outcome load(std::span<const course::Signature> functions, std::chrono::milliseconds timeout);
  /// Calls one function; `words` holds one 64-bit word a parameter. A stream, whatever its word, is the
  /// runner's own, which does not wait for the default stream. After the call the runner waits for it
  /// (Options::whole_device: for all streams) before it answers.
  Outcome call(const course::Signature& function, std::span<const std::uint64_t> words,
               std::chrono::milliseconds timeout, const Patience& patience = {});

  /// Calls a function that has to wait itself for what it starts: the runner answers as soon as it returns.
  Outcome call_host_program(const course::Signature& function, std::span<const std::uint64_t> words,
                            const HostProgramCall& mode, std::chrono::milliseconds timeout,
                            const Patience& patience = {});

  /// As many calls as `words` holds sets of words, one after the other, timed by the judge's clock from the
  /// sign to begin until `look` has returned. `look` is called when the runner says that the device is idle,
  /// before anything else is heard of it, and has to see what the calls have left: who says so too early
  /// gains nothing then. The time means something only when the outcome is `done`.
  struct TimedOutcome {
    Outcome outcome;
    std::chrono::nanoseconds time{0};
    std::chrono::nanoseconds arming{0};  ///< until the runner was ready for the sign: it may have worked then
    std::chrono::nanoseconds on_device{0};  ///< where asked for, by EventClock: the runner's own word
  };
  TimedOutcome timed_calls(const course::Signature& function, std::span<const std::uint64_t> words,
                           std::chrono::milliseconds timeout, const std::function<void()>& look,
                           bool by_events = false);

  /// Has the runner wait for every stream.
  Outcome settle(std::chrono::milliseconds timeout, const Patience& patience = {});

  /// Lets the runner map device memory that calls will name by `address`: `mapped_bytes` behind `descriptor`,
  /// in which the buffer begins at `offset`.
  Outcome map(std::uint64_t address, std::size_t mapped_bytes, std::size_t offset, int descriptor,
              std::chrono::milliseconds timeout);
  Outcome unmap(std::uint64_t address, std::chrono::milliseconds timeout);
  /// Likewise memory of the host, which the runner pins.
  Outcome map_on_host(std::uint64_t address, std::size_t mapped_bytes, std::size_t offset, int descriptor,
                      std::chrono::milliseconds timeout);
  Outcome unmap_on_host(std::uint64_t address, std::chrono::milliseconds timeout);

  const std::string& output() const;
  bool output_truncated() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace lockstep::runner
