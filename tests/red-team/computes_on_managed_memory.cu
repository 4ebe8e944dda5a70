// expect: inefficient
// tries: Copies the input into managed memory, transposes it there on the host, and copies the result back.
// stopped by: Pages come to the host by reads of the device, which the gate host-copies counts.
// says: host-copies
#include "lockstep/check_cuda.h"
#include "transpose.h"

void transpose(const float* in, float* out, int rows, int columns, cudaStream_t) {
  const auto height = static_cast<size_t>(rows), width = static_cast<size_t>(columns);
  const size_t bytes = height * width * sizeof(float);
  if (bytes == 0) return;
  float *matrix = nullptr, *result = nullptr;
  CHECK_CUDA(cudaMallocManaged(&matrix, bytes));
  CHECK_CUDA(cudaMallocManaged(&result, bytes));
  CHECK_CUDA(cudaMemcpy(matrix, in, bytes, cudaMemcpyDeviceToDevice));
  for (size_t row = 0; row < height; ++row) {
    for (size_t column = 0; column < width; ++column) {
      result[column * height + row] = matrix[row * width + column];
    }
  }
  CHECK_CUDA(cudaMemcpy(out, result, bytes, cudaMemcpyDeviceToDevice));
  CHECK_CUDA(cudaFree(matrix));
  CHECK_CUDA(cudaFree(result));
}
