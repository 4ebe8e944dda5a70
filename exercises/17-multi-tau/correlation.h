// Correlation curves as correlators in the field print them, and the fit of free diffusion to such a curve.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <span>
#include <vector>

namespace lockstep {

struct CorrelationPoint {
  double delay = 0;  ///< instants
  double value = 0;  ///< 0 where counts so far apart know nothing of each other
};

/// The averaged convention: levels of half the resolution each, made by averaging two neighbours, with
/// `channels` delays in the first level and the upper half of as many in every other; of fluctuations about
/// the mean, divided by mean² and by the number of products. `channels` is even. Source: T. Wohland, R.
/// Rigler, H. Vogel, Biophysical Journal 80(6), 2001; the order of levels and delays is that of the Python
/// package multipletau.
inline std::vector<CorrelationPoint> averaged_correlation(std::span<const unsigned char> counts,
                                                          std::size_t channels) {
  std::vector<double> trace(counts.begin(), counts.end());
  double mean = 0;
  for (const double count : trace) mean += count;
  mean /= static_cast<double>(trace.size());
  for (double& count : trace) count -= mean;
  std::vector<CorrelationPoint> points;
  std::size_t first = 0;
  for (double width = 1; trace.size() > channels; width *= 2) {
    for (std::size_t delay = first; delay <= channels; ++delay) {
      double sum = 0;
      const std::size_t products = trace.size() - delay;
      for (std::size_t i = 0; i < products; ++i) sum += trace[i] * trace[i + delay];
      points.push_back(
          {static_cast<double>(delay) * width, sum / (mean * mean * static_cast<double>(products))});
    }
    for (std::size_t i = 0; i < trace.size() / 2; ++i) trace[i] = (trace[2 * i] + trace[2 * i + 1]) / 2;
    trace.resize(trace.size() / 2);
    first = channels / 2 + 1;
  }
  return points;
}

/// amplitude / ((1 + t/diffusion_time) √(1 + shape · t/diffusion_time)) + offset
struct DiffusionCurve {
  double amplitude = 0, diffusion_time = 0, offset = 0;
  double shape = 0;  ///< κ² of the focus

  double at(double delay) const { return amplitude * decay(delay) + offset; }
  double decay(double delay) const {
    const double times = delay / diffusion_time;
    return 1 / ((1 + times) * std::sqrt(1 + shape * times));
  }
};

/// Diffusion times that fit_diffusion() looks for, in instants.
inline constexpr double kShortestDiffusion = 0.5, kLongestDiffusion = 1e5;

/// Whether a diffusion time that was fitted is a minimum, not where the search ends.
inline bool was_searched(double diffusion_time) {
  return diffusion_time >= kShortestDiffusion && diffusion_time <= kLongestDiffusion;
}

/// The curve of free diffusion that lies nearest to the points by least squares. Delay 0, which also holds
/// the photons' own noise, is left out. Where no time that was_searched() is the best, its time lies outside.
inline DiffusionCurve fit_diffusion(std::span<const CorrelationPoint> points, double shape) {
  // For each diffusion time the best amplitude and offset follow from linear equations.
  const auto best_for = [&](double diffusion_time, double& error) {
    DiffusionCurve curve{.diffusion_time = diffusion_time, .shape = shape};
    double n = 0, sum_x = 0, sum_y = 0, sum_xx = 0, sum_xy = 0;
    for (const CorrelationPoint& point : points) {
      if (point.delay == 0) continue;
      const double x = curve.decay(point.delay);
      n += 1, sum_x += x, sum_y += point.value, sum_xx += x * x, sum_xy += x * point.value;
    }
    curve.amplitude = (n * sum_xy - sum_x * sum_y) / (n * sum_xx - sum_x * sum_x);
    curve.offset = (sum_y - curve.amplitude * sum_x) / n;
    error = 0;
    for (const CorrelationPoint& point : points) {
      const double distance = point.delay == 0 ? 0 : point.value - curve.at(point.delay);
      error += distance * distance;
    }
    return curve;
  };
  // A coarse look, so that no valley beside the deepest is taken, then thirds of what is left.
  constexpr double kStep = 1.25, kFirst = kShortestDiffusion / kStep, kLast = kLongestDiffusion * kStep;
  double middle = kFirst, least = std::numeric_limits<double>::infinity(), error = 0;
  for (double time = kFirst; time < kLast; time *= kStep) {
    best_for(time, error);
    if (error < least) least = error, middle = time;
  }
  double low = middle / kStep, high = middle * kStep;
  for (int i = 0; i < 60; ++i) {
    const double left = low + (high - low) / 3, right = high - (high - low) / 3;
    double error_left = 0, error_right = 0;
    best_for(left, error_left);
    best_for(right, error_right);
    (error_left < error_right ? high : low) = error_left < error_right ? right : left;
  }
  return best_for((low + high) / 2, error);
}

}  // namespace lockstep
