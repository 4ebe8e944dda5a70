// Segmented scan in two passes over the input: the pair of each part, a scan of these, and the sums; the
// flags of a warp are a ballot. Lecture: 12-segmented-scan.
// Bound: memory bandwidth at 14 bytes per element: values and flags are read twice.
#include "lockstep/check_cuda.h"
#include "lockstep/divide_up.h"
#include "segmented_scan.h"

constexpr int kLanes = 32;
constexpr unsigned kAllLanes = 0xffffffff;
constexpr int kThreads = 256;
constexpr int kWarps = kThreads / kLanes;
constexpr int kRows = 8;  // that a warp reads, one element per lane
constexpr int kTile = kWarps * kRows * kLanes;
constexpr int kMaxParts = 1024;  // their pairs are scanned by a single warp

/// Whether a segment begins in a run of elements, and the sum from the last begin on, or of all elements.
struct Pair {
  bool has_head;
  unsigned sum;
};

__device__ Pair combine(Pair left, Pair right) {
  return {left.has_head || right.has_head, right.has_head ? right.sum : left.sum + right.sum};
}

// [warp-scan-of-segments]
/// Of the lanes up to this one the last whose bit in `heads` is set; -1 if none is.
__device__ int last_head(unsigned heads) {
  const int lane = threadIdx.x % kLanes;
  return kLanes - 1 - __clz(heads & (kAllLanes >> (kLanes - 1 - lane)));  // __clz(0) is 32
}

/// The sum of the values from the lane in which the own segment begins up to this one.
__device__ unsigned warp_segmented_scan(unsigned value, unsigned heads) {
  const int lane = threadIdx.x % kLanes, first = max(last_head(heads), 0);
  for (int offset = 1; offset < kLanes; offset *= 2) {
    const unsigned left = __shfl_up_sync(kAllLanes, value, offset);  // all lanes take part in it
    if (lane - offset >= first) value += left;
  }
  return value;
}
// [warp-scan-of-segments]

__device__ unsigned warp_sum(unsigned value) {
  for (int offset = kLanes / 2; offset > 0; offset /= 2) value += __shfl_xor_sync(kAllLanes, value, offset);
  return value;
}

// [rows]
/// The rows of a warp in registers: a lane's value in each, and the flags of all lanes as the bits of a word.
struct Rows {
  unsigned values[kRows];
  unsigned heads[kRows];
};

__device__ Rows warp_read(const std::uint32_t* values, const std::uint8_t* flags, unsigned first,
                          unsigned n) {
  Rows rows;
  for (int row = 0; row < kRows; ++row) {
    const unsigned position = first + row * kLanes;
    rows.values[row] = position < n ? values[position] : 0;
    rows.heads[row] = __ballot_sync(kAllLanes, position < n && (flags[position] & 1) != 0);
  }
  return rows;
}
// [rows]

// [warp-pair]
/// The pair of all elements of the warp. A lane adds up those that lie at the last head or behind it.
__device__ Pair warp_pair(const Rows& rows) {
  const int lane = threadIdx.x % kLanes;
  unsigned any = 0, own = 0;
  for (int row = 0; row < kRows; ++row) {
    const unsigned heads = rows.heads[row];
    if (heads != 0) own = 0;                                         // another segment begins in this row
    if (lane >= kLanes - 1 - __clz(heads)) own += rows.values[row];  // without a head, in every lane
    any |= heads;
  }
  return {any != 0, warp_sum(own)};
}
// [warp-pair]

/// Shares the pairs of all warps and returns that of the warps before; `total` becomes that of all.
__device__ Pair block_pair_before(Pair own, Pair& total) {
  __shared__ Pair pairs[kWarps];
  const int warp = threadIdx.x / kLanes;
  __syncthreads();  // the pairs of the last call have been read
  if (threadIdx.x % kLanes == 0) pairs[warp] = own;
  __syncthreads();  // the pairs of all warps
  Pair before{};
  total = {};
  for (int w = 0; w < kWarps; ++w) {
    if (w == warp) before = total;
    total = combine(total, pairs[w]);
  }
  return before;
}

/// How the tiles of the array are dealt out: each block gets a part of neighbouring tiles.
struct Parts {
  int tiles, tiles_each, count;
};

Parts parts_of(int n) {
  const int tiles = lockstep::divide_up(n, kTile);
  const int tiles_each = lockstep::divide_up(tiles, kMaxParts);
  return {tiles, tiles_each, lockstep::divide_up(tiles, tiles_each)};
}

/// Where the lane's element of the warp's first row is. Unsigned: what lies beyond the end may be large.
__device__ unsigned first_of(int tile) {
  return static_cast<unsigned>(tile) * kTile + threadIdx.x / kLanes * (kRows * kLanes) + threadIdx.x % kLanes;
}

__global__ void reduce_parts_kernel(const std::uint32_t* values, const std::uint8_t* flags, int n,
                                    Parts parts, unsigned* part_sums, unsigned* part_heads) {
  const int first = blockIdx.x * parts.tiles_each;
  Pair part{};
  for (int tile = first; tile < min(first + parts.tiles_each, parts.tiles); ++tile) {
    Pair total;
    block_pair_before(warp_pair(warp_read(values, flags, first_of(tile), n)), total);
    part = combine(part, total);
  }
  if (threadIdx.x == 0) {
    part_sums[blockIdx.x] = part.sum;
    part_heads[blockIdx.x] = part.has_head;
  }
}

// [scan-part-pairs]
/// One warp: the sum of the segment that is open at the end of each part, with what lies before the part.
__global__ void scan_pairs_kernel(unsigned* part_sums, const unsigned* part_heads, int parts) {
  unsigned carry = 0;  // of the segment that is open at the end of the 32 parts before
  for (int first = 0; first < parts; first += kLanes) {
    const int part = first + threadIdx.x;
    const unsigned heads = __ballot_sync(kAllLanes, part < parts && part_heads[part] != 0);
    unsigned sum = warp_segmented_scan(part < parts ? part_sums[part] : 0, heads);
    if (last_head(heads) < 0) sum += carry;  // its segment began before these parts
    if (part < parts) part_sums[part] = sum;
    carry = __shfl_sync(kAllLanes, sum, kLanes - 1);
  }
}
// [scan-part-pairs]

/// Scans the rows of a warp. `carry` is the sum so far of the segment that goes on into the first of them.
__device__ void warp_scan_rows(const Rows& rows, unsigned carry, std::uint32_t* out, unsigned first,
                               unsigned n) {
  for (int row = 0; row < kRows; ++row) {
    const unsigned position = first + row * kLanes;
    unsigned sum = warp_segmented_scan(rows.values[row], rows.heads[row]);
    if (last_head(rows.heads[row]) < 0) sum += carry;
    if (position < n) out[position] = sum;
    carry = __shfl_sync(kAllLanes, sum, kLanes - 1);
  }
}

__global__ void scan_parts_kernel(const std::uint32_t* values, const std::uint8_t* flags, std::uint32_t* out,
                                  int n, Parts parts, const unsigned* sums_up_to) {
  const int first = blockIdx.x * parts.tiles_each;
  Pair before{false, blockIdx.x > 0 ? sums_up_to[blockIdx.x - 1] : 0};
  for (int tile = first; tile < min(first + parts.tiles_each, parts.tiles); ++tile) {
    const Rows rows = warp_read(values, flags, first_of(tile), n);
    Pair total;
    const Pair before_warp = block_pair_before(warp_pair(rows), total);
    warp_scan_rows(rows, combine(before, before_warp).sum, out, first_of(tile), n);
    before = combine(before, total);
  }
}

std::size_t segmented_scan_workspace_bytes(int) { return 2 * kMaxParts * sizeof(unsigned); }

void segmented_scan(const std::uint32_t* values, const std::uint8_t* flags, std::uint32_t* out, int n,
                    void* workspace, cudaStream_t stream) {
  if (n == 0) return;  // a grid without blocks is an error
  const Parts parts = parts_of(n);
  unsigned* const part_sums = static_cast<unsigned*>(workspace);
  unsigned* const part_heads = part_sums + kMaxParts;
  reduce_parts_kernel<<<parts.count, kThreads, 0, stream>>>(values, flags, n, parts, part_sums, part_heads);
  CHECK_CUDA(cudaGetLastError());
  scan_pairs_kernel<<<1, kLanes, 0, stream>>>(part_sums, part_heads, parts.count);
  CHECK_CUDA(cudaGetLastError());
  scan_parts_kernel<<<parts.count, kThreads, 0, stream>>>(values, flags, out, n, parts, part_sums);
  CHECK_CUDA(cudaGetLastError());
}
