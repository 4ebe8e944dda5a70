// fails: shared-wavefronts
// at: if (sample < bins) atomicAdd(&copy[sample], 1U);
// Histogram, each warp counts in a copy of its own, while the block has room for them.
// Lecture: 08-histogram.
// Bound: still the lanes of one warp. Copies keep warps apart, but it is lanes that meet in one request.
#include <cstdint>

#include "histogram.h"
#include "lockstep/check_cuda.h"

constexpr int kThreads = 256;
constexpr int kWarps = kThreads / 32;
constexpr int kBlocksPerMultiprocessor = 8;
constexpr std::size_t kLeastSamples = 1 << 15;      // of a block, to be worth clearing and merging its copies
constexpr std::size_t kMostSharedBytes = 48 << 10;  // that a block gets without asking for more

/// Calls count(sample) for every sample, all threads of the grid together, 16 bytes a load.
template <class Sample, class Count>
__device__ void grid_for_each(const Sample* samples, std::size_t n, Count count) {
  constexpr std::size_t kInVector = sizeof(uint4) / sizeof(Sample);
  // Vectors begin at a multiple of 16 bytes. What lies before the first and after the last comes one by one.
  const std::size_t to_boundary = -reinterpret_cast<std::uintptr_t>(samples) % sizeof(uint4) / sizeof(Sample);
  const std::size_t head = min(to_boundary, n), vectors = (n - head) / kInVector;
  const std::size_t tail = head + vectors * kInVector;
  if (blockIdx.x == 0) {
    if (threadIdx.x < head) count(samples[threadIdx.x]);
    if (tail + threadIdx.x < n) count(samples[tail + threadIdx.x]);
  }
  const auto count_vector = [&](uint4 vector) {
    for (const unsigned word : {vector.x, vector.y, vector.z, vector.w}) {
      // The samples of a word, the lowest first; a word of 32 bits is one itself.
      for (int shift = 0; shift < 32; shift += 8 * sizeof(Sample)) {
        count(static_cast<Sample>(word >> shift));
      }
    }
  };
  const auto* const body = reinterpret_cast<const uint4*>(samples + head);
  const std::size_t step = std::size_t{gridDim.x} * kThreads;
  std::size_t i = std::size_t{blockIdx.x} * kThreads + threadIdx.x;
  for (; i + step < vectors; i += 2 * step) {
    const uint4 first = body[i], second = body[i + step];  // both on their way before one is counted
    count_vector(first);
    count_vector(second);
  }
  if (i < vectors) count_vector(body[i]);
}

// [warp-private]
template <class Sample>
__global__ void histogram_kernel(const Sample* samples, std::size_t n, unsigned long long* counts,
                                 unsigned bins, unsigned copies) {
  extern __shared__ unsigned cells[];  // copy after copy
  for (unsigned cell = threadIdx.x; cell < copies * bins; cell += kThreads) cells[cell] = 0;
  __syncthreads();  // nobody counts in a cell that is not clear yet
  unsigned* const copy = cells + threadIdx.x / 32 % copies * bins;
  grid_for_each(samples, n, [=](unsigned sample) {
    if (sample < bins) atomicAdd(&copy[sample], 1U);
  });
  __syncthreads();  // all have counted
  // [warp-private]
  for (unsigned bin = threadIdx.x; bin < bins; bin += kThreads) {
    unsigned long long count = 0;
    for (unsigned other = 0; other < copies; ++other) count += cells[other * bins + bin];
    if (count != 0) atomicAdd(&counts[bin], count);
  }
}

int blocks_for(std::size_t n) {
  int device, multiprocessors;
  CHECK_CUDA(cudaGetDevice(&device));
  CHECK_CUDA(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device));
  const std::size_t most = multiprocessors * kBlocksPerMultiprocessor;
  return static_cast<int>(min(most, n / kLeastSamples + 1));
}

template <class Sample>
void count(const Sample* samples, std::size_t n, unsigned long long* counts, int bins, cudaStream_t stream) {
  const std::size_t copy_bytes = bins * sizeof(unsigned);
  const std::size_t copies = min(std::size_t{kWarps}, kMostSharedBytes / copy_bytes);
  histogram_kernel<<<blocks_for(n), kThreads, copies * copy_bytes, stream>>>(samples, n, counts, bins,
                                                                             static_cast<unsigned>(copies));
  CHECK_CUDA(cudaGetLastError());
}

void histogram(const void* samples, int sample_bytes, std::size_t first, std::size_t n,
               unsigned long long* counts, int bins, cudaStream_t stream) {
  CHECK_CUDA(cudaMemsetAsync(counts, 0, bins * sizeof *counts, stream));
  if (sample_bytes == 1) {
    count(static_cast<const unsigned char*>(samples) + first, n, counts, bins, stream);
  } else {
    count(static_cast<const unsigned*>(samples) + first, n, counts, bins, stream);
  }
}
