// fails: global-sectors
// at: const unsigned pair = symbols[i] * values + symbols[i + distance];
// fails: shared-wavefronts
// at: atomicAdd(&cells[pair], 1U);
// Pairs of symbols, each block counts in shared memory and adds its counts to the result once.
// Lecture: 08-histogram.
// Bound: bytes that are read twice, and pairs of one bank, which are served one after the other.
#include "histogram_pairs.h"
#include "lockstep/check_cuda.h"

constexpr int kThreads = 256;
constexpr int kMaxCells = 1024;
constexpr int kBlocksPerMultiprocessor = 8;
constexpr int kLeastPairs = 1 << 15;  // of a block, to be worth clearing and merging its cells

__global__ void histogram_pairs_kernel(const unsigned char* symbols, int pairs, int distance,
                                       unsigned* counts, int values) {
  __shared__ unsigned cells[kMaxCells];  // one per pair of values, for the whole block
  for (int cell = threadIdx.x; cell < values * values; cell += kThreads) cells[cell] = 0;
  __syncthreads();  // nobody counts in a cell that is not clear yet
  const int step = gridDim.x * kThreads;
  for (int i = blockIdx.x * kThreads + threadIdx.x; i < pairs; i += step) {
    const unsigned pair = symbols[i] * values + symbols[i + distance];
    atomicAdd(&cells[pair], 1U);
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
  if (pairs <= 0) return;
  histogram_pairs_kernel<<<blocks_for(pairs), kThreads, 0, stream>>>(symbols, pairs, distance, counts,
                                                                     values);
  CHECK_CUDA(cudaGetLastError());
}
