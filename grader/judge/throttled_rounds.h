// Which rounds of a speed measurement are run again because the GPU was slowed down meanwhile, and what the
// report says of the GPU. Heat and power limits hit submission and reference alike, but not by the same
// factor: one that is bound by memory hardly notices a slower SM. Bound: as many repeats as rounds.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "device/gpu_monitor.h"
#include "result/result.h"

namespace lockstep::judge {

class ThrottledRounds {
 public:
  /// Takes note of one round by the readings before and after it. Whether it is to be run again: it was
  /// throttled, and fewer rounds than are `planned` have been repeated so far.
  bool must_repeat(const std::optional<device::GpuState>& before,
                   const std::optional<device::GpuState>& after, int planned);

  /// Of all rounds so far; nothing when no reading could be taken.
  const std::optional<result::GpuDuringSpeed>& summary() const { return summary_; }

 private:
  std::optional<result::GpuDuringSpeed> summary_;
};

}  // namespace lockstep::judge
