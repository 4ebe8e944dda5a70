// What the judge of "sparse-matrix" expects, compared with a walk from the last nonzero to the first in whole
// numbers; what its inputs are, and what its report says.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

#include "course/poison.h"
#include "problem_access.h"

namespace lockstep::test::sparse_matrix_test {
namespace {

using Floats = std::vector<float>;

/// One call of a case.
struct Asked {
  explicit Asked(const course::Case& one, std::uint64_t seed = 7) {
    SplitMix64 random(seed);
    call = one.prepare(random);
    begins = input<int>(call, "row_begins");
    columns = input<int>(call, "column_indices");
    values = input<float>(call, "values");
    x = input<float>(call, "x");
    y = numbers<float>(argument(call, "y").output.expected);
    tolerance = argument(call, "y").output.tolerance;
  }

  int length(std::size_t row) const { return begins[row + 1] - begins[row]; }

  course::Call call;
  std::vector<int> begins, columns;
  Floats values, x, y;
  course::Tolerance tolerance;
};

/// The report of what `wrong` is: a known mistake's sentence or a remark.
std::string said_of(const course::Call& call, const Floats& wrong) {
  const course::Output& y = argument(call, "y").output;
  const course::Bytes found = course::bytes_of(wrong);
  for (const course::KnownMistake& mistake : y.known_mistakes()) {
    if (mistake.output() == found) return mistake.sentence;
  }
  return y.remark(y.expected, found).sentence;
}

const course::Case& case_named(const std::string& name) {
  const std::vector<course::Case>& cases = problem("sparse-matrix").cases;
  const auto one = std::ranges::find(cases, name, &course::Case::name);
  if (one == cases.end()) throw std::runtime_error("no case is named " + name);
  return *one;
}

TEST(SparseMatrix, IsInCompressedRowsWithAscendingColumns) {
  for (const course::Case& one : problem("sparse-matrix").cases) {
    SCOPED_TRACE(one.name);
    const Asked asked(one);
    ASSERT_EQ(asked.begins.size(), static_cast<std::size_t>(scalar(asked.call, "rows")) + 1);
    ASSERT_EQ(asked.x.size(), static_cast<std::size_t>(scalar(asked.call, "columns")));
    ASSERT_EQ(asked.values.size(), static_cast<std::size_t>(scalar(asked.call, "nonzeros")));
    ASSERT_EQ(asked.columns.size(), asked.values.size());
    ASSERT_EQ(asked.begins.front(), 0);
    ASSERT_EQ(asked.begins.back(), scalar(asked.call, "nonzeros"));
    ASSERT_EQ(static_cast<double>(asked.values.size()), one.cost.elements);
    for (std::size_t row = 0; row < asked.y.size(); ++row) {
      ASSERT_GE(asked.length(row), 0);
      for (int i = asked.begins[row]; i < asked.begins[row + 1]; ++i) {
        const int column = asked.columns[static_cast<std::size_t>(i)];
        ASSERT_GE(column, i == asked.begins[row] ? 0 : asked.columns[static_cast<std::size_t>(i) - 1] + 1);
        ASSERT_LT(column, scalar(asked.call, "columns"));
      }
    }
  }
}

TEST(SparseMatrix, ExpectsTheSumOfEachRowWhichIsExactInAnyOrder) {
  for (const course::Case& one : problem("sparse-matrix").cases) {
    SCOPED_TRACE(one.name);
    const Asked asked(one);
    if (asked.tolerance.relative > 0) continue;
    std::vector<std::int64_t> sums(asked.y.size()), magnitudes(asked.y.size());
    std::size_t row = asked.y.size();
    for (std::size_t i = asked.values.size(); i-- > 0;) {
      while (asked.begins[row] > static_cast<int>(i)) --row;
      const auto value = std::lround(asked.values[i]);
      const auto factor = std::lround(asked.x[static_cast<std::size_t>(asked.columns[i])]);
      ASSERT_EQ(static_cast<float>(value), asked.values[i]);
      ASSERT_NE(value * factor, 0) << "a product that is lost must show";
      sums[row] += value * factor;
      magnitudes[row] += std::abs(value * factor);
    }
    for (row = 0; row < asked.y.size(); ++row) {
      ASSERT_LT(magnitudes[row], 1 << 24) << "row " << row;
      ASSERT_EQ(asked.y[row], static_cast<float>(sums[row])) << "row " << row;
    }
  }
}

// A float per row, from the first product to the last and from the last to the first: what may differ most.
TEST(SparseMatrix, AllowsAnyOrderOfFractionsAndNotTheirHalfPrecision) {
  const Asked asked(case_named("3001 x 2003, fractions"));
  double worst = 0;
  std::size_t coarse = 0;
  for (std::size_t row = 0; row < asked.y.size(); ++row) {
    float up = 0, down = 0, rounded = 0;
    const auto product = [&asked](int i) {
      const auto at = static_cast<std::size_t>(i);
      return asked.values[at] * asked.x[static_cast<std::size_t>(asked.columns[at])];
    };
    for (int i = asked.begins[row]; i < asked.begins[row + 1]; ++i) up += product(i);
    for (int i = asked.begins[row + 1]; i-- > asked.begins[row];) down += product(i);
    for (int i = asked.begins[row]; i < asked.begins[row + 1]; ++i) {
      const auto at = static_cast<std::size_t>(i);
      rounded +=
          std::round(asked.values[at] * 2048) / 2048 * asked.x[static_cast<std::size_t>(asked.columns[at])];
    }
    for (const float sum : {up, down})
      worst = std::max(worst, std::abs(static_cast<double>(sum) - asked.y[row]) / asked.y[row]);
    coarse += std::abs(static_cast<double>(rounded) - asked.y[row]) > asked.tolerance.relative * asked.y[row];
  }
  EXPECT_GT(worst, 0);
  EXPECT_LT(worst, asked.tolerance.relative);
  EXPECT_GT(coarse, asked.y.size() / 2);
}

TEST(SparseMatrix, CoversTheEdgeCases) {
  std::set<int> rows;
  bool any_first_empty = false, any_last_empty = false, any_none = false, any_long = false, any_dense = false;
  for (const course::Case& one : problem("sparse-matrix").cases) {
    const Asked asked(one);
    rows.insert(scalar(asked.call, "rows"));
    if (asked.y.empty()) continue;
    any_none |= asked.values.empty();
    any_first_empty |= asked.length(0) == 0 && !asked.values.empty();
    any_last_empty |= asked.length(asked.y.size() - 1) == 0 && !asked.values.empty();
    int longest = 0;
    for (std::size_t row = 0; row < asked.y.size(); ++row) longest = std::max(longest, asked.length(row));
    any_long |= longest > 4096 && asked.y.size() > 1 && asked.length(0) > 2048;
    any_dense |= asked.y.size() > 100'000 && longest == scalar(asked.call, "nonzeros") && longest > 0;
  }
  for (const int count : {0, 1, 31, 32, 33, 1023, 1024, 1025, 3001})
    EXPECT_TRUE(rows.contains(count)) << count;
  EXPECT_TRUE(any_first_empty && any_last_empty && any_none && any_long && any_dense);
}

TEST(SparseMatrix, SaysWhichEndOfARowIsThere) {
  const Asked asked(case_named("1 x 5000, 3001 nonzeros"));
  const auto sum_of = [&asked](std::size_t first, std::size_t end) {
    double sum = 0;
    for (std::size_t i = first; i < end; ++i)
      sum += static_cast<double>(asked.values[i]) * asked.x[static_cast<std::size_t>(asked.columns[i])];
    return Floats{static_cast<float>(sum)};
  };
  EXPECT_THAT(said_of(asked.call, sum_of(0, 2817)),
              testing::HasSubstr("has the sum of the first 2817 of its"));
  EXPECT_THAT(said_of(asked.call, sum_of(1003, 3001)), testing::HasSubstr("the sum of the last 1998 of its"));
  EXPECT_EQ(said_of(asked.call, {std::nanf("")}), "");
}

TEST(SparseMatrix, NamesRowsWithoutNonzerosThatAreLeftOut) {
  const Asked asked(case_named("20011 x 7919, most rows empty"));
  Floats wrong = asked.y;
  for (std::size_t row = 0; row < wrong.size(); ++row) {
    if (asked.length(row) == 0) wrong[row] = course::never_written<float>();
  }
  EXPECT_EQ(said_of(asked.call, wrong), "the rows without nonzeros were never written");
}

TEST(SparseMatrix, NamesARowWithoutNonzerosThatHoldsASum) {
  const Asked asked(case_named("20011 x 7919, most rows empty"));
  Floats wrong = asked.y;
  for (std::size_t row = 0; row < wrong.size(); ++row) {
    if (asked.length(row) > 0 || row < 100) continue;
    wrong[row] = 12;
    EXPECT_EQ(said_of(asked.call, wrong),
              "row " + std::to_string(row) + " has no nonzeros, and holds what belongs to another row");
    break;
  }
}

TEST(SparseMatrix, AsksForTheWorkspaceWithRowsAndNonzeros) {
  const auto& query = problem("sparse-matrix").workspace;
  ASSERT_TRUE(query);
  const Asked asked(case_named("20000 x 4000, 3001 nonzeros"));
  EXPECT_THAT(query->arguments(asked.call), testing::ElementsAre(20000U, 3001U));
  EXPECT_EQ(query->limit_bytes(asked.call), 12 * 23001 + 65536U);
}

}  // namespace
}  // namespace lockstep::test::sparse_matrix_test
