// unchecked
// Moves the bytes of the segments and adds nothing up: what any scan can reach at most.
#include "block_scan.h"
#include "lockstep/check_cuda.h"

void block_scan(const int* in, int* out, int segments, int length, cudaStream_t stream) {
  const std::size_t bytes = sizeof(int) * segments * length;
  CHECK_CUDA(cudaMemcpyAsync(out, in, bytes, cudaMemcpyDeviceToDevice, stream));
}
