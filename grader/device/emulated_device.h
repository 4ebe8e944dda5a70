// The emulated kind of device: every session is an emulated device process of its own.
#pragma once

#include <memory>

#include "device/device.h"

namespace lockstep::device {

/// What the process of an emulated device may hold: the judge's buffers, what the submission allocates (at
/// most 1 GiB), about three bytes beside each of these that kernels touch, and the submission's code.
inline constexpr std::size_t kDeviceProcessMemory = std::size_t{6} << 30;

class EmulatedDevice final : public Device {
 public:
  explicit EmulatedDevice(int multiprocessors) : multiprocessors_(multiprocessors) {}
  result::DeviceDescription description() const override;
  int multiprocessors() const override { return multiprocessors_; }
  std::unique_ptr<Session> open(std::uint64_t seed) override;

 private:
  int multiprocessors_;
};

}  // namespace lockstep::device
