// Random points in a field that is a box, for surveys that cover one evenly.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <numbers>
#include <stdexcept>
#include <string>
#include <vector>

#include "18-tpacf/catalogues.h"
#include "lockstep/random.h"
#include "lockstep/sky.h"
#include "regions.h"
#include "study/options.h"
#include "study/text.h"

namespace lockstep::angular {

/// From a right ascension to the east as far as `width`, and from one declination to another; in degrees.
struct Field {
  double alpha = 0, width = 0, south = 0, north = 0;
};

/// Of "RA1,RA2,DEC1,DEC2" in degrees, from RA1 to the east until RA2. Throws study::WrongUse.
inline Field field_of(const std::string& text) {
  std::array<double, 4> values{};
  const std::vector<std::string> pieces = study::pieces_of(text, ',');
  bool is_sound = pieces.size() == values.size();
  for (std::size_t i = 0; i < values.size() && is_sound; ++i) {
    const auto value = study::number_of<double>(pieces[i]);
    is_sound = value.has_value();
    values[i] = value.value_or(0);
  }
  const auto [from, to, south, north] = values;
  is_sound = is_sound && from >= -180 && from <= 360 && to >= -180 && to <= 360 && south >= -90 &&
             south < north && north <= 90;
  const double width = to > from ? to - from : to - from + 360;
  if (!is_sound || !(width > 0 && width <= 360))
    throw study::WrongUse("--box: " + study::in_quotes(text) +
                          " is no RA1,RA2,DEC1,DEC2 in degrees, such as 350,10,-5,5, with DEC1 below DEC2");
  return {turned(from), width, south, north};
}

/// Throws std::runtime_error, whose message names the file, where galaxies lie outside.
inline void must_lie_in(const Field& field, const std::vector<SkyPoint>& galaxies, const std::string& file) {
  constexpr double kLittle = 1e-9;  // of rounding
  const auto is_outside = [&](const SkyPoint& point) {
    const double east = turned(point.alpha - field.alpha + kLittle);
    return !(east <= field.width + 2 * kLittle && point.delta >= field.south && point.delta <= field.north);
  };
  const auto outside = std::count_if(galaxies.begin(), galaxies.end(), is_outside);
  if (outside != 0)
    throw std::runtime_error(
        file + ": " + std::to_string(outside) + " of " + std::to_string(galaxies.size()) +
        " galaxies lie outside of --box, the first is number " +
        std::to_string(std::find_if(galaxies.begin(), galaxies.end(), is_outside) - galaxies.begin() + 1));
}

/// Equally many in equal areas: uniform in right ascension and in the sine of the declination.
inline std::vector<SkyPoint> random_points_in(const Field& field, std::size_t count, Random& random) {
  constexpr double kDegree = std::numbers::pi / 180;
  const double low = std::sin(field.south * kDegree), high = std::sin(field.north * kDegree);
  std::vector<SkyPoint> points;
  for (std::size_t i = 0; i < count; ++i) {
    const double alpha = turned(field.alpha + field.width * sky::uniform(random));
    const double sine = std::clamp(low + (high - low) * sky::uniform(random), -1.0, 1.0);
    points.push_back({alpha, std::clamp(std::asin(sine) / kDegree, field.south, field.north)});
  }
  return points;
}

}  // namespace lockstep::angular
