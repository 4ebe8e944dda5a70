// expect: bad-sync
// Only the lanes that hold a position take part in the shuffles, which name the whole warp.
#include "coalescing.h"
#include "lockstep/check_cuda.h"
#include "lockstep/divide_up.h"

constexpr int kThreads = 256;
constexpr unsigned kWholeWarp = 0xFFFF'FFFF;

// Even lanes hold position and mass of a particle, odd lanes velocity and charge.
__global__ void drift_kernel(const float4* halves, float* fields, int n, int pitch, float time_step) {
  const int vector = blockIdx.x * kThreads + threadIdx.x, i = vector / 2;
  const bool is_position = vector % 2 == 0;
  float4 half = {};  // what the padding holds
  if (i < n) half = halves[vector];
  if (is_position) {
    half.x += time_step * __shfl_down_sync(kWholeWarp, half.x, 1);
    half.y += time_step * __shfl_down_sync(kWholeWarp, half.y, 1);
    half.z += time_step * __shfl_down_sync(kWholeWarp, half.z, 1);
  }
  if (i >= pitch) return;  // the last block may reach beyond the rows
  float* const rows = fields + (is_position ? 0 : 4 * pitch);
  rows[0 * pitch + i] = half.x;
  rows[1 * pitch + i] = half.y;
  rows[2 * pitch + i] = half.z;
  rows[3 * pitch + i] = half.w;
}

void coalescing(const Particle* particles, float* fields, int n, int pitch, float time_step,
                cudaStream_t stream) {
  if (pitch == 0) return;  // a grid without blocks is an error
  const int blocks = lockstep::divide_up(2 * pitch, kThreads);
  const float4* const halves = reinterpret_cast<const float4*>(particles);
  drift_kernel<<<blocks, kThreads, 0, stream>>>(halves, fields, n, pitch, time_step);
  CHECK_CUDA(cudaGetLastError());
}
