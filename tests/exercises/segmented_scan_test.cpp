// What the judge of "segmented-scan" expects, compared with differences of sums from the start of the array;
// what its inputs show, and the workspace.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <set>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "problem_access.h"

namespace lockstep::test::segmented_scan_test {
namespace {

using Words = std::vector<std::uint32_t>;

/// One call of a case.
struct Asked {
  explicit Asked(const course::Case& one) {
    SplitMix64 random(7);
    const course::Call call = one.prepare(random);
    values = input<std::uint32_t>(call, "values");
    flags = input<std::uint8_t>(call, "flags");
    out = numbers<std::uint32_t>(argument(call, "out").output.expected);
    n = static_cast<std::size_t>(scalar(call, "n"));
  }

  Words values, out;
  std::vector<std::uint8_t> flags;
  std::size_t n = 0;
};

const std::vector<course::Case>& cases() { return problem("segmented-scan").cases; }

const course::Case& case_named(const std::string& name) {
  const auto one = std::ranges::find(cases(), name, &course::Case::name);
  if (one == cases().end()) throw std::runtime_error("no case " + name);
  return *one;
}

// A sum within a segment is the sum from the start of the array, less that up to the segment's begin.
TEST(SegmentedScan, ExpectsDifferencesOfSumsFromTheStart) {
  for (const course::Case& one : cases()) {
    const Asked asked(one);
    ASSERT_EQ(asked.values.size(), asked.n) << one.name;
    ASSERT_EQ(asked.flags.size(), asked.n) << one.name;
    ASSERT_EQ(asked.out.size(), asked.n) << one.name;
    Words before(asked.n + 1);  // before[i]: the sum of all elements before i
    for (std::size_t i = 0; i < asked.n; ++i) before[i + 1] = before[i] + asked.values[i];
    std::size_t end = asked.n;
    for (std::size_t begin = asked.n; begin-- > 0;) {
      if (begin > 0 && asked.flags[begin] % 2 == 0) continue;
      for (std::size_t i = begin; i < end; ++i)
        ASSERT_EQ(asked.out[i], before[i + 1] - before[begin]) << one.name << ", element " << i;
      end = begin;
    }
    EXPECT_EQ(end, 0U) << one.name;
  }
}

TEST(SegmentedScan, CoversTheEdgeCases) {
  std::set<std::size_t> sizes;
  bool any_has_none = false, any_has_all = false, any_begins_without = false, any_has_the_last_alone = false;
  std::size_t longest = 0;
  for (const course::Case& one : cases()) {
    const Asked asked(one);
    sizes.insert(asked.n);
    if (asked.n < 2) continue;
    const auto zeros = static_cast<std::size_t>(
        std::ranges::count_if(asked.flags, [](std::uint8_t flag) { return flag % 2 == 0; }));
    any_has_none |= zeros == asked.n;
    any_has_all |= zeros == 0;
    any_begins_without |= asked.flags[0] % 2 == 0;
    any_has_the_last_alone |= zeros + 1 == asked.n && asked.flags.back() % 2 == 1;
    std::size_t length = 0;
    for (const std::uint8_t flag : asked.flags) {
      length = flag % 2 == 0 ? length + 1 : 1;
      longest = std::max(longest, length);
    }
  }
  for (const std::size_t size : {0, 1, 31, 32, 33, 1023, 1024, 1025, 7919})
    EXPECT_TRUE(sizes.contains(size)) << size;
  EXPECT_GT(*sizes.rbegin(), 1U << 21) << "the reference has tiles of three sizes, the largest behind 2^21";
  EXPECT_TRUE(any_has_none && any_has_all && any_begins_without && any_has_the_last_alone);
  EXPECT_GT(longest, 1U << 20) << "no segment goes on over more tiles of 1024 than a block has threads";
}

TEST(SegmentedScan, BeginsSegmentsAtTheFirstAndAtTheLastElementOfTiles) {
  for (const auto& [name, place] :
       {std::pair{"n = 16384, first of a tile", 0U}, {"n = 16384, last of a tile", 1023U}}) {
    const Asked asked(case_named(name));
    for (std::size_t i = 0; i < asked.n; ++i)
      ASSERT_EQ(asked.flags[i] % 2 == 1, i % 2048 == place) << name << ", element " << i;
  }
}

TEST(SegmentedScan, BytesOftenHaveOtherBitsBesideTheFlag) {
  for (const course::Case& one : cases()) {
    const Asked asked(one);
    if (asked.n < 1000) continue;
    const auto n = static_cast<double>(asked.n);
    const auto others = [](std::uint8_t flag) { return flag >= 2; };
    const auto high = [](std::uint8_t flag) { return flag >= 128; };
    EXPECT_NEAR(static_cast<double>(std::ranges::count_if(asked.flags, others)), n / 2, n / 10) << one.name;
    EXPECT_NEAR(static_cast<double>(std::ranges::count_if(asked.flags, high)), n / 4, n / 10) << one.name;
  }
}

// R = [0, 2, 5] says where the rows begin; 6, where the last one ends, is the number of elements.
TEST(SegmentedScan, SumsUpTheRowsOfASmallMatrix) {
  const Asked asked(case_named("n = 6, rows of a matrix"));
  const Words& m = asked.values;
  EXPECT_THAT(asked.out,
              testing::ElementsAre(m[0], m[0] + m[1], m[2], m[2] + m[3], m[2] + m[3] + m[4], m[5]));
}

/// What is said of the small matrix where a segment begins wherever `begins` says so of the byte.
template <class Begins>
std::string said_where(Begins begins) {
  SplitMix64 random(7);
  const course::Call call = case_named("n = 6, rows of a matrix").prepare(random);
  const Asked asked(case_named("n = 6, rows of a matrix"));
  Words wrong;
  for (std::size_t i = 0; i < asked.n; ++i)
    wrong.push_back(asked.values[i] + (i == 0 || begins(asked.flags[i]) ? 0 : wrong.back()));
  for (const course::KnownMistake& mistake : argument(call, "out").output.known_mistakes()) {
    if (mistake.output() == course::bytes_of(wrong)) return mistake.sentence;
  }
  return "";
}

TEST(SegmentedScan, NamesWhatIsTakenForAFlag) {
  EXPECT_THAT(said_where([](std::uint8_t flag) { return flag == 1; }), testing::HasSubstr("only bytes of 1"));
  EXPECT_THAT(said_where([](std::uint8_t flag) { return flag != 0; }), testing::HasSubstr("other than 0"));
}

TEST(SegmentedScan, SaysWhereInItsSegmentAnElementIs) {
  const course::Case& one = case_named("n = 6, rows of a matrix");
  SplitMix64 random(7);
  EXPECT_EQ(argument(one.prepare(random), "out").output.position(4), "[4], element 2 of its segment");
}

TEST(SegmentedScan, AsksForTheWorkspaceWithTheLengthOfTheCall) {
  const std::optional<course::WorkspaceQuery>& query = problem("segmented-scan").workspace;
  ASSERT_TRUE(query);
  for (const course::Case& one : cases()) {
    SplitMix64 random(7);
    const course::Call call = one.prepare(random);
    const auto n = static_cast<std::uint64_t>(scalar(call, "n"));
    EXPECT_THAT(query->arguments(call), testing::ElementsAre(n)) << one.name;
    EXPECT_EQ(query->limit_bytes(call), n / 16 + 65536) << one.name;
  }
}

}  // namespace
}  // namespace lockstep::test::segmented_scan_test
