// expect: inefficient
// fails: parallelism
// A single block counts: fewer blocks to merge cannot be, nor fewer multiprocessors at work.
#include "histogram.h"
#include "lockstep/check_cuda.h"

constexpr int kLanes = 32;  // and banks of shared memory
constexpr int kThreads = 1024;
constexpr int kMaxCells = 56 * 1024;

template <class Sample>
__global__ void histogram_kernel(const Sample* samples, std::size_t n, unsigned long long* counts,
                                 unsigned bins, unsigned columns) {
  extern __shared__ unsigned cells[];  // a row of `columns` cells a bin
  for (unsigned cell = threadIdx.x; cell < bins * columns; cell += kThreads) cells[cell] = 0;
  __syncthreads();  // nobody counts in a cell that is not clear yet
  unsigned* const column = cells + threadIdx.x % columns;
  for (std::size_t i = threadIdx.x; i < n; i += kThreads) {
    const unsigned sample = samples[i];
    if (sample < bins) atomicAdd(&column[sample * columns], 1U);
  }
  __syncthreads();  // all have counted
  for (unsigned bin = threadIdx.x; bin < bins; bin += kThreads) {
    unsigned long long count = 0;
    // Each lane begins at another column, so that the lanes of a warp meet all 32 banks.
    const unsigned begin = bin / (kLanes / columns);
    for (unsigned k = 0; k < columns; ++k) count += cells[bin * columns + (begin + k) % columns];
    counts[bin] = count;
  }
}

template <class Sample>
void count(const Sample* samples, std::size_t n, unsigned long long* counts, int bins, cudaStream_t stream) {
  int columns = kLanes;
  while (bins * columns > kMaxCells) columns /= 2;
  const int shared_bytes = bins * columns * static_cast<int>(sizeof(unsigned));
  CHECK_CUDA(cudaFuncSetAttribute(histogram_kernel<Sample>, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                  shared_bytes));
  histogram_kernel<<<1, kThreads, shared_bytes, stream>>>(samples, n, counts, bins, columns);
  CHECK_CUDA(cudaGetLastError());
}

void histogram(const void* samples, int sample_bytes, std::size_t first, std::size_t n,
               unsigned long long* counts, int bins, cudaStream_t stream) {
  if (sample_bytes == 1) {
    count(static_cast<const unsigned char*>(samples) + first, n, counts, bins, stream);
  } else {
    count(static_cast<const unsigned*>(samples) + first, n, counts, bins, stream);
  }
}
