#include "device/gpu_device.h"

#include <algorithm>
#include <map>
#include <utility>

#include "device/gpu_calibrator.h"
#include "device/mapped_memory.h"
#include "device/vault.h"

namespace lockstep::device {
namespace {

/// What cudaMalloc promises of an address.
constexpr std::size_t kAlignment = 256;

class GpuSession final : public Session {
 public:
  explicit GpuSession(const Gpu& gpu) : gpu_(gpu) {}

  /// The buffer ends where its memory ends, but for the alignment, so that what lies behind it faults. All of
  /// the memory is filled: what this process had there before may be another program's correct output.
  std::uint64_t allocate(std::size_t bytes, const std::string&) override {
    MappedMemory memory = MappedMemory::create(gpu_.device(), bytes);
    const std::size_t offset = memory.bytes() - (bytes + kAlignment - 1) / kAlignment * kAlignment;
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
  emulator::Observations take_observations() override { return {}; }
  void trace_line(const std::string&, unsigned) override {}
  RunnerUse take_runner_use() override { return {}; }

  RunnerNeeds runner_needs() const override {
    RunnerNeeds needs;
    needs.device_nodes = gpu_.device_nodes();
    needs.folders = {"/sys", driver_.folder()};
    // The cache of compiled code would be a way from one submission to the next.
    needs.environment = {{"CUDA_VISIBLE_DEVICES", gpu_.uuid()}, {"CUDA_CACHE_DISABLE", "1"}};
    return needs;
  }
  void close_runner_descriptor() override {}
  std::vector<BufferUpdate> take_buffer_updates() override { return std::exchange(updates_, {}); }

 private:
  void check(CUresult result, const char* call) const { driver_.check(result, call); }

  const CudaDriver& driver_ = CudaDriver::get();
  const Gpu& gpu_;
  std::map<std::uint64_t, MappedMemory> buffers_;
  std::vector<BufferUpdate> updates_;
};

}  // namespace

report::DeviceDescription GpuDevice::description() const { return {.kind = "gpu", .name = gpu_.name()}; }

std::unique_ptr<Vault> GpuDevice::open_vault() { return std::make_unique<Vault>(gpu_); }

std::unique_ptr<Calibrator> GpuDevice::open_calibrator() { return std::make_unique<GpuCalibrator>(gpu_); }

std::unique_ptr<Session> GpuDevice::open(std::uint64_t) { return std::make_unique<GpuSession>(gpu_); }

}  // namespace lockstep::device
