// Multi-tau, a part of a packet at a time: all its bins stay in shared memory, and warps multiply groups of
// their own, with one barrier for all products. Lecture: 17-multi-tau.
// Bound: a multiply-add of 32 x 32 bits for each product of groups 1 and later, 32 of them a count.
#include "multi_tau.h"

#include "lockstep/check_cuda.h"

constexpr int kLanes = 32;
constexpr unsigned kAllLanes = 0xffffffff;
constexpr int kWarps = 4;
constexpr int kThreads = kWarps * kLanes;
constexpr int kTileInstants = 128;  // that a block brings together at a time
constexpr int kPart = 2048;         // instants, of which all bins are in shared memory
constexpr int kLateGroup = 3;       // the first of those with few bins, which one warp makes

// What a lane multiplies at a time: four newest bins, or words of four counts, with bins at eight positions.
constexpr int kBins = 4, kOwnPositions = 8;
constexpr int kOctets = kPositions / kOwnPositions;  // neighbouring lanes, which share their newest bins
constexpr int kTile = kLanes / kOctets * kBins;      // newest bins of a warp at a time
constexpr int kWord = 4;                             // counts
constexpr int kCountTile = kTile * kWord;
constexpr int kPastCounts = 2 * kPositions;  // 33 are of the state; the part begins at a multiple of 16

/// A group of one sensor during a part. Bins are numbered from the last before the part, number 0 here.
template <class Bin>
struct Group {
  int bins;      // that end in the part
  Bin* newest;   // 1 … bins, and zeros up to a whole tile
  Bin* delayed;  // 1 … bins, and 33 of the state before them
};

/// Room for the newest bins of a group, beside those that end in a part, and for the delayed ones.
constexpr int kBefore = 4, kNewestRoom = kBefore + kTile;
constexpr int kPastRoom = kPositions + kBefore, kDelayedRoom = kPastRoom + kTile;
__host__ __device__ constexpr int begin_of(int group) {
  return 2 * (kPart - (kPart >> (group - 1))) + (group - 1) * (kNewestRoom + kDelayedRoom);
}

/// All that a block has of its sensor.
struct Shared {
  alignas(16) unsigned char counts[kPastCounts + kPart];
  alignas(16) unsigned words[begin_of(kMostGroups)];
  unsigned state[kMostGroups][kStateWords];
  unsigned begun[kMostGroups];  // registers after the part
  unsigned long long sums[kMostGroups][kPositions];
};

/// Brings the counts of each sensor together: row after row is read, column after column written.
__global__ void traces_kernel(const unsigned char* counts, int sensors, int instants, unsigned* traces) {
  __shared__ unsigned tile[kLanes][kTileInstants / 4 + 1];  // a word more: lanes write to other banks
  const int x = threadIdx.x, sensor = blockIdx.y * kLanes, first = blockIdx.x * kTileInstants;
  for (int y = threadIdx.y; y < kTileInstants; y += blockDim.y)
    reinterpret_cast<unsigned char*>(tile[x])[y] =
        first + y < instants ? counts[static_cast<std::size_t>(first + y) * sensors + sensor + x] : 0;
  __syncthreads();  // the tile is there
  for (int y = threadIdx.y; y < kLanes; y += blockDim.y) {
    const std::size_t words = static_cast<std::size_t>(gridDim.x) * kTileInstants / 4;
    traces[(sensor + y) * words + first / 4 + x] = tile[y][x];
  }
}

/// Bins of the next group: each is the sum of two, of which the first has an odd number. `waiting` is bin 0.
/// `thread` is one of `threads` that take part.
template <class From>
__device__ void add_pairs(const Group<From>& from, const Group<unsigned>& to, bool last_is_odd,
                          unsigned waiting, int thread, int threads) {
  // The second bins of pairs; delayed ones have passed 32 positions first.
  const From* const newest = from.newest + 2 - last_is_odd;
  const From* const delayed = from.delayed + 2 - last_is_odd - kPositions;
  for (int i = thread; i < to.bins; i += threads) {
    to.newest[i + 1] = newest[2 * i - 1] + newest[2 * i];
    to.delayed[i + 1] = delayed[2 * i - 1] + delayed[2 * i];
  }
  if (thread == 0 && last_is_odd && to.bins > 0) to.newest[1] = waiting + newest[0];
  for (int i = to.bins + thread; i < (to.bins + kTile - 1) / kTile * kTile; i += threads)
    to.newest[i + 1] = to.delayed[i + 1] = 0;
}

/// Adds the products of a tile of counts, of which one instruction multiplies four with four and adds up.
__device__ void warp_multiply_tile(const unsigned char* newest, const unsigned char* delayed,
                                   unsigned long long (&sums)[kOwnPositions]) {
  const int octet = threadIdx.x % kOctets, first = threadIdx.x % kLanes / kOctets * kBins * kWord;
  unsigned factor[kBins], past[kBins + kOwnPositions / kWord];
  *reinterpret_cast<uint4*>(factor) = *reinterpret_cast<const uint4*>(newest + first);
  const auto* const begin = reinterpret_cast<const uint2*>(delayed + first - kOwnPositions * (octet + 1));
  for (int i = 0; i < 3; ++i) reinterpret_cast<uint2*>(past)[i] = begin[i];
  for (int p = 0; p < kOwnPositions; ++p) {
    unsigned sum = 0;
    for (int i = 0; i < kBins; ++i) {
      // Four counts that begin anywhere lie in two words.
      const int place = kOwnPositions + kWord * i - p, word = place / kWord, shift = 8 * (place % kWord);
      const unsigned four = shift == 0 ? past[word] : __funnelshift_r(past[word], past[word + 1], shift);
      sum = __dp4a(factor[i], four, sum);
    }
    sums[p] += sum;
  }
}

/// The same with bins.
__device__ void warp_multiply_tile(const unsigned* newest, const unsigned* delayed,
                                   unsigned long long (&sums)[kOwnPositions]) {
  const int octet = threadIdx.x % kOctets, first = threadIdx.x % kLanes / kOctets * kBins;
  unsigned own[kBins], past[kBins + kOwnPositions];
  *reinterpret_cast<uint4*>(own) = *reinterpret_cast<const uint4*>(newest + first);
  // The bin at position p of newest bin i is past[i + 8 - p], of the octet's first position.
  const unsigned* const begin = delayed + first - kOwnPositions * (octet + 1);
  for (int i = 0; i < kBins + kOwnPositions; i += 4)
    *reinterpret_cast<uint4*>(past + i) = *reinterpret_cast<const uint4*>(begin + i);
  for (int i = 0; i < kBins; ++i) {
    for (int p = 0; p < kOwnPositions; ++p)
      sums[p] += static_cast<unsigned long long>(own[i]) * past[i + kOwnPositions - p];
  }
}

/// Adds a share of a group's products to its sums.
template <class Bin>
__device__ void warp_multiply(const Group<Bin>& group, int share, int shares, unsigned long long* sums) {
  constexpr int kStep = sizeof(Bin) == 1 ? kCountTile : kTile;
  unsigned long long own_sums[kOwnPositions] = {};
  for (int first = 1 + share * kStep; first <= group.bins; first += shares * kStep)
    warp_multiply_tile(group.newest + first, group.delayed + first, own_sums);
  // Lanes of the same positions are four apart.
  const int lane = threadIdx.x % kLanes;
  for (int p = 0; p < kOwnPositions; ++p) {
    for (int offset = kOctets; offset < kLanes; offset *= 2)
      own_sums[p] += __shfl_xor_sync(kAllLanes, own_sums[p], offset);
    if (lane < kOctets) atomicAdd(&sums[lane * kOwnPositions + p], own_sums[p]);
  }
}

__global__ void __launch_bounds__(kThreads, 8)
    groups_kernel(int instants, long long elapsed, int groups, const unsigned* state_before,
                  const unsigned long long* sums_before, unsigned* state, unsigned long long* sums,
                  const unsigned* traces, int trace_words) {
  __shared__ Shared shared;
  const int thread = threadIdx.x, lane = thread % kLanes, warp = thread / kLanes;
  const std::size_t place = static_cast<std::size_t>(blockIdx.x) * groups;
  const auto* const trace = reinterpret_cast<const uint2*>(traces + std::size_t{blockIdx.x} * trace_words);
  for (int i = thread; i < groups * kStateWords; i += kThreads)
    shared.state[0][i] = state_before[place * kStateWords + i];
  for (int i = thread; i < groups * kPositions; i += kThreads)
    shared.sums[0][i] = sums_before[place * kPositions + i];
  for (int g = 1 + thread; g < groups; g += kThreads) shared.words[begin_of(g) + kBefore - 1] = 0;  // bin 0
  // Only what is left of `elapsed` matters, divided by the counts of a bin of the last group.
  int phase = static_cast<int>(elapsed % (1 << (kMostGroups - 1)));
  __syncthreads();  // the state

  int done = 0;
  do {
    const int part = min(instants - done, kPart);
    const auto bins_of = [&](int g) { return ((phase + part) >> g) - (phase >> g); };
    const Group<unsigned char> counts{part, shared.counts + kPastCounts - 1, shared.counts + kPastCounts - 1};
    const auto group = [&](int g) {
      unsigned* const room = shared.words + begin_of(g);
      return Group<unsigned>{bins_of(g), room + kBefore - 1,
                             room + (kPart >> g) + kNewestRoom + kPastRoom - 1};
    };
    for (int g = warp; g < groups; g += kWarps) {
      for (int p = lane; p <= kPositions; p += kLanes) {
        const unsigned bin = shared.state[g][p];
        if (g == 0) {
          counts.delayed[-p] = static_cast<unsigned char>(bin);
        } else {
          group(g).delayed[-p] = bin;
        }
      }
    }
    // Eight counts at a time; there are zeros up to a whole tile.
    for (int i = 8 * thread; i < (part + kCountTile - 1) / kCountTile * kCountTile; i += 8 * kThreads)
      *reinterpret_cast<uint2*>(shared.counts + kPastCounts + i) = trace[(done + i) / 8];
    __syncthreads();  // the counts, and the bins of the state

    // The last warp makes the small groups, while the others multiply.
    const bool is_last_warp = warp == kWarps - 1;
    unsigned begun = 0;  // of the group, after the part
    for (int g = 1; g < (is_last_warp ? groups : min(groups, kLateGroup)); ++g) {
      const bool is_late = g >= kLateGroup, last_is_odd = (phase >> (g - 1)) % 2 != 0;
      const bool next_is_odd = ((phase + part) >> (g - 1)) % 2 != 0;
      // A bin of odd number waits in this group's register for its second.
      const unsigned waiting = shared.state[g][kPositions + 1] - shared.state[g - 1][kPositions + 1];
      const int own = is_late ? lane : thread, threads = is_late ? kLanes : kThreads;
      if (g == 1) {
        add_pairs(counts, group(g), last_is_odd, waiting, own, threads);
        if (next_is_odd) begun += part == 0 ? waiting : counts.newest[part];
      } else {
        const auto from = group(g - 1);
        add_pairs(from, group(g), last_is_odd, waiting, own, threads);
        if (next_is_odd) begun += from.bins == 0 ? waiting : from.newest[from.bins];
      }
      if (is_last_warp && lane == 0) shared.begun[g] = begun;
      if (is_late) {
        __syncwarp();  // the bins of this group
      } else {
        __syncthreads();  // the same
      }
    }

    // [shares]
    // Half of the warps take group 0, half of the others group 1, …; the last takes what is left.
    for (int g = 0; g < groups; ++g) {
      const int shares = max(kWarps / 2 >> g, 1), first = min(kWarps - (kWarps >> g), kWarps - 1);
      if (warp < first || warp >= first + shares) continue;
      if (g == 0) {
        warp_multiply(counts, warp, shares, shared.sums[g]);
      } else {
        warp_multiply(group(g), warp - first, shares, shared.sums[g]);
      }
    }
    // [shares]
    __syncthreads();  // all bins have been read, and all registers
    for (int g = warp; g < groups; g += kWarps) {
      for (int p = lane; p <= kPositions; p += kLanes)
        shared.state[g][p] = g == 0 ? counts.delayed[part - p] : group(g).delayed[bins_of(g) - p];
      if (lane == 0) shared.state[g][kPositions + 1] = g == 0 ? 0 : shared.begun[g];
    }
    __syncthreads();  // the state after the part
    done += part;
    phase = (phase + part) % (1 << (kMostGroups - 1));
  } while (done < instants);

  for (int i = thread; i < groups * kStateWords; i += kThreads)
    state[place * kStateWords + i] = shared.state[0][i];
  for (int i = thread; i < groups * kPositions; i += kThreads)
    sums[place * kPositions + i] = shared.sums[0][i];
}

/// Words of a sensor's counts: whole tiles.
int trace_words(int instants) { return (instants / kTileInstants + 1) * kTileInstants / 4; }

std::size_t multi_tau_workspace_bytes(int sensors, int instants, int) {
  return std::size_t{4} * sensors * trace_words(instants);
}

void multi_tau(const unsigned char* counts, int sensors, int instants, long long elapsed, int groups,
               const unsigned* state_before, const unsigned long long* sums_before, unsigned* state,
               unsigned long long* sums, void* workspace, cudaStream_t stream) {
  auto* const traces = static_cast<unsigned*>(workspace);
  const dim3 tiles(instants / kTileInstants + 1, sensors / kLanes);
  traces_kernel<<<tiles, dim3(kLanes, 8), 0, stream>>>(counts, sensors, instants, traces);
  CHECK_CUDA(cudaGetLastError());
  groups_kernel<<<sensors, kThreads, 0, stream>>>(instants, elapsed, groups, state_before, sums_before, state,
                                                  sums, traces, trace_words(instants));
  CHECK_CUDA(cudaGetLastError());
}
