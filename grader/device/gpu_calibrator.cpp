#include "device/gpu_calibrator.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <fstream>
#include <functional>
#include <stdexcept>
#include <utility>
#include <vector>

#include "device/calibration_work.h"
#include "device/embedded_text.h"

LOCKSTEP_EMBED_TEXT(kCalibrationKernels, LOCKSTEP_CALIBRATION_KERNELS);

namespace lockstep::device {
namespace {

using result::Figure;
using result::Quantity;
using Seconds = std::chrono::duration<double>;

constexpr int kRounds = 15;
/// The noise of starting and ending, some microseconds, is then below a thousandth.
constexpr Seconds kRun{0.010};
/// A GPU that was idle needs some tenths of a second to reach its clock.
constexpr Seconds kWarmUp{0.2};
constexpr std::uint32_t kMaxSteps = 1U << 30;
constexpr std::size_t kLargeBytes = std::size_t{1} << 30;
constexpr std::size_t kCountedBytes = sizeof(std::uint32_t) << 20;

std::string driver_version() {
  std::ifstream file("/sys/module/nvidia/version");
  std::string version;
  if (file >> version) return version;
  const CudaDriver& driver = CudaDriver::get();
  int number = 0;
  driver.check(driver.cuDriverGetVersion(&number), "cuDriverGetVersion");
  return "for CUDA " + std::to_string(number / 1000) + "." + std::to_string(number % 1000 / 10);
}

Figure figure_of(std::vector<double> rounds) {
  std::sort(rounds.begin(), rounds.end());
  const double median = rounds[rounds.size() / 2];
  return {median, (rounds.back() - rounds.front()) / median};
}

/// A point in the work of the device, with the device's own time.
class Event {
 public:
  Event() { driver_.check(driver_.cuEventCreate(&event_, CU_EVENT_DEFAULT), "cuEventCreate"); }
  ~Event() { driver_.cuEventDestroy(event_); }
  Event(const Event&) = delete;
  Event& operator=(const Event&) = delete;

  void record() { driver_.check(driver_.cuEventRecord(event_, nullptr), "cuEventRecord"); }
  /// Both have happened.
  Seconds since(const Event& earlier) const {
    float milliseconds = 0;
    driver_.check(driver_.cuEventElapsedTime(&milliseconds, earlier.event_, event_), "cuEventElapsedTime");
    return std::chrono::duration<double, std::milli>(milliseconds);
  }

 private:
  const CudaDriver& driver_ = CudaDriver::get();
  CUevent event_ = nullptr;
};

}  // namespace

struct GpuCalibrator::Work {
  std::function<void(std::uint32_t steps)> start;  ///< returns before the steps have ended
  double per_step = 0;                             ///< of what is counted
  std::vector<MappedMemory> memory;

  Seconds time(std::uint32_t steps) const {
    const CudaDriver& driver = CudaDriver::get();
    Event begin, end;
    begin.record();
    start(steps);
    end.record();
    driver.check(driver.cuCtxSynchronize(), "cuCtxSynchronize");
    return end.since(begin);
  }
};

GpuCalibrator::GpuCalibrator(const Gpu& gpu)
    : gpu_(gpu),
      results_(MappedMemory::create(
          gpu.device(),
          sizeof(std::uint32_t) *
              static_cast<std::size_t>(gpu.attribute(CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT) *
                                       gpu.attribute(CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR)))) {}

GpuCalibrator::~GpuCalibrator() {
  if (module_ != nullptr) CudaDriver::get().cuModuleUnload(module_);
}

result::GpuIdentity GpuCalibrator::gpu() const { return {gpu_.name(), gpu_.uuid(), driver_version()}; }

std::string GpuCalibrator::toolkit() const { return LOCKSTEP_TOOLKIT_VERSION; }

Figure GpuCalibrator::measure(Quantity quantity) {
  const Work work = work_of(quantity);
  std::uint32_t steps = 1;
  while (steps < kMaxSteps && work.time(steps) < kRun) steps *= 2;
  for (Seconds warm{0}; warm < kWarmUp;) warm += work.time(steps);
  std::vector<double> rates, durations;
  for (int round = 0; round < kRounds; ++round) {
    const Seconds once = work.time(steps);
    const Seconds step = (work.time(2 * steps) - once) / static_cast<double>(steps);
    rates.push_back(work.per_step / step.count());
    durations.push_back(step.count());
  }
  const Figure figure = figure_of(quantity == Quantity::launch ? durations : rates);
  if (!(figure.value > 0 && std::isfinite(figure.value) && std::isfinite(figure.spread))) {
    throw std::runtime_error(std::string("this GPU cannot be measured: ") + result::text_of(quantity).name +
                             " took no time; is it shared with other work?");
  }
  return figure;
}

GpuCalibrator::Work GpuCalibrator::work_of(Quantity quantity) {
  const CUdeviceptr results = results_.address();
  switch (quantity) {
    case Quantity::copied_bytes:
      return copies();
    case Quantity::fused_multiply_adds:
      // The chains come to rest at 2, far from overflow.
      return full_grid("fused_multiply_adds_kernel", kChains * kLinks, results, 0.5F, 1.0F);
    case Quantity::special_functions:
      return full_grid("special_functions_kernel", kChains * kLinks, results);
    case Quantity::integer_products:
      return full_grid("integer_products_kernel", kChains * kLinks, results, std::uint32_t{1664525},
                       std::uint32_t{1013904223});
    case Quantity::shared_bytes:
      return full_grid("shared_loads_kernel", kChains * kLinks * sizeof(std::uint32_t), results);
    case Quantity::shared_atomics:
      return full_grid("shared_atomics_kernel", kChains * kLinks, results);
    case Quantity::random_shared_atomics:
      return full_grid("random_shared_atomics_kernel", kDraws, results);
    case Quantity::gathers:
      return visits("gathers_kernel", large_bytes(), results);
    case Quantity::cached_gathers:
      // A quarter, because some GPUs keep what one half of their multiprocessors reads in one half of L2.
      return visits("gathers_kernel", gpu_.l2_bytes() / 4, results);
    case Quantity::global_atomics:
      return visits("global_atomics_kernel", kCountedBytes);
    case Quantity::launch:
      return launches();
  }
  throw std::logic_error("no such quantity");
}

GpuCalibrator::Work GpuCalibrator::copies() {
  const std::size_t bytes = large_bytes();
  Work work{.per_step = 2.0 * static_cast<double>(bytes)};
  work.memory.push_back(random_bits(bytes));
  work.memory.push_back(MappedMemory::create(gpu_.device(), bytes));
  work.start = [from = work.memory[0].address(), to = work.memory[1].address(), bytes](std::uint32_t steps) {
    const CudaDriver& driver = CudaDriver::get();
    for (std::uint32_t i = 0; i < steps; ++i)
      driver.check(driver.cuMemcpyDtoD(to, from, bytes), "cuMemcpyDtoD");
  };
  return work;
}

GpuCalibrator::Work GpuCalibrator::launches() {
  return {.start =
              [kernel = function("empty_kernel")](std::uint32_t steps) {
                const CudaDriver& driver = CudaDriver::get();
                for (std::uint32_t i = 0; i < steps; ++i) {
                  driver.check(driver.cuLaunchKernel(kernel, 1, 1, 1, 1, 1, 1, 0, nullptr, nullptr, nullptr),
                               "cuLaunchKernel");
                }
              },
          .per_step = 1};
}

template <class... Arguments>
GpuCalibrator::Work GpuCalibrator::visits(const char* kernel, std::size_t bytes, Arguments... arguments) {
  MappedMemory memory = random_bits(bytes);
  Work work = full_grid(kernel, kDraws, arguments..., memory.address(),
                        static_cast<std::uint32_t>(bytes / sizeof(std::uint32_t)));
  work.memory.push_back(std::move(memory));
  return work;
}

template <class... Arguments>
GpuCalibrator::Work GpuCalibrator::full_grid(const char* kernel, unsigned per_thread,
                                             Arguments... arguments) {
  const CudaDriver& driver = CudaDriver::get();
  const CUfunction code = function(kernel);
  int blocks = 0;
  driver.check(driver.cuOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, code, kCalibrationThreads, 0),
               "cuOccupancyMaxActiveBlocksPerMultiprocessor");
  const auto grid = static_cast<unsigned>(blocks * gpu_.attribute(CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT));
  return {.start =
              [=](std::uint32_t steps) mutable {
                const CudaDriver& cuda = CudaDriver::get();
                std::array<void*, 1 + sizeof...(arguments)> words{&steps, &arguments...};
                cuda.check(cuda.cuLaunchKernel(code, grid, 1, 1, kCalibrationThreads, 1, 1, 0, nullptr,
                                               words.data(), nullptr),
                           "cuLaunchKernel");
              },
          .per_step = static_cast<double>(per_thread) * grid * kCalibrationThreads};
}

CUfunction GpuCalibrator::function(const char* kernel) {
  const CudaDriver& driver = CudaDriver::get();
  // Compiled when it is needed: who finds all figures stored does not wait for it.
  if (module_ == nullptr)
    driver.check(driver.cuModuleLoadData(&module_, kCalibrationKernels), "cuModuleLoadData");
  CUfunction found = nullptr;
  driver.check(driver.cuModuleGetFunction(&found, module_, kernel), "cuModuleGetFunction");
  return found;
}

MappedMemory GpuCalibrator::random_bits(std::size_t bytes) {
  const CudaDriver& driver = CudaDriver::get();
  MappedMemory memory = MappedMemory::create(gpu_.device(), bytes);
  CUdeviceptr address = memory.address();
  std::uint64_t n = bytes / sizeof(std::uint32_t);
  std::array<void*, 2> arguments{&address, &n};
  constexpr unsigned kBlocks = 1024;
  driver.check(driver.cuLaunchKernel(function("fill_kernel"), kBlocks, 1, 1, kCalibrationThreads, 1, 1, 0,
                                     nullptr, arguments.data(), nullptr),
               "cuLaunchKernel");
  return memory;
}

std::size_t GpuCalibrator::large_bytes() const { return std::min(kLargeBytes, gpu_.free_bytes() / 4); }

}  // namespace lockstep::device
