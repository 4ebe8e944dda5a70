// The picture of the study: the matrix with its frames ordered by cluster, and which cluster each frame of
// the trajectory is in.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string>
#include <vector>

#include "clusters.h"
#include "study/svg.h"

namespace lockstep {

struct Picture {
  std::string name;  ///< of the trajectory
  std::size_t atoms = 0, every = 1;
  float cutoff = 0;  ///< in ångström
  const CondensedMatrix& matrix;
  const std::vector<Cluster>& clusters;

  std::string svg() const;

 private:
  static constexpr std::size_t kMaxCells = 200;  ///< on a side; of more frames some share one
  static constexpr double kLeft = 104, kTop = 70, kSide = 560, kRight = kLeft + kSide, kBottom = kTop + kSide;

  /// Means of the distances, cell by cell, of frames ordered by cluster.
  std::vector<std::vector<double>> cells() const;
  void draw_map(study::Svg& svg, const std::vector<std::vector<double>>& cells, double most) const;
  void draw_scale(study::Svg& svg, double most) const;
  void draw_times(study::Svg& svg, double top) const;
  std::size_t rows() const { return std::min(clusters.size(), study::kGroupColours + 1); }
};

inline std::vector<std::vector<double>> Picture::cells() const {
  std::vector<std::size_t> order;
  for (const Cluster& cluster : clusters)
    order.insert(order.end(), cluster.frames.begin(), cluster.frames.end());
  const std::size_t count = std::min(order.size(), kMaxCells);
  const auto begin = [&](std::size_t cell) { return cell * order.size() / count; };
  std::vector<std::vector<double>> means(count, std::vector<double>(count, 0));
  for (std::size_t row = 0; row < count; ++row) {
    for (std::size_t column = row; column < count; ++column) {
      double sum = 0;
      std::size_t pairs = 0;
      for (std::size_t f = begin(row); f < begin(row + 1); ++f) {
        for (std::size_t g = std::max(begin(column), f + 1); g < begin(column + 1); ++g, ++pairs)
          sum += double{matrix.at(order[f], order[g])};
      }
      means[row][column] = pairs == 0 ? 0 : sum / static_cast<double>(pairs);
    }
  }
  return means;
}

inline void Picture::draw_map(study::Svg& svg, const std::vector<std::vector<double>>& cells,
                              double most) const {
  constexpr std::size_t kColours = 64;
  constexpr double kLast = kColours - 1;
  const std::size_t count = cells.size();
  // The part above the diagonal, and the same with rows and columns exchanged.
  std::vector<std::string> paths(kColours);
  const auto level = [&](std::size_t row, std::size_t column) {
    return static_cast<std::size_t>(std::lround(std::clamp(cells[row][column] / most, 0.0, 1.0) * kLast));
  };
  for (std::size_t row = 0; row < count; ++row) {
    for (std::size_t column = row; column < count;) {
      std::size_t end = column + 1;
      while (end < count && level(row, end) == level(row, column)) ++end;
      const std::string length = std::to_string(end - column);
      paths[level(row, column)] +=
          'M' + std::to_string(column) + ' ' + std::to_string(row) + 'h' + length + "v1h-" + length + 'z';
      column = end;
    }
  }
  const double scale = kSide / static_cast<double>(count);
  const std::string place =
      "translate(" + svg.at(kLeft) + ' ' + svg.at(kTop) + ") scale(" + std::to_string(scale) + ")";
  std::string half;
  for (std::size_t colour = 0; colour < kColours; ++colour) {
    if (paths[colour].empty()) continue;
    half += "<path fill=\"" + study::scale_colour(static_cast<double>(colour) / kLast) + "\" d=\"" +
            paths[colour] + "\"/>\n";
  }
  svg.add("<g shape-rendering=\"crispEdges\" transform=\"" + place + "\">\n<g id=\"study-half\">\n" + half +
          "</g>\n<use href=\"#study-half\" transform=\"matrix(0 1 1 0 0 0)\"/>\n</g>");

  constexpr double kStrip = 9, kGap = 4, kLetter = 13;
  double from = 0;
  for (std::size_t rank = 0; rank < clusters.size(); ++rank) {
    double length =
        kSide * static_cast<double>(clusters[rank].frames.size()) / static_cast<double>(matrix.frames);
    // Where clusters become thinner than a line, the rest is one strip.
    const bool is_rest = rank >= study::kGroupColours && length < 1;
    if (is_rest) length = kSide - from;
    const std::string colour = study::group_colour(rank);
    svg.rectangle(kLeft - kGap - kStrip, kTop + from, kStrip, length, colour);
    svg.rectangle(kLeft + from, kBottom + kGap, length, kStrip, colour);
    if (is_rest) break;
    if (length >= kLetter) {
      const double middle = from + length / 2;
      svg.text(kLeft - kGap - kStrip - 5, kTop + middle + 4.5, std::to_string(rank + 1), "end");
      svg.text(kLeft + middle, kBottom + kGap + kStrip + 14, std::to_string(rank + 1), "middle");
    }
    from += length;
    // Lines between clusters, as long as they do not cover what they separate.
    if (length >= kLetter && rank + 1 < clusters.size()) {
      svg.line(kLeft + from, kTop, kLeft + from, kBottom, "border");
      svg.line(kLeft, kTop + from, kRight, kTop + from, "border");
    }
  }
  svg.upright(kLeft - 58, kTop + kSide / 2, "frames, ordered by cluster and time", "middle");
  svg.text(kLeft + kSide / 2, kBottom + 48, "frames, ordered by cluster and time", "middle");
}

inline void Picture::draw_scale(study::Svg& svg, double most) const {
  constexpr double kX = kRight + 66, kWidth = 16;
  const auto height = [most](double value) { return kBottom - kSide * value / most; };
  svg.add(study::scale_gradient("study-scale"));
  svg.rectangle(kX, kTop, kWidth, kSide, "url(#study-scale)");
  for (const double mark : study::marks(0, most)) {
    svg.mark_right(kX + kWidth, height(mark), study::shown(mark));
  }
  if (double{cutoff} <= most) {
    svg.line(kX - 8, height(double{cutoff}), kX, height(double{cutoff}));
    svg.line(kX, height(double{cutoff}), kX + kWidth, height(double{cutoff}), "border");
    svg.text(kX - 12, height(double{cutoff}) + 4.5, "cutoff", "soft end");
  }
  svg.upright(kX + kWidth + 48, kTop + kSide / 2, "dRMSD (Å)", "middle");
}

/// A row for each of the largest clusters, and one for all others.
inline void Picture::draw_times(study::Svg& svg, double top) const {
  constexpr double kRow = 20, kBar = 14;
  constexpr std::size_t kMaxColumns = 560;
  const std::size_t columns = std::min(matrix.frames, kMaxColumns);
  const double width = kSide / static_cast<double>(columns);
  std::vector<std::vector<bool>> is_in(rows(), std::vector<bool>(columns, false));
  std::size_t other_frames = 0;
  for (std::size_t rank = 0; rank < clusters.size(); ++rank) {
    const std::size_t row = std::min(rank, study::kGroupColours);
    if (row == study::kGroupColours) other_frames += clusters[rank].frames.size();
    for (const std::size_t frame : clusters[rank].frames) is_in[row][frame * columns / matrix.frames] = true;
  }
  const auto times = [](std::size_t count, const std::string& what) {
    return std::to_string(count) + ' ' + what + (count == 1 ? "" : "s");
  };
  for (std::size_t row = 0; row < rows(); ++row) {
    const double y = top + kRow * static_cast<double>(row);
    for (std::size_t column = 0; column < columns;) {
      std::size_t end = column + 1;
      while (end < columns && is_in[row][end] == is_in[row][column]) ++end;
      if (is_in[row][column])
        svg.rectangle(kLeft + width * static_cast<double>(column), y,
                      width * static_cast<double>(end - column), kBar, study::group_colour(row));
      column = end;
    }
    const bool is_others = row == study::kGroupColours;
    svg.text(kLeft - 10, y + kBar - 2, is_others ? "others" : std::to_string(row + 1), "end");
    svg.text(kRight + 12, y + kBar - 2,
             is_others ? times(clusters.size() - row, "cluster") + ", " + times(other_frames, "frame")
                       : times(clusters[row].frames.size(), "frame") + ", centre " +
                             std::to_string(clusters[row].centre * every + 1),
             "soft");
  }
  const double bottom = top + kRow * static_cast<double>(rows());
  svg.line(kLeft, bottom, kRight, bottom);
  const auto last = static_cast<double>((matrix.frames - 1) * every + 1), stride = static_cast<double>(every);
  double marked = 0;
  for (double mark : study::marks(0, last)) {
    mark = std::max(1.0, std::round(mark));
    const double x = kLeft + kSide * ((mark - 1) / stride + 0.5) / static_cast<double>(matrix.frames);
    if (x > kRight || mark == marked) continue;  // few frames have fewer marks
    marked = mark;
    svg.mark_below(x, bottom, study::whole(mark));
  }
  const double middle = (top + bottom) / 2;
  svg.upright(kLeft - 58, middle, "cluster", "middle");
  svg.text(kLeft + kSide / 2, bottom + 38, "frame", "middle");
}

inline std::string Picture::svg() const {
  constexpr double kWidth = 860, kTimesTop = kBottom + 74, kMargin = 18;
  double most = 0;
  const std::vector<std::vector<double>> means = cells();
  for (const std::vector<double>& row : means)
    most = std::max(most, *std::max_element(row.begin(), row.end()));
  if (most == 0) most = 1;  // all frames are equal
  study::Svg svg(kWidth, kTimesTop + 20 * static_cast<double>(rows()) + 38 + kMargin,
                 "dRMSD between all frames of " + name + ", ordered by cluster");
  svg.text(kLeft, 30, name, "name");
  std::string what = std::to_string(matrix.frames) + " frames of " + std::to_string(atoms) + " atoms, " +
                     std::to_string(clusters.size()) + (clusters.size() == 1 ? " cluster" : " clusters") +
                     " within " + study::shown(double{cutoff}) + " Å of their centres";
  const double per_cell = static_cast<double>(matrix.frames) / static_cast<double>(means.size());
  if (means.size() < matrix.frames)
    what += "; a cell is a mean over " +
            (per_cell < 10 ? study::shown(per_cell, 2) : study::whole(per_cell)) + " frames either way";
  svg.text(kLeft, 52, what, "soft");
  draw_map(svg, means, most);
  draw_scale(svg, most);
  draw_times(svg, kTimesTop);
  return svg.finished();
}

}  // namespace lockstep
