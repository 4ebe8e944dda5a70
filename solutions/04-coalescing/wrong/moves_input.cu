// expect: wrong-answer
// Moves the particles where they are, and copies them then: the input is not the caller's any more.
#include "coalescing.h"
#include "lockstep/check_cuda.h"
#include "lockstep/divide_up.h"

constexpr int kThreads = 256;

__global__ void drift_kernel(Particle* particles, float* fields, int n, int pitch, float time_step) {
  const int i = blockIdx.x * kThreads + threadIdx.x;
  if (i >= pitch) return;  // the last block may reach beyond the rows
  Particle particle = {};  // what the padding holds
  if (i < n) {
    particles[i].x += time_step * particles[i].vx;
    particles[i].y += time_step * particles[i].vy;
    particles[i].z += time_step * particles[i].vz;
    particle = particles[i];
  }
  fields[0 * pitch + i] = particle.x;
  fields[1 * pitch + i] = particle.y;
  fields[2 * pitch + i] = particle.z;
  fields[3 * pitch + i] = particle.mass;
  fields[4 * pitch + i] = particle.vx;
  fields[5 * pitch + i] = particle.vy;
  fields[6 * pitch + i] = particle.vz;
  fields[7 * pitch + i] = particle.charge;
}

void coalescing(const Particle* particles, float* fields, int n, int pitch, float time_step,
                cudaStream_t stream) {
  if (pitch == 0) return;  // a grid without blocks is an error
  const int blocks = lockstep::divide_up(pitch, kThreads);
  Particle* const changeable = const_cast<Particle*>(particles);
  drift_kernel<<<blocks, kThreads, 0, stream>>>(changeable, fields, n, pitch, time_step);
  CHECK_CUDA(cudaGetLastError());
}
