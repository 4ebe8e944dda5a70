// The picture of the study: the land in relief, lit from the north-west, with the water on it; and of several
// levels how area and volume grow.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <map>
#include <numbers>
#include <string>
#include <utility>
#include <vector>

#include "grid.h"
#include "study/svg.h"
#include "summary.h"

namespace lockstep::flood_study {

/// Takes the rows of a map, from the first on. Of large maps neighbouring cells share a block of the picture.
class Picture {
 public:
  /// `shows_levels`: colours are those of the lowest level with water, not of the depth.
  Picture(std::string name, const Grid& grid, std::vector<float> levels, bool shows_levels,
          const std::vector<Cell>& sources);

  /// `counts`: at how many levels, the highest ones, the cells have water.
  void add_row(std::size_t row, const std::vector<float>& heights, const std::vector<unsigned char>& counts);
  std::string svg(const std::vector<WaterAtLevel>& table) const;

 private:
  static constexpr std::size_t kMaxBlocks = 200;  ///< on a side
  static constexpr double kSide = 600, kMinSide = 40, kLeft = 110, kTop = 70, kWidth = 880, kColumnGap = 34;

  struct Block {
    double heights = 0, depths = 0, counts = 0;  ///< sums, of depths and counts over cells with water
    std::size_t known = 0, water = 0;            ///< cells
    double height() const { return known == 0 ? NAN : heights / static_cast<double>(known); }
    bool is_water() const { return 2 * water >= known && water > 0; }
    double depth() const { return depths / static_cast<double>(water); }
    double count() const { return counts / static_cast<double>(water); }
  };

  const Block& at(std::size_t row, std::size_t column) const { return blocks_[row * columns_ + column]; }
  /// Place on the map of a row, northern ones first.
  std::size_t drawn_row(std::size_t row) const { return grid_.height < 0 ? row : grid_.rows - 1 - row; }
  double most_depth() const;
  /// From 0, the lowest level, to 1.
  double share_of(float level) const {
    const double low = double{levels_.front()}, high = double{levels_.back()};
    return high > low ? (double{level} - low) / (high - low) : 0;
  }
  std::vector<double> light() const;
  static std::string depth_colour(double share);
  std::string colour(const Block& block, double light, double most_depth) const;

  std::string subtitle(const std::vector<WaterAtLevel>& table) const;
  void draw_map(study::Svg& svg) const;
  void draw_axes(study::Svg& svg) const;
  void draw_sources(study::Svg& svg, double x, double y) const;
  double draw_legend(study::Svg& svg) const;
  double draw_length(study::Svg& svg, double x, double y) const;
  void draw_curve(study::Svg& svg, double left, double top, const std::vector<WaterAtLevel>& table,
                  bool is_volume) const;

  std::string name_;
  const Grid& grid_;
  std::vector<float> levels_;
  bool shows_levels_;
  std::vector<Cell> sources_;          ///< as many as can be marked
  std::size_t side_, rows_, columns_;  ///< cells of a block on a side; blocks
  double width_, height_;              ///< of the map in the picture
  std::vector<Block> blocks_;
};

inline Picture::Picture(std::string name, const Grid& grid, std::vector<float> levels, bool shows_levels,
                        const std::vector<Cell>& sources)
    : name_(std::move(name)), grid_(grid), levels_(std::move(levels)), shows_levels_(shows_levels) {
  constexpr std::size_t kMaxMarked = 20;
  if (sources.size() <= kMaxMarked) sources_ = sources;
  side_ = (std::max(grid.rows, grid.columns) - 1) / kMaxBlocks + 1;
  rows_ = (grid.rows - 1) / side_ + 1;
  columns_ = (grid.columns - 1) / side_ + 1;
  blocks_.resize(rows_ * columns_);
  // Degrees of longitude are shorter than those of latitude.
  const double middle = (grid.top + grid.y(grid.rows)) / 2 * std::numbers::pi / 180;
  const double narrowed = grid.is_geographic ? std::max(std::cos(middle), 0.1) : 1;
  const double wide = static_cast<double>(grid.columns) * grid.width * narrowed,
               high = static_cast<double>(grid.rows) * std::abs(grid.height), larger = std::max(wide, high);
  // Whole pixels for a block where that takes little.
  const double blocks =
      static_cast<double>(wide >= high ? grid.columns : grid.rows) / static_cast<double>(side_);
  const double side = blocks * std::max(1.0, std::floor(kSide / blocks));
  width_ = std::max(kMinSide, side * wide / larger);
  height_ = std::max(kMinSide, side * high / larger);
}

inline void Picture::add_row(std::size_t row, const std::vector<float>& heights,
                             const std::vector<unsigned char>& counts) {
  Block* blocks = &blocks_[drawn_row(row) / side_ * columns_];
  for (std::size_t column = 0; column < heights.size(); ++column) {
    if (!std::isfinite(heights[column])) continue;
    Block& block = blocks[column / side_];
    block.heights += double{heights[column]};
    ++block.known;
    if (counts[column] == 0) continue;
    block.depths += double{levels_.back()} - double{heights[column]};
    block.counts += counts[column];
    ++block.water;
  }
}

inline double Picture::most_depth() const {
  double most = 0;
  for (const Block& block : blocks_)
    if (block.is_water()) most = std::max(most, block.depth());
  return most > 0 ? most : 1;
}

/// From -1, in the shade, to 1 for each block: the slope towards the north-west, compared with those of the
/// map.
inline std::vector<double> Picture::light() const {
  constexpr double kSteep = 1.6;  // times the mean slope
  std::vector<double> slopes(blocks_.size(), 0);
  double squares = 0;
  // Sides of a block in the picture are in proportion to those on the land.
  const double across = width_ / static_cast<double>(columns_), down = height_ / static_cast<double>(rows_);
  for (std::size_t row = 0; row < rows_; ++row) {
    for (std::size_t column = 0; column < columns_; ++column) {
      const double here = at(row, column).height();
      const auto rise = [&](const Block& from, const Block& to, std::size_t steps) {
        const double a = std::isnan(from.height()) ? here : from.height(),
                     b = std::isnan(to.height()) ? here : to.height();
        return steps == 0 ? 0 : (b - a) / static_cast<double>(steps);
      };
      const std::size_t west = column - (column > 0 ? 1 : 0), east = std::min(column + 1, columns_ - 1),
                        north = row - (row > 0 ? 1 : 0), south = std::min(row + 1, rows_ - 1);
      const double slope = rise(at(row, west), at(row, east), east - west) / across +
                           rise(at(north, column), at(south, column), south - north) / down;
      if (std::isnan(slope)) continue;
      slopes[row * columns_ + column] = slope;
      squares += slope * slope;
    }
  }
  const double mean = std::sqrt(squares / static_cast<double>(blocks_.size()));
  for (double& slope : slopes) slope = mean > 0 ? std::clamp(slope / (kSteep * mean), -1.0, 1.0) : 0;
  return slopes;
}

inline std::string Picture::depth_colour(double share) {
  return study::mixed({150, 205, 242}, {10, 52, 122}, share);
}

/// Empty where nothing is known.
inline std::string Picture::colour(const Block& block, double light, double most_depth) const {
  constexpr double kDepths = 12, kGreys = 12;
  if (block.known == 0) return "";
  if (block.is_water() && !shows_levels_)
    return depth_colour(std::round(block.depth() / most_depth * kDepths) / kDepths);
  if (block.is_water()) {
    const auto count = static_cast<std::size_t>(std::lround(block.count()));
    return study::scale_colour(share_of(levels_[levels_.size() - count]));
  }
  return study::mixed({132, 132, 132}, {246, 246, 246}, std::round((light + 1) / 2 * kGreys) / kGreys);
}

/// A path for each colour, with a stroke for each run of blocks that have it.
inline void Picture::draw_map(study::Svg& svg) const {
  struct Path {
    std::string text;
    std::size_t row = 0, column = 0;  ///< where the last stroke ends
  };
  const std::vector<double> light = this->light();
  const double most = most_depth();
  std::map<std::string, Path> paths;
  for (std::size_t row = 0; row < rows_; ++row) {
    const auto colour_at = [&](std::size_t column) {
      return colour(at(row, column), light[row * columns_ + column], most);
    };
    std::string next = colour_at(0);
    for (std::size_t column = 0; column < columns_;) {
      const std::string of_run = next;
      std::size_t end = column + 1;
      while (end < columns_ && (next = colour_at(end)) == of_run) ++end;
      if (!of_run.empty()) {
        Path& path = paths[of_run];
        if (path.text.empty() || path.row != row)
          path.text += 'M' + std::to_string(column) + ' ' + std::to_string(row);
        else
          path.text += 'm' + std::to_string(column - path.column) + " 0";
        path.text += 'h' + std::to_string(end - column);
        path.row = row;
        path.column = end;
      }
      column = end;
    }
  }
  const auto cells = [this](std::size_t count) {
    return study::Svg::at(static_cast<double>(count) / static_cast<double>(side_));
  };
  svg.add("<svg x=\"" + svg.at(kLeft) + "\" y=\"" + svg.at(kTop) + "\" width=\"" + svg.at(width_) +
          "\" height=\"" + svg.at(height_) + "\" viewBox=\"0 -0.5 " + cells(grid_.columns) + ' ' +
          cells(grid_.rows) + "\" preserveAspectRatio=\"none\" shape-rendering=\"crispEdges\">");
  for (const auto& [colour, path] : paths)
    svg.add("<path stroke=\"" + colour + "\" d=\"" + path.text + "\"/>");
  svg.add("</svg>");
}

inline void Picture::draw_axes(study::Svg& svg) const {
  const double bottom = kTop + height_;
  svg.frame(kLeft, kTop, width_, height_);
  const double low = std::min(grid_.top, grid_.y(grid_.rows)),
               high = std::max(grid_.top, grid_.y(grid_.rows)), west = grid_.left,
               east = grid_.x(grid_.columns);
  const auto few = [](double length) { return std::clamp(static_cast<int>(length / 100), 1, 5); };
  for (const double mark : study::marks(west, east, few(width_))) {
    const double x = kLeft + width_ * (mark - west) / (east - west);
    svg.mark_below(x, bottom, study::shown(mark, 10));
  }
  for (const double mark : study::marks(low, high, few(height_))) {
    const double y = bottom - height_ * (mark - low) / (high - low);
    svg.mark_left(kLeft, y, study::shown(mark, 10));
  }
  const std::string unit = grid_.unit.empty() ? "" : " (" + grid_.unit + ')';
  svg.text(kLeft + width_ / 2, bottom + 41, (grid_.is_geographic ? "longitude" : "x") + unit, "middle");
  svg.upright(kLeft - 82, kTop + height_ / 2, (grid_.is_geographic ? "latitude" : "y") + unit, "middle");
}

inline void Picture::draw_sources(study::Svg& svg, double x, double y) const {
  svg.add(svg.dot(x, y, 4.5, " fill=\"#d55e00\" stroke=\"#ffffff\" stroke-width=\"1.5\""));
}

/// Returns where it ends below.
inline double Picture::draw_legend(study::Svg& svg) const {
  constexpr double kBar = 16, kLine = 24;
  const double x = kLeft + width_ + kColumnGap, length = std::clamp(height_ - 130, 120.0, 260.0),
               top = kTop + 26, bottom = top + length;
  const std::string unit = grid_.length_unit() == "m" ? " (m)" : "";
  const double low = shows_levels_ ? double{levels_.front()} : 0,
               high = shows_levels_ ? double{levels_.back()} : most_depth();
  svg.text(x, kTop + 10, (shows_levels_ ? "floods at level" : "depth of water") + unit);
  const auto place = [&](double value) {
    const double share = high > low ? (value - low) / (high - low) : 0;
    return shows_levels_ ? bottom - length * share : top + length * share;
  };
  constexpr int kSteps = 12;
  if (!shows_levels_) {
    for (int step = 0; step < kSteps; ++step)
      svg.rectangle(x, top + length * step / kSteps, kBar, length / kSteps + 0.5,
                    depth_colour((step + 0.5) / kSteps));
  } else if (levels_.size() > 1) {
    for (std::size_t i = 0; i < levels_.size(); ++i) {  // each with half of what lies between it and the next
      const double from = i == 0 ? low : (double{levels_[i - 1]} + double{levels_[i]}) / 2,
                   to = i + 1 == levels_.size() ? high : (double{levels_[i]} + double{levels_[i + 1]}) / 2;
      svg.rectangle(x, place(to), kBar, place(from) - place(to), study::scale_colour(share_of(levels_[i])));
    }
  } else {
    svg.rectangle(x, top, kBar, length, study::scale_colour(0));
  }
  for (const double mark : study::marks(low, high)) {
    svg.mark_right(x + kBar, place(mark), study::shown(mark, 10));
  }
  double y = bottom + 34;
  const auto swatch = [&](const std::string& colour, const std::string& meaning) {
    svg.rectangle(x, y - 11, kBar, 14, colour);
    if (colour == "none") svg.frame(x, y - 11, kBar, 14);
    svg.text(x + kBar + 9, y, meaning);
    y += kLine;
  };
  swatch("#c8c8c8", "dry");
  const bool has_unknown =
      std::any_of(blocks_.begin(), blocks_.end(), [](const Block& block) { return block.known == 0; });
  if (has_unknown) swatch("none", "no data");
  if (!sources_.empty()) {
    draw_sources(svg, x + kBar / 2, y - 4.5);
    svg.text(x + kBar + 9, y, sources_.size() == 1 ? "source" : "sources");
    y += kLine;
  }
  return draw_length(svg, x, y + 6);
}

/// A bar of a round length on the ground. Returns where it ends below.
inline double Picture::draw_length(study::Svg& svg, double x, double y) const {
  constexpr double kMetresPerDegree = 6371007.181 * std::numbers::pi / 180;
  const double high = static_cast<double>(grid_.rows) * std::abs(grid_.height) *
                      (grid_.is_geographic ? kMetresPerDegree : 1),
               pixel = high / height_;
  const double power = std::pow(10.0, std::floor(std::log10(120 * pixel)));
  double length = power;
  for (const double factor : {2.0, 5.0})
    if (factor * power <= 120 * pixel) length = factor * power;
  std::string words = study::shown(length, 10);
  if (grid_.length_unit() == "m")
    words = length >= 1000 ? study::shown(length / 1000, 10) + " km" : words + " m";
  else if (!grid_.unit.empty())
    words += ' ' + grid_.unit;
  const double end = x + length / pixel;
  svg.add("<path class=\"edge\" d=\"M" + svg.at(x) + ' ' + svg.at(y - 5) + "v5H" + svg.at(end) + "v-5\"/>");
  svg.text(x, y + 17, words);
  return y + 24;
}

inline void Picture::draw_curve(study::Svg& svg, double left, double top,
                                const std::vector<WaterAtLevel>& table, bool is_volume) const {
  constexpr double kLength = 280, kHigh = 150;
  const auto value = [is_volume](const WaterAtLevel& row) { return is_volume ? row.volume : row.area; };
  const Amount unit = amount(value(table.back()), grid_.length_unit(), is_volume ? 3 : 2);
  const double most =
      value(table.back()) > 0 && std::isfinite(value(table.back())) ? value(table.back()) * unit.factor : 1;
  const double low = double{levels_.front()}, high = double{levels_.back()}, bottom = top + kHigh;
  const auto x = [&](double level) { return left + kLength * (level - low) / (high - low); };
  const auto y = [&](double amount) { return bottom - kHigh * std::min(amount / most, 1.0); };
  for (const double mark : study::marks(0, most, 4)) {
    svg.mark_left(left, y(mark), study::shown(mark, 6));
  }
  for (const double mark : study::marks(low, high, 5)) {
    svg.mark_below(x(mark), bottom, study::shown(mark, 10));
  }
  svg.line(left, top, left, bottom);
  svg.line(left, bottom, left + kLength, bottom);
  std::string path;
  for (const WaterAtLevel& row : table)
    path +=
        (path.empty() ? 'M' : 'L') + svg.at(x(double{row.level})) + ' ' + svg.at(y(value(row) * unit.factor));
  svg.add("<path class=\"edge\" d=\"" + path + "\"/>");
  for (const WaterAtLevel& row : table)
    svg.add(svg.dot(x(double{row.level}), y(value(row) * unit.factor), 4,
                    " fill=\"" + study::scale_colour(share_of(row.level)) +
                        "\" stroke=\"#8a8f94\" stroke-width=\"0.8\""));
  svg.text(left + kLength / 2, bottom + 41, grid_.length_unit() == "m" ? "level (m)" : "level", "middle");
  svg.upright(left - 62, top + kHigh / 2, (is_volume ? "volume (" : "area (") + unit.unit + ')', "middle");
}

inline std::string Picture::subtitle(const std::vector<WaterAtLevel>& table) const {
  const WaterAtLevel& last = table.back();
  const Amount area = amount(last.area, grid_.length_unit(), 2),
               volume = amount(last.volume, grid_.length_unit(), 3);
  std::string text = "water up to " + study::shown(double{last.level}, 7) +
                     (grid_.length_unit() == "m" ? " m: " : ": ") + study::shown(last.area * area.factor, 4) +
                     ' ' + area.unit + ", " + study::shown(last.volume * volume.factor, 4) + ' ' +
                     volume.unit;
  if (side_ > 1) text += "; a block is " + std::to_string(side_) + " × " + std::to_string(side_) + " cells";
  return text;
}

inline std::string Picture::svg(const std::vector<WaterAtLevel>& table) const {
  constexpr double kCurves = 250, kMargin = 20;
  const bool has_curves = shows_levels_ && table.size() > 1;
  // The legend says how long it is.
  study::Svg measure(kWidth, kSide, "");
  const double bottom = std::max(kTop + height_ + 48, draw_legend(measure));
  study::Svg svg(kWidth, bottom + kMargin + (has_curves ? kCurves : 0), "Water on " + name_);
  svg.text(kLeft, 30, name_, "name");
  svg.text(kLeft, 52, subtitle(table), "soft");
  draw_map(svg);
  draw_axes(svg);
  for (const Cell& source : sources_)
    draw_sources(
        svg, kLeft + width_ * (static_cast<double>(source.column) + 0.5) / static_cast<double>(grid_.columns),
        kTop +
            height_ * (static_cast<double>(drawn_row(source.row)) + 0.5) / static_cast<double>(grid_.rows));
  draw_legend(svg);
  if (has_curves) {
    draw_curve(svg, kLeft, bottom + 30, table, false);
    draw_curve(svg, kLeft + 420, bottom + 30, table, true);
  }
  return svg.finished();
}

}  // namespace lockstep::flood_study
