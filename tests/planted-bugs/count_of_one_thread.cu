// A count in shared memory that one thread keeps for itself. The compiler has the other threads read it too,
// and drops what they read.
// expect: none
#include "planted_bug.h"

__global__ void count_kernel(const int* values, int* counts) {
  __shared__ int count;
  const bool is_owner = threadIdx.x == 0;
  if (is_owner) count = values[0];
  __syncthreads();
  const int before = is_owner ? count : 0;
  counts[threadIdx.x] = before;
  if (is_owner) count = before + 1;
  __syncthreads();
  if (is_owner) counts[0] += count;
}

template <bool kFixed>
void run() {
  DeviceArray<int> values(64), counts(64);
  count_kernel<<<1, 64>>>(values, counts);
}
