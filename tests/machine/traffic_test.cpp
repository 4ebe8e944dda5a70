// The counters against the table that was read off an H200 with Nsight Compute.
#include "emulator/program/handlers.h"

#include <gtest/gtest.h>

#include <functional>
#include <initializer_list>
#include <string>
#include <vector>

#include "device_fixture.h"

namespace lockstep::emulator::program {
namespace {

constexpr unsigned kNotMeasured = 0;

/// One row: how lane t indexes elements of each width, and what the GPU counted for widths 4, 8 and 16.
struct Row {
  std::string name;
  std::function<unsigned(unsigned)> index;
  unsigned sectors[3];
  unsigned wavefronts[3];
  unsigned conflicts[3];  ///< wavefronts beyond the ideal, where they were read
};

const std::vector<Row>& table() {
  static const std::vector<Row> rows = {
      {"t", [](unsigned t) { return t; }, {4, 8, 16}, {1, 2, 4}, {}},
      {"2t", [](unsigned t) { return 2 * t; }, {8, 16, 32}, {2, 4, 8}, {}},
      {"32t", [](unsigned t) { return 32 * t; }, {32, kNotMeasured, 32}, {32, 32, 32}, {}},
      {"0", [](unsigned) { return 0U; }, {1, kNotMeasured, 1}, {1, 1, 2}, {}},
      {"t/2", [](unsigned t) { return t / 2; }, {}, {1, 1, 2}, {}},
      {"t with bit 1 cleared", [](unsigned t) { return t & ~2U; }, {}, {kNotMeasured, 2, 4}, {0, 1, 2}},
      {"t xor 1", [](unsigned t) { return t ^ 1; }, {}, {kNotMeasured, kNotMeasured, 4}, {}},
      {"4t", [](unsigned t) { return 4 * t; }, {}, {kNotMeasured, kNotMeasured, 16}, {}},
      {"8t", [](unsigned t) { return 8 * t; }, {}, {kNotMeasured, kNotMeasured, 32}, {}},
      {"t + 1", [](unsigned t) { return t + 1; }, {5, kNotMeasured, kNotMeasured}, {}, {}},
      {"33t mod 1024", [](unsigned t) { return 33 * t % 1024; }, {}, {1, kNotMeasured, kNotMeasured}, {}},
      {"t < 16 ? t : t + 16",
       [](unsigned t) { return t < 16 ? t : t + 16; },
       {},
       {kNotMeasured, 2, kNotMeasured},
       {}},
  };
  return rows;
}

TEST(Traffic, SectorsAgreeWithTheH200) {
  for (const Row& row : table()) {
    for (unsigned w = 0; w < 3; ++w) {
      if (row.sectors[w] == kNotMeasured) continue;
      const unsigned width = 4U << w;
      std::uint64_t addresses[kLanes];
      for (unsigned t = 0; t < kLanes; ++t) addresses[t] = 0x1000 + std::uint64_t{row.index(t)} * width;
      EXPECT_EQ(handlers().traffic.global_sectors(addresses, kAllLanes, width).units, row.sectors[w])
          << row.name << ", " << width << " B";
    }
  }
}

TEST(Traffic, WavefrontsAgreeWithTheH200) {
  for (const Row& row : table()) {
    for (unsigned w = 0; w < 3; ++w) {
      if (row.wavefronts[w] == kNotMeasured) continue;
      const unsigned width = 4U << w;
      std::uint32_t offsets[kLanes];
      for (unsigned t = 0; t < kLanes; ++t) offsets[t] = row.index(t) * width;
      const Units units = handlers().traffic.shared_wavefronts(offsets, kAllLanes, width);
      EXPECT_EQ(units.units, row.wavefronts[w]) << row.name << ", " << width << " B";
      if (row.conflicts[w] != 0) {
        EXPECT_EQ(units.units - units.ideal, row.conflicts[w]) << row.name << ", " << width << " B";
      }
    }
  }
}

// Of shared_load_*_scattered* in measurements/nvidia-h200/differential.json.
TEST(Traffic, ScatteredWideLoadsAgreeWithTheH200) {
  struct Scattered {
    unsigned width;
    unsigned (*index)(unsigned t);
    unsigned wavefronts;
  };
  constexpr unsigned kHash = 2654435761U;
  for (const Scattered& one : std::initializer_list<Scattered>{
           {8, [](unsigned t) { return t * kHash >> 23; }, 4},
           {8, [](unsigned t) { return t / 2 * kHash >> 23; }, 2},
           {8, [](unsigned t) { return (t & ~2U) * kHash >> 23; }, 2},
           {8, [](unsigned t) { return (t & 15) * kHash >> 23; }, 4},
           {16, [](unsigned t) { return t * kHash >> 24; }, 7},
           {16, [](unsigned t) { return t / 2 * kHash >> 24; }, 4},
           {16, [](unsigned t) { return (t & ~2U) * kHash >> 24; }, 5},
           {16, [](unsigned t) { return t / 4 * kHash >> 24; }, 2},
           {16, [](unsigned t) { return (t & 7) * kHash >> 24; }, 8},
           {16, [](unsigned t) { return t == 5 ? 40 : t / 2; }, 5},
           {16, [](unsigned t) { return t % 2 * 16 + t / 2; }, 8},
       }) {
    std::uint32_t offsets[kLanes];
    for (unsigned t = 0; t < kLanes; ++t) offsets[t] = one.index(t) * one.width;
    EXPECT_EQ(handlers().traffic.shared_wavefronts(offsets, kAllLanes, one.width).units, one.wavefronts)
        << one.width << " B, lane 1 at " << offsets[1];
  }
}

TEST(Traffic, AtomicsAgreeWithTheH200) {
  const auto shared = [](auto index) {
    std::uint32_t offsets[kLanes];
    for (unsigned t = 0; t < kLanes; ++t) offsets[t] = 4 * index(t);
    return handlers().traffic.shared_atomic_wavefronts(offsets, kAllLanes, 4).units;
  };
  EXPECT_EQ(shared([](unsigned t) { return t; }), 1U);
  EXPECT_EQ(shared([](unsigned t) { return 32 * t; }), 32U);
  EXPECT_EQ(shared([](unsigned t) { return t / 2; }), 2U);
  EXPECT_EQ(shared([](unsigned) { return 7U; }), 1U);
}

TEST(Traffic, AtomicsOfHalfAWordTakeTheBankOfTheWord) {
  std::uint32_t offsets[kLanes];
  for (unsigned t = 0; t < kLanes; ++t) offsets[t] = 128 * t + 126;  // all in bank 31
  const Units conflict = handlers().traffic.shared_atomic_wavefronts(offsets, kAllLanes, 2);
  EXPECT_EQ(conflict.units, 32U);
  EXPECT_EQ(conflict.ideal, 1U);
  for (unsigned t = 0; t < kLanes; ++t) offsets[t] = 4 * t + 2;
  EXPECT_EQ(handlers().traffic.shared_atomic_wavefronts(offsets, kAllLanes, 2).units, 1U);
}

class AtomicsInShared : public DeviceTest {
 protected:
  /// Wavefronts of an atomic at the address in %r2, which names two words of one bank, 16 lanes each.
  std::uint64_t wavefronts_of(const std::string& atomic) {
    run("mov.u32 %r4, tile;\nand.b32 %r2, %r1, 1;\nmad.lo.u32 %r2, %r2, 128, %r4;\nmov.u32 %r3, 0;\n"
        "st.shared.u32 [%r2], %r3;\nbar.sync 0;\nsetp.lt.u32 %p1, %r1, 32;\n" +
            atomic,
        upload(std::vector<std::uint32_t>(32)), 0, 0, {1, 1, 1}, {32, 1, 1},
        ".shared .align 16 .b8 tile[256];\n");
    std::uint64_t wavefronts = 0;
    for (const LineCounters& line : seen.lines) wavefronts += line.shared_atomic.units;
    return wavefronts;
  }
};

TEST_F(AtomicsInShared, TakeAPassForEachWordWhereTheGpuOnlyCountsLanes) {
  for (const char* atomic : {"atom.shared.add.u32 %r5, [%r2], 1;", "atom.shared.add.s32 %r5, [%r2], 1;",
                             "@%p1 atom.shared.add.u32 %r5, [%r2], 1;", "red.shared.add.u32 [%r2], 1;",
                             "red.shared.inc.u32 [%r2], -1;"}) {
    EXPECT_EQ(wavefronts_of(atomic), 2U) << atomic;
  }
}

TEST_F(AtomicsInShared, TakeAPassForEachLaneOtherwise) {
  for (const char* atomic :
       {"atom.shared.add.u32 %r5, [%r2], 1;\nst.global.u32 [%d0], %r5;", "red.shared.add.u32 [%r2], 2;",
        "red.shared.add.u32 [%r2], %r1;", "red.shared.inc.u32 [%r2], 7;", "red.shared.or.b32 [%r2], 1;"}) {
    EXPECT_EQ(wavefronts_of(atomic), 32U) << atomic;
  }
}

TEST(Traffic, InactiveLanesCountNothing) {
  std::uint64_t addresses[kLanes];
  std::uint32_t offsets[kLanes];
  for (unsigned t = 0; t < kLanes; ++t) addresses[t] = offsets[t] = 128 * t;
  EXPECT_EQ(handlers().traffic.global_sectors(addresses, 0x0000'00FF, 4).units, 8U);
  EXPECT_EQ(handlers().traffic.shared_wavefronts(offsets, 0x0000'00FF, 4).units, 8U);
  EXPECT_EQ(handlers().traffic.global_sectors(addresses, 0, 4).units, 0U);
  EXPECT_EQ(handlers().traffic.shared_wavefronts(offsets, 0, 16).units, 0U);
}

TEST(Traffic, TheIdealIsWhatTheSameBytesNeedAtLeast) {
  std::uint64_t addresses[kLanes];
  for (unsigned t = 0; t < kLanes; ++t) addresses[t] = 0x1000 + 64 * t;
  EXPECT_EQ(handlers().traffic.global_sectors(addresses, kAllLanes, 4).ideal, 4U);
  for (std::uint64_t& address : addresses) address = 0x1000;
  EXPECT_EQ(handlers().traffic.global_sectors(addresses, kAllLanes, 4).ideal, 1U) << "one sector serves all";
}

TEST(Traffic, AnAccessThatIsNotAlignedTouchesTwoSectors) {
  const std::uint64_t address[kLanes] = {0x101E};
  EXPECT_EQ(handlers().traffic.global_sectors(address, 1, 4).units, 2U);
}

class PollTest : public DeviceTest {};

TEST_F(PollTest, CountsOnceHoweverManyWordsTakeTurns) {
  const DeviceAddress a = upload(std::vector<std::uint32_t>(2));
  run("mov.u32 %r2, 0;\n"
      "AGAIN: ld.volatile.global.u32 %r3, [%d0];\nld.volatile.global.u32 %r3, [%d0+4];\n"
      "add.u32 %r2, %r2, 1;\nsetp.lt.u32 %p1, %r2, 100;\n@%p1 bra AGAIN;",
      a, a, 0, {1, 1, 1}, {32, 1, 1});
  Traffic polls;
  for (const LineCounters& counters : seen.lines) polls += counters.global_load;
  EXPECT_EQ(polls.requests, 2U) << "how often a warp looks depends on the machine's timing";
}

TEST_F(PollTest, CountsAtomicsThatFindTheSameOnce) {
  const DeviceAddress a = upload(std::vector<std::uint32_t>(2));
  run("mov.u32 %r2, 0;\n"
      "AGAIN: atom.global.add.u32 %r3, [%d0], 0;\nadd.u32 %r2, %r2, 1;\nsetp.lt.u32 %p1, %r2, 100;\n"
      "@%p1 bra AGAIN;\nmov.u32 %r2, 0;\n"
      "COUNT: atom.global.add.u32 %r3, [%d0+4], 1;\nadd.u32 %r2, %r2, 1;\nsetp.lt.u32 %p1, %r2, 100;\n"
      "@%p1 bra COUNT;",
      a, a, 0, {1, 1, 1}, {1, 1, 1});
  Traffic atomics;
  for (const LineCounters& counters : seen.lines) atomics += counters.global_atomic;
  EXPECT_EQ(atomics.requests, 1U + 100) << "what changes something is no poll";
}

TEST_F(PollTest, CountsAtomicsOfOtherValues) {
  const DeviceAddress a = upload(std::vector<std::uint32_t>{1000});
  run("mov.u32 %r2, 0;\nAGAIN: red.global.max.u32 [%d0], %r2;\nadd.u32 %r2, %r2, 1;\n"
      "setp.lt.u32 %p1, %r2, 100;\n@%p1 bra AGAIN;",
      a, a, 0, {1, 1, 1}, {1, 1, 1});
  Traffic atomics;
  for (const LineCounters& counters : seen.lines) atomics += counters.global_atomic;
  EXPECT_EQ(atomics.requests, 100U) << "a maximum that is found early is looked for all the same";
}

}  // namespace
}  // namespace lockstep::emulator::program
