// dRMSD with a block for each pair of tiles, all of equal size. Lecture: 20-drmsd.
// Bound: instructions, 16.5 a pair of which 16 are arithmetic; the special-function units are as busy.
#include "drmsd.h"

#include "lockstep/check_cuda.h"
#include "lockstep/divide_up.h"

constexpr int kThreads = 64;  // and atoms in shared memory at a time
constexpr int kRows = 8;      // of a thread, kThreads apart
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

// [one-instruction-root]
/// √x to the last bit or the one before, and 0 for 0: one MUFU.SQRT.
__device__ float fast_root(float x) {
  float root;
  asm("sqrt.approx.ftz.f32 %0, %1;" : "=f"(root) : "f"(x));
  return root;
}
// [one-instruction-root]

__device__ float distance(Atom a, Atom b) {
  const float x = a.x - b.x, y = a.y - b.y, z = a.z - b.z;
  return fast_root(x * x + y * y + z * z);
}

// [which-tiles]
/// Pair number p of tiles in the order (0, 0), (0, 1), (1, 1), (0, 2), …: column c begins at c (c + 1) / 2.
__device__ int2 tiles_of(int pair) {
  const int column = static_cast<int>((sqrt(8.0 * pair + 1) - 1) / 2);
  return make_int2(pair - column * (column + 1) / 2, column);
}
// [which-tiles]

__device__ double warp_sum(double value) {
  for (int offset = 16; offset > 0; offset /= 2) value += __shfl_xor_sync(0xffffffff, value, offset);
  return value;
}

__global__ void __launch_bounds__(kThreads)
    tiles_kernel(const float* reference, const float* trajectory, int n, int pairs_of_tiles, double* sums) {
  __shared__ AtomPair tile[kThreads];
  const int frame_number = blockIdx.x / pairs_of_tiles;
  const float* const frame = trajectory + std::size_t{3} * n * frame_number;
  const int2 tiles = tiles_of(blockIdx.x % pairs_of_tiles);
  const int first_row = tiles.x * kTile, first_column = tiles.y * kTile;
  AtomPair rows[kRows];
  for (int k = 0; k < kRows; ++k)
    rows[k] = load(reference, frame, min(first_row + k * kThreads + static_cast<int>(threadIdx.x), n - 1));
  double sum = 0;
  for (int first = first_column; first < min(n, first_column + kTile); first += kThreads) {
    __syncthreads();  // all have used the atoms before
    if (first + threadIdx.x < n) tile[threadIdx.x] = load(reference, frame, first + threadIdx.x);
    __syncthreads();  // all of these are there
    float parts[kRows] = {};
    const int count = min(kThreads, n - first);
#pragma unroll 2
    for (int j = 0; j < count; ++j) {
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
  sum = warp_sum(tiles.x == tiles.y ? sum / 2 : sum);
  if (threadIdx.x % 32 == 0) atomicAdd(&sums[frame_number], sum);
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
  const int tiles = lockstep::divide_up(n, kTile), pairs_of_tiles = tiles * (tiles + 1) / 2;
  tiles_kernel<<<frames * pairs_of_tiles, kThreads, 0, stream>>>(reference, trajectory, n, pairs_of_tiles,
                                                                 sums);
  CHECK_CUDA(cudaGetLastError());
  finish_kernel<<<lockstep::divide_up(frames, kThreads), kThreads, 0, stream>>>(sums, out, n, frames);
  CHECK_CUDA(cudaGetLastError());
}
