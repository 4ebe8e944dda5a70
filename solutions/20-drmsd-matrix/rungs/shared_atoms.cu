// fails: lane-instructions
// at: return sqrtf(x * x + y * y + z * z);
// All dRMSDs of a trajectory with a block for each pair of frames, and tiles of atoms in shared memory.
// Lecture: 20-drmsd. Bound: instructions; every distance is computed again for each frame that is compared.
#include "drmsd_matrix.h"

#include <cstdint>

#include "lockstep/check_cuda.h"

constexpr int kThreads = 64;  // and atoms of a tile
constexpr int kLanes = 32;

struct Atom {
  float x, y, z;
};

/// One atom, in either frame.
struct AtomPair {
  Atom a, b;
};

__device__ AtomPair load(const float* one, const float* other, int i) {
  return {{one[3 * i], one[3 * i + 1], one[3 * i + 2]}, {other[3 * i], other[3 * i + 1], other[3 * i + 2]}};
}

__device__ float distance(Atom a, Atom b) {
  const float x = a.x - b.x, y = a.y - b.y, z = a.z - b.z;
  return sqrtf(x * x + y * y + z * z);
}

__device__ double warp_sum(double value) {
  for (int offset = kLanes / 2; offset > 0; offset /= 2) value += __shfl_xor_sync(0xffffffff, value, offset);
  return value;
}

/// Frames f < g of a pair: those of column g follow the g (g - 1) / 2 of the columns before.
__device__ int2 frames_of(int pair) {
  const int g = static_cast<int>((sqrt(8.0 * pair + 1) + 1) / 2);
  return make_int2(pair - static_cast<int>(std::int64_t{g} * (g - 1) / 2), g);
}

/// Where the matrix holds the dRMSD of frames f < g: behind the rows before, and the frames up to f.
__device__ std::int64_t place(int f, int g, int frames) {
  return std::int64_t{f} * (2 * std::int64_t{frames} - f - 1) / 2 + g - f - 1;
}

__global__ void __launch_bounds__(kThreads)
    pairs_kernel(const float* trajectory, float* out, int n, int frames) {
  __shared__ AtomPair tile[kThreads];
  __shared__ double partial_sums[kThreads / kLanes];
  const int2 pair = frames_of(blockIdx.x);
  const float* const one = trajectory + std::int64_t{3} * n * pair.x;
  const float* const other = trajectory + std::int64_t{3} * n * pair.y;
  double sum = 0;
  for (int first_row = 0; first_row < n; first_row += kThreads) {
    const int i = first_row + threadIdx.x;
    const AtomPair own = load(one, other, min(i, n - 1));  // a thread without a row waits with the others
    for (int first = first_row; first < n; first += kThreads) {
      __syncthreads();  // all have used the tile before
      if (first + threadIdx.x < n) tile[threadIdx.x] = load(one, other, first + threadIdx.x);
      __syncthreads();  // all of this tile is there
      float part = 0;
      for (int j = max(0, i + 1 - first); j < min(kThreads, n - first); ++j) {
        const float difference = distance(own.a, tile[j].a) - distance(own.b, tile[j].b);
        part += difference * difference;
      }
      if (i < n) sum += part;
    }
  }
  sum = warp_sum(sum);
  if (threadIdx.x % kLanes == 0) partial_sums[threadIdx.x / kLanes] = sum;
  __syncthreads();
  if (threadIdx.x != 0) return;
  sum = 0;
  for (const double partial_sum : partial_sums) sum += partial_sum;
  const double pairs = double(n) * (n - 1) / 2;
  out[place(pair.x, pair.y, frames)] = n < 2 ? 0 : static_cast<float>(sqrt(sum / pairs));
}

void drmsd_matrix(const float* trajectory, float* out, int n, int frames, cudaStream_t stream) {
  if (frames < 2) return;
  const auto pairs = static_cast<unsigned>(std::int64_t{frames} * (frames - 1) / 2);
  pairs_kernel<<<pairs, kThreads, 0, stream>>>(trajectory, out, n, frames);
  CHECK_CUDA(cudaGetLastError());
}
