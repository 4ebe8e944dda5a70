// The performance counters of the GPU's multiprocessors, launch by launch, by CUPTI's range profiler.
//
// CUPTI is found at run time: grading works without it. A GPU counts few things at once, so that the work
// is repeated until everything asked for has been counted.
#pragma once

#include <cuda.h>

#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace lockstep::runner {

/// what() names the function of CUPTI that failed and CUPTI's error message.
class CountersUnavailable : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// One launch, and the values of the metrics that were asked for, in their order.
struct ProfiledLaunch {
  std::string kernel;  ///< mangled
  std::vector<double> values;
};

class RangeProfiler {
 public:
  /// `library` is the path of libcupti. Throws CountersUnavailable.
  RangeProfiler(const std::string& library, std::vector<const char*> metrics);
  ~RangeProfiler();
  RangeProfiler(const RangeProfiler&) = delete;
  RangeProfiler& operator=(const RangeProfiler&) = delete;

  /// Calls `work`, which launches the same kernels every time and waits for them, as often as needed. Throws
  /// CountersUnavailable, before or after `work` was called.
  std::vector<ProfiledLaunch> profile(CUcontext context, const std::function<void()>& work);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace lockstep::runner
