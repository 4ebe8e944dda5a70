// Reduction without rounding: each thread adds to integers of 64 bits, one for every 16 exponents, and one
// float is rounded at the end. The result is that of any order and any grid. Lecture: 06-reduction. Bound:
// memory bandwidth, 4 bytes per element; beside it some 20 instructions and 4 wavefronts of shared memory per
// 32 elements. Source: U. W. Kulisch, Computer Arithmetic and Validity: a long accumulator.
#include <algorithm>

#include "lockstep/check_cuda.h"
#include "lockstep/divide_up.h"
#include "reduction.h"

using Integer = long long;

constexpr int kLanes = 32;
constexpr unsigned kAllLanes = 0xffffffff;
constexpr int kThreads = 256;
constexpr int kWarps = kThreads / kLanes;
constexpr int kInFlight = 4;     // vectors of a thread
constexpr int kMaxBlocks = 528;  // 4 for each of 132 multiprocessors

// [bins]
// A finite float is a whole multiple of 2^-149: its significand, 24 bits, times 2^place, place = 0 … 253. Bin
// b counts multiples of 2^(16 b): significands moved up by place % 16, less than 2^39 each. A thread has
// fewer than 2^24 elements, so that its bins do not overflow.
constexpr int kBinBits = 16;
constexpr int kBinsOfThread = 16;

/// Adds a float to the bins of a thread, which lie kThreads apart.
__device__ void add_to(Integer* bins, float value, float& special) {
  const unsigned bits = __float_as_uint(value);
  const unsigned exponent = bits >> 23 & 0xff;
  const unsigned place =
      max(exponent, 1U) - 1;  // a subnormal number's is 0, and no bit stands before its fraction
  const unsigned significand = (bits & 0x7fffff) | min(exponent, 1U) << 23;
  const int is_negative = static_cast<int>(bits) >> 31;  // all bits of it
  const int with_sign = (static_cast<int>(significand) ^ is_negative) - is_negative;
  bins[place / kBinBits * kThreads] += static_cast<Integer>(with_sign) * (1 << place % kBinBits);
  if (exponent == 0xff) special += value;  // infinite or no number
}
// [bins]

/// What the blocks add up. All is 0 before the kernel starts.
constexpr int kBins = kBinsOfThread + 2;  // sums of 2^31 floats need 31 bits more
struct Total {
  unsigned long long bins[kBins];
  float special;
  unsigned ended;  // blocks
};

// [carry]
/// Leaves 0 … 2^16 - 1 in all bins but the last, which then has the sign of the sum.
__device__ void carry(Integer* bins) {
  for (int b = 0; b + 1 < kBins; ++b) {
    const Integer above = bins[b] >> kBinBits;  // rounded down, also if it is negative
    bins[b + 1] += above;
    bins[b] -= above << kBinBits;
  }
}
// [carry]

// [round]
/// The float nearest to what the bins hold.
__device__ float rounded(Integer* bins) {
  carry(bins);
  const bool is_negative = bins[kBins - 1] < 0;
  if (is_negative) {
    for (int b = 0; b < kBins; ++b) bins[b] = -bins[b];
    carry(bins);
  }
  int top = kBins - 1;
  while (top > 0 && bins[top] == 0) --top;
  // 49 bits at least, of which the last stands for all that follow: more than a float has, and one to round
  // by.
  unsigned long long leading = 0;
  for (int b = top; b > top - 4; --b) leading = leading << kBinBits | (b >= 0 ? bins[b] : 0);
  for (int b = top - 4; b >= 0; --b) leading |= bins[b] != 0 ? 1 : 0;
  const float magnitude = ldexpf(__ull2float_rn(leading), kBinBits * (top - 3) - 149);
  return is_negative ? -magnitude : magnitude;
}
// [round]

__device__ Integer warp_sum(Integer value) {
  for (int offset = kLanes / 2; offset > 0; offset /= 2) value += __shfl_down_sync(kAllLanes, value, offset);
  return value;
}

/// Whether this block is the last of the grid to come here; all threads of a block must.
__device__ bool is_last_block(unsigned* ended) {
  __shared__ bool is_last;
  __threadfence();  // whoever sees the count must see what this thread has added
  __syncthreads();
  if (threadIdx.x == 0) {
    is_last = atomicAdd(ended, 1) == gridDim.x - 1;
    __threadfence();  // and read what the others have added after it
  }
  __syncthreads();
  return is_last;
}

__global__ void __launch_bounds__(kThreads)
    reduction_kernel(const float* in, unsigned n, float* sum, Total* total) {
  __shared__ Integer bins[kBinsOfThread][kThreads];
  __shared__ Integer sums[kBins];
  Integer* const own = &bins[0][threadIdx.x];
  for (int b = 0; b < kBinsOfThread; ++b) own[b * kThreads] = 0;
  float special = 0;

  const auto* const vectors = reinterpret_cast<const float4*>(in);
  const unsigned whole = n / 4, first = blockIdx.x * kThreads + threadIdx.x, step = gridDim.x * kThreads;
  for (unsigned i = first; i < whole; i += kInFlight * step) {
    float4 loaded[kInFlight];
    for (int k = 0; k < kInFlight; ++k) loaded[k] = i + k * step < whole ? vectors[i + k * step] : float4{};
    for (const float4& one : loaded) {
      add_to(own, one.x, special);
      add_to(own, one.y, special);
      add_to(own, one.z, special);
      add_to(own, one.w, special);
    }
  }
  if (first < n % 4) add_to(own, in[4 * whole + first], special);
  if (special != 0) atomicAdd(&total->special, special);  // also where it is no number
  __syncthreads();

  const int lane = threadIdx.x % kLanes, warp = threadIdx.x / kLanes;
  for (int b = warp; b < kBins; b += kWarps) {
    Integer value = 0;
    if (b < kBinsOfThread) {
      for (int t = lane; t < kThreads; t += kLanes) value += bins[b][t];
    }
    value = warp_sum(value);
    if (lane == 0) sums[b] = value;
  }
  __syncthreads();
  if (threadIdx.x == 0) carry(sums);
  __syncthreads();
  // Integers may be added in any order.
  if (threadIdx.x < kBins)
    atomicAdd(&total->bins[threadIdx.x], static_cast<unsigned long long>(sums[threadIdx.x]));
  if (!is_last_block(&total->ended) || threadIdx.x != 0) return;
  for (int b = 0; b < kBins; ++b) sums[b] = static_cast<Integer>(total->bins[b]);
  *sum = total->special == 0 ? rounded(sums) : total->special;
}

std::size_t reduction_workspace_bytes(int) { return sizeof(Total); }

void reduction(const float* in, int n, float* sum, void* workspace, cudaStream_t stream) {
  CHECK_CUDA(cudaMemsetAsync(workspace, 0, sizeof(Total), stream));
  const int blocks = std::clamp(lockstep::divide_up(n, 4 * kInFlight * kThreads), 1, kMaxBlocks);
  reduction_kernel<<<blocks, kThreads, 0, stream>>>(in, n, sum, static_cast<Total*>(workspace));
  CHECK_CUDA(cudaGetLastError());
}
