// The parts of the study of tpacf-jackknife: catalogues, regions, random points, errors against pairs that
// are weighted one by one, and the picture.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <functional>
#include <numbers>
#include <string>
#include <vector>

#include "18-tpacf-jackknife/study/catalogue.h"
#include "18-tpacf-jackknife/study/errors.h"
#include "18-tpacf-jackknife/study/picture.h"
#include "18-tpacf-jackknife/study/random_points.h"
#include "18-tpacf-jackknife/study/regions.h"
#include "lockstep/random.h"
#include "lockstep/sky.h"
#include "study_files.h"

namespace lockstep::test::tpacf_jackknife_study_test {
namespace {

namespace fs = std::filesystem;
using angular::angle_shown;
using angular::AngularBins;
using angular::bootstrap_correlations;
using angular::Box;
using angular::Catalogue;
using angular::ColumnRequest;
using angular::corrected_correlations;
using angular::Correlation;
using angular::correlations_left_out;
using angular::Covariances;
using angular::covariances_of;
using angular::Field;
using angular::field_of;
using angular::kMaxPoints;
using angular::kNotKnown;
using angular::must_lie_in;
using angular::normalised;
using angular::Picture;
using angular::poisson_error;
using angular::random_points_in;
using angular::read_catalogue;
using angular::RegionPairs;
using angular::Regions;
using angular::resample;
using angular::Survey;
using angular::turned;
using angular::weighted_correlation;
using testing::AllOf;
using testing::DoubleEq;
using testing::DoubleNear;
using testing::Each;
using testing::EndsWith;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;
using Points = std::vector<SkyPoint>;

class TpacfStudy : public StudyFiles {
 protected:
  Points read(const std::string& contents, const ColumnRequest& request = {}) const {
    return read_catalogue(write("a.txt", contents), request).points;
  }
  /// Of a text, behind the name of its file.
  std::string text_error(const std::string& contents, const ColumnRequest& request = {}) const {
    return without_path(error_of([&] { read(contents, request); }), "a.txt");
  }
  std::string file_error(const std::string& file, const ColumnRequest& request = {}) const {
    return error_of([&] { read_catalogue(file, request); });
  }
};

// --- text ---

void expect_points(const Points& found, const Points& expected, double error = 0) {
  ASSERT_EQ(found.size(), expected.size());
  for (std::size_t i = 0; i < found.size(); ++i) {
    EXPECT_NEAR(found[i].alpha, expected[i].alpha, error) << "point " << i;
    EXPECT_NEAR(found[i].delta, expected[i].delta, error) << "point " << i;
  }
}

TEST_F(TpacfStudy, TextHasAnyOfTheUsualForms) {
  const Points expected{{10.5, -5}, {359.25, 80}};
  for (const char* text :
       {"10.5 -5\n359.25 80\n", "10.5,-5,7\r\n359.25,80,x\r\n", "10.5\t-5\n359.25\t80",
        "  10.5   -5 0.1 NGC\n\n# a remark\n359.25 +80 0.2 IC\n", "10.5; -5\n359.25 ;80e0\n",
        "\xef\xbb\xbfra,dec\n10.5,-5\n359.25,80\n", "z,DEC,Ra\n1,-5,10.5\n2,80,359.25\n",
        "# a catalogue\n# z dec ra\n1 -5 10.5\n2 80 359.25\n",
        "\"name, of it\",\"RAJ2000\",\"DEJ2000\"\n\"a, b\",10.5,-5\n\"c\",\"359.25\",80\n"})
    expect_points(read(text), expected);
  expect_points(read("ra,dec\n1,2\n3,4\n5,6\n7,8\n", {.every = 3}), {{1, 2}, {7, 8}});
  expect_points(read("-0.5 0\n360 -90\n-180 90\n"), {{359.5, 0}, {0, -90}, {180, 90}});
  EXPECT_EQ(read_catalogue(write("b", "1 2"), {}).format, "text");
}

TEST_F(TpacfStudy, ColumnsAreChosenByNameOrNumber) {
  const std::string named = "id,lon,lat,ra,dec\n1,30,40,5,6\n", plain = "1 30 40\n2 50 60\n";
  expect_points(read(named), {{5, 6}});
  expect_points(read(named, {"LON", "lat"}), {{30, 40}});
  expect_points(read(named, {"2", "3"}), {{30, 40}});
  expect_points(read(plain, {"2", "3"}), {{30, 40}, {50, 60}});
  expect_points(read("# id a b\n" + plain, {"a", "b"}), {{30, 40}, {50, 60}});
  EXPECT_EQ(text_error(named, {"lom", ""}), " has no column lom; its columns are id, lon, lat, ra, dec");
  EXPECT_EQ(text_error("l,b\n1,2\n"), " has no column ra; its columns are l, b: --ra names the right one");
  EXPECT_EQ(text_error(plain, {"ra", "dec"}),
            " has 3 columns without names: --ra takes a number from 1 to 3");
  EXPECT_EQ(text_error(plain, {"2", "4"}), " has 3 columns without names: --dec takes a number from 1 to 3");
  EXPECT_EQ(text_error(plain, {"2", "2"}), ": right ascension and declination are both column 2");
}

// Below the names VizieR writes units and dashes. A line of units may be blank, and another may be missing.
TEST_F(TpacfStudy, TablesOfVizierAreRead) {
  for (const char* text :
       {"#RESOURCE=x\n#\nRAJ2000;DEJ2000;Vmag\ndeg;deg;mag\n----------;----------;------\n10.5;-5;7\n",
        "RAJ2000\tDEJ2000\tVmag\r\ndeg\tdeg\tmag\r\n---\t---\t---\r\n10.5\t-5\t7\r\n",
        "RAJ2000\tDEJ2000\n\t\n-----\t-----\n10.5\t-5\n",
        "name;_RAJ2000;_DEJ2000\n;deg;deg\n--;--;--\na;10.5;-5\n", "ra dec\n-- --\n10.5 -5\n"})
    expect_points(read(text), {{10.5, -5}});
  EXPECT_EQ(text_error("ra;dec\ndeg;deg\n"), ":2: \"deg\" in column 1 is no decimal number of degrees");
  EXPECT_EQ(text_error("ra;dec\ndeg;deg\n1;2\n"), ":2: \"deg\" in column 1 is no decimal number of degrees");
  EXPECT_EQ(text_error("ra;dec\ndeg;deg\n--;--\n1;2\n--;--\n"),
            ":5: \"--\" in column 1 is no decimal number of degrees");
  EXPECT_EQ(text_error("ra;dec\ndeg;deg\n--;--\nx;2\n"),
            ":4: \"x\" in column 1 is no decimal number of degrees");
  EXPECT_EQ(text_error("ra;dec\ndeg;deg\n--;--\n"), " holds no points");
}

TEST_F(TpacfStudy, WhatIsNoPositionIsReportedWithItsLine) {
  EXPECT_EQ(text_error("ra dec\n1 2\n\n1 x2\n"), ":4: \"x2\" in column 2 is no decimal number of degrees");
  for (const char* wrong : {"nan", "inf", "1e999", "0x10", "1,5"})
    EXPECT_THAT(text_error("ra;dec\n1;2\n" + std::string(wrong) + ";3\n"),
                EndsWith("in column 1 is no decimal number of degrees"));
  EXPECT_THAT(text_error("1 2\n10:20:30 -5:00:00\n"),
              EndsWith("of degrees: convert hours and minutes first"));
  EXPECT_EQ(
      text_error("10:20:30.5 -5:00:00\n"),
      ":1: \"10:20:30.5\" in column 1 is no decimal number of degrees: convert hours and minutes first");
  EXPECT_THAT(text_error("NGC 10:20:30 +5:00:00\n", {"2", "3"}), StartsWith(":1: \"10:20:30\" in column 2"));
  expect_points(read("J2000:ra,J2000:dec\n1,2\n", {"J2000:ra", "J2000:dec"}), {{1, 2}});
  EXPECT_EQ(text_error("ra,dec\n1,2\n,3\n"), ":3: column 1 is empty");
  EXPECT_EQ(text_error("1 2\n3\n"), ":2: there is no column 2: the line has 1");
  EXPECT_EQ(text_error("361 0\n"), ":1: a right ascension is from -180 to 360 degrees");
  EXPECT_EQ(text_error("1 2\n1 90.001\n"), ":2: a declination is from -90 to 90 degrees");
  EXPECT_EQ(text_error("1 2\n3 \x1b[2J" + std::string(100'000, 'x') + "\n"),
            ":2: \"?[2J" + std::string(56, 'x') + "…\" in column 2 is no decimal number of degrees");
  for (const char* empty : {"", "\n\n", "# ra dec\n", "ra,dec\n"})
    EXPECT_EQ(text_error(empty), " holds no points");
}

TEST_F(TpacfStudy, WhatIsNoCatalogueIsReported) {
  EXPECT_THAT(file_error((folder_ / "none").string()), EndsWith("none cannot be opened"));
  EXPECT_EQ(file_error("/dev/null"), "/dev/null is no regular file");
  EXPECT_THAT(file_error(folder_.string()), HasSubstr("is no regular file"));
  const std::string pipe = (folder_ / "pipe").string();  // to open it would wait for a writer
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  EXPECT_EQ(file_error(pipe), pipe + " is no regular file");
  EXPECT_THAT(file_error(write("a.csv.gz", "\x1f\x8b\x08")), EndsWith("is compressed: gunzip it first"));
  std::string many;
  for (std::size_t i = 0; i <= kMaxPoints; ++i) many += "1 2\n";
  EXPECT_THAT(text_error(many), StartsWith(" holds more than 1048576 points"));
}

// --- FITS ---

#ifdef STUDY_HAS_CFITSIO
/// A column of a table to be written: its name, format and unit, and values of doubles or text.
struct FitsColumn {
  std::string name, format, unit;
  std::vector<double> values;
  std::vector<std::string> texts{};
};

class TpacfStudyFits : public TpacfStudy {
 protected:
  void SetUp() override { path_ = (folder_ / "made.fits").string(); }
  void TearDown() override { EXPECT_EQ(status_, 0); }

  /// Adds a table to the file, which a first call makes.
  void add_table(std::vector<FitsColumn> columns, int type = BINARY_TBL, long rows = -1) {
    fitsfile* file = nullptr;
    if (fs::exists(path_)) {
      fits_open_diskfile(&file, path_.c_str(), READWRITE, &status_);
    } else {
      fits_create_diskfile(&file, path_.c_str(), &status_);
    }
    std::vector<char*> names, formats, units;
    for (FitsColumn& column : columns) {
      names.push_back(column.name.data());
      formats.push_back(column.format.data());
      units.push_back(column.unit.data());
    }
    const auto count = static_cast<long>(columns.front().values.size());
    fits_create_tbl(file, type, rows < 0 ? count : rows, static_cast<int>(columns.size()), names.data(),
                    formats.data(), units.data(), nullptr, &status_);
    for (std::size_t i = 0; i < columns.size(); ++i) {
      const int place = static_cast<int>(i) + 1;
      if (rows == 0) continue;
      if (columns[i].texts.empty()) {
        fits_write_col(file, TDOUBLE, place, 1, 1, count, columns[i].values.data(), &status_);
      } else {
        std::vector<char*> texts;
        for (std::string& text : columns[i].texts) texts.push_back(text.data());
        fits_write_col(file, TSTRING, place, 1, 1, count, texts.data(), &status_);
      }
    }
    fits_close_file(file, &status_);
  }
  /// Writes an integer keyword into the table.
  void add_key(const char* name, int value) {
    fitsfile* file = nullptr;
    fits_open_diskfile(&file, path_.c_str(), READWRITE, &status_);
    fits_movabs_hdu(file, 2, nullptr, &status_);
    fits_update_key(file, TINT, name, &value, nullptr, &status_);
    fits_set_hdustruc(file, &status_);
    fits_close_file(file, &status_);
  }
  /// Writes blanks in place of a number of an ASCII table; `row` and `column` from 1.
  void clear_cell(int row, int column) {
    fitsfile* file = nullptr;
    long begin = 0, width = 0;
    fits_open_diskfile(&file, path_.c_str(), READWRITE, &status_);
    fits_movabs_hdu(file, 2, nullptr, &status_);
    fits_read_key(file, TLONG, ("TBCOL" + std::to_string(column)).c_str(), &begin, nullptr, &status_);
    fits_get_coltype(file, column, nullptr, nullptr, &width, &status_);
    std::string blanks(static_cast<std::size_t>(width), ' ');
    fits_write_tblbytes(file, row, begin, width, reinterpret_cast<unsigned char*>(blanks.data()), &status_);
    fits_close_file(file, &status_);
  }
  std::string table_error(std::vector<FitsColumn> columns, const ColumnRequest& request = {}) {
    fs::remove(path_);
    add_table(std::move(columns));
    return error(request);
  }
  std::string error(const ColumnRequest& request = {}) const {
    const std::string text = file_error(path_, request);
    return text.starts_with(path_) ? text.substr(path_.size()) : text;
  }

  std::string path_;
  int status_ = 0;
};

TEST_F(TpacfStudyFits, ColumnsOfNumbersAreReadInDegreesOrRadians) {
  add_table({{"Z", "1E", "", {1, 2}}, {"RA", "1D", "deg", {-10, 359.123456789}}, {"Dec", "1D", "", {-5, 7}}});
  const Catalogue catalogue = read_catalogue(path_, {});
  EXPECT_EQ(catalogue.format, "FITS");
  expect_points(catalogue.points, {{350, -5}, {359.123456789, 7}});
  expect_points(read_catalogue(path_, {"1", "dec"}).points, {{1, -5}, {2, 7}});
}

TEST_F(TpacfStudyFits, OtherTypesUnitsAndTablesAreRead) {
  constexpr double kPi = std::numbers::pi;
  add_table({{"ALPHA_J2000", "1D", "rad", {kPi, 0.5}}, {"DELTA_J2000", "1E", "Radian", {kPi / 4, -0.5}}});
  expect_points(read_catalogue(path_, {}).points, {{180, 45}, {0.5 * 180 / kPi, -0.5 * 180 / kPi}}, 1e-5);
  fs::remove(path_);
  add_table({{"name", "1J", "", {7}}});
  add_table({{"ra", "1J", "deg", {12, 13}}, {"dec", "1I", "deg", {-3, 4}}});
  expect_points(read_catalogue(path_, {}).points, {{12, -3}, {13, 4}});
  fs::remove(path_);
  add_table({{"ra", "F12.6", "deg", {12.5, 13}}, {"dec", "F12.6", "deg", {-3.25, 4}}}, ASCII_TBL);
  expect_points(read_catalogue(path_, {}).points, {{12.5, -3.25}, {13, 4}});
}

// To fits_open_file a bracket is a filter of rows, and a bar or an address more.
TEST_F(TpacfStudyFits, NamesOfFilesAreNamesAlone) {
  for (const char* name :
       {"a[1].fits", "b(c).fits", "d+1", "!e.fits", "f[col ra=1]", "g|h", "mem:", " i.fits"}) {
    path_ = (folder_ / name).string();
    add_table({{"ra", "1D", "deg", {1}}, {"dec", "1D", "deg", {2}}});
    expect_points(read_catalogue(path_, {}).points, {{1, 2}});
  }
  const fs::path before = fs::current_path();
  fs::current_path(folder_);
  for (const char* name : {"a[1].fits", "!e.fits", "mem:", " i.fits"})
    expect_points(read_catalogue(name, {}).points, {{1, 2}});
  fs::current_path(before);
}

TEST_F(TpacfStudyFits, WhatIsNoPositionIsReportedWithItsRow) {
  const FitsColumn ra{"ra", "1D", "deg", {1, 2, 3}}, dec{"dec", "1D", "deg", {4, 5, 6}};
  EXPECT_EQ(table_error({ra, {"dec", "1D", "deg", {4, 5, NAN}}}),
            ": row 3: a position is missing or no number");
  EXPECT_EQ(table_error({{"ra", "1D", "deg", {1, 400, 3}}, dec}),
            ": row 2: a right ascension is from -180 to 360 degrees");
  EXPECT_EQ(table_error({{"ra", "1D", "hourangle", {1, 2, 3}}, dec}),
            ": column ra is in \"hourangle\": positions are read in deg or rad");
  EXPECT_EQ(table_error({{"ra", "12A", "", {0, 0, 0}, {"10:20:30", "x", "y"}}, dec}),
            ": column ra holds text: convert it into numbers of degrees first");
  EXPECT_EQ(table_error({{"ra", "2D", "deg", {1, 2, 3}}, dec}), ": column ra has not one number in each row");
  EXPECT_EQ(table_error({{"l", "1D", "deg", {1, 2, 3}}, dec}),
            " has no column ra; its columns are l, dec: --ra names the right one");
  EXPECT_EQ(table_error({ra, dec}, {"r*", ""}), " has no column r*; its columns are ra, dec");
  fs::remove(path_);
  add_table({{"ra", "1J", "deg", {1, 2, 3}}, dec});
  add_key("TNULL1", 2);
  EXPECT_EQ(error(), ": row 2: a position is missing or no number");
  fs::remove(path_);
  add_table({ra, dec}, BINARY_TBL, 0);
  EXPECT_EQ(error(), " holds no points");
}

// They are 0 to FITS, and to cfitsio: a declination of 0 would be made up.
TEST_F(TpacfStudyFits, BlanksOfAsciiTablesAreReportedWithTheirRow) {
  const FitsColumn ra{"ra", "F12.6", "deg", {1, 2, 3}}, dec{"dec", "F9.4", "deg", {0, 5, 6}};
  for (const int column : {1, 2}) {
    fs::remove(path_);
    add_table({ra, dec}, ASCII_TBL);
    expect_points(read_catalogue(path_, {}).points, {{1, 0}, {2, 5}, {3, 6}});
    clear_cell(3, column);
    EXPECT_EQ(error(), ": row 3: a position is missing or no number") << column;
  }
}

// More rows than are read at once.
TEST_F(TpacfStudyFits, LargeTablesAreReadWholeOrInPart) {
  constexpr std::size_t kRows = 200'000;
  std::vector<double> ra, dec;
  for (std::size_t i = 0; i < kRows; ++i) {
    ra.push_back(static_cast<double>(i) / 1000);
    dec.push_back(static_cast<double>(i % 90));
  }
  add_table({{"ra", "1D", "deg", ra}, {"dec", "1D", "deg", dec}});
  for (const std::size_t every : {1U, 7U}) {
    const Points points = read_catalogue(path_, {.every = every}).points;
    ASSERT_EQ(points.size(), (kRows + every - 1) / every);
    for (std::size_t i = 0; i < points.size(); ++i) {
      ASSERT_EQ(points[i].alpha, ra[i * every]) << i;
      ASSERT_EQ(points[i].delta, dec[i * every]) << i;
    }
  }
}

TEST_F(TpacfStudyFits, TooManyPointsAreRefused) {
  std::vector<double> many(kMaxPoints + 1, 5);
  const std::vector<FitsColumn> columns{{"ra", "1E", "", many}, {"dec", "1E", "", many}};
  EXPECT_THAT(table_error(columns), StartsWith(" holds more than 1048576 points"));
  EXPECT_EQ(read_catalogue(path_, {.every = 2}).points.size(), kMaxPoints / 2 + 1);
}

TEST_F(TpacfStudyFits, FilesThatAreNotSoundAreReported) {
  std::vector<double> many(1000, 5);
  add_table({{"ra", "1D", "deg", many}, {"dec", "1D", "deg", many}});
  fs::resize_file(path_, 2 * 2880 + 100);
  EXPECT_THAT(error(), StartsWith(": it is no sound FITS file: "));
  EXPECT_THAT(error(), Not(HasSubstr("\n")));
  fs::resize_file(path_, 2 * 2880);
  fs::resize_file(path_, 3 * 2880);  // zeros where the rest of the rows should be
  EXPECT_THAT(error(), StartsWith(": it is no sound FITS file: "));
  EXPECT_THAT(file_error(write("b.fits", "SIMPLE  = and nothing else")),
              HasSubstr("it is no sound FITS file: "));
  fs::remove(path_);
  fitsfile* file = nullptr;
  long sides[] = {2, 2};
  fits_create_diskfile(&file, path_.c_str(), &status_);
  fits_create_img(file, BYTE_IMG, 2, sides, &status_);
  fits_close_file(file, &status_);
  EXPECT_EQ(error(), ": it holds no table");
}
#else
TEST_F(TpacfStudy, FitsNeedsCfitsio) {
  EXPECT_THAT(file_error(write("a.fits", "SIMPLE  =                    T")),
              EndsWith("FITS files need libcfitsio-dev: sudo apt-get install libcfitsio-dev"));
  GTEST_SKIP() << "cfitsio is not there: FITS files are not read";
}
#endif

// --- regions ---

Points some_points(std::size_t count, const Field& field, std::uint64_t seed = 3) {
  SplitMix64 random(seed);
  return random_points_in(field, count, random);
}

std::vector<std::size_t> sizes_of(const Regions& regions, const Points& points) {
  std::vector<std::size_t> sizes(regions.count(), 0);
  for (const SkyPoint& point : points) ++sizes.at(regions.region_of(point));
  return sizes;
}

TEST(TpacfStudyRegions, HaveEquallyManyPointsAndAreCompact) {
  const Points points = some_points(1001, {.alpha = 350, .width = 20, .south = -10, .north = 10});
  for (const std::size_t count : {2U, 3U, 7U, 16U, 25U, 64U}) {
    const Regions regions(points, count);
    const double share = 1001.0 / static_cast<double>(count);
    for (const std::size_t size : sizes_of(regions, points))
      EXPECT_NEAR(static_cast<double>(size), share, 4) << count;
    double area = 0;
    for (const Box& box : regions.boxes()) {
      EXPECT_LE(std::max(box.width() / box.height(), box.height() / box.width()), 3.5) << count;
      area += box.width() * box.height();
    }
    EXPECT_NEAR(area, regions.all().width() * regions.all().height(), 1e-9);
  }
}

TEST(TpacfStudyRegions, LieAcrossRightAscensionZero) {
  const Points points = some_points(400, {.alpha = 350, .width = 20, .south = -1, .north = 1});
  const Regions regions(points, 4);
  EXPECT_NEAR(regions.seam(), 180, 1);
  EXPECT_NEAR(regions.all().width(), 20, 0.5);
  EXPECT_EQ(regions.region_of({359.999, 0.5}), regions.region_of({0.1, 0.5}))
      << "the cut between both halves is near 0, but not between these";
  EXPECT_NE(regions.region_of({351, 0}), regions.region_of({9, 0}));
}

// A point is in the region whose box it lies in, and one outside of all in one of them.
TEST(TpacfStudyRegions, AreBoxes) {
  const Points points = some_points(300, {.alpha = 10, .width = 40, .south = 20, .north = 70});
  const Regions regions(points, 11);
  for (const SkyPoint& point : some_points(2000, {.alpha = 12, .width = 36, .south = 22, .north = 68}, 8)) {
    const Box& box = regions.boxes()[regions.region_of(point)];
    const double east = regions.east_of(point);
    EXPECT_TRUE(east >= box.east && east <= box.to_east) << east;
    EXPECT_TRUE(point.delta >= box.south && point.delta <= box.to_north) << point.delta;
  }
  EXPECT_LT(regions.region_of({200, -89}), 11U);
  EXPECT_FALSE(regions.holds({200, -89}));
}

TEST(TpacfStudyRegions, NeedPointsAtDifferentPlaces) {
  EXPECT_THAT(error_of([] {
                Regions(Points(100, SkyPoint{5, 5}), 2);
              }),
              StartsWith("the random points cannot be divided into 2 regions"));
  EXPECT_THAT(error_of([] { Regions({{1, 1}, {2, 2}}, 3); }), HasSubstr("divided into 3 regions"));
  const Points few{{1, 1}, {2, 2}, {3, 1}};
  EXPECT_THAT(sizes_of(Regions(few, 3), few), Each(1U));
  Points column;  // all of one right ascension
  for (int i = 0; i < 10; ++i) column.push_back({7, static_cast<double>(i)});
  EXPECT_THAT(sizes_of(Regions(column, 5), column), Each(2U));
}

// --- random points in a box ---

TEST(TpacfStudyField, IsReadFromItsBorders) {
  const Field field = field_of("350,10,-5,5.5");
  EXPECT_EQ(field.alpha, 350);
  EXPECT_EQ(field.width, 20);
  EXPECT_EQ(field.south, -5);
  EXPECT_EQ(field.north, 5.5);
  EXPECT_EQ(field_of("-10,10,0,1").alpha, 350);
  EXPECT_EQ(field_of("0,360,-90,90").width, 360);
  for (const char* wrong :
       {"", "1,2,3", "1,2,3,4,5", "1,2,4,3", "1,2,x,4", "1,2,3,nan", "1,400,3,4", "1 2 3 4", "1,2,3,4 "})
    EXPECT_THAT(error_of([&] { field_of(wrong); }), HasSubstr("is no RA1,RA2,DEC1,DEC2")) << wrong;
}

TEST(TpacfStudyField, PointsAreEquallyLikelyInEqualAreas) {
  const Field field = field_of("300,60,30,90");
  const Points points = some_points(40'000, field);
  double below = 0, west = 0;
  for (const SkyPoint& point : points) {
    below += point.delta < 48.59037789072914 ? 1 : 0;  // asin(3/4): half of the area
    west += turned(point.alpha - 300) < 60 ? 1 : 0;
    EXPECT_TRUE(point.delta >= 30 && point.delta <= 90 && point.alpha >= 0 && point.alpha < 360);
  }
  EXPECT_NEAR(below, 20'000, 5 * 100);  // five standard deviations
  EXPECT_NEAR(west, 20'000, 5 * 100);
  must_lie_in(field, points, "made");
  EXPECT_THAT(error_of([&] {
                must_lie_in(field, {{310, 40}, {10, 20}, {1, 29}}, "a.csv");
              }),
              StartsWith("a.csv: 2 of 3 galaxies lie outside of --box, the first is number 2"));
}

// --- errors ---

/// Points with their regions, and which pairs of them lie in which bin.
struct Set {
  Points points;
  std::vector<std::size_t> region_of;
};

double degrees_between(const SkyPoint& a, const SkyPoint& b) {
  // Haversines, in extended precision: no code in common with any kernel.
  constexpr long double kDegree = std::numbers::pi_v<long double> / 180;
  const auto half = [&](long double angle) {
    const long double sine = std::sin(angle * kDegree / 2);
    return sine * sine;
  };
  const long double d1 = a.delta, d2 = b.delta;
  const long double haversine = half(d1 - d2) + std::cos(d1 * kDegree) * std::cos(d2 * kDegree) *
                                                    half(static_cast<long double>(a.alpha) - b.alpha);
  return static_cast<double>(2 * std::asin(std::sqrt(haversine)) / kDegree);
}

constexpr AngularBins kBins{.first = 0.2, .per_decade = 4, .bins = 5};

std::size_t bin_of(double degrees) {
  for (std::size_t k = 0; k <= 5; ++k)
    if (degrees < kBins.edge(static_cast<double>(k))) return k - 1;  // of the first edge a huge number
  return 5;
}

/// Adds what `weight(region, other)` says of each pair of two sets, or of one with itself: to its bin, and to
/// the last number, which is of all pairs.
template <class Weight>
std::vector<double> weigh(const Set& a, const Set& b, const Weight& weight) {
  std::vector<double> sums(6, 0);
  for (std::size_t i = 0; i < a.points.size(); ++i) {
    for (std::size_t j = &a == &b ? i + 1 : 0; j < b.points.size(); ++j) {
      const double one = weight(a.region_of[i], b.region_of[j]);
      sums[5] += one;
      if (const std::size_t bin = bin_of(degrees_between(a.points[i], b.points[j])); bin < 5)
        sums[bin] += one;
    }
  }
  return sums;
}

/// w as its definition has it, of pairs that count as much as `weight` says.
template <class Weight>
Correlation weighed_correlation(const Set& galaxies, const Set& randoms, const Weight& weight) {
  const auto DD = weigh(galaxies, galaxies, weight), DR = weigh(galaxies, randoms, weight),
             RR = weigh(randoms, randoms, weight);
  Correlation w;
  for (std::size_t k = 0; k < 5; ++k) w.push_back((DD[k] / DD[5] - 2 * DR[k] / DR[5]) / (RR[k] / RR[5]) + 1);
  return w;
}

/// What tpacf_jackknife counts, of all and of each region, pair by pair.
RegionPairs counted(const Set& set, std::size_t regions) {
  RegionPairs pairs;
  pairs.left_out.bins = 5;
  pairs.left_out.points.assign(regions, 0);
  for (const std::size_t region : set.region_of) ++pairs.left_out.points[region];
  const auto add = [&](std::vector<unsigned long long>& counts, const auto& weight) {
    const std::vector<double> sums = weigh(set, set, weight);
    for (std::size_t k = 0; k < 5; ++k) counts.push_back(static_cast<unsigned long long>(sums[k]));
  };
  add(pairs.left_out.counts, [](std::size_t, std::size_t) { return 1.0; });
  for (std::size_t r = 0; r < regions; ++r) {
    add(pairs.left_out.counts, [r](std::size_t a, std::size_t b) { return a != r && b != r ? 1.0 : 0.0; });
    add(pairs.within, [r](std::size_t a, std::size_t b) { return a == r && b == r ? 1.0 : 0.0; });
  }
  return pairs;
}

class TpacfStudyErrors : public testing::Test {
 protected:
  static constexpr std::size_t kRegions = 6;

  TpacfStudyErrors() {
    const Field field{.alpha = 355, .width = 12, .south = -4, .north = 6};
    randoms_.points = some_points(150, field, 1);
    galaxies_.points = some_points(60, field, 2);
    for (std::size_t i = 0; i + 1 < galaxies_.points.size(); i += 3)  // companions
      galaxies_.points[i + 1] = {turned(galaxies_.points[i].alpha + 0.2), galaxies_.points[i].delta + 0.3};
    const Regions regions(randoms_.points, kRegions);
    for (Set* set : {&galaxies_, &randoms_})
      for (const SkyPoint& point : set->points) set->region_of.push_back(regions.region_of(point));
    Set both = galaxies_;
    both.points.insert(both.points.end(), randoms_.points.begin(), randoms_.points.end());
    both.region_of.insert(both.region_of.end(), randoms_.region_of.begin(), randoms_.region_of.end());
    survey_ = {counted(galaxies_, kRegions), counted(randoms_, kRegions), counted(both, kRegions)};
  }

  static void expect_near(const Correlation& found, const Correlation& expected) {
    ASSERT_EQ(found.size(), expected.size());
    for (std::size_t k = 0; k < found.size(); ++k)
      EXPECT_NEAR(found[k], expected[k], 1e-10 * (1 + std::abs(expected[k]))) << "bin " << k;
  }

  Set galaxies_, randoms_;
  Survey survey_;
};

TEST_F(TpacfStudyErrors, CorrelationIsThatOfAllPairs) {
  const Correlation expected =
      weighed_correlation(galaxies_, randoms_, [](std::size_t, std::size_t) { return 1.0; });
  EXPECT_GT(expected[1], 1) << "the companions";
  expect_near(weighted_correlation(survey_, std::vector<std::size_t>(kRegions, 1)), expected);
  expect_near(weighted_correlation(survey_, std::vector<std::size_t>(kRegions, 3)), expected);
}

TEST_F(TpacfStudyErrors, JackknifeLeavesPointsOut) {
  const std::vector<Correlation> w = correlations_left_out(survey_);
  ASSERT_EQ(w.size(), kRegions);
  for (std::size_t r = 0; r < kRegions; ++r)
    expect_near(w[r], weighed_correlation(galaxies_, randoms_, [r](std::size_t a, std::size_t b) {
                  return a != r && b != r ? 1.0 : 0.0;
                }));
}

TEST_F(TpacfStudyErrors, CorrectedJackknifeLeavesAPartOfPairsAcrossBordersOut) {
  const double part = 6 / (2 + std::sqrt(2.0) * 5);
  const std::vector<Correlation> w = corrected_correlations(survey_);
  ASSERT_EQ(w.size(), kRegions);
  for (std::size_t r = 0; r < kRegions; ++r)
    expect_near(w[r], weighed_correlation(galaxies_, randoms_, [r, part](std::size_t a, std::size_t b) {
                  return a == r && b == r ? 0.0 : a == r || b == r ? 1 - part : 1.0;
                }));
}

TEST_F(TpacfStudyErrors, BootstrapWeighsPairsByTheMeanOfBothRegions) {
  SplitMix64 random(5);
  for (int sample = 0; sample < 8; ++sample) {
    const std::vector<std::size_t> times = resample(kRegions, random);
    std::size_t draws = 0;
    for (const std::size_t one : times) draws += one;
    EXPECT_EQ(draws, kRegions);
    expect_near(weighted_correlation(survey_, times),
                weighed_correlation(galaxies_, randoms_, [&](std::size_t a, std::size_t b) {
                  return static_cast<double>(times[a] + times[b]) / 2;
                }));
  }
}

TEST_F(TpacfStudyErrors, RegionsAreDrawnEquallyOften) {
  SplitMix64 random(6);
  std::vector<double> drawn(kRegions, 0);
  double twice_or_more = 0;
  constexpr int kSamples = 6000;
  for (int sample = 0; sample < kSamples; ++sample) {
    const std::vector<std::size_t> times = resample(kRegions, random);
    for (std::size_t r = 0; r < kRegions; ++r) drawn[r] += static_cast<double>(times[r]);
    twice_or_more += times[0] >= 2 ? 1 : 0;
  }
  for (const double one : drawn) EXPECT_NEAR(one, kSamples, 5 * std::sqrt(kSamples));
  const double share = 1 - std::pow(5.0 / 6, 6) - std::pow(5.0 / 6, 5);  // binomial
  EXPECT_NEAR(twice_or_more, kSamples * share, 5 * std::sqrt(kSamples * share));
}

TEST_F(TpacfStudyErrors, CovariancesAreThoseOfTheSamples) {
  constexpr std::size_t kResamples = 50;
  SplitMix64 random(7), again(7);
  const Covariances covariances = covariances_of(survey_, kResamples, random);
  const auto expected = [](const std::vector<Correlation>& w, std::size_t k, std::size_t l,
                           long double factor) {
    long double product = 0, of_k = 0, of_l = 0;
    const auto count = static_cast<long double>(w.size());
    for (const Correlation& one : w) {
      product += static_cast<long double>(one[k]) * one[l];
      of_k += one[k];
      of_l += one[l];
    }
    return static_cast<double>(factor * (product - of_k * of_l / count));
  };
  const std::vector<Correlation> left_out = correlations_left_out(survey_),
                                 corrected = corrected_correlations(survey_),
                                 drawn = bootstrap_correlations(survey_, kResamples, again);
  for (std::size_t k = 0; k < 5; ++k) {
    for (std::size_t l = 0; l < 5; ++l) {
      EXPECT_NEAR(covariances.jackknife[k * 5 + l], expected(left_out, k, l, 5.0L / 6), 1e-10);
      EXPECT_NEAR(covariances.corrected[k * 5 + l], expected(corrected, k, l, 5.0L / 6), 1e-10);
      EXPECT_NEAR(covariances.bootstrap[k * 5 + l], expected(drawn, k, l, 1.0L / (kResamples - 1)), 1e-10);
      EXPECT_LE(std::abs(normalised(covariances.jackknife, 5, k, l)), 1 + 1e-12);
    }
    EXPECT_THAT(covariances.jackknife_error(k), DoubleEq(std::sqrt(covariances.jackknife[k * 6])));
    EXPECT_THAT(normalised(covariances.bootstrap, 5, k, k), DoubleNear(1, 1e-12));
  }
}

TEST_F(TpacfStudyErrors, CountsThatContradictEachOtherAreFound) {
  for (std::size_t k = 0; k < 5; ++k) EXPECT_TRUE(survey_.both.is_consistent(k));
  RegionPairs pairs = survey_.randoms;
  ++pairs.within[2];
  EXPECT_FALSE(pairs.is_consistent(2));
  pairs = survey_.randoms;
  --pairs.left_out.counts[5 + 3];
  EXPECT_FALSE(pairs.is_consistent(3));
  EXPECT_TRUE(pairs.is_consistent(2));
}

TEST_F(TpacfStudyErrors, BinsWithoutRandomPairsAreUnknown) {
  Survey survey = survey_;
  for (RegionPairs* pairs : {&survey.galaxies, &survey.randoms, &survey.both}) {
    for (std::size_t row = 0; row <= kRegions; ++row) pairs->left_out.counts[row * 5 + 1] = 0;
    for (std::size_t row = 0; row < kRegions; ++row) pairs->within[row * 5 + 1] = 0;
  }
  SplitMix64 random(7);
  const Covariances covariances = covariances_of(survey, 20, random);
  EXPECT_TRUE(std::isnan(weighted_correlation(survey, std::vector<std::size_t>(kRegions, 1))[1]));
  for (std::size_t k = 0; k < 5; ++k) {
    EXPECT_EQ(std::isnan(covariances.jackknife_error(k)), k == 1);
    EXPECT_EQ(std::isnan(covariances.corrected_error(k)), k == 1);
    EXPECT_EQ(std::isnan(covariances.bootstrap_error(k)), k == 1);
  }
  EXPECT_TRUE(std::isnan(survey.across(1)));
  EXPECT_TRUE(std::isnan(poisson_error(0.5, 0)));
  EXPECT_THAT(poisson_error(0.5, 9), DoubleEq(0.5));
}

TEST_F(TpacfStudyErrors, PairsAcrossBordersAreAShareOfRandomPairs) {
  const auto across =
      weigh(randoms_, randoms_, [](std::size_t a, std::size_t b) { return a == b ? 0.0 : 1.0; });
  for (std::size_t k = 0; k < 5; ++k)
    EXPECT_NEAR(survey_.across(k), across[k] / survey_.random_pairs(k), 1e-12);
}

// --- errors against the scatter of many skies ---

/// What is counted of points whose regions are known, in double precision and fast.
RegionPairs counted_fast(const Points& points, const Regions& regions, const AngularBins& bins) {
  const auto row = static_cast<std::size_t>(bins.bins);
  std::vector<double> edges;
  for (int k = 0; k <= bins.bins; ++k) edges.push_back(2 - 2 * std::cos(bins.edge(k) * sky::kDegree));
  RegionPairs pairs{{row, std::vector<std::size_t>(regions.count(), 0), {}},
                    std::vector<unsigned long long>(regions.count() * row, 0)};
  std::vector<sky::Vector3> places;
  std::vector<std::size_t> region_of;
  for (const SkyPoint& point : points) {
    places.push_back(sky::vector_of({point.alpha, point.delta}));
    region_of.push_back(regions.region_of(point));
    ++pairs.left_out.points[region_of.back()];
  }
  std::vector<unsigned long long> all(row, 0), touching(regions.count() * row, 0);
  for (std::size_t i = 0; i < places.size(); ++i) {
    for (std::size_t j = i + 1; j < places.size(); ++j) {
      const sky::Vector3 chord = sky::sum(places[i], -1, places[j]);
      const double square = sky::product(chord, chord);
      if (square < edges.front() || square >= edges.back()) continue;
      std::size_t k = 0;
      while (square >= edges[k + 1]) ++k;
      const std::size_t a = region_of[i], b = region_of[j];
      ++all[k];
      ++touching[a * row + k];
      ++(a == b ? pairs.within : touching)[b * row + k];
    }
  }
  pairs.left_out.counts = all;
  for (std::size_t at = 0; at < touching.size(); ++at)
    pairs.left_out.counts.push_back(all[at % row] - touching[at]);
  return pairs;
}

/// Galaxies of a field as make_example makes them: some anywhere, some in clusters within clusters.
Points made_galaxies(const Field& field, std::size_t anywhere, int clusters, Random& random) {
  const std::function<void(double, double, int, double, Points&)> add = [&](double east, double north,
                                                                            int levels, double radius,
                                                                            Points& to) {
    if (levels == 0 && east >= 0 && east < field.width && north >= field.south && north <= field.north)
      to.push_back({turned(field.alpha + east), north});
    for (int part = 0; levels > 0 && part < 2; ++part) {
      const double distance = radius * std::sqrt(sky::uniform(random)), angle = 360 * sky::uniform(random);
      add(east + distance * std::cos(angle * sky::kDegree), north + distance * std::sin(angle * sky::kDegree),
          levels - 1, radius / 1.78, to);
    }
  };
  Points galaxies = random_points_in(field, anywhere, random);
  for (int i = 0; i < clusters; ++i)
    add((field.width + 4) * sky::uniform(random) - 2,
        (field.north - field.south + 4) * sky::uniform(random) + field.south - 2, 6, 1, galaxies);
  return galaxies;
}

/// Of each bin: errors, squared, as means over many skies, and the variance of w between these.
struct Scatter {
  std::vector<double> variance, jackknife, corrected, bootstrap, poisson, across;
  std::vector<std::vector<double>> pairs;  ///< of random points, for each two regions: regions · regions
};

/// How many random pairs of each bin lie in each two regions.
std::vector<std::vector<double>> pairs_of_regions(const Points& points, const Regions& regions,
                                                  const AngularBins& bins) {
  const std::size_t count = regions.count();
  std::vector<std::vector<double>> pairs(static_cast<std::size_t>(bins.bins),
                                         std::vector<double>(count * count, 0));
  for (std::size_t i = 0; i < points.size(); ++i) {
    for (std::size_t j = i + 1; j < points.size(); ++j) {
      const double degrees = degrees_between(points[i], points[j]);
      if (degrees < bins.edge(0) || degrees >= bins.edge(bins.bins)) continue;
      std::size_t k = 0;
      while (degrees >= bins.edge(static_cast<double>(k + 1))) ++k;
      ++pairs[k][regions.region_of(points[i]) * count + regions.region_of(points[j])];
    }
  }
  return pairs;
}

/// Theory: the variance that a jackknife shows, over the true one, if the pairs of a bin are independent of
/// each other. `weight(r, a, b)` says how much of a pair of regions a and b is left without region r; what is
/// left is averaged.
template <class Weight>
double variance_of_samples(const std::vector<double>& pairs, std::size_t regions, const Weight& weight) {
  const auto count = static_cast<double>(regions);
  std::vector<double> sum(pairs.size(), 0), squares(pairs.size(), 0);
  double all = 0, variance = 0;
  for (std::size_t r = 0; r < regions; ++r) {
    double left = 0;
    for (std::size_t at = 0; at < pairs.size(); ++at)
      left += pairs[at] * weight(r, at / regions, at % regions);
    for (std::size_t at = 0; at < pairs.size(); ++at) {
      const double share = weight(r, at / regions, at % regions) / left;
      sum[at] += share;
      squares[at] += share * share;
    }
  }
  for (std::size_t at = 0; at < pairs.size(); ++at) {
    all += pairs[at];
    variance += pairs[at] * (squares[at] - sum[at] * sum[at] / count);
  }
  return (count - 1) / count * all * variance;
}

Scatter scatter_of(int skies, std::size_t anywhere, int clusters) {
  constexpr AngularBins kWide{.first = 0.1, .per_decade = 5, .bins = 7};  // to 2.5 degrees
  constexpr std::size_t kCount = 7, kRegions = 16;
  const Field field{.alpha = 354, .width = 12, .south = -5, .north = 5};
  SplitMix64 random(21);
  const Points randoms = random_points_in(field, 1200, random);
  const Regions regions(randoms, kRegions);
  Survey survey{{}, counted_fast(randoms, regions, kWide), {}};
  std::vector<Correlation> found;
  const std::vector<double> none(kCount, 0);
  Scatter scatter{none, none, none, none, none, none, pairs_of_regions(randoms, regions, kWide)};
  for (int i = 0; i < skies; ++i) {
    Points galaxies = made_galaxies(field, anywhere, clusters, random);
    survey.galaxies = counted_fast(galaxies, regions, kWide);
    galaxies.insert(galaxies.end(), randoms.begin(), randoms.end());
    survey.both = counted_fast(galaxies, regions, kWide);
    found.push_back(weighted_correlation(survey, std::vector<std::size_t>(kRegions, 1)));
    const Covariances covariances = covariances_of(survey, 100, random);
    for (std::size_t k = 0; k < kCount; ++k) {
      scatter.jackknife[k] += covariances.jackknife[k * (kCount + 1)] / skies;
      scatter.corrected[k] += covariances.corrected[k * (kCount + 1)] / skies;
      scatter.bootstrap[k] += covariances.bootstrap[k * (kCount + 1)] / skies;
      scatter.poisson[k] += std::pow(poisson_error(found.back()[k], survey.data_pairs(k)), 2) / skies;
      scatter.across[k] = survey.across(k);
    }
  }
  const std::vector<double> covariance = scatter_about_mean(found, 1.0 / (skies - 1));
  for (std::size_t k = 0; k < kCount; ++k) scatter.variance[k] = covariance[k * (kCount + 1)];
  return scatter;
}

// Without clusters pairs are independent: those across borders, a share s of all, make the variance of the
// jackknife about 1 + s times what it should be, and that of the bootstrap (1 − s / 2) (R − 1) / R times. All
// three come from the same fields, so their ratios scatter far less than each of them.
TEST(TpacfStudyScatter, OfPointsAnywhereIsWhatPairsAcrossBordersMakeOfIt) {
  constexpr int kSkies = 300;
  constexpr std::size_t kRegions = 16;
  const Scatter scatter = scatter_of(kSkies, 250, 0);
  const double part = 16 / (2 + std::sqrt(2.0) * 15), bins = static_cast<double>(scatter.variance.size());
  double corrected_over_true = 0;
  for (std::size_t k = 0; k < scatter.variance.size(); ++k) {
    const double s = scatter.across[k], jackknife = scatter.jackknife[k] / scatter.corrected[k],
                 bootstrap = scatter.bootstrap[k] / scatter.corrected[k];
    const double theory =
        variance_of_samples(
            scatter.pairs[k], kRegions,
            [](std::size_t r, std::size_t a, std::size_t b) { return a != r && b != r ? 1.0 : 0.0; }) /
        variance_of_samples(scatter.pairs[k], kRegions, [part](std::size_t r, std::size_t a, std::size_t b) {
          return a == r && b == r ? 0.0 : a == r || b == r ? 1 - part : 1.0;
        });
    EXPECT_NEAR(jackknife / theory, 1, 0.04) << "bin " << k;
    if (s < 0.25) {
      EXPECT_NEAR(jackknife / (1 + s), 1, 0.04) << "bin " << k;
    }
    EXPECT_NEAR(bootstrap / ((1 - s / 2) * 15 / 16), 1, 0.05) << "bin " << k;
    corrected_over_true += scatter.corrected[k] / scatter.variance[k] / bins;
  }
  EXPECT_NEAR(corrected_over_true, 1, 5 * std::sqrt(2.0 / kSkies / bins));
  // What the page says of the widest bin.
  EXPECT_NEAR(scatter.across.back(), 0.72, 0.005);
  EXPECT_NEAR(scatter.jackknife.back() / scatter.corrected.back(), 1.92, 0.02);
}

// What the page says of clusters.
TEST(TpacfStudyScatter, OfClustersIsNearTheErrorsAndFarFromPoisson) {
  const Scatter scatter = scatter_of(100, 250, 31);
  for (std::size_t k = 0; k < scatter.variance.size(); ++k) {
    const auto ratio = [&](const std::vector<double>& squares) {
      return std::sqrt(squares[k] / scatter.variance[k]);
    };
    RecordProperty("bin" + std::to_string(k), std::to_string(ratio(scatter.jackknife)) + " " +
                                                  std::to_string(ratio(scatter.corrected)) + " " +
                                                  std::to_string(ratio(scatter.bootstrap)) + " " +
                                                  std::to_string(ratio(scatter.poisson)));
    EXPECT_GT(ratio(scatter.jackknife), 0.85) << "bin " << k;
    EXPECT_LT(ratio(scatter.jackknife), 1.4) << "bin " << k;
    EXPECT_GT(ratio(scatter.corrected), 0.75) << "bin " << k;
    EXPECT_LT(ratio(scatter.corrected), 1.25) << "bin " << k;
    EXPECT_GT(ratio(scatter.bootstrap), 0.5) << "bin " << k;
    EXPECT_LT(ratio(scatter.bootstrap), 0.95) << "bin " << k;
    EXPECT_LT(ratio(scatter.poisson), 0.3) << "bin " << k;
  }
}

// --- the picture ---

TEST(TpacfStudyPicture, AnglesAreWrittenAsAstronomersDo) {
  EXPECT_EQ(angle_shown(0.01), "36″");
  EXPECT_EQ(angle_shown(1.0 / 60), "1′");
  EXPECT_EQ(angle_shown(0.5), "30′");
  EXPECT_EQ(angle_shown(1), "1°");
  EXPECT_EQ(angle_shown(100), "100°");
}

TEST_F(TpacfStudyErrors, PictureShowsWhatIsInItAndStaysSmall) {
  SplitMix64 random(7);
  const Covariances covariances = covariances_of(survey_, 30, random);
  const Regions regions(randoms_.points, kRegions);
  const Points many = some_points(60'000, {.alpha = 355, .width = 12, .south = -4, .north = 6}, 4);
  for (Correlation w :
       {weighted_correlation(survey_, std::vector<std::size_t>(kRegions, 1)),
        Correlation{kNotKnown, -1, 0, 1e6, 0.02}, Correlation(5, kNotKnown), Correlation(5, 0)}) {
    const std::string svg =
        Picture{"a<b>&\"c\"\x01.csv", kBins, survey_, w, covariances, regions, many, 30}.svg();
    EXPECT_THAT(
        svg,
        AllOf(HasSubstr("a&lt;b&gt;&amp;&quot;c&quot;?.csv"), HasSubstr("60 galaxies, 150 random points"),
              HasSubstr("6 regions and the galaxies, every 15th shown"), HasSubstr("separation θ"),
              HasSubstr(">jackknife<"), HasSubstr(">30′<"), HasSubstr(">0°<")));
    EXPECT_THAT(svg, AllOf(Not(HasSubstr("nan")), Not(HasSubstr("inf"))));
    EXPECT_LT(svg.size(), 200'000U);
  }
  const std::vector<double> unknown(25, kNotKnown), zero(25, 0);
  const Covariances none{5, unknown, unknown, zero};
  EXPECT_THAT(Picture({"none", kBins, survey_, Correlation(5, 0.5), none, regions, many, 30}).svg(),
              AllOf(Not(HasSubstr("nan")), Not(HasSubstr("inf"))));
}

}  // namespace
}  // namespace lockstep::test::tpacf_jackknife_study_test
