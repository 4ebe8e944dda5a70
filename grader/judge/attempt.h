// One device session and one process with the submission loaded, thrown away together: after a crash or a
// sticky error nothing of either is used again.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <span>
#include <string>

#include "build/submission_compiler.h"
#include "course/signature.h"
#include "device/device.h"
#include "judge/host_array.h"
#include "runner/runner_process.h"

namespace lockstep::judge {

class Attempt {
 public:
  virtual ~Attempt() = default;
  virtual device::Session& session() = 0;
  /// On a GPU: RunnerProcess::make_context, before load().
  virtual runner::Outcome make_context(std::chrono::milliseconds timeout) = 0;
  virtual runner::Outcome load(std::span<const course::Signature> functions,
                               std::chrono::milliseconds timeout) = 0;
  virtual runner::Outcome call(const course::Signature& function, std::span<const std::uint64_t> words,
                               std::chrono::milliseconds timeout) = 0;
  /// RunnerProcess::call_host_program, of a function that is given these arrays: a word that is the number of
  /// one of them, counted from 1, is its address. The arrays live until the attempt has settled.
  virtual runner::Outcome call_host_program(const course::Signature& function,
                                            std::span<const std::uint64_t> words,
                                            std::span<const std::unique_ptr<HostArray>> arrays,
                                            const runner::HostProgramCall& mode,
                                            std::chrono::milliseconds timeout) = 0;
  /// As many calls as `words` holds sets of words, timed: RunnerProcess::timed_calls.
  virtual runner::RunnerProcess::TimedOutcome timed_calls(const course::Signature& function,
                                                          std::span<const std::uint64_t> words,
                                                          std::chrono::milliseconds timeout,
                                                          const std::function<void()>& look,
                                                          bool by_events) = 0;
  /// Has the program wait for all that it has enqueued, in whatever stream.
  virtual runner::Outcome settle(std::chrono::milliseconds timeout) = 0;
  /// What the submission printed so far.
  virtual const std::string& output() const = 0;
  virtual bool output_truncated() const = 0;
};

/// Makes a fresh attempt; throws when the machine cannot.
using OpenAttempt = std::function<std::unique_ptr<Attempt>()>;

/// Attempts at a compiled submission on a device: each opens a session and starts a sandboxed runner. `seed`
/// is that of the device's own order of blocks and warps, which a submission sees.
OpenAttempt attempts_at(const std::filesystem::path& object, device::Device& device, std::uint64_t seed,
                        build::Libraries libraries = build::Libraries::none);

}  // namespace lockstep::judge
