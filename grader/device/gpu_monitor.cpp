#include "device/gpu_monitor.h"

#include <dlfcn.h>

#include <array>

namespace lockstep::device {
namespace {

// Of nvmlClockType_t and nvmlTemperatureSensors_t.
constexpr int kSmClock = 1, kMemoryClock = 2, kGpuTemperature = 0;

struct SlowingReason {
  std::uint64_t bit;
  const char* words;
};
constexpr std::array<SlowingReason, 5> kSlowingReasons{{{0x04, "power cap"},
                                                        {0x08, "hardware slowdown"},
                                                        {0x20, "software thermal slowdown"},
                                                        {0x40, "hardware thermal slowdown"},
                                                        {0x80, "hardware power brake"}}};

template <class Function>
void find(void* library, const char* name, Function& function) {
  function = reinterpret_cast<Function>(dlsym(library, name));
}

template <class Function>
std::optional<unsigned> asked(Function&& function) {
  unsigned value = 0;
  if (function(&value) != 0) return std::nullopt;
  return value;
}

}  // namespace

std::vector<std::string> slowing_reasons(std::uint64_t clock_event_reasons) {
  std::vector<std::string> words;
  for (const SlowingReason& reason : kSlowingReasons) {
    if ((clock_event_reasons & reason.bit) != 0) words.emplace_back(reason.words);
  }
  return words;
}

GpuMonitor::GpuMonitor(const std::string& uuid, const std::string& library) {
  void* const nvml = dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (nvml == nullptr) return;
  int (*start)() = nullptr;
  int (*device_of)(const char* uuid, Handle*) = nullptr;
  find(nvml, "nvmlInit_v2", start);
  find(nvml, "nvmlShutdown", shut_down_);
  find(nvml, "nvmlDeviceGetHandleByUUID", device_of);
  find(nvml, "nvmlDeviceGetPowerUsage", power_);
  find(nvml, "nvmlDeviceGetClockInfo", clock_);
  find(nvml, "nvmlDeviceGetTemperature", temperature_);
  find(nvml, "nvmlDeviceGetCurrentClocksEventReasons", reasons_);
  // The name before driver 535.
  if (reasons_ == nullptr) find(nvml, "nvmlDeviceGetCurrentClocksThrottleReasons", reasons_);
  const bool complete = start != nullptr && device_of != nullptr && power_ != nullptr && clock_ != nullptr &&
                        temperature_ != nullptr && reasons_ != nullptr;
  if (!complete || start() != 0) {
    shut_down_ = nullptr;  // nothing has been started
    return;
  }
  if (device_of(uuid.c_str(), &device_) != 0) device_ = nullptr;
}

GpuMonitor::~GpuMonitor() {
  if (shut_down_ != nullptr) shut_down_();
}

std::optional<GpuState> GpuMonitor::read() const {
  if (device_ == nullptr) return std::nullopt;
  GpuState state;
  state.sm_mhz = asked([&](unsigned* value) { return clock_(device_, kSmClock, value); });
  state.memory_mhz = asked([&](unsigned* value) { return clock_(device_, kMemoryClock, value); });
  state.temperature_celsius =
      asked([&](unsigned* value) { return temperature_(device_, kGpuTemperature, value); });
  state.power_milliwatts = asked([&](unsigned* value) { return power_(device_, value); });
  unsigned long long reasons = 0;
  if (reasons_(device_, &reasons) == 0) state.clock_event_reasons = reasons;
  return state;
}

}  // namespace lockstep::device
