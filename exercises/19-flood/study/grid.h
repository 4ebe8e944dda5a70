// Where the cells of a height map lie, in the units of its coordinates, and how large they are.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numbers>
#include <optional>
#include <stdexcept>
#include <string>

#include "study/text.h"

namespace lockstep::flood_study {

/// What cannot be read; the message begins with the file.
class MapError : public std::runtime_error {
 public:
  MapError(const std::string& file, const std::string& what) : std::runtime_error(file + ": " + what) {}
};

/// What is wrong where Grid::has_places() is false.
constexpr const char* kNoPlaces =
    "its cells are too large, too small or too far away for the numbers of a double";

/// Both count from 0, rows from the first of the file.
struct Cell {
  std::size_t row = 0, column = 0;
  auto operator<=>(const Cell&) const = default;
};

struct Grid {
  std::size_t rows = 0, columns = 0;
  double left = 0, top = 0;    ///< outer corner of the first cell
  double width = 1;            ///< of a cell, above 0
  double height = -1;          ///< from one row to the next: below 0 where the first row is the northern one
  bool is_geographic = false;  ///< coordinates are longitude and latitude in degrees
  std::string unit{};          ///< of the coordinates: m, °, or as the file calls it; empty where unknown

  double x(std::size_t column) const { return left + width * static_cast<double>(column); }
  double y(std::size_t row) const { return top + height * static_cast<double>(row); }
  bool is_edge(Cell cell) const {
    return cell.row == 0 || cell.row + 1 == rows || cell.column == 0 || cell.column + 1 == columns;
  }

  /// Whether its area is a number, and the edges of neighbouring cells are different ones.
  bool has_places() const {
    const double area = (x(columns) - left) * (y(rows) - top);
    return std::isfinite(area) && area != 0 && x(1) != left && x(columns - 1) != x(columns) && y(1) != top &&
           y(rows - 1) != y(rows);
  }
  /// Whether rows are latitudes, on which centres of cells may lie.
  bool is_on_earth() const {
    constexpr double kMaxLatitude = 90, kMaxCell = 10;
    const double beyond = kMaxLatitude + std::min(std::abs(height), kMaxCell);
    return std::abs(top) <= beyond && std::abs(y(rows)) <= beyond;
  }

  /// The cell that holds a point; nothing where the map does not.
  std::optional<Cell> cell_at(double at_x, double at_y) const {
    const auto place = [](double offset, double step, std::size_t count) -> std::optional<std::size_t> {
      const double cells = offset / step, last = static_cast<double>(count);
      if (!(cells >= 0 && cells <= last)) return std::nullopt;
      return std::min(static_cast<std::size_t>(cells), count - 1);
    };
    const auto row = place(at_y - top, height, rows), column = place(at_x - left, width, columns);
    if (!row || !column) return std::nullopt;
    return Cell{*row, *column};
  }

  /// Of each cell of a row: in squares of the unit, and in m² on the ellipsoid WGS 84 where coordinates are
  /// degrees.
  double cell_area(std::size_t row) const {
    if (!is_geographic) return std::abs(width * height);
    constexpr double kSemiMajorAxis = 6378137, kFlattening = 1 / 298.257223563,
                     kRadians = std::numbers::pi / 180;
    // Of the zone from the equator to a parallel, a² q(φ) / 2 for each radian of longitude: J. P. Snyder, Map
    // Projections, 1987, equation 3-12.
    const auto q = [&](std::size_t edge) {
      const double sine = std::sin(std::clamp(y(edge), -90.0, 90.0) * kRadians);
      const double squared = kFlattening * (2 - kFlattening), e = std::sqrt(squared);
      return (1 - squared) * (sine / (1 - squared * sine * sine) + std::atanh(e * sine) / e);
    };
    return kSemiMajorAxis * kSemiMajorAxis / 2 * width * kRadians * std::abs(q(row + 1) - q(row));
  }

  /// Of lengths whose squares areas are.
  std::string length_unit() const { return is_geographic ? "m" : unit; }
};

/// The unit of lengths under the name that people use.
inline std::string unit_called(const std::string& name) {
  const std::string known = study::in_lower_case(name);
  return known == "metre" || known == "meter" || known == "metres" || known == "meters" ? "m" : name;
}

/// An area (`power` 2) or a volume (3) with its unit, as people write it. Where no unit is known it is the
/// map's.
struct Amount {
  double factor = 1;
  std::string unit;
};

inline Amount amount(double largest, const std::string& unit, int power) {
  const std::string suffix = power == 2 ? "²" : "³";
  if (unit.empty()) return {1, power == 2 ? "square units of the map" : "cubic units of the map"};
  if (unit != "m") return {1, '(' + unit + ')' + suffix};
  if (power == 2) return largest >= 1e4 ? Amount{1e-6, "km²"} : Amount{1, "m²"};
  if (largest >= 1e9) return {1e-9, "km³"};
  return largest >= 1e4 ? Amount{1e-6, "million m³"} : Amount{1, "m³"};
}

}  // namespace lockstep::flood_study
