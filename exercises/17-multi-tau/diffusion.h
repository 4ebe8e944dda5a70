// Photon counts of molecules that diffuse freely through a focus.
//
// Molecules walk on a lattice that is closed on itself. Each axis is left alone or moves by one site, with
// odds that give steps the kurtosis of a normal distribution, so that the walk is free diffusion at the scale
// of the focus. Detection falls off as a Gaussian from the middle, and photons arrive after Poisson.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "lockstep/random.h"

namespace lockstep {

/// The focus and how long a molecule stays in it.
struct Focus {
  static constexpr double kWaist = 2;   ///< in sites: where detection has fallen to e^-2, across the beam
  static constexpr double kLength = 8;  ///< along the beam
  static constexpr int kSites = 32;     ///< of the lattice, across; twice as many along
  static constexpr int kStepOdds = 43;  ///< of 256, for one site on and for one site back
  static constexpr double kVariance = 2 * kStepOdds / 256.0;  ///< of a step, squared sites
  /// Waist over length, squared: κ² of the correlation's closed form.
  static constexpr double kShape = (kWaist / kLength) * (kWaist / kLength);
  /// τ_D = waist² / 4D in instants, with D = variance / 2.
  static constexpr double kDiffusionTime = kWaist * kWaist / (2 * kVariance);
};

/// Counts of n instants, of `molecules` that each send `brightness` photons an instant from the middle.
inline std::vector<unsigned char> diffusing_counts(std::size_t n, Random& random, int molecules = 112,
                                                   double brightness = 6) {
  constexpr unsigned kAcross = Focus::kSites, kAlong = 2 * Focus::kSites;
  std::array<double, kAcross> across;
  std::array<double, kAlong> along;
  const auto gaussian = [](unsigned site, unsigned sites, double waist) {
    const double distance = (site - sites / 2.0) / waist;
    return std::exp(-2 * distance * distance);
  };
  for (unsigned i = 0; i < kAcross; ++i) across[i] = gaussian(i, kAcross, Focus::kWaist);
  for (unsigned i = 0; i < kAlong; ++i) along[i] = gaussian(i, kAlong, Focus::kLength);

  // By axis, and the words of an instant together: the compiler moves several molecules at a time.
  const auto all = static_cast<std::size_t>(molecules);
  std::vector<unsigned> x(all), y(all), z(all);
  for (std::size_t i = 0; i < all; ++i) {
    const std::uint64_t bits = random.bits();
    x[i] = static_cast<unsigned>(bits) % kAcross;
    y[i] = static_cast<unsigned>(bits >> 16) % kAcross;
    z[i] = static_cast<unsigned>(bits >> 32) % kAlong;
  }
  const auto step = [](std::uint32_t bits) {
    const unsigned byte = bits & 0xff;
    return static_cast<unsigned>(byte < Focus::kStepOdds) -
           static_cast<unsigned>(byte >= 256 - Focus::kStepOdds);
  };
  std::vector<unsigned char> counts(n);
  std::vector<std::uint32_t> words(2 * all);  // two for each molecule, of which the first is used
  for (unsigned char& count : counts) {
    random.words(words);
    for (std::size_t i = 0; i < all; ++i) {
      const std::uint32_t bits = words[2 * i];
      x[i] = (x[i] + step(bits)) % kAcross;
      y[i] = (y[i] + step(bits >> 8)) % kAcross;
      z[i] = (z[i] + step(bits >> 16)) % kAlong;
    }
    double light = 0;
    for (std::size_t i = 0; i < all; ++i) light += across[x[i]] * across[y[i]] * along[z[i]];
    // After Poisson: so many arrivals before the product of uniform numbers falls below e^-light.
    const double end = std::exp(-brightness * light);
    int photons = 0;
    for (double product = 1 - static_cast<double>(random.uniform()); product > end && photons < 255;
         ++photons)
      product *= 1 - static_cast<double>(random.uniform());
    count = static_cast<unsigned char>(photons);
  }
  return counts;
}

}  // namespace lockstep
