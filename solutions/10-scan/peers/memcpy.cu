// unchecked
// Moves the bytes of a scan and adds nothing up: what any scan can reach at most.
#include "lockstep/check_cuda.h"
#include "scan.h"

std::size_t scan_workspace_bytes(int) { return 0; }

void scan(const int* in, int* out, int n, void*, cudaStream_t stream) {
  CHECK_CUDA(cudaMemcpyAsync(out, in, sizeof(int) * n, cudaMemcpyDeviceToDevice, stream));
}
