// Calls whose kernels the GPU counts, where the judge asks for it; the counters go back through the runner's
// device descriptor.
#pragma once

#include <functional>
#include <memory>

#include "runner/range_profiler.h"

namespace lockstep::runner {

class CountedCalls {
 public:
  /// Whether the judge asked for counters: device::kCountersVariable is set.
  static bool wanted();

  /// Makes the calls of `work` and writes what the GPU counted, or why it could not. `work` is repeated if
  /// need be, and done once in any case.
  void make(const std::function<void()>& work);

 private:
  std::unique_ptr<RangeProfiler> profiler_;
};

}  // namespace lockstep::runner
