// expect: out-of-bounds
// tries: Writes where no memory is.
// stopped by: Every access is looked up in the allocations; on a GPU the driver's fault ends the context.
// says: at address 0xdeadbeef0004, which is in no allocation
// says: transpose.cu:
#include <cuda_runtime.h>

#include "lockstep/check_cuda.h"
#include "transpose.h"

__global__ void transpose_kernel(const float* in, float* out, int rows, int columns) {
  (void)in;
  *reinterpret_cast<float*>(0xdeadbeef0000 + rows * 4) = out == nullptr ? 0 : static_cast<float>(columns);
}

void transpose(const float* in, float* out, int rows, int columns, cudaStream_t stream) {
  if (rows == 0 || columns == 0) return;
  transpose_kernel<<<1, 32, 0, stream>>>(in, out, rows, columns);
  CHECK_CUDA(cudaGetLastError());
}
