// expect: passed
// expect-gpu: too-slow
// shows: Streams of its own, joined by events before it returns; half of the work on each.
#include "lockstep/divide_up.h"
#include "transpose.h"

constexpr int kTile = 32;

__global__ void transpose_kernel(const float* in, float* out, int rows, int columns, int first_tile_row) {
  __shared__ float tile[kTile][kTile + 1];
  const int x = threadIdx.x, y = threadIdx.y;
  const int first_row = (first_tile_row + blockIdx.y) * kTile, first_column = blockIdx.x * kTile;
  if (first_row + y < rows && first_column + x < columns) {
    tile[y][x] = in[(first_row + y) * columns + first_column + x];
  }
  __nanosleep(5000);  // too slow on any GPU
  __syncthreads();
  if (first_column + y < columns && first_row + x < rows) {
    out[(first_column + y) * rows + first_row + x] = tile[x][y];
  }
}

struct Stream {
  Stream() {
    cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
    cudaEventCreateWithFlags(&event, cudaEventDisableTiming);
  }
  cudaStream_t stream;
  cudaEvent_t event;
};

void transpose(const float* in, float* out, int rows, int columns, cudaStream_t stream) {
  if (rows == 0 || columns == 0) return;
  static Stream streams[2];
  static Stream start;
  cudaEventRecord(start.event, stream);
  const int tile_rows = lockstep::divide_up(rows, kTile), middle = tile_rows / 2;
  for (int half = 0; half < 2; ++half) {
    const int first = half == 0 ? 0 : middle, end = half == 0 ? middle : tile_rows;
    if (first == end) continue;
    const Stream& own = streams[half];
    cudaStreamWaitEvent(own.stream, start.event);
    const dim3 grid(lockstep::divide_up(columns, kTile), end - first);
    transpose_kernel<<<grid, dim3(kTile, kTile), 0, own.stream>>>(in, out, rows, columns, first);
    cudaEventRecord(own.event, own.stream);
    cudaStreamWaitEvent(stream, own.event);
  }
}
