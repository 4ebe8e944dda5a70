// The values that the judge of "scan-recurrence" expects, compared with the sum that the recurrence stands
// for; and the workspace.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <set>
#include <vector>

#include "problem_access.h"

namespace lockstep::test::scan_recurrence_test {
namespace {

using Words = std::vector<std::uint32_t>;

/// Without the recurrence: every b up to element i times all factors after it, and first times all factors.
/// In words of 64 bits, of which each step keeps the lowest 32.
std::uint32_t value_of(const Words& a, const Words& b, std::uint32_t first, std::size_t i) {
  constexpr std::uint64_t kWord = std::uint64_t{1} << 32;
  std::uint64_t sum = 0, factors = 1;
  for (std::size_t j = i + 1; j-- > 0;) {
    sum = (sum + factors * b[j]) % kWord;
    factors = factors * a[j] % kWord;
  }
  return static_cast<std::uint32_t>((sum + factors * first) % kWord);
}

TEST(ScanRecurrence, EveryValueIsASumOfProducts) {
  constexpr std::size_t kAllValues = 2048;  // up to this length each is formed anew, beyond it some
  for (const course::Case& one : problem("scan-recurrence").cases) {
    SplitMix64 random(7);
    const course::Call call = one.prepare(random);
    const Words a = input<std::uint32_t>(call, "a"), b = input<std::uint32_t>(call, "b");
    const auto x = numbers<std::uint32_t>(argument(call, "x").output.expected);
    const auto first = static_cast<std::uint32_t>(scalar(call, "first"));
    ASSERT_EQ(a.size(), static_cast<std::size_t>(scalar(call, "n"))) << one.name;
    ASSERT_EQ(b.size(), a.size()) << one.name;
    ASSERT_EQ(x.size(), a.size()) << one.name;
    const std::size_t step = x.size() <= kAllValues ? 1 : x.size() / 13;
    for (std::size_t i = 0; i < x.size(); i += step)
      ASSERT_EQ(x[i], value_of(a, b, first, i)) << one.name << ", element " << i;
  }
}

TEST(ScanRecurrence, CoversTheEdgeCases) {
  std::set<int> sizes;
  for (const course::Case& one : problem("scan-recurrence").cases) {
    SplitMix64 random(7);
    sizes.insert(scalar(one.prepare(random), "n"));
  }
  for (const int size : {0, 1, 31, 32, 33, 1023, 1024, 1025, 7919}) EXPECT_TRUE(sizes.contains(size)) << size;
  EXPECT_GT(*sizes.rbegin(), 1 << 20) << "no case has more tiles of 1024 than a block has threads";
}

/// An even factor loses a bit of what lies before, so that a value that a tile forgets would not show.
TEST(ScanRecurrence, WhereItCountsEveryValueDependsOnAllBefore) {
  for (const course::Case& one : problem("scan-recurrence").cases) {
    if (!one.measured) continue;
    SplitMix64 random(7);
    const Words a = input<std::uint32_t>(one.prepare(random), "a");
    EXPECT_TRUE(std::ranges::all_of(a, [](std::uint32_t factor) { return factor % 2 == 1; })) << one.name;
  }
}

TEST(ScanRecurrence, AsksForTheWorkspaceWithTheLengthOfTheCall) {
  const std::optional<course::WorkspaceQuery>& query = problem("scan-recurrence").workspace;
  ASSERT_TRUE(query);
  for (const course::Case& one : problem("scan-recurrence").cases) {
    SplitMix64 random(7);
    const course::Call call = one.prepare(random);
    const auto n = static_cast<std::uint64_t>(scalar(call, "n"));
    EXPECT_THAT(query->arguments(call), testing::ElementsAre(n)) << one.name;
    EXPECT_EQ(query->limit_bytes(call), 8 * n + 65536) << one.name;
  }
}

TEST(ScanRecurrence, StatesAnElementForEachValue) { expect_elements_are_words_of_output("scan-recurrence"); }

}  // namespace
}  // namespace lockstep::test::scan_recurrence_test
