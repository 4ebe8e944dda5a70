// fails: shared-wavefronts
// at: tree[right] += tree[left];
// Scan within a block after Blelloch, up a tree of sums and down again, one thread a pair.
// Lecture: 09-block-scan.
// Bound: pairs that are 2, 4, … 32 words apart lie in the same banks; up to 32 wavefronts an access.
#include "block_scan.h"
#include "lockstep/check_cuda.h"

constexpr int kLongest = 1024;

__global__ void block_scan_kernel(const int* in, int* out, int length) {
  __shared__ int tree[kLongest];
  const int thread = threadIdx.x, size = 2 * blockDim.x;
  const int first = blockIdx.x * length;
  for (int i = thread; i < size; i += blockDim.x) tree[i] = i < length ? in[first + i] : 0;

  // [up-the-tree]
  for (int pairs = size / 2, offset = 1; pairs > 0; pairs /= 2, offset *= 2) {
    __syncthreads();  // both of a pair come from other threads; outside the branch, where all threads pass
    if (thread < pairs) {
      const int left = offset * (2 * thread + 1) - 1, right = left + offset;
      tree[right] += tree[left];
    }
  }
  // [up-the-tree]

  if (thread == 0) tree[size - 1] = 0;  // before the first element there is nothing
  for (int pairs = 1, offset = size / 2; pairs < size; pairs *= 2, offset /= 2) {
    __syncthreads();
    if (thread < pairs) {
      const int left = offset * (2 * thread + 1) - 1, right = left + offset;
      const int parent = tree[right];  // the sum of all that lies before the pair
      tree[right] = parent + tree[left];
      tree[left] = parent;
    }
  }
  __syncthreads();

  for (int i = thread; i < length; i += blockDim.x) out[first + i] = tree[i];
}

void block_scan(const int* in, int* out, int segments, int length, cudaStream_t stream) {
  if (segments == 0 || length == 0) return;  // a grid without blocks is an error

  int size = 2;  // places of the tree: a power of two
  while (size < length) size *= 2;
  block_scan_kernel<<<segments, size / 2, 0, stream>>>(in, out, length);
  CHECK_CUDA(cudaGetLastError());
}
