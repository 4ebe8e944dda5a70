// What the judge of "sorting" expects, compared with a stable sort of pairs; what its inputs show, what is
// said of a wrong order, and the workspace.
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

namespace lockstep::test::sorting_test {
namespace {

using Words = std::vector<std::uint32_t>;

/// One call of a case.
struct Asked {
  explicit Asked(const course::Case& one) {
    SplitMix64 random(7);
    const course::Call call = one.prepare(random);
    keys = input<std::uint32_t>(call, "keys");
    values = input<std::uint32_t>(call, "values");
    keys_out = numbers<std::uint32_t>(argument(call, "keys_out").output.expected);
    values_out = numbers<std::uint32_t>(argument(call, "values_out").output.expected);
    n = static_cast<std::size_t>(scalar(call, "n"));
    has_values = scalar(call, "has_values") != 0;
  }

  Words keys, values, keys_out, values_out;
  std::size_t n = 0;
  bool has_values = false;
};

const std::vector<course::Case>& cases() { return problem("sorting").cases; }

const course::Case& case_named(const std::string& name) {
  const auto one = std::ranges::find(cases(), name, &course::Case::name);
  if (one == cases().end()) throw std::runtime_error("no case " + name);
  return *one;
}

TEST(Sorting, ExpectsAStableSort) {
  for (const course::Case& one : cases()) {
    const Asked asked(one);
    ASSERT_EQ(asked.keys.size(), asked.n) << one.name;
    ASSERT_EQ(asked.values.size(), asked.has_values ? asked.n : 0U) << one.name;
    std::vector<std::pair<std::uint32_t, std::uint32_t>> pairs(asked.n);
    for (std::size_t i = 0; i < asked.n; ++i)
      pairs[i] = {asked.keys[i], asked.has_values ? asked.values[i] : 0};
    std::stable_sort(pairs.begin(), pairs.end(),
                     [](const auto& left, const auto& right) { return left.first < right.first; });
    Words keys, values;
    for (const auto& [key, value] : pairs) {
      keys.push_back(key);
      if (asked.has_values) values.push_back(value);
    }
    EXPECT_EQ(asked.keys_out, keys) << one.name;
    EXPECT_EQ(asked.values_out, values) << one.name;
  }
}

TEST(Sorting, CoversTheEdgeCases) {
  std::set<std::size_t> with_values, alone;
  bool any_is_sorted = false, any_is_reversed = false, any_has_both_ends = false;
  for (const course::Case& one : cases()) {
    const Asked asked(one);
    (asked.has_values ? with_values : alone).insert(asked.n);
    if (asked.n < 2) continue;
    any_is_sorted |= asked.keys == asked.keys_out;
    any_is_reversed |= std::equal(asked.keys.rbegin(), asked.keys.rend(), asked.keys_out.begin());
    any_has_both_ends |= asked.keys_out.front() == 0 && asked.keys_out.back() == 0xffffffff;
  }
  for (const std::size_t size : {0, 1, 32, 33, 1024, 1025, 7919})
    EXPECT_TRUE(with_values.contains(size)) << size;
  for (const std::size_t size : {31, 1023, 4097, 65537}) EXPECT_TRUE(alone.contains(size)) << size;
  EXPECT_GT(*with_values.rbegin(), 1U << 18)
      << "the reference has tiles of two sizes, the larger behind 196 608";
  EXPECT_GT(*alone.rbegin(), 1U << 18) << "likewise";
  EXPECT_TRUE(any_is_sorted && any_is_reversed && any_has_both_ends);
}

/// The bits in which keys of the case differ.
std::uint32_t bits_that_differ(const std::string& name) {
  const Asked asked(case_named(name));
  std::uint32_t all = 0xffffffff, any = 0;
  for (const std::uint32_t key : asked.keys) {
    all &= key;
    any |= key;
  }
  return any & ~all;
}

TEST(Sorting, HasKeysThatDifferInOneDigitAlone) {
  EXPECT_EQ(bits_that_differ("n = 20000, highest 8 bits"), 0xff000000);
  EXPECT_EQ(bits_that_differ("n = 20000, lowest bit"), 1U);
  EXPECT_EQ(bits_that_differ("n = 5000, all but one equal"), 1U);
}

TEST(Sorting, HasPiecesEachLessThanTheOneBefore) {
  const Asked asked(case_named("n = 60000, pieces descending"));
  for (std::size_t piece = 1024; piece < asked.n; piece += 1024) {
    const auto begin = asked.keys.begin() + static_cast<std::ptrdiff_t>(piece);
    const auto end = asked.keys.begin() + static_cast<std::ptrdiff_t>(std::min(piece + 1024, asked.n));
    ASSERT_LT(*std::max_element(begin, end), *std::min_element(begin - 1024, begin)) << piece;
  }
}

/// What is said of the outputs of a case where keys and values come out as `order` makes them: first of the
/// keys, and of the values where the keys are right.
template <class Order>
std::string said_where(const std::string& name, Order order) {
  SplitMix64 random(7);
  const course::Call call = case_named(name).prepare(random);
  const Asked asked(case_named(name));
  std::vector<std::pair<std::uint32_t, std::uint32_t>> pairs(asked.n);
  for (std::size_t i = 0; i < asked.n; ++i) pairs[i] = {asked.keys[i], asked.values[i]};
  order(pairs);
  Words keys, values;
  for (const auto& [key, value] : pairs) {
    keys.push_back(key);
    values.push_back(value);
  }
  const bool keys_are_right = keys == asked.keys_out;
  const course::Output& output = argument(call, keys_are_right ? "values_out" : "keys_out").output;
  const course::Bytes wrong = course::bytes_of(keys_are_right ? values : keys);
  for (const course::KnownMistake& mistake : output.known_mistakes()) {
    if (mistake.output() == wrong) return mistake.sentence;
  }
  return output.remark(output.expected, wrong).sentence;
}

TEST(Sorting, NamesWhatIsWrongWithAnOrder) {
  EXPECT_THAT(said_where("n = 3000, ends of the type",
                         [](auto& pairs) {
                           std::ranges::stable_sort(pairs, {}, [](const auto& pair) {
                             return static_cast<std::int32_t>(pair.first);
                           });
                         }),
              testing::HasSubstr("signed"));
  EXPECT_THAT(said_where("n = 20000, lowest bit",
                         [](auto& pairs) {
                           std::ranges::sort(pairs);  // by values where keys are equal
                         }),
              testing::HasSubstr("not stable"));
  EXPECT_THAT(said_where("n = 7919",
                         [](auto& pairs) {
                           std::ranges::stable_sort(pairs, {}, [](const auto& pair) { return pair.first; });
                           std::swap(pairs[17].second, pairs[4711].second);
                         }),
              testing::HasSubstr("not all of them are where their keys are"));
  EXPECT_THAT(said_where("n = 7919",
                         [](auto& pairs) {
                           std::ranges::stable_sort(pairs, {}, [](const auto& pair) { return pair.first; });
                           std::swap(pairs[17], pairs[4711]);
                         }),
              testing::HasSubstr("2 of them are less than the one before"));
}

TEST(Sorting, SaysOfAValueWhichKeyItBelongsTo) {
  const Asked asked(case_named("n = 33"));
  SplitMix64 random(7);
  EXPECT_EQ(argument(case_named("n = 33").prepare(random), "values_out").output.position(4),
            "[4], where the key is " + std::to_string(asked.keys_out[4]));
}

TEST(Sorting, AsksForTheWorkspaceWithTheLengthOfTheCall) {
  const std::optional<course::WorkspaceQuery>& query = problem("sorting").workspace;
  ASSERT_TRUE(query);
  for (const course::Case& one : cases()) {
    SplitMix64 random(7);
    const course::Call call = one.prepare(random);
    const auto n = static_cast<std::uint64_t>(scalar(call, "n"));
    EXPECT_THAT(query->arguments(call), testing::ElementsAre(n)) << one.name;
    EXPECT_EQ(query->limit_bytes(call), 16 * n + 65536) << one.name;
  }
}

}  // namespace
}  // namespace lockstep::test::sorting_test
