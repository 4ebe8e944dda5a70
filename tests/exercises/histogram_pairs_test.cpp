// The counts that the judge of "histogram-pairs" expects, compared with pairs that are sorted and measured;
// and what its cases must hold.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <set>
#include <utility>
#include <vector>

#include "problem_access.h"

namespace lockstep::test::histogram_pairs_test {
namespace {

using Pair = std::pair<int, int>;

struct Prepared {
  int n = 0, distance = 0, values = 0;
  std::size_t length = 0;             ///< of the buffer
  std::vector<Pair> pairs;            ///< sorted
  std::vector<std::uint32_t> counts;  ///< as the judge expects them
};

Prepared prepare(const course::Case& one) {
  SplitMix64 random(7);
  const course::Call call = one.prepare(random);
  Prepared made{.n = scalar(call, "n"),
                .distance = scalar(call, "distance"),
                .values = scalar(call, "values"),
                .counts = numbers<std::uint32_t>(argument(call, "counts").output.expected)};
  std::vector<std::uint8_t> symbols = input<std::uint8_t>(call, "symbols");
  made.length = symbols.size();
  symbols.resize(static_cast<std::size_t>(made.n));
  std::vector<std::uint8_t> later = symbols;
  later.erase(later.begin(), later.begin() + std::min(made.distance, made.n));
  for (std::size_t i = 0; i < later.size(); ++i) made.pairs.emplace_back(symbols[i], later[i]);
  std::sort(made.pairs.begin(), made.pairs.end());
  return made;
}

std::vector<Prepared> all_prepared() {
  std::vector<Prepared> all;
  for (const course::Case& one : problem("histogram-pairs").cases) all.push_back(prepare(one));
  return all;
}

TEST(HistogramPairs, EveryCountIsTheLengthOfARun) {
  for (const course::Case& one : problem("histogram-pairs").cases) {
    const Prepared made = prepare(one);
    std::vector<std::uint32_t> counts;
    for (int v = 0; v < made.values; ++v) {
      for (int w = 0; w < made.values; ++w) {
        const auto [begin, end] = std::equal_range(made.pairs.begin(), made.pairs.end(), Pair{v, w});
        counts.push_back(static_cast<std::uint32_t>(end - begin));
      }
    }
    EXPECT_EQ(made.counts, counts) << one.name;
  }
}

TEST(HistogramPairs, StatesThePairsThatItCounts) {
  for (const course::Case& one : problem("histogram-pairs").cases) {
    const Prepared made = prepare(one);
    EXPECT_EQ(one.cost.elements, static_cast<double>(made.pairs.size())) << one.name;
    EXPECT_EQ(one.cost.global_bytes, made.n + 4.0 * made.values * made.values) << one.name;
  }
}

TEST(HistogramPairs, StaysWithinItsInterface) {
  for (const Prepared& one : all_prepared()) {
    EXPECT_TRUE(one.distance >= 1 && one.distance <= 32) << one.distance;
    EXPECT_TRUE(one.values >= 1 && one.values <= 32) << one.values;
    for (const auto& [v, w] : one.pairs) ASSERT_TRUE(v < one.values && w < one.values) << v << ", " << w;
  }
}

TEST(HistogramPairs, CoversTheEdgeCases) {
  std::set<int> lengths, distances, values;
  bool is_shorter_than_its_distance = false, ends_with_its_buffer = false, goes_on = false;
  for (const Prepared& one : all_prepared()) {
    lengths.insert(one.n);
    distances.insert(one.distance);
    values.insert(one.values);
    is_shorter_than_its_distance = is_shorter_than_its_distance || (one.n > 0 && one.n < one.distance);
    ends_with_its_buffer =
        ends_with_its_buffer || (one.n > 1000 && one.length == static_cast<std::size_t>(one.n));
    goes_on = goes_on || one.length > static_cast<std::size_t>(one.n);
  }
  for (const int n : {0, 1, 2, 31, 32, 33, 1023, 1024, 1025, 7919}) EXPECT_TRUE(lengths.contains(n)) << n;
  for (const int distance : {1, 2, 31, 32}) EXPECT_TRUE(distances.contains(distance)) << distance;
  for (const int count : {1, 4, 7, 20, 32}) EXPECT_TRUE(values.contains(count)) << count;
  EXPECT_TRUE(is_shorter_than_its_distance && ends_with_its_buffer && goes_on);
}

TEST(HistogramPairs, HasSequencesOfFewPairs) {
  bool equal = false, in_turn = false, in_runs = false;
  for (const Prepared& one : all_prepared()) {
    if (one.n < 60'000) continue;
    const auto used =
        std::count_if(one.counts.begin(), one.counts.end(), [](auto count) { return count > 0; });
    std::size_t of_equals = 0;
    for (const auto& [v, w] : one.pairs) of_equals += v == w ? 1U : 0U;
    equal = equal || used == 1;
    in_turn = in_turn || (used == 2 && of_equals == 0);
    in_runs = in_runs || (used > 100 && of_equals * 10 > one.pairs.size() * 9);
  }
  EXPECT_TRUE(equal && in_turn && in_runs) << equal << in_turn << in_runs;
}

}  // namespace
}  // namespace lockstep::test::histogram_pairs_test
