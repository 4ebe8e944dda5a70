// The kernel gets a device function's address as the host sees it.
// expect: trap
// says: a function's address on the host
#include "planted_bug.h"

using Function = float (*)(float);
__host__ __device__ float square(float x) { return x * x; }
__host__ __device__ float half(float x) { return x / 2; }
__device__ Function functions[2] = {square, half};

template <bool kFixed>
__global__ void map_kernel(float* values, Function odd, Function even) {
  const Function function = threadIdx.x % 2 == 0 ? even : odd;
  values[threadIdx.x] = function(values[threadIdx.x]);  // <- here
}

template <bool kFixed>
void run() {
  DeviceArray<float> values(32);
  Function chosen[2] = {square, half};
  if constexpr (kFixed) cudaMemcpyFromSymbol(chosen, functions, sizeof chosen);
  map_kernel<kFixed><<<1, 32>>>(values, chosen[0], chosen[1]);
}
