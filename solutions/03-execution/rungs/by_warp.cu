// fails: idle-lanes
// at: for (int column = threadIdx.x; column < columns; column += blockDim.x) {
// Elements are assigned to warps by their kind, and a block has a row. Lecture: 03-execution.
// Bound: instructions for rows whose second warp is mostly idle.
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

/// A block for each row, of whole warps.
__global__ void short_rows_kernel(const std::uint32_t* in, const std::uint32_t* key, std::uint32_t* out,
                                  int columns) {
  const int row = blockIdx.x;
  for (int column = threadIdx.x; column < columns; column += blockDim.x) {
    const int i = row * columns + column;
    out[i] = shifted(in[i] ^ key[row]);
  }
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
  short_rows_kernel<<<rows, 64, 0, stream>>>(in, key, out, columns);
  CHECK_CUDA(cudaGetLastError());
}
