// A counter lies inside a packed record, at an odd address.
// expect: misaligned
// says: atomic operation of 4 bytes
#include "planted_bug.h"

template <bool kFixed>
__global__ void count_kernel(unsigned char* record) {
  atomicAdd(reinterpret_cast<int*>(record + (kFixed ? 4 : 2)), 1);  // <- here
}

template <bool kFixed>
void run() {
  DeviceArray<unsigned char> record(16);
  count_kernel<kFixed><<<1, 32>>>(record);
}
