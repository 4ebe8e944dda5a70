// CUB's histogram with bins of equal width, to compare with.
#include <cub/device/device_histogram.cuh>

#include "histogram.h"
#include "lockstep/check_cuda.h"

template <class Sample>
void count(const Sample* samples, std::size_t n, unsigned long long* counts, int bins, cudaStream_t stream) {
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

void histogram(const void* samples, int sample_bytes, std::size_t first, std::size_t n,
               unsigned long long* counts, int bins, cudaStream_t stream) {
  if (sample_bytes == 1) {
    count(static_cast<const unsigned char*>(samples) + first, n, counts, bins, stream);
  } else {
    count(static_cast<const unsigned*>(samples) + first, n, counts, bins, stream);
  }
}
