// The last block has nothing to do and returns: the others wait for it at the barrier of the grid.
// expect: no-progress
// says: nothing changes any more
#include "planted_bug.h"

template <bool kFixed>
__global__ void step_kernel(int* values, unsigned n) {
  const auto grid = cooperative_groups::this_grid();
  const auto i = static_cast<unsigned>(grid.thread_rank());
  if (!kFixed && i >= n) return;
  if (i < n) values[i] = 1;
  grid.sync();  // <- here
  if (i < n) values[i] = 2;
}

template <bool kFixed>
void run() {
  unsigned n = 3 * 64;
  DeviceArray<int> values(n);
  int* pointer = values;
  void* arguments[] = {&pointer, &n};
  cudaLaunchCooperativeKernel(step_kernel<kFixed>, dim3(4), dim3(64), arguments, 0, nullptr);
}
