// The transpose that the judge expects, compared with the task's own sentence element by element.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "problem_access.h"

namespace lockstep::test::transpose_test {
namespace {

constexpr std::size_t kSmall = 100000;  // elements; larger cases are the same code

/// Bits of floats, so that equal means identical.
using Words = std::vector<std::uint32_t>;

std::size_t count_different(Words words) {
  std::ranges::sort(words);
  return words.size() - std::ranges::unique(words).size();
}

TEST(Transpose, EveryElementIsWhereTheTaskSays) {
  std::size_t checked = 0;
  for (const course::Case& one : problem("transpose").cases) {
    SplitMix64 random(7);
    const course::Call call = one.prepare(random);
    const Words in = numbers<std::uint32_t>(argument(call, "in").input);
    const Words out = numbers<std::uint32_t>(argument(call, "out").output.expected);
    const auto rows = static_cast<std::size_t>(scalar(call, "rows"));
    const auto columns = static_cast<std::size_t>(scalar(call, "columns"));
    ASSERT_EQ(in.size(), rows * columns) << one.name;
    ASSERT_EQ(out.size(), in.size()) << one.name;
    if (in.size() > kSmall) continue;
    for (std::size_t i = 0; i < in.size(); ++i) {
      const std::size_t row = i / columns, column = i % columns;
      ASSERT_EQ(out[column * rows + row], in[i]) << one.name << ", row " << row << ", column " << column;
      ++checked;
    }
  }
  EXPECT_GT(checked, 100000U);
}

TEST(Transpose, CoversTheEdgeCases) {
  std::set<int> sizes;
  for (const course::Case& one : problem("transpose").cases) {
    SplitMix64 random(7);
    const course::Call call = one.prepare(random);
    sizes.insert({scalar(call, "rows"), scalar(call, "columns")});
  }
  for (const int size : {0, 1, 31, 32, 33, 127, 1023, 1024, 1025}) EXPECT_TRUE(sizes.contains(size)) << size;
}

TEST(Transpose, NoElementOfAMeasuredCaseTellsAnother) {
  for (const course::Case& one : problem("transpose").cases) {
    if (!one.measured) continue;
    SplitMix64 random(7);
    const Words in = numbers<std::uint32_t>(argument(one.prepare(random), "in").input);
    Words steps(in.size());
    std::adjacent_difference(in.begin(), in.end(), steps.begin());
    // Infinities and the tiniest numbers come more than once.
    EXPECT_GT(count_different(in), in.size() / 10 * 9) << one.name;
    EXPECT_GT(count_different(steps), in.size() / 10 * 9) << one.name;
  }
}

TEST(Transpose, TellsPositionsInTermsOfTheOutput) {
  SplitMix64 random(7);
  const course::Case* wide = nullptr;
  for (const course::Case& one : problem("transpose").cases) {
    if (one.name == "31 x 33") wide = &one;
  }
  ASSERT_NE(wide, nullptr);
  const course::Call call = wide->prepare(random);
  // `out` has 33 rows of 31 elements.
  EXPECT_EQ(argument(call, "out").output.position(31), "row 1, column 0");
  EXPECT_EQ(argument(call, "out").output.position(33 * 31 - 1), "row 32, column 30");
}

TEST(Transpose, StatesAnElementForEachThatMoves) { expect_elements_are_words_of_output("transpose"); }

}  // namespace
}  // namespace lockstep::test::transpose_test
