// A step of particles through a tile that is turned as it is filled, the reference. Lecture: 04-coalescing.
// Bound: memory bandwidth. Vectors of 16 bytes both ways, whole sectors, and runs of a kibibyte in every row.
#include "coalescing.h"

#include "lockstep/check_cuda.h"
#include "lockstep/divide_up.h"

constexpr int kPairs = kFields / 2;       // of rows: a position and its velocity, mass and charge
constexpr int kParticles = 256;           // of a block
constexpr int kVectors = kParticles / 4;  // of a row of the tile
constexpr int kThreads = kVectors * kPairs;

__global__ void drift_kernel(const float4* halves, float* fields, int n, int pitch, float time_step) {
  // Lanes that hold both halves of 16 particles write to rows r and r + 4: with four floats of padding a row,
  // four rows are 16 banks apart, and rows still start at a vector.
  __shared__ alignas(16) float tile[kFields][kParticles + 4];
  const int thread = threadIdx.y * kVectors + threadIdx.x;
  const int first = blockIdx.x * kParticles;
  for (int vector = thread; vector < 2 * kParticles; vector += kThreads) {
    const int i = vector / 2, row = vector % 2 * kPairs;
    const float4 half = first + i < n ? halves[2 * first + vector] : float4{};  // the padding is 0
    tile[row + 0][i] = half.x;
    tile[row + 1][i] = half.y;
    tile[row + 2][i] = half.z;
    tile[row + 3][i] = half.w;
  }
  __syncthreads();  // a row of the tile comes from all threads
  // [by-field-store]
  const int row = threadIdx.y, column = first + 4 * threadIdx.x;
  if (column >= pitch) return;  // the pitch is a multiple of 4, so a vector lies within a row or beyond it
  float4 values = *reinterpret_cast<const float4*>(&tile[row][4 * threadIdx.x]);
  const float4 rates = *reinterpret_cast<const float4*>(&tile[row + kPairs][4 * threadIdx.x]);
  if (row < 3) {  // x, y or z; the masses do not move
    values.x += time_step * rates.x;
    values.y += time_step * rates.y;
    values.z += time_step * rates.z;
    values.w += time_step * rates.w;
  }
  *reinterpret_cast<float4*>(fields + row * pitch + column) = values;
  *reinterpret_cast<float4*>(fields + (row + kPairs) * pitch + column) = rates;
  // [by-field-store]
}

void coalescing(const Particle* particles, float* fields, int n, int pitch, float time_step,
                cudaStream_t stream) {
  if (pitch == 0) return;  // a grid without blocks is an error
  const int blocks = lockstep::divide_up(pitch, kParticles);
  const dim3 threads(kVectors, kPairs);
  const float4* const halves = reinterpret_cast<const float4*>(particles);
  drift_kernel<<<blocks, threads, 0, stream>>>(halves, fields, n, pitch, time_step);
  CHECK_CUDA(cudaGetLastError());
}
