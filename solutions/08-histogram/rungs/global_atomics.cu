// fails: global-sectors
// at: if (sample < bins) atomicAdd(&counts[sample], 1ULL);
// Histogram, one thread a sample, one atomic addition in global memory for each. Lecture: 08-histogram.
// Bound: atomics on few addresses. All of them meet in the same sectors of L2, and the fewer values there
// are, the longer the queue.
#include "histogram.h"
#include "lockstep/check_cuda.h"

constexpr int kThreads = 256;

// [count-in-global-memory]
template <class Sample>
__global__ void histogram_kernel(const Sample* samples, std::size_t n, unsigned long long* counts,
                                 unsigned bins) {
  const std::size_t i = std::size_t{blockIdx.x} * kThreads + threadIdx.x;
  if (i >= n) return;
  const unsigned sample = samples[i];
  if (sample < bins) atomicAdd(&counts[sample], 1ULL);
}
// [count-in-global-memory]

// [either-type]
template <class Sample>
void count(const Sample* samples, std::size_t n, unsigned long long* counts, int bins, cudaStream_t stream) {
  const std::size_t blocks = (n - 1) / kThreads + 1;
  histogram_kernel<<<blocks, kThreads, 0, stream>>>(samples, n, counts, bins);
  CHECK_CUDA(cudaGetLastError());
}

void histogram(const void* samples, int sample_bytes, std::size_t first, std::size_t n,
               unsigned long long* counts, int bins, cudaStream_t stream) {
  CHECK_CUDA(cudaMemsetAsync(counts, 0, bins * sizeof *counts, stream));
  if (n == 0) return;  // a grid without blocks is an error
  if (sample_bytes == 1) {
    count(static_cast<const unsigned char*>(samples) + first, n, counts, bins, stream);
  } else {
    count(static_cast<const unsigned*>(samples) + first, n, counts, bins, stream);
  }
}
// [either-type]
