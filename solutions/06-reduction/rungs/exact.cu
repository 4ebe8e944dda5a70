// Reduction without rounding: each thread adds integers of 64 bits, one for every sign and 32 exponents, and
// a float is rounded once, at the end. So the result is that of any order and any grid. Lecture:
// 06-reduction. Bound: memory bandwidth, 4 bytes per element; beside it 4 wavefronts of shared memory per 32
// elements. Source: U. W. Kulisch, Computer Arithmetic and Validity: a long accumulator.
#include <algorithm>

#include "lockstep/check_cuda.h"
#include "lockstep/divide_up.h"
#include "reduction.h"

using Integer = long long;
using Natural = unsigned long long;

constexpr int kLanes = 32;
constexpr unsigned kAllLanes = 0xffffffff;
constexpr int kThreads = 256;
constexpr int kInFlight = 4;     // vectors of a thread
constexpr int kMaxBlocks = 660;  // 5 for each of 132 multiprocessors

// [add]
// A float is a whole multiple of 2^-150: its significand, 24 bits, times 2^exponent. Row r of a thread has
// the sum of the significands whose sign and upper three bits of the exponent are r, moved up by the other
// five bits: less than 2^55 each, so that 2^9 of them fit.
constexpr int kRows = 16;
constexpr int kRounds = 31;  // of 4 kInFlight elements, and one more at the end of the array
using Rows = Natural[kRows][kThreads];

__device__ void add(Rows& rows, float value) {
  const unsigned bits = __float_as_uint(value);
  unsigned significand = (bits & 0x7fffff) | 0x800000;
  if ((bits & 0x7f800000) == 0) significand = bits << 1;  // subnormal, or 0
  rows[bits >> 28][threadIdx.x] += Natural{significand} * (1U << (bits >> 23 & 31));
}
// [add]

// The sum of all elements has digits of 32 bits and is at the end of the kernel d[0] + 2^32 d[1] + 2^64 d[2]
// + … times 2^-150, with digits that may be negative and larger than 32 bits.
constexpr int kDigitBits = 32;
constexpr int kDigits = 10;  // 2^31 elements of less than 2^278 each

/// Leaves 0 … 2^32 - 1 in all digits but the last, which then has the sign of the sum.
__device__ void carry(Integer* digits) {
  for (int i = 0; i + 1 < kDigits; ++i) {
    const Integer above = digits[i] >> kDigitBits;  // rounded down, also if it is negative
    digits[i + 1] += above;
    digits[i] -= above << kDigitBits;
  }
}

/// The float nearest to the number.
__device__ float rounded(Integer* digits) {
  carry(digits);
  const bool is_negative = digits[kDigits - 1] < 0;
  if (is_negative) {
    for (int i = 0; i < kDigits; ++i) digits[i] = -digits[i];
    carry(digits);
  }
  int top = kDigits - 1;
  while (top > 1 && digits[top] == 0) --top;
  // 33 bits at least, the last of which stands for all that follow: more than the 24 of a float, and one to
  // round by.
  Natural leading = digits[top] << kDigitBits | digits[top - 1];
  for (int i = 0; i < top - 1; ++i) leading |= digits[i] != 0 ? 1 : 0;
  const float magnitude = ldexpf(__ull2float_rn(leading), kDigitBits * (top - 1) - 150);
  return is_negative ? -magnitude : magnitude;
}

/// What the blocks add up. All is 0 before the kernel starts.
struct Total {
  Natural digits[kDigits];
  unsigned ended;  // blocks
};

/// The sum of the values of all lanes, in lane 0.
__device__ Integer warp_sum(Integer value) {
  for (int offset = kLanes / 2; offset > 0; offset /= 2) value += __shfl_down_sync(kAllLanes, value, offset);
  return value;
}

/// Whether this block is the last of the grid to come here; all threads of a block must.
__device__ bool is_last_block(unsigned* ended) {
  __shared__ bool is_last;
  __threadfence();  // whoever sees the count must see what this thread has added
  __syncthreads();  // all have added before the block is counted
  if (threadIdx.x == 0) {
    is_last = atomicAdd(ended, 1) == gridDim.x - 1;
    __threadfence();  // and read what the others have added after it
  }
  __syncthreads();  // thread 0 alone knows
  return is_last;
}

__global__ void __launch_bounds__(kThreads)
    reduction_kernel(const float* in, unsigned n, float* sum, Total* total) {
  static_assert(kThreads / kLanes == kRows / 2);  // warp w adds up rows w and w + 8, of either sign
  __shared__ Rows rows;
  const int lane = threadIdx.x % kLanes, warp = threadIdx.x / kLanes;
  const auto* const vectors = reinterpret_cast<const float4*>(in);
  const unsigned whole = n / 4, first = blockIdx.x * kThreads + threadIdx.x, step = gridDim.x * kThreads;
  Integer low = 0, high = 0;           // of lane 0: what its warp has found for two digits
  unsigned i = blockIdx.x * kThreads;  // the first thread's next vector
  do {
    for (int r = 0; r < kRows; ++r) rows[r][threadIdx.x] = 0;
    for (int round = 0; round < kRounds && i < whole; ++round, i += kInFlight * step) {
      float4 loaded[kInFlight];
#pragma unroll
      for (int k = 0; k < kInFlight; ++k) {
        const unsigned own = i + threadIdx.x + k * step;
        loaded[k] = own < whole ? vectors[own] : float4{};
      }
#pragma unroll
      for (const float4& one : loaded) {
        add(rows, one.x);
        add(rows, one.y);
        add(rows, one.z);
        add(rows, one.w);
      }
    }
    if (i >= whole && first < n % 4) add(rows, in[4 * whole + first]);
    __syncthreads();  // the columns are complete
    for (int t = lane; t < kThreads; t += kLanes) {
      const Natural positive = rows[warp][t], negative = rows[warp + kRows / 2][t];
      low += static_cast<Integer>(positive & 0xffffffff) - static_cast<Integer>(negative & 0xffffffff);
      high += static_cast<Integer>(positive >> kDigitBits) - static_cast<Integer>(negative >> kDigitBits);
    }
    __syncthreads();  // and read, before they are set to 0
  } while (i < whole);

  low = warp_sum(low);
  high = warp_sum(high);
  if (lane == 0) {  // integers may be added in any order
    atomicAdd(&total->digits[warp], static_cast<Natural>(low));
    atomicAdd(&total->digits[warp + 1], static_cast<Natural>(high));
  }
  if (!is_last_block(&total->ended) || threadIdx.x != 0) return;
  Integer digits[kDigits];
  for (int d = 0; d < kDigits; ++d) digits[d] = static_cast<Integer>(total->digits[d]);
  *sum = rounded(digits);
}

std::size_t reduction_workspace_bytes(int) { return sizeof(Total); }

void reduction(const float* in, int n, float* sum, void* workspace, cudaStream_t stream) {
  CHECK_CUDA(cudaMemsetAsync(workspace, 0, sizeof(Total), stream));
  const int blocks = std::clamp(lockstep::divide_up(n, 4 * kInFlight * kThreads), 1, kMaxBlocks);
  reduction_kernel<<<blocks, kThreads, 0, stream>>>(in, n, sum, static_cast<Total*>(workspace));
  CHECK_CUDA(cudaGetLastError());
}
