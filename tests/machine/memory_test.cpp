// Allocations of the emulated device: alignment, distance, limits, and the words for an address that misses.
#include "emulator/memory/memory.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <fstream>
#include <vector>

namespace lockstep::emulator::memory {
namespace {

class GlobalMemoryTest : public ::testing::Test {
 protected:
  /// Of an address's line and of its word.
  std::array<Visit, 4> visits_of(DeviceAddress address) const {
    const LineVisits& line = memory.line_visits(address);
    return {line[kWriter], line[kReader], *memory.word_visits(kWriter, address),
            *memory.word_visits(kReader, address)};
  }
  void visit(DeviceAddress address) {
    for (const Visitor of : {kWriter, kReader})
      memory.line_visits(address)[of] = *memory.word_visits(of, address) = kVisit;
  }
  bool is_visited(DeviceAddress address) const {
    return visits_of(address) == std::array{kVisit, kVisit, kVisit, kVisit};
  }

  static constexpr Visit kVisit{1, 2};
  GlobalMemory memory{std::size_t{1} << 20};
};

TEST_F(GlobalMemoryTest, AllocationsAreAlignedAndApart) {
  const DeviceAddress a = memory.allocate(100, "a"), b = memory.allocate(100, "b");
  EXPECT_EQ(a % 256, 0U);
  EXPECT_EQ(b % 256, 0U);
  EXPECT_GE(b - a, 100U + 256U);
  EXPECT_EQ(memory.find(a + 99)->label, "a");
  EXPECT_EQ(memory.find(a + 100), nullptr);
}

TEST_F(GlobalMemoryTest, FindsWhatAnAddressMissed) {
  using enum Finding::Cause;
  const DeviceAddress a = memory.allocate(100, "a");
  const auto expect_miss = [&](DeviceAddress address, Finding::Cause cause) {
    const Miss miss = memory.find_miss(address);
    EXPECT_EQ(miss.cause, cause);
    EXPECT_EQ(miss.object, (Finding::Object{"a", a, 100}));
  };
  expect_miss(a + 100, just_past_end);
  expect_miss(a + 98, reaches_past_end);
  expect_miss(a + 108, past_end);
  expect_miss(a - 8, before_start);
  expect_miss(a - 5'000'000'000, before_start);
  memory.allocate(100, "b");
  expect_miss(a - 8, before_start);
  expect_miss(a - 5'000'000'000, far_before_start);
  EXPECT_EQ(memory.find_miss(a + (std::uint64_t{1} << 30)).cause, far_past_end);
  EXPECT_EQ(memory.find_miss(a + (std::uint64_t{1} << 40)).cause, in_no_allocation);
  EXPECT_EQ(memory.find_miss(0x7fff'0000'0000).cause, host_pointer);
  EXPECT_EQ(memory.find_miss(0).cause, null_pointer);
  memory.free(a);
  expect_miss(a + 4, freed_memory);
}

TEST_F(GlobalMemoryTest, RefusesWhatDoesNotFit) {
  EXPECT_THROW(memory.allocate((std::size_t{1} << 20) + 1, ""), DeviceError);
  const DeviceAddress a = memory.allocate(std::size_t{1} << 20, "all");
  EXPECT_THROW(memory.allocate(1, ""), DeviceError);
  memory.free(a);
  EXPECT_NO_THROW(memory.allocate(1, ""));
  EXPECT_THROW(memory.free(a), DeviceError) << "twice";
}

TEST_F(GlobalMemoryTest, RequiresWholeRanges) {
  const DeviceAddress a = memory.allocate(100, "a");
  EXPECT_NO_THROW(memory.require(a, 100));
  EXPECT_THROW(memory.require(a, 101), DeviceError);
  EXPECT_THROW(memory.require(a + 1, ~std::uint64_t{0}), DeviceError) << "a size that wraps";
  EXPECT_THROW(memory.require(a + 200, 1), DeviceError);
}

TEST_F(GlobalMemoryTest, MarksBytesAndForgetsThemWhenFreed) {
  const DeviceAddress a = memory.allocate(64, "a");
  memory.mark_written(a + 1, 6, true);
  EXPECT_EQ(*memory.written(a), 0b1110);
  EXPECT_EQ(*memory.written(a + 4), 0b0111);
  memory.mark_written(a + 2, 1, false);
  EXPECT_EQ(*memory.written(a), 0b1010);
  memory.free(a);
  EXPECT_EQ(*memory.written(a), 0);
}

/// Pages that this process has in the machine's memory.
std::size_t resident_bytes() {
  std::ifstream file("/proc/self/statm");
  std::size_t all = 0, resident = 0;
  file >> all >> resident;
  return resident * 4096;
}

TEST_F(GlobalMemoryTest, GivesBackThePagesOfWhatIsFreed) {
  const auto use = [&](DeviceAddress address) {
    *memory.host(address) = std::byte{1};
    memory.mark_written(address, 1, true);
    visit(address);
  };
  const DeviceAddress before_all = memory.allocate(1, "before");
  use(before_all);
  const std::size_t before = resident_bytes();
  constexpr int kMany = 20'000;
  for (int i = 0; i < kMany; ++i) {
    const DeviceAddress address = memory.allocate(1, "");
    use(address);
    memory.free(address);
  }
  EXPECT_LT(resident_bytes(), before + (std::size_t{16} << 20));
  EXPECT_EQ(*memory.host(before_all), std::byte{1});
  EXPECT_EQ(*memory.written(before_all), 1);
  EXPECT_TRUE(is_visited(before_all));
}

TEST_F(GlobalMemoryTest, GivesBackNoPageOfANeighbour) {
  std::vector<DeviceAddress> addresses;
  for (std::size_t bytes = 1; bytes < 30; ++bytes) {
    addresses.push_back(memory.allocate(bytes * 200, ""));
    std::memset(memory.host(addresses.back()), 1, bytes * 200);
    memory.mark_written(addresses.back(), bytes * 200, true);
    visit(addresses.back());
  }
  for (std::size_t k = 0; k < addresses.size(); k += 2) memory.free(addresses[k]);
  for (std::size_t k = 1; k < addresses.size(); k += 2) {
    const DeviceAddress last = addresses[k] + (k + 1) * 200 - 1;
    EXPECT_EQ(*memory.host(addresses[k]), std::byte{1});
    EXPECT_EQ(*memory.host(last), std::byte{1});
    EXPECT_EQ(*memory.written(addresses[k]), 0xF);
    EXPECT_EQ(*memory.written(last), 0xF);
    EXPECT_TRUE(is_visited(addresses[k]));
  }
  for (std::size_t k = 0; k < addresses.size(); k += 2) {
    EXPECT_EQ(*memory.host(addresses[k]), std::byte{0});
    EXPECT_EQ(*memory.written(addresses[k]), 0);
    EXPECT_EQ(visits_of(addresses[k]), (std::array<Visit, 4>{}));
  }
}

}  // namespace
}  // namespace lockstep::emulator::memory
