// The halo of a stencil's tile is loaded by the first threads and read by the last ones.
// expect: race
// says: with no __syncthreads() between
#include "planted_bug.h"

template <bool kFixed>
__global__ void stencil_kernel(const float* from, float* to) {
  __shared__ float tile[128 + 2];
  const unsigned i = threadIdx.x;
  tile[i + 1] = from[i + 1];
  __syncthreads();
  if (i < 2) tile[i * 129] = from[i * 129];  // <- earlier
  if constexpr (kFixed) __syncthreads();
  to[i] = tile[i] + tile[i + 1] + tile[i + 2];  // <- here
}

template <bool kFixed>
void run() {
  DeviceArray<float> from(130), to(128);
  std::vector<float> ones(130, 1.0F);
  cudaMemcpy(from, ones.data(), from.bytes(), cudaMemcpyHostToDevice);
  stencil_kernel<kFixed><<<1, 128>>>(from, to);
}
