// Threads are assigned such that the lanes of a warp take the same way. Lecture: 03-execution.
// Bound: the instructions of the three functions.
#include "execution.h"

#include "lockstep/check_cuda.h"
#include "lockstep/divide_up.h"

constexpr int kKinds = 3, kWarp = 32;
constexpr int kThreads = 192;  // two groups of kKinds warps

__device__ int this_thread() { return blockIdx.x * blockDim.x + threadIdx.x; }

__device__ std::uint32_t changed(std::uint32_t value, int kind) {
  if (kind == 0) return shifted(value);
  return kind == 1 ? multiplied(value) : rotated(value);
}

/// The warps of a group share 96 elements, of which each takes every third.
__global__ void in_turns_kernel(const std::uint32_t* in, std::uint32_t* out, int n) {
  const int warp = this_thread() / kWarp, lane = this_thread() % kWarp;
  const int kind = warp % kKinds;
  const int i = warp / kKinds * (kKinds * kWarp) + lane * kKinds + kind;
  if (i < n) out[i] = changed(in[i], kind);
}

/// Lanes take neighbours of the list: only a warp at a border of two kinds diverges.
__global__ void by_kind_kernel(const std::uint32_t* in, const int* kind, const int* order, std::uint32_t* out,
                               int n) {
  if (this_thread() >= n) return;
  const int i = order[this_thread()];
  out[i] = changed(in[i], kind[i]);
}

/// Rows follow each other in memory, and in the numbers of the threads.
__global__ void short_rows_kernel(const std::uint32_t* in, const std::uint32_t* key, std::uint32_t* out,
                                  int rows, int columns) {
  const int i = this_thread();
  if (i < rows * columns) out[i] = shifted(in[i] ^ key[i / columns]);
}

void in_turns(const std::uint32_t* in, std::uint32_t* out, int n, cudaStream_t stream) {
  if (n == 0) return;  // a grid without blocks is an error
  // Whole groups, as the last elements of a group are of its last warp too.
  const int groups = lockstep::divide_up(n, kThreads);
  in_turns_kernel<<<groups, kThreads, 0, stream>>>(in, out, n);
  CHECK_CUDA(cudaGetLastError());
}

void by_kind(const std::uint32_t* in, const int* kind, const int* order, std::uint32_t* out, int n,
             cudaStream_t stream) {
  if (n == 0) return;
  by_kind_kernel<<<lockstep::divide_up(n, kThreads), kThreads, 0, stream>>>(in, kind, order, out, n);
  CHECK_CUDA(cudaGetLastError());
}

void short_rows(const std::uint32_t* in, const std::uint32_t* key, std::uint32_t* out, int rows, int columns,
                cudaStream_t stream) {
  if (rows == 0 || columns == 0) return;
  const int blocks = lockstep::divide_up(rows * columns, kThreads);
  short_rows_kernel<<<blocks, kThreads, 0, stream>>>(in, key, out, rows, columns);
  CHECK_CUDA(cudaGetLastError());
}
