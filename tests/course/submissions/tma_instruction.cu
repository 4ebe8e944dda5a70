// expect: grader-error
// says: the emulated device does not support the instruction cp.async.bulk.prefetch.L2.global yet
// says: asm volatile("cp.async.bulk.prefetch.L2.global [%0], 16;" ::"l"(in));
// says: not of your code
// An instruction that hardware has and the emulated device has not: the grader's limit, not the student's
// fault.
#include "lockstep/check_cuda.h"
#include "transpose.h"

__global__ void transpose_kernel(const float* in, float* out) {
  out[0] = in[0];
  asm volatile("cp.async.bulk.prefetch.L2.global [%0], 16;" ::"l"(in));
}

void transpose(const float* in, float* out, int rows, int columns, cudaStream_t stream) {
  if (rows == 0 || columns == 0) return;
  transpose_kernel<<<1, 1, 0, stream>>>(in, out);
  CHECK_CUDA(cudaGetLastError());
}
