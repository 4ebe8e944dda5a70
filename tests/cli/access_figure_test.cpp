// Pictures of one warp's access, on a terminal and as SVG.
#include "report/access_figure.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "golden.h"
#include "report/access_kinds.h"
#include "report/access_map.h"
#include "report/printable.h"

namespace lockstep::test {
namespace {

using emulator::AccessTrace;
using namespace report;
using namespace result;
using testing::ElementsAre;
using testing::HasSubstr;

/// Lane t at byte t * stride.
AccessTrace strided(const char* space, std::uint64_t stride, std::uint32_t units, std::uint32_t ideal) {
  AccessTrace trace;
  trace.space = space;
  trace.operation = "load";
  trace.active = 0xFFFF'FFFF;
  trace.units = units;
  trace.ideal_units = ideal;
  for (unsigned lane = 0; lane < kLanes; ++lane) trace.addresses[lane] = 0x2000'0000'0000 + lane * stride;
  return trace;
}

TEST(AccessMap, ColumnOfATileMeetsInOneBank) {
  const auto banks = words_by_bank(strided("shared", 128, 32, 1));
  EXPECT_EQ(banks[0].size(), 32U);
  EXPECT_TRUE(banks[1].empty());
}

TEST(AccessMap, PaddedColumnMeetsEveryBankOnce) {
  for (const auto& words : words_by_bank(strided("shared", 132, 1, 1))) EXPECT_EQ(words.size(), 1U);
}

TEST(AccessMap, WideAccessesTouchSeveralWords) {
  AccessTrace trace = strided("global", 16, 16, 16);
  trace.bytes = 16;
  const auto sectors = touched_sectors(trace);
  ASSERT_EQ(sectors.size(), 16U);
  EXPECT_THAT(sectors[0].words[3], ElementsAre(0U));
  EXPECT_THAT(sectors[0].words[4], ElementsAre(1U));
}

TEST(AccessMap, InactiveLanesTouchNothing) {
  AccessTrace trace = strided("global", 0, 1, 1);
  trace.active = 0x5;
  const auto sectors = touched_sectors(trace);
  ASSERT_EQ(sectors.size(), 1U);
  EXPECT_THAT(sectors[0].words[0], ElementsAre(0U, 2U));
}

// The first request may be that of a few elements before the first whole vector.
TEST(AccessKinds, TheRequestOfTheMostLanesStandsForItsKind) {
  AccessTrace few = strided("shared", 4, 1, 1), all = strided("shared", 4, 1, 1);
  few.active = 0x7;
  AccessTrace load_of_bytes = few;
  load_of_bytes.bytes = 1;
  const auto kinds = kinds_of_access({few, all, load_of_bytes, strided("global", 4, 4, 4)}, "shared");
  ASSERT_EQ(kinds.size(), 2U);
  EXPECT_EQ(kinds[0].active, 0xFFFF'FFFF);
  EXPECT_EQ(kinds[1].bytes, 1U);
}

TEST(AccessDrawing, Banks) { expect_golden("banks.txt", draw_access(strided("shared", 8, 2, 1), {})); }
TEST(AccessDrawing, Sectors) { expect_golden("sectors.txt", draw_access(strided("global", 8, 8, 4), {})); }

/// Lane t at word t / lanes_a_word.
AccessTrace atomic(const char* space, unsigned lanes_a_word, std::uint32_t units, std::uint32_t ideal) {
  AccessTrace trace = strided(space, 0, units, ideal);
  trace.operation = "atomic";
  for (unsigned lane = 0; lane < kLanes; ++lane) trace.addresses[lane] += 4 * (lane / lanes_a_word);
  return trace;
}

TEST(AccessMap, LanesOfAnAtomicMeetAtTheirAddress) {
  const auto words = lanes_by_address(atomic("global", 5, 1, 4));
  ASSERT_EQ(words.size(), 7U);
  EXPECT_THAT(words[0].lanes, ElementsAre(0U, 1U, 2U, 3U, 4U));
  EXPECT_THAT(words[6].lanes, ElementsAre(30U, 31U));
  EXPECT_EQ(most_lanes_at_one_address(atomic("global", 5, 1, 4)), 5U);
}

TEST(AccessMap, ABankServesTheLanesOfAnAtomicOneByOne) {
  EXPECT_EQ(queues_of_banks(atomic("shared", 8, 8, 1))[0].size(), 8U);
  // One wavefront: the GPU only counts lanes, or the compiler has added them up.
  const auto counted = queues_of_banks(atomic("shared", 8, 1, 1));
  ASSERT_EQ(counted[0].size(), 1U);
  EXPECT_EQ(counted[0][0].lanes.size(), 8U);
  // A bank each: nothing to see of either.
  AccessTrace spread = strided("shared", 4, 1, 1);
  spread.operation = "atomic";
  EXPECT_FALSE(serves_lanes_apart(spread));
}

TEST(AccessDrawing, Atomics) {
  expect_golden("atomics.txt", draw_access(atomic("global", 5, 1, 1), {}) + '\n' +
                                   draw_access(atomic("shared", 8, 8, 1), {}));
}
TEST(AccessDrawing, NarrowBanks) {
  expect_golden("narrow_banks.txt", draw_access(strided("shared", 8, 2, 1), {.width = 60}));
}

TEST(AccessDrawing, KeepsToThePage) {
  for (const std::size_t width : {60U, 100U}) {
    std::vector<AccessTrace> traces = {atomic("global", 32, 1, 1), atomic("global", 3, 2, 1),
                                       atomic("shared", 4, 4, 1)};
    for (const char* space : {"shared", "global"}) {
      for (const std::uint64_t stride : {0, 4, 8, 128, 132, 4096})
        traces.push_back(strided(space, stride, 1, 1));
    }
    for (const AccessTrace& trace : traces) {
      for (const std::string& line : split_lines(draw_access(trace, {.width = width})))
        EXPECT_LE(display_width(line), width) << line;
    }
  }
}

TEST(AccessFigure, Banks) { expect_golden("banks.svg", access_figure_svg(strided("shared", 8, 2, 1))); }
TEST(AccessFigure, ColumnOfATile) {
  expect_golden("column_of_a_tile.svg", access_figure_svg(strided("shared", 128, 32, 1)));
}
TEST(AccessFigure, Sectors) { expect_golden("sectors.svg", access_figure_svg(strided("global", 8, 8, 4))); }
TEST(AccessFigure, Scattered) {
  expect_golden("scattered.svg", access_figure_svg(strided("global", 4096, 32, 4)));
}

TEST(AccessFigure, AtomicsInGlobalMemory) {
  expect_golden("atomics.svg", access_figure_svg(atomic("global", 5, 1, 1)));
}
TEST(AccessFigure, AtomicsInSharedMemory) {
  expect_golden("shared_atomics.svg", access_figure_svg(atomic("shared", 8, 8, 1)));
}

TEST(AccessFigure, TellsUnitsAndIdeal) {
  EXPECT_THAT(access_figure_svg(strided("shared", 128, 32, 1)),
              HasSubstr("shared load, 4 bytes per lane: 32 wavefronts, ideal 1"));
  EXPECT_THAT(access_caption(strided("global", 0, 1, 1)), HasSubstr("1 sector, ideal 1"));
  EXPECT_THAT(access_caption(atomic("global", 5, 1, 1)), HasSubstr("; 5 lanes meet at one address"));
}

}  // namespace
}  // namespace lockstep::test
