// The GPU kind of device: buffers are the judge's own, and the runner maps them into its process.
#pragma once

#include <filesystem>
#include <memory>
#include <utility>

#include "device/device.h"
#include "device/gpu.h"

namespace lockstep::device {

class GpuDevice final : public TimingDevice {
 public:
  /// With the path of a CUPTI library its sessions count, for display, the launches of their runner. Throws
  /// DriverError.
  explicit GpuDevice(std::filesystem::path cupti = {}) : cupti_(std::move(cupti)) {}
  result::DeviceDescription description() const override;
  int compute_capability() const override { return gpu_.compute_capability(); }
  int multiprocessors() const override { return gpu_.multiprocessors(); }
  std::size_t free_memory() const override { return gpu_.free_bytes(); }
  std::size_t context_bytes() const override;
  GpuLock lock(const std::function<void()>& waiting) override { return GpuLock(gpu_.node(), waiting); }
  std::optional<GpuState> gpu_state() const override { return monitor_.read(); }
  std::unique_ptr<Session> open(std::uint64_t seed) override;
  std::unique_ptr<Vault> open_vault() override;
  std::unique_ptr<Calibrator> open_calibrator() override;

 private:
  Gpu gpu_;
  GpuMonitor monitor_{gpu_.uuid()};
  std::filesystem::path cupti_;
};

}  // namespace lockstep::device
