// fails: shared-passes
// at: shared.sums[g][warp][lane] += newest * ring[place_of(k - lane)];
// Multi-tau, instant after instant: a warp a sensor, a lane a position, all bins in rings in shared memory.
// Lecture: 17-multi-tau. Bound: two barriers a group an instant, and 12 passes through shared memory for 32
// products. Source: L. Falcone, AutocorrelationCUDA, Politecnico di Milano, whose order of work this is.
#include "multi_tau.h"

#include "lockstep/check_cuda.h"

constexpr int kSensors = 8;  // of a block
constexpr int kRing = 64;    // places of a ring, a power of two: 33 bins stay in it for some while

// [rings]
/// Of the block's sensors; a lane reads neighbouring words of its own sensor's ring.
struct Shared {
  unsigned long long sums[kMostGroups][kSensors][kPositions];
  unsigned ring[kMostGroups][kSensors][kRing];
  unsigned zero_delay[kMostGroups][kSensors];
};

/// Where in its ring a group keeps the bin of number k: the newest before all others, so that nothing moves.
__device__ int place_of(long long k) { return static_cast<int>(-k & (kRing - 1)); }

/// Bin k of a group: two bins that have passed all positions of the group before.
__device__ unsigned sum_of_two(const unsigned* ring_before, long long k) {
  return ring_before[place_of(2 * k - kPositions)] + ring_before[place_of(2 * k - kPositions - 1)];
}
// [rings]

__global__ void __launch_bounds__(kPositions* kSensors)
    multi_tau_kernel(const unsigned char* counts, int sensors, int instants, long long elapsed, int groups,
                     const unsigned* state_before, const unsigned long long* sums_before, unsigned* state,
                     unsigned long long* sums) {
  __shared__ Shared shared;
  const int lane = threadIdx.x, warp = threadIdx.y, sensor = blockIdx.x * kSensors + warp;
  for (int g = 0; g < groups; ++g) {
    const unsigned* const before = state_before + (sensor * groups + g) * kStateWords;
    unsigned* const ring = shared.ring[g][warp];
    ring[place_of((elapsed >> g) - lane)] = before[lane];
    if (lane == 0) ring[place_of((elapsed >> g) - kPositions)] = before[kPositions];
    if (lane == 0) shared.zero_delay[g][warp] = before[kPositions + 1];
    shared.sums[g][warp][lane] = sums_before[(sensor * groups + g) * kPositions + lane];
  }
  __syncthreads();  // what a lane has put into a ring, others read

  // [instant]
  for (int i = 0; i < instants; ++i) {
    const long long now = elapsed + i + 1;
    const unsigned count = counts[static_cast<std::size_t>(i) * sensors + sensor];
    if (lane < groups) shared.zero_delay[lane][warp] += count;
    // Group g has its turn at every multiple of 2^g.
    for (int g = 0; g < groups && now % (1LL << g) == 0; ++g) {
      const long long k = now >> g;
      unsigned* const ring = shared.ring[g][warp];
      if (lane == 0) ring[place_of(k)] = g == 0 ? count : sum_of_two(shared.ring[g - 1][warp], k);
      __syncthreads();  // the new bin and the registers
      const unsigned long long newest = shared.zero_delay[g][warp];
      shared.sums[g][warp][lane] += newest * ring[place_of(k - lane)];
      __syncthreads();  // all have read the register
      if (lane == 0) shared.zero_delay[g][warp] = 0;
    }
    __syncthreads();  // registers that lane 0 has cleared
  }
  // [instant]

  for (int g = 0; g < groups; ++g) {
    unsigned* const after = state + (sensor * groups + g) * kStateWords;
    const long long last = (elapsed + instants) >> g;
    after[lane] = shared.ring[g][warp][place_of(last - lane)];
    if (lane == 0) after[kPositions] = shared.ring[g][warp][place_of(last - kPositions)];
    if (lane == 0) after[kPositions + 1] = shared.zero_delay[g][warp];
    sums[(sensor * groups + g) * kPositions + lane] = shared.sums[g][warp][lane];
  }
}

std::size_t multi_tau_workspace_bytes(int, int, int) { return 0; }

void multi_tau(const unsigned char* counts, int sensors, int instants, long long elapsed, int groups,
               const unsigned* state_before, const unsigned long long* sums_before, unsigned* state,
               unsigned long long* sums, void*, cudaStream_t stream) {
  multi_tau_kernel<<<sensors / kSensors, dim3(kPositions, kSensors), 0, stream>>>(
      counts, sensors, instants, elapsed, groups, state_before, sums_before, state, sums);
  CHECK_CUDA(cudaGetLastError());
}
