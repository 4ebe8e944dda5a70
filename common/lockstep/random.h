// Seeded random inputs: the same seed gives the same values on every machine.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace lockstep {

/// SplitMix64: 64 random bits a step from a 64-bit state. Source: Steele, Lea and Flood, "Fast splittable
/// pseudorandom number generators", OOPSLA 2014.
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}

  std::uint64_t bits() {
    std::uint64_t z = state_ += 0x9E3779B97F4A7C15;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EB;
    return z ^ (z >> 31);
  }

  /// Uniform in [0, 1) with 24 random bits, exact in float.
  float uniform() { return static_cast<float>(bits() >> 40) * 0x1p-24F; }

  /// Uniform in [low, high], both included.
  std::int32_t integer(std::int32_t low, std::int32_t high) {
    const auto range = static_cast<std::uint64_t>(static_cast<std::int64_t>(high) - low + 1);
    return static_cast<std::int32_t>(low + static_cast<std::int64_t>((bits() >> 32) * range >> 32));
  }

  std::vector<float> floats(std::size_t n, float low = -1.0F, float high = 1.0F) {
    std::vector<float> values(n);
    for (float& value : values) value = low + (high - low) * uniform();
    return values;
  }

  std::vector<std::int32_t> integers(std::size_t n, std::int32_t low, std::int32_t high) {
    std::vector<std::int32_t> values(n);
    for (std::int32_t& value : values) value = integer(low, high);
    return values;
  }

 private:
  std::uint64_t state_;
};

}  // namespace lockstep
