// fails: global-sectors
// at: position = halves[2 * i];
// A step of particles, one thread a particle, read as two vectors of 16 bytes. Lecture: 04-coalescing.
// Bound: vectors of neighbouring lanes lie 32 bytes apart, so every sector is still moved twice.
#include "coalescing.h"
#include "lockstep/check_cuda.h"
#include "lockstep/divide_up.h"

constexpr int kThreads = 256;

// [vectors]
__global__ void drift_kernel(const float4* halves, float* fields, int n, int pitch, float time_step) {
  const int i = blockIdx.x * kThreads + threadIdx.x;
  if (i >= pitch) return;               // the last block may reach beyond the rows
  float4 position = {}, velocity = {};  // w is the mass of the one and the charge of the other
  if (i < n) {
    position = halves[2 * i];
    velocity = halves[2 * i + 1];
  }
  fields[0 * pitch + i] = position.x + time_step * velocity.x;
  fields[1 * pitch + i] = position.y + time_step * velocity.y;
  fields[2 * pitch + i] = position.z + time_step * velocity.z;
  fields[3 * pitch + i] = position.w;
  fields[4 * pitch + i] = velocity.x;
  fields[5 * pitch + i] = velocity.y;
  fields[6 * pitch + i] = velocity.z;
  fields[7 * pitch + i] = velocity.w;
}
// [vectors]

void coalescing(const Particle* particles, float* fields, int n, int pitch, float time_step,
                cudaStream_t stream) {
  if (pitch == 0) return;  // a grid without blocks is an error
  const int blocks = lockstep::divide_up(pitch, kThreads);
  const float4* const halves = reinterpret_cast<const float4*>(particles);
  drift_kernel<<<blocks, kThreads, 0, stream>>>(halves, fields, n, pitch, time_step);
  CHECK_CUDA(cudaGetLastError());
}
