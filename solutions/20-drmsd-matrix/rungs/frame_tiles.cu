// All dRMSDs of a trajectory with four frames against four in each thread: eight distances make sixteen
// terms. Lecture: 20-drmsd. Bound: instructions, of which the distances are half.
#include "drmsd_matrix.h"

#include <cstdint>

#include "lockstep/check_cuda.h"
#include "lockstep/divide_up.h"

constexpr int kThreads = 64;  // and atoms of a tile
constexpr int kLanes = 32;
constexpr int kWarps = kThreads / kLanes;
constexpr int kTile = 4;  // frames, on either side

struct Atom {
  float x, y, z;
};

__device__ float distance(Atom a, Atom b) {
  const float x = a.x - b.x, y = a.y - b.y, z = a.z - b.z;
  return sqrtf(x * x + y * y + z * z);
}

__device__ double warp_sum(double value) {
  for (int offset = kLanes / 2; offset > 0; offset /= 2) value += __shfl_xor_sync(0xffffffff, value, offset);
  return value;
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

/// Of atom i the position in each frame of both tiles; beyond the last frame that one again.
__device__ void load(const float* trajectory, int n, int frames, int2 tiles, int i,
                     Atom (&atoms)[2 * kTile]) {
  for (int k = 0; k < 2 * kTile; ++k) {
    const int frame = min(k < kTile ? tiles.x * kTile + k : tiles.y * kTile + k - kTile, frames - 1);
    const float* const position = trajectory + 3 * (std::int64_t{n} * frame + i);
    atoms[k] = {position[0], position[1], position[2]};
  }
}

__global__ void __launch_bounds__(kThreads)
    tiles_kernel(const float* trajectory, float* out, int n, int frames) {
  __shared__ Atom tile[kThreads][2 * kTile];
  __shared__ double partial_sums[kWarps][kTile][kTile];
  const int2 tiles = tiles_of(blockIdx.x);
  double sums[kTile][kTile] = {};
  for (int first_row = 0; first_row < n; first_row += kThreads) {
    const int i = first_row + threadIdx.x;
    Atom own[2 * kTile];
    load(trajectory, n, frames, tiles, min(i, n - 1), own);  // a thread without a row waits with the others
    for (int first = first_row; first < n; first += kThreads) {
      __syncthreads();  // all have used the atoms before
      if (first + threadIdx.x < n) load(trajectory, n, frames, tiles, first + threadIdx.x, tile[threadIdx.x]);
      __syncthreads();  // all of these are there
      const int end = i < n ? min(kThreads, n - first) : 0;
      float parts[kTile][kTile] = {};
      for (int j = max(0, i + 1 - first); j < end; ++j) {
        float distances[2 * kTile];
        for (int k = 0; k < 2 * kTile; ++k) distances[k] = distance(own[k], tile[j][k]);
        for (int row = 0; row < kTile; ++row) {
          for (int column = 0; column < kTile; ++column) {
            const float difference = distances[row] - distances[kTile + column];
            parts[row][column] += difference * difference;
          }
        }
      }
      // A float for all pairs would lose digits: those of a tile in float, then double.
      for (int row = 0; row < kTile; ++row)
        for (int column = 0; column < kTile; ++column) sums[row][column] += parts[row][column];
    }
  }
  for (int row = 0; row < kTile; ++row) {
    for (int column = 0; column < kTile; ++column) {
      const double sum = warp_sum(sums[row][column]);
      if (threadIdx.x % kLanes == 0) partial_sums[threadIdx.x / kLanes][row][column] = sum;
    }
  }
  __syncthreads();
  const int row = threadIdx.x / kTile, column = threadIdx.x % kTile;
  const int f = tiles.x * kTile + row, g = tiles.y * kTile + column;
  if (row >= kTile || f >= g || g >= frames) return;
  double sum = 0;
  for (int warp = 0; warp < kWarps; ++warp) sum += partial_sums[warp][row][column];
  const double pairs = double(n) * (n - 1) / 2;
  out[place(f, g, frames)] = n < 2 ? 0 : static_cast<float>(sqrt(sum / pairs));
}

void drmsd_matrix(const float* trajectory, float* out, int n, int frames, cudaStream_t stream) {
  if (frames < 2) return;
  const int tiles = lockstep::divide_up(frames, kTile), blocks = tiles * (tiles + 1) / 2;
  tiles_kernel<<<blocks, kThreads, 0, stream>>>(trajectory, out, n, frames);
  CHECK_CUDA(cudaGetLastError());
}
