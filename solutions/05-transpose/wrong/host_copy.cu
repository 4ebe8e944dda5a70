// expect: inefficient
// Transposes on the host: the right answer, but the matrix crosses the bus twice and the device computes
// nothing.
#include <cstddef>
#include <vector>

#include "lockstep/check_cuda.h"
#include "transpose.h"

void transpose(const float* in, float* out, int rows, int columns, cudaStream_t stream) {
  const std::size_t n = static_cast<std::size_t>(rows) * columns;
  std::vector<float> from(n), to(n);
  CHECK_CUDA(cudaMemcpyAsync(from.data(), in, n * sizeof(float), cudaMemcpyDeviceToHost, stream));
  CHECK_CUDA(cudaStreamSynchronize(stream));
  for (int row = 0; row < rows; ++row) {
    for (int column = 0; column < columns; ++column) {
      to[static_cast<std::size_t>(column) * rows + row] =
          from[static_cast<std::size_t>(row) * columns + column];
    }
  }
  CHECK_CUDA(cudaMemcpyAsync(out, to.data(), n * sizeof(float), cudaMemcpyHostToDevice, stream));
  CHECK_CUDA(cudaStreamSynchronize(stream));
}
