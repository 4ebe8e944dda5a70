// fails: shared-wavefronts
// at: const Particle particle = tile[threadIdx.x];
// A step of particles, read in the order of memory into a tile in shared memory. Lecture: 04-coalescing.
// Bound: a thread takes its particle out of the tile at a stride of 8 words, which meets one bank in eight.
#include "coalescing.h"
#include "lockstep/check_cuda.h"
#include "lockstep/divide_up.h"

constexpr int kThreads = 256;  // also particles of a block

__global__ void drift_kernel(const float* words, float* fields, int n, int pitch, float time_step) {
  // [staged-load]
  __shared__ Particle tile[kThreads];
  float* const tile_words = &tile[0].x;
  const int first = blockIdx.x * kThreads * kFields;
  for (int word = threadIdx.x; word < kThreads * kFields; word += kThreads) {
    tile_words[word] = first + word < n * kFields ? words[first + word] : 0;  // the padding is 0
  }
  __syncthreads();  // a particle was read by eight threads
  // [staged-load]
  // [staged-store]
  const int i = blockIdx.x * kThreads + threadIdx.x;
  if (i >= pitch) return;  // the last block may reach beyond the rows
  const Particle particle = tile[threadIdx.x];
  fields[0 * pitch + i] = particle.x + time_step * particle.vx;
  fields[1 * pitch + i] = particle.y + time_step * particle.vy;
  // [staged-store]
  fields[2 * pitch + i] = particle.z + time_step * particle.vz;
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
  const float* const words = reinterpret_cast<const float*>(particles);
  drift_kernel<<<blocks, kThreads, 0, stream>>>(words, fields, n, pitch, time_step);
  CHECK_CUDA(cudaGetLastError());
}
