// fails: bytes-per-element
// at: wet[y][lane] = inside && heights[cell] < level;
// Flood by lines that move over the map in four directions, until none changes a cell. Lecture: 19-flood.
// Bound: latency. A line has only as many threads as the map has rows or columns, and each waits for its cell
// before it goes on; and the passes, as many as the longest way has turns.
#include "flood.h"

#include "lockstep/check_cuda.h"
#include "lockstep/divide_up.h"

constexpr int kThreads = 256;
constexpr int kLine =
    64;  // threads of a block that move down or up: few, for all multiprocessors to have some
constexpr int kSide = 32;  // of the tile through which a line moves to the right or to the left

__global__ void pour_kernel(const float* heights, const int* sources, unsigned char* mask, int source_count,
                            float level) {
  const int i = blockIdx.x * kThreads + threadIdx.x;
  if (i >= source_count) return;
  const int cell = sources[i];
  if (heights[cell] < level) mask[cell] = 1;
}

/// A line of all columns moves down or up, a thread a column. What a thread brings from the row before it
/// keeps in a register; at corners it looks at what its neighbours have written, or not yet: then the next
/// pass will.
__global__ void move_down_kernel(const float* heights, volatile unsigned char* mask, int rows, int columns,
                                 float level, bool eight, bool up, int* changed) {
  const int column = blockIdx.x * kLine + threadIdx.x;
  if (column >= columns) return;
  // [move-down]
  bool water = false;
  for (int step = 0; step < rows; ++step) {
    const int row = up ? rows - 1 - step : step;
    const std::size_t cell = std::size_t(row) * columns + column;
    const std::size_t before = up ? cell + columns : cell - columns;
    if (eight && step > 0 && !water)
      water = (column > 0 && mask[before - 1] != 0) || (column < columns - 1 && mask[before + 1] != 0);
    const bool had_water = mask[cell] != 0;
    water = had_water || (water && heights[cell] < level);
    if (water && !had_water) {
      mask[cell] = 1;
      *changed = 1;
    }
  }
  // [move-down]
}

/// A line of 32 rows moves to the right or to the left, a lane a row. Lanes a row apart would read a sector
/// each: the warp brings tiles into shared memory row by row, and moves there.
__global__ void move_right_kernel(const float* heights, unsigned char* mask, int rows, int columns,
                                  float level, bool left, int* changed) {
  __shared__ unsigned char wet[kSide][kSide + 1], full[kSide][kSide + 1];
  const int lane = threadIdx.x, first_row = blockIdx.x * kSide, tiles = (columns - 1) / kSide + 1;
  bool water = false;
  for (int step = 0; step < tiles; ++step) {
    const int column = (left ? tiles - 1 - step : step) * kSide + lane;
    // [move-right]
    for (int y = 0; y < kSide; ++y) {
      const bool inside = first_row + y < rows && column < columns;
      const std::size_t cell = std::size_t(first_row + y) * columns + column;
      wet[y][lane] = inside && heights[cell] < level;
      full[y][lane] = inside && mask[cell] != 0;
    }
    __syncwarp();  // the tile is there
    for (int x = 0; x < kSide; ++x) {
      const int at = left ? kSide - 1 - x : x;
      water = full[lane][at] != 0 || (water && wet[lane][at] != 0);
      if (water && full[lane][at] == 0) full[lane][at] = 2;  // new
    }
    // [move-right]
    __syncwarp();  // the line has passed
    for (int y = 0; y < kSide; ++y) {
      if (full[y][lane] != 2) continue;
      mask[std::size_t(first_row + y) * columns + column] = 1;
      *changed = 1;
    }
    __syncwarp();  // the tile may go
  }
}

std::size_t flood_workspace_bytes(int, int) { return sizeof(int); }

void flood(const float* heights, const int* sources, unsigned char* mask, int rows, int columns,
           int source_count, float level, int neighbourhood, void* workspace, cudaStream_t stream) {
  const std::size_t cells = std::size_t(rows) * columns;
  if (cells == 0) return;
  CHECK_CUDA(cudaMemsetAsync(mask, 0, cells, stream));
  if (source_count == 0) return;
  const int source_blocks = lockstep::divide_up(source_count, kThreads);
  pour_kernel<<<source_blocks, kThreads, 0, stream>>>(heights, sources, mask, source_count, level);
  CHECK_CUDA(cudaGetLastError());
  int* const changed = static_cast<int*>(workspace);
  const int down_blocks = lockstep::divide_up(columns, kLine),
            right_blocks = lockstep::divide_up(rows, kSide);
  const bool eight = neighbourhood == 8;
  int any_changed = 1;
  while (any_changed != 0) {
    CHECK_CUDA(cudaMemsetAsync(changed, 0, sizeof(int), stream));
    for (const bool back : {false, true}) {
      move_right_kernel<<<right_blocks, kSide, 0, stream>>>(heights, mask, rows, columns, level, back,
                                                            changed);
      CHECK_CUDA(cudaGetLastError());
      move_down_kernel<<<down_blocks, kLine, 0, stream>>>(heights, mask, rows, columns, level, eight, back,
                                                          changed);
      CHECK_CUDA(cudaGetLastError());
    }
    CHECK_CUDA(cudaMemcpyAsync(&any_changed, changed, sizeof(int), cudaMemcpyDeviceToHost, stream));
    CHECK_CUDA(cudaStreamSynchronize(stream));
  }
}
