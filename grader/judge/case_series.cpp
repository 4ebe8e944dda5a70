#include "judge/case_series.h"

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <map>

#include "judge/case_run.h"
#include "judge/host_memory.h"
#include "judge/seeds.h"

namespace lockstep::judge {
namespace {

using result::CaseResult;
using result::Verdict;
using Clock = std::chrono::steady_clock;
using OutcomeKind = runner::Outcome::Kind;

CaseResult result_without_run(const course::Case& one, Verdict verdict, std::string message) {
  CaseResult result;
  result.name = one.name;
  result.purpose = one.purpose;
  result.verdict = verdict;
  result.message = std::move(message);
  return result;
}

bool is_measured(const course::Case& one) { return one.measured || one.wide; }

class SeriesRun {
 public:
  SeriesRun(const course::Problem& problem, const OpenAttempt& open, const SourceText& source,
            const SeriesOptions& options)
      : problem_(problem),
        open_(open),
        source_(source),
        options_(options),
        functions_(problem.functions()),
        call_time_(options.only_measured ? std::max(options.call_time, kProfiledCallTime)
                                         : options.call_time),
        end_(Clock::now() + options.total_time) {}

  CaseSeries run() {
    series_.load = renew_attempt();
    if (series_.load.kind == OutcomeKind::done) {
      const std::vector<const course::Case*> cases = chosen_cases();
      for (std::size_t i = 0; i < cases.size(); ++i) {
        report_progress(*cases[i], static_cast<int>(i) + 1, static_cast<int>(cases.size()));
        series_.cases.push_back(run_or_skip(*cases[i]));
        series_.cases.back().measured = is_measured(*cases[i]);
        note_failure(*cases[i], series_.cases.back().verdict);
      }
    }
    close_attempt();
    return std::move(series_);
  }

 private:
  std::vector<const course::Case*> chosen_cases() const {
    std::vector<const course::Case*> cases;
    for (const course::Case& one : problem_.cases) {
      if (is_measured(one) || !options_.only_measured) cases.push_back(&one);
    }
    cases.insert(cases.end(), options_.further_cases.begin(), options_.further_cases.end());
    if (!options_.only_case.empty())
      std::erase_if(cases, [this](const course::Case* one) { return one->name != options_.only_case; });
    return cases;
  }

  void report_progress(const course::Case& one, int number, int total) const {
    if (options_.progress) {
      options_.progress(fmt::format("case {} of {}: {}", number, total, one.name), number, total);
    }
  }

  CaseResult run_or_skip(const course::Case& one) {
    if (lost_attempts_ >= kMaxLostAttempts) {
      return result_without_run(
          one, Verdict::not_measured,
          fmt::format("not run: {} cases have ended the program or the device's context", kMaxLostAttempts));
    }
    const auto failed = smallest_failed_.find(one.puzzle);
    if (is_measured(one) && failed != smallest_failed_.end() && one.cost.elements > failed->second)
      return result_without_run(one, Verdict::not_measured,
                                "not run: no points depend on more, as a measured case has failed");
    if (Clock::now() >= end_) return out_of_time(one);
    try {
      return run_one(one);
    } catch (const device::OutOfMemory& error) {
      lose_attempt();  // and with it what its process holds
      return has_room(one) ? result_without_run(one, Verdict::memory_limit, kNoMemoryLeft)
                           : result_without_run(one, Verdict::grader_error, error.what());
    } catch (const std::exception& error) {
      // What is left of this attempt cannot be relied on.
      lose_attempt();
      return result_without_run(one, Verdict::grader_error, error.what());
    }
  }

  /// Where a measured case fails, no points depend on the others of its kind any more. Larger ones, the
  /// longest of all cases, hardly tell more about the cause.
  void note_failure(const course::Case& one, Verdict verdict) {
    const bool is_right = verdict == Verdict::passed;
    const bool is_unknown = verdict == Verdict::not_measured || verdict == Verdict::grader_error;
    if (!is_measured(one) || options_.only_measured || is_right || is_unknown) return;
    const auto [place, is_first] = smallest_failed_.emplace(one.puzzle, one.cost.elements);
    if (!is_first) place->second = std::min(place->second, one.cost.elements);
  }

  /// Whether a device that nobody uses has room for the buffers of a case.
  bool has_room(const course::Case& one) const {
    try {
      const std::unique_ptr<Attempt> unloaded = open_();
      unloaded->session().allocate(std::max<std::size_t>(static_cast<std::size_t>(one.cost.global_bytes), 1),
                                   "room");
      return true;
    } catch (const std::exception&) {
      return false;
    }
  }

  /// The first case that finds no time left fails, so that a slow submission never passes with cases not run.
  CaseResult out_of_time(const course::Case& one) {
    const std::string message =
        fmt::format("not run: the cases before it took the {:g} s that a judgement may take",
                    std::chrono::duration<double>(options_.total_time).count());
    const Verdict verdict = out_of_time_ ? Verdict::not_measured : Verdict::time_limit;
    out_of_time_ = true;
    return result_without_run(one, verdict, message);
  }

  CaseResult run_one(const course::Case& one) {
    if (!attempt_) {
      const runner::Outcome load = renew_attempt();
      if (load.kind != OutcomeKind::done) {
        lose_attempt();
        const ProgramFault fault = fault_of(load, kLoadTime);
        return result_without_run(one, fault.verdict, fault.message);
      }
    }
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(end_ - Clock::now());
    const auto call_time = std::clamp(left, std::chrono::milliseconds(1), call_time_);
    const std::size_t printed_before = attempt_->output().size();
    CaseRun run = run_case(problem_, one, derived_seed(options_.seed, one.name), call_time, *attempt_,
                           source_, options_.draw, !options_.only_case.empty());
    run.result.output = attempt_->output().substr(printed_before);
    run.result.output_truncated = attempt_->output_truncated();
    if (run.picture) series_.picture = std::move(run.picture);
    series_.host_copies += run.host_copies;
    if (is_measured(one))
      series_.measured.push_back(
          {&one, std::move(run.observations), run.input_bytes, run.copied_bytes, run.chained_bytes});
    if (run.result.verdict == Verdict::time_limit)
      call_time_ = std::min(call_time_, options_.short_call_time);
    if (run.attempt_lost) lose_attempt();
    return std::move(run.result);
  }

  runner::Outcome renew_attempt() {
    attempt_ = open_();
    // Constructors of the submission run while it is loaded, and may use the device.
    attempt_->session().set_limits(kLoadTime, kDeviceMemory);
    return attempt_->load(functions_, kLoadTime);
  }

  void lose_attempt() {
    close_attempt();
    ++lost_attempts_;
  }

  void close_attempt() {
    if (attempt_ && series_.output.empty()) {
      series_.output = attempt_->output();
      series_.output_truncated = attempt_->output_truncated();
    }
    attempt_.reset();
  }

  const course::Problem& problem_;
  const OpenAttempt& open_;
  const SourceText& source_;
  const SeriesOptions& options_;
  std::vector<course::Signature> functions_;
  std::chrono::milliseconds call_time_;
  Clock::time_point end_;
  std::unique_ptr<Attempt> attempt_;
  int lost_attempts_ = 0;
  std::map<std::string, double> smallest_failed_;  ///< elements of measured cases, by puzzle or "" for none
  bool out_of_time_ = false;
  CaseSeries series_;
};

}  // namespace

CaseSeries run_cases(const course::Problem& problem, const OpenAttempt& open, const SourceText& source,
                     const SeriesOptions& options) {
  const KeptHostMemory kept_memory;
  return SeriesRun(problem, open, source, options).run();
}

}  // namespace lockstep::judge
