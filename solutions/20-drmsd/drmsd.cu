// dRMSD in equal shares for all warps, the reference. Lecture: 20-drmsd.
// Bound: issue, at 16 instructions a pair, and the special-function units, at two roots a pair; both allow 8
// pairs a clock and multiprocessor. Frames that hardly differ take 28, and lose no digits.
#include "drmsd.h"

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

__device__ Atom operator-(Atom a, Atom b) { return {a.x - b.x, a.y - b.y, a.z - b.z}; }
__device__ Atom operator+(Atom a, Atom b) { return {a.x + b.x, a.y + b.y, a.z + b.z}; }
__device__ float product(Atom a, Atom b) { return a.x * b.x + a.y * b.y + a.z * b.z; }

struct AtomPair {
  Atom a;  // where the atom is in the reference
  Atom b;  // where it is in the frame; of a near frame how far it has moved
};

__device__ AtomPair load(const float* reference, const float* frame, int i, bool near) {
  const Atom a = {reference[3 * i], reference[3 * i + 1], reference[3 * i + 2]};
  const Atom b = {frame[3 * i], frame[3 * i + 1], frame[3 * i + 2]};
  return {a, near ? b - a : b};
}
/// √x to the last bit or the one before, and 0 for 0. The compiler makes one MUFU.SQRT of it.
__device__ float fast_root(float x) {
  float root;
  asm("sqrt.approx.ftz.f32 %0, %1;" : "=f"(root) : "f"(x));
  return root;
}

__device__ float length(Atom a) { return fast_root(product(a, a)); }

/// What two atoms have in one distance more than in the other.
template <bool kNear>
__device__ float difference(AtomPair i, AtomPair j) {
  if constexpr (!kNear) {
    return length(i.a - j.a) - length(i.b - j.b);
  } else {
    // [near]
    // |b| - |a| is (b - a)(b + a) / (|b| + |a|), and b - a what the atoms have moved against each other: here
    // no two large numbers are subtracted. The sign is lost in the square.
    const Atom a = i.a - j.a, moved = i.b - j.b, b = a + moved;
    constexpr float kTiny = 1e-18F;  // for lengths of 0, and those whose squares are smaller than any float
    float reciprocal;
    asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(reciprocal) : "f"(length(a) + length(b) + kTiny));
    return product(moved, a + b) * reciprocal;
    // [near]
  }
}

__device__ double warp_sum(double value) {
  for (int offset = kLanes / 2; offset > 0; offset /= 2) value += __shfl_xor_sync(kAllLanes, value, offset);
  return value;
}

__device__ float warp_max(float value) {
  for (int offset = kLanes / 2; offset > 0; offset /= 2)
    value = fmaxf(value, __shfl_xor_sync(kAllLanes, value, offset));
  return value;
}

// [is-near]
/// Whether a frame lies where the reference lies and hardly differs from it, as far as eight atoms tell. Of
/// few atoms it may differ more: there are not many pairs among which rounding errors cancel.
__device__ bool warp_is_near(const float* reference, const float* frame, int n) {
  constexpr int kLookedAt = 8, kFew = 64;
  const int lane = threadIdx.x % kLanes, axis = lane % 3;
  const int i = static_cast<int>(std::int64_t{n} * min(lane / 3, kLookedAt - 1) / kLookedAt);
  const float position = reference[3 * i + axis], moved = frame[3 * i + axis] - position;
  const float apart = fabsf(position - __shfl_sync(kAllLanes, position, axis));
  const float against_first = fabsf(moved - __shfl_sync(kAllLanes, moved, axis));
  const float times = n < kFew ? 4 : 1024;
  return warp_max(fmaxf(times * against_first, fabsf(moved))) <= warp_max(apart);
}
// [is-near]

/// Sums the squares of one row against `count` atoms of a column. Every lane adds for each of its atoms in a
/// register of its own, 32 terms at most: what float loses there is beyond all digits of the result.
template <bool kNear, int kRows>
__device__ float step_sum(const AtomPair (&row)[kRows], int valid_rows, const AtomPair (&column)[kLanes],
                          int count) {
  float sums[kRows] = {};
  // [register-rows]
#pragma unroll(kNear ? 1 : 2)
  for (int j = 0; j < count; ++j) {
    const AtomPair other = column[j];
    for (int k = 0; k < kRows; ++k) {
      const float term = difference<kNear>(row[k], other);
      sums[k] += term * term;
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
    const bool near = warp_is_near(reference, positions, n);
    double sum = 0;
    for (; step < end && row * kRows < shares.columns; ++row) {
      AtomPair atoms[kRows];
      int valid_rows = 0;
      for (int k = 0; k < kRows; ++k) {
        const int i = (row * kRows + k) * kLanes + lane;
        atoms[k] = load(reference, positions, min(i, n - 1), near);
        valid_rows += i < n;
      }
      const int columns_of_row = shares.columns - row * kRows;
      for (; step < end && column_of_row < columns_of_row; ++step, ++column_of_row) {
        const int first = (row * kRows + column_of_row) * kLanes;
        const AtomPair own = load(reference, positions, min(first + lane, n - 1), near);
        __syncwarp();  // all lanes have read the column before
        column[lane] = own;
        __syncwarp();
        // [half-weight]
        // Both atoms in the row: such a pair is met from either end, and an atom meets itself, which adds 0.
        const double weight = column_of_row < kRows ? 0.5 : 1;
        const int count = min(kLanes, n - first);
        sum += weight * (near ? step_sum<true>(atoms, valid_rows, column, count)
                              : step_sum<false>(atoms, valid_rows, column, count));
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
  shares.warps = min(shares.steps, warps_at_once());
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
