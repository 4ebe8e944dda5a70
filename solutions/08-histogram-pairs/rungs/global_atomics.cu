// fails: global-sectors
// at: if (i < pairs) atomicAdd(&counts[symbols[i] * values + symbols[i + distance]], 1U);
// Pairs of symbols, one thread per pair, one atomic addition in global memory for each.
// Lecture: 08-histogram.
// Bound: the sectors that atomics update in L2.
#include "histogram_pairs.h"
#include "lockstep/check_cuda.h"

constexpr int kThreads = 256;

__global__ void histogram_pairs_kernel(const unsigned char* symbols, int pairs, int distance,
                                       unsigned* counts, int values) {
  const int i = blockIdx.x * kThreads + threadIdx.x;
  if (i < pairs) atomicAdd(&counts[symbols[i] * values + symbols[i + distance]], 1U);
}

void histogram_pairs(const unsigned char* symbols, int n, int distance, unsigned* counts, int values,
                     cudaStream_t stream) {
  CHECK_CUDA(cudaMemsetAsync(counts, 0, values * values * sizeof *counts, stream));
  const int pairs = n - distance;
  if (pairs <= 0) return;  // a grid without blocks is an error
  const int blocks = (pairs - 1) / kThreads + 1;
  histogram_pairs_kernel<<<blocks, kThreads, 0, stream>>>(symbols, pairs, distance, counts, values);
  CHECK_CUDA(cudaGetLastError());
}
