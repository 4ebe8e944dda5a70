// expect: wrong-answer
// Builds the tree over `length` places without filling up to a power of two: sums of other lengths are lost.
#include "block_scan.h"
#include "lockstep/check_cuda.h"

constexpr int kLongest = 1024;

__global__ void block_scan_kernel(const int* in, int* out, int length) {
  __shared__ int tree[kLongest];
  const int thread = threadIdx.x, size = length;
  const int first = blockIdx.x * length;
  for (int i = thread; i < size; i += blockDim.x) tree[i] = in[first + i];

  for (int pairs = size / 2, offset = 1; pairs > 0; pairs /= 2, offset *= 2) {
    __syncthreads();  // both of a pair come from other threads; outside the branch, where all threads pass
    if (thread < pairs) {
      const int left = offset * (2 * thread + 1) - 1, right = left + offset;
      tree[right] += tree[left];
    }
  }

  if (thread == 0) tree[size - 1] = 0;  // before the first element there is nothing
  for (int pairs = 1, offset = size / 2; offset > 0; pairs *= 2, offset /= 2) {
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
  const int threads = length > 1 ? length / 2 : 1;
  block_scan_kernel<<<segments, threads, 0, stream>>>(in, out, length);
  CHECK_CUDA(cudaGetLastError());
}
