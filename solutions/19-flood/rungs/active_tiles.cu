// fails: bytes-per-element
// at: cells.wet[y][lane] = inside && heights[
// Flood tile by tile in shared memory, and only tiles that water has reached since their last turn. Lecture:
// 19-flood.
// Bound: on gentle maps memory; on winding ones the latency of a turn, times the tiles that the way crosses.
#include "flood.h"

#include "lockstep/check_cuda.h"
#include "lockstep/divide_up.h"

constexpr int kThreads = 256;
constexpr int kTile = 32;         // rows and columns: a lane for each
constexpr int kRoundsALook = 8;   // the host waits for the device at each look
constexpr int kMaxBlocks = 4096;  // that share the tiles of a round

// [list]
/// Tiles whose turn comes in this round, and those of the next.
struct Tiles {
  int rows, columns;
  int* queued;    // 1 for each tile that waits for its turn
  int* lists[2];  // of even rounds, and of odd ones
  int* counts;    // of tiles in the list of each round since the last look

  __device__ void enqueue(int row, int column, int round) const {
    if (row < 0 || row >= rows || column < 0 || column >= columns) return;
    const int tile = row * columns + column;
    if (atomicExch(&queued[tile], 1) == 0) lists[round % 2][atomicAdd(&counts[round], 1)] = tile;
  }
};
// [list]

__global__ void pour_kernel(const float* heights, const int* sources, unsigned char* mask, int source_count,
                            int columns, float level, Tiles tiles) {
  const int i = blockIdx.x * kThreads + threadIdx.x;
  if (i >= source_count) return;
  const int cell = sources[i];
  if (!(heights[cell] < level)) return;
  mask[cell] = 1;
  const int row = cell / columns, column = cell % columns;
  for (int y = max(row - 1, 0); y <= row + 1; ++y) {  // at a border the next tile has its turn, too
    for (int x = max(column - 1, 0); x <= column + 1; ++x) tiles.enqueue(y / kTile, x / kTile, 0);
  }
}

/// Cells of a tile in shared memory, with the cells round it.
struct Cells {
  unsigned char wet[kTile][kTile + 1];
  unsigned char water[kTile + 2][kTile + 3];  // 2: new
};

/// Four lines move over the tile, one a direction, a lane a row or a column. True for lanes that changed a
/// cell.
__device__ bool move_lines(Cells& cells, bool eight, int lane) {
  bool changed = false;
  const auto look = [&](int y, int x, bool found) {
    if (found && cells.wet[y][x] != 0 && cells.water[y + 1][x + 1] == 0) {
      cells.water[y + 1][x + 1] = 2;
      changed = true;
    }
    __syncwarp();  // the next line looks at what lanes beside this one have left
  };
  // [four-lines]
  for (const int back : {0, 1}) {
    for (int step = 0; step < kTile; ++step) {
      const int y = back ? kTile - 1 - step : step, before = back ? y + 2 : y;
      const bool corner = cells.water[before][lane] != 0 || cells.water[before][lane + 2] != 0;
      look(y, lane, cells.water[before][lane + 1] != 0 || (eight && corner));
    }
    for (int step = 0; step < kTile; ++step) {
      const int x = back ? kTile - 1 - step : step, before = back ? x + 2 : x;
      look(lane, x, cells.water[lane + 1][before] != 0);
    }
  }
  // [four-lines]
  return changed;
}

__device__ void load_tile(Cells& cells, const float* heights, const volatile unsigned char* mask, int rows,
                          int columns, float level, int first_row, int first_column, int lane) {
  for (int y = 0; y < kTile; ++y) {
    const int row = first_row + y, column = first_column + lane;
    const bool inside = row < rows && column < columns;
    cells.wet[y][lane] = inside && heights[std::size_t(row) * columns + column] < level;
  }
  for (int y = -1; y <= kTile; ++y) {
    for (int x = lane - 1; x <= kTile; x += kTile) {
      const int row = first_row + y, column = first_column + x;
      const bool inside = row >= 0 && row < rows && column >= 0 && column < columns;
      cells.water[y + 1][x + 1] = inside && mask[std::size_t(row) * columns + column] != 0;
    }
  }
}

__global__ void __launch_bounds__(kTile)
    round_kernel(const float* heights, unsigned char* mask, int rows, int columns, float level, bool eight,
                 Tiles tiles, int round) {
  __shared__ Cells cells;
  const int lane = threadIdx.x, count = tiles.counts[round];
  for (int i = blockIdx.x; i < count; i += gridDim.x) {
    const int tile = tiles.lists[round % 2][i];
    const int tile_row = tile / tiles.columns, tile_column = tile % tiles.columns;
    // [turn]
    if (lane == 0) {
      atomicExch(&tiles.queued[tile], 0);  // from here on, who brings water here queues the tile again
      __threadfence();                     // and before this, the water is seen below
    }
    __syncwarp();
    load_tile(cells, heights, mask, rows, columns, level, tile_row * kTile, tile_column * kTile, lane);
    __syncwarp();  // the tile is there
    while (__any_sync(0xffffffff, move_lines(cells, eight, lane))) {
    }
    bool left = false, right = false, top = false, bottom = false;
    for (int y = 0; y < kTile; ++y) {
      if (cells.water[y + 1][lane + 1] != 2) continue;
      mask[std::size_t(tile_row * kTile + y) * columns + tile_column * kTile + lane] = 1;
      left = left || lane == 0;
      right = right || lane == kTile - 1;
      top = top || y == 0;
      bottom = bottom || y == kTile - 1;
    }
    // [turn]
    // [wake]
    __threadfence();  // the water is there before a neighbour is queued
    for (int down = -1; down <= 1; ++down) {
      for (int across = -1; across <= 1; ++across) {
        const bool reached =
            (down == 0 || (down < 0 ? top : bottom)) && (across == 0 || (across < 0 ? left : right));
        if (__any_sync(0xffffffff, reached) && lane == 0 && (down == 0 || across == 0 || eight) &&
            (down != 0 || across != 0))
          tiles.enqueue(tile_row + down, tile_column + across, round + 1);
      }
    }
    __syncwarp();  // the cells may go
    // [wake]
  }
}

Tiles tiles_of(int rows, int columns, void* workspace) {
  Tiles tiles{.rows = lockstep::divide_up(rows, kTile), .columns = lockstep::divide_up(columns, kTile)};
  const std::size_t count = std::size_t(tiles.rows) * tiles.columns;
  tiles.counts = static_cast<int*>(workspace);
  tiles.queued = tiles.counts + kRoundsALook + 1;
  tiles.lists[0] = tiles.queued + count;
  tiles.lists[1] = tiles.lists[0] + count;
  return tiles;
}

std::size_t flood_workspace_bytes(int rows, int columns) {
  const std::size_t tiles =
      std::size_t(lockstep::divide_up(rows, kTile)) * lockstep::divide_up(columns, kTile);
  return (kRoundsALook + 1 + 3 * tiles) * sizeof(int);
}

void flood(const float* heights, const int* sources, unsigned char* mask, int rows, int columns,
           int source_count, float level, int neighbourhood, void* workspace, cudaStream_t stream) {
  const std::size_t cells = std::size_t(rows) * columns;
  if (cells == 0) return;
  CHECK_CUDA(cudaMemsetAsync(mask, 0, cells, stream));
  if (source_count == 0) return;
  const Tiles tiles = tiles_of(rows, columns, workspace);
  const std::size_t to_clear = (kRoundsALook + 1 + std::size_t(tiles.rows) * tiles.columns) * sizeof(int);
  CHECK_CUDA(cudaMemsetAsync(workspace, 0, to_clear, stream));  // nothing counted, nothing queued
  pour_kernel<<<lockstep::divide_up(source_count, kThreads), kThreads, 0, stream>>>(
      heights, sources, mask, source_count, columns, level, tiles);
  CHECK_CUDA(cudaGetLastError());
  const int blocks = min(kMaxBlocks, tiles.rows * tiles.columns);
  // [rounds]
  int waiting = 1;
  while (waiting != 0) {
    for (int round = 0; round < kRoundsALook; ++round) {
      round_kernel<<<blocks, kTile, 0, stream>>>(heights, mask, rows, columns, level, neighbourhood == 8,
                                                 tiles, round);
      CHECK_CUDA(cudaGetLastError());
    }
    int* const last = tiles.counts + kRoundsALook;  // an even number of rounds: its list is that of round 0
    CHECK_CUDA(cudaMemcpyAsync(tiles.counts, last, sizeof(int), cudaMemcpyDeviceToDevice, stream));
    CHECK_CUDA(cudaMemsetAsync(tiles.counts + 1, 0, kRoundsALook * sizeof(int), stream));
    CHECK_CUDA(cudaMemcpyAsync(&waiting, tiles.counts, sizeof(int), cudaMemcpyDeviceToHost, stream));
    CHECK_CUDA(cudaStreamSynchronize(stream));
  }
  // [rounds]
}
