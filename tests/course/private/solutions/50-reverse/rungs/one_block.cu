// fails: parallelism
// at: reverse_kernel<<<1, kThreads, 0, stream>>>(in, out, n);
// One block moves everything. Lecture: none.
// Bound: a single multiprocessor works, and the others wait.
#include "reverse.h"

#include "lockstep/check_cuda.h"

constexpr int kThreads = 256;

__global__ void reverse_kernel(const std::uint32_t* in, std::uint32_t* out, int n) {
  for (int i = threadIdx.x; i < n; i += kThreads) out[i] = in[n - 1 - i];
}

void reverse(const std::uint32_t* in, std::uint32_t* out, int n, cudaStream_t stream) {
  reverse_kernel<<<1, kThreads, 0, stream>>>(in, out, n);
  CHECK_CUDA(cudaGetLastError());
}
