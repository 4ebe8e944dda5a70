// Multi-tau, a packet at a time: a block adds up all bins of a group, then multiplies all pairs of them, with
// no barrier between instants. Lecture: 17-multi-tau.
// Bound: a multiply-add of 32 x 32 bits for each product, 64 of them a count.
#include "multi_tau.h"

#include "lockstep/check_cuda.h"
#include "lockstep/divide_up.h"

constexpr int kLanes = 32;
constexpr unsigned kAllLanes = 0xffffffff;
constexpr int kThreads = 256;

// What a thread multiplies at a time: four newest bins with bins at eight positions.
constexpr int kBins = 4, kOwnPositions = 8;
constexpr int kOctets = kPositions / kOwnPositions;  // neighbouring threads, which share their newest bins
constexpr int kTile = kThreads / kOctets * kBins;    // newest bins of a block at a time
constexpr int kPast = kPositions;                    // bins before the first of a tile

/// A group of one sensor during a packet. Bins are numbered from the last before the packet, number 0 here.
struct Group {
  int bins;           // that end in the packet
  unsigned* newest;   // 0 … bins
  unsigned* delayed;  // 0 … bins, and 32 of the state before them
};

/// Room for all groups of a sensor: one of half the length after the other, two arrays each.
__host__ __device__ constexpr std::size_t words_for(int instants) {
  return std::size_t{3} * instants + kMostGroups * 40;
}

// [by-level]
/// Bins of the next group: each is the sum of two, of which the first has an odd number.
__device__ void block_add_pairs(const Group& from, const Group& to, bool last_is_odd) {
  for (int i = threadIdx.x; i < to.bins; i += kThreads) {
    const int second = 2 * (i + 1) - last_is_odd;
    to.newest[i + 1] = from.newest[second - 1] + from.newest[second];
    // Delayed ones have passed 32 positions first.
    to.delayed[kPast + i + 1] = from.delayed[second - 1] + from.delayed[second];
  }
}
// [by-level]

/// Adds the products of a tile of newest bins with the delayed bins at all positions to eight sums a thread.
__device__ void block_multiply(const unsigned* newest, const unsigned* delayed,
                               unsigned long long (&sums)[kOwnPositions]) {
  // [register-tile]
  const int octet = threadIdx.x % kOctets, first = threadIdx.x / kOctets * kBins;
  unsigned own[kBins], past[kBins + kOwnPositions];
  *reinterpret_cast<uint4*>(own) = *reinterpret_cast<const uint4*>(newest + first);
  // The bin at position p of newest bin i is delayed[i + 32 - p].
  const unsigned* const begin = delayed + first + kPast - kOwnPositions * (octet + 1);
  for (int i = 0; i < kBins + kOwnPositions; i += 4)
    *reinterpret_cast<uint4*>(past + i) = *reinterpret_cast<const uint4*>(begin + i);
  for (int i = 0; i < kBins; ++i) {
    for (int p = 0; p < kOwnPositions; ++p)
      sums[p] += static_cast<unsigned long long>(own[i]) * past[i + kOwnPositions - p];
  }
  // [register-tile]
}

// [frames-to-traces]
/// Brings the counts of each sensor together: row after row is read, column after column written.
__global__ void traces_kernel(const unsigned char* counts, int sensors, int instants, unsigned* workspace) {
  __shared__ unsigned char tile[kLanes][kLanes + 1];
  const int x = threadIdx.x, sensor = blockIdx.y * kLanes, first = blockIdx.x * kLanes;
  for (int y = threadIdx.y; y < kLanes && first + y < instants; y += blockDim.y)
    tile[y][x] = counts[static_cast<std::size_t>(first + y) * sensors + sensor + x];
  __syncthreads();  // the tile is there
  if (first + x >= instants) return;
  for (int y = threadIdx.y; y < kLanes; y += blockDim.y)
    workspace[(sensor + y) * words_for(instants) + kPast + 1 + first + x] = tile[x][y];
}
// [frames-to-traces]

__global__ void __launch_bounds__(kThreads)
    groups_kernel(int instants, long long elapsed, int groups, const unsigned* state_before,
                  const unsigned long long* sums_before, unsigned* state, unsigned long long* sums,
                  unsigned* workspace) {
  __shared__ uint4 newest_tile[kTile / 4], delayed_tile[(kTile + kPast) / 4];
  __shared__ unsigned long long totals[kPositions];
  const int sensor = blockIdx.x;
  unsigned* const own = workspace + sensor * words_for(instants);
  Group group{instants, own + kPast, own};  // group 0: both are the counts
  unsigned* room = own + kPast + instants + 1;
  unsigned zero_delay = 0;  // of the group, after the packet
  for (int g = 0; g < groups; ++g) {
    const std::size_t place = static_cast<std::size_t>(sensor) * groups + g;
    const unsigned* const before = state_before + place * kStateWords;
    unsigned* const after = state + place * kStateWords;
    for (int i = threadIdx.x; i <= kPast; i += kThreads) group.delayed[kPast - i] = before[i];
    if (threadIdx.x < kPositions) totals[threadIdx.x] = 0;
    __syncthreads();  // the bins of the state, and those that the group before has made

    // [tiles]
    unsigned long long own_sums[kOwnPositions] = {};
    auto* const newest = reinterpret_cast<unsigned*>(newest_tile);
    auto* const delayed = reinterpret_cast<unsigned*>(delayed_tile);
    for (int first = 1; first <= group.bins; first += kTile) {
      for (int i = threadIdx.x; i < kTile; i += kThreads)
        newest[i] = first + i <= group.bins ? group.newest[first + i] : 0;
      for (int i = threadIdx.x; i < kTile + kPast; i += kThreads)
        delayed[i] = first + i <= group.bins + kPast ? group.delayed[first + i] : 0;
      __syncthreads();  // the tile is there
      block_multiply(newest, delayed, own_sums);
      __syncthreads();  // and has been read
    }
    // [tiles]
    // Lanes of the same positions are four apart.
    for (int p = 0; p < kOwnPositions; ++p) {
      for (int offset = kOctets; offset < kLanes; offset *= 2)
        own_sums[p] += __shfl_xor_sync(kAllLanes, own_sums[p], offset);
      if (threadIdx.x % kLanes < kOctets)
        atomicAdd(&totals[threadIdx.x % kOctets * kOwnPositions + p], own_sums[p]);
    }
    __syncthreads();  // the sums of all warps
    if (threadIdx.x < kPositions) {
      const std::size_t i = place * kPositions + threadIdx.x;
      sums[i] = sums_before[i] + totals[threadIdx.x];
    }
    for (int i = threadIdx.x; i <= kPast; i += kThreads) after[i] = group.delayed[group.bins + kPast - i];
    if (threadIdx.x == 0) after[kPositions + 1] = zero_delay;
    if (g + 1 == groups) break;

    const bool last_is_odd = (elapsed >> g) % 2 != 0;
    const long long end = (elapsed + instants) >> g;
    Group next{static_cast<int>((end >> 1) - (elapsed >> g >> 1)), room, nullptr};
    next.delayed = next.newest + next.bins + 1;
    room = next.delayed + kPast + next.bins + 1;
    // A bin of odd number waits in the next group's register for its second. Group 0 has it in the state.
    if (threadIdx.x == 0 && last_is_odd && g > 0)
      group.newest[0] = before[kStateWords + kPositions + 1] - before[kPositions + 1];
    __syncthreads();  // that bin
    if (end % 2 != 0) zero_delay += group.newest[group.bins];
    block_add_pairs(group, next, last_is_odd);
    group = next;
  }
}

std::size_t multi_tau_workspace_bytes(int sensors, int instants, int) {
  return sensors * words_for(instants) * sizeof(unsigned);
}

void multi_tau(const unsigned char* counts, int sensors, int instants, long long elapsed, int groups,
               const unsigned* state_before, const unsigned long long* sums_before, unsigned* state,
               unsigned long long* sums, void* workspace, cudaStream_t stream) {
  auto* const words = static_cast<unsigned*>(workspace);
  if (instants > 0) {
    const dim3 tiles(lockstep::divide_up(instants, kLanes), sensors / kLanes);
    traces_kernel<<<tiles, dim3(kLanes, kThreads / kLanes), 0, stream>>>(counts, sensors, instants, words);
    CHECK_CUDA(cudaGetLastError());
  }
  groups_kernel<<<sensors, kThreads, 0, stream>>>(instants, elapsed, groups, state_before, sums_before, state,
                                                  sums, words);
  CHECK_CUDA(cudaGetLastError());
}
