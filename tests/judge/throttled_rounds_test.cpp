// Which rounds are run again, on recorded readings of a GPU.
#include "judge/throttled_rounds.h"

#include <gmock/gmock.h>

namespace lockstep::judge {
namespace {

using device::GpuState;
using testing::ElementsAre;
using testing::IsEmpty;

constexpr std::uint64_t kIdle = 0x01, kPowerCap = 0x04, kThermal = 0x20;

GpuState state(std::uint64_t reasons, unsigned sm_mhz = 1980) {
  return {.sm_mhz = sm_mhz, .memory_mhz = 3201, .temperature_celsius = 41, .clock_event_reasons = reasons};
}

TEST(ThrottledRounds, NothingIsSaidOfAGpuThatReportsNothing) {
  ThrottledRounds rounds;
  EXPECT_FALSE(rounds.must_repeat(std::nullopt, std::nullopt, 9));
  EXPECT_FALSE(rounds.summary());
}

TEST(ThrottledRounds, CountWhenNothingSlowsTheGpu) {
  ThrottledRounds rounds;
  EXPECT_FALSE(rounds.must_repeat(state(kIdle, 345), state(0, 1965), 9));
  ASSERT_TRUE(rounds.summary());
  EXPECT_EQ(rounds.summary()->sm_mhz, 1965U);
  EXPECT_EQ(rounds.summary()->power_milliwatts, std::nullopt);
  EXPECT_EQ(rounds.summary()->repeated_rounds, 0);
  EXPECT_EQ(rounds.summary()->throttled_rounds, 0);
  EXPECT_THAT(rounds.summary()->throttle_reasons, IsEmpty());
}

TEST(ThrottledRounds, AreRepeatedWhicheverReadingTells) {
  ThrottledRounds rounds;
  EXPECT_TRUE(rounds.must_repeat(state(kThermal), state(0), 9));
  EXPECT_TRUE(rounds.must_repeat(state(0), state(kThermal | kPowerCap), 9));
  EXPECT_TRUE(rounds.must_repeat(std::nullopt, state(kPowerCap), 9));
  EXPECT_TRUE(rounds.must_repeat(state(kPowerCap), std::nullopt, 9));
  EXPECT_FALSE(rounds.must_repeat(state(0), state(0), 9));
  EXPECT_EQ(rounds.summary()->repeated_rounds, 4);
  EXPECT_EQ(rounds.summary()->throttled_rounds, 0);
  EXPECT_THAT(rounds.summary()->throttle_reasons, ElementsAre("software thermal slowdown", "power cap"));
}

TEST(ThrottledRounds, EndOnAGpuThatIsAlwaysThrottled) {
  ThrottledRounds rounds;
  int run = 0, counted = 0;
  for (; counted < 21 && run < 1000; ++run) {
    if (!rounds.must_repeat(state(kPowerCap), state(kPowerCap), counted < 9 ? 9 : 21)) ++counted;
  }
  EXPECT_EQ(run, 42);
  EXPECT_EQ(rounds.summary()->repeated_rounds, 21);
  EXPECT_EQ(rounds.summary()->throttled_rounds, 21);
  EXPECT_THAT(rounds.summary()->throttle_reasons, ElementsAre("power cap"));
}

}  // namespace
}  // namespace lockstep::judge
