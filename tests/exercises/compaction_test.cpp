// What the judge of "compaction" expects, compared with a walk from the end; what its inputs and its room for
// the output show; and the workspace.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "course/poison.h"
#include "problem_access.h"

namespace lockstep::test::compaction_test {
namespace {

using Elements = std::vector<std::uint32_t>;

/// One call of a case.
struct Asked {
  explicit Asked(const course::Case& one) {
    SplitMix64 random(7);
    const course::Call call = one.prepare(random);
    in = input<std::uint32_t>(call, "in");
    limit = static_cast<std::uint32_t>(scalar(call, "limit"));
    out = numbers<std::uint32_t>(argument(call, "out").output.expected);
    count = numbers<std::uint32_t>(argument(call, "count").output.expected).at(0);
    n = static_cast<std::size_t>(scalar(call, "n"));
  }

  Elements in, out;
  std::uint32_t limit = 0, count = 0;
  std::size_t n = 0;
};

/// All cases, and the shortest of the timed ones.
std::vector<course::Case> all_cases() {
  std::vector<course::Case> all = problem("compaction").cases;
  all.push_back(problem("compaction").speed->sizes.front());
  return all;
}

/// The report of what `wrong` is, in place of the output named so: a known mistake's sentence or a remark.
std::string said_of(const course::Call& call, const char* name, const Elements& wrong) {
  const course::Output& output = argument(call, name).output;
  const course::Bytes found = course::bytes_of(wrong);
  for (const course::KnownMistake& mistake : output.known_mistakes()) {
    if (mistake.output() == found) return mistake.sentence;
  }
  return output.remark ? output.remark(output.expected, found).sentence : "";
}

TEST(Compaction, TakesWhatIsLessFromTheEndToTheBegin) {
  for (const course::Case& one : all_cases()) {
    const Asked asked(one);
    ASSERT_EQ(asked.in.size(), asked.n) << one.name;
    ASSERT_LE(asked.count, asked.out.size()) << one.name;
    std::size_t left = asked.count;
    for (std::size_t i = asked.n; i-- > 0;) {
      if (std::max(asked.in[i], asked.limit) == asked.in[i]) continue;
      ASSERT_GT(left, 0U) << one.name;
      ASSERT_EQ(asked.out[--left], asked.in[i]) << one.name << ", element " << i;
    }
    EXPECT_EQ(left, 0U) << one.name;
    for (std::size_t i = asked.count; i < asked.out.size(); ++i)
      ASSERT_EQ(asked.out[i], course::never_written<std::uint32_t>()) << one.name << ", element " << i;
  }
}

TEST(Compaction, CoversTheEdgeCases) {
  std::set<std::size_t> sizes;
  bool any_keeps_nothing = false, any_keeps_all = false, any_keeps_the_last = false;
  for (const course::Case& one : problem("compaction").cases) {
    const Asked asked(one);
    sizes.insert(asked.n);
    if (asked.n < 2) continue;
    any_keeps_nothing |= asked.count == 0;
    any_keeps_all |= asked.count == asked.n;
    any_keeps_the_last |= asked.count == 1 && asked.in.back() < asked.limit;
  }
  for (const std::size_t size : {0, 1, 31, 32, 33, 1023, 1024, 1025, 7919})
    EXPECT_TRUE(sizes.contains(size)) << size;
  EXPECT_GT(*sizes.rbegin(), 1U << 20) << "no case has more tiles of 1024 than a block has threads";
  EXPECT_TRUE(any_keeps_nothing && any_keeps_all && any_keeps_the_last);
}

// Where out has no room a store behind it is found; where it has, what a mistake leaves can be named.
TEST(Compaction, OutEndsBehindWhatIsKeptInMostCases) {
  std::size_t exact = 0, spare = 0;
  for (const course::Case& one : problem("compaction").cases) {
    const Asked asked(one);
    (asked.out.size() == asked.count ? exact : spare) += 1;
    if (one.measured) {
      EXPECT_EQ(asked.out.size(), asked.n) << "its calls keep different numbers of elements";
    }
  }
  EXPECT_GE(exact, 12U);
  EXPECT_GE(spare, 4U);
}

TEST(Compaction, HasElementsThatEqualTheLimitAndSomeOnBothSidesOfTheSign) {
  std::size_t with_equal = 0;
  bool any_low = false, any_high = false;
  for (const course::Case& one : problem("compaction").cases) {
    const Asked asked(one);
    with_equal += std::ranges::count(asked.in, asked.limit) > 0 ? 1 : 0;
    const std::uint32_t middle = 1U << 31;
    any_low |= asked.limit < middle && std::ranges::max(asked.in.empty() ? Elements{0} : asked.in) >= middle;
    any_high |= asked.limit > middle && asked.count > 0;
  }
  EXPECT_GE(with_equal, 15U);
  EXPECT_TRUE(any_low && any_high) << "a comparison with signs would be right";
}

TEST(Compaction, KeepsAsMuchAsTheCostOfATimedCaseSays) {
  const course::Case& one = problem("compaction").speed->sizes.front();
  const Asked asked(one);
  EXPECT_EQ(asked.out.size(), asked.n) << "calls of a timed case must not differ in size";
  const auto moved = static_cast<double>(sizeof(std::uint32_t) * (asked.n + asked.count));
  EXPECT_NEAR(one.cost.global_bytes, moved, 0.02 * moved);
}

TEST(Compaction, NoNeighboursThatAreKeptAreEqualWhereItCounts) {
  for (const course::Case& one : problem("compaction").cases) {
    if (!one.measured) continue;
    const Asked asked(one);
    std::size_t equal = 0;
    for (std::size_t i = 1; i < asked.count; ++i) equal += asked.out[i] == asked.out[i - 1] ? 1 : 0;
    EXPECT_LE(equal, 2U) << "an exchange of neighbours would not show";
    EXPECT_NEAR(asked.count, 0.5 * static_cast<double>(asked.n), 0.01 * static_cast<double>(asked.n));
  }
}

TEST(Compaction, NamesAnotherOrderAndWhatWasStoredBehind) {
  for (const course::Case& one : problem("compaction").cases) {
    SplitMix64 random(7);
    const course::Call call = one.prepare(random);
    const Asked asked(one);
    if (asked.count < 2) continue;
    Elements reversed = asked.out;
    std::reverse(reversed.begin(), reversed.begin() + asked.count);
    EXPECT_EQ(said_of(call, "out", reversed), "these are the right elements in another order") << one.name;
    if (asked.out.size() == asked.count) continue;
    Elements behind = asked.out;
    behind.back() = 0;
    EXPECT_EQ(said_of(call, "out", behind), "what is kept is right, and something was stored behind it");
    Elements changed = asked.out;
    changed.front() ^= 1;
    EXPECT_EQ(said_of(call, "out", changed), "") << one.name;
  }
}

TEST(Compaction, NamesTheCountWithoutTheLastElement) {
  const std::vector<course::Case>& cases = problem("compaction").cases;
  const auto one = std::ranges::find(cases, "n = 5000, the last kept", &course::Case::name);
  ASSERT_NE(one, cases.end());
  SplitMix64 random(7);
  EXPECT_THAT(said_of(one->prepare(random), "count", {0}), testing::HasSubstr("the last element is kept"));
}

TEST(Compaction, AsksForTheWorkspaceWithTheLengthOfTheCall) {
  const std::optional<course::WorkspaceQuery>& query = problem("compaction").workspace;
  ASSERT_TRUE(query);
  for (const course::Case& one : problem("compaction").cases) {
    SplitMix64 random(7);
    const course::Call call = one.prepare(random);
    const auto n = static_cast<std::uint64_t>(scalar(call, "n"));
    EXPECT_THAT(query->arguments(call), testing::ElementsAre(n)) << one.name;
    EXPECT_EQ(query->limit_bytes(call), 9 * n + 65536) << one.name;
  }
}

}  // namespace
}  // namespace lockstep::test::compaction_test
