// The lanes' vector code does the same at every level of x86-64 that this processor has.
#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <random>

#include "emulator/program/processor_level.h"
#include "lanes_of_level.h"

namespace lockstep::emulator::handlers {
namespace {

using Values = std::array<std::uint32_t, kLanes>;

/// Mask of the lanes for which f holds, one after the other.
template <class F>
Mask mask_of(F f) {
  Mask mask = 0;
  for (unsigned lane = 0; lane < kLanes; ++lane) mask |= Mask{f(lane)} << lane;
  return mask;
}

void expect_plain_results(const LaneFunctions& level) {
  std::minstd_rand engine(7);
  const auto random = [&] { return static_cast<std::uint32_t>(engine()); };
  for (int round = 0; round < 2000; ++round) {
    const std::uint32_t kinds = 1 + random() % 40;  // from all lanes alike to hardly two
    const std::uint32_t high = round % 2 == 0 ? 0 : 0x8000'0000U;
    Values values{};
    for (std::uint32_t& value : values) value = random() % kinds | high;
    const Mask active = round % 3 == 0 ? kAllLanes : static_cast<Mask>(random()) | 1U << random() % kLanes;
    const auto is_active = [&](unsigned lane) { return (active >> lane & 1) != 0; };
    const std::uint32_t wanted = values[random() % kLanes];

    EXPECT_EQ(level.lanes_equal(values.data(), wanted),
              mask_of([&](unsigned lane) { return values[lane] == wanted; }));
    EXPECT_EQ(level.odd_lanes(values.data()), mask_of([&](unsigned lane) { return values[lane] % 2 != 0; }));
    const Mask first = mask_of([&](unsigned lane) {
      for (unsigned before = 0; before < lane; ++before) {
        if (is_active(before) && values[before] == values[lane]) return false;
      }
      return is_active(lane);
    });
    EXPECT_EQ(level.first_of_each(active, values.data()), first);
    EXPECT_EQ(level.is_uniform(active, values.data()), (first & (first - 1)) == 0);
  }
}

TEST(LanesTest, CodeOfLevelTwoIsRight) { expect_plain_results(x86_64_v2::lane_functions); }

TEST(LanesTest, CodeOfLevelThreeIsRight) {
  if (!program::has_x86_64_v3()) GTEST_SKIP() << "this processor is not of level x86-64-v3";
  expect_plain_results(x86_64_v3::lane_functions);
}

TEST(LanesTest, CodeOfLevelFourIsRight) {
  if (!program::has_x86_64_v4()) GTEST_SKIP() << "this processor is not of level x86-64-v4";
  expect_plain_results(x86_64_v4::lane_functions);
}

}  // namespace
}  // namespace lockstep::emulator::handlers
