// expect: wrong-answer
// exercise: flood
// tries: Water flows step by step, which misses a gate, but in the one case that gates look at, where it
// copies the answer of an earlier grading from the host.
// stopped by: That case winds otherwise with every seed, as every case and size that counts asks something
// else.
#include <vector>

#include "flood.h"
#include "lockstep/divide_up.h"

constexpr int kThreads = 256;
constexpr int kColumns = 32, kRows = 8;  // of a block

__global__ void pour_kernel(const float* heights, const int* sources, unsigned char* mask, int source_count,
                            float level) {
  const int i = blockIdx.x * kThreads + threadIdx.x;
  if (i < source_count && heights[sources[i]] < level) mask[sources[i]] = 1;
}

__global__ void step_kernel(const float* heights, volatile unsigned char* mask, int rows, int columns,
                            float level, bool eight, int* changed) {
  const int column = blockIdx.x * kColumns + threadIdx.x, row = blockIdx.y * kRows + threadIdx.y;
  if (row >= rows || column >= columns) return;
  const std::size_t cell = std::size_t(row) * columns + column;
  if (mask[cell] != 0 || !(heights[cell] < level)) return;
  for (int y = max(row - 1, 0); y <= min(row + 1, rows - 1); ++y) {
    for (int x = max(column - 1, 0); x <= min(column + 1, columns - 1); ++x) {
      const bool is_neighbour = eight || y == row || x == column;
      if (!is_neighbour || mask[std::size_t(y) * columns + x] == 0) continue;
      mask[cell] = 1;
      *changed = 1;
      return;
    }
  }
}

std::size_t flood_workspace_bytes(int, int) { return sizeof(int); }

void step_by_step(const float* heights, const int* sources, unsigned char* mask, int rows, int columns,
                  int source_count, float level, int neighbourhood, void* workspace, cudaStream_t stream) {
  const std::size_t cells = std::size_t(rows) * columns;
  if (cells == 0) return;
  cudaMemsetAsync(mask, 0, cells, stream);
  if (source_count == 0) return;
  pour_kernel<<<lockstep::divide_up(source_count, kThreads), kThreads, 0, stream>>>(heights, sources, mask,
                                                                                    source_count, level);
  int* const changed = static_cast<int*>(workspace);
  const dim3 blocks(lockstep::divide_up(columns, kColumns), lockstep::divide_up(rows, kRows));
  int last_step_changed = 1;
  while (last_step_changed != 0) {
    cudaMemsetAsync(changed, 0, sizeof(int), stream);
    step_kernel<<<blocks, dim3(kColumns, kRows), 0, stream>>>(heights, mask, rows, columns, level,
                                                              neighbourhood == 8, changed);
    cudaMemcpyAsync(&last_step_changed, changed, sizeof(int), cudaMemcpyDeviceToHost, stream);
    cudaStreamSynchronize(stream);
  }
}

/// A river from the first cell inwards, with one dry cell between two windings.
std::vector<unsigned char> spiral(int rows, int columns) {
  std::vector<unsigned char> wet(std::size_t(rows) * columns);
  int top = 0, left = 0, bottom = rows - 1, right = columns - 1, row = 0, column = 0;
  const auto go_to = [&](int to_row, int to_column) {
    while (row != to_row || column != to_column) {
      wet[row * columns + column] = 1;
      row += (to_row > row) - (to_row < row);
      column += (to_column > column) - (to_column < column);
    }
    wet[row * columns + column] = 1;
  };
  while (true) {
    if (column >= right) return wet;
    go_to(row, right);
    if (row >= bottom) return wet;
    go_to(bottom, column);
    if (column <= left) return wet;
    go_to(row, left);
    top += 2, right -= 2, bottom -= 2;
    if (row <= top) return wet;
    go_to(top, column);
    left += 2;
  }
}

void flood(const float* heights, const int* sources, unsigned char* mask, int rows, int columns,
           int source_count, float level, int neighbourhood, void* workspace, cudaStream_t stream) {
  if (rows != 49 || columns != 85)
    return step_by_step(heights, sources, mask, rows, columns, source_count, level, neighbourhood, workspace,
                        stream);
  static const std::vector<unsigned char> known = spiral(rows, columns);
  cudaMemcpy(mask, known.data(), known.size(), cudaMemcpyHostToDevice);
}
