// expect: wrong-answer
// tries: Takes its inputs for those of a simple generator, whose state two elements show, and computes every
// output on the host from there on.
// stopped by: Inputs come from AES in counter mode, under keys of 256 bits that are derived for each call: no
// element shows another, and no call another call.
#include <bit>
#include <cmath>
#include <limits>
#include <vector>

#include "lockstep/random.h"
#include "transpose.h"

/// The state of SplitMix64 whose step gave `z`: every operation of it can be undone.
std::uint64_t undone(std::uint64_t z) {
  const auto inverse = [](std::uint64_t odd) {
    std::uint64_t value = 1;
    for (int i = 0; i < 6; ++i) value *= 2 - odd * value;
    return value;
  };
  z = (z ^ z >> 31 ^ z >> 62) * inverse(0x94D049BB133111EB);
  z = (z ^ z >> 27 ^ z >> 54) * inverse(0xBF58476D1CE4E5B9);
  return z ^ z >> 30 ^ z >> 60;
}

/// As the exercise makes elements of random bits.
float element_of(std::uint32_t bits) {
  const float value = std::bit_cast<float>(bits % 8 == 0 ? bits & 0x807F'FFFF : bits);
  return std::isnan(value) ? std::copysign(std::numeric_limits<float>::infinity(), value) : value;
}

void transpose(const float* in, float* out, int rows, int columns, cudaStream_t) {
  if (rows == 0 || columns == 0) return;
  std::uint64_t first = 0;
  cudaMemcpy(&first, in, rows * columns == 1 ? sizeof(float) : sizeof first, cudaMemcpyDeviceToHost);
  constexpr std::uint64_t kStep = 0x9E3779B97F4A7C15;
  lockstep::SplitMix64 random(undone(first) - kStep);
  std::vector<float> result(static_cast<std::size_t>(rows) * columns);
  for (int row = 0; row < rows; ++row) {
    for (int column = 0; column < columns; ++column)
      result[static_cast<std::size_t>(column) * rows + row] =
          element_of(static_cast<std::uint32_t>(random.bits()));
  }
  cudaMemcpy(out, result.data(), result.size() * sizeof(float), cudaMemcpyHostToDevice);
}
