// expect: wrong-answer
// says: some were counted more than once
// The threads of every block step over the samples as if there were no other block.
#include "histogram.h"

#include "lockstep/check_cuda.h"

constexpr int kThreads = 256;
constexpr std::size_t kMaxBlocks = 32;

/// Counts the n samples from `samples` on. Sample is unsigned char or unsigned int.
template <class Sample>
__global__ void histogram_kernel(const Sample* samples, std::size_t n, unsigned long long* counts,
                                 unsigned bins) {
  __shared__ unsigned cells[4096];
  for (unsigned b = threadIdx.x; b < bins; b += kThreads) cells[b] = 0;
  __syncthreads();
  for (std::size_t i = std::size_t{blockIdx.x} * kThreads + threadIdx.x; i < n; i += kThreads) {
    const unsigned sample = samples[i];
    if (sample < bins) atomicAdd(&cells[sample], 1U);
  }
  __syncthreads();
  for (unsigned b = threadIdx.x; b < bins; b += kThreads)
    if (cells[b] != 0) atomicAdd(&counts[b], cells[b]);
}

template <class Sample>
void count(const Sample* samples, std::size_t n, unsigned long long* counts, int bins, cudaStream_t stream) {
  const std::size_t blocks = min(n / kThreads + 1, kMaxBlocks);
  histogram_kernel<<<blocks, kThreads, 0, stream>>>(samples, n, counts, bins);
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
