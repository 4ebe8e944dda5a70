// The picture of the study: the correlation with its errors, how these go together, and the regions.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <string>
#include <vector>

#include "18-tpacf/catalogues.h"
#include "errors.h"
#include "regions.h"
#include "study/svg.h"

namespace lockstep::angular {

/// Bin k begins at first · 10^(k / per_decade) degrees.
struct AngularBins {
  double first = 0;
  int per_decade = 1, bins = 1;

  double edge(double k) const { return first * std::pow(10.0, k / per_decade); }
  /// Where an angle lies, in bins from the first edge.
  double place(double degrees) const { return per_decade * std::log10(degrees / first); }
};

/// An angle as astronomers write it: 36″, 5′ or 2°.
inline std::string angle_shown(double degrees) {
  if (degrees < 0.999 / 60) return study::shown(degrees * 3600) + "″";
  if (degrees < 0.999) return study::shown(degrees * 60) + "′";
  return study::shown(degrees) + "°";
}

struct Picture {
  std::string name;  ///< of the galaxies' file
  AngularBins bins{};
  const Survey& survey;
  const Correlation& w;
  const Covariances& covariances;
  const Regions& regions;
  const std::vector<SkyPoint>& galaxies;
  std::size_t resamples = 0;

  std::string svg() const;

 private:
  static constexpr double kLeft = 78, kTop = 84, kRight = 560, kBottom = 640;
  static constexpr double kMapLeft = 672, kMapSide = 232, kMapRight = kMapLeft + kMapSide;
  static constexpr double kMapBottom = kTop + kMapSide;
  static constexpr double kSkyTop = 420, kSkyBottom = kBottom, kWidth = 1000, kHeight = 704;

  /// Marks of angles between two places, with at least `gap` points between them.
  std::vector<double> angles(double points_per_bin, double gap) const;
  std::size_t count() const { return static_cast<std::size_t>(bins.bins); }
  void draw_correlation(study::Svg& svg) const;
  void draw_matrix(study::Svg& svg) const;
  void draw_sky(study::Svg& svg) const;
};

namespace detail {

/// Linear from −`linear` to `linear`, logarithmic beyond; 1 is the length of the linear part, and of a
/// decade.
struct SymmetricLog {
  double linear = 0.01, low = -1, high = 1;  ///< the last two by place()

  double place(double value) const {
    const double size = std::abs(value) / linear;
    return std::copysign(size <= 1 ? size : 1 + std::log10(size), value);
  }
  double share(double value) const { return (place(value) - low) / (high - low); }
};

/// From blue over white, which is 0, to orange: two colours that the colour-blind tell apart.
inline std::string colour_of_correlation(double value) {
  constexpr study::Colour kNegative{0, 114, 178}, kNone{247, 247, 247}, kPositive{213, 94, 0};
  return study::mixed(kNone, value < 0 ? kNegative : kPositive, std::abs(value));
}

}  // namespace detail

inline std::vector<double> Picture::angles(double points_per_bin, double gap) const {
  constexpr std::array kAngles{3.0 / 3600, 10.0 / 3600, 30.0 / 3600, 1.0 / 60, 3.0 / 60, 10.0 / 60,
                               30.0 / 60,  1.0,         3.0,         10.0,     30.0,     100.0};
  std::vector<double> marks;
  double last = -gap;
  for (const double angle : kAngles) {
    const double place = bins.place(angle);
    if (place < -1e-9 || place > bins.bins + 1e-9 || (place * points_per_bin) - last < gap) continue;
    marks.push_back(angle);
    last = place * points_per_bin;
  }
  return marks;
}

inline void Picture::draw_correlation(study::Svg& svg) const {
  struct Bar {
    const char* label;
    double width;  ///< of the label with what stands before it
    std::size_t colour;
    double shift;
    double (*error)(const Picture&, std::size_t);
  };
  static constexpr std::array<Bar, 4> kBars{{
      {"jackknife", 96, 0, 0,
       [](const Picture& p, std::size_t k) { return p.covariances.jackknife_error(k); }},
      {"jackknife, corrected", 156, 2, 1,
       [](const Picture& p, std::size_t k) { return p.covariances.corrected_error(k); }},
      {"bootstrap", 98, 5, 2,
       [](const Picture& p, std::size_t k) { return p.covariances.bootstrap_error(k); }},
      // The colour behind those of groups is grey.
      {"Poisson", 0, study::kGroupColours, -1,
       [](const Picture& p, std::size_t k) { return poisson_error(p.w[k], p.survey.data_pairs(k)); }},
  }};
  // The scale: linear up to the power of ten below the median error of the jackknife. It holds all points;
  // bars of positive ones that go far below 0 end at its border, as they would take most of a logarithmic
  // scale.
  std::vector<double> errors;
  double low = 0, high = 0;
  for (std::size_t k = 0; k < count(); ++k) {
    if (std::isnan(w[k])) continue;
    const double error = covariances.jackknife_error(k), reach = error > 0 ? error : 0;
    low = std::min(low, w[k] < 0 ? w[k] - reach : 0);
    high = std::max(high, w[k] + reach);
    if (error > 0) errors.push_back(error);
  }
  std::sort(errors.begin(), errors.end());
  const double usual = errors.empty() ? 0.1 : std::clamp(errors[errors.size() / 2], 1e-5, 0.9);
  detail::SymmetricLog scale{.linear = std::pow(10.0, std::floor(std::log10(usual) + 1e-9))};
  scale.low = std::min(scale.place(low), -1.0) - 0.12;
  scale.high = std::max(scale.place(high), 1.0) + 0.12;
  const auto y = [&](double value) { return kBottom - (kBottom - kTop) * scale.share(value); };
  const double per_bin = (kRight - kLeft) / bins.bins;
  const auto x = [&](double place) { return kLeft + per_bin * place; };

  const auto mark = [&](double value) {
    if (y(value) < kTop || y(value) > kBottom) return;
    svg.mark_left(kLeft, y(value), study::shown(value));
  };
  mark(0);
  for (double value = scale.linear; scale.place(value) < scale.high; value *= 10) mark(value);
  for (double value = scale.linear; - scale.place(value) > scale.low; value *= 10) mark(-value);
  for (const double angle : angles(per_bin, 34)) {
    const double at = x(bins.place(angle));
    svg.mark_below(at, kBottom, angle_shown(angle));
  }
  svg.dashed(kLeft, kRight, y(0));
  svg.frame(kLeft, kTop, kRight - kLeft, kBottom - kTop);

  const double step = std::min(7.0, per_bin / 5), cap = std::min(3.0, per_bin / 10);
  for (const Bar& bar : kBars) {
    std::string path;
    for (std::size_t k = 0; k < count(); ++k) {
      const double error = bar.error(*this, k);
      if (!(error > 0) || std::isnan(w[k])) continue;
      const double at = x(static_cast<double>(k) + 0.5) + bar.shift * step;
      const double top = y(w[k] + error), bottom = y(w[k] - error);
      path += 'M' + svg.at(at) + ' ' + svg.at(std::max(top, kTop)) + 'V' + svg.at(std::min(bottom, kBottom));
      for (const double end : {top, bottom})
        if (end >= kTop && end <= kBottom)
          path += 'M' + svg.at(at - cap) + ' ' + svg.at(end) + 'H' + svg.at(at + cap);
    }
    svg.add("<path fill=\"none\" stroke-width=\"1.6\" stroke=\"" + study::group_colour(bar.colour) +
            "\" d=\"" + path + "\"/>");
  }
  for (std::size_t k = 0; k < count(); ++k)
    if (!std::isnan(w[k]))
      svg.add(svg.dot(x(static_cast<double>(k) + 0.5), y(w[k]), std::min(4.2, per_bin / 4),
                      " fill=\"" + study::group_colour(0) + '"'));

  double column = kLeft;
  for (const Bar& bar : kBars) {
    svg.rectangle(column, kTop - 16, 18, 2, study::group_colour(bar.colour));
    svg.text(column + 24, kTop - 11, bar.label, "soft");
    column += bar.width;
  }
  svg.upright(kLeft - 56, (kTop + kBottom) / 2,
              "correlation w(θ), logarithmic beyond ±" + study::shown(scale.linear), "middle");
  svg.text((kLeft + kRight) / 2, kBottom + 42, "separation θ", "middle");
}

inline void Picture::draw_matrix(study::Svg& svg) const {
  const double cell = kMapSide / bins.bins;
  svg.add("<g shape-rendering=\"crispEdges\">");
  for (std::size_t k = 0; k < count(); ++k) {
    for (std::size_t l = 0; l < count(); ++l) {
      // Rows from below, as on the axis; below the diagonal the jackknife, above it the bootstrap.
      const std::vector<double>& covariance = l > k ? covariances.jackknife : covariances.bootstrap;
      const double value = l == k ? 1 : normalised(covariance, count(), k, l);
      svg.rectangle(kMapLeft + cell * static_cast<double>(l), kMapBottom - cell * static_cast<double>(k + 1),
                    cell, cell, std::isnan(value) ? "#8a8f94" : detail::colour_of_correlation(value));
    }
  }
  constexpr double kBarLeft = kMapRight + 22, kBarWidth = 14;
  constexpr int kSteps = 40;
  const auto height = [](double value) { return kMapBottom - kMapSide * (value + 1) / 2; };
  for (int step = 0; step < kSteps; ++step) {
    const double value = -1 + 2 * (step + 0.5) / kSteps;
    svg.rectangle(kBarLeft, height(value) - kMapSide / kSteps / 2, kBarWidth, kMapSide / kSteps,
                  detail::colour_of_correlation(value));
  }
  svg.add("</g>");
  for (const double value : {-1.0, -0.5, 0.0, 0.5, 1.0}) {
    svg.mark_right(kBarLeft + kBarWidth, height(value), study::shown(value), 4);
  }
  for (const double angle : angles(cell, 26)) {
    const double at = cell * bins.place(angle);
    svg.mark_below(kMapLeft + at, kMapBottom, angle_shown(angle), 4);
    svg.mark_left(kMapLeft, kMapBottom - at, angle_shown(angle), 4);
  }
  svg.text(kMapLeft, kTop - 26, "how errors of bins go together, from −1 to 1:", "soft");
  svg.text(kMapLeft, kTop - 10, "jackknife below the diagonal, bootstrap above", "soft");
  svg.text(kMapLeft + kMapSide / 2, kMapBottom + 38, "separation θ of either bin", "soft middle");
}

/// East is on the left, as the sky is seen from below.
inline void Picture::draw_sky(study::Svg& svg) const {
  constexpr std::size_t kMaxDots = 4000;
  const Box& all = regions.all();
  const double narrowing = std::max(all.narrowing(), 0.05), width = std::max(all.width(), 1e-9) * narrowing;
  const double height = std::max(all.height(), 1e-9);
  const double scale = std::min((kMapSide + 40) / width, (kSkyBottom - kSkyTop) / height);
  const double left = kMapLeft - 20 + ((kMapSide + 40) - width * scale) / 2,
               top = kSkyBottom - height * scale;
  const auto x = [&](double east) { return left + (all.to_east - east) * narrowing * scale; };
  const auto y = [&](double north) { return top + (all.to_north - north) * scale; };
  const std::size_t every = (galaxies.size() + kMaxDots - 1) / kMaxDots;
  std::string dots;
  for (std::size_t i = 0; i < galaxies.size(); i += every)
    if (regions.holds(galaxies[i]))
      dots += 'M' + svg.at(x(regions.east_of(galaxies[i]))) + ' ' + svg.at(y(galaxies[i].delta)) + "h0";
  svg.add("<path fill=\"none\" stroke-linecap=\"round\" stroke-width=\"1.8\" stroke=\"" +
          study::group_colour(0) + "\" d=\"" + dots + "\"/>");
  for (const Box& box : regions.boxes())
    svg.frame(x(box.to_east), y(box.to_north), box.width() * narrowing * scale, box.height() * scale,
              " stroke-opacity=\"0.7\"");
  const double first = regions.seam() + all.east;  // in degrees that go on beyond 360
  double labelled = kWidth;
  for (const double mark : study::marks(first, regions.seam() + all.to_east, 4)) {
    const double at = x(mark - regions.seam());
    if (labelled - at < 34) continue;
    labelled = at;
    svg.mark_below(at, kSkyBottom, study::shown(turned(mark), 6) + "°", 4);
  }
  for (const double mark : study::marks(all.south, all.to_north, 4)) {
    svg.mark_left(left, y(mark), study::shown(mark) + "°", 4);
  }
  const std::string which = every == 1   ? ""
                            : every == 2 ? ", every other one shown"
                            : every == 3 ? ", every 3rd shown"
                                         : ", every " + std::to_string(every) + "th shown";
  svg.text(kMapLeft, top - 10, std::to_string(regions.count()) + " regions and the galaxies" + which, "soft");
  svg.text(left + width * scale / 2, kSkyBottom + 38, "right ascension; on the other axis declination",
           "soft middle");
}

inline std::string Picture::svg() const {
  study::Svg svg(kWidth, kHeight, "Angular correlation of " + name + " with jackknife and bootstrap errors");
  svg.text(kLeft, 30, name, "name");
  svg.text(kLeft, 52,
           study::whole(survey.galaxies.points()) + " galaxies, " + study::whole(survey.randoms.points()) +
               " random points; jackknife over " + std::to_string(regions.count()) + " regions, " +
               std::to_string(resamples) + " bootstrap resamples of them",
           "soft");
  draw_correlation(svg);
  draw_matrix(svg);
  draw_sky(svg);
  return svg.finished();
}

}  // namespace lockstep::angular
