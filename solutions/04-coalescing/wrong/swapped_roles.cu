// expect: inefficient
// The roles of x and y are exchanged: neighbouring lanes hold members of one particle, so they read side by
// side, but each writes to a row of its own.
#include "coalescing.h"
#include "lockstep/check_cuda.h"
#include "lockstep/divide_up.h"

constexpr int kParticles = 32;  // of a block

__global__ void drift_kernel(const float* words, float* fields, int n, int pitch, float time_step) {
  const int field = threadIdx.x;
  const int i = blockIdx.x * kParticles + threadIdx.y;
  if (i >= pitch) return;                                // never, as the pitch is a multiple of 32
  float value = i < n ? words[i * kFields + field] : 0;  // the padding is 0
  if (i < n && field < 3) value += time_step * words[i * kFields + field + 4];
  fields[field * pitch + i] = value;
}

void coalescing(const Particle* particles, float* fields, int n, int pitch, float time_step,
                cudaStream_t stream) {
  if (pitch == 0) return;  // a grid without blocks is an error
  const dim3 threads(kFields, kParticles);
  const float* const words = reinterpret_cast<const float*>(particles);
  drift_kernel<<<lockstep::divide_up(pitch, kParticles), threads, 0, stream>>>(words, fields, n, pitch,
                                                                               time_step);
  CHECK_CUDA(cudaGetLastError());
}
