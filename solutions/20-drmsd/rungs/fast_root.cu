// dRMSD with four rows a thread and approximate roots. Lecture: 20-drmsd.
// Bound: instructions, 27 a pair.
#include "drmsd.h"

#include "lockstep/check_cuda.h"
#include "lockstep/divide_up.h"

constexpr int kThreads = 128;  // and atoms of a tile
constexpr int kRows = 4;       // of a thread, kThreads apart
constexpr int kTile = kRows * kThreads;

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

__device__ double warp_sum(double value) {
  for (int offset = 16; offset > 0; offset /= 2) value += __shfl_xor_sync(0xffffffff, value, offset);
  return value;
}

/// Each block adds up one tile of rows against one tile of columns, of a frame.
__global__ void __launch_bounds__(kThreads)
    tiles_kernel(const float* reference, const float* trajectory, int n, double* sums) {
  __shared__ AtomPair tile[kThreads];
  const float* const frame = trajectory + std::size_t{blockIdx.x} * 3 * n;
  const int first_row = blockIdx.y * kTile, first_column = blockIdx.z * kTile;
  if (first_column < first_row) return;  // below the diagonal: the same pairs as above it
  AtomPair rows[kRows];
  for (int k = 0; k < kRows; ++k)
    rows[k] = load(reference, frame, min(first_row + k * kThreads + static_cast<int>(threadIdx.x), n - 1));
  double sum = 0;
  for (int first = first_column; first < min(n, first_column + kTile); first += kThreads) {
    __syncthreads();  // all have used the atoms before
    if (first + threadIdx.x < n) tile[threadIdx.x] = load(reference, frame, first + threadIdx.x);
    __syncthreads();  // all of these are there
    float parts[kRows] = {};
    for (int j = 0; j < min(kThreads, n - first); ++j) {
      const AtomPair other = tile[j];
      for (int k = 0; k < kRows; ++k) {
        const float difference = distance(rows[k].a, other.a) - distance(rows[k].b, other.b);
        parts[k] += difference * difference;
      }
    }
    for (int k = 0; k < kRows; ++k)
      sum += first_row + k * kThreads + static_cast<int>(threadIdx.x) < n ? parts[k] : 0;
  }
  // On the diagonal every pair comes twice, and an atom meets itself, which adds 0.
  sum = warp_sum(first_row == first_column ? sum / 2 : sum);
  if (threadIdx.x % 32 == 0) atomicAdd(&sums[blockIdx.x], sum);
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
  const int tiles = lockstep::divide_up(n, kTile);
  tiles_kernel<<<dim3(frames, tiles, tiles), kThreads, 0, stream>>>(reference, trajectory, n, sums);
  CHECK_CUDA(cudaGetLastError());
  finish_kernel<<<lockstep::divide_up(frames, kThreads), kThreads, 0, stream>>>(sums, out, n, frames);
  CHECK_CUDA(cudaGetLastError());
}
