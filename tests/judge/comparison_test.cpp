// Elements compared with their tolerance: NaN, infinities, zeros, and what is reported of the wrong ones.
#include "judge/comparison.h"

#include <gtest/gtest.h>

#include <limits>

#include "outputs.h"

namespace lockstep::judge {
namespace {

constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();
constexpr float kFloatInfinity = std::numeric_limits<float>::infinity();

std::uint64_t wrong_floats(const std::vector<float>& expected, const std::vector<float>& found,
                           course::Tolerance tolerance = {}) {
  course::Output output = output_of(expected);
  output.tolerance = tolerance;
  return compare(output, bytes_of(found)).wrong;
}

TEST(Comparison, EqualIsRight) {
  EXPECT_EQ(wrong_floats({1, 2, 3}, {1, 2, 3}), 0U);
  EXPECT_EQ(wrong_floats({}, {}), 0U);
}

TEST(Comparison, NaNIsNeverRight) {
  for (const course::Tolerance tolerance : {course::Tolerance{}, course::Tolerance{1e30, 1e30}}) {
    EXPECT_EQ(wrong_floats({1}, {kNaN}, tolerance), 1U);
    EXPECT_EQ(wrong_floats({kNaN}, {1}, tolerance), 1U);
    EXPECT_EQ(wrong_floats({kNaN}, {kNaN}, tolerance), 1U);
  }
}

TEST(Comparison, InfinityOnlyEqualsItself) {
  for (const course::Tolerance tolerance : {course::Tolerance{}, course::Tolerance{1, 1}}) {
    EXPECT_EQ(wrong_floats({kFloatInfinity}, {kFloatInfinity}, tolerance), 0U);
    EXPECT_EQ(wrong_floats({kFloatInfinity}, {-kFloatInfinity}, tolerance), 1U);
    EXPECT_EQ(wrong_floats({kFloatInfinity}, {1}, tolerance), 1U);
    EXPECT_EQ(wrong_floats({1}, {kFloatInfinity}, tolerance), 1U);
  }
}

TEST(Comparison, ZerosOfBothSignsAreEqual) { EXPECT_EQ(wrong_floats({0.0F}, {-0.0F}), 0U); }

TEST(Comparison, ToleranceBoundsIncluded) {
  EXPECT_EQ(wrong_floats({100}, {101}, {.absolute = 1}), 0U);
  EXPECT_EQ(wrong_floats({100}, {101.00001F}, {.absolute = 1}), 1U);
  EXPECT_EQ(wrong_floats({-200}, {-202}, {.relative = 0.01}), 0U);
  EXPECT_EQ(wrong_floats({-200}, {-203}, {.relative = 0.01}), 1U);
}

TEST(Comparison, LargeIntegersAreComparedExactly) {
  const std::vector<std::int64_t> expected = {(std::int64_t{1} << 60) + 1}, found = {std::int64_t{1} << 60};
  EXPECT_EQ(compare(output_of(expected), bytes_of(found)).wrong, 1U);
}

TEST(Comparison, FirstFiveWithPositionExpectedAndFound) {
  const std::vector<std::int32_t> expected = {0, 1, 2, 3, 4, 5, 6, 7};
  const std::vector<std::int32_t> found = {0, -1, -2, -3, -4, -5, -6, 7};
  course::Output output = output_of(expected);
  const Comparison plain = compare(output, bytes_of(found));
  EXPECT_EQ(plain.wrong, 6U);
  EXPECT_EQ(plain.total, 8U);
  ASSERT_EQ(plain.first.size(), 5U);
  EXPECT_EQ(plain.first[0].position, "[1]");
  EXPECT_EQ(plain.first[0].expected, "1");
  EXPECT_EQ(plain.first[0].found, "-1");
  EXPECT_EQ(plain.first[4].position, "[5]");
  output.position = [](std::size_t i) { return "row " + std::to_string(i / 4); };
  EXPECT_EQ(compare(output, bytes_of(found)).first[3].position, "row 1");
}

TEST(Comparison, PoisonIsNamed) {
  const std::vector<std::int32_t> expected = {1}, found = {static_cast<std::int32_t>(0xCDCDCDCD)};
  EXPECT_EQ(compare(output_of(expected), bytes_of(found)).first[0].found, "never written");
}

TEST(Comparison, WhatWasAddedToPoisonIsNamed) {
  const std::vector<std::int64_t> expected = {3, 4},
                                  found = {static_cast<std::int64_t>(0xCDCDCDCDCDCDCDCD) + 3, -4};
  const Comparison comparison = compare(output_of(expected), bytes_of(found));
  EXPECT_EQ(comparison.first[0].found, "never written + 3");
  EXPECT_EQ(comparison.first[1].found, "-4");
}

TEST(Comparison, OneOfManyLooksAddedByChance) {
  std::vector<std::int32_t> expected(4096, 1), found = expected;
  found[7] = static_cast<std::int32_t>(0xCDCDCDCD + 5);
  EXPECT_EQ(compare(output_of(expected), bytes_of(found)).first[0].found, std::to_string(found[7]));
}

TEST(Comparison, BytesAreNeverWrittenInARow) {
  const std::vector<std::uint8_t> expected(9, 1), found = {1, 0xCD, 0xCD, 0xCD, 0xCD, 1, 1, 0xCD, 0xCD};
  const Comparison comparison = compare(output_of(expected), bytes_of(found));
  ASSERT_EQ(comparison.first.size(), 5U);
  for (std::size_t i = 0; i < 4; ++i) EXPECT_EQ(comparison.first[i].found, "never written") << i;
  EXPECT_EQ(comparison.first[4].found, "205") << "two may be a value";
}

TEST(Comparison, SnapshotOfAnotherSizeIsAFaultOfTheGrader) {
  const std::vector<std::int32_t> expected = {1, 2}, found = {1};
  EXPECT_THROW(compare(output_of(expected), bytes_of(found)), std::logic_error);
}

}  // namespace
}  // namespace lockstep::judge
