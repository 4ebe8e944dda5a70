// Pairs of symbols: tiles in shared memory, read 16 bytes per lane, and a column of cells for each lane; the
// reference. Lecture: 08-histogram.
// Bound: passes through shared memory, three for 32 pairs, whatever the symbols are.
#include "histogram_pairs.h"

#include "lockstep/check_cuda.h"

constexpr int kLanes = 32;  // and banks of shared memory
constexpr int kThreads = 1024;
constexpr int kMaxDistance = 32;
constexpr int kVectorBytes = sizeof(uint4);
constexpr int kTileBytes = kThreads * kVectorBytes;  // one vector for each thread
constexpr int kTile = kTileBytes - kMaxDistance;  // pairs; a multiple of 32, so that tiles begin at sectors

/// Copies the symbols from `first` on, as many as a tile holds and there are.
__device__ void block_load(const unsigned char* symbols, int n, int first, unsigned char* tile) {
  const int begin = threadIdx.x * kVectorBytes;
  if (first + begin + kVectorBytes <= n) {
    *reinterpret_cast<uint4*>(tile + begin) = *reinterpret_cast<const uint4*>(symbols + first + begin);
  } else {  // what fills no vector comes one by one
    for (int k = begin; k < begin + kVectorBytes && first + k < n; ++k) tile[k] = symbols[first + k];
  }
}

/// Adds up each pair's row of cells and adds the sum to the pair's count.
__device__ void block_merge(const unsigned* cells, int columns, unsigned* counts, int rows) {
  for (int row = threadIdx.x; row < rows; row += kThreads) {
    unsigned count = 0;
    // Each lane begins at another column, so that the lanes of a warp meet all 32 banks.
    const int begin = row / (kLanes / columns);
    for (int k = 0; k < columns; ++k) count += cells[row * columns + (begin + k) % columns];
    if (count != 0) atomicAdd(&counts[row], count);
  }
}

__global__ void __launch_bounds__(kThreads)
    histogram_pairs_kernel(const unsigned char* symbols, int n, int distance, unsigned* counts, int values,
                           int columns) {
  extern __shared__ uint4 shared[];
  auto* const tile = reinterpret_cast<unsigned char*>(shared);
  auto* const cells = reinterpret_cast<unsigned*>(tile + kTileBytes);  // a row of `columns` cells per pair
  const int rows = values * values, pairs = n - distance;
  for (int cell = threadIdx.x; cell < rows * columns; cell += kThreads) cells[cell] = 0;
  unsigned* const column = cells + threadIdx.x % columns;
  for (int first = blockIdx.x * kTile; first < pairs; first += gridDim.x * kTile) {
    __syncthreads();  // the cells are clear, and all have counted the tile before
    block_load(symbols, n, first, tile);
    __syncthreads();  // the tile is complete
    const int end = min(kTile, pairs - first);
    for (int k = threadIdx.x; k < end; k += kThreads) {
      atomicAdd(&column[(tile[k] * values + tile[k + distance]) * columns], 1U);
    }
  }
  __syncthreads();  // all have counted
  block_merge(cells, columns, counts, rows);
}

int attribute(cudaDeviceAttr wanted) {
  int device, value;
  CHECK_CUDA(cudaGetDevice(&device));
  CHECK_CUDA(cudaDeviceGetAttribute(&value, wanted, device));
  return value;
}

void histogram_pairs(const unsigned char* symbols, int n, int distance, unsigned* counts, int values,
                     cudaStream_t stream) {
  const int rows = values * values, pairs = n - distance;
  CHECK_CUDA(cudaMemsetAsync(counts, 0, rows * sizeof *counts, stream));
  if (pairs <= 0) return;  // no symbol has another at this distance
  // As many columns as a warp has lanes, or the half, a quarter, … that a block has room for beside the tile.
  const int most_bytes = attribute(cudaDevAttrMaxSharedMemoryPerBlockOptin);
  const int row_bytes = rows * static_cast<int>(sizeof(unsigned));
  int columns = kLanes;
  while (kTileBytes + row_bytes * columns > most_bytes) columns /= 2;
  // All that a block may have, not what this call needs: threads of the host share the bound.
  CHECK_CUDA(
      cudaFuncSetAttribute(histogram_pairs_kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, most_bytes));
  // One block per multiprocessor: its cells may need more than half of the shared memory there.
  const int blocks = min(attribute(cudaDevAttrMultiProcessorCount), (pairs - 1) / kTile + 1);
  histogram_pairs_kernel<<<blocks, kThreads, kTileBytes + row_bytes * columns, stream>>>(
      symbols, n, distance, counts, values, columns);
  CHECK_CUDA(cudaGetLastError());
}
