// Multiply two matrices on tensor cores: the file that you hand in. The task is in README.md, the interface
// in tensor_cores.h.
#include "tensor_cores.h"

#include "lockstep/check_cuda.h"
#include "lockstep/divide_up.h"

constexpr int kThreads = 256;  // of a block

/// A bfloat16 is the upper half of a float.
__device__ float to_float(std::uint16_t bits) { return __uint_as_float(unsigned{bits} << 16); }

/// A thread for each element of C, in one dimension.
__global__ void tensor_cores_kernel(const std::uint16_t* a, const std::uint16_t* b, float* c, int m, int n,
                                    int k) {
  const long long place = static_cast<long long>(blockIdx.x) * kThreads + threadIdx.x;
  if (place >= static_cast<long long>(m) * n) return;
  const int row = place / n, column = place % n;
  // TODO: this is the last product alone. Let a warp have 16 x 16 elements of C, and let tensor cores add up
  // the products; then let the warps of a block share what they read.
  if (k > 0) c[place] = to_float(a[(row + 1) * k - 1]) * to_float(b[(k - 1) * n + column]);
}

void tensor_cores(const std::uint16_t* a, const std::uint16_t* b, float* c, int m, int n, int k,
                  cudaStream_t stream) {
  if (m == 0 || n == 0) return;  // a grid without blocks is an error
  const int blocks = lockstep::divide_up(m * n, kThreads);
  tensor_cores_kernel<<<blocks, kThreads, 0, stream>>>(a, b, c, m, n, k);
  CHECK_CUDA(cudaGetLastError());
}
