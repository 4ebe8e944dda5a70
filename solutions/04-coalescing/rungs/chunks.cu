// fails: global-sectors
// at: if (i < n) particle = particles[i];
// A step of particles, one thread for 32 neighbouring particles, as on a CPU. Lecture: 04-coalescing.
// Bound: lanes are 32 particles apart, so each moves a sector for 4 bytes, in loads and in stores.
#include "coalescing.h"
#include "lockstep/check_cuda.h"
#include "lockstep/divide_up.h"

constexpr int kThreads = 64;
constexpr int kChunk = 32;  // particles a thread; the pitch is a multiple of it

// [chunks]
__global__ void drift_kernel(const Particle* particles, float* fields, int n, int pitch, float time_step) {
  const int first = (blockIdx.x * kThreads + threadIdx.x) * kChunk;
  if (first >= pitch) return;  // the last block may reach beyond the rows
  for (int i = first; i < first + kChunk; ++i) {
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
}
// [chunks]

void coalescing(const Particle* particles, float* fields, int n, int pitch, float time_step,
                cudaStream_t stream) {
  if (pitch == 0) return;  // a grid without blocks is an error
  const int blocks = lockstep::divide_up(pitch, kThreads * kChunk);
  drift_kernel<<<blocks, kThreads, 0, stream>>>(particles, fields, n, pitch, time_step);
  CHECK_CUDA(cudaGetLastError());
}
