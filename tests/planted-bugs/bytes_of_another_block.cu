// Every block marks its byte, and asks its neighbour's in the same launch.
// expect: race
// also: race
// says: between the two blocks
#include "planted_bug.h"

template <bool kFixed>
__global__ void mark_kernel(unsigned char* marks, unsigned char* out) {
  const unsigned b = blockIdx.x;
  marks[b] = static_cast<unsigned char>(b + 1);              // <- earlier
  if constexpr (!kFixed) out[b] = b > 0 ? marks[b - 1] : 0;  // <- here
}

__global__ void ask_kernel(const unsigned char* marks, unsigned char* out) {
  const unsigned b = blockIdx.x;
  out[b] = b > 0 ? marks[b - 1] : 0;
}

template <bool kFixed>
void run() {
  DeviceArray<unsigned char> marks(16), out(16);
  mark_kernel<kFixed><<<16, 1>>>(marks, out);
  if (kFixed) ask_kernel<<<16, 1>>>(marks, out);
}
