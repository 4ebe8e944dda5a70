// The sums that the judge of "scan" expects, compared with sums that each start from nothing; and the
// workspace.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <numeric>
#include <set>
#include <vector>

#include "problem_access.h"

namespace lockstep::test::scan_test {
namespace {

constexpr std::size_t kAllSums =
    8192;  // up to this length every sum is formed anew, beyond it one in a prime

TEST(Scan, EverySumIsOfTheElementsBeforeIt) {
  for (const course::Case& one : problem("scan").cases) {
    SplitMix64 random(7);
    const course::Call call = one.prepare(random);
    const std::vector<int> in = numbers<int>(argument(call, "in").input);
    const std::vector<int> out = numbers<int>(argument(call, "out").output.expected);
    ASSERT_EQ(in.size(), static_cast<std::size_t>(scalar(call, "n"))) << one.name;
    ASSERT_EQ(out.size(), in.size()) << one.name;
    const std::size_t step = in.size() <= kAllSums ? 1 : 49999;
    for (std::size_t i = 0; i < in.size(); i += step) {
      const std::int64_t sum =
          std::accumulate(in.begin(), in.begin() + static_cast<std::ptrdiff_t>(i), std::int64_t{0});
      ASSERT_EQ(out[i], sum) << one.name << ", element " << i;
    }
  }
}

TEST(Scan, CoversTheEdgeCases) {
  std::set<int> sizes;
  for (const course::Case& one : problem("scan").cases) {
    SplitMix64 random(7);
    sizes.insert(scalar(one.prepare(random), "n"));
  }
  for (const int size : {0, 1, 31, 32, 33, 1023, 1024, 1025, 7919}) EXPECT_TRUE(sizes.contains(size)) << size;
  EXPECT_GT(*sizes.rbegin(), 1 << 20) << "no case has more tiles of 1024 than a block has threads";
}

TEST(Scan, NoRunOfElementsAddsUpToMoreThanAnInt) {
  std::int64_t widest = 0;
  for (const course::Case& one : problem("scan").cases) {
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

/// Whatever the seed and the length of a tile, what is carried on to the second tile loses a bit in a word
/// that keeps two of its 32 for a flag.
TEST(Scan, EverySumOfTheWideCaseNeedsAllTheBits) {
  const std::vector<course::Case> cases = problem("scan").cases;
  const auto wide = std::find_if(cases.begin(), cases.end(), [](const course::Case& one) {
    return one.purpose == "sums that need every bit of an int";
  });
  ASSERT_NE(wide, cases.end());
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    SplitMix64 random(seed);
    const std::vector<int> sums = numbers<int>(argument(wide->prepare(random), "out").output.expected);
    EXPECT_GE(*std::min_element(sums.begin() + 1, sums.end()), 1 << 30) << "seed " << seed;
  }
}

TEST(Scan, AsksForTheWorkspaceWithTheLengthOfTheCall) {
  const std::optional<course::WorkspaceQuery>& query = problem("scan").workspace;
  ASSERT_TRUE(query);
  for (const course::Case& one : problem("scan").cases) {
    SplitMix64 random(7);
    const course::Call call = one.prepare(random);
    const auto n = static_cast<std::uint64_t>(scalar(call, "n"));
    EXPECT_THAT(query->arguments(call), testing::ElementsAre(n)) << one.name;
    EXPECT_EQ(query->limit_bytes(call), n / 16 + 65536) << one.name;
  }
}

TEST(Scan, StatesAnElementForEachSum) { expect_elements_are_words_of_output("scan"); }

}  // namespace
}  // namespace lockstep::test::scan_test
