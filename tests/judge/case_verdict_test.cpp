// Which of several faults is reported, and in which words.
#include "judge/case_verdict.h"

#include <gmock/gmock.h>
#include <signal.h>

#include "judge/findings.h"

namespace lockstep::judge {
namespace {

using emulator::Finding;
using report::Verdict;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using OutcomeKind = runner::Outcome::Kind;

constexpr const char* kFile = "verdict_test_submission.cu";

class CaseVerdict : public testing::Test {
 protected:
  CaseVerdict() { evidence_.time_limit = std::chrono::seconds(20); }

  static Finding finding(Finding::Kind kind) {
    Finding result;
    result.kind = kind;
    result.message = "what happened";
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

  report::CaseResult concluded() const {
    report::CaseResult result;
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
  const report::CaseResult result = concluded();
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
  const report::CaseResult result = concluded();
  EXPECT_EQ(result.message,
            "what happened, in tiled_kernel, block (1, 0, 0), thread (5, 6, 0), the first of 7 times");
  ASSERT_EQ(result.places.size(), 2U);
  EXPECT_EQ(result.places[0].file, "verdict_test_submission.cu");
  EXPECT_EQ(result.places[0].line, 3U);
  EXPECT_EQ(result.places[0].text, "  out[j] = tile[x][y];");
  EXPECT_EQ(result.places[1].text, "  tile[y][x] = in[i];");
}

TEST_F(CaseVerdict, TheQuestionOfABadAddressFollowsWhatWasFound) {
  const auto question = [&](const char* message) {
    Finding one = finding(Finding::Kind::out_of_bounds);
    one.message = message;
    evidence_.findings = {one};
    return concluded().question;
  };
  EXPECT_THAT(question("read of 4 bytes, 4 bytes past the end of 'in' (64 bytes)"), HasSubstr("the index"));
  const std::string host = question(
      "read of 4 bytes at address 0x55837b796fa0, which is in no allocation of the device: it looks like a "
      "pointer of the host");
  EXPECT_THAT(host, HasSubstr("where does this pointer come from"));
  EXPECT_THAT(host, Not(HasSubstr("index")));
  EXPECT_THAT(question("read of 4 bytes at address 0x4: a null pointer"), HasSubstr("which pointer is null"));
  EXPECT_THAT(question("read of 4 bytes of 'a' (4 bytes) after it was freed"), HasSubstr("what frees"));
}

TEST_F(CaseVerdict, TheQuestionOfARaceFollowsWhoMeetsWhere) {
  const auto question = [&](const char* message, std::uint32_t line, std::uint32_t other_line) {
    Finding one = finding(Finding::Kind::race);
    one.message = message;
    one.line.line = line;
    one.other_line = {one.line.file, other_line};
    evidence_.findings = {one};
    return concluded().question;
  };
  const char* const shared =
      "read of byte 4 of shared memory, which warp 1 wrote at a.cu:2 with no __syncthreads() between";
  const char* const global =
      "read of byte 4 of 'out', which block 1 wrote at a.cu:2 in the same launch, with no fence and atomic "
      "operation or volatile access between the two blocks";
  EXPECT_THAT(question(shared, 3, 2), AllOf(HasSubstr("which barrier"), Not(HasSubstr("fence"))));
  EXPECT_THAT(question(shared, 2, 2), HasSubstr("atomicAdd"));
  EXPECT_THAT(question(global, 3, 2), AllOf(HasSubstr("fence"), Not(HasSubstr("barrier"))));
  EXPECT_THAT(question(global, 2, 2), AllOf(HasSubstr("atomicAdd"), Not(HasSubstr("barrier"))));
}

TEST_F(CaseVerdict, ABarrierThatStandsBetweenIsAskedFor) {
  source_ = SourceText(kFile,
                       "__global__ void k() {\n  if (x) { tile[x] = in[i];\n    __syncthreads(); }\n"
                       "  // __syncthreads();\n  out[i] = tile[y];\n}\n__global__ void other() {\n"
                       "  a = tile[z];\n}\n");
  Finding race = finding(Finding::Kind::race);
  race.message =
      "read of byte 4 of shared memory, which warp 1 wrote at a.cu:2 with no __syncthreads() between";
  race.line.line = 5;
  race.other_line = {race.line.file, 2};
  evidence_.findings = {race};
  EXPECT_EQ(concluded().question,
            "do all threads of the block come to the barrier at line 3? One under a condition is not met by "
            "all.");
  std::swap(evidence_.findings[0].line, evidence_.findings[0].other_line);
  EXPECT_THAT(concluded().question, HasSubstr("before the next turn"));
  evidence_.findings[0].other_line.line = 8;
  evidence_.findings[0].line.line = 4;
  EXPECT_THAT(concluded().question, HasSubstr("which barrier")) << "no comment, and no other function's";
}

TEST_F(CaseVerdict, ARaceWithinAWarpDoesNotRuleOutOthers) {
  Finding race = finding(Finding::Kind::race);
  race.message =
      "read of byte 80 of shared memory, which thread 10 wrote at a.cu:2 with no __syncwarp() between";
  race.other_line = {race.line.file, 2};
  evidence_.findings = {race};
  EXPECT_THAT(concluded().message, AllOf(HasSubstr("with no barrier between these threads of one warp, in"),
                                         Not(HasSubstr("__syncwarp"))));
  EXPECT_THAT(concluded().question, HasSubstr("__syncthreads(), or, where only threads of one warp"));
}

TEST_F(CaseVerdict, UnsupportedInstructionsHaveTheirPlaceInTheMessage) {
  Finding unsupported;
  unsupported.kind = Finding::Kind::unsupported;
  unsupported.message = "/build/verdict_test_submission.cu:3: the instruction foo is not known";
  evidence_.findings = {unsupported};
  const report::CaseResult result = concluded();
  EXPECT_EQ(result.message, "the instruction foo is not known");
  ASSERT_EQ(result.places.size(), 1U);
  EXPECT_EQ(result.places[0].line, 3U);
  for (const char* message : {"no place: x", ":3: x", "a:: x", "a:3x: y", "a:3:", "a:3: ", ":", ": ", ""}) {
    evidence_.findings[0].message = message;
    EXPECT_EQ(concluded().message, message);
    EXPECT_TRUE(concluded().places.empty()) << message;
  }
}

TEST_F(CaseVerdict, WhatASubmissionSaysIsCut) {
  const std::string letters(1'000'000, 'a');
  Finding unsupported;
  unsupported.kind = Finding::Kind::unsupported;
  unsupported.message = "/build/verdict_test_submission.cu:3: the instruction " + letters;
  unsupported.kernel = letters;
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

TEST_F(CaseVerdict, AnUnwrittenValueMayBeWhyAKernelStops) {
  using Kind = Finding::Kind;
  Finding unwritten = finding(Kind::uninitialised_read);
  unwritten.message = "read of byte 0 of 'workspace', which nothing has written";
  unwritten.line.line = 2;
  for (const Kind stop : {Kind::out_of_bounds, Kind::misaligned, Kind::no_progress, Kind::trap}) {
    evidence_.findings = {unwritten, finding(stop)};
    EXPECT_NE(concluded().verdict, Verdict::uninitialised_read);
    EXPECT_THAT(concluded().guess,
                HasSubstr("in line 2, read of byte 0 of 'workspace', which nothing has written"));
    ASSERT_EQ(concluded().places.size(), 2U);
    EXPECT_EQ(concluded().places[0].line, 2U) << "the cause comes first";
    EXPECT_THAT(concluded().question, HasSubstr("cudaMemsetAsync")) << "and no question of the index";
  }
  unwritten.message = "read of byte 0 of the block's shared memory, which no thread of the block has written";
  evidence_.findings = {unwritten, finding(Kind::out_of_bounds)};
  EXPECT_THAT(concluded().guess, HasSubstr("in line 2, read of byte 0"));
  // A thread that should have stayed out copies what is not there to where it must not.
  evidence_.findings[1].line = unwritten.line;
  EXPECT_EQ(concluded().guess, "");
  EXPECT_THAT(concluded().question, HasSubstr("which threads must stay out"));
  // Who did not wait for the others finds what they have not written yet.
  evidence_.findings = {unwritten, finding(Kind::race), finding(Kind::out_of_bounds)};
  EXPECT_EQ(concluded().guess, "");
  evidence_.findings = {unwritten, finding(Kind::race)};
  EXPECT_EQ(concluded().guess, "");
}

TEST_F(CaseVerdict, WhoShouldHaveWrittenDependsOnTheMemory) {
  Finding unwritten = finding(Finding::Kind::uninitialised_read);
  unwritten.message = "read of byte 0 of the block's shared memory, which no thread of the block has written";
  evidence_.findings = {unwritten};
  EXPECT_THAT(concluded().question, AllOf(HasSubstr("which thread"), Not(HasSubstr("cudaMemsetAsync"))));
  evidence_.findings[0].message = "read of byte 0 of 'workspace', which nothing has written";
  EXPECT_THAT(concluded().question, HasSubstr("a kernel, a copy, or a fill such as cudaMemsetAsync"));
}

TEST_F(CaseVerdict, EveryKindOfFindingHasItsVerdict) {
  using Kind = Finding::Kind;
  EXPECT_EQ(verdict_of(Kind::out_of_bounds), Verdict::out_of_bounds);
  EXPECT_EQ(verdict_of(Kind::deadlock), Verdict::bad_sync);
  EXPECT_EQ(verdict_of(Kind::time_limit), Verdict::time_limit);
  EXPECT_EQ(verdict_of(Kind::no_progress), Verdict::time_limit);
  EXPECT_EQ(verdict_of(Kind::assertion), Verdict::crashed);
  EXPECT_EQ(verdict_of(Kind::stack_overflow), Verdict::crashed);
  EXPECT_EQ(verdict_of(Kind::bad_image), Verdict::launch_failed);
  EXPECT_EQ(verdict_of(Kind::unsupported), Verdict::grader_error);
}

TEST_F(CaseVerdict, CrashOfTheHostOutranksTheDevice) {
  evidence_.findings = {finding(Finding::Kind::out_of_bounds)};
  end_by_signal(SIGSEGV);
  const report::CaseResult result = concluded();
  EXPECT_EQ(result.verdict, Verdict::crashed);
  EXPECT_THAT(result.message, HasSubstr("Segmentation fault"));
  EXPECT_THAT(result.guess, HasSubstr("device memory cannot be dereferenced on the host"));
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
  Finding refused;
  refused.kind = Finding::Kind::bad_call;
  std::vector<Finding> findings = {refused, finding(Finding::Kind::race), refused};
  findings[0].message = "cudaMalloc returned an error";
  findings[2].message = "cudaMemcpy returned an error";
  evidence_.refused_calls = take_kind(Finding::Kind::bad_call, findings);
  ASSERT_EQ(evidence_.refused_calls.size(), 2U);
  ASSERT_EQ(findings.size(), 1U);
  EXPECT_EQ(findings[0].kind, Finding::Kind::race);
  EXPECT_EQ(concluded().verdict, Verdict::passed);
  EXPECT_EQ(concluded().message, "");
  EXPECT_FALSE(ends_context(evidence_));
  set_wrong_output();
  EXPECT_EQ(concluded().verdict, Verdict::wrong_answer);
  EXPECT_EQ(concluded().guess, "a call was refused, and your code went on: cudaMalloc returned an error");
  evidence_.outcome = {.kind = OutcomeKind::threw, .message = "no"};
  EXPECT_EQ(concluded().verdict, Verdict::crashed);
  EXPECT_EQ(concluded().message,
            "an exception left your function: no; before that cudaMemcpy returned an error");
  evidence_.outcome = {};
  end_by_exit(1);
  EXPECT_THAT(concluded().message, HasSubstr("with status 1; before that cudaMemcpy returned an error"));
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
  EXPECT_EQ(concluded().places.size(), 2U);
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
  Finding stale = finding(Finding::Kind::stale_read);
  stale.message = "a fence followed the store, and none of the reading block has come since";
  stale.line.line = 48;
  stale.other_line = {stale.line.file, 31};
  evidence_.stale_reads = {stale};
  set_wrong_output();
  EXPECT_THAT(concluded().guess,
              HasSubstr("line 48 read what was there before the store of line 31, by another block, though a "
                        "fence follows that: what told of it has no __threadfence() behind it"));
  EXPECT_THAT(concluded().question, testing::StartsWith("which read tells that the value is there?"));
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
  evidence_.left_work = true;
  EXPECT_EQ(concluded().verdict, Verdict::passed);
  const auto tells = HasSubstr("is `stream` the last argument of each?");
  evidence_.findings = {finding(Finding::Kind::uninitialised_read)};
  EXPECT_EQ(concluded().verdict, Verdict::uninitialised_read);
  EXPECT_THAT(concluded().guess, tells);
  EXPECT_THAT(concluded().question, testing::StartsWith("Give `stream`, and no other, to every launch"));
  EXPECT_TRUE(concluded().cause_is_known);
  evidence_.findings = {finding(Finding::Kind::race)};
  EXPECT_THAT(concluded().guess, Not(tells));
  evidence_.findings.clear();
  set_wrong_output();
  EXPECT_THAT(concluded().guess, tells);
}

TEST_F(CaseVerdict, ARaceWithAtomicsMayNeedARelaxedAccess) {
  Finding race = finding(Finding::Kind::race);
  race.message =
      "read of byte 4 of 'parents', which block 1 wrote with no fence between the two blocks; "
      "atomic operations change it too";
  evidence_.findings = {race};
  EXPECT_THAT(
      concluded().question,
      HasSubstr("cuda::atomic_ref<T, cuda::thread_scope_device>(word).load(cuda::memory_order_relaxed)"));
  evidence_.findings[0].message =
      "read of byte 4 of shared memory, which thread 1 wrote; "
      "atomic operations change it too";
  EXPECT_THAT(concluded().question, HasSubstr("cuda::atomic_ref<T, cuda::thread_scope_block>(word)"));
}

TEST_F(CaseVerdict, ARaceOfTwoWarpsInGlobalMemoryLacksABarrier) {
  Finding race = finding(Finding::Kind::race);
  race.message = "write of byte 4 of 'totals', which warp 3 read at x.cu:2 with no __syncthreads() between";
  race.other_line = {race.line.file, 2};
  evidence_.findings = {race};
  EXPECT_EQ(concluded().question,
            "which barrier must stand between the two accesses, and do all threads come to it?");
  evidence_.findings[0].other_line = race.line;
  EXPECT_THAT(concluded().question, HasSubstr("Or is it work for one thread alone?"));
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

}  // namespace
}  // namespace lockstep::judge
