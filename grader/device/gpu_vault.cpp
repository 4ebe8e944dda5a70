#include "device/gpu_vault.h"

#include <algorithm>
#include <array>

#include "device/device.h"
#include "device/embedded_text.h"
#include "device/gpu.h"

LOCKSTEP_EMBED_TEXT(kJudgeKernels, LOCKSTEP_JUDGE_KERNELS);

namespace lockstep::device {
namespace {

struct Comparer {
  const char* kernel;
  std::size_t element_bytes;
};

Comparer comparer_of(course::ElementType type) {
  switch (type) {
    case course::ElementType::u8:
      return {"count_wrong_u8", 1};
    case course::ElementType::i32:
      return {"count_wrong_i32", 4};
    case course::ElementType::u32:
      return {"count_wrong_u32", 4};
    case course::ElementType::i64:
      return {"count_wrong_i64", 8};
    case course::ElementType::u64:
      return {"count_wrong_u64", 8};
    case course::ElementType::f32:
      return {"count_wrong_f32", 4};
    case course::ElementType::f64:
      return {"count_wrong_f64", 8};
    case course::ElementType::bf16:
      break;
  }
  return {};
}

}  // namespace

GpuVault::GpuVault(const Gpu& gpu)
    : gpu_(gpu),
      cache_filler_(MappedMemory::create(gpu.device(), 4 * gpu.l2_bytes())),
      counter_(MappedMemory::create(gpu.device(), sizeof(std::uint64_t))) {
  const CudaDriver& driver = CudaDriver::get();
  driver.check(driver.cuModuleLoadData(&module_, kJudgeKernels), "cuModuleLoadData");
  driver.check(driver.cuEventCreate(&mark_, CU_EVENT_DISABLE_TIMING), "cuEventCreate");
}

GpuVault::~GpuVault() {
  CudaDriver::get().cuEventDestroy(mark_);
  CudaDriver::get().cuModuleUnload(module_);
}

std::uint64_t GpuVault::allocate(std::size_t bytes) {
  kept_.push_back(MappedMemory::create(gpu_.device(), bytes));
  return kept_.back().address();
}

std::uint64_t GpuVault::hand_over(std::span<const std::byte> bytes, std::optional<MappedMemory>& room) const {
  const CudaDriver& driver = CudaDriver::get();
  if (!room || room->bytes() < bytes.size()) room.emplace(MappedMemory::create(gpu_.device(), bytes.size()));
  driver.check(driver.cuMemcpyHtoD(room->address(), bytes.data(), bytes.size()), "cuMemcpyHtoD");
  return room->address();
}

void GpuVault::draw_words(std::span<const Drawing> drawings) {
  if (drawings.empty()) return;
  const CudaDriver& driver = CudaDriver::get();
  CUdeviceptr all = hand_over(std::as_bytes(drawings), drawings_);
  CUfunction kernel = nullptr;
  driver.check(driver.cuModuleGetFunction(&kernel, module_, "draw_words"), "cuModuleGetFunction");
  constexpr unsigned kThreads = 256, kBlocks = 64;  // the kernel's, and for an array
  std::array<void*, 1> arguments{&all};
  driver.check(driver.cuLaunchKernel(kernel, kBlocks, static_cast<unsigned>(drawings.size()), 1, kThreads, 1,
                                     1, 0, nullptr, arguments.data(), nullptr),
               "cuLaunchKernel");
  driver.check(driver.cuCtxSynchronize(), "cuCtxSynchronize");
}

double GpuVault::sum_of_floats(std::uint64_t from, std::size_t n) const {
  const CudaDriver& driver = CudaDriver::get();
  CUfunction kernel = nullptr;
  driver.check(driver.cuModuleGetFunction(&kernel, module_, "add_up_floats"), "cuModuleGetFunction");
  CUdeviceptr to = counter_.address();
  driver.check(driver.cuMemsetD8(to, 0, sizeof(double)), "cuMemsetD8");
  std::uint64_t floats = n;
  std::array<void*, 3> arguments{&from, &floats, &to};
  constexpr unsigned kThreads = 256, kBlocks = 1024;
  driver.check(
      driver.cuLaunchKernel(kernel, kBlocks, 1, 1, kThreads, 1, 1, 0, nullptr, arguments.data(), nullptr),
      "cuLaunchKernel");
  double sum = 0;
  driver.check(driver.cuMemcpyDtoH(&sum, to, sizeof sum), "cuMemcpyDtoH");
  return sum;
}

void GpuVault::fill(std::span<const Filling> fillings) {
  if (fillings.empty()) return;
  const CudaDriver& driver = CudaDriver::get();
  CUdeviceptr all = hand_over(std::as_bytes(fillings), fillings_);
  CUfunction kernel = nullptr;
  driver.check(driver.cuModuleGetFunction(&kernel, module_, "fill_buffers"), "cuModuleGetFunction");
  constexpr unsigned kThreads = 256;
  unsigned blocks = 64;  // so many read and write 256 KiB of a buffer at a time
  unsigned poison = std::to_integer<unsigned>(kPoisonByte) * 0x01010101;
  std::array<void*, 3> arguments{&all, &blocks, &poison};
  const auto all_blocks = static_cast<unsigned>(fillings.size()) * blocks;
  driver.check(
      driver.cuLaunchKernel(kernel, all_blocks, 1, 1, kThreads, 1, 1, 0, nullptr, arguments.data(), nullptr),
      "cuLaunchKernel");
}

std::uint64_t GpuVault::count_wrong(const course::Output& output, std::uint64_t found, std::uint64_t expected,
                                    std::size_t bytes) const {
  const CudaDriver& driver = CudaDriver::get();
  const Comparer comparer = comparer_of(output.type);
  CUfunction kernel = nullptr;
  driver.check(driver.cuModuleGetFunction(&kernel, module_, comparer.kernel), "cuModuleGetFunction");
  CUdeviceptr wrong = counter_.address();
  driver.check(driver.cuMemsetD8(wrong, 0, sizeof(std::uint64_t)), "cuMemsetD8");
  std::uint64_t n = bytes / comparer.element_bytes;
  double absolute = output.tolerance.absolute, relative = output.tolerance.relative;
  std::array<void*, 6> arguments{&found, &expected, &n, &absolute, &relative, &wrong};
  constexpr unsigned kThreads = 256, kMaxBlocks = 4096;
  const auto blocks = static_cast<unsigned>(std::clamp<std::uint64_t>(n / kThreads, 1, kMaxBlocks));
  driver.check(
      driver.cuLaunchKernel(kernel, blocks, 1, 1, kThreads, 1, 1, 0, nullptr, arguments.data(), nullptr),
      "cuLaunchKernel");
  std::uint64_t count = 0;
  driver.check(driver.cuMemcpyDtoH(&count, wrong, sizeof count), "cuMemcpyDtoH");
  return count;
}

void GpuVault::plan_samples(std::span<const Sampling> samples) {
  hand_over(std::as_bytes(samples), samplings_);
}

void GpuVault::take_samples(std::size_t first, std::size_t n) const {
  if (n == 0) return;
  const CudaDriver& driver = CudaDriver::get();
  CUfunction kernel = nullptr;
  driver.check(driver.cuModuleGetFunction(&kernel, module_, "gather_chunks"), "cuModuleGetFunction");
  CUdeviceptr samplings = samplings_.value().address() + first * sizeof(Sampling);
  std::uint64_t chunk = kChunkBytes;
  std::array<void*, 2> arguments{&samplings, &chunk};
  constexpr unsigned kThreads = 128;
  driver.check(driver.cuLaunchKernel(kernel, kSampleChunks, static_cast<unsigned>(n), 1, kThreads, 1, 1, 0,
                                     nullptr, arguments.data(), nullptr),
               "cuLaunchKernel");
}

void GpuVault::mark() const {
  const CudaDriver& driver = CudaDriver::get();
  driver.check(driver.cuEventRecord(mark_, nullptr), "cuEventRecord");
}

void GpuVault::wait_for_mark() const {
  const CudaDriver& driver = CudaDriver::get();
  driver.check(driver.cuEventSynchronize(mark_), "cuEventSynchronize");
}

void GpuVault::overwrite_cache() const {
  const CudaDriver& driver = CudaDriver::get();
  driver.check(driver.cuMemsetD8(cache_filler_.address(), 0x5A, cache_filler_.bytes()), "cuMemsetD8");
  driver.check(driver.cuCtxSynchronize(), "cuCtxSynchronize");
}

}  // namespace lockstep::device
