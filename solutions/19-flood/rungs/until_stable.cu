// fails: bytes-per-element
// at: if (mask[cell] != 0 || !(heights[cell] < level)) return;
// Flood step by step: every launch lets water into cells beside water, until none changes. Lecture: 19-flood.
// Bound: memory, at 5 bytes a cell and launch, times the length of the longest way.
#include "flood.h"

#include "lockstep/check_cuda.h"
#include "lockstep/divide_up.h"

constexpr int kThreads = 256;
constexpr int kColumns = 32, kRows = 8;  // of a block
constexpr int kStepsALook = 16;          // the host waits for the device at each look

/// Water in the sources that are below the level.
__global__ void pour_kernel(const float* heights, const int* sources, unsigned char* mask, int source_count,
                            float level) {
  const int i = blockIdx.x * kThreads + threadIdx.x;
  if (i >= source_count) return;
  const int cell = sources[i];
  if (heights[cell] < level) mask[cell] = 1;
}

// [step]
/// Others write the mask meanwhile; a cell only ever goes from 0 to 1, so whatever is read is right or too
/// early.
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
// [step]

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
  // [until-stable]
  int* const changed = static_cast<int*>(workspace);
  const dim3 blocks(lockstep::divide_up(columns, kColumns), lockstep::divide_up(rows, kRows));
  int last_step_changed = 1;
  while (last_step_changed != 0) {
    for (int step = 0; step < kStepsALook; ++step) {
      const bool is_last = step == kStepsALook - 1;
      if (is_last) CHECK_CUDA(cudaMemsetAsync(changed, 0, sizeof(int), stream));
      step_kernel<<<blocks, dim3(kColumns, kRows), 0, stream>>>(heights, mask, rows, columns, level,
                                                                neighbourhood == 8, changed);
      CHECK_CUDA(cudaGetLastError());
    }
    CHECK_CUDA(cudaMemcpyAsync(&last_step_changed, changed, sizeof(int), cudaMemcpyDeviceToHost, stream));
    CHECK_CUDA(cudaStreamSynchronize(stream));
  }
  // [until-stable]
}
