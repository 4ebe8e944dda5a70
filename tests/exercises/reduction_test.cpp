// The sums that the judge of "reduction" expects, compared with sums in other number formats, and where its
// tolerance lies between careful and careless orders of addition.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <map>
#include <numeric>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "problem_access.h"

namespace lockstep::test::reduction_test {
namespace {

/// All cases and all sizes that are timed, up to what a test has time for.
std::vector<course::Case> cases() {
  constexpr double kMaxElements = 1 << 22;
  std::vector<course::Case> all = problem("reduction").cases;
  for (const course::Case& one : problem("reduction").speed->sizes)
    if (one.cost.elements <= kMaxElements) all.push_back(one);
  return all;
}

/// A number of the judge's inputs as a multiple of 2^-17, which all of them are.
std::int64_t units_of(float value) {
  const double units = std::ldexp(static_cast<double>(value), 17);
  EXPECT_EQ(units, std::rint(units)) << value;
  return static_cast<std::int64_t>(units);
}

/// The exact sum, by integers, in units of 2^-17.
std::int64_t exact_units(std::span<const float> in) {
  std::int64_t sum = 0;
  for (const float one : in) sum += units_of(one);
  return sum;
}

float pairwise(std::span<const float> in) {
  if (in.size() == 1) return in.front();
  const std::size_t half = in.size() / 2;
  return pairwise(in.first(half)) + pairwise(in.subspan(half));
}

/// As the starter does it: one thread adds up 256 elements, and then 256 of these sums, until there is one.
float by_levels(std::vector<float> in) {
  constexpr std::size_t kBlock = 256;
  while (in.size() > 1) {
    std::vector<float> sums((in.size() - 1) / kBlock + 1);
    for (std::size_t i = 0; i < in.size(); ++i) sums[i / kBlock] += in[i];
    in = std::move(sums);
  }
  return in.front();
}

float one_by_one(std::span<const float> in) { return std::accumulate(in.begin(), in.end(), 0.0F); }

bool is_right(const course::Output& output, float found) {
  const auto expected = static_cast<double>(numbers<float>(output.expected).at(0));
  return std::abs(static_cast<double>(found) - expected) <= output.tolerance.absolute;
}

TEST(Reduction, ExpectsTheExactSumRoundedOnce) {
  for (const course::Case& one : cases()) {
    SplitMix64 random(7);
    const course::Call call = one.prepare(random);
    const std::vector<float> in = input<float>(call, "in");
    ASSERT_EQ(in.size(), static_cast<std::size_t>(scalar(call, "n"))) << one.name;
    const std::vector<float> sum = numbers<float>(argument(call, "sum").output.expected);
    ASSERT_EQ(sum.size(), 1U) << one.name;
    EXPECT_EQ(sum[0], static_cast<float>(std::ldexp(static_cast<double>(exact_units(in)), -17))) << one.name;
  }
}

TEST(Reduction, SumsOfWholeNumbersAreExactInAnyOrder) {
  for (const course::Case& one : cases()) {
    SplitMix64 random(7);
    const course::Call call = one.prepare(random);
    const course::Output& output = argument(call, "sum").output;
    if (output.tolerance.absolute > 0) continue;
    std::vector<float> in = input<float>(call, "in");
    double magnitudes = 0;
    for (const float value : in) magnitudes += std::abs(static_cast<double>(value));
    EXPECT_LT(magnitudes, 0x1p24) << one.name;
    if (in.empty()) continue;
    EXPECT_TRUE(is_right(output, one_by_one(in))) << one.name;
    std::ranges::sort(in);
    EXPECT_TRUE(is_right(output, one_by_one(in))) << one.name << ", sorted";
    EXPECT_TRUE(is_right(output, pairwise(in))) << one.name << ", pairwise";
  }
}

TEST(Reduction, AToleranceIsFarAboveATreeAndBelowAddingOneByOne) {
  std::size_t rounded = 0, refused = 0;
  for (const course::Case& one : cases()) {
    SplitMix64 random(7);
    const course::Call call = one.prepare(random);
    const course::Output& output = argument(call, "sum").output;
    if (!(output.tolerance.absolute > 0)) continue;
    ++rounded;
    const std::vector<float> in = input<float>(call, "in");
    const double exact = std::ldexp(static_cast<double>(exact_units(in)), -17);
    EXPECT_LE(std::abs(static_cast<double>(pairwise(in)) - exact), output.tolerance.absolute / 2) << one.name;
    // 1024 threads that add every 1024th element each, as a single block does.
    constexpr std::size_t kThreads = 1024;
    std::vector<float> threads(std::min(kThreads, in.size()));
    for (std::size_t i = 0; i < in.size(); ++i) threads[i % kThreads] += in[i];
    EXPECT_TRUE(is_right(output, pairwise(threads))) << one.name;
    EXPECT_TRUE(is_right(output, by_levels(in))) << one.name;
    if (!is_right(output, one_by_one(in))) ++refused;
    EXPECT_FALSE(is_right(output, std::numeric_limits<float>::quiet_NaN())) << one.name;
  }
  EXPECT_GE(rounded, 5U);
  EXPECT_GE(refused, 1U) << "no case shows what is lost when elements are added one by one";
}

TEST(Reduction, NoMistakeIsTakenForAnotherWhateverTheSeed) {
  const std::map<std::string, std::size_t> mistakes = {{"n = 2", 1}, {"n = 33", 2}, {"n = 1023", 11}};
  for (const course::Case& one : problem("reduction").cases) {
    const auto expected = mistakes.find(one.name);
    if (expected == mistakes.end()) continue;
    // Those that leave what is right or what another leaves are not among them.
    for (unsigned seed = 0; seed < 200; ++seed) {
      SplitMix64 random(seed);
      EXPECT_EQ(argument(one.prepare(random), "sum").output.known_mistakes().size(), expected->second)
          << one.name << ", seed " << seed;
    }
  }
}

TEST(Reduction, AddingOneByOneIsWrongWhateverTheSeed) {
  const auto& cases = problem("reduction").cases;
  const auto one = std::ranges::find(cases, "n = 65536, every 4096th is 2^24", &course::Case::name);
  ASSERT_NE(one, cases.end());
  for (const unsigned seed : {1U, 2U, 3U, 4U, 5U}) {
    SplitMix64 random(seed);
    const course::Call call = one->prepare(random);
    std::vector<float> in = input<float>(call, "in");
    const float found = one_by_one(in);
    EXPECT_FALSE(is_right(argument(call, "sum").output, found)) << seed;
    // Blocks of 256 in another order, as atomic operations may come.
    std::ranges::rotate(in, in.begin() + 256 * static_cast<int>(seed));
    EXPECT_FALSE(is_right(argument(call, "sum").output, one_by_one(in))) << seed;
    // Sums of warps, which all go to one float.
    std::vector<float> warps((in.size() - 1) / 32 + 1);
    for (std::size_t i = 0; i < in.size(); ++i) warps[i / 32] += in[i];
    EXPECT_FALSE(is_right(argument(call, "sum").output, one_by_one(warps))) << seed;
    const course::Output& output = argument(call, "sum").output;
    const course::Bytes left = course::bytes_of(std::vector<float>{found});
    EXPECT_THAT(output.remark(output.expected, left).sentence, testing::HasSubstr("was rounded away"))
        << seed;
    EXPECT_EQ(output.remark(output.expected, course::bytes_of(std::vector<float>{1})).sentence, "") << seed;
  }
}

TEST(Reduction, CoversTheEdgeCases) {
  std::set<int> sizes;
  for (const course::Case& one : problem("reduction").cases) {
    SplitMix64 random(7);
    sizes.insert(scalar(one.prepare(random), "n"));
  }
  for (const int size : {0, 1, 31, 32, 33, 1023, 1024, 1025, 7919}) EXPECT_TRUE(sizes.contains(size)) << size;
  EXPECT_GT(*sizes.rbegin(), 1 << 20) << "no case has more blocks of 1024 than a block has threads";
}

}  // namespace
}  // namespace lockstep::test::reduction_test
