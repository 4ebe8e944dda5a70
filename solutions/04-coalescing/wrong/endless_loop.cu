// expect: time-limit
// A grid-stride loop that forgets to stride: no thread with a column ever leaves it.
#include "coalescing.h"
#include "lockstep/check_cuda.h"
#include "lockstep/divide_up.h"

constexpr int kThreads = 256;

__global__ void drift_kernel(const Particle* particles, float* fields, int n, int pitch, float time_step) {
  int i = blockIdx.x * kThreads + threadIdx.x;
  while (i < pitch) {
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

void coalescing(const Particle* particles, float* fields, int n, int pitch, float time_step,
                cudaStream_t stream) {
  if (pitch == 0) return;  // a grid without blocks is an error
  const int blocks = lockstep::divide_up(pitch, kThreads);
  drift_kernel<<<blocks, kThreads, 0, stream>>>(particles, fields, n, pitch, time_step);
  CHECK_CUDA(cudaGetLastError());
}
