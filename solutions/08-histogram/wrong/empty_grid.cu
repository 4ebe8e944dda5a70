// expect: launch-failed
// Without samples there are no blocks, and a grid without blocks cannot be launched.
#include "histogram.h"
#include "lockstep/check_cuda.h"

constexpr int kThreads = 256;
template <class Sample>
__global__ void histogram_kernel(const Sample* samples, std::size_t n, unsigned long long* counts,
                                 unsigned bins) {
  const std::size_t i = std::size_t{blockIdx.x} * kThreads + threadIdx.x;
  if (i >= n) return;
  const unsigned sample = samples[i];
  if (sample < bins) atomicAdd(&counts[sample], 1ULL);
}
template <class Sample>
void count(const Sample* samples, std::size_t n, unsigned long long* counts, int bins, cudaStream_t stream) {
  const std::size_t blocks = (n + kThreads - 1) / kThreads;
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
