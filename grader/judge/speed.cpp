#include "judge/speed.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <future>
#include <iterator>
#include <memory>
#include <optional>
#include <stdexcept>
#include <utility>

#include "calibration/calibration_store.h"
#include "emulator/core/processors.h"
#include "judge/call_timer.h"
#include "judge/ceiling.h"
#include "judge/host_memory.h"
#include "judge/limits.h"
#include "judge/median.h"
#include "judge/throttled_rounds.h"
#include "judge/turn.h"

namespace lockstep::judge {
namespace {

using result::Verdict;

/// After so many rounds it is asked whether more are needed.
constexpr std::array kRounds = {6, 9, 15, 21};

/// K for a size: K calls of the reference take a millisecond or more, beside which the clock's few
/// microseconds of noise do not show. A slower GPU needs fewer calls, and so fewer inputs.
std::size_t calls_together(const course::SpeedTask& task, const course::Case& one,
                           const result::Figures& ceilings) {
  constexpr double kEnough = 1e-3;
  constexpr std::size_t kMin = 4;
  const auto bound = binding_ceiling(one.cost, ceilings);
  if (!bound) return CallTimer::kCalls;
  const double enough = std::ceil(kEnough * task.most_of_ceiling / bound->seconds);
  return static_cast<std::size_t>(std::clamp<double>(enough, kMin, CallTimer::kCalls));
}

/// Of the memory that is free now: other programs may want some meanwhile.
double room_on(const device::TimingDevice& device) { return 0.8 * static_cast<double>(device.free_memory()); }

struct TimedSize {
  const course::Case& one;
  std::unique_ptr<CallTimer> timer;
  /// There is room for the contexts of both processes of a round, and of the one before that still ends.
  bool side_by_side = false;
};

/// The first call of the largest size, which is most often the one to time, where this process and as many
/// others as there are processors have memory for theirs.
std::optional<CallTimer::FirstCall> first_of_the_largest(const course::SpeedTask& task,
                                                         const SpeedOptions& options) {
  const course::Case& largest = task.sizes.back();
  const double room = free_host_memory() / static_cast<double>(emulator::usable_processors());
  if (CallTimer::host_bytes_needed(largest) > room) return std::nullopt;
  if (options.progress) options.progress(fmt::format("inputs of {}", largest.name), 0, 1);
  return CallTimer::FirstCall(largest, options.seed);
}

/// The largest size whose timing takes no more memory than there is room for. How much workspaces may take
/// shows only once a size's inputs are made. `first` is the first call of one of them, if any. Throws
/// std::runtime_error where no size fits.
TimedSize largest_that_fits(const course::Problem& problem, device::TimingDevice& device,
                            const OpenAttempt& reference, const SpeedOptions& options,
                            const result::Figures& ceilings, std::optional<CallTimer::FirstCall> first) {
  const std::vector<course::Case>& sizes = problem.speed->sizes;
  const auto context = static_cast<double>(device.context_bytes());
  std::size_t largest = 0;
  for (std::size_t size = 1; size < sizes.size(); ++size) {
    const double needed =
        CallTimer::bytes_needed(sizes[size], calls_together(*problem.speed, sizes[size], ceilings));
    if (needed + context <= room_on(device)) largest = size;
  }
  for (std::size_t size = largest;; --size) {
    const course::Case& one = sizes[size];
    const std::size_t calls = calls_together(*problem.speed, one, ceilings);
    // The context of a process that answers is worth less than a larger size.
    const bool is_answered = CallTimer::bytes_needed(one, calls) + 2 * context <= room_on(device);
    if (first && first->one != &one) first.reset();
    try {
      auto timer =
          std::make_unique<CallTimer>(problem, one, device,
                                      CallTimer::Options{.seed = options.seed,
                                                         .calls = calls,
                                                         .answers = options.baseline.answers,
                                                         .reference = is_answered ? reference : OpenAttempt(),
                                                         .progress = options.progress},
                                      std::exchange(first, std::nullopt));
      const double left = room_on(device) - timer->bytes_of_process();
      if (left >= context) return {one, std::move(timer), left >= 3 * context};
    } catch (const device::OutOfMemory&) {
      // Small buffers take more than their bytes.
    }
    if (size == 0)
      throw std::runtime_error("the GPU has too little free memory to measure speed, even at " +
                               sizes[size].name);
  }
}

/// A process whose driver has started, so that nothing of it runs beside calls that are timed.
std::unique_ptr<Attempt> opened(const OpenAttempt& open) {
  std::unique_ptr<Attempt> attempt = open();
  attempt->settle(kLoadTime);  // answered behind that; a process that does not gets no context either
  return attempt;
}

/// The process that has been opened ahead, if any, or a new one, with a context.
std::unique_ptr<Attempt> started(std::future<std::unique_ptr<Attempt>> ahead, const OpenAttempt& open) {
  return CallTimer::with_context(ahead.valid() ? ahead.get() : open());
}

}  // namespace

Verdict speed_verdict(std::pair<double, double> interval, double threshold) {
  if (interval.first >= threshold) return Verdict::passed;
  if (interval.second < threshold) return Verdict::too_slow;
  return Verdict::inconclusive;
}

double share_of_speed(double ratio, double first_ratio) {
  if (!(ratio > first_ratio)) return 0;
  return std::min(std::log(ratio / first_ratio) / std::log(kFullSpeedRatio / first_ratio), 1.0);
}

bool is_certainly_slow(Verdict fault, double most, double threshold) {
  return fault == Verdict::time_limit && most > 0 && most < threshold;
}

bool is_wide(std::pair<double, double> interval) {
  constexpr double kNarrow = 1.03;  // end over beginning
  return !(interval.second <= kNarrow * interval.first);
}

CallTimes call_times(std::span<const BatchTimes> reference, std::span<const BatchTimes> submission,
                     std::size_t calls) {
  using Seconds = std::chrono::duration<double>;
  std::vector<double> constants, preparations;
  for (const BatchTimes& times : reference) {
    constants.push_back((2 * times.few - times.many).count());
    preparations.push_back(times.preparation.count());
  }
  const Seconds constant(median(constants)), long_preparation(median_interval(preparations).second);
  const auto time_of_calls = [&](const BatchTimes& times) { return times.few + times.many - 2 * constant; };
  CallTimes result;
  for (std::size_t i = 0; i < reference.size(); ++i) {
    const Seconds stolen = std::max(submission[i].preparation - long_preparation, Seconds(0));
    const Seconds own = time_of_calls(submission[i]) + stolen;
    result.ratios.push_back(time_of_calls(reference[i]) / own);
    result.submission.push_back(own.count() / (3 * static_cast<double>(calls)));
  }
  return result;
}

SpeedMeasurement measure_speed(const course::Problem& problem, device::TimingDevice& device,
                               const OpenAttempt& submission, const OpenAttempt& reference,
                               const SpeedOptions& options) {
  const KeptHostMemory kept_memory;
  std::optional<CallTimer::FirstCall> first_call = first_of_the_largest(*problem.speed, options);
  // Before the size is chosen by the memory that is free, and until the memory that it takes is given back.
  const device::GpuLock lock = await_turn(device, options.progress);
  const calibration::StoredCalibration known = calibration::complete_calibration(
      options.calibrations, *device.open_calibrator(), quantities_of(problem.speed->sizes.back().cost),
      [&](const std::string& what) {
        if (options.progress) options.progress(what, 0, 1);
      });
  const result::Figures& ceilings = known.calibration.figures;
  // Processes of reference and submission for the next round, in which they get contexts.
  std::array<std::future<std::unique_ptr<Attempt>>, 2> ahead;
  const auto open_ahead = [&] {
    ahead = {std::async(std::launch::async, opened, std::cref(reference)),
             std::async(std::launch::async, opened, std::cref(submission))};
  };
  open_ahead();
  const TimedSize timed =
      largest_that_fits(problem, device, reference, options, ceilings, std::move(first_call));
  const course::Case& one = timed.one;
  SpeedMeasurement measurement;
  measurement.speed.size = one.name;
  if (!options.baseline.rung.empty()) measurement.speed.baseline = options.baseline.rung;
  measurement.complaint = known.complaint;
  std::vector<BatchTimes> reference_times, submission_times;
  CallTimes calls;
  ThrottledRounds throttled;
  bool are_inputs_used = false;
  std::future<void> ending;  // of the process that was timed last, while the next inputs are made
  for (const int planned : kRounds) {
    while (std::ssize(submission_times) < planned) {
      const int round = static_cast<int>(submission_times.size());
      const bool reference_first = round % 2 == 0;
      const OpenAttempt& earlier = reference_first ? reference : submission;
      const OpenAttempt& later = reference_first ? submission : reference;
      // Side by side, and before anything is timed. Nothing of the submission is loaded while the reference
      // is timed.
      auto starting = std::async(std::launch::async, started, std::move(ahead[reference_first ? 0 : 1]),
                                 std::cref(earlier));
      auto starting_later = std::async(timed.side_by_side ? std::launch::async : std::launch::deferred,
                                       started, std::move(ahead[reference_first ? 1 : 0]), std::cref(later));
      if (round + 1 < planned) open_ahead();
      // Reference and submission get the same inputs, and no other process of the submission gets them: what
      // one has left somewhere is no answer to the next.
      if (std::exchange(are_inputs_used, true)) timed.timer->renew_inputs();
      if (options.progress) options.progress(fmt::format("speed, round {}", round + 1), round, planned);
      const std::optional<device::GpuState> before = device.gpu_state();
      std::unique_ptr<Attempt> first = starting.get();
      if (timed.side_by_side) starting_later.wait();
      for (const auto& opening : ahead) {
        if (opening.valid()) opening.wait();
      }
      if (ending.valid()) ending.get();
      Timing of_earlier = timed.timer->time_started(first, earlier);
      first.reset();  // with whatever it still has on the GPU
      std::unique_ptr<Attempt> second = starting_later.get();
      Timing of_later = timed.timer->time_started(second, later);
      if (timed.side_by_side)
        ending = std::async(std::launch::async, [last = std::move(second)]() mutable { last.reset(); });
      second.reset();
      const Timing& of_reference = reference_first ? of_earlier : of_later;
      const Timing& of_submission = reference_first ? of_later : of_earlier;
      if (of_reference.fault)
        throw std::runtime_error(fmt::format("{} itself fails: {}", result::baseline_of(measurement.speed),
                                             of_reference.fault->message));
      if (of_submission.fault) {
        const CallTimer::Options defaults;
        const double most = of_reference.batches.many / std::chrono::duration<double>(defaults.time_limit);
        if (of_submission.calls_failed &&
            is_certainly_slow(of_submission.fault->verdict, most, problem.speed->pass_ratio)) {
          measurement.speed.verdict = Verdict::too_slow;
          measurement.speed.ratio = 0;  // it has not shown any
          measurement.speed.points_share = 0;
          measurement.speed.interval = {0, most};
        } else {
          measurement.fault = of_submission.fault;
        }
        return measurement;
      }
      if (throttled.must_repeat(before, device.gpu_state(), planned)) continue;
      reference_times.push_back(of_reference.batches);
      submission_times.push_back(of_submission.batches);
    }
    calls = call_times(reference_times, submission_times, timed.timer->calls());
    measurement.speed.ratio = median(calls.ratios);
    measurement.speed.interval = median_interval(calls.ratios);
    measurement.speed.verdict = speed_verdict(*measurement.speed.interval, problem.speed->pass_ratio);
    if (measurement.speed.verdict == Verdict::too_slow) break;
    if (measurement.speed.verdict == Verdict::passed && !is_wide(*measurement.speed.interval)) break;
  }
  measurement.speed.points_share = share_of_speed(*measurement.speed.ratio, options.baseline.first_ratio);
  measurement.speed.gpu = throttled.summary();
  measurement.speed.call_seconds = median(calls.submission);
  compare_with_ceiling(measurement.speed, one.cost, *measurement.speed.call_seconds, ceilings);
  return measurement;
}

}  // namespace lockstep::judge
