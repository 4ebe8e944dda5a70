// Which ceiling bounds an exercise, the share of it that a call reaches, and what is no share at all.
#include "judge/ceiling.h"

#include <gmock/gmock.h>

#include <limits>

namespace lockstep::judge {
namespace {

using course::Cost;
using result::Figures;
using result::Quantity;
using result::Verdict;

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

Figures gpu() {
  return {{Quantity::copied_bytes, {4e12, 0.01}},
          {Quantity::fused_multiply_adds, {32e12, 0.01}},
          {Quantity::special_functions, {4e12, 0.01}},
          {Quantity::integer_products, {16e12, 0.01}},
          {Quantity::shared_bytes, {32e12, 0.01}},
          {Quantity::shared_atomics, {4e12, 0.01}},
          {Quantity::random_shared_atomics, {1, 0.01}},
          {Quantity::gathers, {76e9, 0.01}},
          {Quantity::launch, {2e-6, 0.01}}};
}

result::Speed compared(const Cost& cost, double seconds, const Figures& figures) {
  result::Speed speed;
  speed.verdict = Verdict::passed;
  compare_with_ceiling(speed, cost, seconds, figures);
  return speed;
}

TEST(BindingCeiling, IsTheOneThatTakesLongest) {
  Cost cost{.elements = 1, .global_bytes = 8e9, .fused_multiply_adds = 32e9};
  ASSERT_TRUE(binding_ceiling(cost, gpu()));
  EXPECT_EQ(binding_ceiling(cost, gpu())->ceiling.name, "copied-bytes");
  EXPECT_DOUBLE_EQ(binding_ceiling(cost, gpu())->seconds, 2e-3);
  cost.fused_multiply_adds = 96e9;
  const auto binding = binding_ceiling(cost, gpu());
  EXPECT_EQ(binding->ceiling.name, "fused-multiply-adds");
  EXPECT_EQ(binding->ceiling.rate, 32e12);
  EXPECT_EQ(binding->ceiling.unit, "/s");
  EXPECT_DOUBLE_EQ(binding->seconds, 3e-3);
}

TEST(BindingCeiling, EveryStatedCountCanBind) {
  struct Stated {
    double Cost::*count;
    Quantity quantity;
  };
  for (const Stated& stated : {Stated{&Cost::global_bytes, Quantity::copied_bytes},
                               {&Cost::fused_multiply_adds, Quantity::fused_multiply_adds},
                               {&Cost::special_functions, Quantity::special_functions},
                               {&Cost::integer_products, Quantity::integer_products},
                               {&Cost::shared_bytes, Quantity::shared_bytes},
                               {&Cost::shared_atomics, Quantity::shared_atomics},
                               {&Cost::gathers, Quantity::gathers}}) {
    Cost cost{.elements = 1, .global_bytes = 1};
    cost.*stated.count = 1e15;
    const auto binding = binding_ceiling(cost, gpu());
    ASSERT_TRUE(binding);
    EXPECT_EQ(binding->quantity, stated.quantity);
    EXPECT_EQ(binding->ceiling.name, result::text_of(stated.quantity).name);
    EXPECT_EQ(count_of(cost, stated.quantity), 1e15);
    EXPECT_THAT(quantities_of(cost), testing::Contains(stated.quantity));
  }
}

TEST(BindingCeiling, WhatACostCannotStateIsNone) {
  EXPECT_EQ(count_of({.elements = 1, .global_bytes = 8}, Quantity::launch), 0);
  EXPECT_EQ(count_of({.elements = 1, .global_bytes = 8}, Quantity::gathers), 0);
}

TEST(BindingCeiling, OnlyStatedCountsNeedAFigure) {
  EXPECT_THAT(quantities_of({.elements = 1e9}), testing::IsEmpty());
  EXPECT_THAT(quantities_of({.elements = 1, .global_bytes = 8, .shared_atomics = 1}),
              testing::ElementsAre(Quantity::copied_bytes, Quantity::shared_atomics));
}

TEST(BindingCeiling, AFigureThatIsNoPositiveNumberIsNoCeiling) {
  const Cost cost{.elements = 1, .global_bytes = 8e9, .gathers = 1};
  for (const double rate : {0.0, -1.0, kNan, kInfinity, -kInfinity}) {
    EXPECT_FALSE(binding_ceiling({.global_bytes = 8e9}, {{Quantity::copied_bytes, {rate, 0}}})) << rate;
    Figures figures = gpu();
    figures[Quantity::copied_bytes].value = rate;
    EXPECT_EQ(binding_ceiling(cost, figures)->ceiling.name, "gathers") << rate;
  }
  EXPECT_FALSE(binding_ceiling(cost, {}));
  EXPECT_FALSE(binding_ceiling({.global_bytes = kNan}, gpu()));
  EXPECT_FALSE(binding_ceiling({}, gpu()));
}

TEST(CeilingShare, IsTheLeastTimeOverTheTimeTaken) {
  const result::Speed speed = compared({.elements = 1, .global_bytes = 8e9}, 2.5e-3, gpu());
  EXPECT_EQ(speed.verdict, Verdict::passed);
  EXPECT_DOUBLE_EQ(speed.ceiling_share.value(), 0.8);
  EXPECT_EQ(speed.ceiling->description, "what this GPU's memory can copy");
  EXPECT_EQ(speed.ceiling->rate, 4e12);
}

TEST(CeilingShare, AVerdictStaysUpToTheNoiseAndNoFurther) {
  const Cost reading{.elements = 1, .global_bytes = 4e9};
  EXPECT_EQ(compared(reading, 1e-3 / 1.19, gpu()).verdict, Verdict::passed)
      << "the ceiling is that of copying, and reading alone is faster";
  EXPECT_EQ(compared(reading, 1e-3 / 1.21, gpu()).verdict, Verdict::review);
  const Cost copying_and_computing{.elements = 1, .global_bytes = 4e9, .fused_multiply_adds = 0.95 * 32e9};
  EXPECT_EQ(compared(copying_and_computing, 1e-3 / 1.19, gpu()).verdict, Verdict::review)
      << "of what it computes it is 1.13 times too fast";
  const Cost cost{.elements = 1, .fused_multiply_adds = 32e9};
  EXPECT_EQ(compared(cost, 1e-3 / 1.09, gpu()).verdict, Verdict::passed);
  const result::Speed impossible = compared(cost, 1e-3 / 1.11, gpu());
  EXPECT_EQ(impossible.verdict, Verdict::review);
  EXPECT_NEAR(impossible.ceiling_share.value(), 1.11, 1e-9) << "the report says how much too fast it is";
}

TEST(CeilingShare, WhatCannotBeComparedHasNoShareAndIsLookedAt) {
  const Cost cost{.elements = 1, .global_bytes = 8e9};
  for (const double seconds : {0.0, -1.0, kNan, kInfinity}) {
    const result::Speed speed = compared(cost, seconds, gpu());
    EXPECT_FALSE(speed.ceiling_share) << seconds;
    EXPECT_EQ(speed.verdict, Verdict::review) << seconds;
  }
  for (const double rate : {0.0, kNan, kInfinity}) {
    const result::Speed speed = compared(cost, 1e-3, {{Quantity::copied_bytes, {rate, 0}}});
    EXPECT_FALSE(speed.ceiling_share) << rate;
    EXPECT_FALSE(speed.ceiling) << rate;
    EXPECT_EQ(speed.verdict, Verdict::review) << rate;
  }
  EXPECT_FALSE(compared({}, 1e-3, gpu()).ceiling_share);
}

}  // namespace
}  // namespace lockstep::judge
