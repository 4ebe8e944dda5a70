// What measures a GPU: one figure at a time, so that who needs one does not wait for all.
#pragma once

#include <string>

#include "result/calibration.h"

namespace lockstep::device {

class Calibrator {
 public:
  virtual ~Calibrator() = default;
  virtual result::GpuIdentity gpu() const = 0;
  /// That compiled what measures, such as "13.0.88".
  virtual std::string toolkit() const = 0;
  /// About a second. Throws std::runtime_error when the GPU cannot be measured.
  virtual result::Figure measure(result::Quantity quantity) = 0;
};

}  // namespace lockstep::device
