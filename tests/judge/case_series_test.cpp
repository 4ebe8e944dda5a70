// The flow over calls and cases: fresh inputs, poisoned outputs, lost attempts, and time that runs out.
#include "judge/case_series.h"

#include <gmock/gmock.h>

#include <numeric>
#include <set>
#include <sstream>
#include <thread>

#include "fakes.h"

void negate(const int* in, int* out, int* scratch, int n, CUstream_st* stream);
std::size_t negate_workspace_bytes(int n);

namespace lockstep::judge {
namespace {

using result::Verdict;
using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::SizeIs;
using OutcomeKind = runner::Outcome::Kind;

course::Case case_of(int n) {
  course::Case one;
  one.name = "n = " + std::to_string(n);
  one.prepare = [n](Random& random) {
    const std::vector<std::int32_t> in = random.integers(static_cast<std::size_t>(n), 1, 1000);
    std::vector<std::int32_t> expected(in.size());
    std::transform(in.begin(), in.end(), expected.begin(), std::negate<>());
    course::Output out;
    out.type = course::ElementType::i32;
    out.expected = course::bytes_of(expected);
    return course::Call().input("in", in).output("out", out).workspace("scratch").scalar("n", n).stream();
  };
  return one;
}

course::Problem negate_problem(const std::vector<int>& sizes) {
  course::Problem problem;
  problem.name = "negate";
  problem.function = LOCKSTEP_SIGNATURE(negate);
  problem.workspace =
      course::WorkspaceQuery{.function = LOCKSTEP_SIGNATURE(negate_workspace_bytes),
                             .arguments =
                                 [](const course::Call& call) {
                                   return std::vector<std::uint64_t>{call.arguments()[3].scalar_bits};
                                 },
                             .limit_bytes = [](const course::Call&) { return std::uint64_t{64}; }};
  for (const int n : sizes) problem.cases.push_back(case_of(n));
  return problem;
}

/// The words of a call of negate.
struct Words {
  explicit Words(std::span<const std::uint64_t> words)
      : in(words[0]), out(words[1]), scratch(words[2]), n(static_cast<std::size_t>(words[3])) {}
  std::uint64_t in, out, scratch;
  std::size_t n;
};

runner::Outcome right(FakeSession& session, const std::string& function,
                      std::span<const std::uint64_t> words) {
  if (function == "negate_workspace_bytes") return {.value = 16};
  const Words call(words);
  const auto* in = session.pointer<std::int32_t>(call.in, call.n);
  auto* out = session.pointer<std::int32_t>(call.out, call.n);
  for (std::size_t i = 0; i < call.n; ++i) out[i] = -in[i];
  return {};
}

/// `program` for every call of negate, the right answer for the size of its workspace.
FakeProgram calls(FakeProgram program) {
  return [program](FakeSession& session, const std::string& function, std::span<const std::uint64_t> words) {
    return function == "negate" ? program(session, function, words) : right(session, function, words);
  };
}

class Series : public testing::Test {
 protected:
  CaseSeries run(const course::Problem& problem, const FakeProgram& program) {
    const OpenAttempt open = [&] {
      ++opened_;
      return std::make_unique<FakeAttempt>(program, opened_ > 1 && stays_full_);
    };
    return run_cases(problem, open, SourceText("none.cu", ""), options_);
  }

  SeriesOptions options_{.seed = seed_of(42)};
  int opened_ = 0;
  bool stays_full_ = false;  ///< the device, also for later attempts
};

std::vector<Verdict> verdicts(const CaseSeries& series) {
  std::vector<Verdict> result;
  for (const result::CaseResult& one : series.cases) result.push_back(one.verdict);
  return result;
}

TEST_F(Series, RightProgramPassesEveryCaseInOneAttempt) {
  const CaseSeries series = run(negate_problem({0, 1, 33, 1000}), right);
  EXPECT_THAT(verdicts(series), testing::AllOf(SizeIs(4), Each(Verdict::passed)));
  EXPECT_EQ(opened_, 1);
  EXPECT_EQ(series.output, "printed");
}

TEST_F(Series, FurtherCasesFollowOnTheProblemsOwn) {
  const std::vector<course::Case> further = {case_of(5)};
  options_.further_cases = {&further.front()};
  options_.only_measured = true;
  course::Problem problem = negate_problem({3, 4});
  problem.cases[1].measured = true;
  std::vector<std::string> names;
  for (const result::CaseResult& one : run(problem, right).cases) names.push_back(one.name);
  EXPECT_THAT(names, ElementsAre("n = 4", "n = 5"));
}

TEST_F(Series, WhatIsPrintedIsOfTheCaseThatPrintsIt) {
  const CaseSeries series =
      run(negate_problem({1, 2, 3}),
          calls([](FakeSession& session, const std::string& f, std::span<const std::uint64_t> w) {
            if (Words(w).n != 2) session.printed += "n is " + std::to_string(Words(w).n) + '\n';
            return right(session, f, w);
          }));
  std::vector<std::string> outputs;
  for (const result::CaseResult& one : series.cases) outputs.push_back(one.output);
  EXPECT_THAT(outputs, ElementsAre("n is 1\nn is 1\n", "", "n is 3\nn is 3\n"));
}

TEST_F(Series, OneCaseAloneIsShownWithWhatItWasGivenAndLeft) {
  options_.only_case = "n = 3";
  std::vector<std::string> given;
  const CaseSeries series =
      run(negate_problem({2, 3, 4}),
          calls([&](FakeSession& session, const std::string&, std::span<const std::uint64_t> w) {
            const auto* in = session.pointer<std::int32_t>(Words(w).in, 3);
            given = {std::to_string(in[0]), std::to_string(in[1]), std::to_string(in[2])};
            return runner::Outcome{};  // and leaves the output as it was
          }));
  ASSERT_THAT(series.cases, SizeIs(1));
  ASSERT_TRUE(series.cases[0].shown);
  const result::ShownCall& shown = *series.cases[0].shown;
  EXPECT_EQ(shown.call, 1) << "the first that was wrong";
  EXPECT_EQ(shown.calls, 2);
  ASSERT_THAT(shown.arguments, SizeIs(3)) << "neither workspace nor stream";
  EXPECT_EQ(shown.arguments[0].name, "in");
  EXPECT_EQ(shown.arguments[0].type, "int");
  EXPECT_EQ(shown.arguments[0].size, 3U);
  EXPECT_EQ(shown.arguments[0].values, given);
  EXPECT_THAT(shown.arguments[1].values, ElementsAre("-" + given[0], "-" + given[1], "-" + given[2]));
  EXPECT_THAT(shown.arguments[1].found, Each(std::string("never written")));
  EXPECT_THAT(shown.arguments[2].values, ElementsAre("3"));
}

TEST_F(Series, OfALargeCallTheFirstNumbersAreShown) {
  options_.only_case = "n = 65";
  const result::ShownCall large = run(negate_problem({64, 65}), right).cases.at(0).shown.value();
  EXPECT_EQ(large.call, 2) << "the last";
  EXPECT_EQ(large.arguments[1].size, 65U);
  EXPECT_THAT(large.arguments[1].found, SizeIs(16));
  EXPECT_EQ(large.arguments[1].found, large.arguments[1].values);
  options_.only_case = "n = 64";
  EXPECT_THAT(run(negate_problem({64, 65}), right).cases.at(0).shown.value().arguments[0].values, SizeIs(64));
}

TEST_F(Series, EveryCallHasFreshInputsAtTheSameAddresses) {
  std::set<std::vector<std::int32_t>> inputs;
  std::set<std::uint64_t> addresses;
  run(negate_problem({8}),
      calls([&](FakeSession& session, const std::string& f, std::span<const std::uint64_t> w) {
        const Words call(w);
        const auto* in = session.pointer<std::int32_t>(call.in, call.n);
        inputs.emplace(in, in + call.n);
        addresses.insert(call.in);
        return right(session, f, w);
      }));
  EXPECT_EQ(inputs.size(), 2U);
  EXPECT_EQ(addresses.size(), 1U);
}

TEST_F(Series, SameSeedSameInputsOtherSeedOthers) {
  const auto inputs_of = [&](std::uint64_t seed) {
    options_.seed = seed_of(seed);
    std::vector<std::int32_t> inputs;
    run(negate_problem({8, 9}),
        calls([&](FakeSession& session, const std::string& f, std::span<const std::uint64_t> w) {
          const Words call(w);
          const auto* in = session.pointer<std::int32_t>(call.in, call.n);
          inputs.insert(inputs.end(), in, in + call.n);
          return right(session, f, w);
        }));
    return inputs;
  };
  EXPECT_EQ(inputs_of(1), inputs_of(1));
  EXPECT_NE(inputs_of(1), inputs_of(2));
}

course::Picture sums_of_pairs() {
  return {.case_name = "n = 3", .ending = "svg", .draw = [](const course::Shown& shown) {
            std::ostringstream drawn;
            drawn << shown.scalar<int>("n") << ':';
            const auto in = shown.numbers<std::int32_t>("in"), out = shown.numbers<std::int32_t>("out");
            for (std::size_t i = 0; i < in.size(); ++i) drawn << ' ' << in.at(i) + out.at(i);
            return drawn.str();
          }};
}

/// One case of three numbers, of which all sevens are as right as their negatives.
course::Problem negate_or_sevens() {
  course::Problem problem = negate_problem({3});
  problem.cases[0].prepare = [](Random& random) {
    const std::vector<std::int32_t> in = random.integers(3, 1, 1000), sevens(3, 7);
    const std::vector<std::int32_t> negatives = {-in[0], -in[1], -in[2]};
    course::Output out;
    out.type = course::ElementType::i32;
    out.expected = course::bytes_of(negatives);
    out.nearest_answer = [negatives = out.expected, sevens = course::bytes_of(sevens)](
                             std::span<const std::byte> found) -> course::Answer {
      if (std::equal(found.begin(), found.begin() + 4, sevens.begin()))
        return {sevens, "sevens", "not negative"};
      return {negatives, "negatives"};
    };
    return course::Call().input("in", in).output("out", out).workspace("scratch").scalar("n", 3).stream();
  };
  return problem;
}

TEST_F(Series, AnyOfSeveralAnswersIsRightButNoMixture) {
  const auto writes = [&](std::vector<std::int32_t> values) {
    return run(negate_or_sevens(),
               calls([values](FakeSession& session, const std::string& f, std::span<const std::uint64_t> w) {
                 const runner::Outcome outcome = right(session, f, w);
                 std::copy(values.begin(), values.end(), session.pointer<std::int32_t>(Words(w).out, 3));
                 return outcome;
               }));
  };
  EXPECT_THAT(verdicts(writes({})), ElementsAre(Verdict::passed));
  EXPECT_EQ(writes({}).cases.at(0).remark, "");
  EXPECT_THAT(verdicts(writes({7, 7, 7})), ElementsAre(Verdict::passed));
  EXPECT_EQ(writes({7, 7, 7}).cases.at(0).remark, "not negative");
  EXPECT_EQ(writes({7, 7, 7}).cases.at(0).answer, "sevens");
  EXPECT_EQ(writes({7, 7, 7}).cases.at(0).calls, 2);
  int call = 0;
  const auto first_alone =
      run(negate_or_sevens(),
          calls([&call](FakeSession& session, const std::string& f, std::span<const std::uint64_t> w) {
            const runner::Outcome outcome = right(session, f, w);
            if (f == "negate" && ++call == 1)
              std::fill_n(session.pointer<std::int32_t>(Words(w).out, 3), 3, 7);
            return outcome;
          }));
  EXPECT_THAT(verdicts(first_alone), ElementsAre(Verdict::passed));
  EXPECT_EQ(first_alone.cases.at(0).remark, "not negative")
      << "though nothing is to be said of the second call";
  const CaseSeries mixture = writes({7, 7});
  EXPECT_THAT(verdicts(mixture), ElementsAre(Verdict::wrong_answer));
  EXPECT_THAT(mixture.cases.at(0).message,
              testing::HasSubstr("is wrong, compared with sevens, the nearest of the right answers"));
  EXPECT_EQ(mixture.cases.at(0).remark, "") << "of a right answer alone";
  EXPECT_EQ(mixture.cases.at(0).answer, "");
}

TEST_F(Series, OfSeveralAnswersTheNearestIsShown) {
  options_.only_case = "n = 3";
  const CaseSeries series =
      run(negate_or_sevens(),
          calls([](FakeSession& session, const std::string&, std::span<const std::uint64_t> w) {
            std::fill_n(session.pointer<std::int32_t>(Words(w).out, 3), 3, 7);
            return runner::Outcome{};
          }));
  EXPECT_THAT(series.cases.at(0).shown.value().arguments.at(1).values, Each("7"));
}

TEST_F(Series, DrawsWhatTheLastCallOfItsCaseLeft) {
  course::Problem problem = negate_problem({2, 3, 4});
  problem.picture = sums_of_pairs();
  EXPECT_FALSE(run(problem, right).picture) << "drawn although nobody asked";
  options_.draw = true;
  const CaseSeries series = run(problem, right);
  ASSERT_TRUE(series.picture);
  EXPECT_EQ(series.picture->contents, "3: 0 0 0");
  EXPECT_EQ(series.picture->ending, "svg");
}

TEST_F(Series, DrawsWrongOutputsToo) {
  course::Problem problem = negate_problem({3});
  problem.picture = sums_of_pairs();
  options_.draw = true;
  const CaseSeries series =
      run(problem, calls([&](FakeSession& session, const std::string& f, std::span<const std::uint64_t> w) {
            const runner::Outcome outcome = right(session, f, w);
            session.pointer<std::int32_t>(Words(w).out, 3)[1] += 7;
            return outcome;
          }));
  EXPECT_THAT(verdicts(series), ElementsAre(Verdict::wrong_answer));
  ASSERT_TRUE(series.picture);
  EXPECT_EQ(series.picture->contents, "3: 0 7 0");
}

TEST_F(Series, WhatCannotBeDrawnIsNoFaultOfTheGrader) {
  course::Problem problem = negate_problem({3});
  problem.picture = sums_of_pairs();
  problem.picture->draw = [](const course::Shown& shown) -> std::string {
    return std::to_string(shown.scalar<int>("m"));
  };
  options_.draw = true;
  const CaseSeries series = run(problem, right);
  EXPECT_THAT(verdicts(series), ElementsAre(Verdict::passed));
  ASSERT_TRUE(series.picture);
  EXPECT_EQ(series.picture->contents, "");
  EXPECT_THAT(series.picture->complaint, HasSubstr("no scalar m"));
}

TEST_F(Series, OutputsAndWorkspaceArePoisonedBeforeEveryCall) {
  bool poisoned = true;
  run(negate_problem({8}),
      calls([&](FakeSession& session, const std::string& f, std::span<const std::uint64_t> w) {
        const Words call(w);
        for (const auto& [address, bytes] : {std::pair(call.out, 32), std::pair(call.scratch, 16)}) {
          const auto* first = session.pointer<std::byte>(address, static_cast<std::size_t>(bytes));
          poisoned = poisoned && std::all_of(first, first + bytes,
                                             [](std::byte byte) { return byte == device::kPoisonByte; });
          std::fill(session.pointer<std::byte>(address, 1), session.pointer<std::byte>(address, 1) + bytes,
                    std::byte{0});
        }
        return right(session, f, w);
      }));
  EXPECT_TRUE(poisoned);
}

FakeProgram hoards() {
  return calls([](FakeSession& session, const std::string& f, std::span<const std::uint64_t> w) {
    session.is_full = true;
    return right(session, f, w);
  });
}

TEST_F(Series, WhoLeavesNoMemoryToTheJudgeFails) {
  const CaseSeries series = run(negate_problem({3, 4}), hoards());
  EXPECT_THAT(verdicts(series), ElementsAre(Verdict::passed, Verdict::memory_limit));
  EXPECT_THAT(series.cases[1].message, HasSubstr("none is left for the inputs"));
}

TEST_F(Series, ADeviceThatIsFullWithoutTheProgramIsNoFaultOfTheStudent) {
  stays_full_ = true;
  EXPECT_THAT(verdicts(run(negate_problem({3, 4}), hoards())),
              ElementsAre(Verdict::passed, Verdict::grader_error));
}

TEST_F(Series, RepeatingTheFirstAnswerFailsTheSecondCall) {
  std::vector<std::int32_t> remembered;
  const CaseSeries series =
      run(negate_problem({8}),
          calls([&](FakeSession& session, const std::string& f, std::span<const std::uint64_t> w) {
            const Words call(w);
            auto* out = session.pointer<std::int32_t>(call.out, call.n);
            if (remembered.empty()) {
              right(session, f, w);
              remembered.assign(out, out + call.n);
            }
            std::copy(remembered.begin(), remembered.end(), out);
            return runner::Outcome{};
          }));
  EXPECT_THAT(verdicts(series), ElementsAre(Verdict::wrong_answer));
  EXPECT_THAT(series.cases[0].message, HasSubstr("in call 2"));
}

TEST_F(Series, ChangedInputFails) {
  const CaseSeries series =
      run(negate_problem({8}),
          calls([](FakeSession& session, const std::string& f, std::span<const std::uint64_t> w) {
            right(session, f, w);
            ++*session.pointer<std::int32_t>(Words(w).in, 1);
            return runner::Outcome{};
          }));
  EXPECT_THAT(verdicts(series), ElementsAre(Verdict::wrong_answer));
  EXPECT_THAT(series.cases[0].message, HasSubstr("changed its input in"));
}

TEST_F(Series, ALargeInputIsLookedAtToItsEnd) {
  constexpr int kLength = 5 << 18;  // five mebibytes, which are not read at once
  const CaseSeries series =
      run(negate_problem({kLength}),
          calls([](FakeSession& session, const std::string& f, std::span<const std::uint64_t> w) {
            right(session, f, w);
            session.pointer<std::int32_t>(Words(w).in, kLength)[kLength - 1] ^= 1;
            return runner::Outcome{};
          }));
  EXPECT_THAT(verdicts(series), ElementsAre(Verdict::wrong_answer));
  EXPECT_THAT(series.cases[0].message, HasSubstr("changed its input in"));
}

TEST_F(Series, TooMuchWorkspaceIsRefusedBeforeTheCall) {
  int called = 0;
  const CaseSeries series = run(
      negate_problem({8}), [&](FakeSession&, const std::string& function, std::span<const std::uint64_t>) {
        called += function == "negate" ? 1 : 0;
        return runner::Outcome{.value = 65};
      });
  EXPECT_THAT(verdicts(series), ElementsAre(Verdict::memory_limit));
  EXPECT_EQ(series.cases[0].message,
            "negate_workspace_bytes asks for 65 bytes of workspace, at most 64 are allowed");
  EXPECT_EQ(called, 0);
}

TEST_F(Series, CrashInOneCaseLeavesTheOthersTheirAttempt) {
  const CaseSeries series =
      run(negate_problem({1, 2, 3}),
          calls([](FakeSession& session, const std::string& f, std::span<const std::uint64_t> w) {
            if (Words(w).n == 2) return runner::Outcome{.kind = OutcomeKind::ended};
            return right(session, f, w);
          }));
  EXPECT_THAT(verdicts(series), ElementsAre(Verdict::passed, Verdict::crashed, Verdict::passed));
  EXPECT_EQ(opened_, 2);
}

TEST_F(Series, AfterThreeLostAttemptsTheRestIsNotRun) {
  const CaseSeries series = run(negate_problem({1, 2, 3, 4, 5}),
                                calls([](FakeSession&, const std::string&, std::span<const std::uint64_t>) {
                                  return runner::Outcome{.kind = OutcomeKind::ended};
                                }));
  EXPECT_THAT(verdicts(series), ElementsAre(Verdict::crashed, Verdict::crashed, Verdict::crashed,
                                            Verdict::not_measured, Verdict::not_measured));
  EXPECT_THAT(series.cases[3].message, HasSubstr("not run"));
  EXPECT_EQ(opened_, 3);
}

/// Wrong for whatever is longer than 3.
runner::Outcome right_for_few(FakeSession& session, const std::string& f, std::span<const std::uint64_t> w) {
  if (f == "negate" && Words(w).n > 3) return {};
  return right(session, f, w);
}

TEST_F(Series, LargerMeasuredCasesAreNotRunOnceOneHasFailed) {
  course::Problem problem = negate_problem({2, 9, 3, 5, 6, 7, 5, 4, 1});
  for (course::Case& one : problem.cases) one.cost.elements = std::stod(one.name.substr(4));
  for (const std::size_t i : {2U, 3U, 5U, 6U, 7U, 8U}) problem.cases[i].measured = true;
  problem.cases[4].wide = true;
  const CaseSeries series = run(problem, right_for_few);
  EXPECT_THAT(
      verdicts(series),
      ElementsAre(Verdict::passed,
                  Verdict::wrong_answer,  // and decides nothing about the measured ones
                  Verdict::passed, Verdict::wrong_answer, Verdict::not_measured, Verdict::not_measured,
                  Verdict::wrong_answer, Verdict::wrong_answer, Verdict::passed));
  EXPECT_THAT(series.cases[4].message, HasSubstr("not run: no points depend on more"));
  options_.only_measured = true;
  EXPECT_THAT(verdicts(run(problem, right_for_few)), testing::Not(testing::Contains(Verdict::not_measured)))
      << "a profile counts them all";
}

TEST_F(Series, AMeasuredCaseThatFailsIsOfItsPuzzleAlone) {
  course::Problem problem = negate_problem({4, 5, 5});
  for (course::Case& one : problem.cases) {
    one.measured = true;
    one.cost.elements = std::stod(one.name.substr(4));
  }
  problem.cases[2].puzzle = "another";
  EXPECT_THAT(verdicts(run(problem, right_for_few)),
              ElementsAre(Verdict::wrong_answer, Verdict::not_measured, Verdict::wrong_answer));
}

TEST_F(Series, StickyFindingTakesAFreshAttempt) {
  const CaseSeries series =
      run(negate_problem({1, 2}),
          calls([](FakeSession& session, const std::string& f, std::span<const std::uint64_t> w) {
            if (Words(w).n == 1) {
              session.observations.findings = {emulator::Finding::make(emulator::Finding::Cause::past_end)};
            }
            return right(session, f, w);
          }));
  EXPECT_THAT(verdicts(series), ElementsAre(Verdict::out_of_bounds, Verdict::passed));
  EXPECT_EQ(opened_, 2);
}

TEST_F(Series, TheRunnerIsServedDuringItsCallsAndHeldBetweenThem) {
  int served = 0;
  const CaseSeries series = run(
      negate_problem({8}), [&](FakeSession& session, const std::string& f, std::span<const std::uint64_t> w) {
        served += session.held ? 0 : 1;
        return right(session, f, w);
      });
  EXPECT_THAT(verdicts(series), ElementsAre(Verdict::passed)) << "every snapshot is of a held runner";
  EXPECT_EQ(served, 4) << "two calls, each with its question for the workspace";
}

TEST_F(Series, UsingTheDeviceAfterReturningFails) {
  const CaseSeries series =
      run(negate_problem({1, 2}),
          calls([](FakeSession& session, const std::string& f, std::span<const std::uint64_t> w) {
            session.use.late_requests = Words(w).n == 1 ? 1 : 0;
            return right(session, f, w);
          }));
  EXPECT_THAT(verdicts(series), ElementsAre(Verdict::race, Verdict::passed));
  EXPECT_EQ(series.cases[0].message, "your function had returned, and its program went on using the device");
  EXPECT_EQ(opened_, 2);
}

/// Of a device that leaves work undone: `work` pieces of it are done when the program settles.
FakeProgram leaves_work(FakeProgram program, std::uint64_t work) {
  return [program, work](FakeSession& session, const std::string& f, std::span<const std::uint64_t> w) {
    session.undone = true;
    if (f != kSettle) return program(session, f, w);
    EXPECT_FALSE(session.held) << "nothing could be done";
    session.use.work = work;
    return runner::Outcome{};
  };
}

TEST_F(Series, WorkThatTheStreamDoesNotWaitForComesTooLate) {
  const auto leaves_out = calls(
      [](FakeSession&, const std::string&, std::span<const std::uint64_t>) { return runner::Outcome{}; });
  const CaseSeries series = run(negate_problem({3}), leaves_work(leaves_out, 1));
  EXPECT_THAT(verdicts(series), ElementsAre(Verdict::wrong_answer));
  EXPECT_THAT(series.cases[0].guess, HasSubstr("another stream than the one that your function was given"));
  EXPECT_THAT(run(negate_problem({3}), leaves_work(leaves_out, 0)).cases[0].guess,
              testing::Not(HasSubstr("stream")));
  EXPECT_THAT(verdicts(run(negate_problem({3}), leaves_work(right, 1))), ElementsAre(Verdict::passed));
}

TEST_F(Series, FaultsOfWhatIsLeftCount) {
  const CaseSeries series = run(
      negate_problem({3}), [](FakeSession& session, const std::string& f, std::span<const std::uint64_t> w) {
        session.undone = true;
        if (f != kSettle) return right(session, f, w);
        session.observations.findings.push_back(
            emulator::Finding::make(emulator::Finding::Cause::unordered_accesses));
        return runner::Outcome{};
      });
  EXPECT_THAT(verdicts(series), ElementsAre(Verdict::race));
}

/// Finds an old value in each call, and gives the right answer when `is_right`.
FakeProgram reads_old_values(std::function<bool(const FakeSession&)> is_right) {
  return calls([is_right](FakeSession& session, const std::string& f, std::span<const std::uint64_t> w) {
    emulator::Finding stale = emulator::Finding::make(emulator::Finding::Cause::unfenced_store);
    stale.line.line = 12;
    session.observations.findings.push_back(stale);
    return is_right(session) ? right(session, f, w) : runner::Outcome{};
  });
}

TEST_F(Series, OldValuesAreTheCauseWhereTheAnswerFollowsFromThem) {
  const auto old_values = HasSubstr("line 12 read what was there before");
  const auto guess = [&](std::function<bool(const FakeSession&)> is_right) {
    const CaseSeries series = run(negate_problem({3}), reads_old_values(std::move(is_right)));
    EXPECT_THAT(verdicts(series), ElementsAre(Verdict::wrong_answer));
    return series.cases.at(0).guess;
  };
  EXPECT_THAT(guess([](const FakeSession& session) { return session.stores_at_once; }), old_values);
  EXPECT_THAT(guess([](const FakeSession&) { return false; }), testing::Not(old_values));
  EXPECT_EQ(opened_, 2) << "an attempt each";
}

TEST_F(Series, ADeviceThatStaysAtWorkIsAskedNothingMore) {
  const CaseSeries series =
      run(negate_problem({1, 2}),
          calls([](FakeSession& session, const std::string& f, std::span<const std::uint64_t> w) {
            session.stalled = Words(w).n == 1;
            session.lost_when_observed = session.stalled;
            return right(session, f, w);
          }));
  EXPECT_THAT(verdicts(series), ElementsAre(Verdict::time_limit, Verdict::passed));
  EXPECT_EQ(opened_, 2);
}

TEST_F(Series, ADeviceThatEndsIsTheSubmissionsDoing) {
  const CaseSeries series =
      run(negate_problem({1, 2}),
          calls([](FakeSession& session, const std::string& f, std::span<const std::uint64_t> w) {
            session.lost_when_observed = Words(w).n == 1;
            return right(session, f, w);
          }));
  EXPECT_THAT(verdicts(series), ElementsAre(Verdict::crashed, Verdict::passed));
  EXPECT_THAT(series.cases[0].message, HasSubstr("your program brought the emulated device down"));
  EXPECT_EQ(opened_, 2);
}

TEST_F(Series, ADeviceThatCannotBeStartedIsTheGradersFault) {
  const OpenAttempt open = [&]() -> std::unique_ptr<Attempt> {
    if (opened_++ > 0) throw device::DeviceLost("no such program");
    return std::make_unique<FakeAttempt>(
        [](FakeSession&, const std::string&, std::span<const std::uint64_t>) {
          return runner::Outcome{.kind = OutcomeKind::ended};
        });
  };
  const CaseSeries series = run_cases(negate_problem({1, 2}), open, SourceText("none.cu", ""), options_);
  EXPECT_THAT(verdicts(series), ElementsAre(Verdict::crashed, Verdict::grader_error));
}

TEST_F(Series, WhatIsCopiedEitherWayCountsBeyondAnAllowanceForEachCall) {
  const auto copies = [&](std::uint64_t reads, std::uint64_t writes) {
    return run(negate_problem({1}),
               calls([&](FakeSession& session, const std::string& f, std::span<const std::uint64_t> w) {
                 session.use.host_reads = reads;
                 session.use.host_writes = writes;
                 session.use.printed = 7;
                 return right(session, f, w);
               }))
        .host_copies;
  };
  const HostCopies none = copies(kFreeHostReads, kFreeHostWrites);
  EXPECT_EQ(none.to_host.beyond, 0U);
  EXPECT_EQ(none.to_host.bytes, 0U);
  EXPECT_EQ(none.from_host.beyond, 0U);
  const HostCopies read = copies(kFreeHostReads + 3, 5);
  EXPECT_EQ(read.to_host.beyond, 6U) << "two calls";
  EXPECT_EQ(read.to_host.calls, 2U);
  EXPECT_EQ(read.to_host.bytes, 2 * (kFreeHostReads + 3));
  EXPECT_EQ(read.printed, 14U);
  EXPECT_EQ(read.from_host.beyond, 0U);
  const HostCopies written = copies(8, kFreeHostWrites + 1);
  EXPECT_EQ(written.from_host.beyond, 2U);
  EXPECT_EQ(written.from_host.calls, 2U);
  EXPECT_EQ(written.to_host.beyond, 0U);
  EXPECT_EQ(written.printed, 0U) << "of calls that brought too much to the host";
}

TEST_F(Series, FaultOfTheDeviceIsTheGradersAndTheNextCaseRuns) {
  const CaseSeries series =
      run(negate_problem({1, 2}), calls([](FakeSession& session, const std::string& f,
                                           std::span<const std::uint64_t> w) -> runner::Outcome {
            if (Words(w).n == 1) throw std::runtime_error("the device is gone");
            return right(session, f, w);
          }));
  EXPECT_THAT(verdicts(series), ElementsAre(Verdict::grader_error, Verdict::passed));
  EXPECT_EQ(series.cases[0].message, "the device is gone");
}

TEST_F(Series, CallsAreShorterAfterATimeLimit) {
  std::vector<std::chrono::milliseconds> limits;
  run(negate_problem({1, 2}),
      calls([&](FakeSession& session, const std::string&, std::span<const std::uint64_t>) {
        limits.push_back(session.time_limits.back());
        return runner::Outcome{.kind = OutcomeKind::time_limit};
      }));
  EXPECT_THAT(limits, ElementsAre(kCallTime, kShortCallTime));
}

TEST_F(Series, AProfileGivesCallsMoreTime) {
  std::chrono::milliseconds limit{};
  options_.only_measured = true;
  course::Problem problem = negate_problem({1});
  problem.cases[0].measured = true;
  run(problem, calls([&](FakeSession& session, const std::string& f, std::span<const std::uint64_t> w) {
        limit = session.time_limits.back();
        return right(session, f, w);
      }));
  EXPECT_EQ(limit, kProfiledCallTime);
}

TEST_F(Series, NothingPassesWhenTimeRunsOut) {
  options_.total_time = std::chrono::milliseconds(20);
  const CaseSeries series =
      run(negate_problem({1, 2, 3}),
          calls([](FakeSession& session, const std::string& f, std::span<const std::uint64_t> w) {
            std::this_thread::sleep_for(std::chrono::milliseconds(15));
            return right(session, f, w);
          }));
  EXPECT_THAT(verdicts(series), ElementsAre(Verdict::passed, Verdict::time_limit, Verdict::not_measured));
}

TEST_F(Series, OnlyMeasuredCasesOnRequest) {
  course::Problem problem = negate_problem({1, 2, 3});
  problem.cases[1].measured = true;
  options_.only_measured = true;
  std::vector<std::string> progress;
  options_.progress = [&](const std::string& what, int, int) { progress.push_back(what); };
  const CaseSeries series = run(problem, right);
  ASSERT_EQ(series.measured.size(), 1U);
  EXPECT_EQ(series.measured[0].one, &problem.cases[1]);
  EXPECT_THAT(progress, ElementsAre("case 1 of 1: n = 2"));
}

TEST_F(Series, CallThatDoesNotFitTheSignatureIsAFaultOfTheGrader) {
  course::Problem problem = negate_problem({1});
  problem.cases[0].prepare = [](Random&) { return course::Call().scalar("n", 1); };
  const CaseSeries series = run(problem, right);
  EXPECT_THAT(verdicts(series), ElementsAre(Verdict::grader_error));
  EXPECT_THAT(series.cases[0].message, HasSubstr("does not fit void negate(const int*, int*, int*, int"));
}

}  // namespace
}  // namespace lockstep::judge
