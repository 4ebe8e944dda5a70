// A pitch in bytes is multiplied by the size of an element once more than it should be, for every dimension.
// expect: out-of-bounds
// says: which is in no allocation
// asks: where does this pointer come from, and what is its index?
#include "planted_bug.h"

template <bool kFixed>
__global__ void last_plane_kernel(const float* volume, float* out, long long pitch) {
  const long long plane = kFixed ? 3 : 3 * pitch * pitch * static_cast<long long>(sizeof(float));
  out[threadIdx.x] = volume[plane * 64 + threadIdx.x];  // <- here
}

template <bool kFixed>
void run() {
  DeviceArray<float> volume(4 * 64), out(64);
  last_plane_kernel<kFixed><<<1, 64>>>(volume, out, 65'536);
}
