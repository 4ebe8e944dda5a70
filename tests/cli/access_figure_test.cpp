// Pictures of one warp's access, on a terminal and as SVG.
#include "report/access_figure.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "golden.h"
#include "report/access_map.h"
#include "report/printable.h"

namespace lockstep::test {
namespace {

using emulator::AccessTrace;
using namespace report;
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

TEST(AccessDrawing, Banks) { expect_golden("banks.txt", draw_access(strided("shared", 8, 2, 1), {})); }
TEST(AccessDrawing, Sectors) { expect_golden("sectors.txt", draw_access(strided("global", 8, 8, 4), {})); }

TEST(AccessDrawing, KeepsToThePage) {
  for (const char* space : {"shared", "global"}) {
    for (const std::uint64_t stride : {0, 4, 8, 128, 132, 4096}) {
      for (const std::string& line : split_lines(draw_access(strided(space, stride, 1, 1), {}))) {
        EXPECT_LE(display_width(line), 100U) << line;
      }
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

TEST(AccessFigure, TellsUnitsAndIdeal) {
  EXPECT_THAT(access_figure_svg(strided("shared", 128, 32, 1)),
              HasSubstr("shared load, 4 bytes a lane: 32 wavefronts, ideal 1"));
  EXPECT_THAT(access_caption(strided("global", 0, 1, 1)), HasSubstr("1 sector, ideal 1"));
}

}  // namespace
}  // namespace lockstep::test
