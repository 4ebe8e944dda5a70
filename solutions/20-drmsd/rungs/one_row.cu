// fails: bytes-per-element
// at: return {positions[3 * i], positions[3 * i + 1], positions[3 * i + 2]};
// dRMSD with a thread for each row of the triangle, straight from global memory. Lecture: 20-drmsd.
// Bound: the longest row, one pair after the other by a single thread.
#include "drmsd.h"

#include "lockstep/check_cuda.h"
#include "lockstep/divide_up.h"

constexpr int kThreads = 128;

struct Atom {
  float x, y, z;
};

__device__ Atom atom(const float* positions, int i) {
  return {positions[3 * i], positions[3 * i + 1], positions[3 * i + 2]};
}

// [distance]
__device__ float distance(Atom a, Atom b) {
  const float x = a.x - b.x, y = a.y - b.y, z = a.z - b.z;
  return sqrtf(x * x + y * y + z * z);
}
// [distance]

// [one-row]
__global__ void rows_kernel(const float* reference, const float* trajectory, int n, double* sums) {
  const float* const frame = trajectory + std::size_t{blockIdx.x} * 3 * n;
  const int i = blockIdx.y * kThreads + threadIdx.x;
  if (i >= n) return;
  const Atom a = atom(reference, i), b = atom(frame, i);
  float sum = 0;
  for (int j = i + 1; j < n; ++j) {
    const float difference = distance(a, atom(reference, j)) - distance(b, atom(frame, j));
    sum += difference * difference;
  }
  atomicAdd(&sums[blockIdx.x], double{sum});
}
// [one-row]

// [finish]
__global__ void finish_kernel(const double* sums, float* out, int n, int frames) {
  const int frame = blockIdx.x * kThreads + threadIdx.x;
  if (frame < frames) out[frame] = static_cast<float>(sqrt(2 / (double(n) * (n - 1)) * sums[frame]));
}
// [finish]

std::size_t drmsd_workspace_bytes(int, int frames) { return frames * sizeof(double); }

void drmsd(const float* reference, const float* trajectory, float* out, int n, int frames, void* workspace,
           cudaStream_t stream) {
  if (frames == 0) return;
  if (n < 2) {
    CHECK_CUDA(cudaMemsetAsync(out, 0, frames * sizeof *out, stream));
    return;
  }
  double* const sums = static_cast<double*>(workspace);
  CHECK_CUDA(cudaMemsetAsync(sums, 0, frames * sizeof *sums, stream));
  const dim3 blocks(frames, lockstep::divide_up(n, kThreads));
  rows_kernel<<<blocks, kThreads, 0, stream>>>(reference, trajectory, n, sums);
  CHECK_CUDA(cudaGetLastError());
  finish_kernel<<<lockstep::divide_up(frames, kThreads), kThreads, 0, stream>>>(sums, out, n, frames);
  CHECK_CUDA(cudaGetLastError());
}
