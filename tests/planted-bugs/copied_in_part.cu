// Half of a structure is copied to the device; the other half is read there.
// expect: uninitialised-read
// says: read of byte 8 of global memory, which nothing has written
#include "planted_bug.h"

struct Range {
  double low, high;
};

template <bool kFixed>
__global__ void length_kernel(const Range* range, double* length) {
  *length = range->high - range->low;  // <- here
}

template <bool kFixed>
void run() {
  const Range host = {1, 3};
  Range* range = nullptr;
  cudaMalloc(&range, sizeof(Range));
  cudaMemcpy(range, &host, kFixed ? sizeof(Range) : sizeof(Range*), cudaMemcpyHostToDevice);
  DeviceArray<double> length(1);
  length_kernel<kFixed><<<1, 1>>>(range, length);
  cudaFree(range);
}
