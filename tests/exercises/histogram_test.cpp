// The counts that the judge of "histogram" expects, compared with samples that are sorted and measured; and
// what its cases must hold.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <set>
#include <vector>

#include "problem_access.h"

namespace lockstep::test::histogram_test {
namespace {

struct Prepared {
  int sample_bytes = 0, bins = 0;
  std::size_t first = 0, n = 0, length = 0;
  std::vector<std::uint32_t> chosen;  ///< the samples to count
  std::vector<std::uint64_t> counts;  ///< as the judge expects them
};

std::size_t wide_scalar(const course::Call& call, std::string_view name) {
  return argument(call, name).scalar_bits;
}

Prepared prepare(const course::Case& one) {
  SplitMix64 random(7);
  const course::Call call = one.prepare(random);
  Prepared made{.sample_bytes = scalar(call, "sample_bytes"),
                .bins = scalar(call, "bins"),
                .first = wide_scalar(call, "first"),
                .n = wide_scalar(call, "n"),
                .counts = numbers<std::uint64_t>(argument(call, "counts").output.expected)};
  const course::Bytes& input = argument(call, "samples").input;
  std::vector<std::uint32_t> all;
  if (made.sample_bytes == 1) {
    for (const std::uint8_t sample : numbers<std::uint8_t>(input)) all.push_back(sample);
  } else {
    all = numbers<std::uint32_t>(input);
  }
  made.length = all.size();
  if (made.first + made.n > all.size()) throw std::runtime_error(one.name + " counts beyond its array");
  const auto begin = all.begin() + static_cast<std::ptrdiff_t>(made.first);
  made.chosen.assign(begin, begin + static_cast<std::ptrdiff_t>(made.n));
  return made;
}

std::vector<Prepared> all_prepared() {
  std::vector<Prepared> all;
  for (const course::Case& one : problem("histogram").cases) all.push_back(prepare(one));
  return all;
}

TEST(Histogram, EveryCountIsTheLengthOfARun) {
  for (const course::Case& one : problem("histogram").cases) {
    Prepared made = prepare(one);
    ASSERT_EQ(made.counts.size(), static_cast<std::size_t>(made.bins)) << one.name;
    std::sort(made.chosen.begin(), made.chosen.end());
    for (std::size_t bin = 0; bin < made.counts.size(); ++bin) {
      const auto [begin, end] =
          std::equal_range(made.chosen.begin(), made.chosen.end(), static_cast<std::uint32_t>(bin));
      ASSERT_EQ(made.counts[bin], static_cast<std::uint64_t>(end - begin)) << one.name << ", bin " << bin;
    }
  }
}

TEST(Histogram, StatesTheSamplesThatItCounts) {
  for (const course::Case& one : problem("histogram").cases) {
    const Prepared made = prepare(one);
    EXPECT_EQ(one.cost.elements, static_cast<double>(made.n)) << one.name;
    EXPECT_EQ(one.cost.global_bytes,
              static_cast<double>(made.n * static_cast<std::size_t>(made.sample_bytes) +
                                  made.counts.size() * sizeof(std::uint64_t)))
        << one.name;
  }
}

TEST(Histogram, CoversTheEdgeCases) {
  std::set<std::size_t> lengths;
  std::set<int> bins, sample_bytes;
  for (const Prepared& one : all_prepared()) {
    lengths.insert(one.n);
    bins.insert(one.bins);
    sample_bytes.insert(one.sample_bytes);
  }
  for (const std::size_t n : {0, 1, 31, 32, 33, 1023, 1024, 1025, 7919})
    EXPECT_TRUE(lengths.contains(n)) << n;
  for (const int count : {1, 2, 255, 256, 1000, 4096}) EXPECT_TRUE(bins.contains(count)) << count;
  EXPECT_THAT(sample_bytes, testing::ElementsAre(1, 4));
}

TEST(Histogram, StartsAndEndsAnywhere) {
  for (const int sample_bytes : {1, 4}) {
    bool starts_apart = false, ends_with_the_array = false;
    for (const Prepared& one : all_prepared()) {
      const auto bytes = static_cast<std::size_t>(one.sample_bytes);
      if (one.sample_bytes != sample_bytes || one.n < 1000) continue;
      starts_apart = starts_apart || one.first * bytes % 16 != 0;
      ends_with_the_array =
          ends_with_the_array || (one.first + one.n == one.length && one.n * bytes % 16 != 0);
    }
    EXPECT_TRUE(starts_apart) << "vectors of 16 bytes from `first` on would be right: " << sample_bytes;
    EXPECT_TRUE(ends_with_the_array) << "reading on beyond n would go unnoticed: " << sample_bytes;
  }
}

TEST(Histogram, HasSamplesWithoutABin) {
  for (const int sample_bytes : {1, 4}) {
    bool just_beyond = false, far_beyond = sample_bytes == 1;
    for (const Prepared& one : all_prepared()) {
      if (one.sample_bytes != sample_bytes) continue;
      const auto bins = static_cast<std::uint32_t>(one.bins);
      for (const std::uint32_t sample : one.chosen) {
        just_beyond = just_beyond || sample == bins;
        far_beyond = far_beyond || sample > 0x8000'0000;
      }
      const auto sum = std::accumulate(one.counts.begin(), one.counts.end(), std::uint64_t{0});
      EXPECT_LE(sum, one.n);
    }
    EXPECT_TRUE(just_beyond) << sample_bytes;
    EXPECT_TRUE(far_beyond) << sample_bytes;
  }
}

TEST(Histogram, HasEveryDistribution) {
  bool equal = false, two = false, sorted = false, uneven = false;
  for (const Prepared& one : all_prepared()) {
    if (one.n < 100'000) continue;
    const auto used =
        std::count_if(one.counts.begin(), one.counts.end(), [](auto count) { return count > 0; });
    const bool rises = std::is_sorted(one.chosen.begin(), one.chosen.end());
    equal = equal || used == 1;
    two = two || used == 2;
    sorted = sorted || (rises && used > 100);
    // After Zipf value 0 comes twice as often as value 1, and ten times as often as value 9.
    uneven =
        uneven || (used > 100 && one.counts[0] > one.counts[1] * 3 / 2 && one.counts[0] > one.counts[9] * 7);
  }
  EXPECT_TRUE(equal && two && sorted && uneven) << equal << two << sorted << uneven;
}

TEST(Histogram, OfTheLongCaseEverySampleIsCounted) {
  const course::Problem& histogram = problem("histogram");
  ASSERT_EQ(histogram.gpu_cases.size(), 1U);
  const course::Case& one = histogram.gpu_cases.front();
  EXPECT_EQ(one.calls, 1) << "each call has more than 2 GiB to make and to move";
  SplitMix64 random(7);
  const course::Call call = one.prepare(random);
  const course::Bytes& samples = argument(call, "samples").input;
  const std::size_t first = wide_scalar(call, "first"), n = wide_scalar(call, "n");
  EXPECT_GT(n, std::size_t{1} << 31);
  EXPECT_NE(first % 16, 0U);
  ASSERT_EQ(samples.size(), first + n) << "reading on beyond n would go unnoticed";
  EXPECT_EQ(one.cost.elements, static_cast<double>(n));
  // Four counters a bin: with one, each of equal neighbours would wait for the one before.
  std::vector<std::uint64_t> counted(4 * std::size_t{256});
  for (std::size_t i = first; i < samples.size(); ++i)
    ++counted[4 * std::to_integer<std::size_t>(samples[i]) + i % 4];
  std::vector<std::uint64_t> sums;
  for (std::size_t bin = 0; bin < 256; ++bin)
    sums.push_back(std::accumulate(&counted[4 * bin], &counted[4 * bin] + 4, std::uint64_t{0}));
  const course::Output& counts = argument(call, "counts").output;
  EXPECT_EQ(numbers<std::uint64_t>(counts.expected), sums);
  EXPECT_EQ(counts.known_mistakes().size(), 2U);
}

}  // namespace
}  // namespace lockstep::test::histogram_test
