// expect: wrong-answer
// says: a call was refused, and your code went on: cudaMemcpyAsync returned
// Names the wrong direction, and does not look at the result.
#include <vector>

#include "transpose.h"

void transpose(const float*, float* out, int rows, int columns, cudaStream_t stream) {
  const std::vector<float> zeros(static_cast<std::size_t>(rows) * static_cast<std::size_t>(columns));
  cudaMemcpyAsync(out, zeros.data(), zeros.size() * sizeof(float), cudaMemcpyDeviceToHost, stream);
}
