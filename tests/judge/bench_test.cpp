// What becomes of the times that a round of `lockstep bench` gives. The rounds themselves need a GPU.
#include "judge/bench.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <map>
#include <utility>
#include <vector>

namespace lockstep::judge {
namespace {

using result::Quantity;
using testing::ElementsAre;

TEST(RatioOfRounds, IsTheMedianOfThoseThatBothHave) {
  EXPECT_EQ(ratio_of_rounds(std::vector{2.0, 4.0, 8.0}, std::vector{1.0, 8.0, 8.0}), 1);
  EXPECT_EQ(ratio_of_rounds(std::vector{2.0}, std::vector{1.0, 8.0, 3.0}), 0.5);
  EXPECT_EQ(ratio_of_rounds(std::vector{2.0, 4.0, 8.0}, std::vector{1.0}), 0.5)
      << "it was given up after one";
}

TEST(RatioOfRounds, NoiseCountsInBothDirections) {
  // A disturbed batch makes one round too long and another too short, even negative.
  EXPECT_EQ(ratio_of_rounds(std::vector{2.0, 9.0, -5.0}, std::vector(3, 1.0)), 0.5);
  EXPECT_EQ(ratio_of_rounds(std::vector(3, 2.0), std::vector{1.0, 9.0, -5.0}), 0.5);
}

TEST(RatioOfRounds, WhatTakesNoTimeHasNone) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(ratio_of_rounds(std::vector{-1e-6, 0.0, 2.0}, std::vector(3, 1.0)), 0);
  EXPECT_EQ(ratio_of_rounds(std::vector(3, 1.0), std::vector{-1e-6, 0.0, 2.0}), 0);
  EXPECT_EQ(ratio_of_rounds(std::vector{nan, nan, nan}, std::vector(3, 1.0)), 0);
  EXPECT_EQ(ratio_of_rounds({}, std::vector{1.0}), 0);
}

TEST(Turns, BringEachToEveryPlaceAndAfterEveryOtherEquallyOften) {
  for (const std::size_t n : {1, 2, 5, 6, 9, 10}) {
    std::map<std::pair<std::size_t, std::size_t>, int> places, successions;
    for (std::size_t round = 0; round < 2 * n; ++round) {
      const std::vector<std::size_t> order = order_of_round(n, round);
      ASSERT_THAT(order, testing::SizeIs(n));
      for (std::size_t place = 0; place < n; ++place) {
        ++places[{order[place], place}];
        if (place > 0) ++successions[{order[place - 1], order[place]}];
      }
    }
    EXPECT_EQ(places.size(), n * n) << n;
    EXPECT_EQ(successions.size(), n * (n - 1)) << n;
    for (const auto& [_, times] : places) EXPECT_EQ(times, 2) << n;
    for (const auto& [_, times] : successions) EXPECT_EQ(times, 2) << n;
  }
}

TEST(BenchQuantities, AreCopyingAndWhatAnySizeStates) {
  course::SpeedTask task;
  EXPECT_THAT(quantities_of(task), ElementsAre(Quantity::copied_bytes));
  task.sizes = {{.name = "small", .cost = {.global_bytes = 8}},
                {.name = "large", .cost = {.global_bytes = 8, .special_functions = 3}}};
  task.larger = {{.name = "largest", .cost = {.fused_multiply_adds = 5}}};
  EXPECT_THAT(quantities_of(task), ElementsAre(Quantity::copied_bytes, Quantity::fused_multiply_adds,
                                               Quantity::special_functions));
}

}  // namespace
}  // namespace lockstep::judge
