// Multi-tau on tensor cores: rows of newest bins and columns of delayed ones, each shifted, so that a product
// of two matrices has the sums of all 32 delays. Lecture: 17-multi-tau.
// Bound: instructions that load bins and sort their bytes, 16 for each product of matrices.
#include "multi_tau.h"

#include "lockstep/check_cuda.h"

constexpr int kLanes = 32;
constexpr unsigned kAllLanes = 0xffffffff;
constexpr int kWarps = 4;
constexpr int kThreads = kWarps * kLanes;
constexpr int kPart = 2048;     // instants, of which all bins are in shared memory
constexpr int kHalfGroups = 9;  // groups 0 to 8: bins of 256 counts fit in 16 bits
constexpr int kBins = 32;       // that a warp multiplies at a time
constexpr int kShifts = 8;      // rows of newest bins, each one bin later than the one before
constexpr int kLateGroup = 3;   // the first of those with few bins, which one warp makes
constexpr int kTile = 128;      // instants that a block brings together at a time

/// A group of one sensor during a part. Bins are numbered from the last before the part, number 0 here.
template <class Bin>
struct Group {
  int bins;      // that end in the part
  Bin* newest;   // 1 … bins, and zeros before and after: what is multiplied with them does not matter
  Bin* delayed;  // 1 … bins, and 33 of the state before them
};

/// Steps of a warp through a group: rows begin up to seven bins before the first.
__device__ int steps_of(int bins) { return (bins + kShifts + kBins - 1) / kBins; }

/// Room for the newest bins of a group, beside those that end in a part, and for the delayed ones.
constexpr int kNewestRoom = kShifts + kBins, kDelayedRoom = kNewestRoom + kPositions;
constexpr int kWordRoom = 2 * (kPart >> kHalfGroups) + kNewestRoom + kDelayedRoom;
__host__ __device__ constexpr int begin_of(int group) {
  return 4 * (kPart - (kPart >> group)) + group * (kNewestRoom + kDelayedRoom);
}
template <class Bin>
__device__ Group<Bin> group_in(Bin* room, int group, int bins) {
  return {bins, room + kShifts - 1, room + (kPart >> group) + kNewestRoom + kPositions + kShifts - 1};
}

/// All that a block has of its sensor.
struct Shared {
  alignas(16) unsigned short halves[begin_of(kHalfGroups)];
  unsigned words[kWordRoom];  // of group 9
  unsigned state[kMostGroups][kStateWords];
  unsigned begun[kMostGroups];  // registers after the part
  unsigned long long sums[kMostGroups][kPositions];
};

/// Brings the counts of each sensor together: row after row is read, column after column written.
__global__ void traces_kernel(const unsigned char* counts, int sensors, int instants, unsigned* traces) {
  __shared__ unsigned tile[kLanes][kTile / 4 + 1];  // a word more: lanes write to other banks
  const int x = threadIdx.x, sensor = blockIdx.y * kLanes, first = blockIdx.x * kTile;
  for (int y = threadIdx.y; y < kTile; y += blockDim.y)
    reinterpret_cast<unsigned char*>(tile[x])[y] =
        first + y < instants ? counts[static_cast<std::size_t>(first + y) * sensors + sensor + x] : 0;
  __syncthreads();  // the tile is there
  for (int y = threadIdx.y; y < kLanes; y += blockDim.y) {
    const std::size_t words = static_cast<std::size_t>(gridDim.x) * kTile / 4;
    traces[(sensor + y) * words + first / 4 + x] = tile[y][x];
  }
}

/// Bins of the next group: each is the sum of two, of which the first has an odd number. `waiting` is bin 0.
/// `thread` is one of `threads` that take part.
template <class From, class To>
__device__ void add_pairs(const Group<From>& from, const Group<To>& to, bool last_is_odd, unsigned waiting,
                          int thread, int threads) {
  // The second bins of pairs; delayed ones have passed 32 positions first.
  const From* const newest = from.newest + 2 - last_is_odd;
  const From* const delayed = from.delayed + 2 - last_is_odd - kPositions;
  for (int i = thread; i < to.bins; i += threads) {
    to.newest[i + 1] = static_cast<To>(newest[2 * i - 1] + newest[2 * i]);
    to.delayed[i + 1] = static_cast<To>(delayed[2 * i - 1] + delayed[2 * i]);
  }
  if (thread == 0 && last_is_odd && to.bins > 0) to.newest[1] = static_cast<To>(waiting + newest[0]);
  for (int i = to.bins + thread; i < kBins * steps_of(to.bins); i += threads)
    to.newest[i + 1] = to.delayed[i + 1] = 0;
}

/// c += a · b for 16 x 32 and 32 x 8 bytes. A lane holds of `a` rows lane / 4 and 8 more, of `b` column
/// lane / 4: four neighbours each of the 32 bytes in between, from 4 · (lane % 4) on, and 16 further on.
__device__ void warp_multiply_bytes(unsigned (&c)[4], const unsigned (&a)[4], const unsigned (&b)[2]) {
#if __CUDA_ARCH__ >= 800
  asm("mma.sync.aligned.m16n8k32.row.col.s32.u8.u8.s32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
      "{%0, %1, %2, %3};"
      : "+r"(c[0]), "+r"(c[1]), "+r"(c[2]), "+r"(c[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
#else
  for (int i = 0; i < 4; ++i)
    asm("mma.sync.aligned.m8n8k16.row.col.s32.u8.u8.s32 {%0, %1}, {%2}, {%3}, {%0, %1};"
        : "+r"(c[i % 2 * 2]), "+r"(c[i % 2 * 2 + 1])
        : "r"(a[i]), "r"(b[i / 2]));
#endif
}

/// Adds a share of a group's products to its sums. Row m has newest bins from m on, their low bytes, and row
/// m + 8 their high ones; column n has delayed bins from -8n on, and column n + 4 their high bytes.
__device__ void warp_multiply(const Group<unsigned short>& group, int share, int shares,
                              unsigned long long* sums) {
  constexpr unsigned kLow = 0x6420, kHigh = 0x7531;  // of the bytes of four bins
  const int lane = threadIdx.x % kLanes, row = lane / 4, quad = lane % 4;
  // [rows]
  const int first = 8 * quad + 1 - kShifts;
  const auto* newest = reinterpret_cast<const unsigned*>(group.newest + first + row / 2 * 2);
  const auto* delayed = reinterpret_cast<const uint4*>(group.delayed + first - kShifts * (row % 4));
  const unsigned odd = row % 2 * 16, column_bytes = row < 4 ? kLow : kHigh;
  unsigned products[4] = {};
  for (int step = share; step < steps_of(group.bins); step += shares) {
    unsigned words[5], two[4];  // bins each: of eight that begin anywhere
    for (int i = 0; i < 5; ++i) words[i] = newest[step * kBins / 2 + i];
    for (int i = 0; i < 4; ++i) two[i] = __funnelshift_r(words[i], words[i + 1], odd);
    const unsigned a[] = {__byte_perm(two[0], two[1], kLow), __byte_perm(two[0], two[1], kHigh),
                          __byte_perm(two[2], two[3], kLow), __byte_perm(two[2], two[3], kHigh)};
    const uint4 eight = delayed[step * kBins / 8];
    const unsigned b[] = {__byte_perm(eight.x, eight.y, column_bytes),
                          __byte_perm(eight.z, eight.w, column_bytes)};
    warp_multiply_bytes(products, a, b);
  }
  // [rows]
  // [weights]
  for (int i = 0; i < 2; ++i) {
    const int column = 2 * quad + i;
    unsigned long long sum = products[i] + (static_cast<unsigned long long>(products[2 + i]) << 8);
    if (column >= 4) sum <<= 8;
    sum += __shfl_xor_sync(kAllLanes, sum, 2);  // of low bytes of delayed bins, and of high ones
    if (column < 4) atomicAdd(&sums[row + kShifts * column], sum);
  }
  // [weights]
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
  for (int i = thread; i < kMostGroups * kShifts; i += kThreads) {
    if (i < kHalfGroups * kShifts) {
      shared.halves[begin_of(i / kShifts) + i % kShifts] = 0;
    } else {
      shared.words[i % kShifts] = 0;
    }
  }
  // Only what is left of `elapsed` matters, divided by the counts of a bin of the last group.
  int phase = static_cast<int>(elapsed % (1 << (kMostGroups - 1)));
  __syncthreads();  // the state

  int done = 0;
  do {
    const int part = min(instants - done, kPart);
    const auto bins_of = [&](int g) { return ((phase + part) >> g) - (phase >> g); };
    const auto halves_of = [&](int g) { return group_in(shared.halves + begin_of(g), g, bins_of(g)); };
    const auto words = group_in(shared.words, kHalfGroups, bins_of(kHalfGroups));
    for (int g = warp; g < groups; g += kWarps) {
      for (int p = lane; p <= kPositions; p += kLanes) {
        const unsigned bin = shared.state[g][p];
        if (g < kHalfGroups) {
          halves_of(g).delayed[-p] = static_cast<unsigned short>(bin);
        } else {
          words.delayed[-p] = bin;
        }
      }
    }
    // Eight counts at a time.
    const auto counts = halves_of(0);
    for (int i = 8 * thread; i < kBins * steps_of(part); i += 8 * kThreads) {
      const bool is_there = i < kPart && done + i < 4 * trace_words;
      const uint2 eight = is_there ? trace[(done + i) / 8] : uint2{};
      const uint4 halves{__byte_perm(eight.x, 0, 0x4140), __byte_perm(eight.x, 0, 0x4342),
                         __byte_perm(eight.y, 0, 0x4140), __byte_perm(eight.y, 0, 0x4342)};
      *reinterpret_cast<uint4*>(counts.newest + 1 + i) = halves;
      *reinterpret_cast<uint4*>(counts.delayed + 1 + i) = halves;
    }
    __syncthreads();  // the counts, and the bins of the state

    // The last warp makes the small groups, while the others multiply.
    const bool is_last_warp = warp == kWarps - 1;
    unsigned begun = 0;  // of the group, after the part
    for (int g = 1; g < (is_last_warp ? groups : min(groups, kLateGroup)); ++g) {
      const auto from = halves_of(g - 1);
      const bool is_late = g >= kLateGroup, last_is_odd = (phase >> (g - 1)) % 2 != 0;
      // A bin of odd number waits in this group's register for its second.
      const unsigned waiting = shared.state[g][kPositions + 1] - shared.state[g - 1][kPositions + 1];
      const int own = is_late ? lane : thread, threads = is_late ? kLanes : kThreads;
      if (g < kHalfGroups) {
        add_pairs(from, halves_of(g), last_is_odd, waiting, own, threads);
      } else {
        add_pairs(from, words, last_is_odd, waiting, own, threads);
      }
      if (((phase + part) >> (g - 1)) % 2 != 0) begun += from.bins == 0 ? waiting : from.newest[from.bins];
      if (is_last_warp && lane == 0) shared.begun[g] = begun;
      if (is_late) {
        __syncwarp();  // the bins of this group
      } else {
        __syncthreads();  // the same
      }
    }

    // Half of the warps take group 0, half of the others group 1, …; the last takes what is left.
    for (int g = 0; g < min(groups, kHalfGroups); ++g) {
      const int shares = max(kWarps / 2 >> g, 1), first = min(kWarps - (kWarps >> g), kWarps - 1);
      if (first <= warp && warp < first + shares)
        warp_multiply(halves_of(g), warp - first, shares, shared.sums[g]);
    }
    if (groups > kHalfGroups && is_last_warp) {
      unsigned long long sum = 0;
      for (int k = 1; k <= words.bins; ++k)
        sum += static_cast<unsigned long long>(words.newest[k]) * words.delayed[k - lane];
      shared.sums[kHalfGroups][lane] += sum;
    }
    __syncthreads();  // all bins have been read, and all registers
    for (int g = warp; g < groups; g += kWarps) {
      for (int p = lane; p <= kPositions; p += kLanes) {
        shared.state[g][p] =
            g < kHalfGroups ? halves_of(g).delayed[bins_of(g) - p] : words.delayed[words.bins - p];
      }
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
int trace_words(int instants) { return (instants / kTile + 1) * kTile / 4; }

std::size_t multi_tau_workspace_bytes(int sensors, int instants, int) {
  return std::size_t{4} * sensors * trace_words(instants);
}

void multi_tau(const unsigned char* counts, int sensors, int instants, long long elapsed, int groups,
               const unsigned* state_before, const unsigned long long* sums_before, unsigned* state,
               unsigned long long* sums, void* workspace, cudaStream_t stream) {
  auto* const traces = static_cast<unsigned*>(workspace);
  const dim3 tiles(instants / kTile + 1, sensors / kLanes);
  traces_kernel<<<tiles, dim3(kLanes, 8), 0, stream>>>(counts, sensors, instants, traces);
  CHECK_CUDA(cudaGetLastError());
  groups_kernel<<<sensors, kThreads, 0, stream>>>(instants, elapsed, groups, state_before, sums_before, state,
                                                  sums, traces, trace_words(instants));
  CHECK_CUDA(cudaGetLastError());
}
