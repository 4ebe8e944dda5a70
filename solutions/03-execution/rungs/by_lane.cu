// fails: idle-lanes
// at: if (kind == 0) return shifted(value);
// fails: idle-lanes
// at: if (kind == 0) return shifted(value);
// fails: idle-lanes
// at: for (int column = threadIdx.x; column < columns; column += blockDim.x) {
// One thread per element, in the order of the elements, and a block per row. Lecture: 03-execution.
// Bound: instructions that a third of the lanes take part in.
#include "execution.h"

#include "lockstep/check_cuda.h"
#include "lockstep/divide_up.h"

constexpr int kKinds = 3, kThreads = 192;

__device__ int this_thread() { return blockIdx.x * blockDim.x + threadIdx.x; }

__device__ std::uint32_t changed(std::uint32_t value, int kind) {
  if (kind == 0) return shifted(value);
  return kind == 1 ? multiplied(value) : rotated(value);
}

__global__ void in_turns_kernel(const std::uint32_t* in, std::uint32_t* out, int n) {
  const int i = this_thread();
  if (i < n) out[i] = changed(in[i], i % kKinds);
}

__global__ void by_kind_kernel(const std::uint32_t* in, const int* kind, std::uint32_t* out, int n) {
  const int i = this_thread();
  if (i < n) out[i] = changed(in[i], kind[i]);
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
  in_turns_kernel<<<lockstep::divide_up(n, kThreads), kThreads, 0, stream>>>(in, out, n);
  CHECK_CUDA(cudaGetLastError());
}

void by_kind(const std::uint32_t* in, const int* kind, const int* order, std::uint32_t* out, int n,
             cudaStream_t stream) {
  if (n == 0) return;
  by_kind_kernel<<<lockstep::divide_up(n, kThreads), kThreads, 0, stream>>>(in, kind, out, n);
  CHECK_CUDA(cudaGetLastError());
}

void short_rows(const std::uint32_t* in, const std::uint32_t* key, std::uint32_t* out, int rows, int columns,
                cudaStream_t stream) {
  if (rows == 0 || columns == 0) return;
  short_rows_kernel<<<rows, 64, 0, stream>>>(in, key, out, columns);
  CHECK_CUDA(cudaGetLastError());
}
