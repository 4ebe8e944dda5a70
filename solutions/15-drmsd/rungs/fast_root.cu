// dRMSD with four rows a thread and approximate roots. Lecture: 15-drmsd.
// Bound: instructions, 27 a pair; and the longest row of blocks, when all others have ended.
#include "drmsd.h"

#include "lockstep/check_cuda.h"
#include "lockstep/divide_up.h"

constexpr int kThreads = 128;  // and atoms of a tile
constexpr int kRows = 4;       // of a thread, kThreads apart

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

// [fast-root]
__device__ float distance(Atom a, Atom b) {
  constexpr float kTiny = 1e-30F;  // nothing beside a distance, but with it rsqrtf(0) is finite: 0 * 1e15
  const float x = a.x - b.x, y = a.y - b.y, z = a.z - b.z;
  const float square = x * x + (y * y + (z * z + kTiny));
  return square * rsqrtf(square);
}
// [fast-root]

__global__ void __launch_bounds__(kThreads)
    rows_kernel(const float* reference, const float* trajectory, int n, double* sums) {
  __shared__ AtomPair tile[kThreads];
  const float* const frame = trajectory + std::size_t{blockIdx.x} * 3 * n;
  const int first_row = blockIdx.y * kRows * kThreads;
  AtomPair rows[kRows];
  for (int k = 0; k < kRows; ++k)
    rows[k] = load(reference, frame, min(first_row + k * kThreads + static_cast<int>(threadIdx.x), n - 1));
  double sum = 0;
  for (int first = first_row; first < n; first += kThreads) {
    __syncthreads();  // all have used the tile before
    if (first + threadIdx.x < n) tile[threadIdx.x] = load(reference, frame, first + threadIdx.x);
    __syncthreads();  // all of this tile is there
    // [four-rows]
    float parts[kRows] = {};
    for (int j = 0; j < min(kThreads, n - first); ++j) {
      const AtomPair other = tile[j];
      for (int k = 0; k < kRows; ++k) {
        const float difference = distance(rows[k].a, other.a) - distance(rows[k].b, other.b);
        parts[k] += difference * difference;
      }
    }
    // [four-rows]
    // [half-weight]
    // Where all rows of the block meet each other, every pair comes twice, and an atom meets itself, which
    // adds 0. Elsewhere a pair comes once.
    const double weight = first < first_row + kRows * kThreads ? 0.5 : 1;
    for (int k = 0; k < kRows; ++k) {
      const bool is_row = first_row + k * kThreads + static_cast<int>(threadIdx.x) < n;
      sum += is_row ? weight * parts[k] : 0;
    }
    // [half-weight]
  }
  atomicAdd(&sums[blockIdx.x], sum);
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
  const dim3 blocks(frames, lockstep::divide_up(n, kRows * kThreads));
  rows_kernel<<<blocks, kThreads, 0, stream>>>(reference, trajectory, n, sums);
  CHECK_CUDA(cudaGetLastError());
  finish_kernel<<<lockstep::divide_up(frames, kThreads), kThreads, 0, stream>>>(sums, out, n, frames);
  CHECK_CUDA(cudaGetLastError());
}
