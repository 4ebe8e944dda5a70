// The blocks of an ordinary launch cannot meet.
// expect: trap
// status: 1
// says: needs a launch by cudaLaunchCooperativeKernel
#include "planted_bug.h"

__global__ void step_kernel(int* values) {
  const auto grid = cooperative_groups::this_grid();
  values[grid.thread_rank()] = 1;
  grid.sync();  // <- here
  values[grid.thread_rank()] = 2;
}

template <bool kFixed>
void run() {
  DeviceArray<int> values(4 * 64);
  int* pointer = values;
  void* arguments[] = {&pointer};
  if (kFixed) {
    cudaLaunchCooperativeKernel(step_kernel, dim3(4), dim3(64), arguments, 0, nullptr);
  } else {
    step_kernel<<<4, 64>>>(pointer);
  }
}
