// fails: bytes-per-element
// at: if (position < n && i < first_heads[tile]) out[position] += sums_up_to[tile - 1];
// Segmented scan in three passes: scan tiles of pairs, scan the tiles' pairs, add what goes on into a tile.
// Lecture: 12-segmented-scan.
// Bound: memory bandwidth at 17 bytes per element of long segments: what a tile has stored is read again,
// corrected and stored again, up to the first head in the tile.
#include "lockstep/check_cuda.h"
#include "lockstep/divide_up.h"
#include "segmented_scan.h"

constexpr int kTile = 1024;  // elements, and threads of a block

// [pairs]
/// What is to be known of a run of elements: whether a segment begins in it, and the sum of its elements from
/// the last begin on; without one, of all of them.
struct Pair {
  bool has_head;
  unsigned sum;
};

/// The pair of two runs, the left one followed by the right one.
__device__ Pair combine(Pair left, Pair right) {
  return {left.has_head || right.has_head, right.has_head ? right.sum : left.sum + right.sum};
}
// [pairs]

/// What is kept of each tile: its pair, and where in it the first segment begins; kTile if none does.
struct Tiles {
  unsigned* sums;
  int* first_heads;
  std::uint8_t* flags;
};

__global__ void scan_tiles_kernel(const unsigned* values, const std::uint8_t* flags, unsigned* out, int n,
                                  Tiles tiles) {
  __shared__ unsigned sums[2][kTile];
  __shared__ bool heads[2][kTile];
  const int i = threadIdx.x, position = blockIdx.x * kTile + i;
  const bool is_head = position < n && (flags[position] & 1) != 0;
  Pair pair{is_head, position < n ? values[position] : 0};
  // [steps-of-pairs]
  int from = 0;
  sums[from][i] = pair.sum;
  heads[from][i] = pair.has_head;
  __syncthreads();
  for (int offset = 1; offset < kTile; offset *= 2) {
    const int to = 1 - from;
    if (i >= offset) pair = combine({heads[from][i - offset], sums[from][i - offset]}, pair);
    sums[to][i] = pair.sum;
    heads[to][i] = pair.has_head;
    __syncthreads();  // the next step reads what all have written, and writes what all have read
    from = to;
  }
  // [steps-of-pairs]
  if (position < n) out[position] = pair.sum;
  if (is_head && (i == 0 || !heads[from][i - 1])) tiles.first_heads[blockIdx.x] = i;
  if (i == kTile - 1) {
    tiles.sums[blockIdx.x] = pair.sum;
    tiles.flags[blockIdx.x] = pair.has_head;
    if (!pair.has_head) tiles.first_heads[blockIdx.x] = kTile;
  }
}

// [add-to-open]
/// Adds what the segment that goes on into a tile has before it. The first tile needs nothing.
__global__ void add_before_kernel(unsigned* out, int n, const unsigned* sums_up_to, const int* first_heads) {
  const int tile = blockIdx.x + 1, i = threadIdx.x, position = tile * kTile + i;
  if (position < n && i < first_heads[tile]) out[position] += sums_up_to[tile - 1];
}
// [add-to-open]

/// Three words for each tile, the last of which has room for a flag and to spare.
constexpr int kTileWords = 3;

// [levels]
void scan_level(const unsigned* values, const std::uint8_t* flags, unsigned* out, int n, unsigned* workspace,
                cudaStream_t stream) {
  const int count = lockstep::divide_up(n, kTile);
  const Tiles tiles{workspace, reinterpret_cast<int*>(workspace + count),
                    reinterpret_cast<std::uint8_t*>(workspace + 2 * count)};
  scan_tiles_kernel<<<count, kTile, 0, stream>>>(values, flags, out, n, tiles);
  CHECK_CUDA(cudaGetLastError());
  if (count == 1) return;
  // The tiles' pairs are values and flags again. In place: a thread reads its element, then writes it.
  scan_level(tiles.sums, tiles.flags, tiles.sums, count, workspace + kTileWords * count, stream);
  add_before_kernel<<<count - 1, kTile, 0, stream>>>(out, n, tiles.sums, tiles.first_heads);
  CHECK_CUDA(cudaGetLastError());
}
// [levels]

std::size_t segmented_scan_workspace_bytes(int n) {
  std::size_t tiles = 1;  // a single element has a tile too
  for (int count = n; count > 1;) {
    count = lockstep::divide_up(count, kTile);
    tiles += count;
  }
  return kTileWords * tiles * sizeof(unsigned);
}

void segmented_scan(const std::uint32_t* values, const std::uint8_t* flags, std::uint32_t* out, int n,
                    void* workspace, cudaStream_t stream) {
  if (n > 0) scan_level(values, flags, out, n, static_cast<unsigned*>(workspace), stream);
}
