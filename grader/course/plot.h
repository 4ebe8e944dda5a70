// A plot of points and curves as a self-contained SVG document: what exercises draw for `grade --show`.
#pragma once

#include <string>
#include <vector>

namespace lockstep::course {

struct PlotPoint {
  double x = 0, y = 0;
  double error = 0;  ///< of y, either way; drawn when it is not 0
};

struct PlotSeries {
  std::string name;
  std::vector<PlotPoint> points;
  bool is_curve = false;  ///< a line through the points instead of marks
};

struct PlotAxis {
  std::string label;
  bool is_logarithmic = false;
};

struct Plot {
  std::string title;
  PlotAxis x, y;
  std::vector<PlotSeries> series;
};

/// Leaves out what has no place: what is not finite, and what is not positive on a logarithmic axis. Throws
/// std::runtime_error when nothing is left. Readable on a light and on a dark page.
std::string plot_svg(const Plot& plot);

}  // namespace lockstep::course
