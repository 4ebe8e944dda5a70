// The rows that the judge of "coalescing" expects, compared with the task's own sentences in double
// precision.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "problem_access.h"

namespace lockstep::test::coalescing_test {
namespace {

constexpr int kRows = 8;  // x, y, z, mass, vx, vy, vz, charge

float step_of(const course::Call& call) {
  float value = 0;
  std::memcpy(&value, &argument(call, "time_step").scalar_bits, sizeof value);
  return value;
}

/// A product or a sum that is not rounded has the same value in double.
TEST(Coalescing, EveryMemberIsInItsRowAndNothingIsRounded) {
  for (const course::Case& one : problem("coalescing").cases) {
    SplitMix64 random(7);
    const course::Call call = one.prepare(random);
    const std::vector<float> in = numbers<float>(argument(call, "particles").input);
    const std::vector<float> out = numbers<float>(argument(call, "fields").output.expected);
    const auto n = static_cast<std::size_t>(scalar(call, "n"));
    const auto pitch = static_cast<std::size_t>(scalar(call, "pitch"));
    const double step = step_of(call);
    ASSERT_EQ(in.size(), kRows * n) << one.name;
    ASSERT_EQ(out.size(), kRows * pitch) << one.name;
    ASSERT_EQ(pitch % 32, 0U) << one.name;
    for (std::size_t row = 0; row < kRows; ++row) {
      for (std::size_t i = 0; i < pitch; ++i) {
        double expected = i < n ? in[kRows * i + row] : 0;
        if (i < n && row < 3) expected += step * in[kRows * i + row + 4];
        ASSERT_EQ(static_cast<double>(out[row * pitch + i]), expected)
            << one.name << ", row " << row << ", column " << i;
      }
    }
  }
}

TEST(Coalescing, AParticleThatIsZeroWasTakenForPadding) {
  SplitMix64 random(7);
  const course::Case& one = problem("coalescing").cases.at(4);  // 33 in rows of 64
  const course::Output fields = argument(one.prepare(random), "fields").output;
  const std::vector<float> right = numbers<float>(fields.expected);
  const auto remark_without = [&](std::size_t particles, std::size_t rows) {
    std::vector<float> found = right;
    for (std::size_t row = 0; row < rows; ++row)
      std::fill_n(found.begin() + static_cast<std::ptrdiff_t>(row * 64), particles, 0.0F);
    return fields.remark(fields.expected, std::as_bytes(std::span(found)));
  };
  EXPECT_EQ(remark_without(1, kRows).sentence,
            "particle 0 is 0 in all members, as padding is, and all else is right");
  EXPECT_THAT(remark_without(1, kRows).advice, testing::HasSubstr("column 0? It must be column < n. "));
  EXPECT_THAT(remark_without(3, kRows).sentence, testing::StartsWith("particle 0 and 2 more are 0"));
  EXPECT_EQ(remark_without(1, 3).sentence, "") << "what else it has, it was not taken for padding";
  EXPECT_EQ(remark_without(33, kRows).sentence, "") << "nothing was stored at all";
}

TEST(Coalescing, EveryParticleMovesInEveryDirection) {
  for (const course::Case& one : problem("coalescing").cases) {
    SplitMix64 random(7);
    const course::Call call = one.prepare(random);
    EXPECT_NE(step_of(call), 0) << one.name;
    const std::vector<float> in = numbers<float>(argument(call, "particles").input);
    for (std::size_t i = 0; i < in.size(); ++i) ASSERT_NE(in[i], 0) << one.name << ", float " << i;
  }
}

TEST(Coalescing, CoversTheEdgeCases) {
  std::set<int> sizes;
  bool has_long_rows = false, has_full_rows = false;
  for (const course::Case& one : problem("coalescing").cases) {
    SplitMix64 random(7);
    const course::Call call = one.prepare(random);
    const int n = scalar(call, "n"), pitch = scalar(call, "pitch");
    sizes.insert(n);
    has_long_rows = has_long_rows || pitch > 2 * n;
    has_full_rows = has_full_rows || (n > 0 && pitch == n);
  }
  for (const int size : {0, 1, 31, 32, 33, 257, 1023, 1024, 1025, 7919})
    EXPECT_TRUE(sizes.contains(size)) << size;
  EXPECT_TRUE(has_long_rows && has_full_rows);
}

TEST(Coalescing, TellsPositionsInTermsOfTheOutput) {
  SplitMix64 random(7);
  const course::Case* padded = nullptr;
  for (const course::Case& one : problem("coalescing").cases) {
    if (one.name == "33 in rows of 64") padded = &one;
  }
  ASSERT_NE(padded, nullptr);
  const course::Call call = padded->prepare(random);
  const auto& position = argument(call, "fields").output.position;
  EXPECT_EQ(position(0), "x of particle 0");
  EXPECT_EQ(position(3 * 64 + 32), "mass of particle 32");
  EXPECT_EQ(position(7 * 64 + 33), "charge, padding at 33");
}

TEST(Coalescing, StatesAnElementForEachThatMoves) { expect_elements_are_words_of_output("coalescing"); }

}  // namespace
}  // namespace lockstep::test::coalescing_test
