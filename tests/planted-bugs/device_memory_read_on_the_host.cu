// The host reads through a pointer to the device.
// expect: none
// status: 139
// says: a pointer to the device
#include "planted_bug.h"

template <bool kFixed>
void run() {
  DeviceArray<int> values(64);
  int first = 0;
  if constexpr (kFixed) {
    cudaMemcpy(&first, values, sizeof first, cudaMemcpyDeviceToHost);
  } else {
    first = *static_cast<const volatile int*>(values);
  }
  std::printf("%d\n", first);
}
