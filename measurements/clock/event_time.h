// Times the calls of a solution by the device's own events: what the judge's clock is compared with.
// measurements/compare_clock builds a program for each solution, whose file SOLUTION names, and reads the
// seconds that it prints.
#pragma once

#include <cuda_runtime_api.h>

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <functional>
#include <string>
#include <vector>

#include "lockstep/check_cuda.h"

namespace event_time {

constexpr unsigned long long kAnyBits = 1ULL << 32;

/// Memory of the device, as long as the program runs.
template <class T>
T* allocate(std::size_t n) {
  T* memory = nullptr;
  CHECK_CUDA(cudaMalloc(&memory, n * sizeof(T)));
  return memory;
}

/// Numbers from 0 to below `bound`, all equally often.
__global__ void fill_kernel(unsigned* words, std::size_t n, unsigned long long bound, unsigned seed) {
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned word = static_cast<unsigned>(i) + seed * 0x9E3779B9U;
  for (int round = 0; round < 2; ++round) {
    word = (word ^ word >> 16) * 0x7FEB352DU;
    word = (word ^ word >> 15) * 0x846CA68BU;
  }
  words[i] = static_cast<unsigned>((word ^ word >> 16) * bound >> 32);
}

template <class T>
T* random_words(std::size_t n, unsigned long long bound, unsigned seed) {
  constexpr int kThreads = 256;
  auto* const words = allocate<unsigned>(n);
  fill_kernel<<<static_cast<unsigned>(n / kThreads + 1), kThreads>>>(words, n, bound, seed);
  CHECK_CUDA(cudaGetLastError());
  return reinterpret_cast<T*>(words);
}

/// Prints the seconds of one call, of many that follow each other without waiting. `make_call` gets a seed
/// and makes one with buffers of its own.
inline void print_seconds(const std::function<std::function<void()>(unsigned)>& make_call) {
  // As many as the judge gives a process (2K of CallTimer): what caches hold of data, and of where pages are,
  // is then the same.
  constexpr unsigned kSets = 32;
  std::vector<std::function<void()>> calls;
  for (unsigned set = 0; set < kSets; ++set) calls.push_back(make_call(set));
  cudaEvent_t begin = nullptr, end = nullptr;
  CHECK_CUDA(cudaEventCreate(&begin));
  CHECK_CUDA(cudaEventCreate(&end));
  std::size_t next = 0;
  const auto seconds_of_one_of = [&](int n) {
    CHECK_CUDA(cudaDeviceSynchronize());
    CHECK_CUDA(cudaEventRecord(begin));
    for (int i = 0; i < n; ++i) calls[next++ % calls.size()]();
    CHECK_CUDA(cudaEventRecord(end));
    CHECK_CUDA(cudaEventSynchronize(end));
    float milliseconds = 0;
    CHECK_CUDA(cudaEventElapsedTime(&milliseconds, begin, end));
    return milliseconds * 1e-3 / n;
  };
  constexpr int kRepeats = 9;
  constexpr double kLongEnough = 0.1, kFewest = 8, kMost = kSets;
  seconds_of_one_of(1);  // loads code
  const int n = static_cast<int>(std::clamp(kLongEnough / seconds_of_one_of(1), kFewest, kMost));
  seconds_of_one_of(n);  // lets the clocks rise
  std::vector<double> seconds;
  for (int repeat = 0; repeat < kRepeats; ++repeat) seconds.push_back(seconds_of_one_of(n));
  std::nth_element(seconds.begin(), seconds.begin() + kRepeats / 2, seconds.end());
  std::printf("%.9g\n", seconds[kRepeats / 2]);
}

}  // namespace event_time
