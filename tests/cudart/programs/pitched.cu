// Pitched memory, two-dimensional copies and fills.
#include <cstdio>
#include <vector>

__global__ void double_kernel(int* values, std::size_t pitch, int width, int height) {
  const int column = threadIdx.x, row = blockIdx.x;
  if (column < width && row < height) {
    reinterpret_cast<int*>(reinterpret_cast<char*>(values) + row * pitch)[column] *= 2;
  }
}

int main() {
  constexpr int width = 33, height = 17;
  std::vector<int> host(width * height);
  for (std::size_t i = 0; i < host.size(); ++i) host[i] = static_cast<int>(i);
  int* device = nullptr;
  std::size_t pitch = 0;
  if (cudaMallocPitch(&device, &pitch, width * sizeof(int), height) != cudaSuccess) return 1;
  if (pitch < width * sizeof(int) || pitch % 256 != 0) return 2;
  const std::size_t row = width * sizeof(int);
  if (cudaMemcpy2D(device, pitch, host.data(), row, row, height, cudaMemcpyHostToDevice) != cudaSuccess)
    return 3;
  double_kernel<<<height, 64>>>(device, pitch, width, height);
  // The last two rows become all ones.
  if (cudaMemset2D(reinterpret_cast<char*>(device) + 15 * pitch, pitch, 0xFF, row, 2) != cudaSuccess)
    return 4;
  std::vector<int> found(host.size());
  if (cudaMemcpy2D(found.data(), row, device, pitch, row, height, cudaMemcpyDeviceToHost) != cudaSuccess)
    return 5;
  for (int i = 0; i < width * height; ++i) {
    if (found[i] != (i < 15 * width ? 2 * i : -1)) return 6;
  }
  if (cudaMemcpy2D(found.data(), row, device, 8, row, 1, cudaMemcpyDeviceToHost) !=
      cudaErrorInvalidPitchValue)
    return 7;
  std::puts("pitched");
  return 0;
}
