// Which of several faults is reported, and in which words.
#include "judge/case_verdict.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <signal.h>

#include <algorithm>
#include <utility>

#include "judge/findings.h"
#include "judge/host_program.h"
#include "report/finding_words.h"

namespace lockstep::judge {
namespace {

using emulator::Finding;
using result::Verdict;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using OutcomeKind = runner::Outcome::Kind;

constexpr const char* kFile = "verdict_test_submission.cu";

class CaseVerdict : public testing::Test {
 protected:
  CaseVerdict() { evidence_.time_limit = std::chrono::seconds(20); }

  /// Of a kind, whichever cause it has.
  static Finding finding(Finding::Kind kind) {
    const auto first =
        std::ranges::find(emulator::kFirstCauses, kind, &std::pair<Finding::Cause, Finding::Kind>::second);
    return finding(first->first);
  }
  /// What is reported of a finding besides its place and who it was.
  static std::string told(const Finding& finding) {
    return report::sentence_of(finding, report::Reader::student);
  }

  static Finding finding(Finding::Cause cause) {
    Finding result = Finding::make(cause);
    result.line = {"/build/verdict_test_submission.cu", 3};
    result.kernel = "_Z12tiled_kernelPKfPf";
    result.block = {1, 0, 0};
    result.thread = {5, 6, 0};
    return result;
  }

  void set_wrong_output() {
    evidence_.wrong_output =
        WrongOutput{"out", {.wrong = 3, .total = 10, .first = {{"[1]", "1", "2"}}}, {"a guess", "Do this."}};
  }

  void end_by_signal(int signal) {
    evidence_.outcome.kind = OutcomeKind::ended;
    evidence_.outcome.end = {.kind = sandbox::End::Kind::signalled, .status = signal};
  }

  void end_by_exit(int status) {
    evidence_.outcome.kind = OutcomeKind::ended;
    evidence_.outcome.end = {.kind = sandbox::End::Kind::exited, .status = status};
  }

  result::CaseResult concluded() const {
    result::CaseResult result;
    conclude(evidence_, source_, result);
    return result;
  }

  SourceText source_{kFile, "first line\n  tile[y][x] = in[i];\n  out[j] = tile[x][y];\n"};
  Evidence evidence_;
};

TEST_F(CaseVerdict, NothingWrongPasses) {
  EXPECT_EQ(concluded().verdict, Verdict::passed);
  EXPECT_EQ(concluded().message, "");
  EXPECT_FALSE(ends_context(evidence_));
}

TEST_F(CaseVerdict, WrongOutput) {
  set_wrong_output();
  const result::CaseResult result = concluded();
  EXPECT_EQ(result.verdict, Verdict::wrong_answer);
  EXPECT_EQ(result.message, "3 of 10 elements of out are wrong");
  EXPECT_EQ(result.wrong, 3U);
  EXPECT_EQ(result.mismatches.size(), 1U);
  EXPECT_EQ(result.guess, "a guess");
  EXPECT_EQ(result.question, "Do this.");
  EXPECT_FALSE(result.cause_is_known);
  EXPECT_FALSE(ends_context(evidence_));
}

TEST_F(CaseVerdict, OnlyALaterCallWrongHintsAtWhatIsKept) {
  set_wrong_output();
  evidence_.wrong_output->cause = {};
  evidence_.call = 2;
  EXPECT_THAT(concluded().guess, HasSubstr("kept from one call to the next"));
}

TEST_F(CaseVerdict, ChangedInputIsAWrongAnswer) {
  evidence_.changed_input = "in";
  EXPECT_EQ(concluded().verdict, Verdict::wrong_answer);
  EXPECT_THAT(concluded().message, HasSubstr("changed its input in"));
  EXPECT_THAT(concluded().guess, HasSubstr("inputs may only be read"));
}

TEST_F(CaseVerdict, FindingFailsEvenARightAnswer) {
  evidence_.findings = {finding(Finding::Kind::race)};
  EXPECT_EQ(concluded().verdict, Verdict::race);
}

TEST_F(CaseVerdict, FindingTellsWhatWhereAndWho) {
  Finding race = finding(Finding::Kind::race);
  race.other_line = {"verdict_test_submission.cu", 2};
  race.count = 7;
  evidence_.findings = {race};
  set_wrong_output();
  const result::CaseResult result = concluded();
  EXPECT_EQ(result.message,
            told(race) +
                ", in tiled_kernel, block (1, 0, 0), thread (5, 6, 0), the first of the 7 times that this "
                "happened there");
  ASSERT_EQ(result.places.size(), 2U) << "the earlier access first";
  EXPECT_EQ(result.places[0].text, "  tile[y][x] = in[i];");
  EXPECT_EQ(result.places[1].file, "verdict_test_submission.cu");
  EXPECT_EQ(result.places[1].line, 3U);
  EXPECT_EQ(result.places[1].text, "  out[j] = tile[x][y];");
}

TEST_F(CaseVerdict, TheQuestionOfABadAddressFollowsWhatWasFound) {
  using enum Finding::Cause;
  Finding one = finding(null_pointer);
  const auto question = [&](Finding::Cause cause) {
    one.cause = cause;
    evidence_.findings = {one};
    return concluded().question;
  };
  EXPECT_THAT(question(null_pointer), HasSubstr("which pointer is null"));
  EXPECT_THAT(question(host_pointer),
              AllOf(HasSubstr("where does this pointer come from"), Not(HasSubstr("index"))));
  EXPECT_THAT(question(in_no_allocation), HasSubstr("what is its index"));
  EXPECT_THAT(question(freed_memory), HasSubstr("what frees"));
  EXPECT_THAT(question(constant_written), HasSubstr("the memory that you mean"));
  EXPECT_THAT(question(constant_elsewhere), HasSubstr("the memory that you mean"));
  EXPECT_THAT(question(pinned_memory), HasSubstr("the index wrong"));
  one.object = {"in", 1000, 64};
  one.address = 1064;
  EXPECT_THAT(question(just_past_end), HasSubstr("a `<=` meant"));
  one.address = 1068;
  EXPECT_THAT(question(past_end), HasSubstr("the index wrong"));
  one.address = 1064 + (std::uint64_t{1} << 30);
  EXPECT_THAT(question(past_end), HasSubstr("such as one that was read"));
  one.address = 10'000'000;
  EXPECT_THAT(question(far_past_end), HasSubstr("what does the index multiply by"));
  one.address = 1000 - (std::uint64_t{1} << 31);
  EXPECT_THAT(question(before_start), HasSubstr("such as one that was read"));
  one.object.name = "workspace";
  for (const Finding::Cause cause : {reaches_past_end, just_past_end, past_end, far_past_end})
    EXPECT_THAT(question(cause), HasSubstr("the size that you ask for"));
  EXPECT_THAT(question(before_start), Not(HasSubstr("the size that you ask for")));
  EXPECT_THAT(question(freed_memory), HasSubstr("what frees"));
}

TEST_F(CaseVerdict, TheQuestionOfAnIndexInSharedMemoryFollowsTheOffset) {
  Finding one = finding(Finding::Cause::outside_window);
  one.space = Finding::Space::shared;
  one.object.bytes = 64;
  const auto at = [&](long long offset) {
    one.address = static_cast<std::uint32_t>(offset);  // as the device computes it
    evidence_.findings = {one};
    return concluded().question;
  };
  EXPECT_THAT(at(-4), HasSubstr("the index is below 0"));
  EXPECT_THAT(at(64), HasSubstr("a `<=` meant to be a `<`"));
  EXPECT_THAT(at(128), HasSubstr("is the array long enough"));
  EXPECT_THAT(at(-2147475756), HasSubstr("an int that overflowed"));
  EXPECT_THAT(at(1509646128), HasSubstr("such as one that was read")) << "any 32 bits of a sample";
  one.space = Finding::Space::local;
  EXPECT_THAT(at(-4), HasSubstr("the index is below 0"));
}

TEST_F(CaseVerdict, AReferenceIsAnAddressOfTheHost) {
  evidence_.findings = {finding(Finding::Cause::host_pointer)};
  source_ = SourceText(
      kFile, "__global__ void tiled_kernel(int* a, const int& n,\n  int m) {\n  if (i < n) a[i] = 0;\n}");
  EXPECT_THAT(concluded().question, HasSubstr("`n` is a reference"));
  source_ = SourceText(
      kFile, "__global__ void tiled_kernel(int* a, const int& n,\n  int m) {\n  if (i < m) a[i] = 0;\n}");
  EXPECT_THAT(concluded().question, HasSubstr("where does this pointer come from"))
      << "it is not on the line";
}

TEST_F(CaseVerdict, MissingThirdLaunchArgumentIsTheCauseOfSharedMemoryWithoutBytes) {
  Finding one = finding(Finding::Cause::outside_window);
  one.space = Finding::Space::shared;
  evidence_.findings = {one};
  EXPECT_THAT(concluded().question, HasSubstr("is the index the right one"));
  source_ = SourceText(kFile, "  extern __shared__ int sums[];\n\n  sums[i] = 0;\n");
  EXPECT_THAT(concluded().question, HasSubstr("third launch argument"));
}

TEST_F(CaseVerdict, LaunchesAreToldWhatToChangeAndWhere) {
  source_ = SourceText(
      kFile, "void f() {\n  // tiled_kernel<<<1, 1>>>();\n  tiled_kernel<<<n / 256, 256>>>();\n}\n");
  using enum Finding::Cause;
  const auto question = [&](Finding::Cause cause) {
    Finding launch = finding(cause);
    launch.line = {};
    evidence_.findings = {launch};
    set_wrong_output();
    return concluded().question;
  };
  EXPECT_THAT(question(empty_launch), HasSubstr("(n + kThreads - 1) / kThreads"));
  const SourceText before = source_;
  source_ = SourceText(kFile, "tiled_kernel<<<lockstep::divide_up(n, 256), 256>>>();\n");
  EXPECT_THAT(question(empty_launch), AllOf(HasSubstr("return before the launch"), Not(HasSubstr("round"))));
  source_ = SourceText(kFile, "tiled_kernel<<<kThreads, blocks, 0, stream>>>();\n");
  EXPECT_THAT(question(block_too_large), HasSubstr("arguments exchanged"));
  source_ = before;
  EXPECT_THAT(question(block_too_large), HasSubstr("fewer threads"));
  EXPECT_THAT(question(dynamic_shared_not_allowed), HasSubstr("third launch argument"));
  EXPECT_THAT(question(shared_too_large), AllOf(HasSubstr("no more shared memory than a block may have"),
                                                Not(HasSubstr("fewer threads"))));
  EXPECT_THAT(question(launch_otherwise), HasSubstr("at most 1024 threads per block"));
  ASSERT_EQ(concluded().places.size(), 1U);
  EXPECT_EQ(concluded().places[0].line, 3U);
  source_ = SourceText(kFile, "tiled_kernel<<<a, b>>>();\ntiled_kernel<<<c, d>>>();\n");
  EXPECT_TRUE(concluded().places.empty()) << "either may be the one";
}

class Race : public CaseVerdict {
 protected:
  using Access = Finding::Access;

  void set_race(Finding::Space space, Finding::Scope scope) {
    race_.space = space;
    race_.scope = scope;
  }
  /// Between warps of a block, in shared memory.
  void set_shared() { set_race(Finding::Space::shared, Finding::Scope::block); }
  /// Between blocks, in global memory.
  void set_global() { set_race(Finding::Space::global, Finding::Scope::grid); }

  /// An access at line `line`, and an earlier one at `other_line`.
  std::string question(std::uint32_t line, Access access, std::uint32_t other_line, Access other_access,
                       bool of_updates = false) {
    race_.line.line = line;
    race_.other_line = {race_.line.file, other_line};
    race_.access = access;
    race_.other_access = other_access;
    race_.of_updates = of_updates;
    evidence_.findings = {race_};
    return concluded().question;
  }

  Finding race_ = finding(Finding::Kind::race);
};

TEST_F(Race, AnAtomicOperationIsForUpdatesOfOneElement) {
  for (const bool shared : {true, false}) {
    shared ? set_shared() : set_global();
    EXPECT_THAT(question(2, Access::write, 2, Access::read, true), HasSubstr("atomicAdd(&element, value)"));
    EXPECT_THAT(question(2, Access::write, 2, Access::read), Not(HasSubstr("atomicAdd")));
    EXPECT_THAT(question(2, Access::write, 2, Access::write),
                AllOf(HasSubstr("index"), Not(HasSubstr("atomic"))));
  }
  set_shared();
  EXPECT_THAT(question(2, Access::write, 2, Access::read),
              HasSubstr("Read into a variable, then `__syncthreads()`, then change it"))
      << "sums[i] += sums[i - d]";
}

TEST_F(Race, TheLineTellsAnUpdateWhoseAddressesTheCompilerComputedApart) {
  source_ = SourceText(kFile, "\n  bin[k - 1]++;\n  sums[i] += sums[i - d];\n");
  set_shared();
  EXPECT_THAT(question(2, Access::write, 2, Access::read), HasSubstr("atomicAdd(&element, value)"));
  EXPECT_THAT(question(3, Access::write, 3, Access::read), Not(HasSubstr("atomicAdd")));
  set_race(Finding::Space::shared, Finding::Scope::warp);
  race_.other = Finding::Other::threads_of_warp;
  EXPECT_THAT(question(2, Access::write, 2, Access::read), HasSubstr("does a barrier lack"));
}

TEST_F(Race, BlocksHaveNoBarrier) {
  set_global();
  EXPECT_THAT(question(3, Access::read, 2, Access::write),
              AllOf(HasSubstr("later launch"), HasSubstr("__threadfence()"), Not(HasSubstr("barrier"))));
  EXPECT_THAT(question(3, Access::write, 2, Access::write), HasSubstr("is one of the two indices wrong?"));
}

TEST_F(Race, TwoWritesOfOneElementAreSeldomMeant) {
  set_race(Finding::Space::global, Finding::Scope::warp);
  EXPECT_THAT(question(3, Access::write, 2, Access::write),
              AllOf(HasSubstr("is one of the two indices wrong?"), HasSubstr("__syncwarp()")));
  set_shared();
  EXPECT_THAT(question(3, Access::write, 2, Access::write), Not(HasSubstr("indices"))) << "it is set first";
}

TEST_F(Race, WritesThatLeaveAKnownMistakeAreThatMistake) {
  set_wrong_output();
  evidence_.wrong_output->cause.basis = LikelyCause::Basis::known_mistake;
  EXPECT_EQ(question(3, Access::write, 2, Access::write), "Do this.");
  EXPECT_EQ(concluded().verdict, Verdict::race);
  EXPECT_EQ(concluded().guess, "a guess");
  EXPECT_NE(question(3, Access::read, 2, Access::write), "Do this.") << "what was read may be anything";
  evidence_.wrong_output->cause.basis = LikelyCause::Basis::likeness;
  EXPECT_NE(question(3, Access::write, 2, Access::write), "Do this.");
}

TEST_F(Race, TheEarlierAccessComesFirstWithWhatItDoes) {
  set_shared();
  question(2, Access::write, 3, Access::read);
  const std::vector<result::Place> places = concluded().places;
  ASSERT_EQ(places.size(), 2U);
  EXPECT_EQ(places[0].line, 3U);
  EXPECT_EQ(places[0].part, "first: reads");
  EXPECT_EQ(places[1].line, 2U);
  EXPECT_EQ(places[1].part, "then: writes");
  question(2, Access::write, 2, Access::read);
  ASSERT_EQ(concluded().places.size(), 1U);
  EXPECT_EQ(concluded().places[0].part, "both accesses");
}

TEST_F(Race, ABarrierThatStandsBetweenIsAskedFor) {
  source_ =
      SourceText(kFile,
                 "__global__ void k() {\n  if (x) { tile[x] = in[threadIdx.x];\n    __syncthreads(); }\n"
                 "  // __syncthreads();\n  out[i] = tile[y];\n}\n__global__ void other() {\n"
                 "  a = tile[threadIdx.x];\n}\n");
  set_shared();
  const auto asks = HasSubstr("do all threads of the block come to the barrier at line 3?");
  EXPECT_THAT(question(5, Access::read, 2, Access::write), asks);
  EXPECT_THAT(question(2, Access::write, 5, Access::read), asks);
  race_.barrier = {{race_.line.file, 1}};
  EXPECT_THAT(question(2, Access::write, 5, Access::read), asks) << "the barrier that all met is another";
  EXPECT_EQ(
      question(4, Access::read, 5, Access::write),
      "no barrier stands between lines 4 and 5. Put a `__syncthreads()` there, where all threads of the "
      "block come to it.")
      << "a comment is none";
  EXPECT_THAT(question(4, Access::read, 8, Access::write), HasSubstr("must stand between the two accesses"))
      << "in another function";
  race_.line.file = race_.other_line.file = "cub.cuh";
  EXPECT_THAT(question(4, Access::read, 5, Access::write), HasSubstr("must stand between the two accesses"))
      << "lines of a header are none of the submission's";
}

TEST_F(Race, WhereAllMetBetweenTheLinesTheLoopHasComeRound) {
  set_shared();
  for (const char* called_from : {"", "/usr/include/helpers.h"}) {
    race_.barrier = {{race_.line.file, 25}};
    if (*called_from != '\0') race_.barrier.insert(race_.barrier.begin(), {called_from, 7});
    EXPECT_EQ(
        question(20, Access::write, 28, Access::read),
        "all threads meet at line 25, then the loop comes round, or the function is called again: the write "
        "at line 20 is of the next iteration and does not wait for the read at line 28 of this one. Put "
        "another `__syncthreads()` behind line 28, at the end of the loop or function.");
    EXPECT_THAT(question(28, Access::read, 20, Access::write),
                HasSubstr("the write at line 20 is of the next iteration"))
        << "whichever came first";
  }
  race_.barrier = {{"other.cu", 25}};
  EXPECT_THAT(question(20, Access::write, 28, Access::read), Not(HasSubstr("next iteration")));
}

TEST_F(Race, ABarrierThatNotAllMetBeforeAnUpdateIsAskedFor) {
  source_ = SourceText(kFile,
                       "__global__ void k() {\n  __syncthreads();\n  if (i >= d) {\n    left = sums[i - d];\n"
                       "    __syncthreads();\n  }\n  sums[i] -= own;\n}\n");
  set_race(Finding::Space::shared, Finding::Scope::warp);
  race_.other = Finding::Other::threads_of_warp;
  race_.barrier = {{race_.line.file, 2}};
  EXPECT_THAT(question(7, Access::write, 7, Access::read, true),
              AllOf(HasSubstr("come to the barrier at line 5?"), Not(HasSubstr("atomicAdd"))));
  race_.barrier = {{race_.line.file, 5}};
  EXPECT_THAT(question(7, Access::write, 7, Access::read, true), HasSubstr("atomicAdd"))
      << "all have met the last one";
}

TEST_F(Race, AFlagIsWhatStandsBehindTheLastFence) {
  source_ =
      SourceText(kFile,
                 "__global__ void k() {\n  while (flag[t] == 0) {\n  }\n  __threadfence();\n  s = v[t];\n"
                 "  v[u] = s;\n  __threadfence();\n  flag[u] = 1;\n}\n");
  set_global();
  EXPECT_THAT(question(2, Access::read, 8, Access::write),
              AllOf(HasSubstr("is line 8 the flag that signals"), HasSubstr("must be `volatile`")));
  EXPECT_THAT(question(5, Access::read, 6, Access::write), HasSubstr("later launch"));
}

TEST_F(Race, WhatEveryThreadDoesAlikeIsWorkForOne) {
  source_ = SourceText(kFile, "__global__ void k() {\n  const int v = t[0];\n  t[0] = s;\n}\n");
  set_race(Finding::Space::global, Finding::Scope::block);
  EXPECT_THAT(question(3, Access::write, 2, Access::read), HasSubstr("<<<1, 1, 0, stream>>>"));
  source_ = SourceText(kFile, "__global__ void k() {\n  const int v = t[threadIdx.x];\n  t[0] = s;\n}\n");
  EXPECT_THAT(question(3, Access::write, 2, Access::read),
              AllOf(HasSubstr("no barrier stands between lines 2 and 3"), Not(HasSubstr("stream"))));
}

TEST_F(Race, AVolatileAccessMayHaveToBeAtomic) {
  set_shared();
  race_.is_volatile = true;
  EXPECT_THAT(question(3, Access::write, 2, Access::read),
              AllOf(HasSubstr("__syncthreads()"), HasSubstr("cuda::thread_scope_block>(element)")));
}

TEST_F(Race, WithinAWarpDoesNotRuleOutOthers) {
  set_race(Finding::Space::shared, Finding::Scope::warp);
  EXPECT_THAT(question(3, Access::read, 2, Access::write),
              AllOf(HasSubstr("__syncthreads()"), HasSubstr("only threads of one warp")));
  EXPECT_THAT(concluded().message, Not(HasSubstr("__syncwarp"))) << "that is for the question";
}

TEST_F(Race, WithAtomicsMayNeedARelaxedAccess) {
  using testing::StartsWith;
  set_global();
  race_.changed_atomically = true;
  EXPECT_THAT(
      question(3, Access::read, 2, Access::write),
      HasSubstr("cuda::atomic_ref<T, cuda::thread_scope_device>(element).load(cuda::memory_order_relaxed)"));
  set_shared();
  EXPECT_THAT(question(3, Access::read, 2, Access::write),
              AllOf(StartsWith("no barrier stands between lines 2 and 3"), Not(HasSubstr("atomic_ref"))))
      << "what was counted is read: no order but one is right";
  source_ = SourceText(kFile, "atomicCAS(parent + a, a, b);\n\n  x = parent[y];\n");
  EXPECT_THAT(question(3, Access::read, 2, Access::write),
              AllOf(StartsWith("is any order right?"), HasSubstr("Else: no barrier stands")));
  EXPECT_THAT(question(2, Access::atomic, 2, Access::read), HasSubstr("Read into a variable"))
      << "atomicAdd(&sums[i], sums[i - d])";
}

TEST_F(CaseVerdict, UnsupportedInstructionsAreToldAtTheirLine) {
  Finding unsupported = Finding::make(Finding::Cause::unsupported_instruction);
  unsupported.name = "foo";
  unsupported.detail = "helper";
  unsupported.line = {"/build/verdict_test_submission.cu", 3};
  evidence_.findings = {unsupported};
  result::CaseResult result = concluded();
  EXPECT_EQ(result.verdict, Verdict::grader_error);
  EXPECT_THAT(result.message, AllOf(HasSubstr("foo"), Not(HasSubstr("helper")), Not(HasSubstr(".cu"))));
  ASSERT_EQ(result.places.size(), 1U);
  EXPECT_EQ(result.places[0].line, 3U);
  evidence_.findings[0].line = {};
  result = concluded();
  EXPECT_THAT(result.message, testing::StartsWith("helper: ")) << "the function that has it";
  EXPECT_TRUE(result.places.empty());
}

TEST_F(CaseVerdict, WhatASubmissionSaysIsCut) {
  const std::string letters(1'000'000, 'a');
  Finding unsupported = Finding::make(Finding::Cause::unsupported_instruction);
  unsupported.line = {"/build/verdict_test_submission.cu", 3};
  unsupported.name = unsupported.kernel = letters;
  evidence_.findings = {unsupported};
  EXPECT_LT(concluded().message.size(), 1100U);
  evidence_.findings.clear();
  evidence_.outcome = {.kind = OutcomeKind::threw, .message = letters};
  EXPECT_LT(concluded().message.size(), 600U);
}

TEST_F(CaseVerdict, GravestFindingIsReported) {
  using Kind = Finding::Kind;
  const std::vector<std::pair<Kind, Verdict>> from_gravest = {
      {Kind::bad_launch, Verdict::launch_failed},
      {Kind::trap, Verdict::crashed},
      {Kind::misaligned, Verdict::out_of_bounds},
      {Kind::bad_sync, Verdict::bad_sync},
      {Kind::race, Verdict::race},
      {Kind::uninitialised_read, Verdict::uninitialised_read}};
  for (std::size_t i = 0; i < from_gravest.size(); ++i) {
    evidence_.findings.clear();
    for (std::size_t j = from_gravest.size(); j-- > i;)
      evidence_.findings.push_back(finding(from_gravest[j].first));
    set_wrong_output();
    EXPECT_EQ(concluded().verdict, from_gravest[i].second);
  }
}

TEST_F(CaseVerdict, AnUninitialisedValueMayBeWhyAKernelStops) {
  using Kind = Finding::Kind;
  Finding uninitialised = finding(Kind::uninitialised_read);
  uninitialised.object.name = "workspace";
  uninitialised.line.line = 2;
  for (const Kind stop : {Kind::out_of_bounds, Kind::misaligned, Kind::no_progress, Kind::trap}) {
    evidence_.findings = {uninitialised, finding(stop)};
    EXPECT_NE(concluded().verdict, Verdict::uninitialised_read);
    EXPECT_THAT(concluded().guess, HasSubstr("in line 2, " + told(uninitialised)));
    EXPECT_THAT(concluded().question, HasSubstr("what should have written this before"));
    ASSERT_EQ(concluded().places.size(), 2U);
    EXPECT_EQ(concluded().places[0].part, "reads what nothing has written");
    EXPECT_EQ(concluded().places[1].part, "what followed");
  }
  uninitialised.cause = Finding::Cause::uninitialised_shared;
  uninitialised.space = Finding::Space::shared;
  evidence_.findings = {uninitialised, finding(Finding::Cause::past_end)};
  EXPECT_THAT(concluded().guess, HasSubstr("in line 2, " + told(uninitialised)));
  // A thread that should have stayed out copies what is not there to where it must not.
  evidence_.findings[1].line = uninitialised.line;
  EXPECT_EQ(concluded().guess, "");
  EXPECT_THAT(concluded().question, HasSubstr("a condition that keeps threads without an element away"));
  // Who did not wait for the others finds what they have not written yet.
  evidence_.findings = {uninitialised, finding(Kind::race), finding(Kind::out_of_bounds)};
  EXPECT_EQ(concluded().guess, "");
  evidence_.findings = {uninitialised, finding(Kind::race)};
  EXPECT_EQ(concluded().guess, "");
}

TEST_F(CaseVerdict, WhoShouldHaveWrittenDependsOnTheMemory) {
  Finding uninitialised = finding(Finding::Cause::uninitialised_shared);
  uninitialised.space = Finding::Space::shared;
  evidence_.findings = {uninitialised};
  EXPECT_THAT(concluded().question,
              AllOf(HasSubstr("shared memory begins with anything"), Not(HasSubstr("cudaMemsetAsync"))));
  const SourceText before = source_;
  source_ = SourceText(
      kFile, "__global__ void tiled_kernel() { if (i >= n) return;\n  __syncthreads();\n  s += a[i];\n}\n");
  EXPECT_THAT(concluded().question, HasSubstr("line 1 lets threads return"));
  source_ = SourceText(kFile, "__global__ void tiled_kernel() {\n  if (i >= n) return;\n  s += a[i];\n}\n");
  EXPECT_THAT(concluded().question, Not(HasSubstr("lets threads return")))
      << "behind all barriers nothing lacks them";
  source_ = before;
  evidence_.findings = {finding(Finding::Cause::uninitialised_global)};
  EXPECT_THAT(concluded().question, HasSubstr("a kernel, a copy, or a fill such as `cudaMemsetAsync"));
}

TEST(KernelNames, AreThoseThatWereWritten) {
  EXPECT_EQ(kernel_name("_Z11fill_kernelPii"), "fill_kernel");
  EXPECT_EQ(kernel_name("_ZN12_GLOBAL__N_111fill_kernelEPi"), "fill_kernel")
      << "in a namespace without a name";
  EXPECT_EQ(kernel_name("_Z12tiled_kernelILi8EEvPi"), "tiled_kernel<8>");
  EXPECT_EQ(launched_name("_ZN12_GLOBAL__N_112tiled_kernelILi8EEEvPi"), "tiled_kernel");
  EXPECT_EQ(launched_name("_ZN4mine11fill_kernelEPi"), "fill_kernel");
  EXPECT_EQ(launched_name("_ZN4mine12_GLOBAL__N_111fill_kernelEPi"), "fill_kernel");
  EXPECT_EQ(kernel_name("_Z6kernelIL4Mode1EEvPi"), "kernel<(Mode)1>");
}

TEST_F(CaseVerdict, CrashOfTheHostOutranksTheDevice) {
  evidence_.findings = {finding(Finding::Kind::out_of_bounds)};
  end_by_signal(SIGSEGV);
  const result::CaseResult result = concluded();
  EXPECT_EQ(result.verdict, Verdict::crashed);
  EXPECT_THAT(result.message, HasSubstr("Segmentation fault"));
  EXPECT_THAT(result.guess, HasSubstr("device memory cannot be dereferenced on the host"));
  EXPECT_THAT(result.question, HasSubstr("which pointer does host code follow?"));
  EXPECT_TRUE(ends_context(evidence_));
}

TEST_F(CaseVerdict, AStudentsOwnCheckDoesNotHideTheFinding) {
  evidence_.findings = {finding(Finding::Kind::out_of_bounds)};
  evidence_.outcome = {.kind = OutcomeKind::threw, .message = "an illegal memory access"};
  EXPECT_EQ(concluded().verdict, Verdict::out_of_bounds);
  EXPECT_THAT(concluded().message, HasSubstr("your own check then reported: an illegal memory access"));
  evidence_.outcome = {};
  end_by_exit(1);
  EXPECT_EQ(concluded().verdict, Verdict::out_of_bounds);
  end_by_signal(SIGABRT);
  EXPECT_EQ(concluded().verdict, Verdict::out_of_bounds);
}

TEST_F(CaseVerdict, RefusedCallsDecideNothingAndExplainAFailure) {
  Finding refused = Finding::make(Finding::Cause::refused_call);
  std::vector<Finding> findings = {refused, finding(Finding::Kind::race), refused};
  findings[0].name = "cudaMalloc";
  findings[2].name = "cudaMemcpy";
  evidence_.refused_calls = take_kind(Finding::Kind::bad_call, findings);
  ASSERT_EQ(evidence_.refused_calls.size(), 2U);
  ASSERT_EQ(findings.size(), 1U);
  EXPECT_EQ(findings[0].kind, Finding::Kind::race);
  EXPECT_EQ(concluded().verdict, Verdict::passed);
  EXPECT_EQ(concluded().message, "");
  EXPECT_FALSE(ends_context(evidence_));
  set_wrong_output();
  EXPECT_EQ(concluded().verdict, Verdict::wrong_answer);
  EXPECT_EQ(concluded().guess,
            "a call was refused, and your code went on: " + told(evidence_.refused_calls[0]));
  evidence_.outcome = {.kind = OutcomeKind::threw, .message = "no"};
  EXPECT_EQ(concluded().verdict, Verdict::crashed);
  EXPECT_EQ(concluded().message,
            "an exception left your function: no; before that " + told(evidence_.refused_calls[1]));
  evidence_.outcome = {};
  end_by_exit(1);
  EXPECT_THAT(concluded().message,
              HasSubstr("with status 1; before that " + told(evidence_.refused_calls[1])));
  end_by_signal(SIGSEGV);
  EXPECT_THAT(concluded().message, testing::Not(HasSubstr("cudaMemcpy")));
}

TEST_F(CaseVerdict, StaleReadsDecideNothingAndExplainAFailure) {
  Finding stale = finding(Finding::Kind::stale_read);
  stale.line.line = 48;
  stale.other_line = {stale.line.file, 31};
  std::vector<Finding> findings = {stale};
  evidence_.stale_reads = take_kind(Finding::Kind::stale_read, findings);
  EXPECT_TRUE(findings.empty());
  EXPECT_EQ(concluded().verdict, Verdict::passed);
  EXPECT_EQ(concluded().guess, "");
  EXPECT_FALSE(ends_context(evidence_));
  const auto tells = HasSubstr(
      "line 48 read what was there before: the store of line 31, by another block, had no "
      "__threadfence() behind it yet");
  set_wrong_output();
  EXPECT_EQ(concluded().verdict, Verdict::wrong_answer);
  EXPECT_THAT(concluded().guess, tells);
  ASSERT_EQ(concluded().places.size(), 2U);
  EXPECT_EQ(concluded().places[0].part, "reads an old value");
  EXPECT_EQ(concluded().places[1].part, "the store that it missed");
  evidence_.wrong_output->cause = {"the rows begin too early", "Begin later.", LikelyCause::Basis::remark};
  EXPECT_EQ(concluded().guess, "the rows begin too early") << "a named mistake needs no other cause";
  EXPECT_EQ(concluded().question, "Begin later.");
  EXPECT_TRUE(concluded().places.empty());
  evidence_.wrong_output.reset();
  evidence_.findings = {finding(Finding::Kind::no_progress)};
  EXPECT_EQ(concluded().verdict, Verdict::time_limit);
  EXPECT_THAT(concluded().guess, tells);
  evidence_.findings = {finding(Finding::Kind::race)};
  EXPECT_EQ(concluded().guess, "") << "a race has its own";
}

TEST_F(CaseVerdict, AMissingFenceOfTheReaderIsToldAsSuch) {
  Finding stale = finding(Finding::Cause::unfenced_reader);
  stale.line.line = 48;
  stale.other_line = {stale.line.file, 31};
  evidence_.stale_reads = {stale};
  set_wrong_output();
  EXPECT_THAT(
      concluded().guess,
      HasSubstr("line 48 read what was there before the store of line 31, by another block, in tiled_kernel. "
                "Behind "
                "that store is a fence; between the read that sees its signal and line 48 is none"));
  EXPECT_THAT(concluded().question, testing::StartsWith("which read shows that the value is there?"));
}

TEST_F(CaseVerdict, ARefusedLaunchThatWasLookedAtIsNoFailure) {
  evidence_.findings = {finding(Finding::Kind::bad_launch)};
  EXPECT_EQ(concluded().verdict, Verdict::passed);
  evidence_.outcome.message = "invalid configuration argument";  // still remembered
  EXPECT_EQ(concluded().verdict, Verdict::launch_failed);
  evidence_.outcome.message.clear();
  set_wrong_output();
  EXPECT_EQ(concluded().verdict, Verdict::launch_failed);
  evidence_.wrong_output.reset();
  evidence_.findings.push_back(finding(Finding::Kind::race));
  EXPECT_EQ(concluded().verdict, Verdict::race);
}

TEST_F(CaseVerdict, WorkLeftInAnotherStreamExplainsWhatWasNotWritten) {
  source_ = SourceText(kFile,
                       "  cudaMemsetAsync(a, 0, n,\n    stream);\n  cudaMemsetAsync(b, 0, n);\n"
                       "  tiled_kernel<4><<<1, 1, 0, stream>>>(a);\n  tiled_kernel<8><<<1, 1>>>(a);\n");
  evidence_.left_work = true;
  EXPECT_EQ(concluded().verdict, Verdict::passed);
  const auto tells = HasSubstr("was put into another stream than the one that your function was given");
  evidence_.findings = {finding(Finding::Kind::uninitialised_read)};
  EXPECT_EQ(concluded().verdict, Verdict::uninitialised_read);
  EXPECT_THAT(concluded().guess, AllOf(tells, HasSubstr("a copy or fill")));
  EXPECT_TRUE(concluded().cause_is_known);
  EXPECT_THAT(concluded().question, HasSubstr("cudaMemsetAsync(…, stream)"));
  ASSERT_EQ(concluded().places.size(), 2U);
  EXPECT_EQ(concluded().places[0].line, 3U) << "the one that lacks it";
  evidence_.left_kernels = {"_Z12tiled_kernelILi8EEvPi"};
  EXPECT_THAT(concluded().guess, AllOf(tells, HasSubstr("tiled_kernel<8> was put")));
  EXPECT_THAT(concluded().question, HasSubstr("fourth launch argument"));
  EXPECT_EQ(concluded().places[0].line, 5U);
  evidence_.findings = {finding(Finding::Kind::race)};
  EXPECT_THAT(concluded().guess, Not(tells));
  evidence_.findings.clear();
  set_wrong_output();
  EXPECT_THAT(concluded().guess, tells);
  EXPECT_THAT(concluded().question, HasSubstr("fourth launch argument"));
}

TEST_F(CaseVerdict, AStreamMayHaveAnotherName) {
  source_ = SourceText(kFile,
                       "void f(int* a, cudaStream_t s) {\n  tiled_kernel<<<1, 1, 0, s>>>(a);\n"
                       "  cudaStream_t own;\n  tiled_kernel<<<1, 1, 0, own>>>(a);\n}\n");
  evidence_.left_work = true;
  evidence_.left_kernels = {"_Z12tiled_kernelPi"};
  set_wrong_output();
  ASSERT_EQ(concluded().places.size(), 1U);
  EXPECT_EQ(concluded().places[0].line, 4U) << "what has the parameter's name was given the stream";
}

TEST_F(CaseVerdict, AnExceptionIsToldWhereItBegins) {
  evidence_.outcome = {.kind = OutcomeKind::threw, .message = "no"};
  source_ = SourceText(kFile, "void f(int n) {\n  if (n == 0) throw 1;\n}\n");
  ASSERT_EQ(concluded().places.size(), 1U);
  EXPECT_EQ(concluded().places[0].line, 2U);
  EXPECT_THAT(concluded().question, HasSubstr("where there is nothing to do, return"));
  source_ = SourceText(kFile, "  cudaMemcpy(a, b, 4, kind);\n  CHECK_CUDA(cudaGetLastError());\n");
  EXPECT_TRUE(concluded().places.empty());
  evidence_.refused_calls = {finding(Finding::Cause::refused_null)};
  evidence_.refused_calls[0].name = "cudaMemcpy";
  ASSERT_EQ(concluded().places.size(), 1U);
  EXPECT_EQ(concluded().places[0].line, 1U) << "and not where it was found out";
  EXPECT_THAT(concluded().question, HasSubstr("CHECK_CUDA"));
}

TEST_F(CaseVerdict, AKernelThatIsLaunchedOverAndOverTellsOfTheHostsLoop) {
  source_ = SourceText(kFile, "  while (changed) {\n    tiled_kernel<<<1, 1>>>();\n  }\n");
  evidence_.kernels = {{.kernel = "_Z12tiled_kernelPKfPf", .launches = 1234}, {.kernel = "k", .launches = 1}};
  evidence_.findings = {finding(Finding::Kind::time_limit)};
  EXPECT_THAT(concluded().message, HasSubstr("until then tiled_kernel had been launched 1234 times"));
  EXPECT_THAT(concluded().question, HasSubstr("loop on the host"));
  ASSERT_EQ(concluded().places.size(), 1U);
  EXPECT_EQ(concluded().places[0].line, 2U);
  evidence_.kernels[0].kernel = "init";
  EXPECT_THAT(concluded().question, Not(HasSubstr("host"))) << "another kernel took the time";
  evidence_.kernels[0] = {.kernel = "_Z12tiled_kernelPKfPf", .launches = 3};
  EXPECT_THAT(concluded().question, Not(HasSubstr("host")));
  evidence_.findings.clear();
  evidence_.outcome.kind = OutcomeKind::time_limit;
  EXPECT_EQ(concluded().message, "no answer within 20 s");
  evidence_.kernels[0].launches = 1234;
  EXPECT_THAT(concluded().message, HasSubstr("launched 1234 times"));
}

TEST_F(CaseVerdict, ABlockThatWaitsForOneThatHasNotBegunLacksATicket) {
  Finding still = finding(Finding::Cause::endless_loop);
  still.numbers = {12, 20};  // have not begun
  evidence_.findings = {still};
  EXPECT_THAT(concluded().question, HasSubstr("number = atomicAdd(ticket, 1);"));
  source_ = SourceText(kFile, "if (threadIdx.x == 0) tile = atomicAdd(ticket, 1);\n\n  while (!flag) {}\n");
  EXPECT_THAT(concluded().question, Not(HasSubstr("ticket"))) << "it has one";
  evidence_.findings[0].numbers = {0, 20};
  EXPECT_THAT(concluded().question, Not(HasSubstr("begun")));
}

TEST_F(CaseVerdict, LanesAndThreadsThatDoNotMeetAreToldApart) {
  evidence_.findings = {finding(Finding::Kind::bad_sync)};
  EXPECT_THAT(concluded().question, HasSubstr("Move the barrier out"));
  evidence_.findings = {finding(Finding::Cause::lanes_elsewhere)};
  EXPECT_THAT(concluded().question, HasSubstr("All lanes that the mask names"));
}

TEST_F(CaseVerdict, ARaceDoesNotExplainAnExit) {
  evidence_.findings = {finding(Finding::Kind::race)};
  end_by_exit(0);
  EXPECT_EQ(concluded().verdict, Verdict::crashed);
  EXPECT_THAT(concluded().message, HasSubstr("exited by itself, with status 0"));
}

TEST_F(CaseVerdict, DeadlockExplainsATimeLimit) {
  evidence_.outcome.kind = OutcomeKind::time_limit;
  EXPECT_EQ(concluded().verdict, Verdict::time_limit);
  EXPECT_EQ(concluded().message, "no answer within 20 s");
  evidence_.findings = {finding(Finding::Kind::out_of_bounds)};
  EXPECT_EQ(concluded().verdict, Verdict::time_limit);
  evidence_.findings = {finding(Finding::Kind::deadlock)};
  EXPECT_EQ(concluded().verdict, Verdict::bad_sync);
}

TEST_F(CaseVerdict, LimitsOfTheSandbox) {
  evidence_.outcome.kind = OutcomeKind::ended;
  evidence_.outcome.end.kind = sandbox::End::Kind::memory_limit;
  EXPECT_EQ(concluded().verdict, Verdict::memory_limit);
  evidence_.outcome.end.kind = sandbox::End::Kind::time_limit;
  EXPECT_EQ(concluded().verdict, Verdict::time_limit);
  end_by_signal(SIGXCPU);
  EXPECT_EQ(concluded().verdict, Verdict::time_limit);
}

TEST_F(CaseVerdict, WhyTheJudgeEndedItIsTold) {
  end_by_signal(SIGKILL);
  evidence_.outcome.message = "the submission wrote on a descriptor that is not its own";
  EXPECT_EQ(concluded().verdict, Verdict::crashed);
  EXPECT_EQ(concluded().message, "the submission wrote on a descriptor that is not its own");
}

TEST_F(CaseVerdict, TooMuchWorkspace) {
  evidence_.workspace_fault = "scan_workspace_bytes asks for 9 bytes";
  EXPECT_EQ(concluded().verdict, Verdict::memory_limit);
  EXPECT_EQ(concluded().message, "scan_workspace_bytes asks for 9 bytes");
}

TEST_F(CaseVerdict, DeviceStillAtWork) {
  evidence_.became_idle = false;
  EXPECT_EQ(concluded().verdict, Verdict::time_limit);
  EXPECT_TRUE(ends_context(evidence_));
}

TEST_F(CaseVerdict, LateUseOfTheDevice) {
  evidence_.use.late_requests = 1;
  set_wrong_output();
  EXPECT_EQ(concluded().verdict, Verdict::race);
  EXPECT_THAT(concluded().message, HasSubstr("went on using the device"));
  EXPECT_TRUE(ends_context(evidence_));
  evidence_.outcome.kind = OutcomeKind::device_error;
  EXPECT_EQ(concluded().verdict, Verdict::race) << "the error is that of the refused request";
  end_by_exit(1);
  EXPECT_EQ(concluded().verdict, Verdict::crashed);
}

TEST_F(CaseVerdict, StickyErrorsEndTheContextAndOthersDoNot) {
  evidence_.findings = {finding(Finding::Kind::race)};
  EXPECT_FALSE(ends_context(evidence_));
  evidence_.findings.push_back(finding(Finding::Kind::out_of_bounds));
  EXPECT_TRUE(ends_context(evidence_));
}

/// A call of a host program on a device that hears of it, which was right and left nothing.
class HostProgramVerdict : public CaseVerdict {
 protected:
  HostProgramVerdict() {
    evidence_.of_host_program = evidence_.watched = true;
    evidence_.use.host_program.begins = evidence_.use.host_program.ends = 1;
  }

  void fail_call(std::uint32_t number, std::string_view name) {
    evidence_.mode.failing_call = number;
    name.copy(evidence_.use.host_program.failed_call.data(), name.size());
  }

  result::CaseResult of_failing_call() const {
    result::CaseResult result;
    conclude_failing_call(evidence_, SourceText(kFile, "  error = cudaMalloc(&in, bytes);\n"), result);
    return result;
  }
};

TEST_F(HostProgramVerdict, PassesWhereNothingIsLeft) {
  evidence_.use.host_program.before = evidence_.use.host_program.after = {.allocations = 1, .streams = 2};
  EXPECT_EQ(concluded().verdict, Verdict::passed);
}

TEST_F(HostProgramVerdict, TellsWhatWasNotReleased) {
  evidence_.use.host_program.before = {.allocations = 1, .allocated_bytes = 256, .registrations = 2};
  evidence_.use.host_program.after = {
      .allocations = 3, .allocated_bytes = 1280, .streams = 1, .events = 2, .registrations = 2};
  const auto result = concluded();
  EXPECT_EQ(result.verdict, Verdict::leak);
  EXPECT_THAT(result.message, HasSubstr("2 allocations of 1024 bytes, 1 stream, 2 events"));
}

TEST_F(HostProgramVerdict, AMissingWaitIsTheCauseOfAWrongOutput) {
  evidence_.left_work = true;
  EXPECT_EQ(concluded().verdict, Verdict::bad_sync) << "the output was right all the same";
  set_wrong_output();
  const auto result = concluded();
  EXPECT_EQ(result.verdict, Verdict::wrong_answer);
  EXPECT_THAT(result.guess, HasSubstr("in flight when your function returned"));
  EXPECT_TRUE(result.cause_is_known);
}

TEST_F(HostProgramVerdict, WhatIsWrongOnlyWhereStreamsAlternatePointsAtSharedMemory) {
  evidence_.wrong_output =
      WrongOutput{"out", {.wrong = 3, .total = 10, .first = {{"[1]", "1", "2"}}}, {}, ""};
  evidence_.call = 2;
  evidence_.mode.streams_alternate = true;
  EXPECT_THAT(concluded().question, HasSubstr("do two streams use the same device memory"));
  evidence_.watched = false;
  EXPECT_EQ(concluded().question, "") << "no device alternates on purpose but the emulated one";
}

TEST_F(HostProgramVerdict, WithoutAKernelIsWrongWhereThereIsSomethingToCompute) {
  evidence_.wants_output = true;
  EXPECT_EQ(concluded().verdict, Verdict::wrong_answer);
  evidence_.kernels.push_back({.kernel = "_Z10mix_kernelPKjPji", .launches = 1});
  EXPECT_EQ(concluded().verdict, Verdict::passed);
}

TEST_F(HostProgramVerdict, WhereNoCallIsLeftToFailItHasToBeRight) {
  fail_call(9, "");
  EXPECT_EQ(of_failing_call().verdict, Verdict::passed);
  evidence_.use.host_program.ends = 2;
  EXPECT_EQ(of_failing_call().verdict, Verdict::crashed);
  evidence_.use.host_program.ends = 1;
  set_wrong_output();
  EXPECT_EQ(of_failing_call().verdict, Verdict::wrong_answer);
}

TEST_F(HostProgramVerdict, AReturnedErrorIsTold) {
  evidence_.outcome.value = 1;
  set_wrong_output();
  const auto result = concluded();
  EXPECT_EQ(result.verdict, Verdict::launch_failed);
  EXPECT_EQ(result.message, "your function returned cudaErrorInvalidValue");
}

TEST_F(HostProgramVerdict, IsNotBelievedUnlessItWasHeardOfOnce) {
  evidence_.use.host_program.begins = 2;
  EXPECT_EQ(concluded().verdict, Verdict::crashed);
  fail_call(1, "");
  EXPECT_EQ(of_failing_call().verdict, Verdict::crashed);
  evidence_.use.host_program = {};
  EXPECT_EQ(concluded().verdict, Verdict::crashed);
  evidence_.watched = false;
  EXPECT_EQ(concluded().verdict, Verdict::passed) << "a GPU hears of nothing";
}

TEST_F(HostProgramVerdict, ACallThatFailedMustBeAnswered) {
  fail_call(3, "cudaMalloc");
  const auto unchecked = of_failing_call();
  EXPECT_EQ(unchecked.verdict, Verdict::unchecked_error);
  EXPECT_THAT(unchecked.message, AllOf(HasSubstr("call 3"), HasSubstr("cudaMalloc")));
  ASSERT_EQ(unchecked.places.size(), 1U);
  EXPECT_EQ(unchecked.places[0].line, 1U);
  evidence_.outcome.value = 2;
  EXPECT_EQ(of_failing_call().verdict, Verdict::passed);
  evidence_.use.host_program.after.streams = 1;
  EXPECT_EQ(of_failing_call().verdict, Verdict::leak);
  evidence_.use.host_program.after.streams = 0;
  evidence_.left_work = true;
  EXPECT_EQ(of_failing_call().verdict, Verdict::bad_sync);
}

TEST_F(HostProgramVerdict, WhoGoesOnUntilAKernelFailsHasNotLooked) {
  fail_call(1, "");
  evidence_.outcome.value = 700;
  evidence_.use.host_program.ends = 0;  // the device answers nothing more
  EXPECT_EQ(of_failing_call().verdict, Verdict::unchecked_error);
}

TEST_F(HostProgramVerdict, ACrashBehindAFailedCallNamesIt) {
  fail_call(2, "");  // what failed is told by the end, to which it does not come
  end_by_signal(SIGSEGV);
  const auto result = of_failing_call();
  EXPECT_EQ(result.verdict, Verdict::crashed);
  EXPECT_THAT(result.message, AllOf(HasSubstr("call 2 of the CUDA runtime"), HasSubstr("signal 11")));
}

}  // namespace
}  // namespace lockstep::judge
