// The levels up to which water rises, as they are typed, and at how many of them a cell is below the water.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <string>
#include <vector>

#include "height_file.h"
#include "study/options.h"

namespace lockstep::flood_study {

/// As many as a byte can count.
constexpr std::size_t kMaxLevels = 255;

/// Of rising levels, how many are above the height; none are for NaN.
inline unsigned char wet_count(const std::vector<float>& levels, float height) {
  return static_cast<unsigned char>(levels.end() - std::upper_bound(levels.begin(), levels.end(), height));
}

namespace detail {

inline double number_of(const std::string& text, const std::string& option) {
  const double number = study::number_of<double>(text).value_or(NAN);
  if (!(std::abs(number) <= double{std::numeric_limits<float>::max()}))
    throw study::WrongUse(option + ": " + study::in_quotes(text) + " is no number");
  return number;
}

}  // namespace detail

/// FROM:TO:STEP, or levels between commas, as floats that rise. Throws study::WrongUse.
inline std::vector<float> levels_of(const std::string& text, const std::string& option) {
  std::vector<float> levels;
  if (text.find(':') != std::string::npos) {
    const std::vector<std::string> parts = study::pieces_of(text, ':');
    if (parts.size() != 3)
      throw study::WrongUse(option + ' ' + study::in_quotes(text) + " is not FROM:TO:STEP");
    const double from = detail::number_of(parts[0], option), to = detail::number_of(parts[1], option),
                 step = detail::number_of(parts[2], option);
    if (!(step > 0) || !(to >= from))
      throw study::WrongUse(option + ": STEP must be above 0, and TO not below FROM");
    // TO is a level where steps end there but for rounding.
    const double steps = std::floor((to - from) / step * (1 + 1e-12) + 1e-9);
    if (!(steps < static_cast<double>(kMaxLevels)))
      throw study::WrongUse(option + ": more levels than " + std::to_string(kMaxLevels));
    for (double k = 0; k <= steps; ++k) levels.push_back(static_cast<float>(from + k * step));
  } else {
    for (const std::string& part : study::pieces_of(text, ','))
      levels.push_back(static_cast<float>(detail::number_of(part, option)));
  }
  std::sort(levels.begin(), levels.end());
  levels.erase(std::unique(levels.begin(), levels.end()), levels.end());
  if (levels.size() > kMaxLevels)
    throw study::WrongUse(option + ": more levels than " + std::to_string(kMaxLevels));
  return levels;
}

}  // namespace lockstep::flood_study
