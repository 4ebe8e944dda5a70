// Find the largest element and its place: the file that you hand in. The task is in README.md, the interface
// in reduction_arg_max.h.
#include "reduction_arg_max.h"

#include "lockstep/check_cuda.h"

/// One thread looks at one element after the other.
__global__ void arg_max_kernel(const float* in, int n, float* largest, int* place) {
  // TODO: this is right where the first element is the largest. Which pair of a value and a place stands for
  // no elements at all, and how are two such pairs combined?
  *largest = n > 0 ? in[0] : 0;
  *place = 0;
}

std::size_t reduction_arg_max_workspace_bytes(int) { return 0; }

void reduction_arg_max(const float* in, int n, float* largest, int* place, void*, cudaStream_t stream) {
  arg_max_kernel<<<1, 1, 0, stream>>>(in, n, largest, place);
  CHECK_CUDA(cudaGetLastError());
}
