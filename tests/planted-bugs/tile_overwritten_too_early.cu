// The next tile is loaded while slower warps still read the last one: the second barrier of the loop is
// missing.
// expect: race
// also: race
// says: write of byte
#include "planted_bug.h"

template <bool kFixed>
__global__ void row_sums_kernel(const int* values, int* sums) {
  __shared__ int tile[64];
  int sum = 0;
  for (int begin = 0; begin < 256; begin += 64) {
    tile[threadIdx.x] = values[begin + threadIdx.x];  // <- here
    __syncthreads();
    for (int k = 0; k < 64; ++k) sum += tile[(threadIdx.x + k) % 64] * k;  // <- earlier
    if constexpr (kFixed) __syncthreads();
  }
  sums[threadIdx.x] = sum;
}

template <bool kFixed>
void run() {
  DeviceArray<int> values(256), sums(64);
  std::vector<int> numbers(256);
  for (int i = 0; i < 256; ++i) numbers[i] = i;
  cudaMemcpy(values, numbers.data(), values.bytes(), cudaMemcpyHostToDevice);
  row_sums_kernel<kFixed><<<1, 64>>>(values, sums);
}
