// What `grade --show` draws: where points lie on the page, and what has no place there.
#include "course/plot.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <regex>
#include <stdexcept>
#include <string>
#include <vector>

namespace lockstep::course {
namespace {

using testing::HasSubstr;
using testing::Not;

Plot plot_of(std::vector<PlotPoint> points, bool is_curve = false) {
  Plot plot{.title = "Sums", .x = {.label = "step"}, .y = {.label = "sum"}, .series = {{.name = "yours"}}};
  plot.series[0].points = std::move(points);
  plot.series[0].is_curve = is_curve;
  return plot;
}

/// The first groups of all matches of a pattern, as numbers.
std::vector<double> numbers(const std::string& text, const char* pattern) {
  const std::regex wanted(pattern);
  std::vector<double> found;
  for (std::sregex_iterator match(text.begin(), text.end(), wanted), end; match != end; ++match)
    found.push_back(std::stod((*match)[1]));
  return found;
}

// Marks of points have a radius of 2.5, the legend's another.
std::vector<double> marks_x(const std::string& svg) {
  return numbers(svg, "cx=\"([0-9.]+)\" cy=\"[0-9.]+\" r=\"2.5\"");
}
std::vector<double> marks_y(const std::string& svg) { return numbers(svg, "cy=\"([0-9.]+)\" r=\"2.5\""); }

TEST(Plot, PointsLieInProportionAndUpwards) {
  const std::string svg = plot_svg(plot_of({{.x = 0, .y = 0}, {.x = 4, .y = 10}, {.x = 8, .y = 40}}));
  const std::vector<double> x = marks_x(svg), y = marks_y(svg);
  ASSERT_EQ(x.size(), 3U);
  ASSERT_EQ(y.size(), 3U);
  EXPECT_GT(x[1], x[0]);
  EXPECT_NEAR(x[1] - x[0], x[2] - x[1], 0.11);
  EXPECT_LT(y[2], y[0]);
  EXPECT_NEAR(4 * (y[0] - y[1]), y[0] - y[2], 0.5);
}

TEST(Plot, LogarithmicAxisHasEqualDecades) {
  Plot plot = plot_of({{.x = 1, .y = 1}, {.x = 10, .y = 2}, {.x = 100, .y = 3}});
  plot.x.is_logarithmic = true;
  const std::vector<double> x = marks_x(plot_svg(plot));
  ASSERT_EQ(x.size(), 3U);
  EXPECT_GT(x[1], x[0]);
  EXPECT_NEAR(x[1] - x[0], x[2] - x[1], 0.11);
}

TEST(Plot, WhatHasNoPlaceIsLeftOut) {
  constexpr double kNaN = std::numeric_limits<double>::quiet_NaN(),
                   kInfinity = std::numeric_limits<double>::infinity();
  const std::vector<PlotPoint> points = {{.x = -1, .y = 1}, {.x = 0, .y = 1},         {.x = 1, .y = kNaN},
                                         {.x = 2, .y = 5},  {.x = kInfinity, .y = 1}, {.x = 3, .y = 1}};
  Plot plot = plot_of(points);
  EXPECT_EQ(marks_x(plot_svg(plot)).size(), 4U);
  plot.x.is_logarithmic = true;
  const std::string svg = plot_svg(plot);
  EXPECT_EQ(marks_x(svg).size(), 2U);
  EXPECT_THAT(svg, Not(HasSubstr("nan")));
  EXPECT_THAT(svg, Not(HasSubstr("inf")));
}

TEST(Plot, NothingToDrawIsTold) {
  EXPECT_THROW(plot_svg(plot_of({})), std::runtime_error);
  EXPECT_THROW(plot_svg(plot_of({{.x = 1, .y = std::numeric_limits<double>::quiet_NaN()}})),
               std::runtime_error);
}

TEST(Plot, OnePointHasAPlace) { EXPECT_EQ(marks_x(plot_svg(plot_of({{.x = 3, .y = 3}}))).size(), 1U); }

TEST(Plot, CurvesAndErrorsAreLines) {
  EXPECT_THAT(plot_svg(plot_of({{.x = 0, .y = 0}, {.x = 1, .y = 1}}, true)),
              testing::ContainsRegex("class=\"curve\" d=\"M[0-9.]+ [0-9.]+ L[0-9.]+ [0-9.]+\""));
  const std::string svg = plot_svg(plot_of({{.x = 0, .y = 0}, {.x = 1, .y = 10, .error = 5}}));
  const std::vector<double> ends = numbers(svg, "class=\"error\"[^>]* y1=\"([0-9.]+)\"");
  ASSERT_EQ(ends.size(), 1U);
  EXPECT_GT(ends[0], marks_y(svg)[1]);
}

TEST(Plot, NamesAreText) {
  Plot plot = plot_of({{.x = 1, .y = 1}});
  plot.title = "a < b & c";
  plot.series[0].name = "<script>";
  const std::string svg = plot_svg(plot);
  EXPECT_THAT(svg, HasSubstr("a &lt; b &amp; c"));
  EXPECT_THAT(svg, Not(HasSubstr("<script>")));
}

}  // namespace
}  // namespace lockstep::course
