// expect: bad-sync
// Lanes without a particle write their zeros and return before the shuffles, which name the whole warp.
#include "coalescing.h"
#include "lockstep/check_cuda.h"
#include "lockstep/divide_up.h"

constexpr int kThreads = 256;
constexpr unsigned kWholeWarp = 0xFFFF'FFFF;

// Even lanes hold position and mass of a particle, odd lanes velocity and charge.
__global__ void drift_kernel(const float4* halves, float* fields, int n, int pitch, float time_step) {
  const int vector = blockIdx.x * kThreads + threadIdx.x, i = vector / 2;
  const bool is_position = vector % 2 == 0;
  if (i >= pitch) return;  // the last block may reach beyond the rows
  float* const rows = fields + (is_position ? 0 : 4 * pitch);
  if (i >= n) {
    for (int row = 0; row < 4; ++row) rows[row * pitch + i] = 0;  // the padding
    return;
  }
  float4 half = halves[vector];
  const float vx = __shfl_down_sync(kWholeWarp, half.x, 1);  // of the lane after this one
  const float vy = __shfl_down_sync(kWholeWarp, half.y, 1);
  const float vz = __shfl_down_sync(kWholeWarp, half.z, 1);
  if (is_position) {
    half.x += time_step * vx;
    half.y += time_step * vy;
    half.z += time_step * vz;
  }
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
