// From counts of pairs, of all points and of those of each region, to the correlation with its errors and
// their covariance, by jackknife and by bootstrap.
//
// Sources: Norberg, Baugh, Gaztañaga, Croton 2009, MNRAS 396, 19 (both, over regions); Loh 2008, ApJ 681, 726
// (the bootstrap of marks, which are the pairs of a point); Mohammad, Percival 2022, MNRAS 514, 1289 (weights
// of pairs across borders).
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>
#include <string>
#include <vector>

#include "18-tpacf-jackknife/covariance.h"
#include "lockstep/random.h"

namespace lockstep::angular {

/// Pairs of a set of points. Of a bin N pairs are counted, of which T_r have a point in region r and W_r
/// both.
struct RegionPairs {
  LeftOutCounts left_out;                  ///< N, and N − T_r
  std::vector<unsigned long long> within;  ///< W_r: regions · bins

  std::size_t bins() const { return left_out.bins; }
  std::size_t regions() const { return left_out.points.size(); }
  double points() const {
    return static_cast<double>(
        std::accumulate(left_out.points.begin(), left_out.points.end(), std::size_t{0}));
  }
  double all(std::size_t bin) const { return static_cast<double>(left_out.counts[bin]); }
  double both_in(std::size_t region, std::size_t bin) const {
    return static_cast<double>(within[region * bins() + bin]);
  }
  /// What the region has of the pairs: those within it, and half of those across its border. These are
  /// W_r + (T_r − W_r) / 2; of all regions they add up to N.
  double of_region(std::size_t region, std::size_t bin) const {
    return (all(bin) - left_out.pairs(region, bin) + both_in(region, bin)) / 2;
  }
  /// Whether counts of regions and of all agree: Σ_r (T_r + W_r) = 2 N, as a pair across a border is in two
  /// of the T_r, and a pair within a region in one T_r and one W_r.
  bool is_consistent(std::size_t bin) const {
    double twice = 0;
    for (std::size_t region = 0; region < regions(); ++region) {
      if (!(both_in(region, bin) <= all(bin) - left_out.pairs(region, bin))) return false;
      twice += 2 * of_region(region, bin);
    }
    return twice == 2 * all(bin);
  }
};

/// Pairs of galaxies, of random points, and of both as one set.
struct Survey {
  RegionPairs galaxies, randoms, both;

  std::size_t bins() const { return galaxies.bins(); }
  std::size_t regions() const { return galaxies.regions(); }
  /// DD, DR and RR.
  double data_pairs(std::size_t bin) const { return galaxies.all(bin); }
  double cross_pairs(std::size_t bin) const { return both.all(bin) - data_pairs(bin) - random_pairs(bin); }
  double random_pairs(std::size_t bin) const { return randoms.all(bin); }
  bool has_no_random_pairs() const {
    for (std::size_t bin = 0; bin < bins(); ++bin)
      if (random_pairs(bin) > 0) return false;
    return true;
  }
  /// The share of random pairs whose points lie in two regions; NaN where there is no pair.
  double across(std::size_t bin) const {
    double within = 0;
    for (std::size_t region = 0; region < regions(); ++region) within += randoms.both_in(region, bin);
    return 1 - within / random_pairs(bin);
  }
};

/// A correlation for each bin; NaN where it is not known.
using Correlation = std::vector<double>;

constexpr double kNotKnown = std::numeric_limits<double>::quiet_NaN();

/// w of counts as shares of all pairs of their kind; unknown where there are none, or no random pairs.
inline double correlation_of(double dd, double dr, double rr) {
  return rr > 0 && std::isfinite(dd) && std::isfinite(dr) && std::isfinite(rr) ? landy_szalay(dd, dr, rr)
                                                                               : kNotKnown;
}

/// w with each region counted as often as `times` says, where 1 for each is w itself. A pair across a border
/// counts (times[a] + times[b]) / 2 times, and so do the pairs that a count is a share of.
inline Correlation weighted_correlation(const Survey& survey, const std::vector<std::size_t>& times) {
  const auto sum = [&](const auto& of_region) {
    double total = 0;
    for (std::size_t region = 0; region < times.size(); ++region)
      total += static_cast<double>(times[region]) * of_region(region);
    return total;
  };
  const auto points = [&](const RegionPairs& pairs) {
    return sum([&](std::size_t region) { return static_cast<double>(pairs.left_out.points[region]); });
  };
  const double n = survey.galaxies.points(), m = survey.randoms.points();
  // n_r (n_r − 1) / 2 pairs lie within a region, and n_r (n − n_r) across its border, half of which count:
  // together n_r (n − 1) / 2. Of a galaxy and a random point they are (n_r m + n m_r) / 2.
  const double of_n = points(survey.galaxies), of_m = points(survey.randoms);
  const double dd_pairs = of_n * (n - 1) / 2, rr_pairs = of_m * (m - 1) / 2,
               dr_pairs = (of_n * m + n * of_m) / 2;
  Correlation w;
  for (std::size_t bin = 0; bin < survey.bins(); ++bin) {
    const auto count = [&](const RegionPairs& pairs) {
      return sum([&](std::size_t region) { return pairs.of_region(region, bin); });
    };
    const double data = count(survey.galaxies), random = count(survey.randoms),
                 cross = count(survey.both) - data - random;
    w.push_back(correlation_of(data / dd_pairs, cross / dr_pairs, random / rr_pairs));
  }
  return w;
}

/// w without each region. A bin is unknown where no random pair is left, or fewer than two points of a kind.
inline std::vector<Correlation> correlations_left_out(const Survey& survey) {
  std::vector<Correlation> w =
      left_out_correlations(survey.galaxies.left_out, survey.randoms.left_out, survey.both.left_out);
  for (std::size_t region = 0; region < survey.regions(); ++region) {
    const bool are_pairs =
        survey.galaxies.left_out.left(region) >= 2 && survey.randoms.left_out.left(region) >= 2;
    for (std::size_t bin = 0; bin < survey.bins(); ++bin)
      if (!are_pairs || !(survey.randoms.left_out.pairs(region, bin) > 0)) w[region][bin] = kNotKnown;
  }
  return w;
}

/// How much of a pair across a border is left out with a region, so that the errors of independent pairs are
/// right whatever share of them lies across borders. Source: Mohammad and Percival 2022, equation 27.
inline double left_out_across(std::size_t regions) {
  const auto count = static_cast<double>(regions);
  return count / (2 + std::sqrt(2.0) * (count - 1));
}

/// w without each region, where of a pair across its border only the part left_out_across() is left out, also
/// of the pairs that a count is a share of.
inline std::vector<Correlation> corrected_correlations(const Survey& survey) {
  const double part = left_out_across(survey.regions()), n = survey.galaxies.points(),
               m = survey.randoms.points();
  std::vector<Correlation> w;
  for (std::size_t region = 0; region < survey.regions(); ++region) {
    const double n_in = static_cast<double>(survey.galaxies.left_out.points[region]),
                 m_in = static_cast<double>(survey.randoms.left_out.points[region]);
    const auto pairs_of_one = [part](double all, double in) {
      return all * (all - 1) / 2 - in * (in - 1) / 2 - part * in * (all - in);
    };
    const double dd_pairs = pairs_of_one(n, n_in), rr_pairs = pairs_of_one(m, m_in),
                 dr_pairs = n * m - n_in * m_in - part * (n_in * (m - m_in) + m_in * (n - n_in));
    Correlation one;
    for (std::size_t bin = 0; bin < survey.bins(); ++bin) {
      const auto left = [&](const RegionPairs& pairs) {
        const double all = pairs.all(bin), within = pairs.both_in(region, bin),
                     across = all - pairs.left_out.pairs(region, bin) - within;
        return all - within - part * across;
      };
      const double data = left(survey.galaxies), random = left(survey.randoms),
                   cross = left(survey.both) - data - random;
      one.push_back(correlation_of(data / dd_pairs, cross / dr_pairs, random / rr_pairs));
    }
    w.push_back(one);
  }
  return w;
}

/// How often each region is drawn when as many as there are are drawn with replacement.
inline std::vector<std::size_t> resample(std::size_t regions, Random& random) {
  std::vector<std::size_t> times(regions, 0);
  for (std::size_t draw = 0; draw < regions; ++draw)
    ++times[static_cast<std::size_t>(random.integer(0, static_cast<std::int32_t>(regions) - 1))];
  return times;
}

/// w of each of `resamples` draws of regions.
inline std::vector<Correlation> bootstrap_correlations(const Survey& survey, std::size_t resamples,
                                                       Random& random) {
  std::vector<Correlation> w;
  for (std::size_t i = 0; i < resamples; ++i)
    w.push_back(weighted_correlation(survey, resample(survey.regions(), random)));
  return w;
}

/// Of w by the three ways, bins · bins each; NaN in rows and columns of bins that are unknown in some sample.
struct Covariances {
  std::size_t bins = 0;
  std::vector<double> jackknife, corrected, bootstrap;

  static double error(const std::vector<double>& covariance, std::size_t bins, std::size_t bin) {
    return std::sqrt(covariance[bin * bins + bin]);
  }
  double jackknife_error(std::size_t bin) const { return error(jackknife, bins, bin); }
  double corrected_error(std::size_t bin) const { return error(corrected, bins, bin); }
  double bootstrap_error(std::size_t bin) const { return error(bootstrap, bins, bin); }
};

/// The covariance over the root of both variances; NaN where it is not known, or one of these is 0.
inline double normalised(const std::vector<double>& covariance, std::size_t bins, std::size_t k,
                         std::size_t l) {
  const double product = covariance[k * bins + k] * covariance[l * bins + l];
  return product > 0 ? covariance[k * bins + l] / std::sqrt(product) : kNotKnown;
}

inline Covariances covariances_of(const Survey& survey, std::size_t resamples, Random& random) {
  return {survey.bins(), jackknife_covariance(correlations_left_out(survey)),
          jackknife_covariance(corrected_correlations(survey)),
          scatter_about_mean(bootstrap_correlations(survey, resamples, random),
                             1 / (static_cast<double>(resamples) - 1))};
}

/// The error of w if pairs were independent of each other; NaN where there is no pair.
inline double poisson_error(double w, double data_pairs) {
  return data_pairs > 0 ? (1 + w) / std::sqrt(data_pairs) : kNotKnown;
}

}  // namespace lockstep::angular
