// expect: compile-error
// exercise: block-scan
// tries: Calls cub::BlockScan, which is the exercise.
// stopped by: Headers of banned libraries are not there while a submission is compiled, and asking for one
// ends it.
// says: block_scan.cu:9 includes cub/block/block_scan.cuh: CUB does what the exercises ask
#include "block_scan.h"

#include <cub/block/block_scan.cuh>

__global__ void block_scan_kernel(const int* in, int* out, int length) {
  using Scan = cub::BlockScan<int, 1024>;
  __shared__ Scan::TempStorage storage;
  const int i = threadIdx.x, at = blockIdx.x * length + i;
  int sum = 0;
  Scan(storage).ExclusiveSum(i < length ? in[at] : 0, sum);
  if (i < length) out[at] = sum;
}

void block_scan(const int* in, int* out, int segments, int length, cudaStream_t stream) {
  if (segments == 0 || length == 0) return;
  block_scan_kernel<<<segments, 1024, 0, stream>>>(in, out, length);
}
