// Lanes call a shuffle with a mask that leaves them out.
// expect: bad-sync
// says: is not in the mask 0x0000ffff
// asks: bit l of the mask stands for lane l
#include "planted_bug.h"

template <bool kFixed>
__global__ void broadcast_kernel(const int* values, int* result) {
  const int value = values[threadIdx.x];
  result[threadIdx.x] = __shfl_sync(kFixed ? 0xFFFF'FFFF : 0x0000'FFFF, value, 0);  // <- here
}

template <bool kFixed>
void run() {
  DeviceArray<int> values(32), result(32);
  broadcast_kernel<kFixed><<<1, 32>>>(values, result);
}
