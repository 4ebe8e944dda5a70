// Flood by components of tiles, joined across their borders, the reference. Lecture: 19-flood.
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
constexpr int kRuns = kLanes / 2;   // of wet cells, that a word can hold
constexpr int kPlaces = kRuns + 1;  // for a word's runs: odd, so that those of 32 words lie in 32 banks
constexpr int kBitWords = kThreads * kPlaces / kLanes;  // of a bit for each place
enum Side { kTop, kBottom, kLeft, kRight };

// [labels]
// A component of a tile that touches its border has a label in the tile, 1 to 254: of the 508 border cells
// every second one at most can begin another component.
constexpr int kLabels = 256;
constexpr unsigned kNeverWater = 0;     // inside the tile, and without a source
constexpr unsigned kAlwaysWater = 255;  // inside the tile, with a source
// [labels]
/// The node of all sources. No component has it: label 0 of tile 0 is none.
constexpr unsigned kSource = 0;

/// The map in tiles, and what the kernels leave for each other. Of a map that is thinner than a tile there is
/// a place for what a tile has of it: in one row of cells the rest would be 127 of 128.
struct Map {
  int rows, columns, tile_rows, tile_columns;
  int rows_of_tile, columns_of_tile;  // at most kTile
  unsigned* words;                    // [tile][row of tile][word]: first the sources, then the wet cells
  uint4* labels;  // [tile][row of tile][word]: a byte for each run of the word, for words that have one
  unsigned char* sides;  // [tile][side][position]: the label of the border's cell, 0 where it is dry
  unsigned* nodes;       // [tile][label]: parent in the forest of all tiles

  __host__ __device__ int tiles() const { return tile_rows * tile_columns; }
  __host__ __device__ int words_of_row() const { return (columns_of_tile - 1) / kLanes + 1; }
  __host__ __device__ int words_of_tile() const { return rows_of_tile * words_of_row(); }
  /// More than the components that can touch a tile's border: kLabels of a whole tile.
  __host__ __device__ int labels_of_tile() const { return rows_of_tile + columns_of_tile; }
  __host__ __device__ int sides_of_tile() const { return 2 * (rows_of_tile + columns_of_tile); }

  __device__ bool has_word(int row, int column) const {
    return row < rows_of_tile && column < words_of_row();
  }
  __device__ std::size_t place_of_word(int tile, int row, int column) const {
    return std::size_t{1} * tile * words_of_tile() + row * words_of_row() + column;
  }
  __device__ bool has_side(int side, int position) const {
    return position < (side < kLeft ? columns_of_tile : rows_of_tile);
  }
  __device__ std::size_t place_of_side(int tile, int side, int position) const {
    const int before =
        side < kLeft ? side * columns_of_tile : 2 * columns_of_tile + (side - kLeft) * rows_of_tile;
    return std::size_t{1} * tile * sides_of_tile() + before + position;
  }
  __device__ unsigned node(int tile, unsigned label) const {
    return static_cast<unsigned>(tile) * labels_of_tile() + label;
  }
};

// --- runs of a word ---

__device__ unsigned lowest_bit(unsigned word) { return word & (0 - word); }
__device__ unsigned starts_of(unsigned word) { return word & ~(word << 1); }
/// Number of the run, from the lowest, that holds the cell.
__device__ int run_at(unsigned word, unsigned cell) { return __popc(starts_of(word) & (2 * cell - 1)) - 1; }

// [runs]
/// The run of ones that begins at `start`: an addition there carries to its end.
__device__ unsigned run_from(unsigned word, unsigned start) { return word & ~(word + start); }

/// f(run, cells) for each run of ones, from the lowest.
template <class F>
__device__ void for_each_run(unsigned word, F f) {
  for (int run = 0; word != 0; ++run) {
    const unsigned cells = run_from(word, lowest_bit(word));
    f(run, cells);
    word &= ~cells;
  }
}
// [runs]

// --- forests: a parent for each node, and a root is its own ---

// [relaxed]
/// Accesses to parents while other threads change them: single words, that the compiler must neither keep in
/// registers nor leave out. cuda::atomic_ref would do the same, but would not tell that the memory is shared.
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
// [relaxed]

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
  unsigned words[kTile + 2][kWords + 2];     // wet cells, and dry words above, left and right of them
  unsigned parents[kThreads * kPlaces];      // the forest of the tile's runs
  unsigned char labels[kThreads * kPlaces];  // of roots
  unsigned at_border[kBitWords], with_source[kBitWords];  // of roots, a bit each
  unsigned labels_taken;

  __device__ unsigned word(int row, int column) const { return words[row + 2][column + 1]; }
  __device__ unsigned place(int row, int column, int run) const {
    return (row * kWords + column) * kPlaces + run;
  }
};

__device__ void set_bit(unsigned* bits, unsigned index) {
  atomicOr(&bits[index / kLanes], 1U << index % kLanes);
}

/// The cells of a word that begins at `row` and `column` which are on the map.
__device__ unsigned cells_on_map(const Map& map, int row, int column) {
  const int cells = map.columns - column;
  if (row >= map.rows || cells <= 0) return 0;
  return cells >= kLanes ? ~0U : (1U << cells) - 1;
}

/// Lane l of a warp gets the word l of the 32 that the warp reads: of 8 rows of the tile. Beyond the map's
/// edge the cells at it are read again, and are dry.
__device__ unsigned read_word(const float* heights, const Map& map, float level, int first_row,
                              int first_column, int lane) {
  // [ballots]
  constexpr int kAtOnce = 4;  // rows, and 16 loads under way
  unsigned word = 0;
#pragma unroll
  for (int first = 0; first < kLanes / kWords; first += kAtOnce) {
    float values[kAtOnce][kWords];
    for (int y = 0; y < kAtOnce; ++y) {
      const std::int64_t row = min(first_row + first + y, map.rows - 1);
      for (int x = 0; x < kWords; ++x)
        values[y][x] =
            __ldcs(heights + row * map.columns + min(first_column + x * kLanes + lane, map.columns - 1));
    }
    for (int k = 0; k < kAtOnce * kWords; ++k) {
      const unsigned wet = __ballot_sync(kAllLanes, values[k / kWords][k % kWords] < level);  // NaN is not
      if (lane == first * kWords + k) word = wet;
    }
  }
  return word & cells_on_map(map, first_row + lane / kWords, first_column + lane % kWords * kLanes);
  // [ballots]
}

// [touch]
/// What the runs of a word have above them.
struct Above {
  unsigned cells;   // wet ones of the row above
  unsigned bridge;  // wet ones of the row above that, which join what lies below on either side
  bool eight;

  __device__ Above(const Tile& tile, int row, int column, bool eight_neighbours)
      : cells(tile.word(row - 1, column)), bridge(tile.word(row - 2, column)), eight(eight_neighbours) {
    if (!eight) bridge &= bridge << 1 & bridge >> 1;  // a cell joins sides only with both of its neighbours
  }
  __device__ unsigned reach(unsigned run) const { return eight ? run | run << 1 | run >> 1 : run; }
  __device__ unsigned touched(unsigned run) const { return reach(run) & cells; }
  /// Those of `touched` that are not joined to the lowest by the row above or by a bridge.
  __device__ unsigned others(unsigned run, unsigned touched) const {
    return touched & ((reach(run) & (cells | bridge)) + lowest_bit(touched));
  }
};
// [touch]

// [first-parents]
/// Hangs each run below the first that it touches in the row above. Each thread writes the parents of its own
/// word's runs, so nothing can collide. Gives the starts of runs that touch others besides.
__device__ unsigned hang_below_the_row_above(Tile& tile, int row, int column, const Above& above) {
  unsigned forked = 0;
  for_each_run(tile.word(row, column), [&](int run, unsigned cells) {
    const unsigned touched = above.touched(cells);
    if (touched == 0) return;
    tile.parents[tile.place(row, column, run)] =
        tile.place(row - 1, column, run_at(above.cells, lowest_bit(touched)));
    if (above.others(cells, touched) != 0) forked |= lowest_bit(cells);
  });
  return forked;
}
// [first-parents]

// [flatten]
/// Shortens paths of up to 128 rows to two steps. A pair of warps goes down 16 rows, lanes side by side for
/// the runs of two words each; then the last rows of these go by, one after the other.
__device__ void flatten(Tile& tile, int warp, int lane) {
  constexpr int kRows = kTile / (kWarps / 2), kPlacesOfRow = kWords * kPlaces;
  const unsigned of_lane = tile.place(0, warp % 2 * 2 + lane / kRuns, lane % kRuns);
  const auto shorten = [&](int first, int rows, int step) {
    unsigned place = of_lane + first * kPlacesOfRow;
    for (int row = 0; row < rows; ++row, place += step * kPlacesOfRow) {
      tile.parents[place] = tile.parents[tile.parents[place]];
      __syncwarp();  // the next row reads what this one wrote, and a path stays within its column of words
    }
  };
  shorten(warp / 2 * kRows + 1, kRows - 1, 1);
  __syncthreads();  // the last row of each of the 8
  if (warp < 2) shorten(2 * kRows - 1, kTile / kRows - 2, kRows);
}
// [flatten]

/// All that touches and has not been hung below one another yet: what forked runs touch in the row above, and
/// what lies beside the word. Whatever follows from others is left out.
__device__ void join_runs(Tile& tile, int row, int column, const Above& above, unsigned forked) {
  const SharedForest forest{tile.parents};
  const unsigned word = tile.word(row, column);
  // [others-above]
  for (; forked != 0; forked &= forked - 1) {
    const unsigned start = lowest_bit(forked), cells = run_from(word, start);
    const unsigned own = tile.place(row, column, run_at(word, start));
    unsigned others = above.others(cells, above.touched(cells));
    for (; others != 0; others = above.others(cells, others))
      join(forest, own, tile.place(row - 1, column, run_at(above.cells, lowest_bit(others))));
  }
  // [others-above]
  // [beside]
  const unsigned left = tile.word(row, column - 1), above_left = tile.word(row - 1, column - 1);
  const unsigned last = 1U << (kLanes - 1);
  const bool wet_left = (left & last) != 0, wet_above_left = (above_left & last) != 0;
  const bool wet_above = (above.cells & 1) != 0;
  if ((word & 1) != 0) {
    const unsigned own = tile.place(row, column, 0);
    if (wet_left && !(wet_above_left && wet_above))  // else the row above says the same
      join(forest, own, tile.place(row, column - 1, run_at(left, last)));
    if (above.eight && wet_above_left && !wet_left && !wet_above)
      join(forest, own, tile.place(row - 1, column - 1, run_at(above_left, last)));
  }
  // [beside]
  const unsigned right = tile.word(row, column + 1), above_right = tile.word(row - 1, column + 1);
  if (above.eight && (word & last) != 0 && (above_right & 1) != 0 && (above.cells & last) == 0 &&
      (right & 1) == 0)
    join(forest, tile.place(row, column, run_at(word, last)), tile.place(row - 1, column + 1, 0));
}

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

__global__ void __launch_bounds__(kThreads, 3)
    components_kernel(const float* heights, Map map, float level, bool eight) {
  __shared__ Tile tile;
  const int thread = threadIdx.x, lane = thread % kLanes, warp = thread / kLanes;
  const int row = thread / kWords, column = thread % kWords;
  const int tile_row = blockIdx.x / map.tile_columns, tile_column = blockIdx.x % map.tile_columns;
  const bool has_word = map.has_word(row, column);
  const std::size_t place_of_word = map.place_of_word(blockIdx.x, row, column);

  const unsigned word =
      read_word(heights, map, level, tile_row * kTile + warp * (kLanes / kWords), tile_column * kTile, lane);
  const unsigned sources = has_word ? map.words[place_of_word] & word : 0;
  if (has_word) map.words[place_of_word] = word;
  tile.words[row + 2][column + 1] = word;
  if (thread < 2 * (kWords + 2)) tile.words[thread / (kWords + 2)][thread % (kWords + 2)] = 0;
  if (column == 0) tile.words[row + 2][0] = tile.words[row + 2][kWords + 1] = 0;
  if (thread < kBitWords) tile.at_border[thread] = tile.with_source[thread] = 0;
  if (thread == 0) tile.labels_taken = 0;
  for (int place = thread; place < kThreads * kPlaces; place += kThreads) {
    tile.parents[place] = place;  // also of runs that are none, so that nobody need ask
    tile.labels[place] = kNeverWater;
  }
  __syncthreads();  // all words, and a root at every place
  const Above above(tile, row, column, eight);
  const unsigned forked = hang_below_the_row_above(tile, row, column, above);
  __syncthreads();  // all parents
  flatten(tile, warp, lane);
  __syncthreads();  // short paths
  join_runs(tile, row, column, above, forked);
  __syncthreads();  // all components

  // [roots]
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
  // [roots]
  // [labels-of-roots]
  unsigned* const nodes = map.nodes + map.node(blockIdx.x, 0);
  if (thread < map.labels_of_tile()) nodes[thread] = map.node(blockIdx.x, thread);
  __syncthreads();  // all roots at the border and with a source; and a node for each label, alone
  if (thread < kBitWords) {
    const unsigned roots = tile.at_border[thread], with_source = tile.with_source[thread];
    unsigned label = roots == 0 ? 0 : 1 + atomicAdd(&tile.labels_taken, __popc(roots));
    for (unsigned rest = roots | with_source; rest != 0; rest &= rest - 1) {
      const unsigned root = lowest_bit(rest), place = thread * kLanes + __ffs(rest) - 1;
      tile.labels[place] = (roots & root) != 0 ? label : kAlwaysWater;
      if ((roots & root) == 0) continue;
      if ((with_source & root) != 0) nodes[label] = kSource;
      ++label;
    }
  }
  __syncthreads();  // all labels
  if (map.has_side(side, position))
    map.sides[map.place_of_side(blockIdx.x, side, position)] = wet_at_border ? tile.labels[border_root] : 0;
  // [labels-of-roots]

  // [run-labels]
  if (word == 0) return;
  const int runs = __popc(starts_of(word));
  unsigned labels[kRuns / 4] = {};
#pragma unroll
  for (int run = 0; run < kRuns; ++run) {
    if (run >= runs) break;
    const unsigned root = root_of(tile.parents, tile.place(row, column, run));
    labels[run / 4] |= tile.labels[root] << run % 4 * 8;
  }
  map.labels[place_of_word] = make_uint4(labels[0], labels[1], labels[2], labels[3]);
  // [run-labels]
}

// --- between tiles ---

/// The node of a cell at a side of a tile, 0 where it is dry or no tile is.
__device__ unsigned node_at(const Map& map, int tile_row, int tile_column, int side, int position) {
  if (tile_row >= map.tile_rows || tile_column >= map.tile_columns || !map.has_side(side, position)) return 0;
  const int tile = tile_row * map.tile_columns + tile_column;
  const unsigned label = map.sides[map.place_of_side(tile, side, position)];
  return label == 0 ? 0 : map.node(tile, label);
}

/// A block for each tile: half of its threads are along the seam to its right, half along that below. Each
/// has two cells that face each other, and the next two, which the corners may join.
__global__ void __launch_bounds__(2 * kTile) seams_kernel(Map map, bool eight) {
  const int tile_row = blockIdx.x / map.tile_columns, tile_column = blockIdx.x % map.tile_columns;
  // [seams]
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
  __shared__ bool has_water[kLabels];
  const int thread = threadIdx.x, lane = thread % kLanes, warp = thread / kLanes;
  const int tile_row = blockIdx.x / map.tile_columns, tile_column = blockIdx.x % map.tile_columns;
  const int row = thread / kWords, column = thread % kWords;
  const std::size_t place_of_word = map.place_of_word(blockIdx.x, row, column);
  unsigned word = map.has_word(row, column) ? map.words[place_of_word] : 0;
  uint4 packed = make_uint4(0, 0, 0, 0);
  if (word != 0) packed = map.labels[place_of_word];  // under way while roots are looked up
  // [water-of-labels]
  if (thread < kLabels) {
    const unsigned label = thread;
    const bool has_node = label != kNeverWater && thread < map.labels_of_tile();
    has_water[label] =
        label == kAlwaysWater || (has_node && root_of(map.nodes, map.node(blockIdx.x, label)) == kSource);
  }
  __syncthreads();  // all labels
  const unsigned labels[] = {packed.x, packed.y, packed.z, packed.w};
  unsigned water = 0;
#pragma unroll
  for (int run = 0; run < kRuns; ++run) {
    if (word == 0) break;
    const unsigned cells = run_from(word, lowest_bit(word));
    if (has_water[labels[run / 4] >> run % 4 * 8 & 255]) water |= cells;
    word &= ~cells;
  }
  // [water-of-labels]
  write_rows(mask, map, water, tile_row * kTile + warp * (kLanes / kWords), tile_column * kTile, lane);
}

/// Marks the sources, a bit each.
__global__ void sources_kernel(const int* sources, int source_count, Map map) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= source_count) return;
  const int row = sources[i] / map.columns, column = sources[i] % map.columns;
  const int tile = row / kTile * map.tile_columns + column / kTile;
  const std::size_t word = map.place_of_word(tile, row % kTile, column % kTile / kLanes);
  atomicOr(&map.words[word], 1U << column % kLanes);
}

/// `workspace` may be null when only the numbers are wanted.
Map map_of(int rows, int columns, void* workspace) {
  Map map{.rows = rows, .columns = columns};
  map.tile_rows = rows / kTile + (rows % kTile != 0);
  map.tile_columns = columns / kTile + (columns % kTile != 0);
  map.rows_of_tile = min(rows, kTile);
  map.columns_of_tile = min(columns, kTile);
  const std::size_t tiles = map.tiles(), words = tiles * map.words_of_tile();
  map.labels = static_cast<uint4*>(workspace);  // first, since it needs the widest alignment
  map.words = reinterpret_cast<unsigned*>(map.labels + words);
  map.nodes = map.words + words;
  map.sides = reinterpret_cast<unsigned char*>(map.nodes + tiles * map.labels_of_tile());
  return map;
}

std::size_t flood_workspace_bytes(int rows, int columns) {
  const Map map = map_of(rows, columns, nullptr);
  const std::size_t of_tile = map.words_of_tile() * (sizeof *map.labels + sizeof *map.words) +
                              map.labels_of_tile() * sizeof *map.nodes + map.sides_of_tile();
  return map.tiles() * of_tile;
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
  CHECK_CUDA(cudaMemsetAsync(map.words, 0, sizeof *map.words * map.tiles() * map.words_of_tile(), stream));
  sources_kernel<<<(source_count - 1) / kThreads + 1, kThreads, 0, stream>>>(sources, source_count, map);
  CHECK_CUDA(cudaGetLastError());
  components_kernel<<<map.tiles(), kThreads, 0, stream>>>(heights, map, level, eight);
  CHECK_CUDA(cudaGetLastError());
  seams_kernel<<<map.tiles(), 2 * kTile, 0, stream>>>(map, eight);
  CHECK_CUDA(cudaGetLastError());
  mask_kernel<<<map.tiles(), kThreads, 0, stream>>>(mask, map);
  CHECK_CUDA(cudaGetLastError());
}
