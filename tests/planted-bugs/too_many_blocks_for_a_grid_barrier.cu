// A cooperative launch of more blocks than the device holds at once.
// expect: bad-launch
// says: fit on the device at once
#include "planted_bug.h"

template <bool kFixed>
__global__ void fill_kernel(int* values) {
  values[blockIdx.x * blockDim.x + threadIdx.x] = 1;
}

template <bool kFixed>
void run() {
  DeviceArray<int> values(64 * 1024);
  int* pointer = values;
  void* arguments[] = {&pointer};
  cudaLaunchCooperativeKernel(fill_kernel<kFixed>, dim3(kFixed ? 4 : 64), dim3(1024), arguments, 0, nullptr);
}
