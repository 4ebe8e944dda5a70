// The rounds of a speed measurement: what its processes are given, and what an earlier one's results are
// worth.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <memory>
#include <numeric>
#include <optional>
#include <set>
#include <vector>

#include "course/numbers.h"
#include "judge/speed.h"
#include "sandbox/temporary_folder.h"
#include "timed_fakes.h"

void negate(const int* in, int* out, int* scratch, int n, CUstream_st* stream);

namespace lockstep::judge {
namespace {

using result::Verdict;
using Numbers = std::vector<std::int32_t>;

constexpr std::size_t kLength = 1000;

Numbers negative(Numbers numbers) {
  std::ranges::transform(numbers, numbers.begin(), std::negate<>());
  return numbers;
}

course::Call negate_call(const Numbers& in, decltype(course::Output::nearest_answer) nearest_answer = {}) {
  course::Output out;
  out.type = course::ElementType::i32;
  out.expected = course::bytes_of(negative(in));
  out.nearest_answer = std::move(nearest_answer);
  course::Call call;
  call.input("in", in).output("out", std::move(out)).output("scratch", {.type = course::ElementType::i32});
  return call.scalar("n", static_cast<int>(in.size())).stream();
}

course::Problem problem_of(std::function<course::Call(Random&)> prepare) {
  course::Problem problem;
  problem.name = "negate";
  problem.function = LOCKSTEP_SIGNATURE(negate);
  problem.speed = course::SpeedTask{.sizes = {{.name = "any",
                                               .prepare = std::move(prepare),
                                               .cost = {.elements = kLength, .global_bytes = 8 * kLength}}},
                                    .reference = {.first_ratio = 0.1}};
  return problem;
}

/// Where twice the negative numbers are right as well.
course::Call negate_or_double_call(const Numbers& in) {
  Numbers doubled = in;
  for (std::int32_t& number : doubled) number *= -2;
  return negate_call(in, [negated = negative(in), doubled](std::span<const std::byte> found) {
    const bool is_doubled = std::ranges::equal(found, course::bytes_of(doubled));
    return is_doubled ? course::Answer{course::bytes_of(doubled), "doubled"}
                      : course::Answer{course::bytes_of(negated), "negated"};
  });
}

/// What a process finds in its inputs, call by call.
using Seen = std::vector<Numbers>;

class SpeedRounds : public testing::Test {
 protected:
  SpeedMeasurement measure(const course::Problem& problem, const FakeProgram& submission,
                           const course::Baseline& baseline = {.first_ratio = 0.1}) {
    const auto opens = [this](const FakeProgram& program, std::vector<Seen>& seen) -> OpenAttempt {
      return [this, program, &seen] {
        // Processes are opened side by side, and called one after the other.
        const FakeProgram watched = [program, &seen, process = std::optional<std::size_t>()](
                                        FakeSession& session, const std::string& function,
                                        std::span<const std::uint64_t> words) mutable {
          if (!process) {
            process = seen.size();
            seen.emplace_back();
          }
          const auto* const in = session.pointer<std::int32_t>(words[0], kLength);
          seen[*process].emplace_back(in, in + kLength);
          return program(session, function, words);
        };
        return std::make_unique<FakeTimedAttempt>(device_.gpu, watched, std::chrono::milliseconds(10));
      };
    };
    return measure_speed(
        problem, device_, opens(submission, of_submission_), opens(reference_, of_reference_),
        {.seed = seed_of(7), .calibrations = folder_.path() / "calibration", .baseline = baseline});
  }

  static runner::Outcome negates(FakeSession& session, const std::string&,
                                 std::span<const std::uint64_t> words) {
    const auto* const in = session.pointer<std::int32_t>(words[0], kLength);
    std::transform(in, in + kLength, session.pointer<std::int32_t>(words[1], kLength), std::negate<>());
    return {};
  }

  /// In one element of one call, of a later process.
  static FakeProgram wrong_once() {
    return [calls = std::make_shared<int>(0)](FakeSession& session, const std::string& function,
                                              std::span<const std::uint64_t> words) {
      const runner::Outcome outcome = negates(session, function, words);
      if (++*calls == 77) ++*session.pointer<std::int32_t>(words[1], kLength);
      return outcome;
    };
  }

  /// Wrong in the call of this number, counted from 1.
  static FakeProgram adds_up(int wrong_call = 0) {
    return [wrong_call, calls = std::make_shared<int>(0)](FakeSession& session, const std::string&,
                                                          std::span<const std::uint64_t> words) {
      const auto* const in = session.pointer<float>(words[0], kLength);
      const double sum = std::accumulate(in, in + kLength, 0.0);
      *session.pointer<float>(words[1], 1) = static_cast<float>(sum) + (++*calls == wrong_call ? 1 : 0);
      return runner::Outcome();
    };
  }

  FakeProgram reference_ = negates;
  sandbox::TemporaryFolder folder_{std::filesystem::temp_directory_path(), "speed-"};
  FakeTimingDevice device_;
  std::vector<Seen> of_submission_, of_reference_;
};

course::Call any_call(Random& random) { return negate_call(random.integers(kLength, 1, 1'000'000)); }

TEST_F(SpeedRounds, ACeilingIsMeasuredOnceAndKept) {
  const course::Problem problem = problem_of(any_call);
  for (int run = 0; run < 2; ++run) {
    const SpeedMeasurement measurement = measure(problem, negates);
    EXPECT_THAT(device_.measured, testing::ElementsAre(result::Quantity::copied_bytes)) << "run " << run;
    EXPECT_EQ(measurement.complaint, "");
    ASSERT_TRUE(measurement.speed.ceiling);
    EXPECT_EQ(measurement.speed.ceiling->name, "copied-bytes");
    EXPECT_EQ(measurement.speed.ceiling->rate, FakeCalibrator::kRate);
    EXPECT_EQ(measurement.speed.ceiling_share,
              8 * kLength / FakeCalibrator::kRate / *measurement.speed.call_seconds);
  }
}

TEST_F(SpeedRounds, FiguresThatCannotBeKeptAreOfUseOnce) {
  std::ofstream(folder_.path() / "calibration") << "a file where the folder should be";
  const SpeedMeasurement measurement = measure(problem_of(any_call), negates);
  EXPECT_THAT(measurement.complaint, testing::HasSubstr("not kept"));
  EXPECT_TRUE(measurement.speed.ceiling_share);
}

TEST_F(SpeedRounds, NoTwoProcessesOfASubmissionSeeTheSameInput) {
  const SpeedMeasurement measurement = measure(problem_of(any_call), negates);
  EXPECT_FALSE(measurement.fault);
  ASSERT_GE(of_submission_.size(), 6U);
  std::set<Numbers> all;
  std::size_t calls = 0;
  for (const Seen& seen : of_submission_) {
    calls += seen.size();
    all.insert(seen.begin(), seen.end());
  }
  EXPECT_EQ(all.size(), calls);
}

TEST_F(SpeedRounds, TheReferenceOfARoundDoesTheSameWork) {
  measure(problem_of(any_call), negates);
  EXPECT_EQ(of_submission_, of_reference_);
}

TEST_F(SpeedRounds, WhoReplaysAnEarlierProcessIsWrong) {
  std::vector<Numbers> left;  // by the first process, where later ones find it
  std::size_t call = 0;
  const SpeedMeasurement measurement =
      measure(problem_of(any_call),
              [&](FakeSession& session, const std::string& function, std::span<const std::uint64_t> words) {
                auto* const out = session.pointer<std::int32_t>(words[1], kLength);
                if (of_submission_.size() == 1) {
                  negates(session, function, words);
                  left.emplace_back(out, out + kLength);
                } else {
                  std::copy_n(left[call++ % left.size()].begin(), kLength, out);
                }
                return runner::Outcome();
              });
  ASSERT_TRUE(measurement.fault);
  EXPECT_EQ(measurement.fault->verdict, Verdict::wrong_answer);
  EXPECT_EQ(of_submission_.size(), 2U);
}

TEST_F(SpeedRounds, TheSpeedOfTheBaselineEarnsAllPoints) {
  const SpeedMeasurement measurement = measure(problem_of(any_call), negates);
  EXPECT_EQ(measurement.speed.baseline, "reference");
  EXPECT_GT(measurement.speed.ratio, 0.9) << "both take as long; what the test's machine delays counts";
  EXPECT_EQ(measurement.speed.points_share, 1);
}

TEST_F(SpeedRounds, BesideARungTheAnswersAreThoseOfTheMeasuredCase) {
  const course::Problem problem = problem_of(
      [](Random& random) { return negate_or_double_call(random.integers(kLength, 1, 1'000'000)); });
  const auto doubles = [](FakeSession& session, const std::string& function,
                          std::span<const std::uint64_t> words) {
    const runner::Outcome outcome = negates(session, function, words);
    for (std::int32_t& number : std::span(session.pointer<std::int32_t>(words[1], kLength), kLength))
      number *= 2;
    return outcome;
  };
  EXPECT_FALSE(measure(problem, doubles).fault) << "beside the reference any right answer will do";
  const course::Baseline rung{.first_ratio = 0.1, .rung = "slower", .answers = {"negated", "another"}};
  const SpeedMeasurement same = measure(problem, negates, rung);
  EXPECT_FALSE(same.fault);
  EXPECT_EQ(same.speed.baseline, "slower");
  const SpeedMeasurement other = measure(problem, doubles, rung);
  ASSERT_TRUE(other.fault);
  EXPECT_EQ(other.fault->verdict, Verdict::wrong_answer);
  EXPECT_THAT(other.fault->message,
              testing::HasSubstr("the answer is that of doubled, unlike in the measured case"));
}

TEST_F(SpeedRounds, ASlowGpuIsTimedOverFewerCalls) {
  const auto calls_of_process = [this](double bytes_per_second) {
    of_submission_.clear();
    std::filesystem::remove_all(folder_.path() / "calibration");
    device_.rate = bytes_per_second;
    measure(problem_of(any_call), negates);
    return of_submission_.at(0).size();
  };
  // One that is not timed, K and 2K; a call copies 8000 bytes, and K calls shall take a millisecond.
  EXPECT_EQ(calls_of_process(8000 / 1e-6), 1U + 3 * 16);
  EXPECT_EQ(calls_of_process(8000 / 0.124e-3), 1U + 3 * 9);
  EXPECT_EQ(calls_of_process(8000 / 1.0), 1U + 3 * 4);
}

TEST_F(SpeedRounds, CallsThatDifferInSizeAreAFaultOfTheProblem) {
  EXPECT_THROW(measure(problem_of([](Random& random) {
                         return negate_call(random.integers(kLength + random.bits() % 2, 1, 9));
                       }),
                       negates),
               std::logic_error);
}

/// Whose timed calls are answered by the reference.
course::Problem problem_with_drawn_inputs(int& prepared) {
  course::Problem problem = problem_of([&prepared](Random& random) {
    ++prepared;
    return any_call(random);
  });
  problem.speed->sizes[0].prepare_inputs = [](Random& random) {
    course::Call call;
    call.drawn_input("in", course::draw_of_words<[](std::uint32_t word) {
                       return static_cast<std::int32_t>(1 + (word * std::uint64_t{1'000'000} >> 32));
                     }>(random));
    call.output("out", {.type = course::ElementType::i32});
    call.output("scratch", {.type = course::ElementType::i32});
    call.scalar("n", static_cast<int>(kLength)).stream();
    return call;
  };
  return problem;
}

TEST_F(SpeedRounds, TheReferenceAnswersWhatTheJudgeOnlyDraws) {
  int prepared = 0;
  const SpeedMeasurement measurement = measure(problem_with_drawn_inputs(prepared), negates);
  EXPECT_FALSE(measurement.fault);
  EXPECT_EQ(prepared, 1) << "for the shape of all calls, and to check the reference's first answer";
  const std::size_t rounds = of_submission_.size();
  ASSERT_EQ(of_reference_.size(), rounds + 1) << "one process of it answers, and is not timed";
  EXPECT_EQ(of_reference_[0].size(), rounds * of_submission_[0].size());
  Seen by_submissions;
  for (const Seen& seen : of_submission_)
    by_submissions.insert(by_submissions.end(), seen.begin(), seen.end());
  EXPECT_EQ(of_reference_[0], by_submissions);
}

TEST_F(SpeedRounds, WhoDiffersFromTheReferencesAnswerIsWrong) {
  int prepared = 0;
  const SpeedMeasurement measurement = measure(problem_with_drawn_inputs(prepared), wrong_once());
  ASSERT_TRUE(measurement.fault);
  EXPECT_EQ(measurement.fault->verdict, Verdict::wrong_answer);
}

/// Whose answer is the sum of what is drawn: on the device, or by the host.
course::Problem problem_of_sums(bool is_drawn_there, int& prepared) {
  constexpr std::uint32_t kBound = 1 << 17;
  const auto call_of = [](course::Call call, course::Output out, course::Output scratch = {}) {
    call.output("out", std::move(out)).output("scratch", std::move(scratch));
    return call.scalar("n", static_cast<int>(kLength)).stream();
  };
  course::Problem problem = problem_of([&prepared, call_of](Random& random) {
    ++prepared;
    std::vector<float> in(kLength);
    for (float& number : in) number = course::fraction(random.word(), kBound);
    const std::vector<float> sum{static_cast<float>(std::accumulate(in.begin(), in.end(), 0.0))};
    course::Call call;
    call.input("in", in);
    return call_of(std::move(call), {.expected = course::bytes_of(sum)});
  });
  problem.speed->sizes[0].prepare_inputs = [is_drawn_there, call_of](Random& random) {
    course::Call call;
    if (is_drawn_there) {
      call.drawn_words<course::WordMap::fraction>("in", random, kBound);
    } else {
      call.drawn_input(
          "in",
          course::draw_of_words<[](std::uint32_t word) { return course::fraction(word, kBound); }>(random));
    }
    course::Output out, scratch;
    scratch.answer_of_sum = [](double) { return course::Bytes(); };
    out.answer_of_sum = [](double sum) { return course::bytes_of(std::vector{static_cast<float>(sum)}); };
    return call_of(std::move(call), std::move(out), std::move(scratch));
  };
  return problem;
}

TEST_F(SpeedRounds, WhatIsKnownOfTheSumOfInputsNoProcessAnswers) {
  for (const bool is_drawn_there : {false, true}) {
    reference_ = adds_up();
    of_submission_.clear();
    of_reference_.clear();
    int prepared = 0;
    EXPECT_FALSE(measure(problem_of_sums(is_drawn_there, prepared), adds_up()).fault);
    EXPECT_EQ(prepared, 1) << "for the shape of all calls";
    EXPECT_EQ(of_reference_.size(), of_submission_.size());
  }
}

TEST_F(SpeedRounds, WhoDiffersFromTheSumOfInputsIsWrong) {
  for (const bool is_drawn_there : {false, true}) {
    reference_ = adds_up();
    int prepared = 0;
    const SpeedMeasurement measurement = measure(problem_of_sums(is_drawn_there, prepared), adds_up(77));
    ASSERT_TRUE(measurement.fault);
    EXPECT_EQ(measurement.fault->verdict, Verdict::wrong_answer);
  }
}

TEST_F(SpeedRounds, AReferenceThatDiffersFromTheJudgesAnswerEndsTheMeasurement) {
  int prepared = 0;
  const auto copies = [](FakeSession& session, const std::string&, std::span<const std::uint64_t> words) {
    std::copy_n(session.pointer<std::int32_t>(words[0], kLength), kLength,
                session.pointer<std::int32_t>(words[1], kLength));
    return runner::Outcome();
  };
  reference_ = copies;
  EXPECT_THAT([&] { measure(problem_with_drawn_inputs(prepared), copies); },
              testing::ThrowsMessage<std::runtime_error>(
                  testing::HasSubstr("the reference's out at any is not what must come out")));
}

/// Whose timed calls the device draws, after a word that the host draws.
course::Problem problem_of_words(int& prepared) {
  course::Problem problem = problem_of([&prepared](Random& random) {
    ++prepared;
    random.word();
    return negate_call(signed_integers_of_words(kLength, random));
  });
  problem.speed->sizes[0].prepare_inputs = [](Random& random) {
    random.word();
    course::Call call;
    call.drawn_words<course::WordMap::signed_integer>("in", random);
    call.output("out", {.type = course::ElementType::i32});
    call.output("scratch", {.type = course::ElementType::i32});
    return call.scalar("n", static_cast<int>(kLength)).stream();
  };
  return problem;
}

TEST_F(SpeedRounds, WhatTheDeviceDrawsDiffersFromCallToCall) {
  int prepared = 0;
  EXPECT_FALSE(measure(problem_of_words(prepared), negates).fault);
  EXPECT_EQ(prepared, 1) << "for the shape of all calls, and to check what the device draws";
  Seen all;
  for (const Seen& seen : of_submission_) all.insert(all.end(), seen.begin(), seen.end());
  EXPECT_EQ(of_reference_.at(0), all);
  std::sort(all.begin(), all.end());
  EXPECT_EQ(std::adjacent_find(all.begin(), all.end()), all.end());
}

TEST_F(SpeedRounds, ADeviceThatDrawsOtherwiseThanTheHostEndsTheMeasurement) {
  int prepared = 0;
  device_.gpu.draws_wrong = true;
  EXPECT_THAT([&] { measure(problem_of_words(prepared), negates); },
              testing::ThrowsMessage<std::logic_error>(
                  testing::HasSubstr("the device draws in of any otherwise than the host")));
}

TEST_F(SpeedRounds, ContextsAreMadeBeforeAnythingIsLoadedAndOneProcessRunsAtATime) {
  const SpeedMeasurement measurement = measure(problem_of(any_call), negates);
  EXPECT_FALSE(measurement.fault);
  constexpr std::size_t kPlanned = 6;  // rounds
  std::size_t opened = 0, settled = 0, contexts = 0, loads = 0;
  std::string loaded;  // the process that has code to run
  for (const std::string& event : device_.gpu.events) {
    const std::string number = event.substr(event.find(' ') + 1);
    if (event.starts_with("open ")) ++opened;
    if (event.starts_with("settle ")) ++settled;
    if (event.starts_with("context ")) ++contexts;
    if (event.starts_with("load ")) {
      if (contexts < 2 * kPlanned) {
        EXPECT_EQ(opened, contexts + 2) << "those of the next round, which is certain";
        EXPECT_EQ(settled, opened) << "the driver starts beside nothing that is timed";
      }
      EXPECT_EQ(loaded, "") << "has not ended when " << number << " is loaded";
      EXPECT_EQ(contexts, 2 * (loads / 2 + 1)) << "both of a round, before the first has code";
      loaded = number;
      ++loads;
    }
    if (event == "end " + loaded) loaded.clear();
  }
  EXPECT_GE(loads, 2 * kPlanned);
  EXPECT_EQ(opened, loads) << "none in vain";
}

TEST_F(SpeedRounds, TheFirstCallIsMadeWhileOthersMayHaveTheGpu) {
  const SpeedMeasurement measurement = measure(problem_of([this](Random& random) {
                                                 device_.gpu.note("prepare", 0);
                                                 return any_call(random);
                                               }),
                                               negates);
  EXPECT_FALSE(measurement.fault);
  const std::vector<std::string>& events = device_.gpu.events;
  ASSERT_GE(events.size(), 2U);
  EXPECT_EQ(events[0], "prepare 0");
  EXPECT_EQ(events[1], "lock 0");
  const auto calls = static_cast<std::ptrdiff_t>(of_submission_.size() * of_submission_[0].size());
  EXPECT_EQ(std::ranges::count(events, "prepare 0"), calls) << "each once";
}

TEST_F(SpeedRounds, WhereOneMoreContextHasNoRoomProcessesStartInTurnAndTheJudgeAnswers) {
  // K is 4, so that a process has 8 sets of 3 buffers of 2 MiB: 50 MB. 0.8 of what is free may be used.
  device_.context = 100'000'000;
  device_.free = 250'000'000;
  int prepared = 0;
  EXPECT_FALSE(measure(problem_with_drawn_inputs(prepared), negates).fault);
  EXPECT_EQ(prepared, static_cast<int>(of_submission_.size() * of_submission_[0].size()));
  EXPECT_EQ(of_reference_.size(), of_submission_.size());
  std::vector<std::string> events = device_.gpu.events;
  std::erase_if(events, [](const std::string& one) {
    return one.starts_with("open ") || one.starts_with("settle ") || one == "lock 0";
  });
  ASSERT_EQ(events.size(), of_submission_.size() * 6);
  for (std::size_t process = 0; process < events.size(); process += 3) {
    ASSERT_THAT(events[process], testing::StartsWith("context "));
    const std::string number = events[process].substr(8);
    EXPECT_EQ(events[process + 1], "load " + number);
    EXPECT_EQ(events[process + 2], "end " + number);
  }
}

TEST_F(SpeedRounds, WhatCallsShareIsMadeOnce) {
  int made = 0;
  course::Problem problem = problem_of({});
  problem.speed->sizes[0].prepare_many = [&made](Random& random) -> std::function<course::Call(Random&)> {
    ++made;
    const Numbers shared = random.integers(kLength, 1, 1'000'000);
    return [shared](Random& own) {
      Numbers in = shared;
      in[0] = own.integer(1, 1 << 30);
      return negate_call(in);
    };
  };
  EXPECT_FALSE(measure(problem, negates).fault);
  EXPECT_EQ(made, 1);
  EXPECT_NE(of_submission_[0], of_submission_[1]);
}

}  // namespace
}  // namespace lockstep::judge
