#include "counters.h"

#include <cuda.h>
#include <dlfcn.h>

#include <cmath>
#include <memory>
#include <vector>

#include "device/hardware_counters.h"
#include "runner/range_profiler.h"

namespace lockstep::differential {
namespace {

/// Instructions that warps and lanes executed: their quotient says how many lanes were active.
constexpr const char* kWarps = "smsp__inst_executed.sum";
constexpr const char* kLanes = "smsp__thread_inst_executed.sum";

std::vector<const char*> metrics() {
  std::vector<const char*> names = {kWarps, kLanes};
  for (const device::HardwareCounter& counter : device::kHardwareCounters) {
    names.push_back(counter.metric);
    if (counter.addend != nullptr) names.push_back(counter.addend);
  }
  return names;
}

/// The runtime has made it before the first launch. The driver is asked by name, since this program also runs
/// where there is none.
CUcontext current_context() {
  void* const driver = dlopen("libcuda.so.1", RTLD_NOW);
  if (driver == nullptr) throw runner::CountersUnavailable(dlerror());
  const auto get = reinterpret_cast<decltype(&cuCtxGetCurrent)>(dlsym(driver, "cuCtxGetCurrent"));
  CUcontext context = nullptr;
  if (get == nullptr || get(&context) != CUDA_SUCCESS || context == nullptr)
    throw runner::CountersUnavailable("the driver has no current context");
  return context;
}

std::uint64_t whole(double value) {
  if (!(value >= 0)) throw runner::CountersUnavailable("a counter is no number");
  return static_cast<std::uint64_t>(std::llround(value));
}

}  // namespace

Counters counted(const std::string& library, const std::function<void()>& work) {
  // One for the whole process, and never destroyed: CUPTI has one subscriber, and ends with the process.
  static auto* const profiler = new runner::RangeProfiler(library, metrics());
  Counters all;
  for (const runner::ProfiledLaunch& launch : profiler->profile(current_context(), work)) {
    auto& counters = all[launch.kernel];
    std::size_t next = 0;
    counters["executed-warps"] = whole(launch.values[next++]);
    counters["executed-lanes"] = whole(launch.values[next++]);
    for (std::size_t i = 0; i < device::kHardwareCounters.size(); ++i) {
      double value = launch.values[next++];
      if (device::kHardwareCounters[i].addend != nullptr) value += launch.values[next++];
      counters[result::kComparedCounters[i].name] = whole(value);
    }
  }
  return all;
}

}  // namespace lockstep::differential
