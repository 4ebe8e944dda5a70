// expect: inefficient
// fails: parallelism
// A block for each frame: of a single frame, or few, it leaves all other multiprocessors idle.
#include "drmsd.h"

#include "lockstep/check_cuda.h"

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

/// √x to the last bit or the one before, and 0 for 0: one MUFU.SQRT.
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
  for (int offset = 16; offset > 0; offset /= 2) value += __shfl_xor_sync(0xffffffff, value, offset);
  return value;
}

__global__ void __launch_bounds__(kThreads)
    frame_kernel(const float* reference, const float* trajectory, int n, float* out) {
  __shared__ AtomPair tile[kThreads];
  __shared__ double warp_sums[kThreads / 32];
  const float* const frame = trajectory + std::size_t{3} * n * blockIdx.x;
  double sum = 0;
  for (int first_row = 0; first_row < n; first_row += kTile) {
    AtomPair rows[kRows];
    for (int k = 0; k < kRows; ++k)
      rows[k] = load(reference, frame, min(first_row + k * kThreads + static_cast<int>(threadIdx.x), n - 1));
    for (int first = 0; first < n; first += kThreads) {
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
  }
  sum = warp_sum(sum);
  if (threadIdx.x % 32 == 0) warp_sums[threadIdx.x / 32] = sum;
  __syncthreads();  // both sums are there; every pair came twice
  if (threadIdx.x == 0)
    out[blockIdx.x] = static_cast<float>(sqrt((warp_sums[0] + warp_sums[1]) / (double(n) * (n - 1))));
}

std::size_t drmsd_workspace_bytes(int, int) { return 0; }

void drmsd(const float* reference, const float* trajectory, float* out, int n, int frames, void*,
           cudaStream_t stream) {
  if (frames == 0) return;
  if (n < 2) {
    CHECK_CUDA(cudaMemsetAsync(out, 0, frames * sizeof *out, stream));
    return;
  }
  frame_kernel<<<frames, kThreads, 0, stream>>>(reference, trajectory, n, out);
  CHECK_CUDA(cudaGetLastError());
}
