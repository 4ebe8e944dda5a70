// fails: bytes-per-element
// at: block_zeros_before(i < n && has_zero(keys[i], bit), total);
// Sort by one bit after the other, 32 times: those with a 0 first, those with a 1 behind them, each in order.
// Lecture: 15-sorting. Bound: 32 passes over keys and values, and 96 launches.
// Source: Blelloch, "Prefix Sums and Their Applications", 1990: split.
#include "lockstep/check_cuda.h"
#include "lockstep/divide_up.h"
#include "sorting.h"

constexpr int kLanes = 32;
constexpr unsigned kAllLanes = 0xffffffff;
constexpr int kTile = 256;  // keys of a block, one per thread
constexpr int kWarps = kTile / kLanes;
constexpr int kScanThreads = 1024;
constexpr int kBits = 32;  // an even number of passes: the last one ends in the output

// [zeros-before]
/// How many threads before this one in the block have a 0; `total` becomes the number of all that have one.
__device__ int block_zeros_before(bool is_zero, int& total) {
  __shared__ int warp_zeros[kWarps];
  const int lane = threadIdx.x % kLanes, warp = threadIdx.x / kLanes;
  const unsigned zeros = __ballot_sync(kAllLanes, is_zero);
  if (lane == 0) warp_zeros[warp] = __popc(zeros);
  __syncthreads();  // the numbers of all warps
  int before = __popc(zeros & ((1U << lane) - 1));
  total = 0;
  for (int w = 0; w < kWarps; ++w) {
    before += w < warp ? warp_zeros[w] : 0;
    total += warp_zeros[w];
  }
  return before;
}
// [zeros-before]

__device__ bool has_zero(std::uint32_t key, int bit) { return (key >> bit & 1) == 0; }

__global__ void count_zeros_kernel(const std::uint32_t* keys, int n, int bit, int* zeros) {
  const int i = blockIdx.x * kTile + threadIdx.x;
  int total;
  block_zeros_before(i < n && has_zero(keys[i], bit), total);
  if (threadIdx.x == 0) zeros[blockIdx.x] = total;
}

/// One block: makes of the tiles' numbers of zeros the numbers before each tile, and behind the last one the
/// number of all.
__global__ void scan_kernel(int* zeros, int tiles) {
  __shared__ int sums[2][kScanThreads];
  int before = 0;
  for (int first = 0; first < tiles; first += kScanThreads) {
    const int i = threadIdx.x, tile = first + i, own = tile < tiles ? zeros[tile] : 0;
    int from = 0;
    sums[from][i] = own;
    __syncthreads();
    for (int offset = 1; offset < kScanThreads; offset *= 2) {
      const int to = 1 - from;
      sums[to][i] = sums[from][i] + (i >= offset ? sums[from][i - offset] : 0);
      __syncthreads();  // the next step reads what all have written, and writes what all have read
      from = to;
    }
    if (tile < tiles) zeros[tile] = before + sums[from][i] - own;
    before += sums[from][kScanThreads - 1];
    __syncthreads();  // all have read the last sum
  }
  if (threadIdx.x == 0) zeros[tiles] = before;
}

// [split]
__global__ void split_kernel(const std::uint32_t* keys, const std::uint32_t* values, std::uint32_t* keys_out,
                             std::uint32_t* values_out, int n, int has_values, int bit,
                             const int* zeros_before_tiles) {
  const int i = blockIdx.x * kTile + threadIdx.x;
  const std::uint32_t key = i < n ? keys[i] : 0;
  const bool is_zero = i < n && has_zero(key, bit);
  int total;
  const int zeros_before = zeros_before_tiles[blockIdx.x] + block_zeros_before(is_zero, total);
  if (i >= n) return;
  // Before a key with a 1 lie all zeros, and of the keys before it those that are none.
  const int all_zeros = zeros_before_tiles[gridDim.x];
  const int place = is_zero ? zeros_before : all_zeros + (i - zeros_before);
  keys_out[place] = key;
  if (has_values != 0) values_out[place] = values[i];
}
// [split]

std::size_t sorting_workspace_bytes(int n) {
  return (2 * std::size_t{kTile} + 1) * lockstep::divide_up(n, kTile) * sizeof(std::uint32_t) + sizeof(int);
}

void sorting(const std::uint32_t* keys, const std::uint32_t* values, std::uint32_t* keys_out,
             std::uint32_t* values_out, int n, int has_values, void* workspace, cudaStream_t stream) {
  if (n == 0) return;  // a grid without blocks is an error
  const int tiles = lockstep::divide_up(n, kTile);
  std::uint32_t* const other_keys = static_cast<std::uint32_t*>(workspace);
  std::uint32_t* const other_values = other_keys + std::size_t{kTile} * tiles;
  int* const zeros = reinterpret_cast<int*>(other_values + std::size_t{kTile} * tiles);
  for (int bit = 0; bit < kBits; ++bit) {  // from the input, then to and fro, and last to the output
    const bool is_odd = bit % 2 == 1;
    const std::uint32_t* const from = bit == 0 ? keys : is_odd ? other_keys : keys_out;
    count_zeros_kernel<<<tiles, kTile, 0, stream>>>(from, n, bit, zeros);
    CHECK_CUDA(cudaGetLastError());
    scan_kernel<<<1, kScanThreads, 0, stream>>>(zeros, tiles);
    CHECK_CUDA(cudaGetLastError());
    split_kernel<<<tiles, kTile, 0, stream>>>(from,
                                              bit == 0 ? values
                                              : is_odd ? other_values
                                                       : values_out,
                                              is_odd ? keys_out : other_keys,
                                              is_odd ? values_out : other_values, n, has_values, bit, zeros);
    CHECK_CUDA(cudaGetLastError());
  }
}
