// Bitonic sort of rows, one block per row, one key per thread in a register: steps of distances below 32 by
// shuffles, the others through shared memory. Lecture: 14-block-sort.
// Bound: one key per thread, whose place and direction cost more instructions in each step than the
// comparison, and 15 barriers for 1024 keys.
#include "block_sort.h"
#include "lockstep/check_cuda.h"

constexpr int kLanes = 32;
constexpr unsigned kAllLanes = 0xffffffff;
constexpr int kLongest = 1024;
constexpr std::uint32_t kPadding = 0xffffffff;  // no key is larger: it stays behind all of them

__global__ void block_sort_kernel(const std::uint32_t* keys, std::uint32_t* sorted, int length) {
  __shared__ std::uint32_t buffers[2][kLongest];
  const int i = threadIdx.x, size = blockDim.x;
  const int first = blockIdx.x * length;
  std::uint32_t key = i < length ? keys[first + i] : kPadding;

  // [steps-by-shuffles]
  int turn = 0;
  for (int run = 2; run <= size; run *= 2) {
    for (int distance = run / 2; distance > 0; distance /= 2) {
      std::uint32_t other;
      if (distance < kLanes) {
        other = __shfl_xor_sync(kAllLanes, key, distance);
      } else {
        std::uint32_t* const row = buffers[turn];
        row[i] = key;
        __syncthreads();  // one per step will do: the next such step writes the other buffer
        other = row[i ^ distance];
        turn = 1 - turn;
      }
      const bool is_left = (i & distance) == 0, ascends = (i & run) == 0;
      key = is_left == ascends ? min(key, other) : max(key, other);
    }
  }
  // [steps-by-shuffles]

  if (i < length) sorted[first + i] = key;
}

void block_sort(const std::uint32_t* keys, std::uint32_t* sorted, int rows, int length, cudaStream_t stream) {
  if (rows == 0 || length == 0) return;  // a grid without blocks is an error
  int size = kLanes;                     // whole warps, which the shuffles name
  while (size < length) size *= 2;
  block_sort_kernel<<<rows, size, 0, stream>>>(keys, sorted, length);
  CHECK_CUDA(cudaGetLastError());
}
