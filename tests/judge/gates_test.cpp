// Counters in, numbers out: the gates on the counts that a transpose of 1024 x 1024 floats gives.
#include <gtest/gtest.h>

#include "course/problem.h"

namespace lockstep::course {
namespace {

using emulator::LineCounters;
using emulator::Observations;

constexpr std::uint64_t kRequests = 32768;  // 1024 * 1024 elements, 32 a warp
constexpr Cost kCost = {.elements = 1024.0 * 1024, .global_bytes = 8.0 * 1024 * 1024};

LineCounters line_with_global(std::uint64_t load_sectors, std::uint64_t store_sectors) {
  LineCounters line;
  if (load_sectors > 0)
    line.global_load = {kRequests, kRequests * load_sectors, kRequests * 4, kRequests * 128};
  if (store_sectors > 0)
    line.global_store = {kRequests, kRequests * store_sectors, kRequests * 4, kRequests * 128};
  return line;
}

TEST(Gates, GlobalSectorsAreRelativeToTheTask) {
  const Gate gate = global_sectors_gate(1.5, "advice");
  Observations coalesced;
  coalesced.lines = {line_with_global(4, 0), line_with_global(0, 4)};
  EXPECT_DOUBLE_EQ(gate.value({coalesced, kCost, 1}), 1.0);
  EXPECT_DOUBLE_EQ(gate.value({coalesced, kCost, 2}), 0.5) << "counters of two calls are shared by two";
  Observations naive;
  naive.lines = {line_with_global(4, 32)};
  EXPECT_DOUBLE_EQ(gate.value({naive, kCost, 1}), 4.5);
}

TEST(Gates, GlobalSectorsNameTheLineBeyondItsIdeal) {
  const Gate gate = global_sectors_gate(1.5, "advice");
  const LineCounters good = line_with_global(4, 0), bad = line_with_global(0, 32);
  EXPECT_EQ(gate.excess(good), 0);
  EXPECT_EQ(gate.excess(bad), 28.0 * kRequests);
  const Observations none;
  EXPECT_EQ(gate.explain(line_with_global(4, 32), {none, kCost, 1}),
            "stores take 32 sectors a request, ideal 4")
      << "the loads of the same line are as they should be";
  EXPECT_EQ(gate.explain(bad, {none, kCost, 1}), "stores take 32 sectors a request, ideal 4");
}

TEST(Gates, SharedWavefrontsAreThoseBeyondTheFewest) {
  const Gate gate = shared_wavefronts_gate(1, "advice");
  Observations none;
  EXPECT_EQ(gate.value({none, kCost, 1}), 0) << "no shared memory is no conflict";
  Observations tiled;
  LineCounters store, load;
  store.shared_store = {kRequests, kRequests, kRequests, kRequests * 128};
  load.shared_load = {kRequests, kRequests * 32, kRequests, kRequests * 128};
  tiled.lines = {store, load};
  EXPECT_DOUBLE_EQ(gate.value({tiled, kCost, 1}), 31.0);
  EXPECT_DOUBLE_EQ(gate.value({tiled, kCost, 2}), 15.5) << "counters of two calls are shared by two";
  EXPECT_EQ(gate.excess(store), 0);
  EXPECT_EQ(gate.excess(load), 31.0 * kRequests);
  EXPECT_EQ(gate.explain(load, {tiled, kCost, 1}), "loads take 32 wavefronts a request, ideal 1");
}

TEST(Gates, AccessesThatServeNothingDoNotDiluteConflicts) {
  const Gate gate = shared_wavefronts_gate(1, "advice");
  LineCounters conflict, waste;
  conflict.shared_load = {kRequests, kRequests * 32, kRequests, kRequests * 128};
  waste.shared_load = {kRequests * 1000, kRequests * 1000, kRequests * 1000, kRequests * 128000};
  Observations diluted;
  diluted.lines = {conflict, waste};
  EXPECT_DOUBLE_EQ(gate.value({diluted, kCost, 1}), 31.0);
}

TEST(Gates, CopiesAndFillsAreTraffic) {
  Observations copying;
  copying.lines = {line_with_global(4, 4)};
  copying.copied_sectors = kRequests * 8;
  const Gate sectors = global_sectors_gate(1.5, "advice");
  EXPECT_DOUBLE_EQ(sectors.value({copying, kCost, 1}), 2.0);
  EXPECT_EQ(sectors.besides({copying, kCost, 1}),
            "copies, fills, textures and surfaces are 50 % of all sectors");
  const Gate bytes = bytes_per_element_gate(9, "advice");
  EXPECT_DOUBLE_EQ(bytes.value({copying, kCost, 1}), 16.0);
  EXPECT_EQ(bytes.besides({copying, kCost, 1}),
            "copies, fills, textures and surfaces are 50 % of all sectors");
  copying.copied_sectors = kRequests / 2;
  EXPECT_EQ(sectors.besides({copying, kCost, 1}), "") << "a few are not worth a word";
  EXPECT_EQ(sectors.besides({Observations(), kCost, 1}), "");
}

TEST(Gates, BytesPerElementCountWholeSectors) {
  const Gate gate = bytes_per_element_gate(9, "advice");
  Observations twice;
  twice.lines = {line_with_global(4, 4), line_with_global(4, 0)};
  EXPECT_DOUBLE_EQ(gate.value({twice, kCost, 1}), 12.0);
  EXPECT_GT(gate.excess(twice.lines[0]), gate.excess(twice.lines[1]));
  EXPECT_EQ(gate.explain(twice.lines[0], {twice, kCost, 1}), "8 bytes an element, the most of all lines");
}

}  // namespace
}  // namespace lockstep::course
