// fails: shared-wavefronts
// at: atomicAdd(&cells[tile[k] * values + tile[k + distance]], 1U);
// fails: shared-passes
// at: atomicAdd(&cells[tile[k] * values + tile[k + distance]], 1U);
// Pairs of symbols, a block copies a tile to shared memory, with the symbols behind it that its last pairs
// need, and finds both symbols of a pair there. Lecture: 08-histogram.
// Bound: pairs of one bank, which are served one after the other.
#include "histogram_pairs.h"
#include "lockstep/check_cuda.h"

constexpr int kThreads = 256;
constexpr int kMaxCells = 1024, kMaxDistance = 32;
constexpr int kTile = 4096;  // pairs, and as many symbols that begin one
constexpr int kBlocksPerMultiprocessor = 8;
constexpr int kLeastPairs = 1 << 15;  // of a block, to be worth clearing and merging its cells

__global__ void histogram_pairs_kernel(const unsigned char* symbols, int n, int distance, unsigned* counts,
                                       int values) {
  __shared__ unsigned cells[kMaxCells];  // one per pair of values, for the whole block
  __shared__ unsigned char tile[kTile + kMaxDistance];
  for (int cell = threadIdx.x; cell < values * values; cell += kThreads) cells[cell] = 0;
  const int pairs = n - distance;
  for (int first = blockIdx.x * kTile; first < pairs; first += gridDim.x * kTile) {
    __syncthreads();  // the cells are clear, and all have counted the tile before
    const int symbols_here = min(kTile + kMaxDistance, n - first);
    for (int k = threadIdx.x; k < symbols_here; k += kThreads) tile[k] = symbols[first + k];
    __syncthreads();  // the tile is complete
    const int pairs_here = min(kTile, pairs - first);
    for (int k = threadIdx.x; k < pairs_here; k += kThreads) {
      atomicAdd(&cells[tile[k] * values + tile[k + distance]], 1U);
    }
  }
  __syncthreads();  // all have counted
  for (int cell = threadIdx.x; cell < values * values; cell += kThreads) {
    if (cells[cell] != 0) atomicAdd(&counts[cell], cells[cell]);
  }
}

int blocks_for(int pairs) {
  int device, multiprocessors;
  CHECK_CUDA(cudaGetDevice(&device));
  CHECK_CUDA(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device));
  return min(multiprocessors * kBlocksPerMultiprocessor, pairs / kLeastPairs + 1);
}

void histogram_pairs(const unsigned char* symbols, int n, int distance, unsigned* counts, int values,
                     cudaStream_t stream) {
  CHECK_CUDA(cudaMemsetAsync(counts, 0, values * values * sizeof *counts, stream));
  const int pairs = n - distance;
  if (pairs <= 0) return;  // no symbol has another at this distance
  histogram_pairs_kernel<<<blocks_for(pairs), kThreads, 0, stream>>>(symbols, n, distance, counts, values);
  CHECK_CUDA(cudaGetLastError());
}
