// Flood by components of tiles, joined across their borders, the reference. Lecture: 14-flood.
// Bound: heights once and the mask once, 5 bytes a cell; where water has many banks, the instructions that
// join runs within a tile. No number of passes depends on the map.
#include "flood.h"

#include <cstdint>

#include "lockstep/check_cuda.h"

constexpr int kLanes = 32;  // and cells of a word
constexpr unsigned kAllLanes = 0xffffffff;
constexpr int kTile = 128;                // rows and columns
constexpr int kWords = kTile / kLanes;    // of a row of a tile
constexpr int kThreads = kTile * kWords;  // one for each word of a tile
constexpr int kWarps = kThreads / kLanes;
constexpr int kRuns = kLanes / 2;  // of wet cells, that a word can hold
constexpr int kPlaces =
    kRuns + 1;  // of a word's runs: an odd number, so that those of 32 words lie in 32 banks
constexpr int kBitWords = kThreads * kPlaces / kLanes;  // of a bit for each place
constexpr int kSides = 4;
enum Side { kTop, kBottom, kLeft, kRight };

// [labels]
// A component of a tile that touches its border has a label in the tile, 1 to 254: of the 508 border cells
// every second one at most can begin another component.
constexpr int kLabels = 256;
constexpr unsigned kNeverWater = 0;     // inside the tile, and without a source
constexpr unsigned kAlwaysWater = 255;  // inside the tile, with a source
// [labels]
constexpr unsigned kSource =
    0;  // node: all sources, joined; no tile uses it, since label 0 of tile 0 is no node

/// The map in tiles, and what the kernels leave for each other.
struct Map {
  int rows, columns, tile_rows, tile_columns;
  unsigned* words;  // [tile][row of tile][word]: first the sources, then the wet cells
  uint4* labels;    // [tile][row of tile][word]: a byte for each run of the word, for words that have one
  unsigned char* sides;  // [tile][side][position]: the label of the border's cell, 0 where it is dry
  unsigned* nodes;       // [tile][label]: parent in the forest of all tiles
  __host__ __device__ int tiles() const { return tile_rows * tile_columns; }
};

// --- runs of a word ---

__device__ unsigned starts_of(unsigned word) { return word & ~(word << 1); }
/// How many runs begin at the lowest set bit of `cell` or below it, less one.
__device__ int run_at(unsigned word, unsigned cell) { return __popc(starts_of(word) & (2 * cell - 1)) - 1; }
__device__ unsigned lowest_bit(unsigned word) { return word & (0 - word); }

// [runs]
/// f(run, cells) for each run of ones, from the lowest. Adding the lowest one carries to the end of its run.
template <class F>
__device__ void for_each_run(unsigned word, F f) {
  for (int run = 0; word != 0; ++run) {
    const unsigned cells = word & ~(word + lowest_bit(word));
    f(run, cells);
    word &= ~cells;
  }
}

/// The cells of the word above that a run touches.
__device__ unsigned touched_above(unsigned cells, unsigned above, bool eight) {
  return (eight ? cells | cells << 1 | cells >> 1 : cells) & above;
}
// [runs]

// --- forests: a parent for each node, and a root is its own ---

// [relaxed]
/// Accesses to parents while other threads change them: single words, which the compiler must neither keep in
/// registers nor leave out, and nothing else to wait for. cuda::atomic_ref would do the same, without telling
/// the compiler which memory it is.
struct SharedForest {
  unsigned* parents;
  __device__ unsigned address(unsigned node) const {
    return static_cast<unsigned>(__cvta_generic_to_shared(parents + node));
  }
  __device__ unsigned parent(unsigned node) const {
    unsigned value;
    asm volatile("ld.relaxed.cta.shared.u32 %0, [%1];" : "=r"(value) : "r"(address(node)));
    return value;
  }
  __device__ void hang(unsigned node, unsigned parent) const {
    asm volatile("st.relaxed.cta.shared.u32 [%0], %1;" : : "r"(address(node)), "r"(parent));
  }
};

struct GlobalForest {
  unsigned* parents;
  __device__ unsigned parent(unsigned node) const {
    unsigned value;
    asm volatile("ld.relaxed.gpu.global.u32 %0, [%1];"
                 : "=r"(value)
                 : "l"(__cvta_generic_to_global(parents + node)));
    return value;
  }
  __device__ void hang(unsigned node, unsigned parent) const {
    asm volatile("st.relaxed.gpu.global.u32 [%0], %1;"
                 :
                 : "l"(__cvta_generic_to_global(parents + node)), "r"(parent));
  }
};
// [relaxed]

// [find]
/// The root of a node, while others join trees. Every second node on the way is hung one step higher.
template <class Forest>
__device__ unsigned find(Forest forest, unsigned node) {
  for (;;) {
    const unsigned parent = forest.parent(node), next = forest.parent(parent);
    if (parent == next) return parent;
    forest.hang(node, next);
    node = next;
  }
}
// [find]

// [join]
/// Makes one tree of two. Of two roots the larger is hung below the smaller, so no circle can close; and only
/// while it is a root: when another thread has been faster, both are looked up again.
template <class Forest>
__device__ void join(Forest forest, unsigned a, unsigned b) {
  for (;;) {
    a = find(forest, a);
    b = find(forest, b);
    if (a == b) return;
    const unsigned high = max(a, b), low = min(a, b);
    if (atomicCAS(&forest.parents[high], high, low) == high) return;
  }
}
// [join]

/// The root, when nobody joins any more.
__device__ unsigned root_of(const unsigned* parents, unsigned node) {
  while (parents[node] != node) node = parents[node];
  return node;
}

// --- components of a tile ---

struct Tile {
  unsigned words[kTile + 1][kWords + 2];  // wet cells, and dry words above, left and right of them
  unsigned parents[kThreads * kPlaces];   // the forest of the tile's runs
  unsigned at_border[kBitWords], with_source[kBitWords];  // roots, a bit each
  unsigned labels_before[kBitWords];                      // of the first root of 32
  unsigned labels_taken;

  __device__ unsigned word(int row, int column) const { return words[row + 1][column + 1]; }
  __device__ unsigned place(int row, int column, int run) const {
    return (row * kWords + column) * kPlaces + run;
  }
};

__device__ bool bit_of(const unsigned* bits, unsigned index) {
  return (bits[index / kLanes] >> index % kLanes & 1) != 0;
}
__device__ void set_bit(unsigned* bits, unsigned index) {
  atomicOr(&bits[index / kLanes], 1U << index % kLanes);
}

// [ballots]
/// Lane l of a warp gets the word l of the 32 that the warp reads: of 8 rows of the tile.
__device__ unsigned read_word(const float* heights, const Map& map, float level, int first_row,
                              int first_column, int lane) {
  unsigned word = 0;
#pragma unroll 16
  for (int k = 0; k < kLanes; ++k) {
    const int row = first_row + k / kWords, column = first_column + k % kWords * kLanes + lane;
    const bool inside = row < map.rows && column < map.columns;
    const float height = inside ? __ldcs(&heights[std::int64_t{row} * map.columns + column]) : level;
    const unsigned wet = __ballot_sync(kAllLanes, height < level);  // false for NaN
    if (lane == k) word = wet;
  }
  return word;
}
// [ballots]

// [first-parents]
/// Each run hangs below the first that it touches in the row above, or is a root. Each thread writes the
/// parents of its own word's runs, so nothing can collide.
__device__ void hang_below_the_row_above(Tile& tile, int row, int column, bool eight) {
  const unsigned above = tile.word(row - 1, column);
  for_each_run(tile.word(row, column), [&](int run, unsigned cells) {
    const unsigned touched = touched_above(cells, above, eight);
    tile.parents[tile.place(row, column, run)] =
        touched != 0 ? tile.place(row - 1, column, run_at(above, lowest_bit(touched)))
                     : tile.place(row, column, run);
  });
}
// [first-parents]

// [flatten]
/// Shortens paths of up to 128 rows to two steps. A pair of warps goes down 16 rows, lanes side by side for
/// the runs of two words each; then the last rows of these go by, one after the other.
__device__ void flatten(Tile& tile, int warp, int lane) {
  constexpr int kRows = kTile / (kWarps / 2);
  const int column = warp % 2 * 2 + lane / kRuns, run = lane % kRuns;
  const auto shorten = [&](int row) {
    const unsigned place = tile.place(row, column, run);
    if (run < __popc(starts_of(tile.word(row, column))))
      tile.parents[place] = tile.parents[tile.parents[place]];
    __syncwarp();  // the next row reads what this one wrote, and a path stays within its column of words
  };
  const int first = warp / 2 * kRows;
  for (int row = first + 1; row < first + kRows; ++row) shorten(row);
  __syncthreads();
  if (warp < 2) {
    for (int row = 2 * kRows - 1; row < kTile; row += kRows) shorten(row);
  }
}
// [flatten]

// [join-runs]
/// All that touches and has not been hung below one another yet: a run's second, third, … in the row above,
/// and what lies beside the word. Those that follow from others are left out.
__device__ void join_runs(Tile& tile, int row, int column, bool eight) {
  const unsigned word = tile.word(row, column), above = tile.word(row - 1, column);
  if (word == 0) return;
  const SharedForest forest{tile.parents};
  for_each_run(word, [&](int run, unsigned cells) {
    const unsigned touched = touched_above(cells, above, eight);
    unsigned others = starts_of(touched);
    for (others &= others - 1; others != 0; others &= others - 1)
      join(forest, tile.place(row, column, run),
           tile.place(row - 1, column, run_at(above, lowest_bit(others))));
  });
  const unsigned left = tile.word(row, column - 1), above_left = tile.word(row - 1, column - 1);
  const unsigned last = 1U << (kLanes - 1);
  const bool wet_left = (left & last) != 0, wet_above_left = (above_left & last) != 0;
  if ((word & 1) != 0) {
    const unsigned own = tile.place(row, column, 0);
    const bool by_the_row_above = wet_above_left && (above & 1) != 0;
    if (wet_left && !by_the_row_above) join(forest, own, tile.place(row, column - 1, run_at(left, last)));
    if (eight && wet_above_left && !wet_left && (above & 1) == 0)
      join(forest, own, tile.place(row - 1, column - 1, run_at(above_left, last)));
  }
  const unsigned right = tile.word(row, column + 1), above_right = tile.word(row - 1, column + 1);
  if (eight && (word & last) != 0 && (above_right & 1) != 0 && (above & last) == 0 && (right & 1) == 0)
    join(forest, tile.place(row, column, run_at(word, last)), tile.place(row - 1, column + 1, 0));
}
// [join-runs]

/// The root of the component that holds a cell of the border, for 512 threads that have one each. False for
/// dry cells.
__device__ bool root_at_border(const Tile& tile, int side, int position, unsigned& root) {
  const int row = side == kTop ? 0 : side == kBottom ? kTile - 1 : position;
  const int column = side == kLeft ? 0 : side == kRight ? kTile - 1 : position;
  const unsigned word = tile.word(row, column / kLanes), cell = 1U << column % kLanes;
  if ((word & cell) == 0) return false;
  root = root_of(tile.parents, tile.place(row, column / kLanes, run_at(word, cell)));
  return true;
}

// [label-of]
__device__ unsigned label_of(const Tile& tile, unsigned root) {
  const unsigned index = root / kLanes, below = (1U << root % kLanes) - 1;
  if (bit_of(tile.at_border, root)) return tile.labels_before[index] + __popc(tile.at_border[index] & below);
  return bit_of(tile.with_source, root) ? kAlwaysWater : kNeverWater;
}
// [label-of]

__global__ void __launch_bounds__(kThreads, 3)
    components_kernel(const float* heights, Map map, float level, bool eight) {
  __shared__ Tile tile;
  const int thread = threadIdx.x, lane = thread % kLanes, warp = thread / kLanes;
  const int row = thread / kWords, column = thread % kWords;
  const int tile_row = blockIdx.x / map.tile_columns, tile_column = blockIdx.x % map.tile_columns;
  const std::size_t place_of_word = std::size_t{blockIdx.x} * kThreads + thread;

  const unsigned word =
      read_word(heights, map, level, tile_row * kTile + warp * (kLanes / kWords), tile_column * kTile, lane);
  const unsigned sources = map.words[place_of_word] & word;
  map.words[place_of_word] = word;
  tile.words[row + 1][column + 1] = word;
  if (thread < kWords + 2) tile.words[0][thread] = 0;
  if (column == 0) tile.words[row + 1][0] = 0;
  if (column == 0) tile.words[row + 1][kWords + 1] = 0;
  if (thread < kBitWords) tile.at_border[thread] = tile.with_source[thread] = 0;
  if (thread == 0) tile.labels_taken = 0;
  __syncthreads();  // all words
  hang_below_the_row_above(tile, row, column, eight);
  __syncthreads();  // all parents
  flatten(tile, warp, lane);
  __syncthreads();  // short paths
  join_runs(tile, row, column, eight);
  __syncthreads();  // all components

  // [border]
  const int side = thread / kTile, position = thread % kTile;
  unsigned border_root = 0;
  const bool wet_at_border = root_at_border(tile, side, position, border_root);
  if (wet_at_border) set_bit(tile.at_border, border_root);
  if (sources != 0) {
    for_each_run(word, [&](int run, unsigned cells) {
      if ((cells & sources) != 0)
        set_bit(tile.with_source, root_of(tile.parents, tile.place(row, column, run)));
    });
  }
  unsigned* const nodes = map.nodes + std::size_t{blockIdx.x} * kLabels;
  if (thread < kLabels) nodes[thread] = blockIdx.x * kLabels + thread;
  __syncthreads();  // all roots at the border and with a source; and a node for each label, alone
  if (thread < kBitWords && tile.at_border[thread] != 0) {
    unsigned label = 1 + atomicAdd(&tile.labels_taken, __popc(tile.at_border[thread]));
    tile.labels_before[thread] = label;
    for (unsigned rest = tile.at_border[thread]; rest != 0; rest &= rest - 1, ++label)
      if ((lowest_bit(rest) & tile.with_source[thread]) != 0) nodes[label] = kSource;
  }
  __syncthreads();  // all labels
  map.sides[place_of_word] = wet_at_border ? label_of(tile, border_root) : 0;
  // [border]

  // [run-labels]
  if (word == 0) return;
  const int runs = __popc(starts_of(word));
  unsigned labels[kRuns / 4] = {};
#pragma unroll
  for (int run = 0; run < kRuns; ++run) {
    if (run >= runs) break;
    labels[run / 4] |= label_of(tile, root_of(tile.parents, tile.place(row, column, run))) << run % 4 * 8;
  }
  map.labels[place_of_word] = make_uint4(labels[0], labels[1], labels[2], labels[3]);
  // [run-labels]
}

// --- between tiles ---

// [seams]
/// The node of a cell at a side of a tile, 0 where it is dry or no tile is.
__device__ unsigned node_at(const Map& map, int tile_row, int tile_column, int side, int position) {
  if (tile_row >= map.tile_rows || tile_column >= map.tile_columns) return 0;
  const unsigned tile = tile_row * map.tile_columns + tile_column;
  const unsigned label = map.sides[(std::size_t{tile} * kSides + side) * kTile + position];
  return label == 0 ? 0 : tile * kLabels + label;
}

/// A block for each tile: half of its threads are along the seam to its right, half along that below. Each
/// has two cells that face each other, and the next two, which the corners may join.
__global__ void __launch_bounds__(2 * kTile) seams_kernel(Map map, bool eight) {
  const int tile_row = blockIdx.x / map.tile_columns, tile_column = blockIdx.x % map.tile_columns;
  const bool is_below = threadIdx.x >= kTile;  // the same for all of a warp
  const int position = threadIdx.x % kTile;
  const auto node = [&](bool beyond, int at) {
    const int next = at / kTile;  // the first cell of the next tile along the seam
    return is_below
               ? node_at(map, tile_row + beyond, tile_column + next, beyond ? kTop : kBottom, at % kTile)
               : node_at(map, tile_row + next, tile_column + beyond, beyond ? kLeft : kRight, at % kTile);
  };
  unsigned near = node(false, position), far = node(true, position);
  if (eight && (near == 0) != (far == 0)) {
    // A corner joins only what no side joins: else the cells between say the same.
    const unsigned next_near = node(false, position + 1), next_far = node(true, position + 1);
    if (near == 0 && next_far == 0) near = next_near;
    if (far == 0 && next_near == 0) far = next_far;
  }
  const bool touch = near != 0 && far != 0;
  // [seams]
  // [once]
  // Often many cells of a seam join the same two components: one lane does it for all.
  const std::uint64_t pair = touch ? std::uint64_t{near} << 32 | far : 0;
  const unsigned same = __match_any_sync(kAllLanes, pair);
  if (touch && lowest_bit(same) == 1U << threadIdx.x % kLanes) join(GlobalForest{map.nodes}, near, far);
  // [once]
}

// --- the mask ---

// [four-bytes]
/// Four bits as four bytes: a product puts the word beside itself, shifted by 7, 14 and 21.
__device__ unsigned bytes_of(unsigned bits) { return (bits & 15) * 0x00204081 & 0x01010101; }
// [four-bytes]

/// A warp writes 8 rows of 128 cells from the 32 words of its lanes.
__device__ void write_rows(unsigned char* mask, const Map& map, unsigned water, int first_row,
                           int first_column, int lane) {
  if (map.columns % 16 == 0) {  // every row begins at a multiple of 16 bytes
    for (int k = 0; k < kLanes; k += kLanes / 2) {
      const int word = k + lane / 2, row = first_row + word / kWords;
      const int column = first_column + word % kWords * kLanes + lane % 2 * 16;
      const unsigned bits = __shfl_sync(kAllLanes, water, word) >> lane % 2 * 16;
      const uint4 bytes =
          make_uint4(bytes_of(bits), bytes_of(bits >> 4), bytes_of(bits >> 8), bytes_of(bits >> 12));
      if (row < map.rows && column < map.columns)
        __stcs(reinterpret_cast<uint4*>(mask + std::int64_t{row} * map.columns + column), bytes);
    }
    return;
  }
  for (int k = 0; k < kLanes; ++k) {
    const int row = first_row + k / kWords, column = first_column + k % kWords * kLanes + lane;
    const unsigned bits = __shfl_sync(kAllLanes, water, k);
    if (row < map.rows && column < map.columns)
      mask[std::int64_t{row} * map.columns + column] = bits >> lane & 1;
  }
}

__global__ void __launch_bounds__(kThreads) mask_kernel(unsigned char* mask, Map map) {
  __shared__ unsigned has_water[kLabels / kLanes];  // a bit for each label
  const int thread = threadIdx.x, lane = thread % kLanes, warp = thread / kLanes;
  const int tile_row = blockIdx.x / map.tile_columns, tile_column = blockIdx.x % map.tile_columns;
  const std::size_t place_of_word = std::size_t{blockIdx.x} * kThreads + thread;
  // [water-of-labels]
  if (thread < kLabels) {
    const unsigned label = thread;
    const bool water = label == kAlwaysWater ||
                       (label != kNeverWater && root_of(map.nodes, blockIdx.x * kLabels + label) == kSource);
    const unsigned of_warp = __ballot_sync(kAllLanes, water);
    if (lane == 0) has_water[warp] = of_warp;
  }
  __syncthreads();  // all labels
  const unsigned word = map.words[place_of_word];
  unsigned water = 0;
  if (word != 0) {
    const uint4 packed = map.labels[place_of_word];
    std::uint64_t low = std::uint64_t{packed.y} << 32 | packed.x,
                  high = std::uint64_t{packed.w} << 32 | packed.z;
    for_each_run(word, [&](int, unsigned cells) {
      if (bit_of(has_water, low & 0xff)) water |= cells;
      low = low >> 8 | high << 56;
      high >>= 8;
    });
  }
  // [water-of-labels]
  write_rows(mask, map, water, tile_row * kTile + warp * (kLanes / kWords), tile_column * kTile, lane);
}

/// Marks the sources, a bit each.
__global__ void sources_kernel(const int* sources, int source_count, Map map) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= source_count) return;
  const int row = sources[i] / map.columns, column = sources[i] % map.columns;
  const std::size_t tile = std::size_t(row / kTile) * map.tile_columns + column / kTile;
  set_bit(map.words + tile * kThreads, row % kTile * kTile + column % kTile);
}

constexpr std::size_t kTileBytes =
    kThreads * (sizeof(unsigned) + sizeof(uint4) + sizeof(unsigned char)) + kLabels * sizeof(unsigned);

/// `workspace` may be null when only the numbers are wanted.
Map map_of(int rows, int columns, void* workspace) {
  Map map{.rows = rows, .columns = columns};
  map.tile_rows = rows / kTile + (rows % kTile != 0);
  map.tile_columns = columns / kTile + (columns % kTile != 0);
  const std::size_t tiles = map.tiles();
  map.labels = static_cast<uint4*>(workspace);  // first, since it needs the widest alignment
  map.words = reinterpret_cast<unsigned*>(map.labels + tiles * kThreads);
  map.nodes = map.words + tiles * kThreads;
  map.sides = reinterpret_cast<unsigned char*>(map.nodes + tiles * kLabels);
  return map;
}

std::size_t flood_workspace_bytes(int rows, int columns) {
  return map_of(rows, columns, nullptr).tiles() * kTileBytes;
}

void flood(const float* heights, const int* sources, unsigned char* mask, int rows, int columns,
           int source_count, float level, int neighbourhood, void* workspace, cudaStream_t stream) {
  if (rows == 0 || columns == 0) return;
  if (source_count == 0) {  // no water anywhere
    CHECK_CUDA(cudaMemsetAsync(mask, 0, std::size_t(rows) * columns, stream));
    return;
  }
  const Map map = map_of(rows, columns, workspace);
  const bool eight = neighbourhood == 8;
  CHECK_CUDA(cudaMemsetAsync(map.words, 0, std::size_t(map.tiles()) * kThreads * sizeof(unsigned), stream));
  sources_kernel<<<(source_count - 1) / kThreads + 1, kThreads, 0, stream>>>(sources, source_count, map);
  CHECK_CUDA(cudaGetLastError());
  components_kernel<<<map.tiles(), kThreads, 0, stream>>>(heights, map, level, eight);
  CHECK_CUDA(cudaGetLastError());
  seams_kernel<<<map.tiles(), 2 * kTile, 0, stream>>>(map, eight);
  CHECK_CUDA(cudaGetLastError());
  mask_kernel<<<map.tiles(), kThreads, 0, stream>>>(mask, map);
  CHECK_CUDA(cudaGetLastError());
}
