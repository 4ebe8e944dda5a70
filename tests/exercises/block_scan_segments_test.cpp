// The sums that the judge of "block-scan-segments" expects, compared with sums that each go back from their
// element to where its segment begins.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <set>
#include <vector>

#include "problem_access.h"

namespace lockstep::test::block_scan_segments_test {
namespace {

/// The sum from where the segment of an element begins, in 64 bits.
std::int64_t sum_of_segment(const std::vector<int>& values, const std::vector<int>& flags, int columns,
                            int row, int column) {
  const auto at = [=](const std::vector<int>& matrix, int c) {
    return matrix[static_cast<std::size_t>(row * columns + c)];
  };
  std::int64_t sum = at(values, column);
  for (int c = column; c > 0 && at(flags, c) == 0; --c) sum += at(values, c - 1);
  return sum;
}

TEST(BlockScanSegments, EverySumGoesBackToWhereItsSegmentBegins) {
  for (const course::Case& one : problem("block-scan-segments").cases) {
    SplitMix64 random(7);
    const course::Call call = one.prepare(random);
    const std::vector<int> values = input<int>(call, "values"), flags = input<int>(call, "flags");
    const std::vector<int> out = expected<int>(call);
    const int rows = scalar(call, "rows"), columns = scalar(call, "columns");
    ASSERT_EQ(values.size(), static_cast<std::size_t>(rows) * static_cast<std::size_t>(columns)) << one.name;
    ASSERT_EQ(flags.size(), values.size()) << one.name;
    ASSERT_EQ(out.size(), values.size()) << one.name;
    for (int row = 0; row < rows; ++row) {
      for (int column = 0; column < columns; ++column) {
        const std::int64_t sum = sum_of_segment(values, flags, columns, row, column);
        ASSERT_LE(std::abs(sum), std::numeric_limits<int>::max());
        ASSERT_EQ(out[static_cast<std::size_t>(row * columns + column)], sum)
            << one.name << ", row " << row << ", column " << column;
      }
    }
  }
}

TEST(BlockScanSegments, CoversTheEdgeCases) {
  std::set<int> sizes;
  bool first_of_a_warp = false, second_row = false, whole_row = false;
  for (const course::Case& one : problem("block-scan-segments").cases) {
    SplitMix64 random(7);
    const course::Call call = one.prepare(random);
    const int rows = scalar(call, "rows"), columns = scalar(call, "columns");
    EXPECT_LE(columns, 1024) << one.name;
    sizes.insert({rows, columns});
    const std::vector<int> flags = input<int>(call, "flags");
    for (int row = 0; row < rows && columns > 0; ++row) {
      const auto first = flags.begin() + row * columns;
      second_row = second_row || (row > 0 && *first == 0);
      whole_row = whole_row ||
                  (columns > 32 && std::all_of(first, first + columns, [](int flag) { return flag == 0; }));
      for (int warp = 32; warp < columns; warp += 32) first_of_a_warp = first_of_a_warp || first[warp] != 0;
    }
  }
  for (const int size : {0, 1, 31, 32, 33, 127, 997, 1023, 1024, 1025})
    EXPECT_TRUE(sizes.contains(size)) << size;
  EXPECT_TRUE(first_of_a_warp) << "no warp but the first begins with a flag";
  EXPECT_TRUE(second_row) << "no row but the first begins without a flag";
  EXPECT_TRUE(whole_row) << "no row goes on over warps without a flag";
}

TEST(BlockScanSegments, StatesAnElementForEachSum) {
  expect_elements_are_words_of_output("block-scan-segments");
}

}  // namespace
}  // namespace lockstep::test::block_scan_segments_test
