// fails: shared-passes
// at: const float difference = distance(own.a, tile[j].a) - distance(own.b, tile[j].b);
// dRMSD with tiles of atoms in shared memory, a row a thread. Lecture: 20-drmsd.
// Bound: instructions, 46 a pair, four of them to read shared memory; long rows when the short have ended.
#include "drmsd.h"

#include "lockstep/check_cuda.h"
#include "lockstep/divide_up.h"

constexpr int kThreads = 256;  // and atoms of a tile

struct Atom {
  float x, y, z;
};

/// One atom, in the reference and in the frame.
struct AtomPair {
  Atom a, b;
};

__device__ AtomPair load(const float* reference, const float* frame, int i) {
  return {{reference[3 * i], reference[3 * i + 1], reference[3 * i + 2]},
          {frame[3 * i], frame[3 * i + 1], frame[3 * i + 2]}};
}

__device__ float distance(Atom a, Atom b) {
  const float x = a.x - b.x, y = a.y - b.y, z = a.z - b.z;
  return sqrtf(x * x + y * y + z * z);
}

__global__ void __launch_bounds__(kThreads)
    rows_kernel(const float* reference, const float* trajectory, int n, double* sums) {
  __shared__ AtomPair tile[kThreads];
  const float* const frame = trajectory + std::size_t{blockIdx.x} * 3 * n;
  const int i = blockIdx.y * kThreads + threadIdx.x;
  // [tiles]
  const AtomPair own = load(reference, frame, min(i, n - 1));  // a thread without a row waits with the others
  double sum = 0;
  for (int first = blockIdx.y * kThreads; first < n; first += kThreads) {
    __syncthreads();  // all have used the tile before
    if (first + threadIdx.x < n) tile[threadIdx.x] = load(reference, frame, first + threadIdx.x);
    __syncthreads();  // all of this tile is there
    float part = 0;
    for (int j = max(0, i + 1 - first); j < min(kThreads, n - first); ++j) {
      const float difference = distance(own.a, tile[j].a) - distance(own.b, tile[j].b);
      part += difference * difference;
    }
    sum += part;
  }
  if (i < n) atomicAdd(&sums[blockIdx.x], sum);
  // [tiles]
}

__global__ void finish_kernel(const double* sums, float* out, int n, int frames) {
  const int frame = blockIdx.x * kThreads + threadIdx.x;
  if (frame < frames) out[frame] = static_cast<float>(sqrt(2 / (double(n) * (n - 1)) * sums[frame]));
}

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
