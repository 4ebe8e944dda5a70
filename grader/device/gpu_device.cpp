#include "device/gpu_device.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <map>
#include <string>
#include <system_error>
#include <utility>

#include "device/gpu_calibrator.h"
#include "device/gpu_vault.h"
#include "device/hardware_counters.h"
#include "device/mapped_memory.h"

namespace lockstep::device {
namespace {

/// The memory in which a runner leaves what the GPU counted.
class CounterFile {
 public:
  CounterFile() : file_(memfd_create("lockstep-counters", MFD_CLOEXEC)) {
    if (!file_) throw std::system_error(errno, std::generic_category(), "memfd_create");
  }

  int descriptor() const { return file_.get(); }

  /// What has been written since the last call.
  CountedLaunches take() const {
    constexpr std::size_t kMaxBytes = 256 << 10;  // more is none of ours
    std::string text(kMaxBytes, '\0');
    const ssize_t bytes = pread(file_.get(), text.data(), text.size(), 0);
    // The runner writes on where the descriptor that both share stands.
    if (bytes < 0 || ftruncate(file_.get(), 0) != 0 || lseek(file_.get(), 0, SEEK_SET) != 0) {
      throw std::system_error(errno, std::generic_category(), "the file of the counters");
    }
    text.resize(static_cast<std::size_t>(bytes));
    return decode_launches(text);
  }

 private:
  sandbox::FileDescriptor file_;
};

class GpuSession final : public Session {
 public:
  GpuSession(const Gpu& gpu, std::filesystem::path cupti)
      : gpu_(gpu),
        alignment_(static_cast<std::size_t>(gpu.attribute(CU_DEVICE_ATTRIBUTE_TEXTURE_ALIGNMENT))),
        cupti_(std::move(cupti)) {
    if (!cupti_.empty()) counters_.emplace();
  }

  /// The buffer ends where its memory ends, except for the alignment, so that what lies behind it faults. Its
  /// address is aligned as textures need it, which cudaMalloc promises beyond its 256 bytes. All of the
  /// memory is filled: what this process had there before may be another program's correct output.
  std::uint64_t allocate(std::size_t bytes, const std::string&) override {
    MappedMemory memory = MappedMemory::create(gpu_.device(), bytes);
    const std::size_t offset = memory.bytes() - (bytes + alignment_ - 1) / alignment_ * alignment_;
    const std::uint64_t address = memory.address() + offset;
    poison(memory.address(), memory.bytes());
    updates_.push_back({address, memory.bytes(), offset, sandbox::FileDescriptor(memory.share())});
    buffers_.emplace(address, std::move(memory));
    return address;
  }

  void free(std::uint64_t address) override {
    buffers_.erase(address);
    // What the runner has not mapped yet it never will.
    if (std::erase_if(updates_,
                      [address](const BufferUpdate& update) { return update.address == address; }) == 0)
      updates_.push_back({.address = address});
  }

  void write(std::uint64_t to, std::span<const std::byte> bytes) override {
    if (!bytes.empty()) check(driver_.cuMemcpyHtoD(to, bytes.data(), bytes.size()), "cuMemcpyHtoD");
  }
  void read(std::uint64_t from, std::span<std::byte> bytes) override {
    if (!bytes.empty()) check(driver_.cuMemcpyDtoH(bytes.data(), from, bytes.size()), "cuMemcpyDtoH");
  }
  void poison(std::uint64_t from, std::size_t bytes) override {
    if (bytes == 0) return;
    check(driver_.cuMemsetD8(from, static_cast<unsigned char>(kPoisonByte), bytes), "cuMemsetD8");
    check(driver_.cuCtxSynchronize(), "cuCtxSynchronize");
  }

  // The judge's clock bounds a call here, and the process that ends takes what it holds along.
  void set_limits(std::chrono::milliseconds, std::size_t) override {}
  bool hold_runner(std::chrono::milliseconds) override { return true; }
  void admit_runner() override {}
  /// The launches of the runner, where this session counts; no points depend on them.
  emulator::Observations take_observations() override {
    emulator::Observations observations;
    if (!counters_) return observations;
    CountedLaunches counted = counters_->take();
    if (!counted.failure.empty())
      throw DeviceUnavailable("the GPU's counters cannot be read: " + counted.failure);
    observations.launches = counted.launches.size();
    for (emulator::LineCounters& launch : counted.launches) {
      const auto same = std::find_if(
          observations.lines.begin(), observations.lines.end(),
          [&](const emulator::LineCounters& other) { return other.function == launch.function; });
      if (same == observations.lines.end()) {
        observations.lines.push_back(std::move(launch));
        continue;
      }
      for (const result::ComparedCounter& counter : result::kComparedCounters)
        counter.of(*same) += counter.of(launch);
    }
    std::sort(observations.lines.begin(), observations.lines.end(),
              [](const auto& a, const auto& b) { return a.function < b.function; });
    return observations;
  }
  void trace_line(const std::string&, unsigned) override {}
  bool leaves_work_undone() const override { return false; }
  void show_stores_at_once(bool) override {}
  RunnerUse take_runner_use() override { return {}; }

  RunnerNeeds runner_needs() const override {
    // Of the driver and its context in the process, and room for what other drivers take.
    constexpr std::size_t kContextMemory = std::size_t{768} << 20;
    RunnerNeeds needs;
    needs.memory_bytes = kContextMemory;
    needs.device_nodes = gpu_.device_nodes();
    needs.libraries = {driver_.library()};
    needs.folders = {"/sys"};
    // The cache of compiled code would be a way from one submission to the next. So many streams run side by
    // side, and copies alone take turns: 8 of each is the default, but the driver makes contexts one after
    // the other, in a time that grows with their queues. On an H200 two processes that start together, cuInit
    // included, have ended 0.32 s later with 4 and 1, and 0.36 s later with 4 and 2.
    needs.environment = {{"CUDA_VISIBLE_DEVICES", gpu_.uuid()},
                         {"CUDA_CACHE_DISABLE", "1"},
                         {"CUDA_DEVICE_MAX_CONNECTIONS", "4"},
                         {"CUDA_DEVICE_MAX_COPY_CONNECTIONS", "1"}};
    if (counters_) {
      needs.descriptor = counters_->descriptor();
      needs.libraries.push_back(cupti_);
      // What the profiler's library opens of the driver's, and how its processes agree on who counts.
      needs.folders.insert(needs.folders.end(), {cupti_.parent_path(), driver_.library().parent_path()});
      needs.segments = true;
      needs.environment.emplace(kCountersVariable, cupti_.string());
    }
    return needs;
  }
  void close_runner_descriptor() override {}
  std::vector<BufferUpdate> take_buffer_updates() override { return std::exchange(updates_, {}); }

 private:
  void check(CUresult result, const char* call) const { driver_.check(result, call); }

  const CudaDriver& driver_ = CudaDriver::get();
  const Gpu& gpu_;
  const std::size_t alignment_;  ///< of buffers, in bytes: 512 on today's GPUs
  const std::filesystem::path cupti_;
  std::optional<CounterFile> counters_;
  std::map<std::uint64_t, MappedMemory> buffers_;
  std::vector<BufferUpdate> updates_;
};

}  // namespace

result::DeviceDescription GpuDevice::description() const { return {.kind = "gpu", .name = gpu_.name()}; }

std::size_t GpuDevice::context_bytes() const {
  constexpr std::size_t kBytesOfMultiprocessor = 6'000'000;  // an H200's context takes 527 MiB for 132
  return kBytesOfMultiprocessor * static_cast<std::size_t>(gpu_.multiprocessors());
}

std::unique_ptr<Vault> GpuDevice::open_vault() { return std::make_unique<GpuVault>(gpu_); }

std::unique_ptr<Calibrator> GpuDevice::open_calibrator() { return std::make_unique<GpuCalibrator>(gpu_); }

std::unique_ptr<Session> GpuDevice::open(std::uint64_t) { return std::make_unique<GpuSession>(gpu_, cupti_); }

}  // namespace lockstep::device
