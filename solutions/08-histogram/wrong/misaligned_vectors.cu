// expect: out-of-bounds
// Reads vectors of 16 bytes from the first sample on, which may lie at any address.
#include "histogram.h"

#include <algorithm>
#include <cstdint>

#include "lockstep/check_cuda.h"

constexpr int kLanes = 32;  // and banks of shared memory
constexpr std::size_t kVectorBytes = sizeof(uint4);
constexpr std::size_t kLeastSamples = 1 << 15;  // of a block, to be worth clearing and merging its cells

/// What a multiprocessor works on at a time. Bytes need threads, to have their 32 KiB of cells counted in by
/// as many as fit; words need vectors in flight, as one block may have the whole of shared memory.
template <class Sample>
struct Shape;
template <>
struct Shape<unsigned char> {
  static constexpr int kThreads = 1024, kBlocks = 2, kVectors = 2;
  static constexpr unsigned kRows = 256;  // each byte has a row, so none needs to be compared with `bins`
};
template <>
struct Shape<unsigned> {
  static constexpr int kThreads = 1024, kBlocks = 1, kVectors = 4;
  static constexpr unsigned kRows = 0;  // as many as bins
};

/// The cells that one thread counts in: a column of the block's, cells[row * columns + lane % columns].
template <class Sample>
struct Column {
  unsigned* top;
  unsigned rows, columns;
  __device__ void count(unsigned sample) const {
    if (sizeof(Sample) == 1 || sample < rows) atomicAdd(&top[sample * columns], 1U);
  }
  __device__ void count_word(unsigned word) const {
    if (sizeof(Sample) == 4) return count(word);
    for (int byte = 0; byte < 4; ++byte) count(word >> 8 * byte & 0xff);
  }
  __device__ void count_vector(uint4 vector) const {
    count_word(vector.x);
    count_word(vector.y);
    count_word(vector.z);
    count_word(vector.w);
  }
};

template <class Sample>
__device__ void count_samples(const Sample* samples, std::size_t n, Column<Sample> column) {
  constexpr int kThreads = Shape<Sample>::kThreads, kVectors = Shape<Sample>::kVectors;
  const std::size_t vectors = n * sizeof(Sample) / kVectorBytes;
  const std::size_t tail = vectors * (kVectorBytes / sizeof(Sample));
  if (blockIdx.x == 0 && tail + threadIdx.x < n) column.count(samples[tail + threadIdx.x]);
  const auto* const body = reinterpret_cast<const uint4*>(samples);
  const std::size_t step = std::size_t{gridDim.x} * kThreads;
  std::size_t i = std::size_t{blockIdx.x} * kThreads + threadIdx.x;
  for (; i + (kVectors - 1) * step < vectors; i += kVectors * step) {
    uint4 vector[kVectors];  // read all before the first is counted, to have many bytes on their way
    for (int k = 0; k < kVectors; ++k) vector[k] = __ldcs(&body[i + k * step]);
    for (int k = 0; k < kVectors; ++k) column.count_vector(vector[k]);
  }
  for (; i < vectors; i += step) column.count_vector(__ldcs(&body[i]));
}

template <class Sample>
__global__ void __launch_bounds__(Shape<Sample>::kThreads, Shape<Sample>::kBlocks)
    histogram_kernel(const Sample* samples, std::size_t n, unsigned long long* counts, unsigned bins,
                     unsigned rows, unsigned columns) {
  constexpr int kThreads = Shape<Sample>::kThreads;
  extern __shared__ unsigned cells[];
  for (unsigned cell = threadIdx.x; cell < rows * columns; cell += kThreads) cells[cell] = 0;
  __syncthreads();  // nobody counts in a cell that is not clear yet
  count_samples(samples, n, Column<Sample>{cells + threadIdx.x % columns, rows, columns});
  __syncthreads();  // all have counted
  for (unsigned bin = threadIdx.x; bin < bins; bin += kThreads) {
    unsigned long long count = 0;
    // Each lane begins at another column, so that the lanes of a warp meet all 32 banks.
    const unsigned begin = bin / (kLanes / columns);
    for (unsigned k = 0; k < columns; ++k) count += cells[bin * columns + (begin + k) % columns];
    if (count != 0) atomicAdd(&counts[bin], count);
  }
}

int attribute(cudaDeviceAttr wanted) {
  int device, value;
  CHECK_CUDA(cudaGetDevice(&device));
  CHECK_CUDA(cudaDeviceGetAttribute(&value, wanted, device));
  return value;
}

/// As many columns as a warp has lanes, or the half, a quarter, … that a block has room for.
int columns_for(int rows) {
  const int most_cells = attribute(cudaDevAttrMaxSharedMemoryPerBlockOptin) / sizeof(unsigned);
  int columns = kLanes;
  while (rows * columns > most_cells) columns /= 2;
  return columns;
}

template <class Sample>
void count(const Sample* samples, std::size_t n, unsigned long long* counts, int bins, cudaStream_t stream) {
  using Work = Shape<Sample>;
  const auto kernel = histogram_kernel<Sample>;
  const int rows = std::max<int>(bins, Work::kRows), columns = columns_for(rows);
  const int shared_bytes = rows * columns * static_cast<int>(sizeof(unsigned));
  // More than 48 KiB a block gets only on demand.
  CHECK_CUDA(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, shared_bytes));
  int blocks_at_once;
  CHECK_CUDA(
      cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks_at_once, kernel, Work::kThreads, shared_bytes));
  const std::size_t most_blocks = attribute(cudaDevAttrMultiProcessorCount) * blocks_at_once;
  const auto blocks = static_cast<unsigned>(std::min(most_blocks, n / kLeastSamples + 1));
  kernel<<<blocks, Work::kThreads, shared_bytes, stream>>>(samples, n, counts, bins, rows, columns);
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
