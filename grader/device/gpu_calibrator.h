// Measures a GPU in the judge's own context, with the kernels of calibration_kernels.cu.
//
// A rate is what one run does over the time by which a run of twice the length takes longer: starting and
// ending cost both the same. The clock is the device's, so that a busy host does not show.
#pragma once

#include "device/calibrator.h"
#include "device/gpu.h"
#include "device/mapped_memory.h"

namespace lockstep::device {

class GpuCalibrator final : public Calibrator {
 public:
  /// `gpu` outlives it. Throws DriverError.
  explicit GpuCalibrator(const Gpu& gpu);
  ~GpuCalibrator() override;
  GpuCalibrator(const GpuCalibrator&) = delete;
  GpuCalibrator& operator=(const GpuCalibrator&) = delete;

  result::GpuIdentity gpu() const override;
  std::string toolkit() const override;
  result::Figure measure(result::Quantity quantity) override;

 private:
  struct Work;
  Work work_of(result::Quantity quantity);
  Work copies();
  Work launches();
  /// `kernel` on random ones of the words in `bytes` bytes of memory.
  template <class... Arguments>
  Work visits(const char* kernel, std::size_t bytes, Arguments... arguments);
  /// `kernel` on as many blocks as the GPU holds at a time, where each thread counts `per_thread` in a step.
  template <class... Arguments>
  Work full_grid(const char* kernel, unsigned per_thread, Arguments... arguments);

  CUfunction function(const char* kernel);
  MappedMemory random_bits(std::size_t bytes);
  /// A size far beyond L2, or less where memory is short.
  std::size_t large_bytes() const;

  const Gpu& gpu_;
  CUmodule module_ = nullptr;
  MappedMemory results_;  ///< 4 bytes per thread, of as many as the GPU holds
};

}  // namespace lockstep::device
