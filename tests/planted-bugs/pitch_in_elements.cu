// The pitch of a two-dimensional allocation is in bytes, and is used as a number of elements.
// expect: out-of-bounds
// says: of an allocation (8192 bytes)
#include "planted_bug.h"

template <bool kFixed>
__global__ void fill_kernel(float* matrix, std::size_t pitch) {
  float* row = kFixed ? reinterpret_cast<float*>(reinterpret_cast<char*>(matrix) + threadIdx.y * pitch)
                      : matrix + threadIdx.y * pitch;
  row[threadIdx.x] = 1.0F;  // <- here
}

template <bool kFixed>
void run() {
  float* matrix = nullptr;
  std::size_t pitch = 0;
  cudaMallocPitch(&matrix, &pitch, 32 * sizeof(float), 16);
  fill_kernel<kFixed><<<1, dim3(32, 16)>>>(matrix, pitch);
  cudaFree(matrix);
}
