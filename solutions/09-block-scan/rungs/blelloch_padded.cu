// Scan within a block after Blelloch, free of bank conflicts. Lecture: 09-block-scan.
// With a free word after every 32 the pairs of every level lie in different banks.
// Bound: 21 barriers a segment, and ever fewer threads at work between them.
#include "block_scan.h"
#include "lockstep/check_cuda.h"

constexpr int kLongest = 1024;
constexpr int kBanks = 32;

// [padded-place]
/// Where element i is kept: 32 elements later means 33 words later, which is the next bank.
__device__ int place(int i) { return i + i / kBanks; }
// [padded-place]

__global__ void block_scan_kernel(const int* in, int* out, int length) {
  __shared__ int tree[kLongest + kLongest / kBanks];
  const int thread = threadIdx.x, size = 2 * blockDim.x;
  const int first = blockIdx.x * length;
  for (int i = thread; i < size; i += blockDim.x) tree[place(i)] = i < length ? in[first + i] : 0;

  for (int pairs = size / 2, offset = 1; pairs > 0; pairs /= 2, offset *= 2) {
    __syncthreads();  // both of a pair come from other threads; outside the branch, where all threads pass
    if (thread < pairs) {
      const int left_element = offset * (2 * thread + 1) - 1;
      const int left = place(left_element), right = place(left_element + offset);
      tree[right] += tree[left];
    }
  }

  if (thread == 0) tree[place(size - 1)] = 0;  // before the first element there is nothing
  for (int pairs = 1, offset = size / 2; pairs < size; pairs *= 2, offset /= 2) {
    __syncthreads();
    if (thread < pairs) {
      const int left_element = offset * (2 * thread + 1) - 1;
      const int left = place(left_element), right = place(left_element + offset);
      const int parent = tree[right];  // the sum of all that lies before the pair
      tree[right] = parent + tree[left];
      tree[left] = parent;
    }
  }
  __syncthreads();

  for (int i = thread; i < length; i += blockDim.x) out[first + i] = tree[place(i)];
}

void block_scan(const int* in, int* out, int segments, int length, cudaStream_t stream) {
  if (segments == 0 || length == 0) return;  // a grid without blocks is an error

  int size = 2;  // places of the tree: a power of two
  while (size < length) size *= 2;
  block_scan_kernel<<<segments, size / 2, 0, stream>>>(in, out, length);
  CHECK_CUDA(cudaGetLastError());
}
