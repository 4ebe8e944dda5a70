// What the judge of "block-sort" expects, compared with a count of every key and a look at neighbours; what
// its inputs are, and what its report says.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "problem_access.h"

namespace lockstep::test::block_sort_test {
namespace {

using Keys = std::vector<std::uint32_t>;

constexpr std::uint32_t kLargest = 0xffffffff;

/// One call of a case, row by row.
struct Asked {
  explicit Asked(const course::Case& one, std::uint64_t seed = 7) {
    SplitMix64 random(seed);
    call = one.prepare(random);
    rows = static_cast<std::size_t>(scalar(call, "rows"));
    length = static_cast<std::size_t>(scalar(call, "length"));
    keys = input<std::uint32_t>(call, "keys");
    sorted = numbers<std::uint32_t>(argument(call, "sorted").output.expected);
  }

  Keys row_of(const Keys& all, std::size_t row) const {
    const auto begin = all.begin() + static_cast<std::ptrdiff_t>(row * length);
    return {begin, begin + static_cast<std::ptrdiff_t>(length)};
  }

  course::Call call;
  std::size_t rows = 0, length = 0;
  Keys keys, sorted;
};

const course::Case& case_named(const std::string& name) {
  const std::vector<course::Case>& cases = problem("block-sort").cases;
  const auto one = std::ranges::find(cases, name, &course::Case::name);
  if (one == cases.end()) throw std::runtime_error("no case is named " + name);
  return *one;
}

/// The report of what `wrong` is: a known mistake's sentence or a remark.
std::string said_of(const Asked& asked, const Keys& wrong) {
  const course::Output& sorted = argument(asked.call, "sorted").output;
  const course::Bytes found = course::bytes_of(wrong);
  for (const course::KnownMistake& mistake : sorted.known_mistakes()) {
    if (mistake.output() == found) return mistake.sentence;
  }
  return sorted.remark(sorted.expected, found).sentence;
}

std::map<std::uint32_t, int> count_of_each(const Keys& keys) {
  std::map<std::uint32_t, int> counts;
  for (const std::uint32_t key : keys) ++counts[key];
  return counts;
}

TEST(BlockSort, EveryRowAscendsAndHasItsKeys) {
  for (const course::Case& one : problem("block-sort").cases) {
    SCOPED_TRACE(one.name);
    const Asked asked(one);
    ASSERT_EQ(asked.keys.size(), asked.rows * asked.length);
    ASSERT_EQ(asked.sorted.size(), asked.keys.size());
    for (std::size_t row = 0; row < asked.rows && asked.length > 0; ++row) {
      const Keys sorted = asked.row_of(asked.sorted, row);
      for (std::size_t i = 1; i < sorted.size(); ++i) ASSERT_LE(sorted[i - 1], sorted[i]) << row << ", " << i;
      ASSERT_EQ(count_of_each(sorted), count_of_each(asked.row_of(asked.keys, row))) << row;
    }
  }
}

TEST(BlockSort, CoversTheEdgeCases) {
  std::set<std::size_t> lengths, rows;
  bool any_smallest = false, any_padding_beside_others = false, any_equal = false;
  for (const course::Case& one : problem("block-sort").cases) {
    const Asked asked(one);
    EXPECT_LE(asked.length, 1024U) << one.name;
    lengths.insert(asked.length);
    rows.insert(asked.rows);
    for (std::size_t row = 0; row < asked.rows && asked.length > 1; ++row) {
      const Keys sorted = asked.row_of(asked.sorted, row);
      any_smallest |= sorted.front() == 0;
      any_padding_beside_others |= sorted.front() < kLargest && sorted.back() == kLargest;
      any_equal |= sorted.front() == sorted.back();
    }
  }
  for (const std::size_t length : {0, 1, 2, 3, 31, 32, 33, 127, 512, 997, 1000, 1023, 1024})
    EXPECT_TRUE(lengths.contains(length)) << length;
  for (const std::size_t count : {0, 240, 1023, 1025}) EXPECT_TRUE(rows.contains(count)) << count;
  EXPECT_TRUE(any_smallest && any_padding_beside_others && any_equal);
}

TEST(BlockSort, HasRowsInTheOrdersThatTheirCasesName) {
  const Asked ascending(case_named("2 x 1024, ascending"));
  EXPECT_EQ(ascending.keys, ascending.sorted);
  const Asked descending(case_named("2 x 1023, descending"));
  const Asked smallest(case_named("2 x 513, smallest last")), largest(case_named("2 x 514, largest first"));
  for (std::size_t row = 0; row < 2; ++row) {
    const Keys keys = descending.row_of(descending.keys, row);
    EXPECT_TRUE(std::ranges::is_sorted(keys, std::greater<>()));
    EXPECT_EQ(smallest.row_of(smallest.keys, row).back(), smallest.row_of(smallest.sorted, row).front());
    EXPECT_EQ(largest.row_of(largest.keys, row).front(), largest.row_of(largest.sorted, row).back());
  }
}

TEST(BlockSort, NamesAStepTooFew) {
  const Asked asked(case_named("2 x 513, smallest last"));
  Keys wrong;
  for (std::size_t row = 0; row < asked.rows; ++row) {
    Keys keys = asked.row_of(asked.keys, row);
    for (std::size_t step = 0; step + 1 < asked.length; ++step) {
      for (std::size_t left = step % 2; left + 1 < asked.length; left += 2)
        if (keys[left] > keys[left + 1]) std::swap(keys[left], keys[left + 1]);
    }
    wrong.insert(wrong.end(), keys.begin(), keys.end());
  }
  EXPECT_EQ(said_of(asked, wrong), "one odd or even step is missing");
}

TEST(BlockSort, NamesPadding) {
  const Asked asked(case_named("4 x 127"));
  Keys wrong = asked.sorted;
  for (std::size_t row = 0; row < asked.rows; ++row) wrong[row * asked.length] = 0;
  for (std::size_t row = 0; row < asked.rows; ++row) {
    const Keys sorted = asked.row_of(asked.sorted, row);
    std::copy(sorted.begin(), sorted.end() - 1,
              wrong.begin() + static_cast<std::ptrdiff_t>(row * asked.length) + 1);
  }
  EXPECT_EQ(said_of(asked, wrong), "the rows begin with zeros: they were filled up with 0 to 128 keys");

  wrong = asked.sorted;
  wrong[asked.length + 5] = kLargest;
  EXPECT_EQ(said_of(asked, wrong), "row 1 holds 0xffffffff in place of 1 of its keys, such as " +
                                       std::to_string(asked.sorted[asked.length + 5]));
}

TEST(BlockSort, TellsLostKeysFromAWrongOrder) {
  const Asked asked(case_named("2 x 997"));
  Keys lost = asked.sorted, swapped = asked.sorted;
  const std::size_t second = asked.length + 10;
  lost[second] = lost[second + 1];
  EXPECT_EQ(said_of(asked, lost),
            "row 1 has lost 1 of its keys, such as " + std::to_string(asked.sorted[second]) +
                ", and holds others too often, such as " + std::to_string(asked.sorted[second + 1]));
  std::swap(swapped[10], swapped[11]);
  EXPECT_EQ(said_of(asked, swapped),
            "row 0 has the right keys in a wrong order: " + std::to_string(swapped[10]) + " is before " +
                std::to_string(swapped[11]) + ", at position 10");
}

TEST(BlockSort, StatesAnElementForEachKey) { expect_elements_are_words_of_output("block-sort"); }

}  // namespace
}  // namespace lockstep::test::block_sort_test
