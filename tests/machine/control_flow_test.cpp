// The order of blocks that decides where diverged lanes meet.
#include "emulator/analysis/control_flow.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>

namespace lockstep::emulator::analysis {
namespace {

using ::testing::ElementsAre;

TEST(BlockOrder, KeepsAStraightLine) { EXPECT_THAT(block_order({{1}, {2}, {}}), ElementsAre(0, 1, 2)); }

TEST(BlockOrder, PutsTheJoinAfterBothArms) {
  // 0 → 1, 2; both → 3
  const auto order = block_order({{1, 2}, {3}, {3}, {}});
  EXPECT_EQ(order[0], 0U);
  EXPECT_EQ(order[3], 3U);
}

TEST(BlockOrder, PutsALoopBeforeWhatFollowsIt) {
  // 0 → 1 (header) → 2 (body) or 4 (exit); 2 → 3 or 4 (break); 3 → 1
  const auto order = block_order({{1}, {4, 2}, {4, 3}, {1}, {}});
  EXPECT_EQ(order[4], 4U);
}

TEST(BlockOrder, KeepsALoopTogetherWhenAnExitIsReachedFirst) {
  // A loop of 1, 2, 3 (3 → 1) that is left from 2 to 5 and from 3 to 4.
  const auto order = block_order({{1}, {2, 3}, {3, 5}, {1, 4}, {5}, {}});
  EXPECT_LT(order[2], order[4]);
  EXPECT_LT(order[3], order[4]);
  EXPECT_LT(order[3], order[5]);
}

TEST(BlockOrder, NestsLoops) {
  // outer 1…4, inner 2 ↔ 3; 4 → 1 or 5
  const auto order = block_order({{1}, {2}, {3, 4}, {2}, {1, 5}, {}});
  EXPECT_LT(order[3], order[4]);
  EXPECT_LT(order[4], order[5]);
}

TEST(BlockOrder, TakesIrreducibleAndUnreachableBlocks) {
  // 1 and 2 jump to each other and both are entered from 0; 4 is unreachable.
  const auto order = block_order({{1, 2}, {2, 3}, {1, 3}, {}, {3}});
  EXPECT_THAT(order, ::testing::UnorderedElementsAre(0, 1, 2, 3, 4));
  EXPECT_EQ(order[4], 4U);
}

/// Headers 0 … n − 1 one after another, then the back edges of the innermost loop to the outermost.
Successors nested_loops(std::uint32_t n) {
  Successors successors;
  for (std::uint32_t k = 0; k < n; ++k) successors.push_back({k + 1});
  for (std::uint32_t k = n; k-- > 0;) {
    successors.push_back({k, static_cast<std::uint32_t>(successors.size()) + 1});
  }
  successors.emplace_back();
  return successors;
}

TEST(BlockOrder, TakesDeeperLoopsThanAnybodyWrites) {
  const auto order = block_order(nested_loops(100));
  for (std::uint32_t k = 0; k < order.size(); ++k) EXPECT_EQ(order[k], k);
}

TEST(BlockOrder, RefusesATangleInBoundedTime) {
  const auto begin = std::chrono::steady_clock::now();
  EXPECT_THROW(block_order(nested_loops(60'000)), TangledControlFlow);
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(5));
}

TEST(BlockOrder, TakesAnEmptyGraph) { EXPECT_TRUE(block_order({}).empty()); }

}  // namespace
}  // namespace lockstep::emulator::analysis
