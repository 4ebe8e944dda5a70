// dRMSD in equal shares for all warps, the reference. Lecture: 15-drmsd.
// Bound: issue, at 16 instructions a pair, and the special-function units, at two roots a pair; both allow 8
// pairs a clock and multiprocessor.
#include "drmsd.h"

#include <algorithm>
#include <cstdint>

#include "lockstep/check_cuda.h"

constexpr int kLanes = 32;
constexpr int kWarps = 16;  // of a block; they share nothing but their multiprocessor
constexpr unsigned kAllLanes = 0xffffffff;

/// The triangle of pairs, cut into steps. A row is kRows atoms for each lane of a warp; a step is one row
/// against 32 atoms, its column. A row begins with the columns that hold its own atoms, so that step 0 of row
/// r is column r * kRows, and every pair is met: those of two atoms of the row twice, all others once.
struct Shares {
  int n, columns;
  std::int64_t steps_of_frame, steps;
  std::int64_t warps;

  // [equal-shares]
  /// Of all steps of all frames in a line, the first that `warp` takes. Shares differ by one step at most.
  __host__ __device__ std::int64_t first_step(std::int64_t warp) const { return steps * warp / warps; }
  /// The last warp whose share begins at `step` or before.
  __host__ __device__ std::int64_t warp_of(std::int64_t step) const {
    return ((step + 1) * warps - 1) / steps;
  }
  // [equal-shares]
};

struct Atom {
  float x, y, z;
};

struct AtomPair {  // of one atom, in the reference and in the frame
  Atom a, b;
};

__device__ AtomPair load(const float* reference, const float* frame, int i) {
  return {{reference[3 * i], reference[3 * i + 1], reference[3 * i + 2]},
          {frame[3 * i], frame[3 * i + 1], frame[3 * i + 2]}};
}
/// √x to the last bit or the one before, and 0 for 0. The compiler makes one MUFU.SQRT of it.
__device__ float fast_root(float x) {
  float root;
  asm("sqrt.approx.ftz.f32 %0, %1;" : "=f"(root) : "f"(x));
  return root;
}

__device__ float distance(Atom a, Atom b) {
  const float x = a.x - b.x, y = a.y - b.y, z = a.z - b.z;
  return fast_root(x * x + y * y + z * z);
}

__device__ double warp_sum(double value) {
  for (int offset = kLanes / 2; offset > 0; offset /= 2) value += __shfl_xor_sync(kAllLanes, value, offset);
  return value;
}

/// Sums the squares of one row against `count` atoms of a column. Every lane adds for each of its atoms in a
/// register of its own, 32 terms at most: what float loses there is beyond all digits of the result.
template <int kRows>
__device__ float step_sum(const AtomPair (&row)[kRows], int valid_rows, const AtomPair (&column)[kLanes],
                          int count) {
  float sums[kRows] = {};
  // [register-rows]
#pragma unroll 2
  for (int j = 0; j < count; ++j) {
    const AtomPair other = column[j];
    for (int k = 0; k < kRows; ++k) {
      const float difference = distance(row[k].a, other.a) - distance(row[k].b, other.b);
      sums[k] += difference * difference;
    }
  }
  // [register-rows]
  float sum = 0;
  for (int k = 0; k < kRows; ++k) sum += k < valid_rows ? sums[k] : 0;
  return sum;
}

/// Each warp goes through its share of the steps. What it has of a frame goes to partial_sums[warp + frame]:
/// from one to the next either the warp or the frame is one more, so no two share a place.
template <int kRows>
__global__ void __launch_bounds__(kWarps* kLanes)
    partial_sums_kernel(const float* reference, const float* trajectory, Shares shares,
                        double* partial_sums) {
  alignas(16) __shared__ AtomPair columns[kWarps][kLanes];
  const int lane = threadIdx.x % kLanes, warp_of_block = threadIdx.x / kLanes;
  const std::int64_t warp = std::int64_t{blockIdx.x} * kWarps + warp_of_block;
  if (warp >= shares.warps) return;  // nobody waits for this warp: there is no barrier of the block
  AtomPair(&column)[kLanes] = columns[warp_of_block];
  std::int64_t step = shares.first_step(warp);
  const std::int64_t end = shares.first_step(warp + 1);
  std::int64_t frame = step / shares.steps_of_frame;
  // [find-row]
  int row = 0, column_of_row = static_cast<int>(step % shares.steps_of_frame);
  while (column_of_row >= shares.columns - row * kRows) column_of_row -= shares.columns - row++ * kRows;
  // [find-row]
  const int n = shares.n;
  for (; step < end; ++frame) {
    const float* const positions = trajectory + frame * 3 * n;
    double sum = 0;
    for (; step < end && row * kRows < shares.columns; ++row) {
      AtomPair atoms[kRows];
      int valid_rows = 0;
      for (int k = 0; k < kRows; ++k) {
        const int i = (row * kRows + k) * kLanes + lane;
        atoms[k] = load(reference, positions, min(i, n - 1));
        valid_rows += i < n;
      }
      const int columns_of_row = shares.columns - row * kRows;
      for (; step < end && column_of_row < columns_of_row; ++step, ++column_of_row) {
        const int first = (row * kRows + column_of_row) * kLanes;
        const AtomPair own = load(reference, positions, min(first + lane, n - 1));
        __syncwarp();  // all lanes have read the column before
        column[lane] = own;
        __syncwarp();
        // [half-weight]
        // Both atoms in the row: such a pair is met from either end, and an atom meets itself, which adds 0.
        const double weight = column_of_row < kRows ? 0.5 : 1;
        sum += weight * step_sum(atoms, valid_rows, column, min(kLanes, n - first));
        // [half-weight]
      }
      if (column_of_row < columns_of_row) break;  // the share ends within the row
      column_of_row = 0;
    }
    sum = warp_sum(sum);
    if (lane == 0) partial_sums[warp + frame] = sum;
    row = 0;
  }
}

/// A warp for each frame adds up what the warps have of it, always in the same order.
__global__ void finish_kernel(const double* partial_sums, Shares shares, float* out, int frames) {
  const int lane = threadIdx.x % kLanes;
  const int frame = static_cast<int>((blockIdx.x * blockDim.x + threadIdx.x) / kLanes);
  if (frame >= frames) return;
  const std::int64_t first_step = frame * shares.steps_of_frame;
  const std::int64_t last = shares.warp_of(first_step + shares.steps_of_frame - 1);
  double sum = 0;
  for (std::int64_t warp = shares.warp_of(first_step) + lane; warp <= last; warp += kLanes)
    sum += partial_sums[warp + frame];
  sum = warp_sum(sum);
  const double n = shares.n;
  if (lane == 0) out[frame] = static_cast<float>(sqrt(2 / (n * (n - 1)) * sum));
}

std::int64_t warps_at_once() {
  int device, multiprocessors, blocks;
  CHECK_CUDA(cudaGetDevice(&device));
  CHECK_CUDA(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device));
  CHECK_CUDA(
      cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, partial_sums_kernel<8>, kWarps * kLanes, 0));
  return std::int64_t{multiprocessors} * blocks * kWarps;
}

template <int kRows>
Shares shares_of(int n, int frames) {
  Shares shares{.n = n, .columns = (n - 1) / kLanes + 1};
  for (int begin = 0; begin < shares.columns; begin += kRows) shares.steps_of_frame += shares.columns - begin;
  shares.steps = shares.steps_of_frame * frames;
  shares.warps = std::min(shares.steps, warps_at_once());
  return shares;
}

template <int kRows>
void add_up(const float* reference, const float* trajectory, float* out, int n, int frames,
            double* partial_sums, cudaStream_t stream) {
  const Shares shares = shares_of<kRows>(n, frames);
  const auto blocks = static_cast<unsigned>((shares.warps - 1) / kWarps + 1);
  partial_sums_kernel<kRows>
      <<<blocks, kWarps * kLanes, 0, stream>>>(reference, trajectory, shares, partial_sums);
  CHECK_CUDA(cudaGetLastError());
  finish_kernel<<<(frames - 1) / kWarps + 1, kWarps * kLanes, 0, stream>>>(partial_sums, shares, out, frames);
  CHECK_CUDA(cudaGetLastError());
}

std::size_t drmsd_workspace_bytes(int, int frames) { return (frames + warps_at_once()) * sizeof(double); }

void drmsd(const float* reference, const float* trajectory, float* out, int n, int frames, void* workspace,
           cudaStream_t stream) {
  if (frames == 0) return;
  if (n < 2) {
    CHECK_CUDA(cudaMemsetAsync(out, 0, frames * sizeof *out, stream));
    return;
  }
  constexpr int kEnoughForManyRows = 1024;  // atoms; below, most of a row of 256 would meet itself
  const auto add_up_rows = n < kEnoughForManyRows ? add_up<1> : add_up<8>;
  add_up_rows(reference, trajectory, out, n, frames, static_cast<double*>(workspace), stream);
}
