// expect: inefficient
// fails: parallelism
// One block goes over the whole array: 9 bytes per element, the fewest there are, and nobody helps it.
#include "lockstep/check_cuda.h"
#include "segmented_scan.h"

constexpr int kLanes = 32;
constexpr unsigned kAllLanes = 0xffffffff;
constexpr int kThreads = 1024;

/// Of the lanes up to this one the last whose bit in `heads` is set; -1 if none is.
__device__ int last_head(unsigned heads) {
  const int lane = threadIdx.x % kLanes;
  return kLanes - 1 - __clz(heads & (kAllLanes >> (kLanes - 1 - lane)));
}

__device__ unsigned warp_segmented_scan(unsigned value, unsigned heads) {
  const int lane = threadIdx.x % kLanes, first = max(last_head(heads), 0);
  for (int offset = 1; offset < kLanes; offset *= 2) {
    const unsigned left = __shfl_up_sync(kAllLanes, value, offset);
    if (lane - offset >= first) value += left;
  }
  return value;
}

__global__ void segmented_scan_kernel(const std::uint32_t* values, const std::uint8_t* flags,
                                      std::uint32_t* out, int n) {
  __shared__ unsigned totals[kLanes], has_head[kLanes];
  const int lane = threadIdx.x % kLanes, warp = threadIdx.x / kLanes;
  unsigned carry = 0;  // of the segment that goes on into the next elements
  for (int first = 0; first < n; first += kThreads) {
    const int i = first + threadIdx.x;
    const unsigned heads = __ballot_sync(kAllLanes, i < n && (flags[i] & 1) != 0);
    unsigned sum = warp_segmented_scan(i < n ? values[i] : 0, heads);
    if (lane == kLanes - 1) {
      totals[warp] = sum;
      has_head[warp] = heads != 0;
    }
    __syncthreads();  // as many warps as lanes: every warp scans their pairs for itself
    const unsigned warp_heads = __ballot_sync(kAllLanes, has_head[lane] != 0);
    unsigned up_to_warp = warp_segmented_scan(totals[lane], warp_heads);
    if (last_head(warp_heads) < 0) up_to_warp += carry;
    const unsigned before = __shfl_sync(kAllLanes, up_to_warp, max(warp - 1, 0));
    if (last_head(heads) < 0) sum += warp > 0 ? before : carry;
    if (i < n) out[i] = sum;
    carry = __shfl_sync(kAllLanes, up_to_warp, kLanes - 1);
    __syncthreads();  // all have read the pairs
  }
}

std::size_t segmented_scan_workspace_bytes(int) { return 0; }

void segmented_scan(const std::uint32_t* values, const std::uint8_t* flags, std::uint32_t* out, int n, void*,
                    cudaStream_t stream) {
  if (n == 0) return;  // a grid without blocks is an error
  segmented_scan_kernel<<<1, kThreads, 0, stream>>>(values, flags, out, n);
  CHECK_CUDA(cudaGetLastError());
}
