// A block spins on a flag that the compiler reads once, as nothing says that it can change.
// expect: no-progress
// also: race
// says: nothing changes any more
#include "planted_bug.h"

template <bool kFixed>
__global__ void wait_kernel(int* ready, int* values) {
  const unsigned b = blockIdx.x;
  if (b + 1 < gridDim.x) {
    if constexpr (kFixed) {
      volatile int* flag = ready + b + 1;
      while (*flag == 0) {
      }
    } else {
      while (ready[b + 1] == 0) {  // <- here
      }
    }
  }
  values[b] = 1;
  if constexpr (kFixed) {
    *static_cast<volatile int*>(ready + b) = 1;
  } else {
    ready[b] = 1;
  }
}

template <bool kFixed>
void run() {
  DeviceArray<int> ready(4), values(4);
  wait_kernel<kFixed><<<4, 1>>>(ready, values);
}
