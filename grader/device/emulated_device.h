// The emulated kind of device: every session is an emulated device process of its own.
#pragma once

#include <memory>

#include "device/calibrator.h"
#include "device/device.h"
#include "device/vault.h"

namespace lockstep::device {

/// What the process of an emulated device may hold: the judge's buffers, what the submission allocates (at
/// most 1 GiB), about three bytes beside each of these that kernels touch, and the submission's code.
inline constexpr std::size_t kDeviceProcessMemory = std::size_t{6} << 30;

class EmulatedDevice final : public Device {
 public:
  explicit EmulatedDevice(int multiprocessors) : multiprocessors_(multiprocessors) {}
  report::DeviceDescription description() const override;
  bool counts_traffic() const override { return true; }
  bool measures_speed() const override { return false; }
  std::optional<int> compute_capability() const override { return std::nullopt; }
  int multiprocessors() const override { return multiprocessors_; }
  std::size_t free_memory() const override { return 0; }
  std::size_t context_bytes() const override { return 0; }
  GpuLock lock(const std::function<void()>&) override { return {}; }
  std::optional<CardState> card_state() const override { return std::nullopt; }
  std::unique_ptr<Session> open(std::uint64_t seed) override;
  std::unique_ptr<Vault> open_vault() override { return nullptr; }
  std::unique_ptr<Calibrator> open_calibrator() override { return nullptr; }

 private:
  int multiprocessors_;
};

}  // namespace lockstep::device
