// The largest element and its place as the largest of 64-bit keys, one atomic operation per warp.
// Lecture: 06-reduction.
// Bound: memory bandwidth; but each thread waits for a load before it issues the next.
#include <algorithm>

#include "lockstep/check_cuda.h"
#include "lockstep/divide_up.h"
#include "reduction_arg_max.h"

constexpr int kLanes = 32;
constexpr unsigned kAllLanes = 0xffffffff;
constexpr int kThreads = 256;
constexpr int kMaxBlocks = 1024;
constexpr unsigned kSign = 0x80000000;

using Key = unsigned long long;

/// A number that is larger where the value is, and of equal values where the place is lower; 0 for no
/// element.
__device__ Key key_of(float value, unsigned place) {
  const unsigned bits = __float_as_uint(value == 0 ? 0 : value);  // -0 equals 0
  const unsigned ordered = bits & kSign ? ~bits : bits | kSign;
  return Key{ordered} << 32 | (~kSign - place);
}

__global__ void largest_key_kernel(const float* in, unsigned n, Key* largest) {
  Key own = 0;
  for (unsigned i = blockIdx.x * kThreads + threadIdx.x; i < n; i += gridDim.x * kThreads)
    own = max(own, key_of(in[i], i));
  for (int offset = kLanes / 2; offset > 0; offset /= 2)
    own = max(own, __shfl_down_sync(kAllLanes, own, offset));
  if (threadIdx.x % kLanes == 0) atomicMax(largest, own);
}

__global__ void unpack_kernel(const Key* key, float* largest, int* place) {
  const auto ordered = static_cast<unsigned>(*key >> 32);
  const bool is_none = *key == 0;
  *largest = is_none ? -INFINITY : __uint_as_float(ordered & kSign ? ordered & ~kSign : ~ordered);
  *place = is_none ? -1 : static_cast<int>(~kSign - static_cast<unsigned>(*key));
}

std::size_t reduction_arg_max_workspace_bytes(int) { return sizeof(Key); }

void reduction_arg_max(const float* in, int n, float* largest, int* place, void* workspace,
                       cudaStream_t stream) {
  auto* const key = static_cast<Key*>(workspace);
  CHECK_CUDA(cudaMemsetAsync(key, 0, sizeof *key, stream));
  if (n > 0) {
    const int blocks = std::min(lockstep::divide_up(n, kThreads), kMaxBlocks);
    largest_key_kernel<<<blocks, kThreads, 0, stream>>>(in, n, key);
    CHECK_CUDA(cudaGetLastError());
  }
  unpack_kernel<<<1, 1, 0, stream>>>(key, largest, place);
  CHECK_CUDA(cudaGetLastError());
}
