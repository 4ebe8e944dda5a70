// The parts of the study of resampling that run on the host: tracks from files, the model, the error that
// theory expects, and the picture. resampling_study_test.py has the filter itself.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <numbers>
#include <string>
#include <vector>

#include "21-resampling/study/chart.h"
#include "21-resampling/study/compare.h"
#include "21-resampling/study/model.h"
#include "21-resampling/study/offspring.h"
#include "21-resampling/study/picture.h"
#include "21-resampling/study/track.h"
#include "study_files.h"

namespace lockstep::test::resampling_study_test {
namespace {

using namespace lockstep::particle_filter;
using testing::AllOf;
using testing::AnyOf;
using testing::DoubleNear;
using testing::ElementsAre;
using testing::EndsWith;
using testing::HasSubstr;
using testing::Not;

class StudyTrack : public StudyFiles {
 protected:
  Track read(const std::string& text) const { return read_track(write("a.csv", text)); }
  std::string error(const std::string& text) const {
    return error_of([&] { read(text); });
  }
};

TEST_F(StudyTrack, IsReadByTheNamesOfItsColumns) {
  const Track track = read(
      "\xEF\xBB\xBF# seen by night\r\n\r\n\"range\" , weather,time,bearing,true_y,true_x\r\n"
      " 100 ,\"fog\", 1.5,\"+0.5\",7,8\r\n,,2,,,\r\n# a remark\r\n3e1,,2,-1,,\r\n");
  ASSERT_EQ(track.rows.size(), 3U);
  EXPECT_THAT(track.measured, ElementsAre("range", "bearing"));
  EXPECT_THAT(track.ignored, ElementsAre("\"weather\""));
  EXPECT_TRUE(track.has_truth);
  const Row& first = track.rows[0];
  EXPECT_EQ(first.line, 4);
  EXPECT_EQ(first.time, 1.5);
  EXPECT_EQ(first.range, 100);
  EXPECT_EQ(first.bearing, 0.5);
  EXPECT_EQ(first.true_x, 8);
  EXPECT_EQ(first.true_y, 7);
  EXPECT_FALSE(first.is_empty());
  EXPECT_TRUE(track.rows[1].is_empty());
  EXPECT_FALSE(track.rows[1].has_truth());
  EXPECT_TRUE(std::isnan(track.rows[1].position().first));
  EXPECT_EQ(track.rows[2].line, 7);
  EXPECT_EQ(track.rows[2].range, 30);
}

TEST_F(StudyTrack, AnglesBecomeRadiansFromTheDirectionOfX) {
  const Row east = read("time,range,azimuth_deg\n0,10,90\n").rows[0];
  EXPECT_NEAR(east.bearing, 0, 1e-12);
  const Row north = read("time,range,azimuth_deg,sensor_x,sensor_y\n0,10,0,3,4\n").rows[0];
  EXPECT_NEAR(north.position().first, 3, 1e-12);
  EXPECT_NEAR(north.position().second, 14, 1e-12);
  EXPECT_NEAR(read("time,bearing_deg\n0,180\n").rows[0].bearing, std::numbers::pi, 1e-12);
}

TEST_F(StudyTrack, ThatCannotBeReadNamesTheLine) {
  EXPECT_THAT(error(""), EndsWith("a.csv is empty: it begins with a line of names of columns"));
  EXPECT_THAT(error("# nothing\n\n"), HasSubstr("is empty"));
  EXPECT_THAT(error("time,range\n"), EndsWith("a.csv has no row below its header"));
  EXPECT_THAT(error("range\n1\n"),
              HasSubstr("a.csv:1: no column is called time, of those between commas: \"range\""));
  EXPECT_THAT(error("time,ranges\n0,1\n"), HasSubstr(":1: no column of measurements"));
  EXPECT_THAT(error("time,time,range\n"), HasSubstr("two columns are called time"));
  EXPECT_THAT(error("time,bearing,bearing_deg\n"), HasSubstr("one of bearing, bearing_deg and azimuth_deg"));
  EXPECT_THAT(error("time,x\n0,1\n"), HasSubstr("x without y"));
  const std::string begin = "time,range,bearing\n0,1,1\n";
  EXPECT_THAT(error(begin + "1,2\n"), HasSubstr("a.csv:3: 2 cells, and the header has 3"));
  EXPECT_THAT(error(begin + "1,2,3,4\n"), HasSubstr(":3: 4 cells"));
  for (const char* wrong : {"nan", "1x", "x", "1e999", "0x1", "--1", "+-1", "1 2"})
    EXPECT_THAT(error(begin + "1," + wrong + ",1\n"),
                HasSubstr(":3: range: \"" + std::string(wrong) + "\" is no number"))
        << wrong;
  EXPECT_THAT(error(begin + "1,inf,1\n"), HasSubstr("range: \"inf\" is beyond 1e9"));
  EXPECT_THAT(error(begin + "1e13,1,1\n"), HasSubstr("time: \"1e13\" is beyond 1e12"));
  EXPECT_THAT(error(begin + "1,-2,1\n"), HasSubstr(":3: a range below 0"));
  EXPECT_THAT(error(begin + ",2,1\n"), HasSubstr(":3: no time"));
  EXPECT_THAT(error(begin + "-1,2,1\n"), HasSubstr(":3: time \"-1\" is before that of the row above"));
  EXPECT_THAT(error("time,x,y\n0,1,\n"), HasSubstr(":2: x without y"));
  EXPECT_THAT(error("time,range,sensor_x,sensor_y\n0,1,,2\n"), HasSubstr("no position of the sensor"));
  EXPECT_THAT(error_of([&] { read_track(folder_.string()); }), HasSubstr("is no regular file"));
}

TEST_F(StudyTrack, TimesMayBeUnixTimeStamps) {
  const Track track = read("time,x,y\n1764496714.25,1,2\n999999999999,2,3\n");
  EXPECT_EQ(track.rows[0].time, 1764496714.25);
  EXPECT_EQ(track.rows[1].time, 999999999999);
}

TEST_F(StudyTrack, HasLinesOfAMebibyteAtMost) {
  const std::string most(std::size_t{1} << 20, 'n');
  EXPECT_EQ(read("time,range\n#" + most.substr(1) + "\n0,1\n").rows[0].line, 3);
  EXPECT_THAT(error("time,range\n#" + most + "\n0,1\n"), EndsWith("a.csv:2: a line of more than 1 MiB"));
  EXPECT_THAT(error(most + most), EndsWith("a.csv:1: a line of more than 1 MiB"));
}

TEST_F(StudyTrack, WhatIsQuotedIsShortAndPrintable) {
  EXPECT_THAT(error("time,range\n0,\x1b[31mred\n"), AllOf(HasSubstr("\"?[31mred\""), Not(HasSubstr("\x1b"))));
  std::string many;
  for (int i = 0; i < 100; ++i) many += "é";
  const std::string said = error("time,range\n0,a" + many + '\n');
  EXPECT_THAT(said, HasSubstr("é…\""));
  EXPECT_LT(said.size(), 200U + folder_.string().size());
}

// --- the model ---

constexpr float kNone = NAN;

TEST(StudyModel, BearingsDifferByTheShorterWayRound) {
  const Model model;
  constexpr float kPi = std::numbers::pi_v<float>;
  const State west{-100, 0.1F, 0, 0};
  for (const float seen : {kPi - 0.02F, -kPi - 0.02F, 3 * kPi - 0.02F})
    EXPECT_NEAR(log_likelihood(model, west, {kNone, seen, kNone, kNone, 0, 0}), -0.5 * 0.95 * 0.95, 1e-3)
        << seen;
}

TEST(StudyModel, WhatWasNotMeasuredCountsNothing) {
  const Model model;
  const State state{30, 40, 1, 2};
  EXPECT_EQ(log_likelihood(model, state, {kNone, kNone, kNone, kNone, 0, 0}), 0);
  EXPECT_FLOAT_EQ(log_likelihood(model, state, {70, kNone, kNone, kNone, 0, 0}), -0.5F);
  EXPECT_FLOAT_EQ(log_likelihood(model, state, {10, kNone, kNone, kNone, 30, 20}), -0.125F);
  EXPECT_FLOAT_EQ(log_likelihood(model, state, {70, kNone, 50, 80, 0, 0}), -0.5F - 0.5F - 2);
}

TEST(StudyModel, MovesByVelocityAndHalfOfTheAcceleration) {
  const Model model;
  const State from{1, 2, 3, 4}, to = moved(model, from, 2, {{4, -2, 0, 0}});
  EXPECT_FLOAT_EQ(to.x, 1 + 6 + 4);
  EXPECT_FLOAT_EQ(to.y, 2 + 8 - 2);
  EXPECT_FLOAT_EQ(to.vx, 3 + 4);
  EXPECT_FLOAT_EQ(to.vy, 4 - 2);
  const State still = moved(model, from, 0, {{4, -2, 0, 0}});
  for (int k = 0; k < kComponents; ++k) EXPECT_EQ(component(still, k), component(from, k));
}

TEST(StudyModel, BeginsWhereItIsTold) {
  Model model;
  const Normals noise{{1, -2, 3, -1}};
  const State seen = initial(model, {100, 0, kNone, kNone, 5, 6}, noise);
  EXPECT_NEAR(seen.x, 5 + 120 * std::cos(0.04), 1e-4);
  EXPECT_NEAR(seen.y, 6 - 120 * std::sin(0.04), 1e-4);
  EXPECT_EQ(seen.vx, 30);
  EXPECT_EQ(initial(model, {kNone, kNone, 7, 8, 0, 0}, noise).y, 8 - 40);
  model.has_start = true;
  model.start = {1, 2, 3, 4};
  const State known = initial(model, {100, 0, kNone, kNone, 0, 0}, noise);
  EXPECT_EQ(known.x, 1 + 30);
  EXPECT_EQ(known.vy, 4 - 2);
}

TEST(StudyModel, WeighsByWhatTheStartDidNotUse) {
  const Measurement both = without_start({70, 1, 50, 80, 3, 4});
  EXPECT_EQ(both.range, 70);
  EXPECT_EQ(both.bearing, 1);
  EXPECT_TRUE(std::isnan(both.x) && std::isnan(both.y));
  EXPECT_EQ(both.sensor_y, 4);
  EXPECT_EQ(log_likelihood(Model{}, {30, 40, 1, 2}, without_start({70, 1, kNone, kNone, 0, 0})), 0);
}

// --- theory ---

TEST(StudyOffspring, TheoryOfSmallSetsIsWhatPaperSays) {
  const auto errors = [](const std::vector<float>& weights) {
    std::vector<double> found;
    for (const Scheme scheme :
         {Scheme::systematic, Scheme::stratified, Scheme::residual, Scheme::multinomial})
      found.push_back(expected_error(scheme, expected_copies(weights)));
    return found;
  };
  // They expect ½ and 1½ copies.
  EXPECT_THAT(errors({1, 3}), ElementsAre(0.25, 0.25, 0.25, 0.375));
  EXPECT_THAT(errors({1, 1, 3, 3}), ElementsAre(0.25, 0.25, 0.375, 0.6875));
  // ¾, 1½ and ¾: the second has ¼ of the first interval, all of the next, and ¼ of the last.
  EXPECT_THAT(errors({1, 2, 1}), ElementsAre(DoubleNear(0.625 / 3, 1e-12), DoubleNear(0.75 / 3, 1e-12),
                                             DoubleNear((2 * 0.75 * 0.625 + 0.5 * 0.75) / 3, 1e-12),
                                             DoubleNear((2 * 0.75 * 0.75 + 1.5 * 0.5) / 3, 1e-12)));
  EXPECT_THAT(errors({2, 2}), ElementsAre(0, 0, 0, 0.5));
  EXPECT_TRUE(std::isnan(expected_error(Scheme::exercise, {1, 1})));
}

TEST(StudyCompare, ErrorsOfRootsComeFromTheTracks) {
  const Uncertain root = root_mean({4, 6, 8});
  EXPECT_DOUBLE_EQ(root.value, std::sqrt(6.0));
  EXPECT_DOUBLE_EQ(root.standard_error, std::sqrt(4.0 / 3) / (2 * std::sqrt(6.0)));
  const Uncertain same = root_ratio({4, 6, 8}, {1, 1.5, 2});
  EXPECT_DOUBLE_EQ(same.value, 2);
  EXPECT_NEAR(same.standard_error, 0, 1e-12);
  const Uncertain ratio = root_ratio({1, 3}, {1, 1});  // 2 ± 1 of a ratio, whose root is 1.41
  EXPECT_DOUBLE_EQ(ratio.value, std::sqrt(2.0));
  EXPECT_DOUBLE_EQ(ratio.standard_error, 1 / (2 * std::sqrt(2.0)));
}

TEST(StudyChart, HasNoNaNAndShowsWhatThereIs) {
  Comparison comparison{.runs = 2};
  for (const int particles : {16, 1024}) {
    ComparedSize size{.particles = particles};
    for (std::size_t scheme = 0; scheme < kSchemes; ++scheme)
      size.squared[scheme] = {1.0 + static_cast<double>(scheme), 2};
    comparison.sizes.push_back(size);
  }
  EXPECT_THAT(chart_of(comparison).svg(),
              AllOf(HasSubstr(">1024<"), HasSubstr(">residual<"), Not(HasSubstr("nan"))));
  for (ComparedSize& size : comparison.sizes) size.squared.fill({0, 0});  // one particle at the truth
  EXPECT_THAT(chart_of(comparison).svg(), Not(AnyOf(HasSubstr("nan"), HasSubstr("inf"))));

  OffspringTable table{.particles = 8, .runs = 2};
  for (int y = 0; y < 2; ++y)
    for (std::size_t scheme = 0; scheme < kSchemes; ++scheme)
      table.rows.push_back({y, static_cast<Scheme>(scheme), 0, 0.3, 0.01, scheme == 0 ? NAN : 0.31});
  const std::string chart = chart_of(table).svg();
  EXPECT_THAT(chart, AllOf(HasSubstr(">0.3<"), HasSubstr(">multinomial<"), Not(HasSubstr("nan"))));
  for (OffspringRow& row : table.rows) row.error = row.standard_error = row.theory = 0;  // of one particle
  EXPECT_THAT(chart_of(table).svg(), Not(AnyOf(HasSubstr("nan"), HasSubstr("inf"))));
}

// --- the picture ---

std::string picture_of(const Track& track, std::size_t particles = 100) {
  std::vector<Tracked> tracked;
  for (const Row& row : track.rows) {
    Tracked now;
    const auto [x, y] = row.position();
    now.estimate.mean = {std::isnan(x) ? 0 : x, std::isnan(y) ? 0 : y, 1, 2};
    now.estimate.covariance[0][0] = now.estimate.covariance[1][1] = 4;
    now.estimate.covariance[0][1] = now.estimate.covariance[1][0] = -4;
    now.estimate.effective = static_cast<double>(particles) / 2;
    now.resampled = true;
    tracked.push_back(now);
  }
  return Picture{"a<b>.csv", "what", "km", "min", particles, 0.5, track, tracked}.svg();
}

using StudyTrackPicture = StudyTrack;

TEST_F(StudyTrackPicture, ShowsWhatThereIs) {
  const std::string picture =
      picture_of(read("time,range,bearing,true_x,true_y\n0,10,0,10,1\n1,12,0.5,11,5\n2,,,12,6\n"));
  EXPECT_THAT(picture, AllOf(HasSubstr("a&lt;b&gt;.csv"), HasSubstr("x (km)"), HasSubstr("time (min)"),
                             HasSubstr(">truth<"), HasSubstr(">sensor<"), Not(HasSubstr("nan"))));
  const std::string positions = picture_of(read("time,x,y\n0,1,2\n1,2,3\n"));
  EXPECT_THAT(positions,
              AllOf(Not(HasSubstr(">truth<")), Not(HasSubstr(">sensor<")), HasSubstr(">measured<")));
}

TEST_F(StudyTrackPicture, OfOneRowOrEqualRowsHasNoNaN) {
  for (const char* rows : {"0,1,2\n", "0,1,2\n0,1,2\n", "0,1e9,-1e9\n5,1e9,-1e9\n", "0,-1e9,0\n1,1e9,0\n",
                           "999999999,1,2\n999999999.0000002,2,3\n"}) {
    const std::string picture = picture_of(read("time,x,y\n" + std::string(rows)), 1);
    EXPECT_THAT(picture, AllOf(Not(HasSubstr("nan")), Not(HasSubstr("inf")))) << rows;
  }
}

TEST_F(StudyTrackPicture, HasMarksOfLargeTimes) {
  const std::string picture = picture_of(read("time,x,y\n1764496700,1,2\n1764496740,2,3\n"));
  EXPECT_THAT(picture, AllOf(HasSubstr(">1764496700<"), HasSubstr(">1764496720<")));
}

TEST_F(StudyTrackPicture, LeavesOutSensorsThatAreFarAway) {
  EXPECT_THAT(picture_of(read("time,range,bearing\n0,1e5,0\n1,1e5,0.0001\n")), Not(HasSubstr(">sensor<")));
  EXPECT_THAT(picture_of(read("time,range,bearing\n0,10,0\n1,11,1\n2,12,2\n")), HasSubstr(">sensor<"));
}

TEST_F(StudyTrackPicture, TheLegendNamesSensorsThatAreDrawn) {
  const std::string picture = picture_of(
      read("time,range,bearing,sensor_x,sensor_y\n0,10,0,0,0\n1,11,1,0,0\n2,12,2,0,0\n3,1e6,,1e6,0\n"));
  EXPECT_THAT(picture, HasSubstr(">sensor<"));
  const std::string triangle = "l7 12h-14z";
  std::size_t triangles = 0;
  for (std::size_t at = picture.find(triangle); at != std::string::npos; at = picture.find(triangle, at + 1))
    ++triangles;
  EXPECT_EQ(triangles, 2U);  // in the legend, and the near one
}

TEST_F(StudyTrackPicture, StaysSmall) {
  std::string text = "time,x,y\n";
  for (int i = 0; i < 20000; ++i) text += std::to_string(i) + ",1," + std::to_string(i) + '\n';
  EXPECT_LT(picture_of(read(text)).size(), 800'000U);
}

}  // namespace
}  // namespace lockstep::test::resampling_study_test
