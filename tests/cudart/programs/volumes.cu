// Three-dimensional memory: rows at their pitch, slices after one another.
#include <cstdio>
#include <vector>

__global__ void mark_kernel(cudaPitchedPtr box, cudaExtent extent) {
  const unsigned x = threadIdx.x, y = threadIdx.y, z = blockIdx.x;
  auto* bytes = static_cast<unsigned char*>(box.ptr);
  if (x < extent.width) bytes[(z * box.ysize + y) * box.pitch + x] += 100 * z + 10 * y + x;
}

int main() {
  const cudaExtent extent{7, 3, 2};
  cudaPitchedPtr box{};
  if (cudaMalloc3D(&box, extent) != cudaSuccess) return 1;
  if (box.pitch < extent.width || box.xsize != extent.width || box.ysize != extent.height) return 2;
  if (cudaMemset3D(box, 1, extent) != cudaSuccess) return 3;
  // Part of each slice.
  if (cudaMemset3DAsync(box, 2, {4, 2, 2}, nullptr) != cudaSuccess) return 4;
  mark_kernel<<<2, dim3(32, 3)>>>(box, extent);
  std::vector<unsigned char> host(7 * 6);
  if (cudaMemcpy2D(host.data(), 7, box.ptr, box.pitch, 7, 6, cudaMemcpyDeviceToHost) != cudaSuccess) return 5;
  for (unsigned z = 0; z < 2; ++z) {
    for (unsigned y = 0; y < 3; ++y) {
      for (unsigned x = 0; x < 7; ++x) {
        const unsigned filled = x < 4 && y < 2 ? 2 : 1;
        if (host[(z * 3 + y) * 7 + x] != filled + 100 * z + 10 * y + x) return 6;
      }
    }
  }
  if (cudaMemset3D(box, 1, {box.pitch + 1, 1, 1}) != cudaErrorInvalidPitchValue) return 7;
  std::puts("filled");
  return 0;
}
