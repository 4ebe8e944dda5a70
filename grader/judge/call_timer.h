// How long one call of a submission takes on a GPU, by the judge's own clock.
//
// A process is timed over K calls and over 2K calls, which separate what grows with the calls from what does
// not, such as handing the GPU over. The clock stops when the judge itself has seen a sample of what the
// calls left; everything is compared afterwards, on the device. Bound: the start of a process, about 0.4 s,
// and the making of inputs on the host, as often as they are made anew. Solutions that are trusted, as those
// of `bench`, are timed by the device's own events instead.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "course/problem.h"
#include "device/device.h"
#include "device/vault.h"
#include "judge/attempt.h"
#include "judge/case_verdict.h"
#include "judge/limits.h"
#include "judge/seeds.h"
#include "result/result.h"

namespace lockstep::judge {

/// By the judge's clock, over K calls and over 2K calls of one process; and over what comes before both: the
/// judge fills inputs and outputs on the device, and waits until the process is ready to begin. Whoever works
/// meanwhile makes that longer.
struct BatchTimes {
  std::chrono::duration<double> few{0}, many{0}, preparation{0};
};

/// What one process came to: the time of a call, or what went wrong.
struct Timing {
  std::chrono::duration<double> call{0};  ///< if the process is trusted; see call_times() in speed.h
  BatchTimes batches;
  std::optional<result::CaseResult> fault;
  bool calls_failed = false;  ///< the fault is of timed calls, not of what comes before them
};

class CallTimer {
 public:
  static constexpr std::size_t kCalls = 16;  ///< K, unless a GPU needs fewer to be timed as well
  struct Options {
    Seed seed{};
    std::size_t calls = kCalls;  ///< K
    /// No process sees an input twice. Without it, calls go round a few inputs, in buffers that are
    /// together larger than any cache: for solutions that are trusted, where making K inputs would take too
    /// long. They are timed by the device's events then, one batch of K calls: the judge's clock would count
    /// the host's launches where those take longer than what is launched.
    bool fresh_inputs = true;
    /// Names of the right answers that calls may have; empty: all.
    std::vector<std::string> answers = {};
    std::chrono::milliseconds time_limit = kCallTime + kGrace;  ///< of calls that are timed together
    std::function<void(const std::string& what, int done, int total)> progress;
  };

  /// Makes the inputs. `one` stays alive as long as the timer.
  CallTimer(const course::Problem& problem, const course::Case& one, device::TimingDevice& device,
            Options options);

  /// Makes other inputs, which no process has seen, in place of those that were there. What an earlier
  /// process has left somewhere is of no use with them.
  void renew_inputs();

  /// A process that has loaded its object, or why it has not.
  struct Started {
    std::unique_ptr<Attempt> attempt;
    std::optional<ProgramFault> fault;
  };
  /// Starts a process; inputs may be made meanwhile, in another thread.
  Started start(const OpenAttempt& open) const;
  /// Times the calls of a process, and throws it away. All processes between two renewals get the same
  /// inputs, in buffers of their own. Throws device::OutOfMemory where the device has no room for them
  /// without the process either, which `open` starts anew to find out.
  Timing time_started(Started started, const OpenAttempt& open);

  /// The same in halves, for a process that times several cases one after the other.
  static std::optional<ProgramFault> load(const course::Problem& problem, Attempt& attempt);
  /// Unless it `is_checked`, whatever comes out is right: for a plain copy beside solutions.
  Timing time_in(Attempt& attempt, bool is_checked = true);

  std::size_t calls() const { return options_.calls; }  ///< K

  /// Memory of the device that timing a case needs, roughly and without workspaces: what the largest case to
  /// time is chosen by, before its inputs are made.
  static double bytes_needed(const course::Case& one, std::size_t calls);
  /// What the buffers of a process take of that, with the largest workspaces that are allowed.
  double bytes_of_process() const;

 private:
  /// Of some calls together, and of what comes before them.
  struct BatchTime {
    std::chrono::duration<double> calls{0}, preparation{0};
    std::chrono::duration<double> on_device{0};  ///< the calls by events, where inputs are used again
  };
  /// What outputs are not as they should be.
  struct Errors {
    std::uint64_t wrong = 0;   ///< elements
    std::string other_answer;  ///< name of a right answer that is none of Options::answers; empty for none
  };
  /// One call as it is kept on the device, by argument: an address in the vault, or the scalar's bits.
  using KeptCall = std::vector<std::uint64_t>;
  /// Output::nearest_answer of each argument of a call; empty for most.
  using NearestAnswers = std::vector<decltype(course::Output::nearest_answer)>;

  std::size_t contents() const;
  std::size_t sets_of_buffers() const;
  /// Of the call with number `k` of a run whose first inputs are number `first`.
  std::size_t content_of(std::size_t first, std::size_t k) const {
    return options_.fresh_inputs ? first + k : k % sets_of_buffers() % contents();
  }

  course::Call make_call(std::size_t content) const;
  void make_room(const course::Call& call);
  /// Of the calls from number `first` on.
  void make_inputs(std::size_t first);
  void keep(std::size_t content, const course::Call& call);
  void keep_shape(const course::Call& call);
  void allocate_sets(device::Session& session);
  Timing time_batches(Attempt& attempt, bool is_checked);
  std::optional<result::CaseResult> run_calls(Attempt& attempt, std::size_t first, std::size_t n,
                                              bool is_checked, BatchTime& time);
  void fill_buffers(std::size_t first, std::size_t used, bool workspaces);
  std::vector<device::Sampling> samplings(std::size_t first, std::size_t used) const;
  void look_at_outputs(std::size_t n) const;
  /// f(set, argument) for every output of the first n sets.
  template <class F>
  void for_outputs(std::size_t n, F f) const;
  Errors errors_of(Attempt& attempt, std::size_t first, std::size_t used,
                   std::span<const device::Sampling> samples) const;
  /// The name of an input that `used` sets with the contents from `first` on no longer hold; empty for none.
  std::string changed_input(std::size_t first, std::size_t used) const;
  result::CaseResult fault_result(const ProgramFault& fault) const;

  const course::Problem& problem_;
  const course::Case& one_;
  Options options_;
  std::size_t made_at_once_;  ///< calls, on the host
  std::unique_ptr<device::Vault> vault_;
  std::function<course::Call(Random&)> make_call_;
  int renewals_ = 0;
  std::vector<course::Argument> shape_;           ///< kinds, names, types; no data
  std::vector<std::size_t> bytes_;                ///< of each buffer
  std::vector<KeptCall> calls_;                   ///< contents() of them
  std::vector<NearestAnswers> nearest_answers_;   ///< of the same calls
  std::vector<std::vector<std::uint64_t>> sets_;  ///< [set][argument]: the process's buffers
  std::vector<std::uint64_t> workspace_words_;
  std::uint64_t workspace_limit_ = 0;
  std::uint64_t samples_ = 0, expected_sample_ = 0;
};

}  // namespace lockstep::judge
