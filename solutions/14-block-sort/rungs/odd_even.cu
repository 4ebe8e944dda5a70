// fails: lane-instructions
// at: const std::uint32_t low = row[left], high = row[left + 1];
// fails: shared-passes
// at: const std::uint32_t low = row[left], high = row[left + 1];
// Sort of rows by odd and even steps between neighbours, one block per row, one thread per pair.
// Lecture: 14-block-sort.
// Bound: as many steps as keys, each with a barrier, and every step touches every key.
#include "block_sort.h"
#include "lockstep/check_cuda.h"
#include "lockstep/divide_up.h"

constexpr int kLongest = 1024;

__global__ void block_sort_kernel(const std::uint32_t* keys, std::uint32_t* sorted, int length) {
  __shared__ std::uint32_t row[kLongest];
  const int thread = threadIdx.x;
  const int first = blockIdx.x * length;
  for (int i = thread; i < length; i += blockDim.x) row[i] = keys[first + i];

  // [odd-even]
  for (int step = 0; step < length; ++step) {
    __syncthreads();  // in the step before, the keys were in other pairs
    const int left = 2 * thread + step % 2;
    if (left + 1 < length) {  // in odd steps the last key may be without a partner
      const std::uint32_t low = row[left], high = row[left + 1];
      if (low > high) {
        row[left] = high;
        row[left + 1] = low;
      }
    }
  }
  // [odd-even]

  __syncthreads();
  for (int i = thread; i < length; i += blockDim.x) sorted[first + i] = row[i];
}

void block_sort(const std::uint32_t* keys, std::uint32_t* sorted, int rows, int length, cudaStream_t stream) {
  if (rows == 0 || length == 0) return;  // a grid without blocks is an error
  block_sort_kernel<<<rows, lockstep::divide_up(length, 2), 0, stream>>>(keys, sorted, length);
  CHECK_CUDA(cudaGetLastError());
}
