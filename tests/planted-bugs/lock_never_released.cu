// A path out of the critical section leaves the lock taken.
// expect: no-progress
// says: nothing changes any more
#include "planted_bug.h"

template <bool kFixed>
__global__ void insert_kernel(int* lock, int* list, const int* values) {
  if (threadIdx.x != 0) return;
  while (atomicCAS(lock, 0, 1) != 0) {  // <- here
  }
  __threadfence();
  const int value = values[blockIdx.x];
  if (!kFixed && value == 0) return;
  list[0] += value;
  __threadfence();
  atomicExch(lock, 0);
}

template <bool kFixed>
void run() {
  DeviceArray<int> lock(1), list(1), values(4);
  insert_kernel<kFixed><<<4, 32>>>(lock, list, values);
}
