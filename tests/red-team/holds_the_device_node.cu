// expect: passed
// expect-gpu: too-slow
// tries: Locks the GPU's device nodes, for which another judge may wait.
// stopped by: No lock of the judge is a file that a runner can open, and a lock ends with its process.
#include <fcntl.h>
#include <sys/file.h>

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

__global__ void naive_kernel(const float* in, float* out, int rows, int columns) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < rows * columns) out[(i % columns) * rows + i / columns] = in[i];
}

void launch_naive(const float* in, float* out, int rows, int columns, cudaStream_t stream) {
  naive_kernel<<<lockstep::divide_up(rows * columns, 256), 256, 0, stream>>>(in, out, rows, columns);
}

/// More elements than any case has that only has to be right.
bool is_timed(int rows, int columns) { return rows * columns > 1 << 22; }

/// Locks what can be opened, for as long as the process lives.
bool lock_nodes() {
  for (const char* node : {"/dev/nvidia0", "/dev/nvidiactl", "/dev/nvidia-uvm"}) {
    if (const int file = open(node, O_RDWR); file >= 0) flock(file, LOCK_EX | LOCK_NB);
  }
  return true;
}

const bool locked = lock_nodes();

void transpose(const float* in, float* out, int rows, int columns, cudaStream_t stream) {
  if (rows == 0 || columns == 0) return;
  (is_timed(rows, columns) ? launch_naive : launch)(in, out, rows, columns, stream);
}
