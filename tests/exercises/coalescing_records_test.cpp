// The records that the judge of "coalescing-records" expects, compared with the task's own sentences in 64
// bits.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "problem_access.h"

namespace lockstep::test::coalescing_records_test {
namespace {

using Words = std::vector<std::uint32_t>;

constexpr std::size_t kWords = 6;  // of a record
constexpr std::array<const char*, kWords - 1> kArrays = {"time", "sender", "receiver", "length", "kind"};

Words records_of(const course::Call& call) {
  return numbers<std::uint32_t>(argument(call, "records").output.expected);
}

/// By the powers of 31 in place of one product after the other.
TEST(CoalescingRecords, EveryRecordHasItsMembersAndTheirCheck) {
  constexpr std::array<std::uint64_t, kWords - 1> kPowers = {923521, 29791, 961, 31, 1};
  for (const course::Case& one : problem("coalescing-records").cases) {
    SplitMix64 random(7);
    const course::Call call = one.prepare(random);
    const auto n = static_cast<std::size_t>(scalar(call, "n"));
    const Words records = records_of(call);
    ASSERT_EQ(records.size(), kWords * n) << one.name;
    std::vector<std::uint64_t> checks(n);
    for (std::size_t m = 0; m < kArrays.size(); ++m) {
      const Words array = input<std::uint32_t>(call, kArrays.at(m));
      ASSERT_EQ(array.size(), n) << one.name << ", " << kArrays.at(m);
      for (std::size_t i = 0; i < n; ++i) {
        ASSERT_EQ(records[kWords * i + m], array[i]) << one.name << ", " << kArrays.at(m) << " of " << i;
        checks[i] += kPowers.at(m) * array[i];  // below 2^52
      }
    }
    for (std::size_t i = 0; i < n; ++i) {
      ASSERT_EQ(records[kWords * i + kArrays.size()], checks[i] % (std::uint64_t{1} << 32))
          << one.name << ", check of " << i;
    }
  }
}

TEST(CoalescingRecords, CoversTheEdgeCases) {
  std::set<int> sizes;
  std::set<std::uint32_t> members;
  for (const course::Case& one : problem("coalescing-records").cases) {
    SplitMix64 random(7);
    const course::Call call = one.prepare(random);
    sizes.insert(scalar(call, "n"));
    const Words times = input<std::uint32_t>(call, "time");
    members.insert(times.begin(), times.end());
  }
  for (const int size : {0, 1, 31, 32, 33, 257, 1023, 1024, 1025, 7919})
    EXPECT_TRUE(sizes.contains(size)) << size;
  for (const std::uint32_t end : {0U, 0xFFFF'FFFFU}) EXPECT_TRUE(members.contains(end)) << end;
}

TEST(CoalescingRecords, KnowsWhatACopyByABlockLeavesOut) {
  const course::Case* chosen = nullptr;
  for (const course::Case& one : problem("coalescing-records").cases) {
    if (one.name == "n = 257") chosen = &one;
  }
  ASSERT_NE(chosen, nullptr);
  SplitMix64 random(7);
  const course::Call call = chosen->prepare(random);
  const course::Output& output = argument(call, "records").output;
  const Words right = records_of(call);
  // A block of 256 threads copies word by word: in the last one only its first thread has a record.
  Words found = right;
  std::fill(found.end() - 5, found.end(), 0xCDCDCDCD);
  std::string sentence;
  for (const course::KnownMistake& mistake : output.known_mistakes()) {
    if (numbers<std::uint32_t>(mistake.output()) == found) sentence = mistake.sentence;
  }
  EXPECT_THAT(sentence, testing::StartsWith("the last block has left out words"));
}

TEST(CoalescingRecords, TellsPositionsInTermsOfTheRecords) {
  SplitMix64 random(7);
  const course::Call call = problem("coalescing-records").cases.at(4).prepare(random);  // n = 33
  const auto& position = argument(call, "records").output.position;
  EXPECT_EQ(position(0), "time of record 0");
  EXPECT_EQ(position(6 * 32 + 5), "check of record 32");
}

TEST(CoalescingRecords, CountsARecordAsAnElement) {
  for (const course::Case& one : problem("coalescing-records").cases) {
    SplitMix64 random(7);
    EXPECT_EQ(one.cost.elements, scalar(one.prepare(random), "n")) << one.name;
    EXPECT_EQ(one.cost.global_bytes, one.cost.elements * 44) << one.name;  // 20 in, 24 out
  }
}

}  // namespace
}  // namespace lockstep::test::coalescing_records_test
