// Which managed memory counts as written: pages that the program touched, and what kernels wrote. Reads the
// page that its argument names: 0 the program wrote, 1 nobody did, 2 a kernel did; 3: of the program's after
// another launch.
#include <cstdio>
#include <cstdlib>

constexpr int kPage = 1024;  // ints

__global__ void write_kernel(int* values) { values[threadIdx.x] = 1; }
__global__ void read_kernel(const int* values, int* out) { out[threadIdx.x] = values[threadIdx.x]; }

int main(int count, char** words) {
  const int page = count == 2 ? std::atoi(words[1]) : 0;
  int *values, *out;
  cudaMallocManaged(&values, 4 * kPage * sizeof(int));
  cudaMallocManaged(&out, 32 * sizeof(int));
  values[0] = 1;
  write_kernel<<<1, 32>>>(values + 2 * kPage);
  cudaDeviceSynchronize();
  for (int i = 0; i < 32; ++i) values[3 * kPage + i] = 0;  // an honest zero is written, too
  read_kernel<<<1, 32>>>(values + page * kPage, out);
  if (cudaDeviceSynchronize() != cudaSuccess) return 1;
  std::printf("%d %d\n", out[0], out[31]);
  return 0;
}
