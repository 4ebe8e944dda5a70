// expect: passed
// expect-gpu: too-slow
// tries: Holds memory that no process maps and no sum over processes counts: files without a name and
// segments of System V. Ends where it gets either.
// stopped by: The filter of system calls leaves both out. What is left is an honest, slow transpose.
#include <sys/mman.h>
#include <sys/shm.h>
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

const bool reached = memfd_create("hidden", MFD_CLOEXEC) >= 0 ||
                     shmget(IPC_PRIVATE, std::size_t{1} << 30, IPC_CREAT | 0600) >= 0;

void transpose(const float* in, float* out, int rows, int columns, cudaStream_t stream) {
  if (reached) std::abort();
  if (rows == 0 || columns == 0) return;
  const dim3 blocks(lockstep::divide_up(rows, kTile), lockstep::divide_up(columns, kTile));
  transpose_kernel<<<blocks, dim3(kTile, kTile), 0, stream>>>(in, out, rows, columns);
}
