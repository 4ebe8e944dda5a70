// Each pattern of errors has its guess, and errors without a pattern have none.
#include "judge/diagnosis.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <limits>

#include "lockstep/random.h"
#include "outputs.h"

namespace lockstep::judge {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;
using Ints = std::vector<std::int32_t>;

constexpr auto kPoison = static_cast<std::int32_t>(0xCDCDCDCD);

Ints random_ints(std::size_t n) { return SplitMix64(7).integers(n, 1, 1'000'000); }

std::string guess(const Ints& expected, const Ints& found) {
  return likely_cause("out", output_of(expected), bytes_of(found));
}

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
  EXPECT_THAT(likely_cause("out", output_of(expected), bytes_of(found)),
              StartsWith("every element of out is NaN"));
}

TEST(Diagnosis, KnownMistakeComesFirst) {
  course::Output output = output_of(random_ints(100));
  output.known_mistakes = [] {
    return std::vector<course::KnownMistake>{
        {"the wrong one", [] { return bytes_of(Ints(100, 9)); }},
        {"it is the input unchanged", [] { return bytes_of(Ints(100, 0)); }}};
  };
  EXPECT_EQ(likely_cause("out", output, bytes_of(Ints(100, 0))), "it is the input unchanged");
  EXPECT_THAT(likely_cause("out", output, bytes_of(random_ints(100))), IsEmpty());
}

TEST(Diagnosis, PositionsAreTheStudents) {
  course::Output output = output_of(random_ints(1025));
  output.position = [](std::size_t i) { return "segment " + std::to_string(i / 1024); };
  Ints found = random_ints(1025);
  found[1024] = kPoison;
  EXPECT_THAT(likely_cause("out", output, bytes_of(found)), HasSubstr("from segment 1 on"));
}

}  // namespace
}  // namespace lockstep::judge
