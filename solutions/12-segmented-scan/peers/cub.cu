// CUB's scan by key, to compare with: one pass with look-back, tuned for each architecture. Keys are the
// indices of elements, and two neighbours are equal unless the second one has a flag, so that no keys are
// stored. A scan of pairs of a flag and a sum takes 2.6 times as long.
#include <thrust/iterator/counting_iterator.h>
#include <cub/device/device_scan.cuh>

#include "lockstep/check_cuda.h"
#include "segmented_scan.h"

struct IsSameSegment {
  const std::uint8_t* flags;
  __device__ bool operator()(int, int second) const { return (flags[second] & 1) == 0; }
};

std::size_t segmented_scan_workspace_bytes(int n) {
  std::size_t bytes = 0;
  const thrust::counting_iterator<int> keys(0);
  const std::uint32_t* const values = nullptr;
  std::uint32_t* const out = nullptr;
  CHECK_CUDA(
      cub::DeviceScan::InclusiveSumByKey(nullptr, bytes, keys, values, out, n, IsSameSegment{nullptr}));
  return bytes;
}

void segmented_scan(const std::uint32_t* values, const std::uint8_t* flags, std::uint32_t* out, int n,
                    void* workspace, cudaStream_t stream) {
  std::size_t bytes = segmented_scan_workspace_bytes(n);
  const thrust::counting_iterator<int> keys(0);
  CHECK_CUDA(cub::DeviceScan::InclusiveSumByKey(workspace, bytes, keys, values, out, n, IsSameSegment{flags},
                                                stream));
}
