// A running sum over chunks takes the carry of the chunk before from shared memory, and so does the first
// chunk, which has none before it.
// expect: uninitialised-read
// says: of the block's shared memory, which no thread of the block has written
#include "planted_bug.h"

__global__ void running_sum_kernel(const int* in, int* out, int chunks, int first_with_carry) {
  __shared__ int carry;
  const int last = static_cast<int>(blockDim.x) - 1, thread = static_cast<int>(threadIdx.x);
  for (int chunk = 0; chunk < chunks; ++chunk) {
    const int i = chunk * (last + 1) + thread;
    const int before = chunk >= first_with_carry ? carry : 0;  // <- here
    __syncthreads();
    out[i] = before + in[i];
    if (thread == last) carry = before + in[i];
    __syncthreads();
  }
}

template <bool kFixed>
void run() {
  DeviceArray<int> in(3 * 64), out(3 * 64);
  running_sum_kernel<<<1, 64>>>(in, out, 3, kFixed ? 1 : 0);
}
