// What a GPU says of its clocks, its temperature and what slows it down, through NVML, the driver's
// management library. It is optional: where it is missing there are no readings, and speed is judged without
// them.
//
// A reading is of the moment. It shows heat and of power limits that last, not of what came and went
// between two readings.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace lockstep::device {

/// What a GPU does not report is empty.
struct GpuState {
  std::optional<unsigned> sm_mhz, memory_mhz, temperature_celsius, power_milliwatts;
  std::uint64_t clock_event_reasons = 0;  ///< NVML's bits
};

/// Those of NVML's clock event reasons that make the GPU slower than its settings ask for, in words such as
/// "software thermal slowdown". An idle GPU, clocks that somebody has set, and clocks kept equal to those of
/// other GPUs are none: they are the same for the reference.
std::vector<std::string> slowing_reasons(std::uint64_t clock_event_reasons);

class GpuMonitor {
 public:
  /// Of the GPU with this UUID. Without the library, or when it does not know the GPU, read() gives nothing.
  explicit GpuMonitor(const std::string& uuid, const std::string& library = "libnvidia-ml.so.1");
  ~GpuMonitor();
  GpuMonitor(const GpuMonitor&) = delete;
  GpuMonitor& operator=(const GpuMonitor&) = delete;

  std::optional<GpuState> read() const;

 private:
  // Of nvml.h, which a small installation of the toolkit lacks. Source: NVML API Reference Guide, "Device
  // Queries" and "NvmlClocksEventReasons", https://docs.nvidia.com/deploy/nvml-api/. Every function returns 0
  // for success. A device is a pointer to something that only the library knows.
  using Handle = void*;
  using Query = int (*)(Handle, unsigned*);
  using QueryOfKind = int (*)(Handle, int kind, unsigned*);
  using QueryOfReasons = int (*)(Handle, unsigned long long*);

  Handle device_ = nullptr;
  int (*shut_down_)() = nullptr;
  Query power_ = nullptr;
  QueryOfKind clock_ = nullptr, temperature_ = nullptr;
  QueryOfReasons reasons_ = nullptr;
};

}  // namespace lockstep::device
