// A running sum over chunks takes the carry of the chunk before from shared memory, and the first chunk takes
// none. The compiler has the first chunk read it all the same, and drops what it read.
// expect: none
#include "planted_bug.h"

__global__ void running_sum_kernel(const int* in, int* out, int chunks) {
  __shared__ int carry;
  const int last = static_cast<int>(blockDim.x) - 1, thread = static_cast<int>(threadIdx.x);
  for (int chunk = 0; chunk < chunks; ++chunk) {
    const int i = chunk * (last + 1) + thread;
    const int before = chunk > 0 ? carry : 0;
    __syncthreads();
    out[i] = before + in[i];
    if (thread == last) carry = before + in[i];
    __syncthreads();
  }
}

template <bool kFixed>
void run() {
  DeviceArray<int> in(3 * 64), out(3 * 64);
  running_sum_kernel<<<1, 64>>>(in, out, 3);
}
