// expect: inefficient
// exercise: execution
// tries: Leaves no lane idle by work that serves nothing: every lane computes all three functions and selects
// one, and lanes without an element compute that of their neighbour.
// stopped by: `lane-instructions` counts what active lanes execute, per element of the task.
#include "execution.h"

constexpr int kThreads = 256;

__device__ std::uint32_t selected(std::uint32_t value, int kind) {
  const std::uint32_t first = shifted(value), second = multiplied(value), third = rotated(value);
  return kind == 0 ? first : (kind == 1 ? second : third);
}

__global__ void in_turns_kernel(const std::uint32_t* in, std::uint32_t* out, int n) {
  const int i = blockIdx.x * kThreads + threadIdx.x;
  if (i < n) out[i] = selected(in[i], i % 3);
}

__global__ void by_kind_kernel(const std::uint32_t* in, const int* kind, std::uint32_t* out, int n) {
  const int i = blockIdx.x * kThreads + threadIdx.x;
  if (i < n) out[i] = selected(in[i], kind[i]);
}

__global__ void short_rows_kernel(const std::uint32_t* in, const std::uint32_t* key, std::uint32_t* out,
                                  int columns) {
  const int column = min(static_cast<int>(threadIdx.x), columns - 1);
  const int i = blockIdx.x * columns + column;
  const std::uint32_t value = shifted(in[i] ^ key[blockIdx.x]);
  if (column == static_cast<int>(threadIdx.x)) out[i] = value;
}

void in_turns(const std::uint32_t* in, std::uint32_t* out, int n, cudaStream_t stream) {
  if (n > 0) in_turns_kernel<<<(n + kThreads - 1) / kThreads, kThreads, 0, stream>>>(in, out, n);
}

void by_kind(const std::uint32_t* in, const int* kind, const int*, std::uint32_t* out, int n,
             cudaStream_t stream) {
  if (n > 0) by_kind_kernel<<<(n + kThreads - 1) / kThreads, kThreads, 0, stream>>>(in, kind, out, n);
}

void short_rows(const std::uint32_t* in, const std::uint32_t* key, std::uint32_t* out, int rows, int columns,
                cudaStream_t stream) {
  if (rows > 0 && columns > 0) short_rows_kernel<<<rows, 64, 0, stream>>>(in, key, out, columns);
}
