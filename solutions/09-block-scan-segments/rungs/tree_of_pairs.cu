// fails: shared-wavefronts
// at: tree.sums[right] += tree.begins[right] != 0 ? 0 : before;
// Segmented scan of each row by a tree, one thread a pair of places. Lecture: 09-block-scan.
// Each place holds a flag and a sum. The tree is that of Brent and Kung, whose result is inclusive.
// Bound: places that are 2, 4, … 32 words apart lie in the same banks; up to 32 wavefronts an access.
#include "block_scan_segments.h"
#include "lockstep/check_cuda.h"

constexpr int kLongest = 1024;

struct Tree {
  int sums[kLongest];    // of the elements that the place stands for, from the last beginning among them on
  int begins[kLongest];  // whether a segment begins among them
};

/// To the elements that `right` stands for, adds those that `left` stands for, which lie before them.
__device__ void combine(Tree& tree, int left, int right) {
  const int before = tree.sums[left];
  tree.sums[right] += tree.begins[right] != 0 ? 0 : before;
  tree.begins[right] |= tree.begins[left];
}

__global__ void block_scan_segments_kernel(const int* values, const int* flags, int* out, int columns) {
  __shared__ Tree tree;
  const int thread = threadIdx.x, size = 2 * blockDim.x;
  const int first = blockIdx.x * columns;
  for (int i = thread; i < size; i += blockDim.x) {
    tree.sums[i] = i < columns ? values[first + i] : 0;
    tree.begins[i] = i < columns && flags[first + i] != 0;
  }
  for (int pairs = size / 2, offset = 1; pairs > 0; pairs /= 2, offset *= 2) {
    __syncthreads();  // both of a pair come from other threads; outside the branch, where all threads pass
    const int left = offset * (2 * thread + 1) - 1;
    if (thread < pairs) combine(tree, left, left + offset);
  }
  for (int pairs = 2, offset = size / 4; pairs < size; pairs *= 2, offset /= 2) {
    __syncthreads();
    const int left = 2 * offset * (thread + 1) - 1;  // stands for all elements up to itself by now
    if (thread < pairs - 1) combine(tree, left, left + offset);
  }
  __syncthreads();
  for (int i = thread; i < columns; i += blockDim.x) out[first + i] = tree.sums[i];
}

void block_scan_segments(const int* values, const int* flags, int* out, int rows, int columns,
                         cudaStream_t stream) {
  if (rows == 0 || columns == 0) return;  // a grid without blocks is an error

  int size = 2;  // places of the tree: a power of two
  while (size < columns) size *= 2;
  block_scan_segments_kernel<<<rows, size / 2, 0, stream>>>(values, flags, out, columns);
  CHECK_CUDA(cudaGetLastError());
}
