// Reads height maps from ESRI ASCII grids and PGM pictures, and draws them with the water that stands on
// them.
//
// Of a grid what heights need: its size, its values, and NODATA, which becomes NaN; where it lies is left
// out. Of a PGM the grey values, of 8 or 16 bits. Sources: ESRI, ASCII raster format; Netpbm, pgm(5) and
// ppm(5).
#pragma once

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <fstream>
#include <istream>
#include <limits>
#include <ostream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>
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

/// What cannot be read; the message begins with the file.
class HeightMapError : public std::runtime_error {
 public:
  HeightMapError(const std::string& file, const std::string& what) : std::runtime_error(file + ": " + what) {}
};

namespace detail {

/// A number that fills `text`; false when it does not.
template <class T>
bool parse(std::string_view text, T& value) {
  if (text.starts_with('+')) text.remove_prefix(1);
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size();
}

/// The sides as numbers, if a map of that size can be flooded.
inline HeightMap sized(long long rows, long long columns, const std::string& file) {
  if (rows < 1 || columns < 1 || rows > std::numeric_limits<int>::max() / columns) {
    throw HeightMapError(file, "a map of " + std::to_string(rows) + " rows and " + std::to_string(columns) +
                                   " columns is none, or too large");
  }
  HeightMap map;
  map.rows = static_cast<int>(rows);
  map.columns = static_cast<int>(columns);
  return map;
}

/// The next word of a PGM's text, past comments.
inline std::string pgm_word(std::istream& in) {
  std::string word;
  while (in >> word && word.starts_with('#')) in.ignore(std::numeric_limits<std::streamsize>::max(), '\n');
  return word;
}

inline void too_short(const HeightMap& map, const std::string& file) {
  throw HeightMapError(file, "it ends after " + std::to_string(map.heights.size()) + " of " +
                                 std::to_string(map.rows) + " x " + std::to_string(map.columns) + " values");
}

}  // namespace detail

inline HeightMap read_ascii_grid(std::istream& in, const std::string& file) {
  long long rows = 0, columns = 0;
  float nodata = -9999;  // where the file says nothing else
  std::string word;
  while (in >> word && std::isalpha(static_cast<unsigned char>(word.front())) != 0) {
    std::transform(word.begin(), word.end(), word.begin(), [](unsigned char c) { return std::tolower(c); });
    if (float height = 0; detail::parse(word, height)) break;  // nan or inf
    std::string value;
    in >> value;
    float number = 0;
    bool known = detail::parse(value, number);
    if (word == "nrows") known = detail::parse(value, rows);
    if (word == "ncols") known = detail::parse(value, columns);
    if (word == "nodata_value") nodata = number;
    if (!known) throw HeightMapError(file, "\"" + value + "\" is no value of " + word);
  }
  HeightMap map = detail::sized(rows, columns, file);
  const auto cells = static_cast<std::size_t>(rows * columns);
  for (; in && map.heights.size() < cells; in >> word) {
    float height = 0;
    if (!detail::parse(word, height)) throw HeightMapError(file, "\"" + word + "\" is no height");
    map.heights.push_back(height == nodata ? NAN : height);
  }
  if (map.heights.size() < cells) detail::too_short(map, file);
  if (in) throw HeightMapError(file, "there are more values than " + std::to_string(cells));
  return map;
}

inline HeightMap read_pgm(std::istream& in, const std::string& file) {
  const std::string magic = detail::pgm_word(in);
  if (magic != "P2" && magic != "P5") throw HeightMapError(file, "it does not begin with P2 or P5");
  long long rows = 0, columns = 0;
  int most = 0;
  if (!detail::parse(detail::pgm_word(in), columns) || !detail::parse(detail::pgm_word(in), rows) ||
      !detail::parse(detail::pgm_word(in), most) || most < 1 || most > 65535)
    throw HeightMapError(file,
                         "width, height and greatest value of a PGM are whole numbers, the last to 65535");
  HeightMap map = detail::sized(rows, columns, file);
  const auto cells = static_cast<std::size_t>(rows * columns);
  if (magic == "P5") in.get();  // one white space, then bytes
  while (map.heights.size() < cells) {
    int value = 0;
    if (magic == "P5") {
      for (int byte = 0; byte < (most > 255 ? 2 : 1); ++byte) value = value << 8 | (in.get() & 255);
      if (!in) detail::too_short(map, file);
    } else {
      const std::string word = detail::pgm_word(in);
      if (!in) detail::too_short(map, file);
      if (!detail::parse(word, value)) throw HeightMapError(file, "\"" + word + "\" is no grey value");
    }
    if (value < 0 || value > most)
      throw HeightMapError(file,
                           std::to_string(value) + " is beyond the greatest value, " + std::to_string(most));
    map.heights.push_back(static_cast<float>(value));
  }
  return map;
}

/// By the ending of its name. Throws HeightMapError, or std::runtime_error when there is nothing to read.
inline HeightMap read_height_map(const std::string& file) {
  std::ifstream in(file, std::ios::binary);
  if (!in) throw std::runtime_error(file + " cannot be opened");
  const bool is_pgm = file.ends_with(".pgm");
  if (!is_pgm && !file.ends_with(".asc"))
    throw std::runtime_error(file + " is neither an .asc nor a .pgm file, by its name");
  return is_pgm ? read_pgm(in, file) : read_ascii_grid(in, file);
}

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

/// The map as a PPM picture, with water where `mask` is not 0.
inline void write_ppm(std::ostream& out, const HeightMap& map, const std::vector<unsigned char>& mask,
                      float level) {
  const Shading shading(map, level);
  out << "P6\n" << map.columns << ' ' << map.rows << "\n255\n";
  std::size_t cell = 0;
  for (int row = 0; row < map.rows; ++row) {
    for (int column = 0; column < map.columns; ++column, ++cell) {
      const Colour colour = shading.of(row, column, mask[cell] != 0);
      for (const std::uint8_t part : {colour.red, colour.green, colour.blue})
        out.put(static_cast<char>(part));
    }
  }
}

}  // namespace lockstep
