// Histogram with a column of cells for each lane and 16 bytes a load, the reference. Lecture: 08-histogram.
// Bound: memory bandwidth, whatever the samples are. Up to 1024 bins a request to shared memory counts 32
// samples in one pass, up to 4096 in at most four; and nobody waits for its answer.
#include "histogram.h"

#include <cstdint>

#include "lockstep/check_cuda.h"

constexpr int kLanes = 32;  // and banks of shared memory
constexpr std::size_t kVectorBytes = sizeof(uint4);
constexpr std::size_t kSharedBytes = 48 << 10;  // that a block gets on every card, without asking
constexpr std::size_t kLeastSamples = 1 << 15;  // of a block, to be worth clearing and merging its cells

/// What a multiprocessor works on at a time: kBlocks of kThreads, each with kVectors on their way. Bytes hide
/// the latency of memory with threads; words with vectors, as one block may need nearly all shared memory.
template <class Sample>
struct Shape;
template <>
struct Shape<unsigned char> {
  static constexpr int kThreads = 1024, kBlocks = 2, kVectors = 2;
  static constexpr int kMostBins = 256, kMostColumns = kLanes;
};
template <>
struct Shape<unsigned> {
  static constexpr int kThreads = 1024, kBlocks = 1, kVectors = 4;
  static constexpr int kMostBins = 4096, kMostColumns = kLanes;
};

/// Bytes have a row of cells for every value, so that none needs to be compared with `bins`.
template <class Sample>
__host__ __device__ unsigned rows_for(unsigned bins) {
  return sizeof(Sample) == 1 ? 256 : bins;
}

/// The cells that a thread counts in: one of the columns of the block's cells.
template <class Sample, int kColumns>
struct Column {
  unsigned* top;
  unsigned rows;

  // [count-a-vector]
  __device__ void count(unsigned sample) const {
    if (sizeof(Sample) == 1 || sample < rows) atomicAdd(&top[sample * kColumns], 1U);
  }
  __device__ void count_word(unsigned word) const {
    if constexpr (sizeof(Sample) == 4) {
      count(word);
    } else {
      for (int byte = 0; byte < 4; ++byte) count(word >> 8 * byte & 0xff);
    }
  }
  __device__ void count_vector(uint4 vector) const {
    count_word(vector.x);
    count_word(vector.y);
    count_word(vector.z);
    count_word(vector.w);
  }
  // [count-a-vector]
};

/// Adds up each bin's row of cells and adds the sum to the bin's count.
template <int kColumns>
__device__ void block_merge(const unsigned* cells, unsigned long long* counts, unsigned bins) {
  for (unsigned bin = threadIdx.x; bin < bins; bin += blockDim.x) {
    unsigned long long count = 0;
    // Each lane begins at another column, so that the lanes of a warp meet all 32 banks.
    const unsigned begin = bin / (kLanes / kColumns);
#pragma unroll 4  // all at once would keep 32 places in registers that the loop over the samples needs
    for (unsigned k = 0; k < kColumns; ++k) count += cells[bin * kColumns + (begin + k) % kColumns];
    if (count != 0) atomicAdd(&counts[bin], count);
  }
}

template <class Sample, int kColumns>
__global__ void __launch_bounds__(Shape<Sample>::kThreads, Shape<Sample>::kBlocks)
    histogram_kernel(const Sample* samples, std::size_t n, unsigned long long* counts, unsigned bins) {
  constexpr int kThreads = Shape<Sample>::kThreads, kVectors = Shape<Sample>::kVectors;
  extern __shared__ unsigned cells[];  // row after row
  const unsigned rows = rows_for<Sample>(bins);
  for (unsigned cell = threadIdx.x; cell < rows * kColumns; cell += kThreads) cells[cell] = 0;
  __syncthreads();  // nobody counts in a cell that is not clear yet
  const Column<Sample, kColumns> column{cells + threadIdx.x % kColumns, rows};
  // Vectors must begin at a multiple of 16 bytes. What lies before the first and after the last is counted
  // one by one.
  const std::size_t to_boundary = -reinterpret_cast<std::uintptr_t>(samples) % kVectorBytes / sizeof(Sample);
  const std::size_t head = min(to_boundary, n);
  const std::size_t vectors = (n - head) * sizeof(Sample) / kVectorBytes;
  const std::size_t tail = head + vectors * (kVectorBytes / sizeof(Sample));
  if (blockIdx.x == 0) {
    if (threadIdx.x < head) column.count(samples[threadIdx.x]);
    if (tail + threadIdx.x < n) column.count(samples[tail + threadIdx.x]);
  }
  // [vectors-in-flight]
  const auto* const body = reinterpret_cast<const uint4*>(samples + head);
  const std::size_t step = std::size_t{gridDim.x} * kThreads;
  std::size_t i = std::size_t{blockIdx.x} * kThreads + threadIdx.x;
  for (; i + (kVectors - 1) * step < vectors; i += kVectors * step) {
    uint4 vector[kVectors];  // read all before the first is counted, to have many bytes on their way
    for (int k = 0; k < kVectors; ++k) vector[k] = __ldcs(&body[i + k * step]);
    for (int k = 0; k < kVectors; ++k) column.count_vector(vector[k]);
  }
  for (; i < vectors; i += step) column.count_vector(__ldcs(&body[i]));
  // [vectors-in-flight]
  __syncthreads();  // all have counted
  block_merge<kColumns>(cells, counts, bins);
}

int attribute(cudaDeviceAttr wanted) {
  int device, value;
  CHECK_CUDA(cudaGetDevice(&device));
  CHECK_CUDA(cudaDeviceGetAttribute(&value, wanted, device));
  return value;
}

/// Counts with kColumns columns, or with the half, a quarter, … that a block has room for.
template <class Sample, int kColumns = Shape<Sample>::kMostColumns>
void count(const Sample* samples, std::size_t n, unsigned long long* counts, int bins, cudaStream_t stream) {
  using Work = Shape<Sample>;
  const std::size_t cell_bytes = rows_for<Sample>(bins) * kColumns * sizeof(unsigned);
  // [fewer-columns]
  const std::size_t most = attribute(cudaDevAttrMaxSharedMemoryPerBlockOptin);
  if constexpr (Work::kMostBins * kColumns * sizeof(unsigned) > kSharedBytes) {
    if (cell_bytes > most) return count<Sample, kColumns / 2>(samples, n, counts, bins, stream);
  }
  const auto kernel = histogram_kernel<Sample, kColumns>;
  // All that a block may have, not what this call needs: threads of the host share the bound.
  CHECK_CUDA(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, most));
  // [fewer-columns]
  int blocks_at_once;
  CHECK_CUDA(
      cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks_at_once, kernel, Work::kThreads, cell_bytes));
  const std::size_t most_blocks = attribute(cudaDevAttrMultiProcessorCount) * blocks_at_once;
  const std::size_t blocks = min(most_blocks, n / kLeastSamples + 1);
  kernel<<<blocks, Work::kThreads, cell_bytes, stream>>>(samples, n, counts, bins);
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
