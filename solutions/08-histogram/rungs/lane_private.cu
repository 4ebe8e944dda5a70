// Histogram, a row of cells for each bin, one for each lane: no two lanes of a warp ever meet.
// Lecture: 08-histogram.
// Bound: one pass through shared memory for 32 samples, whatever they are; and the instructions around it.
#include <cstdint>

#include "histogram.h"
#include "lockstep/check_cuda.h"

constexpr int kLanes = 32;  // and banks of shared memory
constexpr int kThreads = 1024;
constexpr std::size_t kLeastSamples = 1 << 15;  // of a block, to be worth clearing and merging its cells

/// Calls count(sample) for every sample, all threads of the grid together, 16 bytes a load.
template <class Sample, class Count>
__device__ void grid_for_each(const Sample* samples, std::size_t n, Count count) {
  constexpr std::size_t kInVector = sizeof(uint4) / sizeof(Sample);
  // Vectors begin at a multiple of 16 bytes. What lies before the first and after the last comes one by one.
  const std::size_t to_boundary = -reinterpret_cast<std::uintptr_t>(samples) % sizeof(uint4) / sizeof(Sample);
  const std::size_t head = min(to_boundary, n), vectors = (n - head) / kInVector;
  const std::size_t tail = head + vectors * kInVector;
  if (blockIdx.x == 0) {
    if (threadIdx.x < head) count(samples[threadIdx.x]);
    if (tail + threadIdx.x < n) count(samples[tail + threadIdx.x]);
  }
  const auto count_vector = [&](uint4 vector) {
    for (const unsigned word : {vector.x, vector.y, vector.z, vector.w}) {
      // The samples of a word, the lowest first; a word of 32 bits is one itself.
      for (int shift = 0; shift < 32; shift += 8 * sizeof(Sample)) {
        count(static_cast<Sample>(word >> shift));
      }
    }
  };
  const auto* const body = reinterpret_cast<const uint4*>(samples + head);
  const std::size_t step = std::size_t{gridDim.x} * kThreads;
  std::size_t i = std::size_t{blockIdx.x} * kThreads + threadIdx.x;
  for (; i + step < vectors; i += 2 * step) {
    const uint4 first = body[i], second = body[i + step];  // both on their way before one is counted
    count_vector(first);
    count_vector(second);
  }
  if (i < vectors) count_vector(body[i]);
}

// [lane-private]
template <class Sample>
__global__ void histogram_kernel(const Sample* samples, std::size_t n, unsigned long long* counts,
                                 unsigned bins, unsigned columns) {
  extern __shared__ unsigned cells[];  // a row of `columns` cells a bin
  for (unsigned cell = threadIdx.x; cell < bins * columns; cell += kThreads) cells[cell] = 0;
  __syncthreads();  // nobody counts in a cell that is not clear yet
  unsigned* const column = cells + threadIdx.x % columns;
  grid_for_each(samples, n, [=](unsigned sample) {
    if (sample < bins) atomicAdd(&column[sample * columns], 1U);
  });
  // [lane-private]
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

// [columns]
/// As many columns as a warp has lanes, or the half, a quarter, … that a block has room for.
int columns_for(int bins) {
  const int most_cells = attribute(cudaDevAttrMaxSharedMemoryPerBlockOptin) / sizeof(unsigned);
  int columns = kLanes;
  while (bins * columns > most_cells) columns /= 2;
  return columns;
}
// [columns]

template <class Sample>
void count(const Sample* samples, std::size_t n, unsigned long long* counts, int bins, cudaStream_t stream) {
  const int columns = columns_for(bins);
  const int shared_bytes = bins * columns * static_cast<int>(sizeof(unsigned));
  // More than 48 KiB a block gets only on demand. Threads of the host share the bound: it is the device's.
  CHECK_CUDA(cudaFuncSetAttribute(histogram_kernel<Sample>, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                  attribute(cudaDevAttrMaxSharedMemoryPerBlockOptin)));
  int blocks_at_once;
  CHECK_CUDA(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks_at_once, histogram_kernel<Sample>,
                                                           kThreads, shared_bytes));
  const std::size_t most_blocks = attribute(cudaDevAttrMultiProcessorCount) * blocks_at_once;
  const auto blocks = static_cast<int>(min(most_blocks, n / kLeastSamples + 1));
  histogram_kernel<<<blocks, kThreads, shared_bytes, stream>>>(samples, n, counts, bins, columns);
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
