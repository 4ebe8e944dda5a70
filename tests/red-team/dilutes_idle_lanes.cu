// expect: inefficient
// exercise: execution
// tries: Solves each puzzle with one thread per element, and has all lanes of many further warps count to a
// large number, so that most lanes of most instructions are active.
// stopped by: `idle-lanes` is no share of all lanes: it counts idle ones per element.
#include "execution.h"

constexpr int kThreads = 256;

/// Instructions that all lanes take part in and that serve nothing.
__device__ void count_on(std::uint32_t* out) {
  std::uint32_t sum = threadIdx.x;
  for (int step = 0; step < 1500; ++step) sum = sum * 5 + 1;
  if (sum == 0xFFFFFFFFU && blockIdx.x == 0xFFFFFFFFU) *out = sum;  // never, which the compiler cannot know
}

__global__ void in_turns_kernel(const std::uint32_t* in, std::uint32_t* out, int n) {
  count_on(out);
  const int i = blockIdx.x * kThreads + threadIdx.x;
  if (i >= n) return;
  out[i] = i % 3 == 0 ? shifted(in[i]) : (i % 3 == 1 ? multiplied(in[i]) : rotated(in[i]));
}

__global__ void by_kind_kernel(const std::uint32_t* in, const int* kind, std::uint32_t* out, int n) {
  count_on(out);
  const int i = blockIdx.x * kThreads + threadIdx.x;
  if (i >= n) return;
  out[i] = kind[i] == 0 ? shifted(in[i]) : (kind[i] == 1 ? multiplied(in[i]) : rotated(in[i]));
}

__global__ void short_rows_kernel(const std::uint32_t* in, const std::uint32_t* key, std::uint32_t* out,
                                  int columns) {
  count_on(out);
  const int i = blockIdx.x * columns + threadIdx.x;
  if (threadIdx.x < columns) out[i] = shifted(in[i] ^ key[blockIdx.x]);
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
