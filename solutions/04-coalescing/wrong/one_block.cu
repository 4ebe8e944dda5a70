// expect: inefficient
// fails: parallelism
// One block steps all particles: no excess sectors, by one multiprocessor.
#include "coalescing.h"
#include "lockstep/check_cuda.h"

constexpr int kThreads = 256;
constexpr unsigned kWholeWarp = 0xFFFF'FFFF;

/// Even lanes hold position and mass of a particle, odd lanes velocity and charge. Met by whole warps.
__device__ float4 warp_drift(float4 half, bool is_position, float time_step) {
  const float vx = __shfl_down_sync(kWholeWarp, half.x, 1);  // of the lane after this one
  const float vy = __shfl_down_sync(kWholeWarp, half.y, 1);
  const float vz = __shfl_down_sync(kWholeWarp, half.z, 1);
  if (is_position) {
    half.x += time_step * vx;
    half.y += time_step * vy;
    half.z += time_step * vz;
  }
  return half;
}

__global__ void drift_kernel(const float4* halves, float* fields, int n, int pitch, float time_step) {
  const bool is_position = threadIdx.x % 2 == 0;
  float* const rows = fields + (is_position ? 0 : 4 * pitch);
  for (int first = 0; first < 2 * pitch; first += kThreads) {
    const int vector = first + threadIdx.x, i = vector / 2;
    const float4 half = vector < 2 * n ? halves[vector] : float4{};  // what the padding holds
    const float4 moved = warp_drift(half, is_position, time_step);
    if (i >= pitch) continue;  // the last turn may reach beyond the rows, by whole warps
    rows[0 * pitch + i] = moved.x;
    rows[1 * pitch + i] = moved.y;
    rows[2 * pitch + i] = moved.z;
    rows[3 * pitch + i] = moved.w;
  }
}

void coalescing(const Particle* particles, float* fields, int n, int pitch, float time_step,
                cudaStream_t stream) {
  if (pitch == 0) return;
  const float4* const halves = reinterpret_cast<const float4*>(particles);
  drift_kernel<<<1, kThreads, 0, stream>>>(halves, fields, n, pitch, time_step);
  CHECK_CUDA(cudaGetLastError());
}
