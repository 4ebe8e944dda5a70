// expect: passed
// exercise: coalescing
// Lanes of a warp call different virtual functions, and meet behind each call: nothing is wrong with that.
#include "coalescing.h"

#include "lockstep/check_cuda.h"
#include "lockstep/divide_up.h"

constexpr int kParticles = 32;  // of a block, and of a warp

struct Motion {
  __device__ virtual float moved(float value, float rate, float time_step) const {
    return value + time_step * rate;
  }
};
struct Fused : Motion {  // the numbers are such that both are the same
  __device__ float moved(float value, float rate, float time_step) const override {
    return fmaf(time_step, rate, value);
  }
};

__global__ void drift_kernel(const float* words, float* fields, int n, int pitch, float time_step) {
  __shared__ float tile[kFields][kParticles + 4];  // lanes write 8 rows at once
  const Motion plain;
  const Fused fused;
  const Motion* motion = threadIdx.x % 2 == 0 ? &plain : &fused;
  const int first = blockIdx.x * kParticles;
  for (int word = threadIdx.x; word < kFields * kParticles; word += kParticles) {
    const int i = word / kFields;
    tile[word % kFields][i] = first + i < n ? words[kFields * first + word] : 0;
  }
  __syncwarp();
  const int i = first + threadIdx.x;
  for (int row = 0; row < kFields; ++row) {
    float value = tile[row][threadIdx.x];
    if (row < 3) value = motion->moved(value, tile[row + kFields / 2][threadIdx.x], time_step);
    fields[row * pitch + i] = value;
  }
}

void coalescing(const Particle* particles, float* fields, int n, int pitch, float time_step,
                cudaStream_t stream) {
  if (pitch == 0) return;  // a grid without blocks is an error
  drift_kernel<<<pitch / kParticles, kParticles, 0, stream>>>(reinterpret_cast<const float*>(particles),
                                                              fields, n, pitch, time_step);
  CHECK_CUDA(cudaGetLastError());
}
