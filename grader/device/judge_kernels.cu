// What the judge computes on the GPU for itself: it fills buffers, and sees whether outputs that are too
// large to fetch are right. Only the judge's context runs it, from and on copies that no submission reaches.
//
// Bound: memory bandwidth; every array is read once.
#include <cstdint>

#include "device/judge_work.h"

// Each buffer is filled by `blocks` blocks.
extern "C" __global__ void fill_buffers(const lockstep::device::Filling* fillings, unsigned blocks,
                                        unsigned poison) {
  const lockstep::device::Filling one = fillings[blockIdx.x / blocks];
  const auto* const from = reinterpret_cast<const uint4*>(one.from);
  auto* const to = reinterpret_cast<uint4*>(one.to);
  const std::uint64_t vectors = one.bytes / sizeof(uint4), stride = std::uint64_t{blocks} * blockDim.x;
  const std::uint64_t first = std::uint64_t{blockIdx.x % blocks} * blockDim.x + threadIdx.x;
  const uint4 poisoned = {poison, poison, poison, poison};
#pragma unroll 4
  for (std::uint64_t i = first; i < vectors; i += stride) to[i] = from == nullptr ? poisoned : from[i];
  const std::uint64_t last = vectors * sizeof(uint4) + first;
  if (last < one.bytes) {
    reinterpret_cast<unsigned char*>(to)[last] = from == nullptr
                                                     ? static_cast<unsigned char>(poison)
                                                     : reinterpret_cast<const unsigned char*>(from)[last];
  }
}

// Counts elements for which |found − expected| ≤ absolute + relative·|expected| does not hold. NaN never
// agrees, and an infinity only with itself.
template <class T>
__device__ void count_wrong(const T* found, const T* expected, std::uint64_t n, double absolute,
                            double relative, unsigned long long* wrong) {
  unsigned long long own = 0;
  const std::uint64_t stride = std::uint64_t{gridDim.x} * blockDim.x;
  for (std::uint64_t i = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < n; i += stride) {
    const T a = found[i], b = expected[i];
    if (a == b) continue;
    const double wanted = static_cast<double>(b);
    const double difference = fabs(static_cast<double>(a) - wanted);
    const double allowed = absolute + relative * fabs(wanted);
    const bool exact = (absolute == 0 && relative == 0) || !isfinite(wanted);
    if (exact || !(difference <= allowed)) ++own;
  }
  if (own != 0) atomicAdd(wrong, own);
}

#define LOCKSTEP_COUNT_WRONG(name, T)                                                               \
  extern "C" __global__ void count_wrong_##name(const T* found, const T* expected, std::uint64_t n, \
                                                double absolute, double relative,                   \
                                                unsigned long long* wrong) {                        \
    count_wrong(found, expected, n, absolute, relative, wrong);                                     \
  }
LOCKSTEP_COUNT_WRONG(u8, std::uint8_t)
LOCKSTEP_COUNT_WRONG(i32, std::int32_t)
LOCKSTEP_COUNT_WRONG(u32, std::uint32_t)
LOCKSTEP_COUNT_WRONG(i64, std::int64_t)
LOCKSTEP_COUNT_WRONG(u64, std::uint64_t)
LOCKSTEP_COUNT_WRONG(f32, float)
LOCKSTEP_COUNT_WRONG(f64, double)

// Copies one chunk a block, from a position that only the seed determines; all of a buffer where it is no
// longer than a chunk. What is longer may have less than a word at its end, which no chunk holds. Blocks of
// one y are for one of `samplings`.
extern "C" __global__ void gather_chunks(const lockstep::device::Sampling* samplings,
                                         std::uint64_t chunk_bytes) {
  const lockstep::device::Sampling one = samplings[blockIdx.y];
  const auto* const from = reinterpret_cast<const std::uint64_t*>(one.from);
  auto* const to = reinterpret_cast<std::uint64_t*>(one.to);
  const std::uint64_t words = chunk_bytes / sizeof(std::uint64_t);
  const std::uint64_t all_words = one.bytes / sizeof(std::uint64_t);
  std::uint64_t z = one.seed + blockIdx.x * 0x9E3779B97F4A7C15;  // SplitMix64
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EB;
  const std::uint64_t first = all_words <= words ? 0 : (z ^ (z >> 31)) % (all_words - words + 1);
  for (std::uint64_t i = threadIdx.x; i < words && first + i < all_words; i += blockDim.x) {
    to[blockIdx.x * words + i] = from[first + i];
  }
  const std::uint64_t last = all_words * sizeof(std::uint64_t) + threadIdx.x;
  if (all_words < words && last < one.bytes) {
    reinterpret_cast<unsigned char*>(to)[blockIdx.x * chunk_bytes + last] =
        reinterpret_cast<const unsigned char*>(from)[last];
  }
}
