// expect: passed
// expect-gpu: too-slow
// tries: Watches the buffers that it knows from the short batch, and works when new inputs come, before the
// clock of the long batch has started.
// stopped by: The device serves one process at a time, so filling the buffers takes the judge longer; what is
// more than the noise of the reference's filling is added.
#include <atomic>
#include <thread>
#include <vector>

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
  __nanosleep(5000);  // too slow on any GPU
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

struct Buffers {
  const float* in;
  float* out;
  float last_of_in;
  std::atomic<bool> done{false};
};
constexpr int kShortBatch = 16;

Buffers known[kShortBatch];
int calls = 0;

/// Until each buffer has new contents and a poisoned output again, and then does its work.
void watch(int rows, int columns) {
  cudaStream_t own;
  cudaStreamCreateWithFlags(&own, cudaStreamNonBlocking);
  const int last = rows * columns - 1;
  for (Buffers& one : known) {
    const float answer = one.last_of_in;  // the last element stays where it is
    for (float in = answer, out = answer; in == answer || out == answer;) {
      cudaMemcpyAsync(&in, one.in + last, sizeof in, cudaMemcpyDeviceToHost, own);
      cudaMemcpyAsync(&out, one.out + last, sizeof out, cudaMemcpyDeviceToHost, own);
      cudaStreamSynchronize(own);
    }
    launch(one.in, one.out, rows, columns, own);
    cudaStreamSynchronize(own);
    one.done = true;
  }
}

void transpose(const float* in, float* out, int rows, int columns, cudaStream_t stream) {
  if (rows == 0 || columns == 0) return;
  if (!is_timed(rows, columns)) return launch(in, out, rows, columns, stream);
  const int call = calls++;  // 0: warm-up, then the short batch, then the long one
  if (call > kShortBatch && call <= 2 * kShortBatch && known[call - kShortBatch - 1].done) return;
  launch(in, out, rows, columns, stream);
  if (call < 1 || call > kShortBatch) return;
  Buffers& one = known[call - 1];
  one.in = in;
  one.out = out;
  if (call != kShortBatch) return;
  for (Buffers& each : known) {
    cudaMemcpyAsync(&each.last_of_in, each.in + rows * columns - 1, sizeof(float), cudaMemcpyDeviceToHost,
                    stream);
  }
  cudaStreamSynchronize(stream);
  std::thread(watch, rows, columns).detach();
}
