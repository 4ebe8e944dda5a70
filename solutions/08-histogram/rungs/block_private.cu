// fails: shared-wavefronts
// at: if (sample < bins) atomicAdd(&cells[sample], 1U);
// Histogram, each block counts in shared memory and adds its counts to the result once.
// Lecture: 08-histogram.
// Bound: lanes of a warp that hold the same value, or values of one bank, are served one after the other.
#include "histogram.h"
#include "lockstep/check_cuda.h"

constexpr int kThreads = 256;
constexpr int kBlocksPerMultiprocessor = 8;
constexpr std::size_t kLeastSamples = 1 << 15;  // of a block, to be worth clearing and merging 4096 cells

// [block-private]
template <class Sample>
__global__ void histogram_kernel(const Sample* samples, std::size_t n, unsigned long long* counts,
                                 unsigned bins) {
  extern __shared__ unsigned cells[];  // one a bin, for the whole block
  for (unsigned bin = threadIdx.x; bin < bins; bin += kThreads) cells[bin] = 0;
  __syncthreads();  // nobody counts in a cell that is not clear yet
  const std::size_t step = std::size_t{gridDim.x} * kThreads;
  for (std::size_t i = std::size_t{blockIdx.x} * kThreads + threadIdx.x; i < n; i += step) {
    const unsigned sample = samples[i];
    if (sample < bins) atomicAdd(&cells[sample], 1U);
  }
  __syncthreads();  // all have counted
  // [block-private]
  for (unsigned bin = threadIdx.x; bin < bins; bin += kThreads) {
    if (cells[bin] != 0) atomicAdd(&counts[bin], cells[bin]);
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
  const std::size_t shared_bytes = bins * sizeof(unsigned);
  histogram_kernel<<<blocks_for(n), kThreads, shared_bytes, stream>>>(samples, n, counts, bins);
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
