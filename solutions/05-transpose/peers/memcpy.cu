// unchecked
// Moves the bytes of the matrix and leaves their order: what any transpose can reach at most.
#include "lockstep/check_cuda.h"
#include "transpose.h"

void transpose(const float* in, float* out, int rows, int columns, cudaStream_t stream) {
  const std::size_t bytes = sizeof(float) * rows * columns;
  CHECK_CUDA(cudaMemcpyAsync(out, in, bytes, cudaMemcpyDeviceToDevice, stream));
}
