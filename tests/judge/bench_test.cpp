// What becomes of the times that a round of `lockstep bench` gives. The rounds themselves need a GPU.
#include "judge/bench.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

namespace lockstep::judge {
namespace {

using report::Quantity;
using testing::ElementsAre;
using testing::IsEmpty;

TEST(KnownRounds, AreAllWhenEachTookTime) {
  const KnownRounds known = known_rounds(std::vector{2.0, 4.0}, std::vector{1.0, 8.0, 3.0});
  EXPECT_THAT(known.seconds, ElementsAre(2.0, 4.0));
  EXPECT_THAT(known.ratios, ElementsAre(0.5, 2.0));
}

TEST(KnownRounds, ATimeThatIsNotPositiveTellsNothing) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const KnownRounds known = known_rounds(std::vector{-1e-6, 2.0, 0.0, nan, 4.0}, std::vector(5, 1.0));
  EXPECT_THAT(known.seconds, ElementsAre(2.0, 4.0));
  EXPECT_THAT(known.ratios, ElementsAre(0.5, 0.25));
}

TEST(KnownRounds, ARatioNeedsTheReferencesTimeToo) {
  const KnownRounds known = known_rounds(std::vector{2.0, 4.0}, std::vector{-1e-6, 1.0});
  EXPECT_THAT(known.seconds, ElementsAre(2.0, 4.0));
  EXPECT_THAT(known.ratios, ElementsAre(0.25));
  EXPECT_THAT(known_rounds(std::vector{2.0}, std::vector{0.0}).ratios, IsEmpty());
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
