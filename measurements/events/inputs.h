// Buffers of the device and what the programs beside them fill them with: numbers of their own, not the
// judge's.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <vector>

#include "lockstep/check_cuda.h"

namespace event_time {

constexpr unsigned long long kAnyBits = 1ULL << 32;
/// Sets of buffers whose contents are made on the host have one of so many.
constexpr unsigned kContents = 8;

/// What allocate() gave and free_all() has not taken back.
inline std::vector<void*>& buffers() {
  static std::vector<void*> all;
  return all;
}

/// Memory of the device, as long as one size is timed, in pages of its own and at their end: as a process has
/// that the judge hands its buffers one by one, so that what lies behind each faults. With workspaces that
/// begin where their pages do, a compaction takes up to 1.5 % longer.
template <class T>
T* allocate(std::size_t n) {
  constexpr std::size_t kPage = std::size_t{2} << 20, kAlignment = 512;
  const std::size_t bytes = (n * sizeof(T) + kAlignment - 1) / kAlignment * kAlignment;
  const std::size_t whole = (bytes / kPage + 1) * kPage;
  char* memory = nullptr;
  CHECK_CUDA(cudaMalloc(&memory, whole));
  buffers().push_back(memory);
  return reinterpret_cast<T*>(memory + (whole - bytes));
}

inline void free_all() {
  for (void* const buffer : buffers()) CHECK_CUDA(cudaFree(buffer));
  buffers().clear();
}

/// 32 bits that look random, of element i of a sequence.
__device__ inline unsigned random_word(std::size_t i, unsigned seed) {
  unsigned word = static_cast<unsigned>(i) + seed * 0x9E3779B9U;
  for (int round = 0; round < 2; ++round) {
    word = (word ^ word >> 16) * 0x7FEB352DU;
    word = (word ^ word >> 15) * 0x846CA68BU;
  }
  return word ^ word >> 16;
}

/// From 0 to below `bound`, all equally often.
__device__ inline unsigned random_below(unsigned long long bound, std::size_t i, unsigned seed) {
  return static_cast<unsigned>(random_word(i, seed) * bound >> 32);
}

/// From 0 to below 1.
__device__ inline float random_share(std::size_t i, unsigned seed) {
  return static_cast<float>(random_word(i, seed) >> 8) * 0x1p-24F;
}

template <class T, class Make>
__global__ void fill_kernel(T* values, std::size_t n, Make make) {
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < n) values[i] = static_cast<T>(make(i));
}

/// A buffer whose element i is make(i), as the device works it out.
template <class T, class Make>
T* filled(std::size_t n, const Make& make) {
  constexpr int kThreads = 256;
  T* const values = allocate<T>(n);
  fill_kernel<<<static_cast<unsigned>(n / kThreads + 1), kThreads>>>(values, n, make);
  CHECK_CUDA(cudaGetLastError());
  return values;
}

struct RandomBelow {
  unsigned long long bound;
  unsigned seed;
  __device__ unsigned operator()(std::size_t i) const { return random_below(bound, i, seed); }
};

/// Words from 0 to below `bound`, taken for elements of type T.
template <class T>
T* random_words(std::size_t words, unsigned long long bound, unsigned seed) {
  return reinterpret_cast<T*>(filled<unsigned>(words, RandomBelow{bound, seed}));
}

/// A buffer with what the host has.
template <class T>
T* copied(const std::vector<T>& values) {
  T* const memory = allocate<T>(values.size());
  CHECK_CUDA(cudaMemcpy(memory, values.data(), values.size() * sizeof(T), cudaMemcpyHostToDevice));
  return memory;
}

}  // namespace event_time
