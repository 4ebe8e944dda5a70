// expect: inefficient
// tries: Copies the input by a detour to the host, transposes it there, and copies the result back.
// stopped by: The gate host-copies counts every byte that leaves the device, out of whatever buffer.
// says: host-copies
#include <vector>

#include "lockstep/check_cuda.h"
#include "transpose.h"

void transpose(const float* in, float* out, int rows, int columns, cudaStream_t) {
  const auto height = static_cast<size_t>(rows), width = static_cast<size_t>(columns);
  const size_t bytes = height * width * sizeof(float);
  if (bytes == 0) return;
  void* own = nullptr;
  CHECK_CUDA(cudaMalloc(&own, bytes));
  CHECK_CUDA(cudaMemcpy(own, in, bytes, cudaMemcpyDeviceToDevice));
  std::vector<float> matrix(height * width), result(height * width);
  CHECK_CUDA(cudaMemcpy(matrix.data(), own, bytes, cudaMemcpyDeviceToHost));
  CHECK_CUDA(cudaFree(own));
  for (size_t row = 0; row < height; ++row) {
    for (size_t column = 0; column < width; ++column) {
      result[column * height + row] = matrix[row * width + column];
    }
  }
  CHECK_CUDA(cudaMemcpy(out, result.data(), bytes, cudaMemcpyHostToDevice));
}
