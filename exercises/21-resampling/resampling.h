// Interface of the exercise "resampling". The grader calls these functions; never edit this file.
#pragma once

#include <cuda_runtime_api.h>

#include <cmath>
#include <cstddef>

/// Draws `n` ancestors in proportion to the weights: ancestors[i] becomes the number of the particle that
/// particle i continues, for 0 ≤ i < n. README.md lists the procedures; a call follows one of them exactly,
/// with the random words below.
///
/// @param weights   device memory, n floats, each finite and 0 or more: subnormal or large, not normalised,
///                  perhaps all 0; must not be changed
/// @param n         0 or more; for 0 there is nothing to do
/// @param steps     of each particle's chain, 0 or more; systematic resampling has no chain
/// @param seed      of the random words
/// @param ancestors device memory, n ints; does not overlap `weights`
/// @param workspace device memory, as many bytes as resampling_workspace_bytes(n) says, holding anything
/// @param stream    on which all the work is enqueued
///
/// All buffers start at a multiple of 256 bytes.
void resampling(const float* weights, int n, int steps, unsigned long long seed, int* ancestors,
                void* workspace, cudaStream_t stream);

/// How many bytes of device memory `resampling` needs as its workspace. The grader asks before each call and
/// grants at most 9 n + 65 536 bytes.
std::size_t resampling_workspace_bytes(int n);

// --- weights as integers ---

/// How many binary places of its weights systematic resampling counts: so many that n weights up to the
/// largest, in units of the last place, have a sum below 2^63, and the largest alone is at least n. From -96
/// to 210, and 0 where there is no weight at all.
// [places]
__host__ __device__ inline int places_of(float largest, int n) {
  return largest > 0 ? 61 - ilogbf(largest) - ilogb(static_cast<double>(n)) : 0;
}
// [places]

// --- random words ---

/// What a word is for: words of different use are independent.
enum class Use : unsigned { chain, segment, within, shift, points };

struct Words {
  unsigned word[4];
};

/// Four random words, which depend on all arguments and on nothing else: no state, so any thread can have
/// any of them at any time. Philox4x32 with 7 rounds, the fewest that pass all tests of TestU01's BigCrush.
/// Source: Salmon, Moraes, Dror and Shaw, "Parallel random numbers: as easy as 1, 2, 3", SC 2011.
// [philox]
__host__ __device__ inline Words random_words(unsigned long long seed, Use use, unsigned index,
                                              unsigned block) {
  constexpr int kRounds = 7;
  constexpr unsigned long long kMultiplier0 = 0xD2511F53, kMultiplier1 = 0xCD9E8D57;
  constexpr unsigned kWeyl0 = 0x9E3779B9, kWeyl1 = 0xBB67AE85;
  unsigned key0 = static_cast<unsigned>(seed), key1 = static_cast<unsigned>(seed >> 32);
  unsigned a = index, b = block, c = static_cast<unsigned>(use), d = 0;
  for (int round = 0; round < kRounds; ++round) {
    const unsigned long long first = kMultiplier0 * a, second = kMultiplier1 * c;
    a = static_cast<unsigned>(second >> 32) ^ b ^ key0;
    b = static_cast<unsigned>(second);
    c = static_cast<unsigned>(first >> 32) ^ d ^ key1;
    d = static_cast<unsigned>(first);
    key0 += kWeyl0;
    key1 += kWeyl1;
  }
  return {{a, b, c, d}};
}
// [philox]

/// From the upper 23 bits of a word: uniform in (0, 1], exact in float. Never 0, so that nobody moves to a
/// weight of 0 from another.
__host__ __device__ inline float uniform_of(unsigned word) {
  return static_cast<float>((word >> 9) + 1) * 0x1p-23F;
}

/// From all bits of a word: uniform in 0 … n - 1.
__host__ __device__ inline unsigned index_of(unsigned word, unsigned n) {
  return static_cast<unsigned>((static_cast<unsigned long long>(word) * n) >> 32);
}

/// From the lower 9 bits of a word, which uniform_of leaves: uniform in 0 … size - 1, for size up to 512.
__host__ __device__ inline unsigned place_of(unsigned word, unsigned size) {
  return ((word & 511) * size) >> 9;
}
