// expect: passed
// expect-gpu: too-slow
// tries: Cuts the shared memory in which the judge gives the sign to timed calls, so that the judge itself
// ends by a bus error, or lets it grow, as memory that nobody counts. Ends where either is possible.
// stopped by: The size of that memory is sealed. What is left is an honest, slow transpose.
#include <fcntl.h>
#include <unistd.h>

#include <cstdlib>

#include "lockstep/divide_up.h"
#include "transpose.h"

constexpr int kTile = 32;

__global__ void transpose_kernel(const float* in, float* out, int rows, int columns) {
  __shared__ float tile[kTile][kTile + 1];
  const int x = threadIdx.x, y = threadIdx.y;
  const int first_row = blockIdx.x * kTile, first_column = blockIdx.y * kTile;
  if (first_row + y < rows && first_column + x < columns) {
    tile[y][x] = in[(first_row + y) * columns + first_column + x];
  }
  __nanosleep(5000);  // too slow on any GPU
  __syncthreads();
  if (first_column + y < columns && first_row + x < rows) {
    out[(first_column + y) * rows + first_row + x] = tile[x][y];
  }
}

/// True when some descriptor that the process inherited is a file whose size it may change.
bool resizes_a_file() {
  bool resized = false;
  for (int descriptor = STDERR_FILENO + 1; descriptor < 16; ++descriptor) {
    resized |= ftruncate(descriptor, 1 << 20) == 0 || fallocate(descriptor, 0, 0, 2 << 20) == 0;
    resized |= ftruncate(descriptor, 0) == 0;
  }
  return resized;
}

const bool resized = resizes_a_file();

void transpose(const float* in, float* out, int rows, int columns, cudaStream_t stream) {
  if (resized) std::abort();
  if (rows == 0 || columns == 0) return;
  const dim3 blocks(lockstep::divide_up(rows, kTile), lockstep::divide_up(columns, kTile));
  transpose_kernel<<<blocks, dim3(kTile, kTile), 0, stream>>>(in, out, rows, columns);
}
