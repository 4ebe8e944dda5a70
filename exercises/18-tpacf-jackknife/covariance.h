// From the counts of `tpacf_jackknife` to error bars: the correlation without each region, and the covariance
// of its bins. Plain C++ for a program of one's own around the exercise; submissions cannot include it.
//
// Sources: Landy, Szalay 1993 (the estimator); Norberg, Baugh, Gaztañaga, Croton 2009, MNRAS 396, 19 (the
// jackknife of correlation functions).
#pragma once

#include <cstddef>
#include <stdexcept>
#include <vector>

namespace lockstep {

/// What tpacf_jackknife counts of a set of points.
struct LeftOutCounts {
  std::size_t bins = 0;
  std::vector<std::size_t> points;         ///< of each region
  std::vector<unsigned long long> counts;  ///< (1 + regions) · bins, as in tpacf_jackknife.h

  /// Pairs of a bin without any point of the region.
  double pairs(std::size_t region, std::size_t bin) const {
    return static_cast<double>(counts.at((1 + region) * bins + bin));
  }
  /// How many points there are without those of the region.
  double left(std::size_t region) const {
    std::size_t all = 0;
    for (const std::size_t of_region : points) all += of_region;
    return static_cast<double>(all - points.at(region));
  }
};

/// The correlation after Landy and Szalay from counts as shares of all pairs of their kind. 0 where there are
/// no random pairs.
inline double landy_szalay(double dd, double dr, double rr) { return rr == 0 ? 0 : (dd - 2 * dr + rr) / rr; }

/// A count over all pairs of its kind; 0 where there is no pair.
inline double share_of_pairs(double count, double pairs) { return pairs == 0 ? 0 : count / pairs; }

/// The correlation after Landy and Szalay without each region: a row of bins for each. `both` counts galaxies
/// and random points as one set, so that the pairs of a galaxy and a random point are those of `both` less
/// those within either. 0 where there are no random pairs; a share of no pairs is 0. Throws
/// std::invalid_argument where the three have not the same bins and regions.
inline std::vector<std::vector<double>> left_out_correlations(const LeftOutCounts& data,
                                                              const LeftOutCounts& randoms,
                                                              const LeftOutCounts& both) {
  for (const LeftOutCounts* other : {&randoms, &both}) {
    if (other->bins != data.bins || other->points.size() != data.points.size())
      throw std::invalid_argument("galaxies, random points and both have not the same bins and regions");
  }
  std::vector<std::vector<double>> correlations;
  for (std::size_t region = 0; region < data.points.size(); ++region) {
    const double n = data.left(region), m = randoms.left(region);
    std::vector<double> row;
    for (std::size_t bin = 0; bin < data.bins; ++bin) {
      const double DD = data.pairs(region, bin), RR = randoms.pairs(region, bin);
      const double DR = both.pairs(region, bin) - DD - RR;
      row.push_back(landy_szalay(share_of_pairs(DD, n * (n - 1) / 2), share_of_pairs(DR, n * m),
                                 share_of_pairs(RR, m * (m - 1) / 2)));
    }
    correlations.push_back(row);
  }
  return correlations;
}

/// factor · Σ_s (w[s][k] − mean[k]) · (w[s][l] − mean[l]) over all samples s, row by row.
inline std::vector<double> scatter_about_mean(const std::vector<std::vector<double>>& w, double factor) {
  if (w.empty()) return {};
  const std::size_t bins = w.front().size();
  const auto samples = static_cast<double>(w.size());
  std::vector<double> mean(bins), scatter(bins * bins);
  for (const std::vector<double>& one : w)
    for (std::size_t k = 0; k < bins; ++k) mean[k] += one.at(k) / samples;
  for (const std::vector<double>& one : w)
    for (std::size_t k = 0; k < bins; ++k)
      for (std::size_t l = 0; l < bins; ++l)
        scatter[k * bins + l] += factor * (one[k] - mean[k]) * (one[l] - mean[l]);
  return scatter;
}

/// The jackknife estimate of the covariance of w, row by row, where w[r] is w without region r:
///
///     C[k][l] = (R − 1) / R · Σ_r (w[r][k] − mean[k]) · (w[r][l] − mean[l]),    mean[k] = Σ_r w[r][k] / R
///
/// The factor is not 1 / (R − 1), that of a sample's variance: any two of the w have all but two regions in
/// common, so they differ from their mean far less than independent ones would. Of one region all are 0.
inline std::vector<double> jackknife_covariance(const std::vector<std::vector<double>>& w) {
  const auto regions = static_cast<double>(w.size());
  return scatter_about_mean(w, (regions - 1) / regions);
}

}  // namespace lockstep
