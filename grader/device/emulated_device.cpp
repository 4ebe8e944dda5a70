#include "device/emulated_device.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "device/installation.h"
#include "emulator/core/processors.h"
#include "emulator/server/device_process.h"
#include "sandbox/program_files.h"
#include "sandbox/sandbox.h"

namespace lockstep::device {
namespace {

using namespace std::chrono_literals;

sandbox::Limits limits_of_device() {
  const unsigned cores = emulator::usable_processors();
  sandbox::Limits limits;
  // A judgement ends long before: these bound a device that has run wild while nobody asks it anything.
  limits.wall_time = 1h;
  limits.processor_time = cores * limits.wall_time / 1s * 1s;
  limits.memory_bytes = kDeviceProcessMemory;
  limits.file_bytes = 0;
  limits.scratch_bytes = 4096;
  limits.processes = 2 * cores + 16;  // a worker a core, and who watches its owner
  limits.open_files = 16;
  return limits;
}

/// The device's process in a sandbox, without files: it reads and runs what submissions send.
class SandboxedDevice final : public emulator::server::DeviceHost {
 public:
  SandboxedDevice(std::vector<std::string> words, const std::vector<std::pair<int, int>>& descriptors)
      : process_(command(std::move(words), descriptors)) {}

  bool alive() override { return !process_.wait(0ms); }

  std::string reason_of_end() override {
    constexpr auto kGrace = 500ms;  // between the end of the connection and that of the process
    const auto end = process_.wait(kGrace);
    if (!end) return {};
    if (end->kind == sandbox::End::Kind::memory_limit) {
      throw emulator::server::DeviceMemoryExceeded(
          fmt::format("the emulated device needs more than {} GiB for it", kDeviceProcessMemory >> 30));
    }
    return end->kind == sandbox::End::Kind::signalled
               ? fmt::format("the emulated device ended by signal {}", end->status)
               : "the emulated device ended";
  }

 private:
  static sandbox::Command command(std::vector<std::string> words,
                                  const std::vector<std::pair<int, int>>& descriptors) {
    const std::filesystem::path executable = words.at(0);
    sandbox::Command command;
    command.own_files = true;
    command.mounts = sandbox::library_mounts({executable});
    command.mounts.push_back({executable, "/lockstep/device"});
    words[0] = sandbox::seen_path(command.mounts.back());
    command.arguments = std::move(words);
    command.environment = {{"LD_LIBRARY_PATH", sandbox::kLibrariesInside}};
    command.descriptors = descriptors;
    command.limits = limits_of_device();
    return command;
  }

  sandbox::Process process_;
};

std::unique_ptr<emulator::server::DeviceHost> start_in_sandbox(
    const std::vector<std::string>& arguments, const std::vector<std::pair<int, int>>& descriptors) {
  return std::make_unique<SandboxedDevice>(arguments, descriptors);
}

class EmulatedSession final : public Session {
 public:
  EmulatedSession(std::uint64_t seed, int multiprocessors)
      : process_({.executable = installed_program("lockstep-device"),
                  .seed = seed,
                  .multiprocessors = multiprocessors,
                  .note_refusals = true},
                 start_in_sandbox),
        cudart_directory_(installed_library_folder("emulated")) {}

  std::uint64_t allocate(std::size_t bytes, const std::string& label) override {
    return process_.allocate(bytes, label);
  }
  void free(std::uint64_t address) override { process_.free(address); }
  void write(std::uint64_t to, std::span<const std::byte> bytes) override { process_.write(to, bytes); }
  void read(std::uint64_t from, std::span<std::byte> bytes) override { process_.read(from, bytes); }
  void poison(std::uint64_t from, std::size_t bytes) override {
    process_.fill(from, kPoisonByte, bytes);
    process_.mark_uninitialised(from, bytes);
  }

  void set_limits(std::chrono::milliseconds time, std::size_t memory_bytes) override {
    process_.set_time_limit(time);
    process_.set_client_memory_limit(memory_bytes);
  }
  bool hold_runner(std::chrono::milliseconds timeout) override { return process_.hold_client(timeout); }
  void admit_runner() override { process_.admit_client(); }
  bool is_still_running() override {
    // Between two of many short launches the device answers at once. Asking it takes microseconds.
    constexpr std::chrono::milliseconds kAnswerOfIdle{50}, kWorked{1};
    const auto used = process_.work_time(kAnswerOfIdle);
    return !used || *used - std::exchange(used_before_, *used) >= kWorked;
  }
  emulator::Observations take_observations() override { return process_.take_observations(); }
  void trace_line(const std::string& file, unsigned line) override { process_.trace_line(file, line); }
  bool leaves_work_undone() const override { return true; }
  void show_stores_at_once(bool at_once) override { process_.show_stores_at_once(at_once); }
  RunnerUse take_runner_use() override {
    const emulator::server::ClientStatistics statistics = process_.take_client_statistics();
    // Out of whatever buffer: a copy within the device would launder the judge's.
    return {.host_reads = statistics.device_to_host_bytes + statistics.printed_bytes,
            .printed = statistics.printed_bytes,
            .host_writes = statistics.host_to_device_bytes,
            .late_requests = statistics.late_requests,
            .work = statistics.work,
            .host_program = statistics.host_program};
  }

  RunnerNeeds runner_needs() const override {
    return {.descriptor = process_.client_descriptor(), .cudart_directory = cudart_directory_};
  }
  void close_runner_descriptor() override { process_.close_client_descriptor(); }
  std::vector<BufferUpdate> take_buffer_updates() override { return {}; }

 private:
  emulator::server::DeviceProcess process_;
  std::string cudart_directory_;
  std::chrono::nanoseconds used_before_{0};  // when is_still_running was asked last
};

}  // namespace

result::DeviceDescription EmulatedDevice::description() const {
  return {.kind = "emulated", .name = emulator::DeviceProperties{}.name};
}

std::unique_ptr<Session> EmulatedDevice::open(std::uint64_t seed) {
  return std::make_unique<EmulatedSession>(seed, multiprocessors_);
}

}  // namespace lockstep::device
