// A particle filter on the device (sampling, importance, resampling): particles move and are weighed, weights
// are normalised, an estimate is made, and ancestors are drawn.
#pragma once

#include <cuda_runtime_api.h>

#include <array>
#include <cstddef>
#include <stdexcept>
#include <vector>

#include "estimate.h"
#include "lockstep/device_bytes.h"
#include "model.h"
#include "schemes.h"
#include "study/event.h"

namespace lockstep::particle_filter {

/// What makes the particles: all that may be chosen.
struct FilterSettings {
  Model model{};
  int particles = 1;  ///< 1 or more
  Scheme scheme = Scheme::exercise;
  int chain_steps = 32;  ///< of a chain, where the exercise's function has one
  unsigned long long seed = 1;
};

/// A measurement that no particle explains, or a model that gives no number; what() is a sentence about the
/// measurement.
class NoWeights : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Arrays of particles stay on the device; an estimate comes from it for each measurement.
class ParticleFilter {
 public:
  explicit ParticleFilter(const FilterSettings& settings);

  /// Moves all particles by the time since the measurement before (0 or more; the first time they are drawn)
  /// and weighs them. Throws NoWeights, CudaError.
  Estimate observe(const Measurement& seen, float interval);

  /// Replaces particles by copies of their ancestors, all of the same weight. Throws std::runtime_error where
  /// the function left what is no ancestor.
  void resample();

  struct Weighed {
    State state;
    float weight;  ///< that of the likeliest particle is 1
  };
  /// Of the last observe(), before resample().
  std::vector<Weighed> particles() const;

  /// Of the device's time, in milliseconds; no more than noise on the emulated device.
  enum Stage { kMove, kNormalise, kEstimate, kResample, kCopy, kStages };
  const std::array<double, kStages>& milliseconds() const { return milliseconds_; }
  static constexpr std::array<const char*, kStages> kStageNames = {"move and weigh", "normalise", "estimate",
                                                                   "resample", "copy"};

 private:
  void begin();
  void end(Stage stage);
  void read_times();

  FilterSettings settings_;
  int n_;
  unsigned measured_ = 0;  ///< measurements so far
  DeviceBytes states_, copies_, log_weights_, weights_, ancestors_, workspace_, partial_, summary_;
  State* current_;
  State* other_;
  std::array<double, kStages> milliseconds_{};
  study::Event begin_;
  std::array<study::Event, kStages> end_;
  std::vector<Stage> timed_;
};

}  // namespace lockstep::particle_filter
