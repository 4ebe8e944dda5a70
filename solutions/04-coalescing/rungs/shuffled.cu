// A step of particles, half a particle a lane. Lecture: 04-coalescing.
// Bound: every sector is moved once and whole, with neither shared memory nor a barrier; but a warp leaves
// short runs in many rows.
#include "coalescing.h"
#include "lockstep/check_cuda.h"
#include "lockstep/divide_up.h"

constexpr int kThreads = 256;
constexpr int kVectors = 4;  // a thread, all of them on their way before the first is used
constexpr int kLanes = 32;
constexpr unsigned kWholeWarp = 0xFFFF'FFFF;

// [drift]
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
// [drift]

__global__ void drift_kernel(const float4* halves, float* fields, int n, int pitch, float time_step) {
  // The vectors of a warp lie side by side, so that it writes runs of kVectors * 64 bytes.
  const int warp = (blockIdx.x * kThreads + threadIdx.x) / kLanes, lane = threadIdx.x % kLanes;
  const int first = warp * (kLanes * kVectors) + lane;
  float4 half[kVectors] = {};  // what the padding holds
  for (int k = 0; k < kVectors; ++k) {
    if (first + k * kLanes < 2 * n) half[k] = halves[first + k * kLanes];
  }
  const bool is_position = lane % 2 == 0;
  float* const rows = fields + (is_position ? 0 : 4 * pitch);
  for (int k = 0; k < kVectors; ++k) {
    const float4 moved = warp_drift(half[k], is_position, time_step);
    const int i = (first + k * kLanes) / 2;
    if (i >= pitch) continue;  // the last block may reach beyond the rows, by whole warps
    rows[0 * pitch + i] = moved.x;
    rows[1 * pitch + i] = moved.y;
    rows[2 * pitch + i] = moved.z;
    rows[3 * pitch + i] = moved.w;
  }
}

void coalescing(const Particle* particles, float* fields, int n, int pitch, float time_step,
                cudaStream_t stream) {
  if (pitch == 0) return;  // a grid without blocks is an error
  const int blocks = lockstep::divide_up(2 * pitch, kThreads * kVectors);
  const float4* const halves = reinterpret_cast<const float4*>(particles);
  drift_kernel<<<blocks, kThreads, 0, stream>>>(halves, fields, n, pitch, time_step);
  CHECK_CUDA(cudaGetLastError());
}
