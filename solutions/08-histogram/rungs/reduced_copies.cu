// fails: shared-wavefronts
// at: if (sample < bins) atomicAdd(&cells[sample], 1U);
// Histogram, each block counts in shared memory and stores its counts; a second kernel adds them up.
// Lecture: 08-histogram.
// Bound: as with one copy per block, lanes that meet. No atomics in global memory, but each copy is written
// and read there.
#include <cstdint>

#include "histogram.h"
#include "lockstep/check_cuda.h"

constexpr int kThreads = 256;
constexpr int kBlocksPerMultiprocessor = 8;
constexpr std::size_t kLeastSamples = 1 << 15;  // of a block, to be worth a copy

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

// [store-copies]
template <class Sample>
__global__ void histogram_kernel(const Sample* samples, std::size_t n, unsigned* copies, unsigned bins) {
  extern __shared__ unsigned cells[];  // one a bin, for the whole block
  for (unsigned bin = threadIdx.x; bin < bins; bin += kThreads) cells[bin] = 0;
  __syncthreads();  // nobody counts in a cell that is not clear yet
  grid_for_each(samples, n, [=](unsigned sample) {
    if (sample < bins) atomicAdd(&cells[sample], 1U);
  });
  __syncthreads();  // all have counted
  unsigned* const copy = copies + blockIdx.x * bins;
  for (unsigned bin = threadIdx.x; bin < bins; bin += kThreads) copy[bin] = cells[bin];
}
// [store-copies]

// [reduce-copies]
/// A thread for each bin: neighbours read neighbours, copy after copy.
__global__ void reduce_kernel(const unsigned* copies, unsigned blocks, unsigned long long* counts,
                              unsigned bins) {
  const unsigned bin = blockIdx.x * kThreads + threadIdx.x;
  if (bin >= bins) return;
  unsigned long long count = 0;
  for (unsigned block = 0; block < blocks; ++block) count += copies[block * bins + bin];
  counts[bin] = count;
}
// [reduce-copies]

int blocks_for(std::size_t n) {
  int device, multiprocessors;
  CHECK_CUDA(cudaGetDevice(&device));
  CHECK_CUDA(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device));
  const std::size_t most = multiprocessors * kBlocksPerMultiprocessor;
  return static_cast<int>(min(most, n / kLeastSamples + 1));
}

template <class Sample>
void count(const Sample* samples, std::size_t n, unsigned long long* counts, int bins, cudaStream_t stream) {
  const int blocks = blocks_for(n);
  unsigned* copies = nullptr;
  CHECK_CUDA(cudaMallocAsync(&copies, sizeof(unsigned) * blocks * bins, stream));
  histogram_kernel<<<blocks, kThreads, bins * sizeof(unsigned), stream>>>(samples, n, copies, bins);
  CHECK_CUDA(cudaGetLastError());
  reduce_kernel<<<(bins - 1) / kThreads + 1, kThreads, 0, stream>>>(copies, blocks, counts, bins);
  CHECK_CUDA(cudaGetLastError());
  CHECK_CUDA(cudaFreeAsync(copies, stream));
}

void histogram(const void* samples, int sample_bytes, std::size_t first, std::size_t n,
               unsigned long long* counts, int bins, cudaStream_t stream) {
  if (sample_bytes == 1) {
    count(static_cast<const unsigned char*>(samples) + first, n, counts, bins, stream);
  } else {
    count(static_cast<const unsigned*>(samples) + first, n, counts, bins, stream);
  }
}
