// Sums integers with warp shuffles and prints from the device; the host's lines show the order of the two
// outputs.
#include <cstdio>
#include <vector>

__global__ void sum_kernel(const int* in, int* total, int n) {
  int sum = 0;
  for (int i = threadIdx.x; i < n; i += blockDim.x) sum += in[i];
  for (int distance = 16; distance > 0; distance /= 2) sum += __shfl_down_sync(~0U, sum, distance);
  if (threadIdx.x % 32 == 0) atomicAdd(total, sum);
  __syncthreads();
  if (threadIdx.x == 0) printf("device: %d elements, total %d, mean %.2f\n", n, *total, double(*total) / n);
}

int main() {
  constexpr int n = 1000;
  std::vector<int> in(n);
  int expected = 0;
  for (int i = 0; i < n; ++i) expected += in[i] = i % 91;
  int *device_in, *device_total;
  cudaMalloc(&device_in, n * sizeof(int));
  cudaMalloc(&device_total, sizeof(int));
  cudaMemcpy(device_in, in.data(), n * sizeof(int), cudaMemcpyHostToDevice);
  cudaMemset(device_total, 0, sizeof(int));
  sum_kernel<<<1, 256>>>(device_in, device_total, n);
  std::puts("host: launched");
  cudaDeviceSynchronize();
  std::puts("host: synchronised");
  int total = 0;
  cudaMemcpy(&total, device_total, sizeof(int), cudaMemcpyDeviceToHost);
  return total == expected ? 0 : 1;
}
