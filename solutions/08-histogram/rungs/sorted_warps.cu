// fails: shared-wavefronts
// at: atomicAdd(&cells[sorted], length);
// Histogram, each warp sorts its samples and adds a run of equal ones at once.
// Lecture: 08-histogram.
// Bound: instructions, 15 steps of a sort for 32 samples.
#include "histogram.h"
#include "lockstep/check_cuda.h"

constexpr int kThreads = 256;
constexpr int kBlocksPerMultiprocessor = 8;
constexpr std::size_t kLeastSamples = 1 << 15;  // of a block, to be worth clearing and merging 4096 cells
constexpr unsigned kAllLanes = 0xffffffff;
constexpr unsigned kNone = 0xffffffff;  // in no bin

// [sort-a-warp]
/// The samples of a warp in ascending order, one per lane, after 15 exchanges between lanes.
__device__ unsigned warp_sort(unsigned sample) {
  const unsigned lane = threadIdx.x % 32;
  for (unsigned run = 2; run <= 32; run *= 2) {
    for (unsigned distance = run / 2; distance > 0; distance /= 2) {
      const unsigned other = __shfl_xor_sync(kAllLanes, sample, distance);
      const bool keeps_smaller = ((lane & distance) == 0) == ((lane & run) == 0);
      sample = keeps_smaller ? min(sample, other) : max(sample, other);
    }
  }
  return sample;
}
// [sort-a-warp]

// [reduce-by-key]
/// Adds to the cells what the warp has of each sample: the first lane of a run of equal ones adds its length.
__device__ void count_runs(unsigned sorted, unsigned* cells, unsigned bins) {
  const unsigned lane = threadIdx.x % 32, left = __shfl_up_sync(kAllLanes, sorted, 1);
  const unsigned firsts = __ballot_sync(kAllLanes, lane == 0 || left != sorted);
  if ((firsts >> lane & 1) == 0 || sorted >= bins) return;
  const unsigned later = firsts >> lane >> 1;  // where the next runs begin, from the lane behind this one on
  const unsigned length = later == 0 ? 32 - lane : __ffs(later);
  atomicAdd(&cells[sorted], length);
}
// [reduce-by-key]

template <class Sample>
__global__ void histogram_kernel(const Sample* samples, std::size_t n, unsigned long long* counts,
                                 unsigned bins) {
  extern __shared__ unsigned cells[];  // one a bin, for the whole block
  for (unsigned bin = threadIdx.x; bin < bins; bin += kThreads) cells[bin] = 0;
  __syncthreads();  // nobody counts in a cell that is not clear yet
  const std::size_t step = std::size_t{gridDim.x} * kThreads;
  const unsigned lane = threadIdx.x % 32;
  for (std::size_t i = std::size_t{blockIdx.x} * kThreads + threadIdx.x; i - lane < n; i += step) {
    const unsigned sample = i < n ? samples[i] : kNone;  // all lanes of a warp stay in the loop together
    count_runs(warp_sort(sample), cells, bins);
  }
  __syncthreads();  // all have counted
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
