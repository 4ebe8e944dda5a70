// What is under water at each level: cells, area and volume; and what else is said of a flooded map.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <ostream>
#include <stdexcept>
#include <string>
#include <vector>

#include "grid.h"
#include "height_file.h"
#include "levels.h"

namespace lockstep::flood_study {

struct WaterAtLevel {
  float level = 0;
  std::uint64_t cells = 0;
  double area = 0, volume = 0;  ///< in units of Grid::length_unit(), squared, and times that of heights
};

/// Takes the rows of a map, from the first on.
class Summary {
 public:
  /// `sources` in ascending order.
  Summary(const Grid& grid, std::vector<float> levels, std::vector<Cell> sources)
      : grid_(grid), levels_(std::move(levels)), sources_(std::move(sources)), sums_(levels_.size() + 1) {}

  /// `counts`: at how many levels, the highest ones, the cells have water. Throws std::runtime_error where
  /// there is water on a cell that is not below the level.
  void add_row(std::size_t row, const std::vector<float>& heights, const std::vector<unsigned char>& counts) {
    const double area = grid_.cell_area(row);
    for (std::size_t column = 0; column < heights.size(); ++column) {
      const float height = heights[column];
      if (std::isnan(height)) ++unknown_;
      lowest_ = std::min(lowest_, height);  // which NaN is not
      highest_ = std::max(highest_, height);
      const std::size_t count = counts[column];
      if (count == 0) continue;
      if (count > wet_count(levels_, height))
        throw std::runtime_error(
            "flood left water on a cell that is not below the level: see ./lockstep grade flood");
      Sum& sum = sums_[count];
      ++sum.cells;
      sum.area += area;
      sum.volume += (double{levels_[levels_.size() - count]} - double{height}) * area;
      if (grid_.is_edge({row, column})) ++edge_;
    }
    count_beside_unknown(heights, counts);
    for (; next_source_ < sources_.size() && sources_[next_source_].row == row; ++next_source_)
      lowest_source_ = std::min(lowest_source_, heights[sources_[next_source_].column]);
  }

  /// A row for each level, rising.
  std::vector<WaterAtLevel> table() const {
    std::vector<WaterAtLevel> rows;
    WaterAtLevel below{};
    for (std::size_t i = 0; i < levels_.size(); ++i) {
      const Sum& sum = sums_[levels_.size() - i];
      // What had water at the level before is deeper by the difference. No term is negative.
      const double rise = i == 0 ? 0 : double{levels_[i]} - double{levels_[i - 1]};
      below = {levels_[i], below.cells + sum.cells, below.area + sum.area,
               below.volume + below.area * rise + sum.volume};
      rows.push_back(below);
    }
    return rows;
  }

  float lowest() const { return lowest_; }  ///< height; infinity where none is known
  float highest() const { return highest_; }
  std::uint64_t unknown() const { return unknown_; }
  std::uint64_t edge() const { return edge_; }  ///< cells of the map's edge that have water
  /// Cells that have water and share a side with one of which nothing is known.
  std::uint64_t beside_unknown() const { return beside_unknown_; }
  /// Height of the lowest source; infinity where none is known.
  float lowest_source() const { return lowest_source_; }

 private:
  /// Of the cells that have water at so many levels, and depths at the lowest of these.
  struct Sum {
    std::uint64_t cells = 0;
    double area = 0, volume = 0;
  };
  enum class Kind : unsigned char { kUnknown, kDry, kWater, kCounted };

  /// Of the row that is added.
  void count_beside_unknown(const std::vector<float>& heights, const std::vector<unsigned char>& counts) {
    const auto count = [this](Kind& water, Kind beside) {
      if (water != Kind::kWater || beside != Kind::kUnknown) return;
      water = Kind::kCounted;
      ++beside_unknown_;
    };
    std::vector<Kind> kinds(heights.size());
    for (std::size_t column = 0; column < kinds.size(); ++column) {
      Kind& kind = kinds[column];
      kind = std::isnan(heights[column]) ? Kind::kUnknown : counts[column] == 0 ? Kind::kDry : Kind::kWater;
      if (!kinds_above_.empty()) {
        count(kind, kinds_above_[column]);
        count(kinds_above_[column], kind);
      }
      if (column == 0) continue;
      count(kind, kinds[column - 1]);
      count(kinds[column - 1], kind);
    }
    kinds_above_ = std::move(kinds);
  }

  static constexpr float kInfinity = std::numeric_limits<float>::infinity();

  const Grid& grid_;
  std::vector<float> levels_;
  std::vector<Cell> sources_;
  std::size_t next_source_ = 0;
  std::vector<Sum> sums_;  ///< by the count
  float lowest_ = kInfinity, highest_ = -kInfinity, lowest_source_ = kInfinity;
  std::uint64_t unknown_ = 0, edge_ = 0, beside_unknown_ = 0;
  std::vector<Kind> kinds_above_;
};

inline void write_table(std::ostream& out, const std::vector<WaterAtLevel>& table, const std::string& unit) {
  const std::string shown = unit.empty() ? "map unit" : unit;
  out << "level,cells,area,volume,unit_of_length\n";
  char numbers[96];
  for (const WaterAtLevel& row : table) {
    std::snprintf(numbers, sizeof numbers, "%llu,%.15g,%.15g,", static_cast<unsigned long long>(row.cells),
                  row.area, row.volume);
    out << detail::plain(row.level) << ',' << numbers;
    // As CSV quotes (RFC 4180); units are names of files of others.
    std::string quoted_unit = "\"";
    for (const char c : shown) quoted_unit += c == '"' ? std::string("\"\"") : std::string{c};
    out << (shown.find_first_of(",\"\r\n") == std::string::npos ? shown : quoted_unit + '"') << '\n';
  }
}

}  // namespace lockstep::flood_study
