// expect: inefficient
// tries: Reads columns by a texture, whose fetches are no loads of global memory.
// stopped by: What textures and surfaces reach in memory counts as traffic of global memory.
// says: copies, fills, textures and surfaces are
#include "lockstep/check_cuda.h"
#include "lockstep/divide_up.h"
#include "transpose.h"

constexpr int kTile = 32;

__global__ void transpose_kernel(cudaTextureObject_t in, float* out, int rows, int columns) {
  const int row = static_cast<int>(blockIdx.y) * kTile + static_cast<int>(threadIdx.x);
  const int column = static_cast<int>(blockIdx.x) * kTile + static_cast<int>(threadIdx.y);
  if (row < rows && column < columns)
    out[column * rows + row] = tex1Dfetch<float>(in, row * columns + column);
}

void transpose(const float* in, float* out, int rows, int columns, cudaStream_t stream) {
  if (rows == 0 || columns == 0) return;
  cudaResourceDesc resource{};
  resource.resType = cudaResourceTypeLinear;
  resource.res.linear.devPtr = const_cast<float*>(in);
  resource.res.linear.desc = cudaCreateChannelDesc<float>();
  resource.res.linear.sizeInBytes = static_cast<size_t>(rows) * static_cast<size_t>(columns) * sizeof(float);
  const cudaTextureDesc sampling{};
  cudaTextureObject_t texture = 0;
  CHECK_CUDA(cudaCreateTextureObject(&texture, &resource, &sampling, nullptr));
  const dim3 grid(lockstep::divide_up(columns, kTile), lockstep::divide_up(rows, kTile));
  transpose_kernel<<<grid, dim3(kTile, kTile), 0, stream>>>(texture, out, rows, columns);
  CHECK_CUDA(cudaGetLastError());
  CHECK_CUDA(cudaStreamSynchronize(stream));
  CHECK_CUDA(cudaDestroyTextureObject(texture));
}
