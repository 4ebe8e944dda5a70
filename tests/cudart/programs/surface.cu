// Surfaces: kernels write arrays of several shapes, which textures and copies then read; and one kernel that
// leaves its surface.
#include <cstdio>
#include <vector>

__global__ void write_kernel(cudaSurfaceObject_t plane, cudaSurfaceObject_t volume,
                             cudaSurfaceObject_t layers, int width, int height) {
  const int x = static_cast<int>(threadIdx.x), y = static_cast<int>(threadIdx.y);
  if (x >= width || y >= height) return;
  const int value = y * width + x;
  surf2Dwrite(make_int2(value, -value), plane, x * static_cast<int>(sizeof(int2)), y);
  for (int z = 0; z < 3; ++z) {
    surf3Dwrite(static_cast<unsigned char>(value + z), volume, x, y, z);
    surf2DLayeredwrite(static_cast<float>(value) + 0.5F * static_cast<float>(z), layers, x * 4, y, z);
  }
}

__global__ void read_kernel(cudaSurfaceObject_t plane, cudaSurfaceObject_t volume, cudaTextureObject_t layers,
                            int width, int* wrong) {
  const int x = static_cast<int>(threadIdx.x), y = static_cast<int>(threadIdx.y), value = y * width + x;
  const int2 pair = surf2Dread<int2>(plane, x * static_cast<int>(sizeof(int2)), y);
  if (pair.x != value || pair.y != -value) atomicAdd(wrong, 1);
  for (int z = 0; z < 3; ++z) {
    if (surf3Dread<unsigned char>(volume, x, y, z) != static_cast<unsigned char>(value + z))
      atomicAdd(wrong, 1);
    const float found =
        tex2DLayered<float>(layers, static_cast<float>(x) + 0.5F, static_cast<float>(y) + 0.5F, z);
    if (!(found == static_cast<float>(value) + 0.5F * static_cast<float>(z))) atomicAdd(wrong, 1);
  }
  // Outside: zeros, or the last element.
  if (surf2Dread<int2>(plane, -8, y, cudaBoundaryModeZero).x != 0) atomicAdd(wrong, 1);
  if (surf2Dread<int2>(plane, -8, y, cudaBoundaryModeClamp).x != y * width) atomicAdd(wrong, 1);
}

__global__ void leave_kernel(cudaSurfaceObject_t plane) {
  surf2Dwrite(make_int2(1, 2), plane, static_cast<int>(threadIdx.x) * 8, 0);
}

cudaResourceDesc resource_of(cudaArray_t array) {
  cudaResourceDesc resource{};
  resource.resType = cudaResourceTypeArray;
  resource.res.array.array = array;
  return resource;
}

int main() {
  constexpr int width = 13, height = 7;
  cudaArray_t arrays[3] = {};
  const cudaChannelFormatDesc pairs = cudaCreateChannelDesc<int2>(),
                              bytes = cudaCreateChannelDesc<unsigned char>(),
                              floats = cudaCreateChannelDesc<float>();
  const cudaExtent box = make_cudaExtent(width, height, 3);
  if (cudaMallocArray(&arrays[0], &pairs, width, height, cudaArraySurfaceLoadStore) != cudaSuccess) return 1;
  if (cudaMalloc3DArray(&arrays[1], &bytes, box, cudaArraySurfaceLoadStore) != cudaSuccess) return 2;
  if (cudaMalloc3DArray(&arrays[2], &floats, box, cudaArraySurfaceLoadStore | cudaArrayLayered) !=
      cudaSuccess)
    return 3;
  cudaSurfaceObject_t surfaces[3] = {};
  for (int k = 0; k < 3; ++k) {
    const cudaResourceDesc resource = resource_of(arrays[k]);
    if (cudaCreateSurfaceObject(&surfaces[k], &resource) != cudaSuccess) return 4;
    cudaResourceDesc told{};
    if (cudaGetSurfaceObjectResourceDesc(&told, surfaces[k]) != cudaSuccess ||
        told.res.array.array != arrays[k])
      return 5;
  }
  const cudaResourceDesc layered = resource_of(arrays[2]);
  const cudaTextureDesc plain{};
  cudaTextureObject_t layers = 0;
  if (cudaCreateTextureObject(&layers, &layered, &plain, nullptr) != cudaSuccess) return 6;

  int *wrong = nullptr, found = -1;
  cudaMalloc(&wrong, sizeof(int));
  cudaMemset(wrong, 0, sizeof(int));
  write_kernel<<<1, dim3(16, 16)>>>(surfaces[0], surfaces[1], surfaces[2], width, height);
  read_kernel<<<1, dim3(width, height)>>>(surfaces[0], surfaces[1], layers, width, wrong);
  cudaMemcpy(&found, wrong, sizeof(int), cudaMemcpyDeviceToHost);
  std::printf("%d wrong\n", found);
  std::vector<int2> copied(width * height);
  if (cudaMemcpy2DFromArray(copied.data(), width * sizeof(int2), arrays[0], 0, 0, width * sizeof(int2),
                            height, cudaMemcpyDeviceToHost) != cudaSuccess)
    return 7;
  if (copied[20].x != 20 || copied[20].y != -20) return 8;
  if (cudaDestroySurfaceObject(surfaces[1]) != cudaSuccess) return 9;

  leave_kernel<<<1, 32>>>(surfaces[0]);  // 13 elements per row
  std::puts(cudaGetErrorString(cudaDeviceSynchronize()));
  return 0;
}
