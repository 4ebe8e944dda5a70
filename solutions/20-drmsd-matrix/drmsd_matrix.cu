// All dRMSDs of a trajectory as a product of matrices, the reference: a row of distances for each frame, and
// (a - b)² in place of a b. Lecture: 20-drmsd; register tiling: 07-matrix-product.
// Bound: instructions, two for each pair of atoms and of frames; a distance is computed once for 32 frames.
#include "drmsd_matrix.h"

#include <cstdint>

#include "lockstep/check_cuda.h"
#include "lockstep/divide_up.h"

constexpr int kSide = 8;  // threads of a block, on either side of its tile of the matrix
constexpr int kThreads = kSide * kSide;
constexpr int kLanes = 32;  // and pairs of atoms at a time

/// Distances of kLanes pairs of atoms in kFrames frames. The lanes of a warp write one column, each to a bank
/// of its own, as rows are a word longer.
template <int kFrames>
using Distances = float[kLanes][kFrames + 1];

__device__ float distance(const float* a, const float* b) {
  const float x = a[0] - b[0], y = a[1] - b[1], z = a[2] - b[2];
  return sqrtf(x * x + y * y + z * z);
}

/// Atoms i < j, in the order (0, 1), (0, 2), (1, 2), (0, 3), …: neighbouring lanes have neighbouring atoms.
struct AtomPair {
  int i, j;

  __device__ void advance(int pairs) {
    for (i += pairs; i >= j; ++j) i -= j;
  }
};

/// Computes the distance of the lane's pair in the frames from `first` on. What is no pair, or no frame, has
/// 0.
template <int kFrames>
__device__ void block_distances(const float* trajectory, int n, int frames, int first, AtomPair pair,
                                Distances<kFrames>& distances) {
  const int lane = threadIdx.x % kLanes;
  for (int k = threadIdx.x / kLanes; k < kFrames; k += kThreads / kLanes) {
    const int frame = first + k;
    const float* const atoms = trajectory + std::int64_t{3} * n * frame;
    const bool is_one = pair.j < n && frame < frames;
    distances[lane][k] = is_one ? distance(atoms + 3 * pair.i, atoms + 3 * pair.j) : 0;
  }
}

/// Pair number p of tiles in the order (0, 0), (0, 1), (1, 1), (0, 2), …: column c begins at c (c + 1) / 2.
__device__ int2 tiles_of(int pair) {
  const int column = static_cast<int>((sqrt(8.0 * pair + 1) - 1) / 2);
  return make_int2(pair - column * (column + 1) / 2, column);
}

/// Where the matrix holds the dRMSD of frames f < g: behind the rows before, and the frames up to f.
__device__ std::int64_t place(int f, int g, int frames) {
  return std::int64_t{f} * (2 * std::int64_t{frames} - f - 1) / 2 + g - f - 1;
}

/// A block computes a tile of the matrix, and a thread kOfThread frames against as many others. These lie
/// kSide apart, so that the lanes of a warp read neighbouring words of shared memory.
template <int kOfThread>
__global__ void __launch_bounds__(kThreads)
    tiles_kernel(const float* trajectory, float* out, int n, int frames) {
  constexpr int kTile = kSide * kOfThread;
  __shared__ Distances<kTile> of_rows, of_columns;
  const int2 tiles = tiles_of(blockIdx.x);
  const bool on_diagonal = tiles.x == tiles.y;
  const Distances<kTile>& columns = on_diagonal ? of_rows : of_columns;
  const int row = threadIdx.x / kSide, column = threadIdx.x % kSide;  // the first of the thread
  AtomPair pair = {0, 1};
  pair.advance(threadIdx.x % kLanes);
  double sums[kOfThread][kOfThread] = {};
  const std::int64_t pairs = std::int64_t{n} * (n - 1) / 2;
  for (std::int64_t first = 0; first < pairs; first += kLanes, pair.advance(kLanes)) {
    __syncthreads();  // all have used the distances before
    block_distances<kTile>(trajectory, n, frames, tiles.x * kTile, pair, of_rows);
    if (!on_diagonal) block_distances<kTile>(trajectory, n, frames, tiles.y * kTile, pair, of_columns);
    __syncthreads();  // all of these are there
    float parts[kOfThread][kOfThread] = {};
    for (int k = 0; k < kLanes; ++k) {
      float a[kOfThread], b[kOfThread];
      for (int r = 0; r < kOfThread; ++r) a[r] = of_rows[k][row + r * kSide];
      for (int c = 0; c < kOfThread; ++c) b[c] = columns[k][column + c * kSide];
      for (int r = 0; r < kOfThread; ++r)
        for (int c = 0; c < kOfThread; ++c) parts[r][c] += (a[r] - b[c]) * (a[r] - b[c]);
    }
    // A float for all pairs would lose digits: 32 terms in float, then double.
    for (int r = 0; r < kOfThread; ++r)
      for (int c = 0; c < kOfThread; ++c) sums[r][c] += parts[r][c];
  }
  for (int r = 0; r < kOfThread; ++r) {
    for (int c = 0; c < kOfThread; ++c) {
      const int f = tiles.x * kTile + row + r * kSide, g = tiles.y * kTile + column + c * kSide;
      if (f < g && g < frames)
        out[place(f, g, frames)] = pairs == 0 ? 0 : static_cast<float>(sqrt(sums[r][c] / pairs));
    }
  }
}

template <int kOfThread>
void launch(const float* trajectory, float* out, int n, int frames, cudaStream_t stream) {
  const int tiles = lockstep::divide_up(frames, kSide * kOfThread), blocks = tiles * (tiles + 1) / 2;
  tiles_kernel<kOfThread><<<blocks, kThreads, 0, stream>>>(trajectory, out, n, frames);
  CHECK_CUDA(cudaGetLastError());
}

void drmsd_matrix(const float* trajectory, float* out, int n, int frames, cudaStream_t stream) {
  if (frames < 2) return;
  constexpr int kEnoughForLargeTiles = 32;  // frames; below, most of the only tile would be empty
  const auto launch_tiles = frames < kEnoughForLargeTiles ? launch<1> : launch<4>;
  launch_tiles(trajectory, out, n, frames, stream);
}
