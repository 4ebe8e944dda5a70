// expect: out-of-bounds
// tries: Uses a shared address of 64 bits, whose lower half is in bounds, to reach the device's own memory.
// stopped by: Addresses are checked with all the bits that a register has.
// says: at offset 17592186044416 of the block's shared memory
// says: transpose.cu:
#include <cuda_runtime.h>

#include "lockstep/check_cuda.h"
#include "transpose.h"

__global__ void transpose_kernel(unsigned long long address) {
  asm volatile("st.shared.f32 [%0], %1;" ::"l"(address + threadIdx.x * 4), "f"(1.0f));
}

void transpose(const float*, float*, int rows, int columns, cudaStream_t stream) {
  if (rows == 0 || columns == 0) return;
  transpose_kernel<<<1, 32, 4096, stream>>>(1ull << 44);
  CHECK_CUDA(cudaGetLastError());
}
