// CUB's selection of elements by a predicate, to compare with: one pass with look-back, tuned for each
// architecture.
#include <cub/device/device_select.cuh>

#include "compaction.h"
#include "lockstep/check_cuda.h"

struct IsLess {
  std::uint32_t limit;
  __device__ bool operator()(std::uint32_t element) const { return element < limit; }
};

std::size_t compaction_workspace_bytes(int n) {
  std::size_t bytes = 0;
  const std::uint32_t* const in = nullptr;
  std::uint32_t *const out = nullptr, *const count = nullptr;
  CHECK_CUDA(cub::DeviceSelect::If(nullptr, bytes, in, out, count, n, IsLess{0}));
  return bytes;
}

void compaction(const std::uint32_t* in, std::uint32_t limit, std::uint32_t* out, std::uint32_t* count, int n,
                void* workspace, cudaStream_t stream) {
  std::size_t bytes = compaction_workspace_bytes(n);
  CHECK_CUDA(cub::DeviceSelect::If(workspace, bytes, in, out, count, n, IsLess{limit}, stream));
}
