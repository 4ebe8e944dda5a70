// A step reads what the neighbouring blocks wrote in the step before, in one cooperative launch.
// expect: race
// also: race
// says: in the same launch
#include "planted_bug.h"

template <bool kFixed>
__global__ void rotate_kernel(int* values, int* rotated, unsigned n) {
  const auto grid = cooperative_groups::this_grid();
  const auto i = static_cast<unsigned>(grid.thread_rank());
  values[i] = static_cast<int>(i);  // <- earlier
  if constexpr (kFixed) grid.sync();
  rotated[i] = values[(i + blockDim.x) % n];  // <- here
}

template <bool kFixed>
void run() {
  unsigned n = 4 * 64;
  DeviceArray<int> values(n), rotated(n);
  int *first = values, *second = rotated;
  void* arguments[] = {&first, &second, &n};
  cudaLaunchCooperativeKernel(rotate_kernel<kFixed>, dim3(4), dim3(64), arguments, 0, nullptr);
}
