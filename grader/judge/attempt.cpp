#include "judge/attempt.h"

#include "build/toolkit.h"
#include "device/installation.h"
#include "emulator/core/deadline.h"
#include "judge/limits.h"

namespace lockstep::judge {
namespace {

using build::Libraries;

runner::RunnerProcess::Options runner_options(const std::filesystem::path& object,
                                              const device::Session& session, Libraries libraries) {
  runner::RunnerProcess::Options options;
  options.executable = device::installed_program("lockstep-runner");
  options.object = object;
  const device::RunnerNeeds needs = session.runner_needs();
  options.cudart_directory = needs.cudart_directory.empty() ? build::find_toolkit().library
                                                            : std::filesystem::path(needs.cudart_directory);
  options.device_descriptor = needs.descriptor;
  options.libraries = needs.libraries;
  options.whole_device = !session.leaves_work_undone();
  options.device_nodes = needs.device_nodes;
  options.segments = needs.segments;
  options.folders = needs.folders;
  options.environment = needs.environment;
  options.limits.memory_bytes = kHostMemory + needs.memory_bytes;
  if (libraries == Libraries::vendors) {
    constexpr int kRoomForLibraries = 4;
    options.folders.push_back(build::find_toolkit().library);
    options.limits.memory_bytes *= kRoomForLibraries;
  }
  // The judge's own clock ends calls; these limits only bound a program that escapes it.
  options.limits.wall_time = kJudgementTime + kGrace;
  options.limits.processor_time = std::chrono::ceil<std::chrono::seconds>(kJudgementTime);
  return options;
}

class RunnerAttempt final : public Attempt {
 public:
  RunnerAttempt(const std::filesystem::path& object, std::unique_ptr<device::Session> session,
                Libraries libraries)
      : session_(std::move(session)), runner_(runner_options(object, *session_, libraries)) {
    session_->close_runner_descriptor();
  }

  device::Session& session() override { return *session_; }
  runner::Outcome make_context(std::chrono::milliseconds timeout) override {
    return runner_.make_context(timeout);
  }
  runner::Outcome load(std::span<const course::Signature> functions,
                       std::chrono::milliseconds timeout) override {
    return runner_.load(functions, timeout);
  }
  runner::Outcome call(const course::Signature& function, std::span<const std::uint64_t> words,
                       std::chrono::milliseconds timeout) override {
    runner::Outcome shared = share_buffers(timeout);
    if (shared.kind != runner::Outcome::Kind::done) return shared;
    return runner_.call(function, words, timeout, patience(timeout));
  }
  runner::Outcome call_host_program(const course::Signature& function, std::span<const std::uint64_t> words,
                                    std::span<const std::unique_ptr<HostArray>> arrays,
                                    const runner::HostProgramCall& mode,
                                    std::chrono::milliseconds timeout) override {
    runner::Outcome shared = share_arrays(arrays, timeout);
    if (shared.kind != runner::Outcome::Kind::done) return shared;
    return runner_.call_host_program(function, words, mode, timeout, patience(timeout));
  }
  runner::RunnerProcess::TimedOutcome timed_calls(const course::Signature& function,
                                                  std::span<const std::uint64_t> words,
                                                  std::chrono::milliseconds timeout,
                                                  const std::function<void()>& look,
                                                  bool by_events) override {
    runner::Outcome shared = share_buffers(timeout);
    if (shared.kind != runner::Outcome::Kind::done) return {shared};
    return runner_.timed_calls(function, words, timeout, look, by_events);
  }
  runner::Outcome settle(std::chrono::milliseconds timeout) override {
    return runner_.settle(timeout, patience(timeout));
  }
  const std::string& output() const override { return runner_.output(); }
  bool output_truncated() const override { return runner_.output_truncated(); }

 private:
  /// For as long as the device lets a kernel go on that a busy machine has kept from running.
  runner::Patience patience(std::chrono::milliseconds timeout) {
    return {.more = (emulator::Deadline::kMaxPatience - 1) * timeout,
            .is_due = [this] { return session_->is_still_running(); }};
  }

  runner::Outcome share_buffers(std::chrono::milliseconds timeout) {
    for (const device::BufferUpdate& update : session_->take_buffer_updates()) {
      runner::Outcome outcome = update.descriptor
                                    ? runner_.map(update.address, update.mapped_bytes, update.offset,
                                                  update.descriptor.get(), timeout)
                                    : runner_.unmap(update.address, timeout);
      if (outcome.kind != runner::Outcome::Kind::done) return outcome;
    }
    return {};
  }

  /// In place of those of the call before.
  runner::Outcome share_arrays(std::span<const std::unique_ptr<HostArray>> arrays,
                               std::chrono::milliseconds timeout) {
    runner::Outcome outcome;
    for (; shared_arrays_ > 0 && outcome.kind == runner::Outcome::Kind::done; --shared_arrays_)
      outcome = runner_.unmap_on_host(shared_arrays_, timeout);
    for (const std::unique_ptr<HostArray>& array : arrays) {
      if (outcome.kind != runner::Outcome::Kind::done) break;
      outcome = runner_.map_on_host(++shared_arrays_, array->memory().bytes(), array->offset(),
                                    array->memory().descriptor(), timeout);
    }
    return outcome;
  }

  std::uint64_t shared_arrays_ = 0;           // which the runner has mapped, by these numbers
  std::unique_ptr<device::Session> session_;  // outlives the runner that is connected to it
  runner::RunnerProcess runner_;
};

}  // namespace

OpenAttempt attempts_at(const std::filesystem::path& object, device::Device& device, std::uint64_t seed,
                        Libraries libraries) {
  return [object, &device, seed, libraries]() -> std::unique_ptr<Attempt> {
    return std::make_unique<RunnerAttempt>(object, device.open(seed), libraries);
  };
}

}  // namespace lockstep::judge
