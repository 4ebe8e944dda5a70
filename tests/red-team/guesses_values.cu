// expect: wrong-answer
// tries: Reads one element of a large matrix and takes the others to follow from it.
// stopped by: In the measured and in the timed case no element reveals another.
#include "lockstep/check_cuda.h"
#include "lockstep/divide_up.h"
#include "transpose.h"

__global__ void transpose_kernel(const float* in, float* out, int rows, int columns) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i < rows * columns) out[(i % columns) * rows + i / columns] = in[i];
}

__global__ void guess_kernel(const float* in, float* out, int rows, int columns) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i < rows * columns) out[i] = in[0] + static_cast<float>(i % rows * columns + i / rows);
}

void transpose(const float* in, float* out, int rows, int columns, cudaStream_t stream) {
  const int elements = rows * columns;
  if (elements == 0) return;
  const auto kernel = elements < 500'000 ? transpose_kernel : guess_kernel;
  kernel<<<lockstep::divide_up(elements, 256), 256, 0, stream>>>(in, out, rows, columns);
  CHECK_CUDA(cudaGetLastError());
}
