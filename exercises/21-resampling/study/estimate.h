// What a filter says of its target at one time.
#pragma once

#include <array>

#include "model.h"

namespace lockstep::particle_filter {

/// Of the weighted particles after a measurement.
struct Estimate {
  std::array<double, kComponents> mean{};
  std::array<std::array<double, kComponents>, kComponents> covariance{};
  double effective = 0;  ///< effective sample size (Σw)² / Σw², from 1 to the number of particles
};

}  // namespace lockstep::particle_filter
