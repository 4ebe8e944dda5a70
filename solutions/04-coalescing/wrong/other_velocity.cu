// expect: wrong-answer
// says: y moved by vx, and not by vy
// The second coordinate takes the velocity of the first.
#include "coalescing.h"

#include "lockstep/check_cuda.h"
#include "lockstep/divide_up.h"

constexpr int kThreads = 256;

__global__ void drift_kernel(const Particle* particles, float* fields, int n, int pitch, float time_step) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= pitch) return;
  Particle p{};
  if (i < n) p = particles[i];
  fields[0 * pitch + i] = p.x + time_step * p.vx;
  fields[1 * pitch + i] = p.y + time_step * p.vx;
  fields[2 * pitch + i] = p.z + time_step * p.vz;
  fields[3 * pitch + i] = p.mass;
  fields[4 * pitch + i] = p.vx;
  fields[5 * pitch + i] = p.vy;
  fields[6 * pitch + i] = p.vz;
  fields[7 * pitch + i] = p.charge;
}

void coalescing(const Particle* particles, float* fields, int n, int pitch, float time_step,
                cudaStream_t stream) {
  if (pitch == 0) return;  // a grid without blocks is an error
  const int blocks = lockstep::divide_up(pitch, kThreads);
  drift_kernel<<<blocks, kThreads, 0, stream>>>(particles, fields, n, pitch, time_step);
  CHECK_CUDA(cudaGetLastError());
}
