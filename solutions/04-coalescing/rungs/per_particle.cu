// fails: global-sectors
// at: if (i < n) particle = particles[i];
// A step of particles, one thread a particle. Lecture: 04-coalescing.
// Bound: a member lies 32 bytes from the same member of the next particle, so each lane moves a sector for 4
// bytes, and the warp comes back for the same sectors eight times.
#include "coalescing.h"
#include "lockstep/check_cuda.h"
#include "lockstep/divide_up.h"

constexpr int kThreads = 256;

// [per-particle]
__global__ void drift_kernel(const Particle* particles, float* fields, int n, int pitch, float time_step) {
  const int i = blockIdx.x * kThreads + threadIdx.x;
  if (i >= pitch) return;  // the last block may reach beyond the rows
  Particle particle = {};  // what the padding holds
  if (i < n) particle = particles[i];
  fields[0 * pitch + i] = particle.x + time_step * particle.vx;
  fields[1 * pitch + i] = particle.y + time_step * particle.vy;
  fields[2 * pitch + i] = particle.z + time_step * particle.vz;
  fields[3 * pitch + i] = particle.mass;
  fields[4 * pitch + i] = particle.vx;
  fields[5 * pitch + i] = particle.vy;
  fields[6 * pitch + i] = particle.vz;
  fields[7 * pitch + i] = particle.charge;
}
// [per-particle]

void coalescing(const Particle* particles, float* fields, int n, int pitch, float time_step,
                cudaStream_t stream) {
  if (pitch == 0) return;  // a grid without blocks is an error
  const int blocks = lockstep::divide_up(pitch, kThreads);
  drift_kernel<<<blocks, kThreads, 0, stream>>>(particles, fields, n, pitch, time_step);
  CHECK_CUDA(cudaGetLastError());
}
