// Sort an array of any length: the file that you hand in. The task is in README.md, the interface in
// sorting.h.
#include "sorting.h"

#include "lockstep/check_cuda.h"
#include "lockstep/divide_up.h"

constexpr int kTile = 1024;  // keys that one block sorts, one per thread

/// Sorts each tile by itself. The place of a key is the number of keys of the tile that come before it: the
/// smaller ones, and the equal ones with a lower index.
__global__ void sort_tiles_kernel(const std::uint32_t* keys, const std::uint32_t* values,
                                  std::uint32_t* keys_out, std::uint32_t* values_out, int n, int has_values) {
  __shared__ std::uint32_t tile[kTile];
  const int i = threadIdx.x, first = blockIdx.x * kTile, count = min(n - first, kTile);
  if (i < count) tile[i] = keys[first + i];
  __syncthreads();  // the tile is complete
  if (i >= count) return;
  const std::uint32_t key = tile[i];
  int place = 0;
  for (int other = 0; other < count; ++other) {
    const bool is_before = tile[other] < key || (tile[other] == key && other < i);
    place += is_before ? 1 : 0;
  }
  keys_out[first + place] = key;
  if (has_values != 0) values_out[first + place] = values[first + i];
}

std::size_t sorting_workspace_bytes(int) { return 0; }

void sorting(const std::uint32_t* keys, const std::uint32_t* values, std::uint32_t* keys_out,
             std::uint32_t* values_out, int n, int has_values, void*, cudaStream_t stream) {
  if (n == 0) return;  // a grid without blocks is an error
  // TODO: each tile is sorted by itself, and to compare each key with all others takes far too long for more
  // keys. Sort all of them by one digit after the other, from the lowest to the highest. The workspace is for
  // counts, and for keys and values between two passes.
  sort_tiles_kernel<<<lockstep::divide_up(n, kTile), kTile, 0, stream>>>(keys, values, keys_out, values_out,
                                                                         n, has_values);
  CHECK_CUDA(cudaGetLastError());
}
