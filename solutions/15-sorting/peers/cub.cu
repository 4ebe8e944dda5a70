// CUB's radix sort, to compare with: four passes with look-back, tuned for each architecture. The form with
// two buffers for each array would change the inputs; its passes are the same, and it saves memory alone.
#include <cub/device/device_radix_sort.cuh>

#include "lockstep/check_cuda.h"
#include "sorting.h"

std::size_t sorting_workspace_bytes(int n) {
  std::size_t for_keys = 0, for_pairs = 0;
  const std::uint32_t* const in = nullptr;
  std::uint32_t* const out = nullptr;
  CHECK_CUDA(cub::DeviceRadixSort::SortKeys(nullptr, for_keys, in, out, n));
  CHECK_CUDA(cub::DeviceRadixSort::SortPairs(nullptr, for_pairs, in, out, in, out, n));
  return for_keys > for_pairs ? for_keys : for_pairs;
}

void sorting(const std::uint32_t* keys, const std::uint32_t* values, std::uint32_t* keys_out,
             std::uint32_t* values_out, int n, int has_values, void* workspace, cudaStream_t stream) {
  constexpr int kFirstBit = 0, kBits = 32;
  std::size_t bytes = sorting_workspace_bytes(n);
  if (has_values != 0) {
    CHECK_CUDA(cub::DeviceRadixSort::SortPairs(workspace, bytes, keys, keys_out, values, values_out, n,
                                               kFirstBit, kBits, stream));
  } else {
    CHECK_CUDA(cub::DeviceRadixSort::SortKeys(workspace, bytes, keys, keys_out, n, kFirstBit, kBits, stream));
  }
}
