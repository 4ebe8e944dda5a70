// Steps of a wave in place: an element is updated while the neighbouring blocks may still read it.
// expect: race
// also: race
// says: in the same launch
#include "planted_bug.h"

template <bool kFixed>
__global__ void steps_kernel(int* values, unsigned n) {
  const auto grid = cooperative_groups::this_grid();
  const auto i = static_cast<unsigned>(grid.thread_rank());
  for (int step = 0; step < 3; ++step) {
    const unsigned before = (i + n - blockDim.x) % n, after = (i + blockDim.x) % n;
    const int neighbours = values[before] + values[after];  // <- here and earlier
    if constexpr (kFixed) grid.sync();
    values[i] = neighbours - values[i] + 1;  // <- here and earlier
    if constexpr (kFixed) grid.sync();
  }
}

template <bool kFixed>
void run() {
  unsigned n = 4 * 64;
  DeviceArray<int> values(n);
  int* first = values;
  void* arguments[] = {&first, &n};
  cudaLaunchCooperativeKernel(steps_kernel<kFixed>, dim3(4), dim3(64), arguments, 0, nullptr);
}
