// Multi-tau, a packet at a time, four products of counts in one instruction. Lecture: 17-multi-tau.
// Bound: a multiply-add of 32 x 32 bits for each product of groups 1 and later, 32 of them a count; group 0,
// which has as many, takes a quarter of that.
#include "multi_tau.h"

#include "lockstep/check_cuda.h"

constexpr int kLanes = 32;
constexpr unsigned kAllLanes = 0xffffffff;
constexpr int kThreads = 256;

// What a thread multiplies at a time: four newest bins with bins at eight positions.
constexpr int kBins = 4, kOwnPositions = 8;
constexpr int kOctets = kPositions / kOwnPositions;  // neighbouring threads, which share their newest bins
constexpr int kTile = kThreads / kOctets * kBins;    // newest bins of a block at a time
constexpr int kPast = kPositions;                    // bins before the first of a tile
constexpr int kWord = 4;                             // counts
constexpr int kCounts = kBins * kWord;               // of group 0 that a thread multiplies at a time
constexpr int kCountTile = kThreads / kOctets * kCounts;
constexpr int kPastCounts = 2 * kPast;  // 33 are of the state; the packet begins at a multiple of 16

/// A group of one sensor during a packet. Bins are numbered from the last before the packet, number 0 here.
template <class Bin>
struct Group {
  int bins;      // that end in the packet
  Bin* newest;   // 0 … bins
  Bin* delayed;  // 0 … bins, and 32 of the state before them
};

/// Room for all groups of a sensor: counts as bytes; of the others, one of half the length after the other,
/// two arrays each.
__host__ __device__ constexpr std::size_t count_bytes(int instants) {
  return kPastCounts + std::size_t(instants) + kLanes;
}
__host__ __device__ constexpr std::size_t words_for(int instants) {
  return count_bytes(instants) / 4 + std::size_t{2} * instants + kMostGroups * 40;
}

/// Bins of the next group: each is the sum of two, of which the first has an odd number.
template <class Bin>
__device__ void block_add_pairs(const Group<Bin>& from, const Group<unsigned>& to, bool last_is_odd) {
  for (int i = threadIdx.x; i < to.bins; i += kThreads) {
    const int second = 2 * (i + 1) - last_is_odd;
    to.newest[i + 1] = from.newest[second - 1] + from.newest[second];
    // Delayed ones have passed 32 positions first.
    to.delayed[kPast + i + 1] = from.delayed[second - 1] + from.delayed[second];
  }
}

/// The same with counts, of which one instruction multiplies four with four and adds up.
__device__ void block_multiply_counts(const uint4* newest, const uint2* delayed,
                                      unsigned long long (&sums)[kOwnPositions]) {
  // [four-products]
  const int octet = threadIdx.x % kOctets, own = threadIdx.x / kOctets;
  unsigned factor[kBins], past[kBins + kOwnPositions / kWord];
  *reinterpret_cast<uint4*>(factor) = newest[own];
  const uint2* const begin = delayed + 2 * own + kPast / 8 - octet - 1;
  for (int i = 0; i < 3; ++i) reinterpret_cast<uint2*>(past)[i] = begin[i];
  for (int p = 0; p < kOwnPositions; ++p) {
    unsigned sum = 0;
    for (int i = 0; i < kBins; ++i) {
      // Four counts that begin anywhere lie in two words.
      const int first = kOwnPositions + kWord * i - p, word = first / kWord, shift = 8 * (first % kWord);
      const unsigned four = shift == 0 ? past[word] : __funnelshift_r(past[word], past[word + 1], shift);
      sum = __dp4a(factor[i], four, sum);
    }
    sums[p] += sum;
  }
  // [four-products]
}

/// Adds the products of a tile of newest bins with the delayed bins at all positions to eight sums a thread.
__device__ void block_multiply(const unsigned* newest, const unsigned* delayed,
                               unsigned long long (&sums)[kOwnPositions]) {
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
}

/// Brings the counts of each sensor together: row after row is read, column after column written.
__global__ void traces_kernel(const unsigned char* counts, int sensors, int instants, unsigned* workspace) {
  __shared__ unsigned char tile[kLanes][kLanes + 1];
  const int x = threadIdx.x, sensor = blockIdx.y * kLanes, first = blockIdx.x * kLanes;
  for (int y = threadIdx.y; y < kLanes; y += blockDim.y)
    tile[y][x] =
        first + y < instants ? counts[static_cast<std::size_t>(first + y) * sensors + sensor + x] : 0;
  __syncthreads();  // the tile is there
  for (int y = threadIdx.y; y < kLanes; y += blockDim.y) {
    auto* const trace = reinterpret_cast<unsigned char*>(workspace + (sensor + y) * words_for(instants));
    trace[kPastCounts + first + x] = tile[x][y];
  }
}

/// What a group of a sensor leaves: its sums, of which each thread has a part, and its state.
template <class Bin>
__device__ void block_finish(const Group<Bin>& group, unsigned long long (&own_sums)[kOwnPositions],
                             const unsigned long long* sums_before, unsigned long long* sums, unsigned* after,
                             unsigned zero_delay) {
  __shared__ unsigned long long totals[kPositions];
  if (threadIdx.x < kPositions) totals[threadIdx.x] = 0;
  __syncthreads();  // no sum yet
  // Lanes of the same positions are four apart.
  for (int p = 0; p < kOwnPositions; ++p) {
    for (int offset = kOctets; offset < kLanes; offset *= 2)
      own_sums[p] += __shfl_xor_sync(kAllLanes, own_sums[p], offset);
    if (threadIdx.x % kLanes < kOctets)
      atomicAdd(&totals[threadIdx.x % kOctets * kOwnPositions + p], own_sums[p]);
  }
  __syncthreads();  // the sums of all warps
  if (threadIdx.x < kPositions) sums[threadIdx.x] = sums_before[threadIdx.x] + totals[threadIdx.x];
  for (int i = threadIdx.x; i <= kPast; i += kThreads) after[i] = group.delayed[group.bins + kPast - i];
  if (threadIdx.x == 0) after[kPositions + 1] = zero_delay;
}

__global__ void __launch_bounds__(kThreads)
    groups_kernel(int instants, long long elapsed, int groups, const unsigned* state_before,
                  const unsigned long long* sums_before, unsigned* state, unsigned long long* sums,
                  unsigned* workspace) {
  __shared__ uint4 newest_tile[kTile / 4], delayed_tile[(kTile + kPast) / 4];
  const std::size_t first_place = static_cast<std::size_t>(blockIdx.x) * groups;
  const unsigned* before = state_before + first_place * kStateWords;
  unsigned* const own = workspace + blockIdx.x * words_for(instants);
  auto* const trace = reinterpret_cast<unsigned char*>(own);
  // Group 0: both are the counts.
  const Group<unsigned char> counts{instants, trace + kPastCounts - 1, trace + kPastCounts - 1 - kPast};
  for (int i = threadIdx.x; i <= kPast; i += kThreads) counts.newest[-i] = before[i];
  __syncthreads();  // the bins of the state

  unsigned long long own_sums[kOwnPositions] = {};
  const int last_word = (instants / kLanes + 1) * kLanes / kWord;
  for (int first = 0; first < last_word; first += kCountTile / kWord) {
    const auto* const words = reinterpret_cast<const unsigned*>(trace + kPastCounts);
    auto* const newest = reinterpret_cast<unsigned*>(newest_tile);
    auto* const delayed = reinterpret_cast<unsigned*>(delayed_tile);
    for (int i = threadIdx.x; i < kCountTile / kWord; i += kThreads)
      newest[i] = first + i < last_word ? words[first + i] : 0;
    for (int i = threadIdx.x; i < (kCountTile + kPast) / kWord; i += kThreads) {
      const int word = first + i - kPast / kWord;
      delayed[i] = word < last_word ? words[word] : 0;
    }
    __syncthreads();  // the tile is there
    block_multiply_counts(newest_tile, reinterpret_cast<const uint2*>(delayed_tile), own_sums);
    __syncthreads();  // and has been read
  }
  block_finish(counts, own_sums, sums_before + first_place * kPositions, sums + first_place * kPositions,
               state + first_place * kStateWords, 0);

  Group<unsigned> group{};
  unsigned* room = own + count_bytes(instants) / 4 + 1;
  unsigned zero_delay = 0;  // of the group, after the packet
  for (int g = 1; g < groups; ++g) {
    const std::size_t place = first_place + g;
    const long long end = (elapsed + instants) >> (g - 1);
    const bool last_is_odd = (elapsed >> (g - 1)) % 2 != 0;
    Group<unsigned> next{static_cast<int>((end >> 1) - (elapsed >> g)), room, nullptr};
    next.delayed = next.newest + next.bins + 1;
    room = next.delayed + kPast + next.bins + 1;
    // A bin of odd number waits in this group's register for its second. Group 0 has it in the state.
    const unsigned waits = before[kStateWords + kPositions + 1] - before[kPositions + 1];
    before += kStateWords;
    if (threadIdx.x == 0 && g > 1 && last_is_odd) group.newest[0] = waits;
    for (int i = threadIdx.x; i <= kPast; i += kThreads) next.delayed[kPast - i] = before[i];
    __syncthreads();  // that bin
    if (g == 1) {
      if (end % 2 != 0) zero_delay += counts.newest[counts.bins];
      block_add_pairs(counts, next, last_is_odd);
    } else {
      if (end % 2 != 0) zero_delay += group.newest[group.bins];
      block_add_pairs(group, next, last_is_odd);
    }
    group = next;
    __syncthreads();  // the bins of this group

    for (unsigned long long& sum : own_sums) sum = 0;
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
    block_finish(group, own_sums, sums_before + place * kPositions, sums + place * kPositions,
                 state + place * kStateWords, zero_delay);
  }
}

std::size_t multi_tau_workspace_bytes(int sensors, int instants, int) {
  return sensors * words_for(instants) * sizeof(unsigned);
}

void multi_tau(const unsigned char* counts, int sensors, int instants, long long elapsed, int groups,
               const unsigned* state_before, const unsigned long long* sums_before, unsigned* state,
               unsigned long long* sums, void* workspace, cudaStream_t stream) {
  auto* const words = static_cast<unsigned*>(workspace);
  const dim3 tiles(instants / kLanes + 1, sensors / kLanes);
  traces_kernel<<<tiles, dim3(kLanes, kThreads / kLanes), 0, stream>>>(counts, sensors, instants, words);
  CHECK_CUDA(cudaGetLastError());
  groups_kernel<<<sensors, kThreads, 0, stream>>>(instants, elapsed, groups, state_before, sums_before, state,
                                                  sums, words);
  CHECK_CUDA(cudaGetLastError());
}
