// expect: passed
// expect-gpu: wrong-answer
// tries: Captures its first timed call as a CUDA graph and launches that again, whatever it is asked for.
// stopped by: Every timed call but the first has other buffers or other contents, and all outputs are
// compared.
#include "lockstep/divide_up.h"
#include "transpose.h"

constexpr int kTile = 32;

__global__ void transpose_kernel(const float* in, float* out, int rows, int columns) {
  __shared__ float tile[kTile][kTile + 1];
  const int x = threadIdx.x, y = threadIdx.y;
  const int first_row = blockIdx.y * kTile, first_column = blockIdx.x * kTile;
  if (first_row + y < rows && first_column + x < columns) {
    tile[y][x] = in[(first_row + y) * columns + first_column + x];
  }
  __syncthreads();
  if (first_column + y < columns && first_row + x < rows) {
    out[(first_column + y) * rows + first_row + x] = tile[x][y];
  }
}

void launch(const float* in, float* out, int rows, int columns, cudaStream_t stream) {
  const dim3 grid(lockstep::divide_up(columns, kTile), lockstep::divide_up(rows, kTile));
  transpose_kernel<<<grid, dim3(kTile, kTile), 0, stream>>>(in, out, rows, columns);
}

/// More elements than any case has that only has to be right.
bool is_timed(int rows, int columns) { return rows * columns > 1 << 22; }

cudaGraphExec_t graph = nullptr;

cudaGraphExec_t captured(const float* in, float* out, int rows, int columns) {
  cudaStream_t own;
  cudaGraph_t recorded;
  cudaGraphExec_t ready;
  cudaStreamCreate(&own);
  cudaStreamBeginCapture(own, cudaStreamCaptureModeThreadLocal);
  launch(in, out, rows, columns, own);
  cudaStreamEndCapture(own, &recorded);
  cudaGraphInstantiate(&ready, recorded);
  return ready;
}

void transpose(const float* in, float* out, int rows, int columns, cudaStream_t stream) {
  if (rows == 0 || columns == 0) return;
  if (!is_timed(rows, columns)) return launch(in, out, rows, columns, stream);
  if (graph == nullptr) graph = captured(in, out, rows, columns);
  cudaGraphLaunch(graph, stream);
}
