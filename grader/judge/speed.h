// How fast a submission is against the reference on a GPU, by the judge's own clock.
//
// Both run in fresh processes, one after the other and in changing order. A process is timed over K calls and
// over 2K calls, all with inputs that it has never seen; the difference over K is the time of one call, free
// of everything that does not grow with the calls, such as handing the GPU over. What the calls leave is
// sampled at once, before late work could finish, and compared whole afterwards, on the device. The interval
// of the ratio holds whatever the distribution of the noise is.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "course/problem.h"
#include "device/device.h"
#include "judge/attempt.h"
#include "judge/ceiling.h"
#include "report/result.h"

namespace lockstep::judge {

struct SpeedOptions {
  std::uint64_t seed = 0;
  std::function<void(const std::string& what, int done, int total)> progress;
  CeilingSource ceilings;
};

struct SpeedMeasurement {
  report::Speed speed;
  /// What the submission did wrong while it was timed; the speed then means nothing.
  std::optional<report::CaseResult> fault;
};

/// Needs Problem::speed and a device with a vault. Throws std::runtime_error when the reference itself fails.
SpeedMeasurement measure_speed(const course::Problem& problem, device::Device& device,
                               const OpenAttempt& submission, const OpenAttempt& reference,
                               const SpeedOptions& options);

/// Passed or too slow when the whole interval lies on one side of `threshold`, else inconclusive.
report::Verdict speed_verdict(std::pair<double, double> interval, double threshold);

}  // namespace lockstep::judge
