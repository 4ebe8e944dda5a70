// expect: crashed
// says: cudaMemcpyAsync returned cudaErrorInvalidValue (invalid argument): 4 bytes
// says: which reach 3 bytes past the end of an allocation (1 bytes)
// Allocates as many bytes as there are elements, and copies past their end.
#include "lockstep/check_cuda.h"
#include "transpose.h"

void transpose(const float*, float* out, int rows, int columns, cudaStream_t stream) {
  const std::size_t n = static_cast<std::size_t>(rows) * static_cast<std::size_t>(columns);
  if (n == 0) return;
  float* transposed = nullptr;
  CHECK_CUDA(cudaMalloc(&transposed, n));
  CHECK_CUDA(cudaMemcpyAsync(out, transposed, n * sizeof(float), cudaMemcpyDeviceToDevice, stream));
  CHECK_CUDA(cudaFree(transposed));
}
