// The interval of a median and the verdict on a threshold; what is timed needs a GPU.
#include "judge/speed.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>
#include <random>

#include "judge/median.h"

namespace lockstep::judge {
namespace {

using result::Verdict;

std::vector<double> numbers(std::size_t n) {
  std::vector<double> values(n);
  std::iota(values.begin(), values.end(), 1.0);
  std::shuffle(values.begin(), values.end(), std::mt19937{1});
  return values;
}

TEST(Median, OfAnEvenNumberIsTheMeanOfTheTwoInTheMiddle) {
  EXPECT_EQ(median({3.0, 1.0, 2.0}), 2);
  EXPECT_EQ(median({4.0, 1.0, 8.0, 2.0}), 3);
  EXPECT_EQ(median({7.0}), 7);
}

TEST(MedianInterval, LeavesOutTheOutermostOfMany) {
  EXPECT_EQ(median_interval(numbers(9)), std::pair(2.0, 8.0));
  EXPECT_EQ(median_interval(numbers(15)), std::pair(4.0, 12.0));
  EXPECT_EQ(median_interval(numbers(21)), std::pair(6.0, 16.0));
}

TEST(MedianInterval, HoldsAllOfAFew) {
  EXPECT_EQ(median_interval(numbers(1)), std::pair(1.0, 1.0));
  EXPECT_EQ(median_interval(numbers(2)), std::pair(1.0, 2.0));
  EXPECT_EQ(median_interval(numbers(5)), std::pair(1.0, 5.0));
  EXPECT_EQ(median_interval(numbers(8)), std::pair(1.0, 8.0)) << "2 to 7 would miss it with 7 %";
}

TEST(MedianInterval, IsNarrowForVeryMany) {
  const auto [low, high] = median_interval(numbers(1001));
  EXPECT_LT(low, 501);
  EXPECT_GT(high, 501);
  EXPECT_NEAR(low, 501 - 2.05 * std::sqrt(1001.0) / 2, 2) << "by the normal distribution";
  EXPECT_EQ(low + high, 1002);
}

TEST(MedianInterval, HoldsTheMedianAsOftenAsItSays) {
  std::mt19937 random{20261121};
  std::exponential_distribution<double> skewed;
  const double median = std::log(2.0);
  constexpr int kTrials = 20'000;
  const std::map<std::size_t, double> share_held = {{6, 0.969}, {9, 0.961}, {15, 0.965}, {21, 0.973}};
  for (const auto& [n, share] : share_held) {
    int held = 0;
    for (int trial = 0; trial < kTrials; ++trial) {
      std::vector<double> values(n);
      for (double& value : values) value = skewed(random);
      const auto [low, high] = median_interval(values);
      held += low <= median && median <= high ? 1 : 0;
    }
    EXPECT_NEAR(static_cast<double>(held) / kTrials, share, 0.005) << n;
  }
}

TEST(SpeedVerdict, DecidesOnlyWhenTheWholeIntervalLiesOnOneSide) {
  EXPECT_EQ(speed_verdict({0.5, 0.6}, 0.5), Verdict::passed);
  EXPECT_EQ(speed_verdict({0.3, 0.49}, 0.5), Verdict::too_slow);
  EXPECT_EQ(speed_verdict({0.49, 0.51}, 0.5), Verdict::inconclusive);
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(speed_verdict({nan, nan}, 0.5), Verdict::inconclusive);
}

TEST(Speed, PointsGrowByFactorsFromTheFirstRungToTheBaseline) {
  EXPECT_EQ(share_of_speed(0.009, 0.009), 0);
  EXPECT_EQ(share_of_speed(0.001, 0.009), 0);
  EXPECT_NEAR(share_of_speed(0.09, 0.009), 0.5, 1e-12) << "one of the two factors of ten";
  EXPECT_NEAR(share_of_speed(0.5, 0.14), std::log(0.5 / 0.14) / std::log(0.9 / 0.14), 1e-12);
  EXPECT_LT(share_of_speed(0.89, 0.009), 1);
  EXPECT_EQ(share_of_speed(0.9, 0.009), 1);
  EXPECT_EQ(share_of_speed(12, 0.009), 1);
  EXPECT_EQ(share_of_speed(std::numeric_limits<double>::quiet_NaN(), 0.009), 0);
}

TEST(Speed, AWideIntervalAsksForMoreRounds) {
  EXPECT_FALSE(is_wide({0.99, 1.01}));
  EXPECT_TRUE(is_wide({0.98, 1.02}));
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_TRUE(is_wide({nan, nan}));
}

/// Batches of 4 and of 8 calls of `call` seconds, with a constant part of 1.
BatchTimes batches(double call, double longer_few = 0) {
  using Seconds = std::chrono::duration<double>;
  return {Seconds(1 + 4 * call + longer_few), Seconds(1 + 8 * call)};
}

TEST(Speed, WhatDoesNotEndIsTooSlowWhereTheReferenceSaysSo) {
  EXPECT_TRUE(is_certainly_slow(Verdict::time_limit, 0.01, 0.5));
  EXPECT_FALSE(is_certainly_slow(Verdict::time_limit, 0.6, 0.5))
      << "the reference takes most of the time too";
  EXPECT_FALSE(is_certainly_slow(Verdict::time_limit, 0, 0.5)) << "the reference has not been timed";
  EXPECT_FALSE(is_certainly_slow(Verdict::time_limit, std::nan(""), 0.5));
  EXPECT_FALSE(is_certainly_slow(Verdict::wrong_answer, 0.01, 0.5));
}

TEST(CallTimes, TheConstantPartDropsOut) {
  const std::vector<BatchTimes> reference(9, batches(0.25)), submission(9, batches(0.5));
  const CallTimes times = call_times(reference, submission, 4);
  EXPECT_THAT(times.ratios, testing::Each(testing::DoubleNear(0.5, 1e-9)));
  EXPECT_THAT(times.submission, testing::Each(testing::DoubleNear(0.5, 1e-9)));
  EXPECT_EQ(times.ratios.size(), 9U);
}

TEST(CallTimes, WhoLengthensHisShortBatchGainsNothing) {
  const std::vector<BatchTimes> reference(9, batches(0.25)), submission(9, batches(0.5, 1.9));
  EXPECT_THAT(call_times(reference, submission, 4).ratios,
              testing::Each(testing::DoubleNear(12 * 0.25 / (12 * 0.5 + 1.9), 1e-9)));
}

TEST(CallTimes, WhoWorksBeforeTheClockGainsNothing) {
  std::vector<BatchTimes> reference(9, batches(0.25)), submission(9, batches(0.5));
  for (BatchTimes& times : reference) times.preparation = std::chrono::duration<double>(3);
  reference[4].preparation /= 2;
  const std::chrono::duration<double> stolen(1.5);
  for (BatchTimes& times : submission) {
    times.many -= stolen;
    times.preparation = std::chrono::duration<double>(3) + stolen;
  }
  EXPECT_THAT(call_times(reference, submission, 4).ratios, testing::Each(testing::DoubleNear(0.5, 1e-9)));
}

TEST(CallTimes, PreparationsThatStayWithinTheReferencesAreNoise) {
  std::vector<BatchTimes> reference(9, batches(0.25)), submission(9, batches(0.5));
  for (std::size_t i = 0; i < 9; ++i) {
    reference[i].preparation = std::chrono::duration<double>(1 + 0.1 * static_cast<double>(i));
    submission[i].preparation = std::chrono::duration<double>(1.7 - 0.1 * static_cast<double>(i));
  }
  EXPECT_THAT(call_times(reference, submission, 4).ratios, testing::Each(testing::DoubleNear(0.5, 1e-9)));
}

TEST(CallTimes, OneLongPreparationOfTheReferenceHidesNothing) {
  std::vector<BatchTimes> reference(9, batches(0.25)), submission(9, batches(0.5));
  reference[2].preparation = std::chrono::duration<double>(9);
  for (BatchTimes& times : submission) {
    times.many -= std::chrono::duration<double>(1.5);
    times.preparation = std::chrono::duration<double>(1.5);
  }
  EXPECT_THAT(call_times(reference, submission, 4).ratios, testing::Each(testing::DoubleNear(0.5, 1e-9)));
}

TEST(CallTimes, DisturbedRoundsOfTheReferenceChangeTheirOwnRatiosOnly) {
  std::vector<BatchTimes> reference(9, batches(0.25)), submission(9, batches(0.5));
  reference[3] = batches(0.25, 0.7);
  reference[5].many *= 2;
  const CallTimes times = call_times(reference, submission, 4);
  EXPECT_NEAR(times.ratios[3], (12 * 0.25 + 0.7) / (12 * 0.5), 1e-9);
  EXPECT_EQ(std::count_if(times.ratios.begin(), times.ratios.end(),
                          [](double ratio) { return std::abs(ratio - 0.5) < 1e-9; }),
            7);
}

}  // namespace
}  // namespace lockstep::judge
