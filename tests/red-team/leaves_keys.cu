// expect: passed
// expect-gpu: too-slow
// tries: Leaves a word for its next process in the keyrings of the session and of the user, and looks for
// keys of whoever started the grader. Ends where a keyring can be used at all.
// stopped by: The session keyring is new and empty, and the filter of system calls leaves keyrings out. What
// is left is an honest, slow transpose.
#include <linux/keyctl.h>
#include <sys/syscall.h>
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

/// True when a keyring took the word, or could be searched for it.
bool reaches_a_keyring() {
  bool reached = false;
  for (const int keyring : {KEY_SPEC_SESSION_KEYRING, KEY_SPEC_USER_KEYRING, KEY_SPEC_USER_SESSION_KEYRING}) {
    reached |= syscall(SYS_keyctl, KEYCTL_SEARCH, keyring, "user", "lockstep-word", 0) >= 0;
    reached |= syscall(SYS_add_key, "user", "lockstep-word", "word", 4, keyring) >= 0;
  }
  return reached;
}

const bool reached = reaches_a_keyring();

void transpose(const float* in, float* out, int rows, int columns, cudaStream_t stream) {
  if (reached) std::abort();
  if (rows == 0 || columns == 0) return;
  const dim3 blocks(lockstep::divide_up(rows, kTile), lockstep::divide_up(columns, kTile));
  transpose_kernel<<<blocks, dim3(kTile, kTile), 0, stream>>>(in, out, rows, columns);
}
