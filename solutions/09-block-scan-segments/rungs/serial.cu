// fails: global-sectors
// at: sum += values[position];
// fails: parallelism
// at: if (c == 0 || flags[position] != 0) sum = 0;
// Segmented scan of each row by a loop, one thread a row. Lecture: 09-block-scan.
// Bound: lanes of a warp are a row apart and share no sector, and there are as many threads as rows.
#include "block_scan_segments.h"
#include "lockstep/check_cuda.h"
#include "lockstep/divide_up.h"

constexpr int kThreads = 32;  // of a block

__global__ void block_scan_segments_kernel(const int* values, const int* flags, int* out, int rows,
                                           int columns) {
  const int row = blockIdx.x * kThreads + threadIdx.x;
  if (row >= rows) return;
  int sum = 0;
  for (int c = 0; c < columns; ++c) {
    const int position = row * columns + c;
    if (c == 0 || flags[position] != 0) sum = 0;
    sum += values[position];
    out[position] = sum;
  }
}

void block_scan_segments(const int* values, const int* flags, int* out, int rows, int columns,
                         cudaStream_t stream) {
  if (rows == 0 || columns == 0) return;  // a grid without blocks is an error
  const int blocks = lockstep::divide_up(rows, kThreads);
  block_scan_segments_kernel<<<blocks, kThreads, 0, stream>>>(values, flags, out, rows, columns);
  CHECK_CUDA(cudaGetLastError());
}
