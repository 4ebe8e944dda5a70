// How long one call of a submission takes on a GPU, by the judge's own clock.
//
// A process is timed over K calls and over 2K calls, which separate what grows with the calls from what does
// not, such as handing the GPU over. The clock stops when the judge itself has seen a sample of what the
// calls left; everything is compared afterwards, on the device. Bound: the start of a process, about 0.3 s,
// and the making of inputs, on the host where the device does not draw them, as often as they are made anew.
// Solutions that are trusted, as those of `bench`, are timed by the device's own events instead.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <future>
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
    /// Opens the reference. A process of its own, which is never timed, then answers the calls of a case with
    /// Case::prepare_inputs and without Output::answer_of_sum; the judge itself makes the answer of the
    /// first, and the reference must give the same. Without it the judge makes all.
    OpenAttempt reference = {};
    std::function<void(const std::string& what, int done, int total)> progress;
  };

  /// The first call of a case, which the host makes without a device.
  struct FirstCall {
    /// `seed` as in Options. `one` stays alive as long as this.
    FirstCall(const course::Case& one, const Seed& seed);
    const course::Case* one;
    std::function<course::Call(Random&)> make;  ///< this call and all others
    course::Call call;
  };
  /// Memory of the host that a call takes while it is made.
  static double host_bytes_needed(const course::Case& one);

  /// Makes the inputs, but those of the first call if they are made already. `one` stays alive as long as the
  /// timer.
  CallTimer(const course::Problem& problem, const course::Case& one, device::TimingDevice& device,
            Options options, std::optional<FirstCall> first = {});

  /// Makes other inputs, which no process has seen, in place of those that were there. What an earlier
  /// process has left somewhere is of no use with them.
  void renew_inputs();

  /// Gives a process a context, and nothing of the submission yet; inputs may be made meanwhile, in another
  /// thread. Throws std::runtime_error where the device gives no context.
  static std::unique_ptr<Attempt> with_context(std::unique_ptr<Attempt> attempt);
  /// Loads the object of a process and times its calls. All processes between two renewals get the same
  /// inputs, in buffers of their own, which the process has lost then. Throws device::OutOfMemory where the
  /// device has no room for them without the process either, which `open` starts anew to find out: `started`
  /// has ended then.
  Timing time_started(std::unique_ptr<Attempt>& started, const OpenAttempt& open);

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
  /// What is the same for all calls that Case::prepare_inputs makes; nothing where the case has none.
  struct PreparedInputs {
    explicit PreparedInputs(const course::Case& one);
    bool are_of_words = false;         ///< there are arrays to draw, all Argument::of_words
    bool has_answers_of_sums = false;  ///< all outputs have Output::answer_of_sum
    std::vector<decltype(course::Output::answer_of_sum)> answers_of_sum;  ///< by argument
  };
  /// What outputs are not as they should be.
  struct Errors {
    std::uint64_t wrong = 0;   ///< elements
    std::string other_answer;  ///< name of a right answer that is none of Options::answers; empty for none
  };
  /// One call as it is kept on the device, by argument: an address in the vault, or the scalar's bits.
  using KeptCall = std::vector<std::uint64_t>;
  /// The reference's process, and its buffers with their sizes by argument.
  struct Answering {
    std::future<std::unique_ptr<Attempt>> starting;  ///< the first one, while the first call is made
    std::unique_ptr<Attempt> attempt;
    std::chrono::steady_clock::time_point started;
    std::vector<std::uint64_t> set;
    std::vector<std::size_t> bytes;
  };
  /// Output::nearest_answer of each argument of a call; empty for most.
  using NearestAnswers = std::vector<decltype(course::Output::nearest_answer)>;

  std::size_t contents() const;
  std::size_t sets_of_buffers() const;
  /// Of the call with number `k` of a run whose first inputs are number `first`.
  std::size_t content_of(std::size_t first, std::size_t k) const {
    return options_.fresh_inputs ? first + k : k % sets_of_buffers() % contents();
  }

  Seed seed_of(std::size_t content) const;
  course::Call make_call(std::size_t content) const;
  void make_room(const course::Call& call);
  /// Of the calls from number `first` on.
  void make_inputs(std::size_t first);
  void keep_bytes(std::size_t content, std::size_t argument, const course::Bytes& bytes);
  void keep(std::size_t content, const course::Call& call);
  /// Likewise what Case::prepare_inputs makes, but what the device draws.
  void keep_inputs(std::size_t content);
  /// Whether the device draws arrays.
  bool is_drawn_there() const { return prepared_.are_of_words && is_drawn(); }
  /// Of the calls from number `first` on.
  void draw_arrays(std::size_t first);
  /// The arrays of a call that the device draws, into the memory of the call with number `place`.
  std::vector<device::Drawing> drawings_of(std::size_t content, std::size_t place) const;
  /// Keeps what must come out of a call, of the sum of what has been drawn for it.
  void keep_answers_of_sum(std::size_t content, double sum);
  /// Has the device draw the first call's arrays, which the host has made, into the memory of the second.
  /// Throws std::logic_error where they differ.
  void compare_drawings();
  /// Whether most calls are what it makes.
  bool is_drawn() const { return prepared_.has_answers_of_sums || is_answered(); }
  /// Whether the reference makes what is expected of them.
  bool is_answered() const {
    return options_.reference && one_.prepare_inputs && !prepared_.has_answers_of_sums;
  }
  /// Has the reference answer all calls. Throws std::runtime_error where it fails, or where the first one,
  /// if `is_first_known`, gets another answer than the judge has made.
  void answer(bool is_first_known);
  /// Starts the process that does so, unless it runs.
  void start_answering();
  void keep_shape(const course::Call& call);
  /// Asks a process how large its workspaces are.
  std::optional<ProgramFault> ask_for_workspace(Attempt& attempt);
  void allocate_sets(device::Session& session);
  /// An address for each argument that is a buffer, 0 for the others.
  std::vector<std::uint64_t> allocate_set(device::Session& session) const;
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
  const PreparedInputs prepared_;
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
  Answering answering_;
};

}  // namespace lockstep::judge
