// CUB's histogram with bins of equal width, to compare with. It counts in 32 bits where they suffice, which
// is what it is fastest at; the counts are then widened.
#include <cub/device/device_histogram.cuh>
#include <limits>
#include <random>

#include "histogram.h"
#include "lockstep/check_cuda.h"
#include "lockstep/divide_up.h"

constexpr int kThreads = 256;

__global__ void widen_kernel(const unsigned* narrow, unsigned long long* counts, int bins) {
  const int bin = blockIdx.x * kThreads + threadIdx.x;
  if (bin < bins) counts[bin] = narrow[bin];
}

/// Memory that is kept from call to call, so that asking for it is not timed; all calls are on one stream.
class Kept {
 public:
  void* of_size(std::size_t bytes) {
    if (bytes > size_) {
      CHECK_CUDA(cudaFree(memory_));
      CHECK_CUDA(cudaMalloc(&memory_, bytes));
      size_ = bytes;
    }
    return memory_;
  }

 private:
  void* memory_ = nullptr;
  std::size_t size_ = 0;
};

/// With more than 256 bins CUB counts in its workspace. How often counters of several blocks then meet in one
/// part of the L2 cache depends on their addresses: on an H200 2^27 equal words take 267 to 445 us, by their
/// value and by the workspace. So calls take turns with many, and processes begin with different ones.
template <class Sample, class Count>
void count(const Sample* samples, std::size_t n, Count* counts, int bins, cudaStream_t stream) {
  constexpr int kMaxBinsInSharedMemory = 256;
  constexpr std::size_t kWorkspaces = 64, kAlignment = 256;
  static Kept kept;
  static std::size_t turn = std::random_device()();
  const auto samples_to_count = static_cast<long long>(n);
  const auto run = [&](void* memory, std::size_t& bytes) {
    CHECK_CUDA(cub::DeviceHistogram::HistogramEven(memory, bytes, samples, counts, bins + 1, 0u,
                                                   static_cast<unsigned>(bins), samples_to_count, stream));
  };
  std::size_t bytes = 0;
  run(nullptr, bytes);
  if (bins <= kMaxBinsInSharedMemory) return run(kept.of_size(bytes), bytes);
  const std::size_t apart = (bytes / kAlignment + 1) * kAlignment;
  run(static_cast<char*>(kept.of_size(kWorkspaces * apart)) + turn++ % kWorkspaces * apart, bytes);
}

template <class Sample>
void count_narrow(const Sample* samples, std::size_t n, unsigned long long* counts, int bins,
                  cudaStream_t stream) {
  static Kept kept;
  if (n > std::numeric_limits<unsigned>::max()) return count(samples, n, counts, bins, stream);
  auto* const narrow = static_cast<unsigned*>(kept.of_size(bins * sizeof(unsigned)));
  count(samples, n, narrow, bins, stream);
  widen_kernel<<<lockstep::divide_up(bins, kThreads), kThreads, 0, stream>>>(narrow, counts, bins);
  CHECK_CUDA(cudaGetLastError());
}

void histogram(const void* samples, int sample_bytes, std::size_t first, std::size_t n,
               unsigned long long* counts, int bins, cudaStream_t stream) {
  if (sample_bytes == 1) {
    count_narrow(static_cast<const unsigned char*>(samples) + first, n, counts, bins, stream);
  } else {
    count_narrow(static_cast<const unsigned*>(samples) + first, n, counts, bins, stream);
  }
}
