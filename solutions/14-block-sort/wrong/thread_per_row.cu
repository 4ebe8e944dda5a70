// expect: inefficient
// fails: global-sectors
// fails: lane-instructions
// fails: parallelism
// Each thread inserts the keys of a row one by one into those that it has sorted, in global memory.
#include "block_sort.h"
#include "lockstep/check_cuda.h"
#include "lockstep/divide_up.h"

constexpr int kThreads = 64;

__global__ void block_sort_kernel(const std::uint32_t* keys, std::uint32_t* sorted, int rows, int length) {
  const int row = blockIdx.x * kThreads + threadIdx.x;
  if (row >= rows) return;
  const std::uint32_t* const its_keys = keys + row * length;
  std::uint32_t* const its_sorted = sorted + row * length;
  for (int i = 0; i < length; ++i) {
    const std::uint32_t key = its_keys[i];
    int place = i;
    for (; place > 0 && its_sorted[place - 1] > key; --place) its_sorted[place] = its_sorted[place - 1];
    its_sorted[place] = key;
  }
}

void block_sort(const std::uint32_t* keys, std::uint32_t* sorted, int rows, int length, cudaStream_t stream) {
  if (rows == 0 || length == 0) return;  // a grid without blocks is an error
  block_sort_kernel<<<lockstep::divide_up(rows, kThreads), kThreads, 0, stream>>>(keys, sorted, rows, length);
  CHECK_CUDA(cudaGetLastError());
}
