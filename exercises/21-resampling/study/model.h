// The model of the filter: what a target does between two measurements, and how likely a measurement is. Who
// follows something else changes the four functions below, and State and Measurement with them; filter.cu
// does not know what they hold.
//
// Here a target moves with nearly constant velocity, and is seen by its range and bearing or by its position.
// Source: Ristic, Arulampalam and Gordon, "Beyond the Kalman Filter", 2004.
#pragma once

#include <cuda_runtime_api.h>

#include <cmath>

namespace lockstep::particle_filter {

/// Numbers of a state. Estimates, tables and files have them in this order; pictures draw the first two.
constexpr int kComponents = 4;
constexpr const char* kComponentNames[kComponents] = {"x", "y", "vx", "vy"};

struct alignas(16) State {
  float x, y, vx, vy;
};

/// Component k of a state.
__host__ __device__ inline float component(const State& state, int k) {
  return k == 0 ? state.x : k == 1 ? state.y : k == 2 ? state.vx : state.vy;
}

/// A row of the file. What was not measured is NaN: range, bearing, position, or all of them.
struct Measurement {
  float range, bearing;      ///< from the sensor; radians, anticlockwise from the direction of x
  float x, y;                ///< a position that was measured itself
  float sensor_x, sensor_y;  ///< where the sensor stood
};

/// All noise is normal; these are standard deviations.
struct Model {
  float process_noise = 0.5F;  ///< acceleration, which is another one between any two measurements
  float range_noise = 20, bearing_noise = 0.02F, position_noise = 20;

  bool has_start = false;  ///< particles begin round `start`, and not round the first measurement
  State start{};
  float start_position_noise = 30, start_speed_noise = 2;  ///< round `start`
  float speed = 10;  ///< each component of the velocity, where the first measurement is the start
};

/// Independent standard normal numbers.
struct Normals {
  float of[4];
};

__host__ __device__ inline bool is_measured(float value) { return !std::isnan(value); }

/// Whether the first measurement can be the start: it says where the target is.
__host__ __device__ inline bool has_position(const Measurement& seen) {
  return (is_measured(seen.range) && is_measured(seen.bearing)) || is_measured(seen.x);
}

/// A particle at the time of the first measurement, drawn from what is known of the target by then. Where the
/// model has no start, that is the first measurement, which has_position.
__host__ __device__ inline State initial(const Model& model, const Measurement& first, const Normals& noise) {
  if (model.has_start) {
    return {model.start.x + model.start_position_noise * noise.of[0],
            model.start.y + model.start_position_noise * noise.of[1],
            model.start.vx + model.start_speed_noise * noise.of[2],
            model.start.vy + model.start_speed_noise * noise.of[3]};
  }
  const float vx = model.speed * noise.of[2], vy = model.speed * noise.of[3];
  if (is_measured(first.x)) {
    return {first.x + model.position_noise * noise.of[0], first.y + model.position_noise * noise.of[1], vx,
            vy};
  }
  const float range = first.range + model.range_noise * noise.of[0];
  const float bearing = first.bearing + model.bearing_noise * noise.of[1];
  return {first.sensor_x + range * std::cos(bearing), first.sensor_y + range * std::sin(bearing), vx, vy};
}

/// What initial() did not use of the first measurement, where the model has no start: particles are weighed
/// by it.
__host__ __device__ inline Measurement without_start(Measurement first) {
  if (is_measured(first.x)) {
    first.x = first.y = NAN;
  } else {
    first.range = first.bearing = NAN;
  }
  return first;
}

/// Where a particle is after `interval`, 0 or more.
__host__ __device__ inline State moved(const Model& model, const State& from, float interval,
                                       const Normals& noise) {
  const float push_x = model.process_noise * noise.of[0], push_y = model.process_noise * noise.of[1];
  return {from.x + interval * (from.vx + interval / 2 * push_x),
          from.y + interval * (from.vy + interval / 2 * push_y), from.vx + interval * push_x,
          from.vy + interval * push_y};
}

/// -(difference / deviation)² / 2
__host__ __device__ inline float log_normal(float difference, float deviation) {
  const float scaled = difference / deviation;
  return -scaled * scaled / 2;
}

/// The logarithm of the likelihood of what was seen, if the target is where the particle is, up to a
/// constant; 0 where nothing was seen.
__host__ __device__ inline float log_likelihood(const Model& model, const State& state,
                                                const Measurement& seen) {
  constexpr float kTurn = 6.2831853F;
  const float x = state.x - seen.sensor_x, y = state.y - seen.sensor_y;
  float sum = 0;
  if (is_measured(seen.range)) sum += log_normal(std::sqrt(x * x + y * y) - seen.range, model.range_noise);
  if (is_measured(seen.bearing)) {
    float turned = std::atan2(y, x) - seen.bearing;
    turned -= kTurn * std::round(turned / kTurn);  // the shorter way round
    sum += log_normal(turned, model.bearing_noise);
  }
  if (is_measured(seen.x)) {
    sum += log_normal(state.x - seen.x, model.position_noise) +
           log_normal(state.y - seen.y, model.position_noise);
  }
  return sum;
}

}  // namespace lockstep::particle_filter
