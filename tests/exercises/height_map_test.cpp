// The reader of height maps: what it takes from ASCII grids and PGM pictures, where it reports that a file is
// broken, and the picture that it draws.
#include "19-flood/height_map.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <sstream>
#include <string>
#include <vector>

namespace lockstep::test::height_map_test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

HeightMap grid(const std::string& text) {
  std::istringstream in(text);
  return read_ascii_grid(in, "a.asc");
}

HeightMap pgm(const std::string& bytes) {
  std::istringstream in(bytes);
  return read_pgm(in, "a.pgm");
}

template <class Read>
std::string error_of(Read read, const std::string& text) {
  try {
    read(text);
  } catch (const HeightMapError& error) {
    return error.what();
  }
  return "no error";
}

TEST(AsciiGrid, ReadsItsHeaderInAnyCaseAndItsHeights) {
  const HeightMap map = grid(
      "NCOLS 3\r\nnrows 2\r\nxllcorner 100.5\r\nyllcorner -7\r\ncellsize 30\r\nNODATA_value -1\r\n"
      "1 2.5 -3e2\r\n+4 -1 6");
  EXPECT_EQ(map.rows, 2);
  EXPECT_EQ(map.columns, 3);
  EXPECT_FLOAT_EQ(map.at(0, 1), 2.5F);
  EXPECT_FLOAT_EQ(map.at(0, 2), -300);
  EXPECT_TRUE(std::isnan(map.at(1, 1)));
  EXPECT_FLOAT_EQ(map.at(1, 2), 6);
}

TEST(AsciiGrid, WithoutNodataItIsTheUsualNumber) {
  const HeightMap map = grid("ncols 2\nnrows 2\nnan -9999\n0 1\n");
  EXPECT_TRUE(std::isnan(map.at(0, 0)) && std::isnan(map.at(0, 1)));
  EXPECT_EQ(map.at(1, 1), 1);
}

TEST(AsciiGrid, TellsWhatItCannotRead) {
  EXPECT_THAT(error_of(grid, "ncols 2\nnrows 2\n1 2 3\n"), StartsWith("a.asc: it ends after 3 of 2 x 2"));
  EXPECT_THAT(error_of(grid, "ncols 2\nnrows 2\n1 2 3 4 5\n"), HasSubstr("more values than 4"));
  EXPECT_THAT(error_of(grid, "ncols 2\nnrows 1\n1 2x\n"), HasSubstr("\"2x\" is no height"));
  EXPECT_THAT(error_of(grid, "ncols two\nnrows 1\n1 2\n"), HasSubstr("\"two\" is no value of ncols"));
  EXPECT_THAT(error_of(grid, "ncols 2\n1 2\n"), HasSubstr("is none, or too large"));
  EXPECT_THAT(error_of(grid, "ncols -2\nnrows -2\n1 2 3 4\n"), HasSubstr("is none, or too large"));
  EXPECT_THAT(error_of(grid, "ncols 99999\nnrows 99999\n1\n"), HasSubstr("is none, or too large"));
  EXPECT_THAT(error_of(grid, "ncols 40000\nnrows 40000\n1\n"), HasSubstr("it ends after 1 of"));
  EXPECT_THAT(error_of(grid, "ncols 99999999999999999999\nnrows 1\n1\n"), HasSubstr("is no value of ncols"));
  EXPECT_THAT(error_of(grid, ""), HasSubstr("is none, or too large"));
}

TEST(Pgm, ReadsTextAndBytesOfOneAndTwo) {
  EXPECT_THAT(pgm("P2 # made by hand\n2 2\n# greatest\n300\n0 7 300 12").heights, ElementsAre(0, 7, 300, 12));
  EXPECT_THAT(pgm(std::string("P5\n3 1\n255\n\0#\xff", 14)).heights, ElementsAre(0, 35, 255));
  const HeightMap wide = pgm(std::string("P5 1 2 65535 \x01\x02\xff\xff", 17));
  EXPECT_THAT(wide.heights, ElementsAre(258, 65535));
  EXPECT_EQ(wide.rows, 2);
}

TEST(Pgm, TellsWhatItCannotRead) {
  EXPECT_THAT(error_of(pgm, "P6\n1 1\n255\nabc"), HasSubstr("it does not begin with P2 or P5"));
  EXPECT_THAT(error_of(pgm, "P5\n2 2\n255\nabc"), HasSubstr("it ends after 3 of 2 x 2"));
  EXPECT_THAT(error_of(pgm, "P5\n1 1\n65535\na"), HasSubstr("it ends after 0 of 1 x 1"));
  EXPECT_THAT(error_of(pgm, "P2\n2 1\n10\n5 11\n"), HasSubstr("11 is beyond the greatest value, 10"));
  EXPECT_THAT(error_of(pgm, "P2\n2 1\n10\n5 -1\n"), HasSubstr("-1 is beyond"));
  EXPECT_THAT(error_of(pgm, "P2\n2 1\n10\n5 x\n"), HasSubstr("\"x\" is no grey value"));
  EXPECT_THAT(error_of(pgm, "P5\n2 1\n70000\nabcd"), HasSubstr("to 65535"));
  EXPECT_THAT(error_of(pgm, "P5\n0 1\n255\n"), HasSubstr("is none, or too large"));
}

TEST(HeightMaps, NameTheFileThatIsMissingOrOfAnotherKind) {
  EXPECT_THAT([] { read_height_map("missing.asc"); },
              testing::ThrowsMessage<std::runtime_error>(HasSubstr("missing.asc cannot be opened")));
  EXPECT_THAT([] { read_height_map(__FILE__); },
              testing::ThrowsMessage<std::runtime_error>(HasSubstr("neither an .asc nor a .pgm file")));
}

TEST(Shading, WaterIsBlueAndWhatIsUnknownIsGrey) {
  const HeightMap map{.rows = 1, .columns = 4, .heights = {0, 50, 100, NAN}};
  const Shading shading(map, 60);
  const Colour shallow = shading.of(0, 1, true), deep = shading.of(0, 0, true);
  EXPECT_GT(shallow.blue, shallow.red);
  EXPECT_GT(shallow.red, deep.red);
  const Colour high = shading.of(0, 2, false), low = shading.of(0, 0, false);
  EXPECT_GT(high.red, low.red);
  EXPECT_GT(low.green, low.blue);
  EXPECT_EQ(shading.of(0, 3, false), (Colour{128, 128, 128}));
}

TEST(Shading, AFlatMapAndAnInfiniteOneHaveColoursToo) {
  const HeightMap flat{.rows = 1, .columns = 2, .heights = {5, 5}};
  EXPECT_EQ(Shading(flat, 9).of(0, 0, true), Shading(flat, 9).of(0, 1, true));
  const HeightMap infinite{.rows = 1, .columns = 2, .heights = {INFINITY, -INFINITY}};
  const Shading shading(infinite, INFINITY);
  const Colour water = shading.of(0, 1, true);
  EXPECT_GT(water.blue, water.red);
  EXPECT_NE(shading.of(0, 0, false), water);
}

TEST(Ppm, HasAHeaderAndThreeBytesACell) {
  const HeightMap map{.rows = 2, .columns = 3, .heights = {1, 2, 3, 4, 5, 6}};
  std::ostringstream out;
  write_ppm(out, map, {1, 0, 0, 0, 0, 0}, 2);
  EXPECT_THAT(out.str(), StartsWith("P6\n3 2\n255\n"));
  EXPECT_EQ(out.str().size(), std::string("P6\n3 2\n255\n").size() + 18);
}

}  // namespace
}  // namespace lockstep::test::height_map_test
