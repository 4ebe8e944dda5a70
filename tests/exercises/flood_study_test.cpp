// The plain part of the study of flood: its readers and where they report that a file is broken, places and
// areas of cells, levels as they are typed, sums, and the picture.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <limits>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include "19-flood/study/ascii_grid.h"
#include "19-flood/study/grid.h"
#include "19-flood/study/levels.h"
#include "19-flood/study/open_map.h"
#include "19-flood/study/picture.h"
#include "19-flood/study/summary.h"
#include "19-flood/study/temporary_file.h"
#include "study/options.h"
#include "study/output_files.h"
#include "study_files.h"

namespace lockstep::flood_study::test {
namespace {

using lockstep::test::error_of;
using lockstep::test::StudyFiles;
using testing::AllOf;
using testing::ElementsAre;
using testing::EndsWith;
using testing::HasSubstr;
using testing::Not;

constexpr const char* kPlace = "xllcorner 0\nyllcorner 0\ncellsize 1\n";

class FloodStudy : public StudyFiles {
 protected:
  std::unique_ptr<HeightFile> map(const std::string& contents, const std::string& name = "a.asc") const {
    return open_map(write(name, contents));
  }
  /// What reading a file says, without its path.
  std::string refusal(const std::string& contents, const std::string& name = "a.asc") const {
    return without_path(error_of([&] { map(contents, name); }), name);
  }
  static std::vector<float> heights_of(HeightFile& map) {
    std::vector<float> heights(map.grid().rows * map.grid().columns);
    map.read_rows(0, map.grid().rows, heights.data());
    return heights;
  }
};

TEST_F(FloodStudy, AnAsciiGridHasItsHeaderInAnyCaseAndOrder) {
  const auto read =
      map("NROWS 2\r\nNCOLS 3\r\nXLLCENTER 100.5\r\nyllcorner -7\r\ncellsize 30\r\nNODATA_value -1\r\n"
          "1 2.5 -3e2\r\n+4 -1\r\n6");
  const Grid& grid = read->grid();
  EXPECT_EQ(grid.rows, 2U);
  EXPECT_EQ(grid.columns, 3U);
  EXPECT_DOUBLE_EQ(grid.left, 85.5);
  EXPECT_DOUBLE_EQ(grid.top, 53);
  EXPECT_DOUBLE_EQ(grid.cell_area(1), 900);
  EXPECT_EQ(grid.unit, "");
  const std::vector<float> heights = heights_of(*read);
  EXPECT_THAT(std::vector(heights.begin(), heights.begin() + 4), ElementsAre(1, 2.5F, -300, 4));
  EXPECT_TRUE(std::isnan(heights[4]));
  EXPECT_EQ(heights[5], 6);
}

TEST_F(FloodStudy, CellsMayBeLongerThanWide) {
  const auto read = map("ncols 1\nnrows 2\nxllcorner 5\nyllcenter 5\ndx 2\ndy 10\n1 2\n");
  EXPECT_DOUBLE_EQ(read->grid().top, 20);
  EXPECT_DOUBLE_EQ(read->grid().cell_area(0), 20);
}

TEST_F(FloodStudy, NoValueIsFoundInOtherDigitsAndWithoutAKey) {
  const std::string sides = std::string("ncols 3\nnrows 1\n") + kPlace;
  EXPECT_TRUE(std::isnan(heights_of(*map(sides + "-9999 nan 1\n"))[0]));
  EXPECT_TRUE(std::isnan(heights_of(*map(sides + "-9999 nan 1\n"))[1]));
  // A float, written with other digits in the header and in the rows.
  const std::vector<float> heights =
      heights_of(*map(sides + "NODATA_value -3.4028234663852886e+38\n-3.40282346638529e+38 -inf 1\n"));
  EXPECT_TRUE(std::isnan(heights[0]));
  EXPECT_EQ(heights[1], -std::numeric_limits<float>::infinity());
  EXPECT_TRUE(std::isnan(
      heights_of(*map(sides + "NODATA_value -1.7976931348623157e+308\n-1.7976931348623157e+308 0 1\n"))[0]));
}

TEST_F(FloodStudy, AnAsciiGridThatIsBrokenIsRefusedByItsLine) {
  const std::string place = kPlace, sides = "ncols 2\nnrows 2\n" + place;
  EXPECT_EQ(refusal(sides + "1 2 3\n"), ": it ends after 3 of 2 x 2 heights");
  EXPECT_EQ(refusal(sides), ": it ends after 0 of 2 x 2 heights");
  EXPECT_EQ(refusal(sides + "1 2\n3 4\n\n5\n"), ":9: there are more heights than 4");
  EXPECT_EQ(refusal(sides + "1 2\n3 2x\n"), ":7: \"2x\" is no height");
  EXPECT_EQ(refusal(sides + "1,5 2\n3 4\n"), ":6: \"1,5\" is no height");
  EXPECT_EQ(refusal(sides + "1 1e39\n3 4\n"), ":6: \"1e39\" is more than a float holds");
  EXPECT_EQ(refusal(sides + "1 1e999\n3 4\n"), ":6: \"1e999\" is no height");
  EXPECT_EQ(refusal("ncols two\nnrows 1\n" + place), ":1: \"two\" is no value of ncols");
  EXPECT_EQ(refusal("ncols 2.5\nnrows 1\n" + place), ":1: \"2.5\" is no value of ncols");
  EXPECT_EQ(refusal("ncols 99999999999999999999\nnrows 1\n" + place),
            ":1: \"99999999999999999999\" is no value of ncols");
  EXPECT_EQ(refusal("ncols 2\nnrows 1\nbyteorder LSBFIRST\n"),
            ":3: \"byteorder\" is no key of an ESRI ASCII grid's header");
  EXPECT_EQ(refusal("ncols 2\n" + place + "1 2\n"), ": its header has no nrows");
  EXPECT_EQ(refusal("ncols 2\nnrows 1\nxllcorner 0\nyllcorner 0\n1 2\n"), ": its header has no cellsize");
  EXPECT_EQ(refusal("ncols 2\nnrows 1\ncellsize 1\n1 2\n"), ": its header has no xllcorner");
  EXPECT_EQ(refusal("ncols 1\nnrows 1\nxllcorner 0\nyllcorner 0\ncellsize 0\n1\n"),
            ": the size of its cells is not above 0");
  EXPECT_EQ(refusal("ncols 1\nnrows 1\nxllcorner inf\n"), ":3: \"inf\" is no value of xllcorner");
  EXPECT_THAT(refusal("ncols -2\nnrows -2\n" + place + "1 2 3 4\n"), HasSubstr("is none, or too large"));
  EXPECT_THAT(refusal("ncols 0\nnrows 2\n" + place), HasSubstr("is none, or too large"));
  EXPECT_THAT(refusal("ncols 40000\nnrows 40000\n" + place + "1\n"), HasSubstr("it ends after 1 of"));
  EXPECT_EQ(refusal(""), " is empty");
  const std::string quoted = refusal(sides + "1 \x1b[31m" + std::string(500, 'x') + " 3 4\n");
  EXPECT_THAT(quoted, AllOf(HasSubstr(":6: \"?[31mxx"), HasSubstr("…\""), Not(HasSubstr("\x1b"))));
  EXPECT_LT(quoted.size(), 100U);
}

TEST_F(FloodStudy, WhatIsNoMapIsRefused) {
  EXPECT_THAT(error_of([] { open_map("missing.asc"); }), HasSubstr("missing.asc cannot be opened"));
  EXPECT_THAT(refusal("some text\n", "a.txt"),
              HasSubstr(" is no ESRI ASCII grid and no PGM picture; other formats need libgdal-dev"));
  EXPECT_THAT(refusal(std::string("II*\0\x08\0\0\0", 8), "a.tif"),
              HasSubstr("GeoTIFF files need libgdal-dev"));
}

TEST_F(FloodStudy, TheProjectionBesideAMapSaysItsUnit) {
  const std::string grid = std::string("ncols 1\nnrows 1\n") + kPlace + "1\n";
  write("a.prj", R"(PROJCS["UTM",GEOGCS["WGS",UNIT["Degree",0.0174]],UNIT["Meter",1.0]])");
  EXPECT_EQ(map(grid)->grid().unit, "m");
  EXPECT_FALSE(map(grid)->grid().is_geographic);
  write("a.prj", R"(PROJCS["x",UNIT["Foot_US",0.3]])");
  EXPECT_EQ(map(grid)->grid().unit, "Foot_US");
  write("a.prj", R"( GEOGCS["WGS",UNIT["Degree",0.0174]])");
  EXPECT_TRUE(map(grid)->grid().is_geographic);
  EXPECT_EQ(map(grid)->grid().length_unit(), "m");
  write("a.prj", "Projection UTM\n");
  EXPECT_EQ(map(grid)->grid().unit, "");
  write("a.prj", "Projection    GEOGRAPHIC\r\nZunits        NO\r\nUnits         DD\r\n");
  EXPECT_TRUE(map(grid)->grid().is_geographic);
  write("a.prj", "Projection UTM\nUnits METERS\nZunits FEET\n");
  EXPECT_EQ(map(grid)->grid().unit, "m");
}

TEST_F(FloodStudy, AProjectionIsReadOfWhatLiesInThePlaneAlone) {
  const std::string grid = std::string("ncols 1\nnrows 1\n") + kPlace + "1\n";
  for (
      const char* degrees :
      {R"(COMPD_CS["x",GEOGCS["a",UNIT["degree",0.01]],VERT_CS["b",UNIT["metre",1]]])",
       R"(GEOGCS["a",UNIT["Degree",0.01]],VERTCS["b",UNIT["Meter",1.0]])",
       R"(GEODCRS["a",CS[ellipsoidal,2],ANGLEUNIT["degree",0.01]])",
       R"(GEOGRAPHICCRS["a",CS[ellipsoidal,2],ANGLEUNIT["degree",0.01]])",
       R"(COMPOUNDCRS["PROJCS[",GEOGCRS ["a",ANGLEUNIT["degree",0.01]],VERTCRS["b",LENGTHUNIT["foot",0.3]]])",
       "geogcs[\"a\"]", "Projection GEOGRAPHIC\nUnits DD\n"}) {
    write("a.prj", degrees);
    EXPECT_TRUE(map(grid)->grid().is_geographic) << degrees;
    EXPECT_EQ(map(grid)->grid().unit, "°") << degrees;
  }
  for (
      const char* metres :
      {R"(PROJCS["x",GEOGCS["a",UNIT["Degree",0.01]],UNIT["Meter",1]],VERTCS["b",UNIT["Foot_US",0.3]])",
       R"(COMPD_CS["x",PROJCS["y",GEOGCS["a",UNIT["degree",0.01]],UNIT["metre",1]],VERT_CS["b",UNIT["ft",1]]])",
       R"(PROJCRS["x",BASEGEODCRS["a",ANGLEUNIT["degree",0.01]],CONVERSION["c",SCALEUNIT["unity",1]],
           CS[Cartesian,2],LENGTHUNIT["metre",1],ID["EPSG",32633]])",
       R"(PROJECTEDCRS["x",GEOGCRS["a"],LENGTHUNIT["metre",1]])"}) {
    write("a.prj", metres);
    EXPECT_FALSE(map(grid)->grid().is_geographic) << metres;
    EXPECT_EQ(map(grid)->grid().unit, "m") << metres;
  }
  write("a.prj", "PROJCS[\"open");
  EXPECT_EQ(map(grid)->grid().unit, "");
}

TEST_F(FloodStudy, CellsThatADoubleCannotTellApartAreRefused) {
  const auto found = [this](const std::string& left, const std::string& bottom, const std::string& side) {
    return refusal("ncols 3\nnrows 3\nxllcorner " + left + "\nyllcorner " + bottom + "\ncellsize " + side +
                   "\n1 2 3 4 5 6 7 8 9\n");
  };
  const std::string no_places = std::string(": ") + kNoPlaces;
  EXPECT_EQ(found("0", "1e15", "16"), "no error");
  EXPECT_EQ(found("1e18", "0", "16"), no_places);
  EXPECT_EQ(found("-1e17", "0", "1"), no_places);
  EXPECT_EQ(found("0", "1e17", "4"), no_places);
  EXPECT_EQ(found("0", "0", "1e308"), no_places);
  EXPECT_EQ(found("0", "0", "1e-200"), no_places);
  EXPECT_EQ(found("1e308", "1e308", "1e308"), no_places);
}

TEST_F(FloodStudy, AKeyIsThereOnceAndAByteOrderMarkIsNoPartOfIt) {
  EXPECT_THAT(refusal(std::string("ncols 3\nnrows 1\nNCOLS 4\n") + kPlace + "1 2 3 4\n"),
              AllOf(HasSubstr("3: "), HasSubstr("ncols is there a second time")));
  EXPECT_THAT(heights_of(*map(std::string("\xef\xbb\xbfncols 2\nnrows 1\n") + kPlace + "1 2\n")),
              ElementsAre(1, 2));
}

TEST_F(FloodStudy, APipeIsNotWaitedFor) {
  const std::string pipe = (folder_ / "pipe").string();
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  EXPECT_THAT(error_of([&] { open_map(pipe); }), HasSubstr("pipe is no regular file"));
}

TEST(FloodTemporaryFile, SaysWhichFolderIsMissing) {
  const char* const before = std::getenv("TMPDIR");
  const std::string kept = before == nullptr ? "" : before;
  setenv("TMPDIR", "/missing/folder", 1);
  EXPECT_EQ(error_of([] { TemporaryFile(); }),
            "a temporary file in /missing/folder cannot be created: No such file or directory. TMPDIR=FOLDER "
            "names another folder");
  before == nullptr ? unsetenv("TMPDIR") : setenv("TMPDIR", kept.c_str(), 1);
}

TEST_F(FloodStudy, APgmPictureIsTextOrBytesOfOneOrTwo) {
  EXPECT_THAT(heights_of(*map("P2 # made by hand\n2 2\n# greatest\n300\n0 7 300 12", "a.pgm")),
              ElementsAre(0, 7, 300, 12));
  EXPECT_THAT(heights_of(*map(std::string("P5\n3 1\n255\n\0#\xff", 14), "a.pgm")), ElementsAre(0, 35, 255));
  const auto wide = map(std::string("P5 1 2 65535 \x01\x02\xff\xff", 17), "a.pgm");
  EXPECT_THAT(heights_of(*wide), ElementsAre(258, 65535));
  EXPECT_EQ(wide->grid().rows, 2U);
  EXPECT_EQ(refusal("P5\n2 2\n255\nabc"), ": it ends after 3 of 2 x 2 heights");
  EXPECT_EQ(refusal("P5\n1 1\n65535\na"), ": it ends after 0 of 1 x 1 heights");
  EXPECT_EQ(refusal("P2\n2 1\n10\n5 11\n"), ":4: 11 is beyond the greatest value, 10");
  EXPECT_EQ(refusal("P2\n2 1\n10\n5 -1\n"), ":4: -1 is beyond the greatest value, 10");
  EXPECT_EQ(refusal("P2\n2 1\n10\n5 x\n"), ":4: \"x\" is no grey value");
  EXPECT_EQ(refusal("P2\n2 x\n10\n5 x\n"), ":2: \"x\" is no height of a PGM");
  EXPECT_THAT(refusal("P5\n2 1\n70000\nabcd"), HasSubstr("from 1 to 65535"));
  EXPECT_THAT(refusal("P5\n0 1\n255\n"), HasSubstr("is none, or too large"));
  for (const char* other : {"P2x 1 1 9 5", "P5\xff 1 1 9 5", "P22 1 1 9 5"})
    EXPECT_THAT(refusal(other), HasSubstr("is no ESRI ASCII grid and no PGM picture"));
}

TEST(FloodGrid, APointIsInOneCellAndEdgesBelongToTheMap) {
  const Grid north_up{.rows = 3, .columns = 4, .left = 100, .top = 60, .width = 10, .height = -20};
  EXPECT_EQ(north_up.cell_at(100, 60), (Cell{0, 0}));
  EXPECT_EQ(north_up.cell_at(110, 39.9), (Cell{1, 1}));
  EXPECT_EQ(north_up.cell_at(140, 0), (Cell{2, 3}));
  EXPECT_FALSE(north_up.cell_at(140.1, 10).has_value());
  EXPECT_FALSE(north_up.cell_at(99.9, 10).has_value());
  EXPECT_FALSE(north_up.cell_at(NAN, 10).has_value());
  const Grid south_up{.rows = 3, .columns = 4, .left = 100, .top = 60, .width = 10, .height = 20};
  EXPECT_EQ(south_up.cell_at(100, 119), (Cell{2, 0}));
}

TEST(FloodGrid, TheRowsOfTheWholeEarthHaveItsArea) {
  const Grid earth{.rows = 180, .columns = 360, .left = -180, .top = 90, .is_geographic = true};
  double area = 0;
  for (std::size_t row = 0; row < earth.rows; ++row) area += 360 * earth.cell_area(row);
  // Of the ellipsoid WGS 84: 510.0656 million km².
  EXPECT_NEAR(area / 1e12, 510.0656, 1e-4);
  EXPECT_GT(earth.cell_area(90), 50 * earth.cell_area(0));
}

TEST(FloodGrid, LatitudesEndAtThePoles) {
  // Of centres from -90 to 90, every 2.5 degrees.
  Grid grid{.rows = 73, .columns = 144, .left = -1.25, .top = 91.25, .width = 2.5, .height = -2.5};
  EXPECT_TRUE(grid.is_on_earth());
  grid.top = 95;
  EXPECT_FALSE(grid.is_on_earth());
  EXPECT_FALSE((Grid{.rows = 2, .columns = 1, .top = -90, .height = -1}.is_on_earth()));
  EXPECT_FALSE((Grid{.rows = 1, .columns = 1, .top = 1000, .height = -1000}.is_on_earth()));
  EXPECT_FALSE((Grid{.rows = 1, .columns = 1, .top = NAN}.is_on_earth()));
}

TEST(FloodLevels, AreStepsOrAList) {
  EXPECT_THAT(levels_of("1:2:0.5", "--levels"), ElementsAre(1, 1.5F, 2));
  EXPECT_THAT(levels_of("0:0.3:0.1", "--levels"), ElementsAre(0, 0.1F, 0.2F, 0.3F));
  EXPECT_THAT(levels_of("0:0.29:0.1", "--levels"), ElementsAre(0, 0.1F, 0.2F));
  EXPECT_THAT(levels_of("5:5:1", "--levels"), ElementsAre(5));
  EXPECT_THAT(levels_of("3,-1,2.5,3", "--levels"), ElementsAre(-1, 2.5F, 3));
  for (const char* wrong : {"", "1,", "1:2", "1:2:3:4", "2:1:1", "1:2:0", "1:2:nan", "1:2:-1", "x", "1e99"})
    EXPECT_THROW(levels_of(wrong, "--levels"), study::WrongUse) << wrong;
  EXPECT_EQ(levels_of("1:255:1", "--levels").size(), kMaxLevels);
  EXPECT_THROW(levels_of("0:255:1", "--levels"), study::WrongUse);
  EXPECT_THROW(levels_of("0:1e30:1e-30", "--levels"), study::WrongUse);
  const std::vector<float> levels{1, 2, 3};
  EXPECT_EQ(wet_count(levels, 0.5F), 3);
  EXPECT_EQ(wet_count(levels, 2), 1);
  EXPECT_EQ(wet_count(levels, 3), 0);
  EXPECT_EQ(wet_count(levels, NAN), 0);
}

TEST(FloodSummary, DepthsGrowWithTheLevel) {
  const Grid grid{.rows = 2, .columns = 2, .width = 2};
  Summary summary(grid, {1, 2, 4}, {{0, 1}, {1, 0}});
  summary.add_row(0, {0.5F, 1}, {3, 2});
  summary.add_row(1, {NAN, 7}, {0, 0});
  const std::vector<WaterAtLevel> table = summary.table();
  ASSERT_EQ(table.size(), 3U);
  EXPECT_EQ(table[0].cells, 1U);
  EXPECT_DOUBLE_EQ(table[0].volume, 1);
  EXPECT_EQ(table[1].cells, 2U);
  EXPECT_DOUBLE_EQ(table[1].volume, 2 * (1.5 + 1));
  EXPECT_DOUBLE_EQ(table[2].volume, 2 * (3.5 + 3));
  EXPECT_DOUBLE_EQ(table[2].area, 4);
  EXPECT_EQ(summary.unknown(), 1U);
  EXPECT_EQ(summary.edge(), 2U);
  EXPECT_EQ(summary.lowest_source(), 1);
  std::ostringstream out;
  write_table(out, table, "a \"foot\"");
  EXPECT_THAT(out.str(), EndsWith("4,2,4,13,\"a \"\"foot\"\"\"\n"));
  Summary wrong(grid, {1, 2, 4}, {});
  EXPECT_THAT(error_of([&] { wrong.add_row(0, {3, 4}, {1, 1}); }), HasSubstr("flood left water"));
}

TEST(FloodSummary, WaterBesideNoDataIsCountedOnce) {
  const Grid grid{.rows = 3, .columns = 4};
  Summary summary(grid, {5}, {});
  summary.add_row(0, {1, 1, NAN, 1}, {1, 1, 0, 1});
  summary.add_row(1, {NAN, 1, 1, 9}, {0, 1, 1, 0});
  summary.add_row(2, {1, 1, NAN, NAN}, {0, 1, 0, 0});
  EXPECT_EQ(summary.beside_unknown(), 6U);
  Summary none(grid, {5}, {});
  none.add_row(0, {1, 1, 9, NAN}, {1, 1, 0, 0});
  none.add_row(1, {1, 1, 1, 9}, {1, 1, 1, 0});
  EXPECT_EQ(none.beside_unknown(), 0U);
}

TEST(FloodOptions, MayBeRepeated) {
  std::vector<std::string> words{"flood", "--cell", "1,2", "a.asc", "--cell", "-3,4"};
  std::vector<char*> pointers;
  for (std::string& word : words) pointers.push_back(word.data());
  study::Options options(static_cast<int>(pointers.size()), pointers.data());
  EXPECT_THAT(options.texts("--cell", "ROW,COLUMN", "help"), ElementsAre("1,2", "-3,4"));
  EXPECT_THAT(options.texts("--source", "X,Y", "help"), ElementsAre());
  EXPECT_THAT(options.finish(1), ElementsAre("a.asc"));
}

TEST_F(FloodStudy, AFileThatALibraryWritesIsThereWithTheOthersOrNotAtAll) {
  const std::filesystem::path made = folder_ / "a.tif";
  const auto add = [&](study::OutputFiles& files) {
    files.add_by_name(made.string(), [](const std::string& name) { std::ofstream(name) << "map"; });
  };
  {
    study::OutputFiles files;
    add(files);
  }
  EXPECT_TRUE(std::filesystem::is_empty(folder_));
  study::OutputFiles files;
  add(files);
  files.commit();
  EXPECT_EQ(std::filesystem::file_size(made), 3U);
  EXPECT_THAT(error_of([&] { files.add_by_name((made / "b").string(), [](const std::string&) {}); }),
              HasSubstr("b cannot be written: Not a directory"));
}

std::string picture_of(const Grid& grid, const std::function<float(std::size_t, std::size_t)>& height,
                       const std::vector<float>& levels, bool shows_levels) {
  Summary summary(grid, levels, {{0, 0}});
  Picture picture("a & b.asc", grid, levels, shows_levels, {{0, 0}});
  std::vector<float> heights(grid.columns);
  std::vector<unsigned char> counts(grid.columns);
  for (std::size_t row = 0; row < grid.rows; ++row) {
    for (std::size_t column = 0; column < grid.columns; ++column) {
      heights[column] = height(row, column);
      counts[column] = wet_count(levels, heights[column]);
    }
    summary.add_row(row, heights, counts);
    picture.add_row(row, heights, counts);
  }
  return picture.svg(summary.table());
}

TEST(FloodPicture, OfALargeMapIsAsSmallAsOthers) {
  const Grid grid{.rows = 1500, .columns = 2100, .unit = "m"};
  const std::string svg = picture_of(
      grid,
      [](std::size_t row, std::size_t column) { return static_cast<float>((row * 7919 + column * 31) % 97); },
      {50}, false);
  EXPECT_LT(svg.size(), 400'000U);
  EXPECT_THAT(svg,
              AllOf(HasSubstr("a &amp; b.asc"), HasSubstr("a block is 11 × 11 cells"), EndsWith("</svg>\n")));
}

TEST(FloodPicture, ColoursLevelsThatAreFarApart) {
  const std::string svg = picture_of(
      {.rows = 2, .columns = 2}, [](std::size_t row, std::size_t) { return row == 0 ? -3.2e38F : 0.0F; },
      {-3e38F, 3e38F}, true);
  EXPECT_THAT(svg, AllOf(HasSubstr("stroke=\"" + study::scale_colour(0) + '"'),
                         HasSubstr("stroke=\"" + study::scale_colour(1) + '"')));
}

TEST(FloodPicture, OfOddMapsHasNumbersOnly) {
  const auto flat = [](std::size_t, std::size_t) { return 1.0F; };
  const auto unknown = [](std::size_t, std::size_t) { return NAN; };
  const auto infinite = [](std::size_t row, std::size_t) {
    return row == 0 ? -std::numeric_limits<float>::infinity() : std::numeric_limits<float>::infinity();
  };
  const std::array<std::function<float(std::size_t, std::size_t)>, 3> maps{flat, unknown, infinite};
  for (const auto& map : maps) {
    for (const bool shows_levels : {false, true}) {
      for (const Grid& grid :
           {Grid{.rows = 1, .columns = 1}, Grid{.rows = 1, .columns = 3000},
            Grid{.rows = 700, .columns = 2, .height = 1},
            Grid{.rows = 180, .columns = 90, .left = -180, .top = 90, .is_geographic = true, .unit = "°"}}) {
        for (const std::vector<float>& levels : {std::vector<float>{2}, std::vector<float>{0.5F, 1, 3}}) {
          const std::string svg = picture_of(grid, map, levels, shows_levels);
          EXPECT_THAT(svg, AllOf(Not(HasSubstr("nan")), Not(HasSubstr("\"inf")), Not(HasSubstr("\"-inf"))));
        }
      }
    }
  }
}

}  // namespace
}  // namespace lockstep::flood_study::test
