#include "device/emulated_device.h"

#include "device/installation.h"
#include "emulator/server/device_process.h"

namespace lockstep::device {
namespace {

class EmulatedSession final : public Session {
 public:
  EmulatedSession(std::uint64_t seed, int multiprocessors)
      : process_({.executable = installed_program("lockstep-device"),
                  .seed = seed,
                  .multiprocessors = multiprocessors,
                  .note_refusals = true}),
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
  emulator::Observations take_observations() override { return process_.take_observations(); }
  void trace_line(const std::string& file, unsigned line) override { process_.trace_line(file, line); }
  RunnerUse take_runner_use() override {
    const emulator::ClientStatistics statistics = process_.take_client_statistics();
    // Out of whatever buffer: a copy within the device would launder the judge's.
    return {.host_reads = statistics.device_to_host_bytes + statistics.printed_bytes,
            .printed = statistics.printed_bytes,
            .late_requests = statistics.late_requests};
  }

  RunnerNeeds runner_needs() const override {
    return {.descriptor = process_.client_descriptor(), .cudart_directory = cudart_directory_};
  }
  void close_runner_descriptor() override { process_.close_client_descriptor(); }
  std::vector<BufferUpdate> take_buffer_updates() override { return {}; }

 private:
  emulator::DeviceProcess process_;
  std::string cudart_directory_;
};

}  // namespace

report::DeviceDescription EmulatedDevice::description() const {
  return {.kind = "emulated", .name = emulator::DeviceProperties{}.name};
}

std::unique_ptr<Session> EmulatedDevice::open(std::uint64_t seed) {
  return std::make_unique<EmulatedSession>(seed, multiprocessors_);
}

}  // namespace lockstep::device
