#include "runner/counted_calls.h"

#include <unistd.h>

#include <cmath>
#include <cstdlib>
#include <string>

#include "device/cuda_driver.h"
#include "device/hardware_counters.h"
#include "runner/message.h"

namespace lockstep::runner {
namespace {

std::vector<const char*> metrics() {
  std::vector<const char*> names;
  for (const device::HardwareCounter& counter : device::kHardwareCounters) {
    names.push_back(counter.metric);
    if (counter.addend != nullptr) names.push_back(counter.addend);
  }
  return names;
}

emulator::LineCounters counters_of(const ProfiledLaunch& launch) {
  emulator::LineCounters counters;
  counters.function = launch.kernel;
  std::size_t next = 0;
  for (std::size_t i = 0; i < device::kHardwareCounters.size(); ++i) {
    double value = launch.values[next++];
    if (device::kHardwareCounters[i].addend != nullptr) value += launch.values[next++];
    if (!(value >= 0))
      throw CountersUnavailable(std::string(device::kHardwareCounters[i].metric) + " is no number");
    result::kComparedCounters[i].of(counters) = static_cast<std::uint64_t>(std::llround(value));
  }
  return counters;
}

/// The judge reads it after the call; a text that is cut off is no counters.
void tell_judge(const std::string& text) {
  if (write(kDeviceDescriptor, text.data(), text.size()) < 0) std::exit(EXIT_FAILURE);
}

CUcontext primary_context() {
  const device::CudaDriver& driver = device::CudaDriver::get();
  CUdevice gpu = 0;
  CUcontext context = nullptr;
  driver.check(driver.cuDeviceGet(&gpu, 0), "cuDeviceGet");
  driver.check(driver.cuDevicePrimaryCtxRetain(&context, gpu), "cuDevicePrimaryCtxRetain");
  return context;
}

}  // namespace

bool CountedCalls::wanted() { return std::getenv(device::kCountersVariable) != nullptr; }

void CountedCalls::make(const std::function<void()>& work) {
  bool worked = false;
  std::string text;
  try {
    if (!profiler_) {
      profiler_ = std::make_unique<RangeProfiler>(std::getenv(device::kCountersVariable), metrics());
    }
    const auto launches = profiler_->profile(primary_context(), [&] {
      worked = true;
      work();
    });
    for (const ProfiledLaunch& launch : launches) text += device::encode_launch(counters_of(launch));
  } catch (const CountersUnavailable& error) {
    text = device::encode_failure(error.what());
  }
  if (!worked) work();
  tell_judge(text);
}

}  // namespace lockstep::runner
