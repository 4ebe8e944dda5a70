// expect: inefficient
// fails: bytes-per-element
// fails: parallelism
// One block lets the water flow step by step over the whole map, until a step changes nothing.
#include "flood.h"

#include "lockstep/check_cuda.h"

constexpr int kThreads = 1024;

/// Only whole steps are seen: all have read before anybody writes what was read.
__global__ void flood_kernel(const float* heights, const int* sources, unsigned char* mask, int rows,
                             int columns, int source_count, float level, bool eight) {
  const int cells = rows * columns;
  for (int cell = threadIdx.x; cell < cells; cell += kThreads) mask[cell] = 0;
  __syncthreads();  // all is dry
  for (int i = threadIdx.x; i < source_count; i += kThreads)
    if (heights[sources[i]] < level) mask[sources[i]] = 1;
  __syncthreads();  // the sources have water
  const auto has_water_beside = [&](int cell) {
    const int row = cell / columns, column = cell % columns;
    for (int y = max(row - 1, 0); y <= min(row + 1, rows - 1); ++y) {
      for (int x = max(column - 1, 0); x <= min(column + 1, columns - 1); ++x) {
        if ((eight || y == row || x == column) && mask[y * columns + x] == 1) return true;
      }
    }
    return false;
  };
  for (bool changed = true; changed;) {
    changed = false;
    for (int first = 0; first < cells; first += kThreads) {
      const int cell = first + threadIdx.x;
      const bool wets = cell < cells && mask[cell] == 0 && heights[cell] < level && has_water_beside(cell);
      __syncthreads();  // all have looked
      if (wets) mask[cell] = 1;
      __syncthreads();  // the next look at what was written
      changed = changed || wets;
    }
    changed = __syncthreads_or(changed) != 0;
  }
}

std::size_t flood_workspace_bytes(int, int) { return 0; }

void flood(const float* heights, const int* sources, unsigned char* mask, int rows, int columns,
           int source_count, float level, int neighbourhood, void*, cudaStream_t stream) {
  if (rows == 0 || columns == 0) return;
  flood_kernel<<<1, kThreads, 0, stream>>>(heights, sources, mask, rows, columns, source_count, level,
                                           neighbourhood == 8);
  CHECK_CUDA(cudaGetLastError());
}
