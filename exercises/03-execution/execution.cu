// Keep the lanes busy: the file that you hand in. The task is in README.md, the interface, with the functions
// shifted, multiplied and rotated, in execution.h.
#include "execution.h"

#include "lockstep/check_cuda.h"
#include "lockstep/divide_up.h"

constexpr int kThreads = 192;  // six warps

__global__ void in_turns_kernel(const std::uint32_t* in, std::uint32_t* out, int n) {
  // TODO: choose this thread's element, such that all lanes of its warp have elements of one kind, and write
  // what becomes of it. Then write a kernel for each of the functions below, and launch it.
}

void in_turns(const std::uint32_t* in, std::uint32_t* out, int n, cudaStream_t stream) {
  if (n == 0) return;  // a grid without blocks is an error
  in_turns_kernel<<<lockstep::divide_up(n, kThreads), kThreads, 0, stream>>>(in, out, n);
  CHECK_CUDA(cudaGetLastError());
}

void by_kind(const std::uint32_t* in, const int* kind, const int* order, std::uint32_t* out, int n,
             cudaStream_t stream) {}

void short_rows(const std::uint32_t* in, const std::uint32_t* key, std::uint32_t* out, int rows, int columns,
                cudaStream_t stream) {}
