// How fast a submission is against the reference on a GPU, by the judge's own clock. Where an exercise has
// several right answers, a rung may stand in the reference's place (course::Baseline).
//
// Both run in fresh processes, one after the other and in alternating order. A process is timed over K calls
// and over 2K calls, all with inputs that no process of a submission has seen before. What does not grow with
// the calls, such as handing the GPU over, is known from the reference's two times, and taken from all times
// of both. The clock stops when the judge itself has seen a sample of what the calls left, and everything is
// compared afterwards, on the device. The interval of the ratio holds whatever the distribution of the noise
// is. Other judgements wait meanwhile, also while the inputs are made: they go straight to the GPU, whose
// free memory chose their size. A round in which heat or a power limit slowed the GPU down is run again.
#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "course/problem.h"
#include "device/device.h"
#include "judge/attempt.h"
#include "judge/call_timer.h"
#include "judge/seeds.h"
#include "result/result.h"

namespace lockstep::judge {

/// By round: seconds that a call of the submission takes, and the reference's time over it.
struct CallTimes {
  std::vector<double> submission, ratios;
};

/// Times of one call from those of batches of K and of 2K calls, of which `calls` is K. The constant part is
/// the reference's, the median of its rounds: a submission that made its own short batch longer would
/// otherwise get its calls for less. What its preparation took longer than the reference's, by the upper end
/// of the interval that holds the median, may be time in which it worked: that counts too.
CallTimes call_times(std::span<const BatchTimes> reference, std::span<const BatchTimes> submission,
                     std::size_t calls);

struct SpeedOptions {
  Seed seed{};
  std::function<void(const std::string& what, int done, int total)> progress;
  /// Folder of the figures of GPUs, in which those that the share needs and that are not there are kept.
  std::filesystem::path calibrations;
  course::Baseline baseline;  ///< what the submission is compared with
};

struct SpeedMeasurement {
  result::Speed speed;
  /// What the submission did wrong while it was timed; the speed then means nothing.
  std::optional<result::CaseResult> fault;
  std::string complaint;  ///< about the kept figures of the GPU, for its owner; empty when all is well
};

/// Needs Problem::speed. `reference` opens the solution of the baseline: where that is a rung, the submission
/// must keep to its answers in each timed call. Throws std::runtime_error when it fails itself, or the device
/// has no memory left for any size.
SpeedMeasurement measure_speed(const course::Problem& problem, device::TimingDevice& device,
                               const OpenAttempt& submission, const OpenAttempt& reference,
                               const SpeedOptions& options);

/// From this ratio on a speed earns all of its points: beside the noise of most machines it is the
/// baseline's.
constexpr double kFullSpeedRatio = 0.9;

/// From 0 to 1, of the points for speed: what `ratio` earns, the same for each factor by which it grows. The
/// speeds of a ladder lie orders of magnitude apart. 0 up to `first_ratio`, the speed of the ladder's first
/// rung; 1 from kFullSpeedRatio on; 0 for what is no number.
double share_of_speed(double ratio, double first_ratio);

/// Whether a submission that was ended at the time limit is too slow for certain, and no more than that: its
/// cases have passed, and its ratio is below `most`, the time of the reference's longest batch over the
/// limit. 0: the reference has not been timed yet.
bool is_certainly_slow(result::Verdict fault, double most, double threshold);

/// Whether more rounds would narrow the ratio much: where rounds agree, a few do.
bool is_wide(std::pair<double, double> interval);

/// Passed or too slow when the whole interval lies on one side of `threshold`, else inconclusive.
result::Verdict speed_verdict(std::pair<double, double> interval, double threshold);

}  // namespace lockstep::judge
