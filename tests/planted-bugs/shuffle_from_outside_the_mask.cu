// The lane whose value is read is not one of those that the mask names.
// expect: bad-sync
// says: takes no part in the shuffle
#include "planted_bug.h"

template <bool kFixed>
__global__ void broadcast_kernel(const int* values, int* result) {
  if (threadIdx.x < 16) {
    const int value = values[threadIdx.x];
    result[threadIdx.x] = __shfl_sync(0x0000'FFFF, value, kFixed ? 4 : 20);  // <- here
  }
}

template <bool kFixed>
void run() {
  DeviceArray<int> values(32), result(32);
  broadcast_kernel<kFixed><<<1, 32>>>(values, result);
}
