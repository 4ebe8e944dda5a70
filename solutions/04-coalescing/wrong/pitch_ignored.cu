// expect: wrong-answer
// says: the rows begin n floats after each other
// The rows follow each other without a gap, n floats apart, where the pitch leaves room.
#include "coalescing.h"
#include "lockstep/check_cuda.h"
#include "lockstep/divide_up.h"

constexpr int kThreads = 256;

__global__ void drift_kernel(const Particle* particles, float* fields, int n, int pitch, float time_step) {
  const int i = blockIdx.x * kThreads + threadIdx.x;
  if (i >= n) return;
  const Particle particle = particles[i];
  fields[0 * n + i] = particle.x + time_step * particle.vx;
  fields[1 * n + i] = particle.y + time_step * particle.vy;
  fields[2 * n + i] = particle.z + time_step * particle.vz;
  fields[3 * n + i] = particle.mass;
  fields[4 * n + i] = particle.vx;
  fields[5 * n + i] = particle.vy;
  fields[6 * n + i] = particle.vz;
  fields[7 * n + i] = particle.charge;
}

void coalescing(const Particle* particles, float* fields, int n, int pitch, float time_step,
                cudaStream_t stream) {
  if (pitch == 0) return;  // a grid without blocks is an error
  const int blocks = lockstep::divide_up(pitch, kThreads);
  drift_kernel<<<blocks, kThreads, 0, stream>>>(particles, fields, n, pitch, time_step);
  CHECK_CUDA(cudaGetLastError());
}
