// expect: passed
// expect-gpu: too-slow
// exercise: block-scan
// shows: Structures copied with their padding, bit fields set by member, flags read under a condition.
#include "block_scan.h"

constexpr int kThreads = 256, kWarp = 32, kWarps = kThreads / kWarp;

/// One sum, one byte, three of padding.
struct Total {
  int sum;
  bool is_inside;
};

/// Set one after the other: who sets the first loads what lies beside it.
struct Progress {
  unsigned chunk : 20;
  unsigned has_carry : 1;
  unsigned threads : 11;
};

__global__ void block_scan_kernel(const int* in, int* out, int length) {
  __shared__ Total totals[kWarps], sorted[kWarps];
  __shared__ Progress progress;
  __shared__ int carry;  // has no value in the first chunk
  const long first = static_cast<long>(blockIdx.x) * length;
  const int t = static_cast<int>(threadIdx.x), lane = t % kWarp, warp = t / kWarp;
  for (int start = 0; start < length; start += kThreads) {
    const int i = start + t;
    const int value = i < length ? in[first + i] : 0;
    int sum = value;
    for (int distance = 1; distance < kWarp; distance *= 2) {
      const int other = __shfl_up_sync(~0U, sum, distance);
      if (lane >= distance) sum += other;
    }
    if (lane == kWarp - 1) {
      totals[warp].sum = sum;
      totals[warp].is_inside = i - lane < length;
    }
    if (t == 0) {
      progress.chunk = static_cast<unsigned>(start / kThreads);
      progress.has_carry = start > 0;
      progress.threads = kThreads;
    }
    __syncthreads();
    if (t < kWarps) sorted[kWarps - 1 - t] = totals[t];
    __nanosleep(5000);  // too slow on any GPU
    __syncthreads();
    int before = sum - value;
    for (int w = 0; w < warp; ++w) {
      const Total total = sorted[kWarps - 1 - w];
      if (total.is_inside) before += total.sum;
    }
    const bool carries = start > 0 && carry != 0;
    if (carries && progress.has_carry == 1) before += carry;
    if (i < length) out[first + i] = before;
    __syncthreads();
    if (t == kThreads - 1) carry = before + value;
    __syncthreads();
  }
}

void block_scan(const int* in, int* out, int segments, int length, cudaStream_t stream) {
  if (segments == 0 || length == 0) return;
  block_scan_kernel<<<segments, kThreads, 0, stream>>>(in, out, length);
}
