// CUB's histogram with bins of equal width, to compare with. It counts in 32 bits where they suffice, which
// is what it is fastest at; the counts are then widened.
#include <cub/device/device_histogram.cuh>
#include <limits>

#include "histogram.h"
#include "lockstep/check_cuda.h"
#include "lockstep/divide_up.h"

constexpr int kThreads = 256;

__global__ void widen_kernel(const unsigned* narrow, unsigned long long* counts, int bins) {
  const int bin = blockIdx.x * kThreads + threadIdx.x;
  if (bin < bins) counts[bin] = narrow[bin];
}

template <class Sample, class Count>
void count(const Sample* samples, std::size_t n, Count* counts, int bins, cudaStream_t stream) {
  const auto samples_to_count = static_cast<long long>(n);
  const auto run = [&](void* workspace, std::size_t& bytes) {
    CHECK_CUDA(cub::DeviceHistogram::HistogramEven(workspace, bytes, samples, counts, bins + 1, 0u,
                                                   static_cast<unsigned>(bins), samples_to_count, stream));
  };
  std::size_t bytes = 0;
  run(nullptr, bytes);
  void* workspace;
  CHECK_CUDA(cudaMallocAsync(&workspace, bytes, stream));
  run(workspace, bytes);
  CHECK_CUDA(cudaFreeAsync(workspace, stream));
}

template <class Sample>
void count_narrow(const Sample* samples, std::size_t n, unsigned long long* counts, int bins,
                  cudaStream_t stream) {
  if (n > std::numeric_limits<unsigned>::max()) return count(samples, n, counts, bins, stream);
  unsigned* narrow;
  CHECK_CUDA(cudaMallocAsync(&narrow, bins * sizeof *narrow, stream));
  count(samples, n, narrow, bins, stream);
  widen_kernel<<<lockstep::divide_up(bins, kThreads), kThreads, 0, stream>>>(narrow, counts, bins);
  CHECK_CUDA(cudaGetLastError());
  CHECK_CUDA(cudaFreeAsync(narrow, stream));
}

void histogram(const void* samples, int sample_bytes, std::size_t first, std::size_t n,
               unsigned long long* counts, int bins, cudaStream_t stream) {
  if (sample_bytes == 1) {
    count_narrow(static_cast<const unsigned char*>(samples) + first, n, counts, bins, stream);
  } else {
    count_narrow(static_cast<const unsigned*>(samples) + first, n, counts, bins, stream);
  }
}
