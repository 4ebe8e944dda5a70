// Multi-tau on tensor cores, the reference. Lecture: 12-multi-tau.
// Four stretches of a packet lie in the bytes of a word each, so that a row of words is a row of an 8-bit
// matrix: products at 32 delays are matrix products. Bound: what is written and read again between kernels.
#include "multi_tau.h"

#include <algorithm>
#include <cstdint>

#include "lockstep/check_cuda.h"
#include "lockstep/divide_up.h"

constexpr int kLanes = 32;
constexpr unsigned kAllLanes = 0xffffffff;
constexpr int kStretches = 4;     // of a packet, one for each byte of a word
constexpr int kByteGroups = 5;    // groups 0 to 4 are multiplied as bytes
constexpr int kFoldedGroups = 6;  // and group 5 is kept as bytes: those after it are made of it
constexpr int kPastWords = 64;    // before the first word of a stretch: what the earliest bins are multiplied with
constexpr int kGrain = 32;        // stretches begin where bins of all folded groups do
constexpr int kMostInstants = 1 << 14;  // of a packet at a time: what lies in the L2 cache
constexpr int kTileWords = 64;

// [folded]
/// Where the bins of a sensor are in the workspace. Bin i of a group counts from where the first stretch
/// begins, perhaps some instants before the packet; it is byte i / length of word i % length. Bins of group 0
/// are bytes, of the others the low bytes are followed by the high ones.
struct Folded {
  int length;  ///< of a stretch, in instants

  __host__ __device__ int words(int group) const { return length >> group; }
  __host__ __device__ std::size_t high_bytes(int group) const { return kPastWords + words(group); }
  __host__ __device__ std::size_t begin(int group) const {
    if (group == 0) return kPastWords;
    return std::size_t{2} * group * kPastWords + length + 2 * (length - (length >> (group - 1)));
  }
  __host__ __device__ std::size_t per_sensor() const { return begin(kFoldedGroups); }
};
// [folded]

/// A packet, and where it lies in the stretches.
struct Packet {
  int instants, skipped;  ///< instants of the first stretch before the packet
  long long elapsed;
  int groups;
  Folded folded;

  __host__ __device__ int bins(int group) const {  // that end in the packet
    return static_cast<int>(((elapsed + instants) >> group) - (elapsed >> group));
  }
};

/// How far behind its own bins a group's position 0 is, in bins; for folded groups, all of whose bins begin
/// at multiples of their length.
__device__ int delay_of(int group) { return kPositions - (kPositions >> group); }

// [even-and-odd]
/// 16-bit sums of bytes 0 and 2, and of bytes 1 and 3, of four stretches: as low bytes and as high ones.
__device__ unsigned low_bytes(unsigned even, unsigned odd) { return __byte_perm(even, odd, 0x6240); }
__device__ unsigned high_bytes(unsigned even, unsigned odd) { return __byte_perm(even, odd, 0x7351); }
// [even-and-odd]

constexpr int kFoldThreads = 256;

__global__ void __launch_bounds__(kFoldThreads)
    fold_kernel(const unsigned char* counts, int sensors, Packet packet, unsigned* words) {
  __shared__ uint2 tile[kLanes][kTileWords / 2 + 1];
  const Folded folded = packet.folded;
  const int first_sensor = blockIdx.x * kLanes, first = blockIdx.y * kTileWords;
  const int quad = threadIdx.x % 8;
  // [four-by-four]
  // A thread takes the counts of four sensors at the same instant of all four stretches.
  for (int j = threadIdx.x / 8; j < kTileWords; j += kFoldThreads / 8) {
    unsigned row[kStretches];
    for (int stretch = 0; stretch < kStretches; ++stretch) {
      const int i = first + j + stretch * folded.length - packet.skipped;
      const unsigned char* const frame = counts + static_cast<std::size_t>(i) * sensors + first_sensor;
      const bool is_there = 0 <= i && i < packet.instants;
      row[stretch] = is_there ? reinterpret_cast<const unsigned*>(frame)[quad] : 0;
    }
    const unsigned a = __byte_perm(row[0], row[1], 0x5140), b = __byte_perm(row[2], row[3], 0x5140);
    const unsigned c = __byte_perm(row[0], row[1], 0x7362), d = __byte_perm(row[2], row[3], 0x7362);
    auto* const column = reinterpret_cast<unsigned*>(tile[4 * quad]) + j;
    constexpr int kNext = sizeof tile[0] / sizeof(unsigned);
    column[0] = __byte_perm(a, b, 0x5410);
    column[kNext] = __byte_perm(a, b, 0x7632);
    column[2 * kNext] = __byte_perm(c, d, 0x5410);
    column[3 * kNext] = __byte_perm(c, d, 0x7632);
  }
  // [four-by-four]
  __syncthreads();  // words of all sensors
  const int lane = threadIdx.x % kLanes;
  for (int s = threadIdx.x / kLanes; s < kLanes; s += kFoldThreads / kLanes) {
    unsigned* const own = words + (first_sensor + s) * folded.per_sensor();
    // [bins-of-words]
    const uint2 two = tile[s][lane];
    reinterpret_cast<uint2*>(own + folded.begin(0) + first)[lane] = two;
    constexpr unsigned kEven = 0x00ff00ff;
    unsigned even = (two.x & kEven) + (two.y & kEven), odd = (two.x >> 8 & kEven) + (two.y >> 8 & kEven);
    for (int g = 1; g < kFoldedGroups; ++g) {
      const int lanes = 1 << (g - 1);  // that have the same bin
      unsigned* const low = own + folded.begin(g) + (first >> g) + lane / lanes;
      if (lane % lanes == 0) {
        low[0] = low_bytes(even, odd);
        low[folded.high_bytes(g)] = high_bytes(even, odd);
      }
      even += __shfl_xor_sync(kAllLanes, even, lanes);
      odd += __shfl_xor_sync(kAllLanes, odd, lanes);
    }
    // [bins-of-words]
  }
}

/// A folded group of one sensor. Bin 1 is the first that ends in the packet, bin 0 the last before it.
struct Bins {
  const unsigned* low;   ///< word 0
  std::size_t high;      ///< from low bytes to high ones; 0 if there are none
  int words;             ///< of a stretch
  int skipped;           ///< bins of the first stretch before bin 1
  int count;             ///< bins that end in the packet
  unsigned zero_delay;   ///< what bin 1 had before the packet
  const unsigned* past;  ///< bins 0, -1, …

  __device__ unsigned folded(int i) const {
    const int place = skipped + i - 1, j = place % words, shift = 8 * (place / words);
    const unsigned high_byte = high == 0 ? 0 : low[high + j] >> shift & 0xff;
    return high_byte << 8 | (low[j] >> shift & 0xff);
  }
  __device__ unsigned operator[](int i) const {
    if (i <= 0) return -i < kPastWords ? past[-i] : 0;
    if (i > count) return 0;  // it has begun, and is no factor yet
    return folded(i) + (i == 1 ? zero_delay : 0);
  }
  /// What there is of the bin after the last.
  __device__ unsigned begun() const { return folded(count + 1) + (count == 0 ? zero_delay : 0); }
  /// The same bins of four stretches.
  __device__ uint2 word(int j) const {
    uint2 bytes = {0, 0};
    for (int stretch = 0; stretch < kStretches; ++stretch) {
      const unsigned bin = (*this)[j + stretch * words - skipped + 1];
      bytes.x |= (bin & 0xff) << 8 * stretch;
      bytes.y |= (bin >> 8) << 8 * stretch;
    }
    return bytes;
  }
};

constexpr int kThreads = 128;  // of a block that settles a sensor

// What a thread multiplies at a time: four newest bins with bins at eight positions.
constexpr int kBins = 4, kOwnPositions = 8;
constexpr int kOctets = kPositions / kOwnPositions;  // neighbouring threads, which share their newest bins
constexpr int kTile = kThreads / kOctets * kBins;    // newest bins of a block at a time

/// A group of one sensor whose bins are words: 0 … count, and 32 delayed ones of the state before them.
struct Group {
  int count;
  unsigned *newest, *delayed;
};

/// Room for groups 5 and later of a sensor, two arrays each.
__host__ __device__ constexpr std::size_t late_words(int instants) {
  return 4 * (instants / kPositions + 8) + (kMostGroups - kByteGroups) * 40;
}

/// Bins of the next group: each is the sum of two, of which the first has an odd number.
__device__ void block_add_pairs(const Group& from, const Group& to, bool last_is_odd) {
  for (int i = threadIdx.x; i < to.count; i += kThreads) {
    const int second = 2 * (i + 1) - last_is_odd;
    to.newest[i + 1] = from.newest[second - 1] + from.newest[second];
    to.delayed[kPositions + i + 1] = from.delayed[second - 1] + from.delayed[second];
  }
}

/// Adds the products of a group's newest bins with delayed ones to `totals`, by position.
__device__ void block_multiply(const Group& group, unsigned long long* totals) {
  __shared__ uint4 newest_tile[kTile / 4], delayed_tile[(kTile + kPositions) / 4];
  auto* const newest = reinterpret_cast<unsigned*>(newest_tile);
  auto* const delayed = reinterpret_cast<unsigned*>(delayed_tile);
  const int octet = threadIdx.x % kOctets, own = threadIdx.x / kOctets;
  unsigned long long sums[kOwnPositions] = {};
  for (int first = 1; first <= group.count; first += kTile) {
    for (int i = threadIdx.x; i < kTile; i += kThreads)
      newest[i] = first + i <= group.count ? group.newest[first + i] : 0;
    for (int i = threadIdx.x; i < kTile + kPositions; i += kThreads)
      delayed[i] = first + i <= group.count + kPositions ? group.delayed[first + i] : 0;
    __syncthreads();  // the tile is there
    unsigned factor[kBins], past[kBins + kOwnPositions];
    *reinterpret_cast<uint4*>(factor) = newest_tile[own];
    // The bin at position p of newest bin i is delayed[i + 32 - p].
    const uint4* const begin = delayed_tile + own + (kPositions - kOwnPositions * (octet + 1)) / 4;
    for (int i = 0; i < (kBins + kOwnPositions) / 4; ++i) reinterpret_cast<uint4*>(past)[i] = begin[i];
    for (int i = 0; i < kBins; ++i) {
      for (int p = 0; p < kOwnPositions; ++p)
        sums[p] += static_cast<unsigned long long>(factor[i]) * past[i + kOwnPositions - p];
    }
    __syncthreads();  // and has been read
  }
  for (int p = 0; p < kOwnPositions; ++p) {  // lanes of the same positions are four apart
    for (int offset = kOctets; offset < kLanes; offset *= 2)
      sums[p] += __shfl_xor_sync(kAllLanes, sums[p], offset);
    if (threadIdx.x % kLanes < kOctets) atomicAdd(&totals[octet * kOwnPositions + p], sums[p]);
  }
}

/// Block of one sensor: what lies before the stretches, the state, and the groups that few bins are of.
__global__ void __launch_bounds__(kThreads)
    settle_kernel(Packet packet, const unsigned* state_before, const unsigned long long* sums_before,
                  unsigned* state, unsigned long long* sums, unsigned* words, unsigned* late) {
  __shared__ unsigned past[kFoldedGroups][kPastWords];
  __shared__ unsigned long long totals[kPositions];
  const int sensor = blockIdx.x, groups = packet.groups, folded_groups = min(groups, kFoldedGroups);
  const std::size_t sensor_groups = static_cast<std::size_t>(sensor) * groups;
  unsigned* const own = words + sensor * packet.folded.per_sensor();
  // A copy, as the state after the packet may take the place of the one before.
  __shared__ unsigned before[kMostGroups * kStateWords];
  for (int i = threadIdx.x; i < groups * kStateWords; i += kThreads)
    before[i] = state_before[sensor_groups * kStateWords + i];
  __syncthreads();  // the state before

  // [past]
  // The last 64 bins before the packet: position p of a group has one, the latest are sums of two of the
  // group before.
  for (int g = 0; g < folded_groups; ++g) {
    const int i = threadIdx.x, position = i - delay_of(g);
    if (i < kPastWords) {
      const int second = 2 * i + static_cast<int>(2 * packet.elapsed >> g & 1);
      past[g][i] = position > kPositions ? 0
                   : position >= 0       ? before[g * kStateWords + position]
                                         : past[g - 1][second] + past[g - 1][second + 1];
    }
    __syncthreads();  // the next group is made of this one
  }
  // [past]

  Group group{};
  unsigned begun = 0;  // what there is of the group's bin after the last
  for (int g = 0; g < folded_groups; ++g) {
    const unsigned* const group_before = before + g * kStateWords;
    unsigned* const after = state + (sensor_groups + g) * kStateWords;
    unsigned* const low = own + packet.folded.begin(g);
    const std::size_t high = g == 0 ? 0 : packet.folded.high_bytes(g);
    const Bins bins{low,
                    high,
                    packet.folded.words(g),
                    packet.skipped >> g,
                    packet.bins(g),
                    group_before[kPositions + 1],
                    past[g]};
    begun = (packet.elapsed + packet.instants) % (1 << g) == 0 ? 0 : bins.begun();
    const int i = threadIdx.x;
    if (g < kByteGroups) {
      // [mended-words]
      // The words before the stretches, up to where the packet begins in the first, and where it ends.
      constexpr int kBegin = kPastWords + kGrain;
      const int end = bins.skipped + bins.count;
      const int j = i < kBegin ? i - kPastWords : end % bins.words;
      const bool is_mended = i < kBegin ? j <= bins.skipped
                                        : i == kBegin && end < kStretches * bins.words && j > bins.skipped;
      const uint2 mended = is_mended ? bins.word(j) : uint2{};
      if (i <= kPositions) after[i] = bins[bins.count - delay_of(g) - i];
      if (i == 0) after[kPositions + 1] = begun;
      __syncthreads();  // all have read the words as they were
      if (is_mended) low[j] = mended.x;
      if (is_mended && high != 0) low[high + j] = mended.y;
      // [mended-words]
    } else {
      group = {bins.count, late + sensor * late_words(packet.instants), nullptr};
      group.delayed = group.newest + group.count + 1;
      for (int k = i; k <= group.count; k += kThreads) group.newest[k] = bins[k];
      for (int k = i; k <= group.count + kPositions; k += kThreads)
        group.delayed[k] = bins[k - kPositions - delay_of(g)];
    }
  }

  for (int g = kByteGroups; g < groups; ++g) {
    const unsigned* const group_before = before + g * kStateWords;
    unsigned* const after = state + (sensor_groups + g) * kStateWords;
    if (g > kByteGroups) {
      // A bin of odd number waits in this group's register for its second.
      if (threadIdx.x == 0)
        group.newest[0] = group_before[kPositions + 1] - group_before[kPositions + 1 - kStateWords];
      __syncthreads();  // that bin
      const long long end = (packet.elapsed + packet.instants) >> (g - 1);
      if (end % 2 != 0) begun += group.newest[group.count];
      Group next{packet.bins(g), group.delayed + group.count + kPositions + 1, nullptr};
      next.delayed = next.newest + next.count + 1;
      block_add_pairs(group, next, (packet.elapsed >> (g - 1)) % 2 != 0);
      for (int i = threadIdx.x; i <= kPositions; i += kThreads) next.delayed[kPositions - i] = group_before[i];
      group = next;
    }
    if (threadIdx.x < kPositions) totals[threadIdx.x] = 0;
    __syncthreads();  // the group's bins
    block_multiply(group, totals);
    for (int i = threadIdx.x; i <= kPositions; i += kThreads)
      after[i] = group.delayed[group.count + kPositions - i];
    if (threadIdx.x == 0) after[kPositions + 1] = begun;
    __syncthreads();  // the sums of all warps
    const std::size_t place = (sensor_groups + g) * kPositions + threadIdx.x;
    if (threadIdx.x < kPositions) sums[place] = sums_before[place] + totals[threadIdx.x];
  }
}

// [tensor-core]
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
// [tensor-core]

constexpr int kGramWarps = 4;
constexpr int kColumns = 16;              // bins of a row of words
constexpr int kEarlierRows = 2;           // 32 delays reach into so many rows before
constexpr int kRows = 8;                  // of words that a warp multiplies at a time
constexpr int kStepWords = kRows * kColumns;

/// Words of a group as a lane takes them: two neighbouring columns of a row, and of the row four later.
struct Fragment {
  unsigned left[2], right[2];
};

__device__ Fragment load_fragment(const unsigned* words, int j, int end) {
  constexpr int kFurther = kRows / 2 * kColumns;
  Fragment loaded{};
  for (int half = 0; half < 2; ++half) {
    if (j + half * kFurther >= end) continue;
    const uint2 two = *reinterpret_cast<const uint2*>(words + j + half * kFurther);
    loaded.left[half] = two.x;
    loaded.right[half] = two.y;
  }
  return loaded;
}

/// Adds up products of a group's bins: cell (c, d) is of bins in column c with bins that lie in column d, or
/// one or two rows before. kBytes: of a bin.
template <int kBytes>
__device__ void warp_gram(const unsigned* low, std::size_t high, int words, int skipped, int delay,
                          unsigned long long (&cells)[kColumns][(kEarlierRows + 1) * kColumns]) {
  const int lane = threadIdx.x % kLanes, row = lane % 4, pair = lane / 4;
  // By weight of the product, columns of the second factor, which of two neighbours.
  unsigned products[2 * kBytes - 1][kEarlierRows + 1][2][4] = {};
  // [gram]
  for (int first = 0; first < words; first += kStepWords) {
    const int j = first + kColumns * row + 2 * pair;
    unsigned newest[kBytes][4];
    for (int byte = 0; byte < kBytes; ++byte) {
      Fragment own = load_fragment(low + byte * high, j, words);
      // What the first stretch holds before the packet is not newest.
      if (j < skipped) own.left[0] &= 0xffffff00;
      if (j + 1 < skipped) own.right[0] &= 0xffffff00;
      newest[byte][0] = own.left[0], newest[byte][1] = own.right[0];
      newest[byte][2] = own.left[1], newest[byte][3] = own.right[1];
    }
    for (int back = 0; back <= kEarlierRows; ++back) {
      for (int byte = 0; byte < kBytes; ++byte) {
        const Fragment past = load_fragment(low + byte * high, j - delay - kColumns * back, words);
        for (int own = 0; own < kBytes; ++own) {
          warp_multiply_bytes(products[own + byte][back][0], newest[own], past.left);
          warp_multiply_bytes(products[own + byte][back][1], newest[own], past.right);
        }
      }
    }
  }
  // [gram]
  for (int back = 0; back <= kEarlierRows; ++back) {
    for (int side = 0; side < 2; ++side) {
      for (int i = 0; i < 4; ++i) {
        unsigned long long sum = 0;
        for (int weight = 0; weight < 2 * kBytes - 1; ++weight)
          sum += static_cast<unsigned long long>(products[weight][back][side][i]) << 8 * weight;
        const int column = 2 * (2 * row + i % 2) + side;  // the matrix's columns are every other of the words'
        cells[2 * pair + i / 2][(kEarlierRows - back) * kColumns + column] = sum;
      }
    }
  }
}

/// Warp of one sensor and one group.
__global__ void __launch_bounds__(kGramWarps* kLanes)
    gram_kernel(Packet packet, const unsigned long long* sums_before, unsigned long long* sums,
                const unsigned* words) {
  __shared__ unsigned long long cells[kGramWarps][kColumns][(kEarlierRows + 1) * kColumns];
  const int lane = threadIdx.x % kLanes, warp = threadIdx.x / kLanes;
  const int sensor = blockIdx.x * kGramWarps + warp, group = blockIdx.y;
  const Folded folded = packet.folded;
  const unsigned* const low = words + sensor * folded.per_sensor() + folded.begin(group);
  const int skipped = packet.skipped >> group;
  if (group == 0) {
    warp_gram<1>(low, 0, folded.words(0), skipped, 0, cells[warp]);
  } else {
    warp_gram<2>(low, folded.high_bytes(group), folded.words(group), skipped, delay_of(group), cells[warp]);
  }
  __syncwarp();  // the cells of all lanes
  // [diagonals]
  unsigned long long sum = 0;  // of all cells whose bins are as far apart as the lane's position says
  for (int column = 0; column < kColumns; ++column)
    sum += cells[warp][column][kEarlierRows * kColumns + column - lane];
  const std::size_t i = (static_cast<std::size_t>(sensor) * packet.groups + group) * kPositions + lane;
  sums[i] = sums_before[i] + sum;
  // [diagonals]
}

Folded folded_for(int instants) {
  const int most = std::min(instants, kMostInstants) + kGrain - 1;
  return {lockstep::divide_up(most, kStretches * kTileWords) * kTileWords};
}

std::size_t folded_words(int sensors, int instants) { return sensors * folded_for(instants).per_sensor(); }

std::size_t multi_tau_workspace_bytes(int sensors, int instants, int) {
  const std::size_t late = sensors * late_words(std::min(instants, kMostInstants));
  return (folded_words(sensors, instants) + late) * sizeof(unsigned);
}

void multi_tau(const unsigned char* counts, int sensors, int instants, long long elapsed, int groups,
               const unsigned* state_before, const unsigned long long* sums_before, unsigned* state,
               unsigned long long* sums, void* workspace, cudaStream_t stream) {
  auto* const words = static_cast<unsigned*>(workspace);
  unsigned* const late = words + folded_words(sensors, instants);
  const Folded folded = folded_for(instants);
  int done = 0;
  do {
    const int part = std::min(instants - done, kMostInstants);
    const Packet packet{part, static_cast<int>(elapsed % kGrain), elapsed, groups, folded};
    const dim3 tiles(sensors / kLanes, folded.length / kTileWords);
    fold_kernel<<<tiles, kFoldThreads, 0, stream>>>(counts, sensors, packet, words);
    settle_kernel<<<sensors, kThreads, 0, stream>>>(packet, state_before, sums_before, state, sums, words,
                                                    late);
    const dim3 grams(sensors / kGramWarps, std::min(groups, kByteGroups));
    gram_kernel<<<grams, kGramWarps * kLanes, 0, stream>>>(packet, sums_before, sums, words);
    CHECK_CUDA(cudaGetLastError());
    counts += static_cast<std::size_t>(part) * sensors;
    elapsed += part;
    done += part;
    state_before = state;  // the next part goes on from here
    sums_before = sums;
  } while (done < instants);
}
