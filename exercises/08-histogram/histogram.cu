// Count how often each value occurs: the file that you hand in. The task is in README.md, the interface in
// histogram.h.
#include "histogram.h"

#include "lockstep/check_cuda.h"

constexpr int kThreads = 256;
constexpr std::size_t kMaxBlocks = 1024;

/// Counts the n samples from `samples` on. Sample is unsigned char or unsigned int.
template <class Sample>
__global__ void histogram_kernel(const Sample* samples, std::size_t n, unsigned long long* counts,
                                 unsigned bins) {
  const std::size_t step = std::size_t{gridDim.x} * kThreads;
  for (std::size_t i = std::size_t{blockIdx.x} * kThreads + threadIdx.x; i < n; i += step) {
    if (samples[i] < bins) {
      // TODO: add 1 to the count of this sample. Other threads add at the same time, and some of them hold
      // the same sample. Once that is correct, make it economical.
    }
  }
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
