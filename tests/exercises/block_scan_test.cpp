// The sums that the judge of "block-scan" expects, compared with sums that each start from nothing.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <numeric>
#include <set>
#include <vector>

#include "problem_access.h"

namespace lockstep::test::block_scan_test {
namespace {

TEST(BlockScan, EverySumIsOfTheElementsBeforeItInItsSegment) {
  for (const course::Case& one : problem("block-scan").cases) {
    if (one.measured) continue;  // quadratic work; the same code
    SplitMix64 random(7);
    const course::Call call = one.prepare(random);
    const std::vector<int> in = numbers<int>(argument(call, "in").input);
    const std::vector<int> out = numbers<int>(argument(call, "out").output.expected);
    const int segments = scalar(call, "segments"), length = scalar(call, "length");
    ASSERT_EQ(in.size(), static_cast<std::size_t>(segments) * static_cast<std::size_t>(length)) << one.name;
    ASSERT_EQ(out.size(), in.size()) << one.name;
    for (int segment = 0; segment < segments; ++segment) {
      const auto first = in.begin() + segment * length;
      for (int i = 0; i < length; ++i) {
        const std::int64_t sum = std::accumulate(first, first + i, std::int64_t{0});
        ASSERT_EQ(out[static_cast<std::size_t>(segment * length + i)], sum)
            << one.name << ", segment " << segment << ", element " << i;
      }
    }
  }
}

TEST(BlockScan, CoversTheEdgeCases) {
  std::set<int> sizes;
  for (const course::Case& one : problem("block-scan").cases) {
    SplitMix64 random(7);
    const course::Call call = one.prepare(random);
    EXPECT_LE(scalar(call, "length"), 1024) << one.name;
    sizes.insert({scalar(call, "segments"), scalar(call, "length")});
  }
  for (const int size : {0, 1, 31, 32, 33, 997, 1023, 1024, 1025}) EXPECT_TRUE(sizes.contains(size)) << size;
}

TEST(BlockScan, NoRunOfElementsAddsUpToMoreThanAnInt) {
  std::int64_t widest = 0;
  for (const course::Case& one : problem("block-scan").cases) {
    SplitMix64 random(7);
    const std::vector<int> in = numbers<int>(argument(one.prepare(random), "in").input);
    std::int64_t sum = 0, lowest = 0, highest = 0;
    for (const int value : in) {
      sum += value;
      lowest = std::min(lowest, sum);
      highest = std::max(highest, sum);
    }
    ASSERT_LE(highest - lowest, std::numeric_limits<int>::max()) << one.name;
    widest = std::max(widest, highest - lowest);
  }
  EXPECT_GT(widest, std::int64_t{1} << 29) << "no case needs all the bits of an int";
}

TEST(BlockScan, StatesAnElementForEachSum) { expect_elements_are_words_of_output("block-scan"); }

}  // namespace
}  // namespace lockstep::test::block_scan_test
