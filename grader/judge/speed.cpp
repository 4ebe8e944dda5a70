#include "judge/speed.h"

#include <fmt/format.h>

#include <algorithm>
#include <future>
#include <stdexcept>
#include <thread>

#include "device/vault.h"
#include "judge/case_verdict.h"
#include "judge/limits.h"
#include "judge/seeds.h"

namespace lockstep::judge {
namespace {

using course::Argument;
using report::Verdict;
using OutcomeKind = runner::Outcome::Kind;
using Seconds = std::chrono::duration<double>;

/// K: with it the constant is small against what is measured, and the inputs together are larger than any
/// cache.
constexpr std::size_t kCalls = 4;
constexpr int kFewRounds = 9, kManyRounds = 21;
/// Faster than memory can be read and written, by more than the noise: somebody should look at it.
constexpr double kImpossibleShare = 1.1;

/// One call as it is kept on the device: inputs and what must come out, by argument.
struct KeptCall {
  std::vector<std::uint64_t> kept;  ///< address in the vault, or the scalar's bits
};

/// What one process came to: the time of a call, or what went wrong.
struct Timing {
  Seconds call{0};
  std::optional<report::CaseResult> fault;
};

class SpeedRun {
 public:
  SpeedRun(const course::Problem& problem, device::Device& device, const SpeedOptions& options)
      : problem_(problem), one_(problem.speed->one), options_(options), vault_(device.open_vault()) {
    prepare();
  }

  Timing time_process(const OpenAttempt& open) {
    const std::unique_ptr<Attempt> attempt = open();
    std::vector<course::Signature> functions = {problem_.function};
    for (const course::WorkspaceQuery& query : problem_.workspace) functions.push_back(query.function);
    if (const auto load = attempt->load(functions, kLoadTime); load.kind != OutcomeKind::done)
      return {.fault = fault_result(fault_of(load, kLoadTime))};
    std::uint64_t workspace_bytes = 0;
    if (!problem_.workspace.empty()) {
      const auto asked = attempt->call(problem_.workspace.front().function, workspace_words_, kCallTime);
      if (asked.kind != OutcomeKind::done) return {.fault = fault_result(fault_of(asked, kCallTime))};
      if (asked.value > workspace_limit_)
        return {.fault =
                    fault_result({Verdict::memory_limit, "it asks for more workspace than is allowed", ""})};
      workspace_bytes = asked.value;
    }
    allocate_sets(attempt->session(), workspace_bytes);
    // The first call loads code and is not timed.
    Timing first = run_calls(*attempt, 0, 1);
    if (first.fault) return first;
    Timing few = run_calls(*attempt, 1, kCalls);
    if (few.fault) return few;
    Timing many = run_calls(*attempt, 1 + kCalls, 2 * kCalls);
    if (many.fault) return many;
    return {.call = (many.call - few.call) / static_cast<double>(kCalls)};
  }

  /// Of the card's memory bandwidth that calls of this length make use of.
  double ceiling_share(Seconds call) {
    if (bandwidth_ == 0) bandwidth_ = vault_->copy_bandwidth();
    return one_.cost.global_bytes / call.count() / bandwidth_;
  }

 private:
  /// Makes the inputs and expected outputs of one process: every process gets the same, in buffers of its
  /// own.
  void prepare() {
    const std::size_t calls = 1 + 3 * kCalls;
    const std::size_t at_once = std::clamp<std::size_t>(std::thread::hardware_concurrency(), 1, 4);
    for (std::size_t first = 0; first < calls; first += at_once) {
      if (options_.progress) {
        options_.progress(fmt::format("inputs of {}", one_.name), static_cast<int>(first),
                          static_cast<int>(calls));
      }
      std::vector<std::future<course::Call>> made;
      for (std::size_t i = first; i < std::min(first + at_once, calls); ++i) {
        made.push_back(std::async(std::launch::async, [this, i] {
          Random random(derived_seed(options_.seed, fmt::format("speed {}", i)));
          return one_.prepare(random);
        }));
      }
      for (std::future<course::Call>& call : made) keep(call.get());
    }
    samples_ = vault_->allocate(calls * shape_.size() * device::Vault::kSampleBytes);
    expected_sample_ = vault_->allocate(device::Vault::kSampleBytes);
  }

  void keep(const course::Call& call) {
    KeptCall& kept = calls_.emplace_back();
    for (const Argument& argument : call.arguments()) {
      std::uint64_t word = argument.scalar_bits;
      if (argument.kind == Argument::Kind::input) word = vault_->keep(argument.input);
      if (argument.kind == Argument::Kind::output) word = vault_->keep(argument.output.expected);
      kept.kept.push_back(word);
    }
    if (!shape_.empty()) return;
    for (const Argument& argument : call.arguments()) {
      Argument light{.kind = argument.kind, .name = argument.name};
      light.output.type = argument.output.type;
      light.output.tolerance = argument.output.tolerance;
      shape_.push_back(std::move(light));
      bytes_.push_back(argument.kind == Argument::Kind::input ? argument.input.size()
                                                              : argument.output.expected.size());
    }
    if (!problem_.workspace.empty()) {
      workspace_words_ = problem_.workspace.front().arguments(call);
      workspace_limit_ = problem_.workspace.front().limit_bytes(call);
    }
  }

  void allocate_sets(device::Session& session, std::uint64_t workspace_bytes) {
    sets_.assign(2 * kCalls, {});
    for (std::vector<std::uint64_t>& set : sets_) {
      for (std::size_t a = 0; a < shape_.size(); ++a) {
        if (shape_[a].kind == Argument::Kind::workspace) bytes_[a] = workspace_bytes;
        const bool is_buffer = shape_[a].kind == Argument::Kind::input ||
                               shape_[a].kind == Argument::Kind::output ||
                               shape_[a].kind == Argument::Kind::workspace;
        set.push_back(is_buffer ? session.allocate(std::max<std::size_t>(bytes_[a], 1), shape_[a].name) : 0);
      }
    }
  }

  /// Calls with the contents [first, first + n), timed together.
  Timing run_calls(Attempt& attempt, std::size_t first, std::size_t n) {
    device::Session& session = attempt.session();
    std::vector<std::uint64_t> words;
    for (std::size_t k = 0; k < n; ++k) {
      for (std::size_t a = 0; a < shape_.size(); ++a) {
        const std::uint64_t kept = calls_[first + k].kept[a];
        if (shape_[a].kind == Argument::Kind::input) vault_->copy(sets_[k][a], kept, bytes_[a]);
        if (shape_[a].kind == Argument::Kind::output || shape_[a].kind == Argument::Kind::workspace)
          session.poison(sets_[k][a], bytes_[a]);
        words.push_back(sets_[k][a] != 0 ? sets_[k][a] : kept);
      }
    }
    vault_->overwrite_cache();
    const auto timed = attempt.timed_calls(problem_.function, words, kCallTime + kGrace);
    for_outputs(n, [&](std::size_t k, std::size_t a) {
      vault_->sample(sample_of(k, a), sets_[k][a], bytes_[a], sample_seed(first + k, a));
    });
    if (timed.outcome.kind != OutcomeKind::done)
      return {.fault = fault_result(fault_of(timed.outcome, kCallTime))};
    std::uint64_t wrong = 0;
    for_outputs(n, [&](std::size_t k, std::size_t a) {
      const std::uint64_t expected = calls_[first + k].kept[a];
      vault_->sample(expected_sample_, expected, bytes_[a], sample_seed(first + k, a));
      wrong += vault_->count_wrong(shape_[a].output, sample_of(k, a), expected_sample_,
                                   std::min(bytes_[a], device::Vault::kSampleBytes));
      wrong += vault_->count_wrong(shape_[a].output, sets_[k][a], expected, bytes_[a]);
    });
    if (wrong != 0) {
      return {.fault = fault_result({Verdict::wrong_answer,
                                     fmt::format("{} elements were wrong while it was timed", wrong), ""})};
    }
    return {.call = timed.time};
  }

  template <class F>
  void for_outputs(std::size_t n, F f) {
    for (std::size_t k = 0; k < n; ++k) {
      for (std::size_t a = 0; a < shape_.size(); ++a) {
        if (shape_[a].kind == Argument::Kind::output) f(k, a);
      }
    }
  }
  std::uint64_t sample_of(std::size_t k, std::size_t a) const {
    return samples_ + (k * shape_.size() + a) * device::Vault::kSampleBytes;
  }
  std::uint64_t sample_seed(std::size_t call, std::size_t a) const {
    return derived_seed(options_.seed, fmt::format("sample {} {}", call, a));
  }

  report::CaseResult fault_result(const ProgramFault& fault) const {
    report::CaseResult result;
    result.name = one_.name;
    result.purpose = one_.purpose;
    result.verdict = fault.verdict;
    result.message = "while its speed was measured: " + fault.message;
    result.guess = fault.guess;
    return result;
  }

  const course::Problem& problem_;
  const course::Case& one_;
  const SpeedOptions& options_;
  std::unique_ptr<device::Vault> vault_;
  std::vector<Argument> shape_;                   ///< kinds, names, types; no data
  std::vector<std::size_t> bytes_;                ///< of each buffer
  std::vector<KeptCall> calls_;                   ///< one more than three times kCalls
  std::vector<std::vector<std::uint64_t>> sets_;  ///< [call][argument]: the process's buffers
  std::vector<std::uint64_t> workspace_words_;
  std::uint64_t workspace_limit_ = 0;
  std::uint64_t samples_ = 0, expected_sample_ = 0;
  double bandwidth_ = 0;
};

double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

}  // namespace

std::pair<double, double> median_interval(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const std::size_t from_end = values.size() < kManyRounds ? values.size() / 4 : values.size() / 4 + 1;
  return {values.at(from_end - 1), values.at(values.size() - from_end)};
}

Verdict speed_verdict(std::pair<double, double> interval, double threshold) {
  if (interval.first >= threshold) return Verdict::passed;
  if (interval.second < threshold) return Verdict::too_slow;
  return Verdict::inconclusive;
}

SpeedMeasurement measure_speed(const course::Problem& problem, device::Device& device,
                               const OpenAttempt& submission, const OpenAttempt& reference,
                               const SpeedOptions& options) {
  SpeedRun run(problem, device, options);
  SpeedMeasurement measurement;
  std::vector<double> ratios, times;
  for (int round = 0; round < kManyRounds; ++round) {
    if (options.progress) {
      options.progress(fmt::format("speed, round {}", round + 1), round, kFewRounds);
    }
    Timing of_reference, of_submission;
    const auto time_reference = [&] { of_reference = run.time_process(reference); };
    if (round % 2 == 0) time_reference();
    of_submission = run.time_process(submission);
    if (round % 2 != 0) time_reference();
    if (of_reference.fault)
      throw std::runtime_error("the reference solution fails: " + of_reference.fault->message);
    if (of_submission.fault) {
      measurement.fault = of_submission.fault;
      return measurement;
    }
    ratios.push_back(of_reference.call / of_submission.call);
    times.push_back(of_submission.call.count());
    if (ratios.size() != kFewRounds && ratios.size() != kManyRounds) continue;
    measurement.speed.ratio = median(ratios);
    measurement.speed.interval = median_interval(ratios);
    measurement.speed.verdict = speed_verdict(*measurement.speed.interval, problem.speed->pass_ratio);
    if (measurement.speed.verdict != Verdict::inconclusive) break;
  }
  measurement.speed.ceiling_share = run.ceiling_share(Seconds(median(times)));
  const double share = *measurement.speed.ceiling_share;
  if (!(share > 0 && share <= kImpossibleShare)) measurement.speed.verdict = Verdict::review;
  return measurement;
}

}  // namespace lockstep::judge
