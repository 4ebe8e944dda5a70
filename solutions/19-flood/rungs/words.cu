// Flood by components of tiles, a thread for each word of 32 cells. Lecture: 19-flood.
// Bound: memory, heights once and the mask once; words and the parents of their runs are a byte a cell more.
// Where lakes are small, the joins of runs within a tile. A map lower than a tile wastes most of it.
#include "flood.h"

#include "lockstep/check_cuda.h"
#include "lockstep/divide_up.h"

constexpr int kLanes = 32;                                                          // and cells of a word
constexpr unsigned kAllLanes = 0xffffffff, kFirst = 1, kLast = 1U << (kLanes - 1);  // cells of a word
constexpr int kRows = 64, kColumns = 128;                                           // of a tile
constexpr int kWords = kColumns / kLanes;                                           // of a row of a tile
constexpr int kThreads = kRows * kWords;  // one for each word of a tile
constexpr int kRowsOfWarp = kLanes / kWords;
constexpr int kRuns = kLanes / 2;        // of wet cells, that a word can hold
constexpr unsigned kSource = 0;          // node that all sources are joined to
constexpr unsigned kFirstNode = kLanes;  // of a run: a multiple of 32, so that a warp's nodes share sectors

// [runs-of-words]
__device__ unsigned lowest_bit(unsigned word) { return word & (0 - word); }
/// A one where each run of ones begins.
__device__ unsigned starts_of(unsigned word) { return word & ~(word << 1); }
/// Number of the run, from the lowest, that holds the cell.
__device__ int run_at(unsigned word, unsigned cell) { return __popc(starts_of(word) & (2 * cell - 1)) - 1; }
// [runs-of-words]

/// A tile in shared memory, and the forest of its runs. Run k of all words lies together: of 32 lanes no two
/// have the same bank.
struct Tile {
  unsigned words[kRows + 1][kWords + 2];  // wet cells, and dry words above, left and right of them
  unsigned parents[kRuns * kThreads];

  __device__ unsigned word(int row, int column) const { return words[row + 1][column + 1]; }
  __device__ unsigned node(int row, int column, int run) const {
    return run * kThreads + row * kWords + column;
  }
};

/// The map in global memory, and the forest of all runs. Words lie tile by tile, and columns are those of
/// words.
struct Map {
  int rows, columns, tile_rows, tile_columns;
  unsigned* words;
  unsigned* parents;

  __host__ __device__ unsigned tiles() const { return unsigned(tile_rows) * tile_columns; }
  __device__ unsigned place(int row, int column) const {
    const unsigned tile = row / kRows * tile_columns + column / kWords;
    return tile * kThreads + row % kRows * kWords + column % kWords;
  }
  __device__ unsigned word(int row, int column) const {
    const bool inside = row >= 0 && column >= 0 && column < tile_columns * kWords;
    return inside ? words[place(row, column)] : 0;
  }
  __device__ unsigned node(unsigned place, int run) const {
    return kFirstNode + run * tiles() * kThreads + place;
  }
  __device__ unsigned node(int row, int column, int run) const { return node(place(row, column), run); }
};

/// Others join trees meanwhile, so a parent is read anew each time. Every second node on the way is hung
/// higher.
__device__ unsigned root_of(volatile unsigned* parents, unsigned node) {
  while (true) {
    const unsigned parent = parents[node], next = parents[parent];
    if (parent == next) return parent;
    parents[node] = next;
    node = next;
  }
}

/// The larger root is hung below the smaller, so no circle can close; and only while it is a root.
__device__ void join(unsigned* parents, unsigned a, unsigned b) {
  while (true) {
    a = root_of(parents, a);
    b = root_of(parents, b);
    if (a == b) return;
    const unsigned high = max(a, b), low = min(a, b);
    if (atomicCAS(&parents[high], high, low) == high) return;
  }
}

/// Which cells of a word are joined to what lies above them, above at the left or right, and beside the word.
struct Reach {
  unsigned above, above_left, above_right;
  bool left;
};

/// Joins the runs of a word to those before it, in a tile or on the map. What follows from others is left
/// out.
template <class Cells>
__device__ void join_word(Cells& cells, int row, int column, bool eight, Reach reach) {
  const unsigned word = cells.word(row, column), above = cells.word(row - 1, column);
  const unsigned left = cells.word(row, column - 1), above_left = cells.word(row - 1, column - 1);
  if (word == 0) return;
  const auto join_up = [&](unsigned cell, int other_column, unsigned other_word, unsigned other_cell) {
    join(cells.parents, cells.node(row, column, run_at(word, cell)),
         cells.node(row - 1, other_column, run_at(other_word, other_cell)));
  };
  // [join-words]
  for (unsigned meet = starts_of(word & above) & reach.above; meet != 0; meet &= meet - 1)
    join_up(lowest_bit(meet), column, above, lowest_bit(meet));
  const bool row_above_joins = (above & kFirst) != 0 && (above_left & kLast) != 0;
  if (reach.left && (word & kFirst) != 0 && (left & kLast) != 0 && !row_above_joins)
    join(cells.parents, cells.node(row, column, 0), cells.node(row, column - 1, run_at(left, kLast)));
  // [join-words]
  if (!eight) return;
  const unsigned right = cells.word(row, column + 1), above_right = cells.word(row - 1, column + 1);
  // [join-corners]
  // Corners count where neither cell between them is wet: else sides say the same.
  const unsigned to_left = word & (above << 1 | above_left >> 31) & ~above & ~(word << 1 | left >> 31);
  for (unsigned meet = to_left & reach.above_left; meet != 0; meet &= meet - 1) {
    const unsigned cell = lowest_bit(meet);
    cell == kFirst ? join_up(cell, column - 1, above_left, kLast) : join_up(cell, column, above, cell >> 1);
  }
  const unsigned to_right = word & (above >> 1 | above_right << 31) & ~above & ~(word >> 1 | right << 31);
  for (unsigned meet = to_right & reach.above_right; meet != 0; meet &= meet - 1) {
    const unsigned cell = lowest_bit(meet);
    cell == kLast ? join_up(cell, column + 1, above_right, kFirst) : join_up(cell, column, above, cell << 1);
  }
  // [join-corners]
}

/// Lane l of a warp gets word l of the 32 that the warp reads, of 8 rows. What is not on the map is dry.
__device__ unsigned read_word(const float* heights, const Map& map, float level, int first_row,
                              int first_column, int lane) {
  // [read-words]
  constexpr int kAtOnce = 16;  // loads under way
  unsigned word = 0;
#pragma unroll
  for (int first = 0; first < kLanes; first += kAtOnce) {
    float values[kAtOnce];
    for (int k = 0; k < kAtOnce; ++k) {
      const int row = first_row + (first + k) / kWords;
      const int column = first_column + (first + k) % kWords * kLanes + lane;
      const bool inside = row < map.rows && column < map.columns;
      values[k] = inside ? heights[std::size_t(row) * map.columns + column] : level;
    }
    for (int k = 0; k < kAtOnce; ++k) {
      const unsigned wet = __ballot_sync(kAllLanes, values[k] < level);
      if (lane == first + k) word = wet;
    }
  }
  return word;
  // [read-words]
}

__global__ void __launch_bounds__(kThreads, 5)
    tile_kernel(const float* heights, Map map, float level, bool eight) {
  __shared__ Tile tile;
  const int thread = threadIdx.x, lane = thread % kLanes, warp = thread / kLanes;
  const int row = thread / kWords, column = thread % kWords;
  const int tile_row = blockIdx.x / map.tile_columns, tile_column = blockIdx.x % map.tile_columns;
  const unsigned word =
      read_word(heights, map, level, tile_row * kRows + warp * kRowsOfWarp, tile_column * kColumns, lane);
  const int runs = __popc(starts_of(word));
  tile.words[row + 1][column + 1] = word;
  if (thread < kWords + 2) tile.words[0][thread] = 0;
  if (column == 0) tile.words[row + 1][0] = tile.words[row + 1][kWords + 1] = 0;
  for (int run = 0; run < runs; ++run) tile.parents[run * kThreads + thread] = run * kThreads + thread;
  __syncthreads();  // all words, and a root for each run
  join_word(tile, row, column, eight, {kAllLanes, kAllLanes, kAllLanes, true});
  __syncthreads();  // all components
  // [runs-to-map]
  const unsigned first = blockIdx.x * kThreads;  // word of the tile
  map.words[first + thread] = word;
  for (int run = 0; run < runs; ++run) {
    const unsigned root = root_of(tile.parents, run * kThreads + thread);
    map.parents[map.node(first + thread, run)] = map.node(first + root % kThreads, root / kThreads);
  }
  if (first + thread == 0) map.parents[kSource] = kSource;
  // [runs-to-map]
}

/// What the tiles left out: each word at the border of its tile is joined to what lies beyond.
__global__ void __launch_bounds__(kThreads) seams_kernel(Map map, bool eight) {
  const int tile_row = blockIdx.x / map.tile_columns, tile_column = blockIdx.x % map.tile_columns;
  const int row = threadIdx.x / kWords, column = threadIdx.x % kWords;
  // [word-seams]
  const bool top = row == 0, first = column == 0, last = column == kWords - 1;
  if (!top && !first && !(eight && last)) return;
  Reach reach{.above = 0, .above_left = first ? kFirst : 0, .above_right = last ? kLast : 0, .left = first};
  if (top) reach.above = reach.above_left = reach.above_right = kAllLanes;
  join_word(map, tile_row * kRows + row, tile_column * kWords + column, eight, reach);
  // [word-seams]
}

__global__ void join_sources_kernel(Map map, const int* sources, int source_count) {
  const int i = blockIdx.x * kThreads + threadIdx.x;
  if (i >= source_count) return;
  const int row = sources[i] / map.columns, column = sources[i] % map.columns;
  const unsigned word = map.word(row, column / kLanes), cell = 1U << column % kLanes;
  if ((word & cell) != 0) join(map.parents, kSource, map.node(row, column / kLanes, run_at(word, cell)));
}

/// A warp writes 8 rows of 128 cells from the words of its lanes, four cells a lane.
__device__ void write_rows(unsigned char* mask, const Map& map, unsigned water, int first_row,
                           int first_column, int lane) {
  const int column = first_column + lane * 4;
  for (int y = 0; y < kRowsOfWarp; ++y) {
    const unsigned bits = __shfl_sync(kAllLanes, water, y * kWords + lane / 8) >> lane % 8 * 4 & 15;
    if (first_row + y >= map.rows) continue;
    unsigned char* const cells = mask + std::size_t(first_row + y) * map.columns + column;
    if (map.columns % 4 == 0) {  // every row begins at a multiple of 4 bytes
      // A product puts the four bits beside themselves, shifted by 7, 14 and 21: a bit for each byte.
      if (column < map.columns) *reinterpret_cast<unsigned*>(cells) = bits * 0x00204081 & 0x01010101;
    } else {
      for (int x = 0; x < 4 && column + x < map.columns; ++x) cells[x] = bits >> x & 1;
    }
  }
}

__global__ void __launch_bounds__(kThreads) mask_kernel(unsigned char* mask, Map map) {
  const int thread = threadIdx.x, lane = thread % kLanes, warp = thread / kLanes;
  const int tile_row = blockIdx.x / map.tile_columns, tile_column = blockIdx.x % map.tile_columns;
  const unsigned place = blockIdx.x * kThreads + thread;
  // [water-of-runs]
  unsigned water = 0, rest = map.words[place];
  for (int run = 0; rest != 0; ++run) {
    const unsigned cells = rest & ~(rest + lowest_bit(rest));  // the addition carries to the end of the run
    unsigned node = map.node(place, run);
    while (map.parents[node] != node) node = map.parents[node];
    if (node == kSource) water |= cells;
    rest &= ~cells;
  }
  // [water-of-runs]
  write_rows(mask, map, water, tile_row * kRows + warp * kRowsOfWarp, tile_column * kColumns, lane);
}

/// `workspace` may be null when only the numbers are wanted.
Map map_of(int rows, int columns, void* workspace) {
  Map map{.rows = rows,
          .columns = columns,
          .tile_rows = lockstep::divide_up(rows, kRows),
          .tile_columns = lockstep::divide_up(columns, kColumns)};
  map.words = static_cast<unsigned*>(workspace);
  map.parents = map.words + std::size_t{map.tiles()} * kThreads;
  return map;
}

std::size_t flood_workspace_bytes(int rows, int columns) {
  const std::size_t words = std::size_t{map_of(rows, columns, nullptr).tiles()} * kThreads;
  return (words + kFirstNode + words * kRuns) * sizeof(unsigned);
}

void flood(const float* heights, const int* sources, unsigned char* mask, int rows, int columns,
           int source_count, float level, int neighbourhood, void* workspace, cudaStream_t stream) {
  if (rows == 0 || columns == 0) return;
  const Map map = map_of(rows, columns, workspace);
  const bool eight = neighbourhood == 8;
  tile_kernel<<<map.tiles(), kThreads, 0, stream>>>(heights, map, level, eight);
  CHECK_CUDA(cudaGetLastError());
  seams_kernel<<<map.tiles(), kThreads, 0, stream>>>(map, eight);
  CHECK_CUDA(cudaGetLastError());
  if (source_count > 0) {
    const int source_blocks = lockstep::divide_up(source_count, kThreads);
    join_sources_kernel<<<source_blocks, kThreads, 0, stream>>>(map, sources, source_count);
    CHECK_CUDA(cudaGetLastError());
  }
  mask_kernel<<<map.tiles(), kThreads, 0, stream>>>(mask, map);
  CHECK_CUDA(cudaGetLastError());
}
