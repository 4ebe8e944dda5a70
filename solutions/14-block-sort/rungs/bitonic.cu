// fails: shared-passes
// at: const std::uint32_t left_key = row[left], right_key = row[right];
// Bitonic sort of rows in shared memory, one block per row, one thread per pair. Lecture: 14-block-sort.
// Bound: 55 barriers for 1024 keys, and in steps of distances below 32 two lanes meet in each bank.
#include "block_sort.h"
#include "lockstep/check_cuda.h"

constexpr int kLongest = 1024;
constexpr std::uint32_t kPadding = 0xffffffff;  // no key is larger: it stays behind all of them

/// `size` is the length rounded up to a power of two, and the block has half as many threads.
__global__ void block_sort_kernel(const std::uint32_t* keys, std::uint32_t* sorted, int length, int size) {
  __shared__ std::uint32_t row[kLongest];
  const int thread = threadIdx.x;
  const int first = blockIdx.x * length;
  for (int i = thread; i < size; i += blockDim.x) row[i] = i < length ? keys[first + i] : kPadding;

  // [bitonic-steps]
  for (int run = 2; run <= size; run *= 2) {  // sorted runs of half the length become runs of this length
    for (int distance = run / 2; distance > 0; distance /= 2) {
      __syncthreads();  // in the step before, the keys were in other pairs
      const int left = 2 * thread - thread % distance, right = left + distance;
      const bool ascends = (left & run) == 0;  // every other run descends
      const std::uint32_t left_key = row[left], right_key = row[right];
      if ((left_key > right_key) == ascends) {
        row[left] = right_key;
        row[right] = left_key;
      }
    }
  }
  // [bitonic-steps]

  __syncthreads();
  for (int i = thread; i < length; i += blockDim.x) sorted[first + i] = row[i];
}

void block_sort(const std::uint32_t* keys, std::uint32_t* sorted, int rows, int length, cudaStream_t stream) {
  if (rows == 0 || length == 0) return;  // a grid without blocks is an error
  int size = 2;
  while (size < length) size *= 2;
  block_sort_kernel<<<rows, size / 2, 0, stream>>>(keys, sorted, length, size);
  CHECK_CUDA(cudaGetLastError());
}
