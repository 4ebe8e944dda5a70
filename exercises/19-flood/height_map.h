// Draws height maps, with the water that stands on them.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

namespace lockstep {

struct HeightMap {
  int rows = 0, columns = 0;
  std::vector<float> heights;  ///< row after row; NaN where nothing is known
  float at(int row, int column) const {
    return heights[static_cast<std::size_t>(row) * static_cast<std::size_t>(columns) +
                   static_cast<std::size_t>(column)];
  }
};

struct Colour {
  std::uint8_t red = 0, green = 0, blue = 0;
  bool operator==(const Colour&) const = default;
};

/// Terrain from green to white by height, lit from the upper left, in `shades` steps; where the mask says so,
/// the blue of water, darker where it is deep. What nothing is known of is grey.
class Shading {
 public:
  Shading(const HeightMap& map, float level, int shades = 256) : map_(map), level_(level), shades_(shades) {
    for (const float height : map.heights) {
      if (!std::isfinite(height)) continue;
      low_ = std::min(low_, height);
      high_ = std::max(high_, height);
    }
    range_ = high_ > low_ ? high_ - low_ : 1;
  }

  Colour of(int row, int column, bool has_water) const {
    const float height = map_.at(row, column);
    if (std::isnan(height)) return kUnknown;
    if (has_water) return between(kShallow, kDeep, stepped((level_ - height) / range_ * 2));
    const float share = (height - low_) / range_;
    const float light = 1 + 14 * (slope_to(row - 1, column, height) + slope_to(row, column - 1, height));
    const Colour plain = share < 0.5F ? between(kMeadow, kRock, stepped(share * 2))
                                      : between(kRock, kSnow, stepped(share * 2 - 1));
    return between({}, plain, stepped(std::clamp(light, 0.6F, 1.4F) / 1.4F));
  }

 private:
  static constexpr Colour kUnknown{128, 128, 128}, kShallow{110, 180, 235}, kDeep{10, 45, 120},
      kMeadow{70, 130, 60}, kRock{175, 150, 105}, kSnow{250, 250, 250};

  float stepped(float share) const {
    const auto steps = static_cast<float>(shades_ - 1);
    return std::isfinite(share) ? std::round(std::clamp(share, 0.0F, 1.0F) * steps) / steps : 1;
  }

  /// How much the light's side is lower, in shares of all heights.
  float slope_to(int row, int column, float height) const {
    const float other = row < 0 || column < 0 ? height : map_.at(row, column);
    return std::isfinite(other) && std::isfinite(height) ? (height - other) / range_ : 0;
  }

  static Colour between(Colour from, Colour to, float share) {
    const auto mixed = [share](std::uint8_t a, std::uint8_t b) {
      return static_cast<std::uint8_t>(
          std::lround(static_cast<float>(a) * (1 - share) + static_cast<float>(b) * share));
    };
    return {mixed(from.red, to.red), mixed(from.green, to.green), mixed(from.blue, to.blue)};
  }

  const HeightMap& map_;
  float level_;
  int shades_;
  float low_ = std::numeric_limits<float>::infinity(), high_ = -low_, range_ = 1;
};

}  // namespace lockstep
