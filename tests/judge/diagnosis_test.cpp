// Each pattern of errors has its guess, and errors without a pattern have none.
#include "judge/diagnosis.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <cstring>
#include <functional>
#include <limits>

#include "lockstep/random.h"
#include "outputs.h"

namespace lockstep::judge {
namespace {

using testing::AllOf;
using testing::AnyOf;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::StartsWith;
using Ints = std::vector<std::int32_t>;

constexpr auto kPoison = static_cast<std::int32_t>(0xCDCDCDCD);

Ints random_ints(std::size_t n) { return SplitMix64(7).integers(n, 1, 1'000'000); }

LikelyCause cause(const Ints& expected, const Ints& found, const std::optional<Activity>& activity = {}) {
  return likely_cause("out", output_of(expected), bytes_of(found), activity);
}

std::string guess(const Ints& expected, const Ints& found) { return cause(expected, found).sentence; }

/// A kernel of 256 threads ran, and a copy or a fill wrote to the output.
const Activity kCopied = {.launches = 1,
                          .blocks = 1,
                          .kernel = "copy_kernel",
                          .stored = true,
                          .copied = true,
                          .launch = course::Launch{.grid = {1, 1, 1}, .block = {256, 1, 1}}};

TEST(Diagnosis, NothingWrongHasNoCause) {
  EXPECT_THAT(guess(random_ints(100), random_ints(100)), IsEmpty());
  EXPECT_THAT(guess({}, {}), IsEmpty());
}

TEST(Diagnosis, RandomErrorsHaveNoCause) {
  const Ints expected = random_ints(1000);
  EXPECT_THAT(guess(expected, SplitMix64(8).integers(1000, 1, 1'000'000)), IsEmpty());
  Ints found = expected;
  for (const std::size_t i : {3U, 17U, 500U, 901U}) found[i] += static_cast<std::int32_t>(i);
  EXPECT_THAT(guess(expected, found), IsEmpty());
}

TEST(Diagnosis, NothingWritten) {
  EXPECT_THAT(guess(random_ints(1000), Ints(1000, kPoison)),
              StartsWith("every element of out was never written"));
  EXPECT_THAT(guess(random_ints(1), Ints(1, kPoison)), HasSubstr("did the kernel start"));
}

TEST(Diagnosis, NothingWrittenIsToldByWhatRan) {
  const Ints expected = random_ints(1000), found(1000, kPoison);
  EXPECT_EQ(cause(expected, found, Activity{}).sentence,
            "every element of out was never written: your function launched no kernel");
  Activity activity{.launches = 1, .blocks = 4, .kernel = "copy_kernel"};
  EXPECT_THAT(cause(expected, found, activity).sentence,
              HasSubstr("copy_kernel ran, with 4 blocks, and stored nothing in global memory"));
  EXPECT_EQ(cause(expected, found, activity).advice, "Let copy_kernel store its results in out.");
  activity.stored = true;
  EXPECT_THAT(cause(expected, found, activity).sentence, HasSubstr("what was stored went elsewhere"));
  activity = {.launches = 2, .blocks = 2};
  EXPECT_THAT(cause(expected, found, activity).sentence,
              HasSubstr("2 launches ran, with 2 blocks, and stored"));
}

TEST(Diagnosis, BlocksThatRanWereLaunched) {
  Ints found = random_ints(4096);
  std::fill(found.begin() + 256, found.end(), kPoison);
  Activity activity{.launches = 1, .blocks = 16, .kernel = "copy_kernel", .stored = true};
  EXPECT_THAT(
      cause(random_ints(4096), found, activity).sentence,
      HasSubstr(
          "copy_kernel ran, with 16 blocks: do the threads together cover every index, and is blockIdx"));
  activity.blocks = 1;
  EXPECT_THAT(cause(random_ints(4096), found, activity).sentence,
              HasSubstr("1 block: are enough blocks launched?"));
}

TEST(Diagnosis, BlocksAreNotMissingWhereThreadsHaveSeveralElements) {
  // Of eight rows of 32 a block stores two; in the other output each thread has a single element.
  Ints found = random_ints(256);
  std::fill(found.begin() + 64, found.end(), kPoison);
  Activity activity = kCopied;
  activity.copied = false;
  EXPECT_THAT(cause(random_ints(256), found, activity).sentence,
              AllOf(HasSubstr("do the threads together cover every index"), Not(HasSubstr("enough blocks"))));
  EXPECT_THAT(cause(random_ints(256), found, activity).advice, HasSubstr("which store or step of its loop"));
  found = random_ints(512);
  std::fill(found.begin() + 128, found.end(), kPoison);
  EXPECT_THAT(cause(random_ints(512), found, activity).sentence, Not(HasSubstr("enough blocks")));
  found = random_ints(512);
  std::fill(found.begin() + 256, found.end(), kPoison);
  EXPECT_THAT(cause(random_ints(512), found, activity).sentence, HasSubstr("are enough blocks launched?"));
}

TEST(Diagnosis, TheLastBlockIsNotMissingWhereThreadsSuffice) {
  Ints found = random_ints(100);
  std::fill(found.begin() + 96, found.end(), kPoison);
  EXPECT_THAT(cause(random_ints(100), found, kCopied).sentence, Not(HasSubstr("rounded up")));
  Activity short_of_one = kCopied;
  short_of_one.launch->block = {96, 1, 1};
  EXPECT_THAT(cause(random_ints(100), found, short_of_one).sentence, HasSubstr("rounded up"));
}

TEST(Diagnosis, WhatRanIsReadFromTheCounters) {
  emulator::Observations observations;
  observations.launches = 2;
  observations.blocks = 6;
  observations.kernels = {{.kernel = "_Z12tiled_kernelPKfPf",
                           .launches = 2,
                           .blocks = 6,
                           .grid = {3, 1, 1},
                           .block = {2, 64, 1}}};
  emulator::LineCounters& line = observations.lines.emplace_back();
  line.line = {"/build/submission.cu", 7};
  EXPECT_FALSE(activity_of(observations, SourceText("submission.cu", "")).stored);
  line.global_store.requests = 1;
  line.local_load.requests = 1;
  const Activity activity = activity_of(observations, SourceText("submission.cu", ""));
  EXPECT_EQ(activity.launches, 2U);
  EXPECT_EQ(activity.blocks, 6U);
  EXPECT_EQ(activity.kernel, "tiled_kernel");
  EXPECT_TRUE(activity.stored);
  EXPECT_FALSE(activity.added);
  EXPECT_EQ(activity.private_line, 7U);
  EXPECT_FALSE(activity.launch) << "there were two";
  observations.kernels.front().launches = 1;
  const std::optional<course::Launch> launch =
      activity_of(observations, SourceText("submission.cu", "")).launch;
  ASSERT_TRUE(launch);
  EXPECT_EQ(launch->threads(), 3U * 2 * 64);
  EXPECT_EQ(activity_of(observations, SourceText("other.cu", "")).private_line, 0U)
      << "no line of the submission";
  observations.kernels.push_back(observations.kernels.front());
  EXPECT_EQ(activity_of(observations, SourceText("submission.cu", "")).kernel, "")
      << "which of them should have written is not known";
}

TEST(Diagnosis, BytesAreNoElements) {
  const auto guess = [](const Ints& expected, const Ints& found) {
    return cause(expected, found, kCopied).sentence;
  };
  const Ints expected = random_ints(1001);
  Ints found(1001, kPoison);
  std::memcpy(found.data(), expected.data(), 1001);
  EXPECT_THAT(guess(expected, found), StartsWith("only 1001 bytes of out were written"));
  Activity kernel_alone = kCopied;
  kernel_alone.copied = false;
  EXPECT_THAT(cause(expected, found, kernel_alone).sentence, Not(HasSubstr("bytes")))
      << "no copy wrote: threads that store a quarter of the elements leave the same";
  course::Output output = output_of(expected);
  output.known_mistakes = [found] {
    return std::vector<course::KnownMistake>{{"a quarter is stored", [found] { return bytes_of(found); }}};
  };
  EXPECT_THAT(likely_cause("out", output, bytes_of(found), kCopied).sentence, HasSubstr("bytes"));
  EXPECT_EQ(likely_cause("out", output, bytes_of(found), kernel_alone).sentence, "a quarter is stored");
  std::memcpy(found.data(), expected.data(), 2000);
  EXPECT_THAT(guess(expected, found), Not(HasSubstr("bytes"))) << "half of all, for another reason";
  found = {static_cast<std::int32_t>(0xCDCDCD00 | (expected[0] & 0xFF))};
  EXPECT_THAT(guess({expected[0]}, found), StartsWith("only 1 byte of out was written"));
}

TEST(Diagnosis, AddedToWhatWasThereBefore) {
  Ints expected = random_ints(1000), found;
  expected[7] = 0;
  for (const std::int32_t value : expected) found.push_back(kPoison + value);
  EXPECT_THAT(guess(expected, found), HasSubstr("added to what its memory held before"));
  EXPECT_THAT(cause(expected, found).advice, HasSubstr("cudaMemsetAsync"));
  std::copy_n(expected.begin(), 250, found.begin());
  EXPECT_THAT(guess(expected, found), Not(HasSubstr("size of a fill"))) << "no fill is known";
  EXPECT_THAT(cause(expected, found, kCopied).sentence,
              StartsWith("only the first 250 of 1000 elements of out were set to 0"));
  for (std::size_t i = 250; i < 1000; ++i) found[i] = kPoison + 3;
  EXPECT_THAT(cause(expected, found, kCopied).sentence, HasSubstr("were set to 0")) << "whatever was added";
}

TEST(Diagnosis, SumsOfTooFewBits) {
  const std::vector<std::int64_t> expected = {std::int64_t{3} << 40, 5, 7};
  std::vector<std::int64_t> found = expected;
  found[0] -= std::int64_t{9} << 32;
  EXPECT_THAT(likely_cause("out", output_of(expected), bytes_of(found)).sentence,
              HasSubstr("is off by a multiple of 2^32: a product or a sum was formed in 32 bits"));
  found[0] += 1;
  EXPECT_THAT(likely_cause("out", output_of(expected), bytes_of(found)).sentence, IsEmpty());
  Ints narrow = random_ints(100);
  for (auto& value : narrow) value &= 0xFFFF;
  EXPECT_THAT(guess(random_ints(100), narrow), HasSubstr("formed in 16 bits"));
}

TEST(Diagnosis, WholeNumbersInAFloat) {
  const Ints expected = SplitMix64(7).integers(1000, 1, 2'000'000'000);
  Ints found = expected;
  for (auto& value : found) value = static_cast<std::int32_t>(static_cast<float>(value - 1) - 1);
  EXPECT_THAT(guess(expected, found), HasSubstr("kept in a float"));
  EXPECT_THAT(guess({1, 2, 3, 4}, {2, 4, 3, 5}), Not(HasSubstr("float"))) << "these fit in a float";
}

TEST(Diagnosis, ManyTimesTooLarge) {
  Ints found = random_ints(100);
  for (auto& value : found) value *= 32;
  EXPECT_THAT(guess(random_ints(100), found), StartsWith("every element of out is 32 times as large"));
  EXPECT_THAT(guess(found, random_ints(100)), HasSubstr("one part in 32"));
}

TEST(Diagnosis, RightValuesInWrongPlaces) {
  const Ints expected = random_ints(1000);
  Ints found = expected;
  std::reverse(found.begin(), found.end());
  EXPECT_THAT(guess(expected, found), HasSubstr("at [0] is what belongs at [999]"));
  Ints few = expected;
  for (auto& value : few) value = value % 5 + 1;
  found = few;
  std::reverse(found.begin(), found.end());
  EXPECT_THAT(guess(few, found), IsEmpty()) << "values that are anywhere show no position";
}

TEST(Diagnosis, ZerosBesideAnArrayOfEachThread) {
  Activity activity{.launches = 1, .blocks = 1, .kernel = "scan_kernel", .stored = true, .private_line = 14};
  EXPECT_THAT(cause(random_ints(100), Ints(100), activity).sentence,
              HasSubstr("line 14 reads an array that each thread has for itself"));
  activity.private_line = 0;
  EXPECT_THAT(cause(random_ints(100), Ints(100), activity).sentence, Not(HasSubstr("array")));
}

TEST(Diagnosis, TheExerciseMayRemarkOnWhatItDoesNotKnow) {
  course::Output output = output_of(random_ints(100));
  output.remark = [](std::span<const std::byte> expected, std::span<const std::byte> found) {
    return expected.size() == found.size() ? course::Remark{"it has the right size", "Keep it."}
                                           : course::Remark{};
  };
  const LikelyCause remark = likely_cause("out", output, bytes_of(Ints(100)));
  EXPECT_EQ(remark.sentence, "it has the right size");
  EXPECT_EQ(remark.advice, "Keep it.");
  EXPECT_EQ(remark.basis, LikelyCause::Basis::remark);
  EXPECT_THAT(likely_cause("out", output, bytes_of(Ints(100, kPoison))).sentence, HasSubstr("never written"))
      << "what was never written comes first";
}

TEST(Diagnosis, NearlyNothingWrittenIsAKernelThatRan) {
  Ints found(1025, kPoison);
  const Ints expected = random_ints(1025);
  for (std::size_t i = 0; i < found.size(); i += 33) found[i] = expected[i];
  EXPECT_THAT(guess(expected, found),
              StartsWith("every wrong element of out was never written: do the threads"));
}

TEST(Diagnosis, LastPartialBlockNotWritten) {
  Ints found = random_ints(1025);
  found[1024] = kPoison;
  EXPECT_THAT(guess(random_ints(1025), found), HasSubstr("from [1024] on was never written"));
  EXPECT_THAT(guess(random_ints(1025), found), HasSubstr("number of blocks rounded up"));
}

TEST(Diagnosis, OnlyTheFirstBlockWritten) {
  Ints found = random_ints(4096);
  std::fill(found.begin() + 256, found.end(), kPoison);
  EXPECT_THAT(guess(random_ints(4096), found),
              HasSubstr("from [256] on was never written: are enough blocks"));
}

TEST(Diagnosis, EveryOtherElementNotWritten) {
  Ints found = random_ints(1000);
  for (std::size_t i = 1; i < found.size(); i += 2) found[i] = kPoison;
  EXPECT_THAT(guess(random_ints(1000), found),
              StartsWith("every second element of out, from [1] on, was never written"));
}

TEST(Diagnosis, EveryThirtySecondWrong) {
  Ints found = random_ints(1024);
  for (std::size_t i = 31; i < found.size(); i += 32) found[i] += static_cast<std::int32_t>(i * i);
  EXPECT_THAT(guess(random_ints(1024), found), StartsWith("every 32nd element of out, from [31] on,"));
}

TEST(Diagnosis, AllZeros) {
  EXPECT_THAT(guess(random_ints(1000), Ints(1000, 0)), StartsWith("every element of out is 0"));
}

TEST(Diagnosis, SomeZeros) {
  Ints found = random_ints(1000);
  for (const std::size_t i : {5U, 6U, 300U}) found[i] = 0;
  EXPECT_THAT(guess(random_ints(1000), found), StartsWith("every wrong element of out is 0"));
}

TEST(Diagnosis, InclusiveWhereExclusiveIsWanted) {
  const Ints values = random_ints(100);
  Ints exclusive(100), inclusive(100);
  std::int32_t sum = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    exclusive[i] = sum;
    sum += values[i];
    inclusive[i] = sum;
  }
  EXPECT_THAT(guess(exclusive, inclusive), HasSubstr("inclusive where an exclusive one"));
  EXPECT_THAT(guess(inclusive, exclusive), HasSubstr("exclusive where an inclusive one"));
}

TEST(Diagnosis, OffByAConstant) {
  Ints found = random_ints(100);
  for (auto& value : found) value += 5;
  EXPECT_THAT(guess(random_ints(100), found), StartsWith("every element of out is 5 too large"));
  for (auto& value : found) value -= 7;
  EXPECT_THAT(guess(random_ints(100), found), StartsWith("every element of out is 2 too small"));
}

TEST(Diagnosis, FirstBlockRightOthersWrong) {
  Ints found = random_ints(4096);
  for (std::size_t i = 1024; i < found.size(); ++i) found[i] += static_cast<std::int32_t>(i / 1024);
  EXPECT_THAT(guess(random_ints(4096), found), StartsWith("the first 1024 elements are right"));
}

TEST(Diagnosis, OnlyTheLastPartialBlockWrong) {
  Ints found = random_ints(1000);
  for (std::size_t i = 992; i < found.size(); ++i) found[i] += static_cast<std::int32_t>(i * i);
  EXPECT_THAT(guess(random_ints(1000), found), StartsWith("only the last 8 of 1000 elements"));
}

TEST(Diagnosis, WrongSign) {
  Ints found = random_ints(100);
  for (auto& value : found) value = -value;
  EXPECT_THAT(guess(random_ints(100), found), HasSubstr("wrong sign"));
}

TEST(Diagnosis, NaN) {
  const std::vector<float> expected = {1, 2, 3}, found(3, std::numeric_limits<float>::quiet_NaN());
  EXPECT_THAT(likely_cause("out", output_of(expected), bytes_of(found)).sentence,
              StartsWith("every element of out is NaN"));
}

TEST(Diagnosis, KnownMistakeComesFirst) {
  course::Output output = output_of(random_ints(100));
  output.known_mistakes = [] {
    return std::vector<course::KnownMistake>{
        {"the wrong one", [] { return bytes_of(Ints(100, 9)); }},
        {"it is the input unchanged", [] { return bytes_of(Ints(100, 0)); }, "Change it."}};
  };
  const LikelyCause known = likely_cause("out", output, bytes_of(Ints(100, 0)));
  EXPECT_EQ(known.sentence, "it is the input unchanged");
  EXPECT_EQ(known.advice, "Change it.");
  EXPECT_EQ(known.basis, LikelyCause::Basis::known_mistake);
  EXPECT_THAT(likely_cause("out", output, bytes_of(random_ints(100))).sentence, IsEmpty());
}

TEST(Diagnosis, TheLaunchTellsMistakesApartThatLeaveTheSame) {
  course::Output output = output_of(random_ints(100));
  output.known_mistakes = [] {
    course::Mistakes<std::int32_t> mistakes(random_ints(100));
    const auto is_small = [](const course::Launch& launch) { return launch.threads() < 100; };
    mistakes.add("blocks are missing", Ints(100, 0), "Add one.", is_small);
    mistakes.add("the guard stops too early", Ints(100, 0), "Look at it.", std::not_fn(is_small));
    return mistakes.known();
  };
  const auto said = [&](const std::optional<Activity>& activity) {
    return likely_cause("out", output, bytes_of(Ints(100, 0)), activity).sentence;
  };
  Activity activity = kCopied;
  EXPECT_EQ(said(activity), "the guard stops too early");
  activity.launch->block = {96, 1, 1};
  EXPECT_EQ(said(activity), "blocks are missing");
  EXPECT_THAT(said({}), Not(AnyOf(HasSubstr("blocks"), HasSubstr("guard")))) << "the launch is not known";
}

TEST(Diagnosis, AMistakeInPartsIsMadeAsFarAsItIsWhatWasFound) {
  const Ints right = random_ints(5000);
  Ints shifted = right;
  for (int& one : shifted) ++one;
  std::size_t elements_of_other = 0;
  course::Output output = output_of(right);
  output.known_mistakes = [&] {
    course::Mistakes<std::int32_t> mistakes(right);
    mistakes.add_by_element("the other one", [&](std::size_t i) {
      elements_of_other = i + 1;
      return i < 1500 ? shifted[i] : right[i];
    });
    mistakes.add_in_parts("it ends early", [&](const course::TakePart& take) {
      take(std::as_bytes(std::span(shifted).first(100)));
    });
    mistakes.add_in_parts("it goes on", [&](const course::TakePart& take) {
      for (int i = 0; i < 2; ++i) take(std::as_bytes(std::span(shifted)));
    });
    mistakes.add_in_parts("it goes on after a difference", [&](const course::TakePart& take) {
      take(std::as_bytes(std::span(right)));
      take(std::as_bytes(std::span(shifted)));
    });
    mistakes.add_by_element("each is too large", [&](std::size_t i) { return shifted[i]; });
    return mistakes.known();
  };
  EXPECT_EQ(likely_cause("out", output, bytes_of(shifted)).sentence, "each is too large");
  EXPECT_GT(elements_of_other, 1500U);
  EXPECT_LT(elements_of_other, right.size());
  EXPECT_EQ(output.known_mistakes().back().output(), bytes_of(shifted));
}

TEST(Diagnosis, PositionsAreTheStudents) {
  course::Output output = output_of(random_ints(1025));
  output.position = [](std::size_t i) { return "segment " + std::to_string(i / 1024); };
  Ints found = random_ints(1025);
  found[1024] = kPoison;
  EXPECT_THAT(likely_cause("out", output, bytes_of(found)).sentence, HasSubstr("from segment 1 on"));
}

}  // namespace
}  // namespace lockstep::judge
