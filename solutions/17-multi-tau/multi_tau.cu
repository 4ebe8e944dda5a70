// Multi-tau on tensor cores, the reference. Lecture: 17-multi-tau.
// Four stretches of a packet lie in the bytes of a word each, so that rows of words are rows of an 8-bit
// matrix, and sums of products at 32 delays are a product of matrices. Bound: what a block does once a
// packet, step after step; streams of their own let some sensors be folded while others are correlated.
#include "multi_tau.h"

#include <cuda_pipeline.h>

#include <algorithm>
#include <array>
#include <map>
#include <type_traits>

#include "lockstep/check_cuda.h"
#include "lockstep/divide_up.h"

constexpr int kLanes = 32;
constexpr unsigned kAllLanes = 0xffffffff;
constexpr int kStretches = 4;           // of a packet, one for each byte of a word
constexpr int kByteGroups = 5;          // groups 0 to 4 are multiplied as bytes
constexpr int kFoldedGroups = 6;        // and group 5 is kept as bytes: those after it are made of it
constexpr int kPastWords = 64;          // before a stretch: what its earliest bins are multiplied with
constexpr int kGrain = 32;              // stretches begin where bins of all folded groups do
constexpr int kTileWords = 128;         // of a stretch that a block folds
constexpr int kLengthGrain = 64;        // of stretches
constexpr int kColumns = 16;            // words of a row
constexpr int kMostInstants = 1 << 14;  // at a time: sums of 16 x 48 cells stay below 2^32
constexpr int kMostCounts = 1 << 22;    // of a launch: a large L2 cache has their bins when they are read
constexpr int kChains = 4;              // of launches, each on a stream of its own

// [folded]
/// Where the bins of a sensor are. Bin i of a group counts from where the first stretch begins, perhaps some
/// instants before the packet; it is byte i / length of word i % length. Bins of group 0 are bytes, of the
/// others the low bytes are followed by the high ones. Before each there is room for `past` words.
struct Folded {
  int length;  ///< of a stretch, in instants
  int past;

  __host__ __device__ int words(int group) const { return length >> group; }
  __host__ __device__ int high_bytes(int group) const { return group == 0 ? 0 : past + words(group); }
  __host__ __device__ int begin(int group) const {
    if (group == 0) return past;
    return 2 * group * past + length + 2 * (length - (length >> (group - 1)));
  }
  __host__ __device__ int per_sensor() const {  // whole sectors: those of the next sensor are its own
    constexpr int kSectorWords = 8;
    return (begin(kFoldedGroups) + kSectorWords - 1) / kSectorWords * kSectorWords;
  }
};
// [folded]

/// A packet, and where it lies in the stretches.
struct Packet {
  int instants, skipped;  ///< instants of the first stretch before the packet
  long long elapsed;
  int groups;
  Folded folded;  ///< in the workspace, without a past

  __host__ __device__ int bins(int group) const {  // that end in the packet
    return static_cast<int>(((elapsed + instants) >> group) - (elapsed >> group));
  }
};

// [swizzle]
/// Where word j of a group is. A half-warp reads eight words of each of four rows: of the groups whose rows
/// are read most, rows 2 and 3 of four have their halves exchanged, and no two lanes meet in a bank.
__device__ int swap_of(int group) { return group <= 2 ? kColumns / 2 : 0; }
__device__ int place_of(int j, int swap) { return j ^ (j >> 2 & swap); }
// [swizzle]

/// How far behind its own bins position 0 of a folded group is, in bins.
__device__ int delay_of(int group) { return kPositions - (kPositions >> group); }

// [even-and-odd]
/// 16-bit sums of bytes 0 and 2, and of bytes 1 and 3, of four stretches: as low bytes and as high ones.
__device__ unsigned low_bytes(unsigned even, unsigned odd) { return __byte_perm(even, odd, 0x6240); }
__device__ unsigned high_bytes(unsigned even, unsigned odd) { return __byte_perm(even, odd, 0x7351); }
// [even-and-odd]

constexpr int kFoldThreads = 256;
constexpr int kQuads = kLanes / 4;                // of sensors, whose counts a thread reads at once
constexpr int kFoldRows = kFoldThreads / kQuads;  // of frames that a block reads at once
constexpr int kFoldSteps = kTileWords / kFoldRows;

__global__ void __launch_bounds__(kFoldThreads)
    fold_kernel(const unsigned char* counts, int sensors, Packet packet, unsigned* words) {
  // Vector v of a sensor is at v xor quad: so neither rows nor columns of the tile meet in a bank.
  __shared__ uint4 tile[kLanes][kTileWords / 4];
  const Folded folded = packet.folded;
  const int first_sensor = blockIdx.x * kLanes, first = blockIdx.y * kTileWords;
  const int quad = threadIdx.x % kQuads, own_row = threadIdx.x / kQuads;
  unsigned row[kFoldSteps][kStretches];  // read all before the first is needed
  for (int stretch = 0; stretch < kStretches; ++stretch) {
    const int begin = first + stretch * folded.length - packet.skipped;
    for (int step = 0; step < kFoldSteps; ++step) {
      const int j = own_row + step * kFoldRows, i = begin + j;
      const bool is_there = 0 <= i && i < packet.instants && first + j < folded.length;
      const unsigned char* const frame = counts + static_cast<std::size_t>(i) * sensors + first_sensor;
      row[step][stretch] = is_there ? reinterpret_cast<const unsigned*>(frame)[quad] : 0;
    }
  }
  // [four-by-four]
  // A thread has the counts of four sensors at the same instant of all four stretches.
  for (int step = 0; step < kFoldSteps; ++step) {
    const unsigned* const own = row[step];
    const unsigned a = __byte_perm(own[0], own[1], 0x5140), b = __byte_perm(own[2], own[3], 0x5140);
    const unsigned c = __byte_perm(own[0], own[1], 0x7362), d = __byte_perm(own[2], own[3], 0x7362);
    const int j = own_row + step * kFoldRows, place = (j / 4 ^ quad) * 4 + j % 4;
    reinterpret_cast<unsigned*>(tile[4 * quad])[place] = __byte_perm(a, b, 0x5410);
    reinterpret_cast<unsigned*>(tile[4 * quad + 1])[place] = __byte_perm(a, b, 0x7632);
    reinterpret_cast<unsigned*>(tile[4 * quad + 2])[place] = __byte_perm(c, d, 0x5410);
    reinterpret_cast<unsigned*>(tile[4 * quad + 3])[place] = __byte_perm(c, d, 0x7632);
  }
  // [four-by-four]
  __syncthreads();  // words of all sensors
  const int lane = threadIdx.x % kLanes, j = first + 4 * lane;
  for (int s = threadIdx.x / kLanes; s < kLanes; s += kFoldThreads / kLanes) {
    unsigned* const own = words + static_cast<std::size_t>(first_sensor + s) * folded.per_sensor();
    const bool is_there = j < folded.length;
    // [bins-of-words]
    const uint4 four = tile[s][lane ^ s / 4];
    constexpr unsigned kEven = 0x00ff00ff;
    const unsigned even = (four.x & kEven) + (four.y & kEven),
                   even_right = (four.z & kEven) + (four.w & kEven);
    const unsigned odd = (four.x >> 8 & kEven) + (four.y >> 8 & kEven);
    const unsigned odd_right = (four.z >> 8 & kEven) + (four.w >> 8 & kEven);
    unsigned* const low = own + folded.begin(1) + j / 2;
    if (is_there) {
      *reinterpret_cast<uint4*>(own + j) = four;
      *reinterpret_cast<uint2*>(low) = {low_bytes(even, odd), low_bytes(even_right, odd_right)};
      *reinterpret_cast<uint2*>(low + folded.high_bytes(1)) = {high_bytes(even, odd),
                                                               high_bytes(even_right, odd_right)};
    }
    // [bins-of-words]
    // [bins-of-lanes]
    unsigned evens = even + even_right, odds = odd + odd_right;
    for (int g = 2; g < kFoldedGroups; ++g) {
      const int lanes = 1 << (g - 2);  // that have the same bin
      unsigned* const bin = own + folded.begin(g) + (j >> g);
      if (is_there && lane % lanes == 0) {
        bin[0] = low_bytes(evens, odds);
        bin[folded.high_bytes(g)] = high_bytes(evens, odds);
      }
      evens += __shfl_xor_sync(kAllLanes, evens, lanes);
      odds += __shfl_xor_sync(kAllLanes, odds, lanes);
    }
    // [bins-of-lanes]
  }
}

/// A folded group of one sensor. Bin 1 is the first that ends in the packet, bin 0 the last before it.
struct Bins {
  const unsigned* low;   ///< word 0
  int high;              ///< from low bytes to high ones; 0 if there are none
  int words;             ///< of a stretch
  int skipped;           ///< bins of the first stretch before bin 1
  int count;             ///< bins that end in the packet
  unsigned zero_delay;   ///< what bin 1 had before the packet
  const unsigned* past;  ///< bins 0, -1, …
  int swap;              ///< of the group

  __device__ int place(int j) const { return place_of(j, swap); }

  __device__ unsigned folded(int i) const {
    const int bin = skipped + i - 1;  // a division would take longer than three comparisons
    const int stretch = (bin >= words) + (bin >= 2 * words) + (bin >= 3 * words);
    const int j = place(bin - stretch * words), shift = 8 * stretch;
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
  /// The same bins of four stretches, low bytes and high ones.
  __device__ uint2 word(int j) const {
    uint2 bytes = {0, 0};
    int known = 0;  // stretches whose bytes are there
    if (words >= kPastWords + kGrain) {
      // Before its first word a stretch has the last of the stretch before, as it is but for what has begun.
      const int from = place(j < 0 ? j + words : j), shift = j < 0 ? 8 : 0;
      bytes = {low[from] << shift, high == 0 ? 0 : low[high + from] << shift};
      for (int stretch = 0; stretch < kStretches; ++stretch) {
        const unsigned others = j + stretch * words == skipped + count ? ~(0xffU << 8 * stretch) : ~0U;
        bytes = {bytes.x & others, bytes.y & others};
      }
      if (j > skipped) return bytes;
      bytes = {bytes.x & ~0xffU, bytes.y & ~0xffU};
      known = kStretches - 1;
    }
    for (int stretch = 0; stretch < kStretches - known; ++stretch) {
      const unsigned bin = (*this)[j + stretch * words - skipped + 1];
      bytes.x |= (bin & 0xff) << 8 * stretch;
      bytes.y |= (bin >> 8) << 8 * stretch;
    }
    return bytes;
  }
};

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

constexpr int kWarps = 8;
constexpr int kThreads = kWarps * kLanes;
constexpr int kLateGroups = kMostGroups - kByteGroups;
constexpr int kLateUnits = 16;  // of work: 8 of group 5, 4 of group 6, 2, 1, and 1 of group 9
constexpr int kRowsBack = 3;    // 32 delays reach from a row into the two before it
constexpr int kRows = 8;        // of words that a warp multiplies at a time
constexpr int kStepWords = kRows * kColumns;
constexpr int kCellRow = kRowsBack * kColumns + 1;  // one more: rows begin in other banks
constexpr int kCells = kColumns * kCellRow;         // pairs of columns whose bins are multiplied

/// A group of one sensor whose bins are words: those that end in the packet, and delayed ones from position
/// 32 of the state before it on. Three zeros follow on the newest, and something to read on the delayed, as
/// four are read at a time.
struct LateGroup {
  int count;
  unsigned* newest;   ///< bin 1 is at a multiple of 16 bytes
  unsigned* delayed;  ///< bin k is multiplied with delayed[k + kPositions - p] at position p
};

/// What a block keeps in shared memory of its sensor, beside the folded words and the bins of late groups.
struct Shared {
  unsigned long long late_sums[kLateUnits][kPositions];
  unsigned before[kMostGroups * kStateWords];
  unsigned past[kFoldedGroups][kPastWords];
  int next_unit, late_is_there;
  alignas(uint4) unsigned cells[kByteGroups][kCells];
};

/// Words for groups 5 and later of a sensor, two arrays each.
__host__ __device__ int late_words(int instants) {
  return 4 * (instants / kPositions + 8) + kLateGroups * (kPositions + 16);
}

/// Units of work for the products of a late group, and the first of them.
__device__ int late_units(int late_index) { return max(kLateUnits / 2 >> late_index, 1); }
__device__ int first_late_unit(int late_index) { return kLateUnits - (kLateUnits >> late_index); }

/// Where the bins of a group after the byte groups are.
__device__ LateGroup late_group(const Packet& packet, int group, unsigned* late) {
  // In the first, delayed bins are newest ones of 63 bins ago.
  LateGroup result{packet.bins(kByteGroups), late + kPastWords - 1, late};
  int end = kPastWords + result.count + 3;
  for (int g = kByteGroups + 1; g <= group; ++g) {
    const int count = packet.bins(g), newest = (end + 3) / 4 * 4 + 3;
    result = {count, late + newest, late + newest + count + 4};
    end = newest + 2 * count + 8 + kPositions;
  }
  return result;
}

/// Bins of the next group: each is the sum of two, of which the first has an odd number. `waiting` is bin 0.
__device__ void warp_add_pairs(const LateGroup& from, const LateGroup& to, bool last_is_odd,
                               unsigned waiting) {
  for (int i = threadIdx.x % kLanes; i < to.count + 3; i += kLanes) {
    const int second = 2 * (i + 1) - last_is_odd;
    unsigned newest = 0, delayed = 0;
    if (i < to.count) {
      newest = (second == 1 ? waiting : from.newest[second - 1]) + from.newest[second];
      delayed = from.delayed[second - 1] + from.delayed[second];
    }
    to.newest[i + 1] = newest;
    to.delayed[kPositions + i + 1] = delayed;
  }
}

/// Adds up products of a group's bins, of every `parts`-th step: a cell is of bins in one column of a row of
/// words with bins in one column `back` rows before. kBytes: of a bin.
template <int kBytes>
__device__ void warp_gram(const Bins& bins, int delay, int back, int part, int parts, unsigned* cells) {
  const int lane = threadIdx.x % kLanes, row = lane % 4, pair = lane / 4;
  unsigned products[2 * kBytes - 1][2][4] = {};  // by weight, and by which of two neighbouring columns
  unsigned newest[kBytes][4], past[kBytes][2][2];
  // [fragments]
  const int own_place = row * kColumns + 2 * pair, other_place = own_place - delay - back * kColumns;
  const unsigned* const own_words = bins.low + bins.place(own_place);
  const unsigned* const other_words = bins.low + bins.place(other_place);
  // Away from the ends of a stretch all words are there, and all are newest.
  const auto load = [&](int first, auto is_inner) {
    for (int i = 0; i < kBytes * 2; ++i) {
      const int byte = i / 2, half = i % 2;  // of the rows
      const int begin = first + half * kRows / 2 * kColumns, j = begin + own_place;
      const auto two_words = [&](const unsigned* at, int k) {
        const bool is_there = decltype(is_inner)::value || k < bins.words;
        return is_there ? *reinterpret_cast<const uint2*>(at + byte * bins.high + begin) : uint2{};
      };
      const uint2 own = two_words(own_words, j), other = two_words(other_words, begin + other_place);
      const int before = decltype(is_inner)::value ? 0 : bins.skipped - j;  // own words before the packet
      newest[byte][2 * half] = before > 0 ? own.x & 0xffffff00 : own.x;
      newest[byte][2 * half + 1] = before > 1 ? own.y & 0xffffff00 : own.y;
      past[byte][0][half] = other.x, past[byte][1][half] = other.y;
    }
  };
  // [fragments]
  // [gram]
  for (int first = part * kStepWords; first < bins.words; first += parts * kStepWords) {
    if (first > 0 && first + kStepWords <= bins.words) {
      load(first, std::true_type());
    } else {
      load(first, std::false_type());
    }
    for (int i = 0; i < kBytes * kBytes * 2; ++i) {
      const int own = i / 2 % kBytes, other = i / 2 / kBytes;
      warp_multiply_bytes(products[own + other][i % 2], newest[own], past[other][i % 2]);
    }
  }
  // [gram]
  for (int side = 0; side < 2; ++side) {
    for (int i = 0; i < 4; ++i) {
      unsigned sum = 0;
      for (int weight = 0; weight < 2 * kBytes - 1; ++weight) sum += products[weight][side][i] << 8 * weight;
      // The matrices' columns are every other of the words'.
      const int own = 2 * pair + i / 2, other = 2 * (2 * row + i % 2) + side;
      atomicAdd(&cells[own * kCellRow + (kRowsBack - 1 - back) * kColumns + other], sum);
    }
  }
}

/// Block of one sensor: everything but the folding.
__global__ void __launch_bounds__(kThreads, 4)
    correlate_kernel(Packet packet, const unsigned* state_before, const unsigned long long* sums_before,
                     unsigned* state, unsigned long long* sums, const unsigned* folded_words) {
  extern __shared__ uint4 dynamic[];
  Shared& shared = *reinterpret_cast<Shared*>(dynamic);
  const Folded folded{packet.folded.length, kPastWords};
  auto* const words = reinterpret_cast<unsigned*>(&shared + 1);
  unsigned* const late = words + folded.per_sensor();
  const int thread = threadIdx.x, lane = thread % kLanes, warp = thread / kLanes;
  const int groups = packet.groups, folded_groups = min(groups, kFoldedGroups);
  const std::size_t sensor_groups = static_cast<std::size_t>(blockIdx.x) * groups;
  state_before += sensor_groups * kStateWords;
  state += sensor_groups * kStateWords;

  const unsigned* const own =
      folded_words + static_cast<std::size_t>(blockIdx.x) * packet.folded.per_sensor();
  const bool is_last_warp = warp == kWarps - 1;
  // [copy]
  // Copies that nobody waits for one by one: all are on their way together.
  if (is_last_warp) {
    for (int i = lane; i < groups * kStateWords; i += kLanes)
      __pipeline_memcpy_async(&shared.before[i], &state_before[i], sizeof(unsigned));
    __pipeline_commit();
  }
  const auto copy = [&](int g, int plane, int share, int shares, auto vector) {
    constexpr int kWords = sizeof vector / sizeof(unsigned);
    const unsigned* const from = own + packet.folded.begin(g) + plane * folded.words(g);
    unsigned* const to = words + folded.begin(g) + plane * folded.high_bytes(g);
    for (int j = kWords * (share * kLanes + lane); j < folded.words(g); j += kWords * kLanes * shares)
      __pipeline_memcpy_async(to + place_of(j, swap_of(g)), from + j, sizeof vector);
  };
  if (warp < 2) copy(0, 0, warp, 2, uint4{});  // each has a part: low or high bytes of a group, or of several
  const int last_group = min(warp < 6 ? warp / 2 : kByteGroups - 1, groups - 1);
  for (int g = warp / 2; g > 0 && g <= last_group; ++g) copy(g, warp % 2, 0, 1, uint4{});
  if (warp >= 6 && groups > kByteGroups) copy(kByteGroups, warp % 2, 0, 1, uint2{});
  __pipeline_commit();
  // [copy]
  // A warp adds up groups at the end; it asks for the sums before now.
  constexpr int kTurns = (kMostGroups + kWarps - 1) / kWarps;
  const std::size_t own_sum = (sensor_groups + warp) * kPositions + lane;
  unsigned long long group_sums[kTurns];
  for (int turn = 0; turn < kTurns; ++turn)
    group_sums[turn] = warp + turn * kWarps < groups ? sums_before[own_sum + turn * kThreads] : 0;
  static_assert(kCells % 4 == 0 && sizeof shared.late_sums % sizeof(uint4) == 0);
  for (int i = thread; i < kByteGroups * kCells / 4; i += kThreads)
    reinterpret_cast<uint4*>(shared.cells)[i] = uint4{};
  if (thread == 0) shared.next_unit = shared.late_is_there = 0;

  // [past]
  // The last 64 bins before the packet: a position of the group has one, or it is the sum of two bins of the
  // group before.
  if (is_last_warp) {
    __pipeline_wait_prior(1);
    for (int g = 0; g < folded_groups; ++g) {
      __syncwarp();  // the state, and the group before
      for (int i = lane; i < kPastWords; i += kLanes) {
        const int position = i - delay_of(g), second = 2 * i + static_cast<int>(2 * packet.elapsed >> g & 1);
        shared.past[g][i] = position > kPositions ? 0
                            : position >= 0       ? shared.before[g * kStateWords + position]
                                            : shared.past[g - 1][second] + shared.past[g - 1][second + 1];
      }
    }
  }
  // [past]
  __pipeline_wait_prior(0);
  __syncthreads();  // the words, the state, what was before, and cells without products
  const auto bins_of = [&](int g) {
    return Bins{words + folded.begin(g), folded.high_bytes(g),
                folded.words(g),         packet.skipped >> g,
                packet.bins(g),          shared.before[g * kStateWords + kPositions + 1],
                shared.past[g],          swap_of(g)};
  };
  const auto begun_of = [&](int g) {  // what there is of the bin after the last
    return (packet.elapsed + packet.instants) % (1 << g) == 0 ? 0 : bins_of(g).begun();
  };

  // [mended-words]
  // The words before the stretches, up to where the packet begins in the first, and where it ends.
  constexpr int kBegin = kPastWords + kGrain, kMended = 128;
  constexpr int kMendedTurns = (kByteGroups * kMended + kThreads - 1) / kThreads;
  uint2 mended[kMendedTurns];
  for (int i = 0; i < kMendedTurns; ++i) {
    const int g = thread / kMended + i * kThreads / kMended, place = thread % kMended;
    if (g >= min(groups, kByteGroups) || place > kBegin) continue;
    const Bins bins = bins_of(g);
    mended[i] = bins.word(place < kBegin ? place - kPastWords : (bins.skipped + bins.count) % bins.words);
  }
  // [mended-words]
  for (int i = thread; i < min(groups, kByteGroups) * kStateWords; i += kThreads) {
    const int g = i / kStateWords, word = i % kStateWords;
    const Bins bins = bins_of(g);
    state[i] = word <= kPositions ? bins[bins.count - delay_of(g) - word] : begun_of(g);
  }
  // [late-groups]
  unsigned begun = 0;
  if (groups > kByteGroups) {
    const Bins bins = bins_of(kByteGroups);
    unsigned* const newest = late_group(packet, kByteGroups, late).newest;
    for (int k = 1 - kPastWords + thread; k <= bins.count + 3; k += kThreads) newest[k] = bins[k];
    if (is_last_warp) begun = begun_of(kByteGroups);
  }
  // [late-groups]
  __syncthreads();  // all have read the words as they were
  for (int i = 0; i < kMendedTurns; ++i) {
    const int g = thread / kMended + i * kThreads / kMended, place = thread % kMended;
    if (g >= min(groups, kByteGroups) || place > kBegin) continue;
    const Bins bins = bins_of(g);
    const int end = bins.skipped + bins.count, j = place < kBegin ? place - kPastWords : end % bins.words;
    const bool is_mended =
        place < kBegin ? j <= bins.skipped : end < kStretches * bins.words && j > bins.skipped;
    if (is_mended) words[folded.begin(g) + bins.place(j)] = mended[i].x;
    if (is_mended && g > 0) words[folded.begin(g) + folded.high_bytes(g) + bins.place(j)] = mended[i].y;
  }
  __syncthreads();  // the mended words, and group 5

  // One warp makes the late groups, each of the one before, while the others multiply.
  if (is_last_warp) {
    for (int g = kByteGroups; g < groups; ++g) {
      const unsigned* const before = shared.before + g * kStateWords;
      const LateGroup group = late_group(packet, g, late);
      // [last-warp]
      if (g > kByteGroups) {
        const LateGroup from = late_group(packet, g - 1, late);
        // A bin of odd number waits in this group's register for its second.
        const unsigned waiting = before[kPositions + 1] - before[kPositions + 1 - kStateWords];
        if (((packet.elapsed + packet.instants) >> (g - 1)) % 2 != 0)
          begun += from.count == 0 ? waiting : from.newest[from.count];
        warp_add_pairs(from, group, (packet.elapsed >> (g - 1)) % 2 != 0, waiting);
        for (int p = lane; p <= kPositions; p += kLanes) group.delayed[kPositions - p] = before[p];
        __syncwarp();  // the bins of this group
      }
      for (int p = lane; p <= kPositions; p += kLanes)
        state[g * kStateWords + p] = group.delayed[group.count + kPositions - p];
      // [last-warp]
      if (lane == 0) state[g * kStateWords + kPositions + 1] = begun;
    }
    if (lane == 0) {
      __threadfence_block();  // the bins before the word that they are there
      atomicExch(&shared.late_is_there, 1);
    }
  }

  // A share of a late group's products.
  const auto multiply_late = [&](int unit) {
    int late_index = 0;  // half of the units are of the first group, half of the others of the next, …
    while (late_index < kLateGroups - 1 && unit >= first_late_unit(late_index + 1)) ++late_index;
    if (kByteGroups + late_index >= groups) return;
    if (lane == 0) {
      while (atomicAdd(&shared.late_is_there, 0) == 0) __nanosleep(100);
      __threadfence_block();
    }
    __syncwarp();
    const LateGroup of = late_group(packet, kByteGroups + late_index, late);
    const int part = unit - first_late_unit(late_index), parts = late_units(late_index);
    const int share = (of.count + 4 * parts - 1) / (4 * parts) * 4, first = 1 + part * share;
    const int end = min(first + share, of.count + 1);
    // [late-products]
    unsigned long long products = 0;
#pragma unroll 4
    for (int k = first; k < end; k += 4) {
      const uint4 newest = *reinterpret_cast<const uint4*>(of.newest + k);  // the same for all lanes
      const unsigned* const delayed = of.delayed + kPositions + k - lane;
      products += static_cast<unsigned long long>(newest.x) * delayed[0];
      products += static_cast<unsigned long long>(newest.y) * delayed[1];
      products += static_cast<unsigned long long>(newest.z) * delayed[2];
      products += static_cast<unsigned long long>(newest.w) * delayed[3];
    }
    shared.late_sums[unit][lane] = products;
    // [late-products]
  };
  // [units]
  // Units of like work, for each distance of rows: two halves of group 1, group 0, 2, and groups 3 and 4.
  constexpr int kUnits = 5 * kRowsBack;
  while (true) {
    int i = 0;
    if (lane == 0) i = atomicAdd(&shared.next_unit, 1);
    i = __shfl_sync(kAllLanes, i, 0);
    if (i >= kUnits + kLateUnits) break;
    if (i >= kUnits) {
      multiply_late(i - kUnits);
      continue;
    }
    const int back = i % kRowsBack, unit = i / kRowsBack;
    if (unit == 2) {
      warp_gram<1>(bins_of(0), 0, back, 0, 1, shared.cells[0]);
      continue;
    }
    const int parts = unit < 2 ? 2 : 1, first = unit < 2 ? 1 : unit - 1, last = unit == 4 ? 4 : first;
    for (int g = first; g <= last && g < groups; ++g)
      warp_gram<2>(bins_of(g), delay_of(g), back, unit % parts, parts, shared.cells[g]);
  }
  // [units]
  __syncthreads();  // all products

  // [diagonals]
  // A lane adds up all pairs of columns that are as far apart as its position says.
  for (int turn = 0; turn < kTurns && warp + turn * kWarps < groups; ++turn) {
    const int g = warp + turn * kWarps;
    unsigned long long& sum = group_sums[turn];
    if (g < kByteGroups) {
      for (int column = 0; column < kColumns; ++column)
        sum += shared.cells[g][column * kCellRow + (kRowsBack - 1) * kColumns + column - lane];
    } else {
      const int first = first_late_unit(g - kByteGroups);
      for (int i = 0; i < late_units(g - kByteGroups); ++i) sum += shared.late_sums[first + i][lane];
    }
    sums[own_sum + turn * kThreads] = sum;
  }
  // [diagonals]
}

/// How a call is cut into packets of some sensors and instants each.
struct Plan {
  int instants, sensors;
  Folded folded;

  std::size_t words() const { return static_cast<std::size_t>(sensors) * folded.per_sensor(); }
  int chains(int all_sensors) const {
    return std::clamp(lockstep::divide_up(all_sensors, sensors), 1, kChains);
  }
  std::size_t shared_bytes() const {
    const Folded with_past{folded.length, kPastWords};
    return sizeof(Shared) + (with_past.per_sensor() + late_words(instants)) * sizeof(unsigned);
  }
};

Plan plan_for(int sensors, int instants) {
  const int part = std::min(instants, kMostInstants);
  const int stretch = lockstep::divide_up(part + kGrain - 1, kStretches * kLengthGrain) * kLengthGrain;
  const int at_a_time = std::max(kMostCounts / std::max(part, 1) / kLanes, 1) * kLanes;
  return {part, std::min(sensors, at_a_time), {stretch, 0}};
}

/// A stream that waits for no other, and where events tell how far it has come.
struct Side {
  Side() {
    CHECK_CUDA(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    CHECK_CUDA(cudaEventCreateWithFlags(&ended, cudaEventDisableTiming));
  }
  Side(const Side&) = delete;
  Side& operator=(const Side&) = delete;
  ~Side() {
    cudaEventDestroy(ended);
    cudaStreamDestroy(stream);
  }
  cudaStream_t stream = nullptr;
  cudaEvent_t ended = nullptr;
};

/// The caller's stream and others beside it: what is on one waits for nothing on the others.
class Fork {
 public:
  // [chains]
  /// All begin when what is on `stream` has ended.
  Fork(cudaStream_t stream, int chains) : stream_(stream), chains_(chains) {
    if (chains_ == 1) return;
    sides_ = sides_of_device();
    // The first side's event is free until join.
    CHECK_CUDA(cudaEventRecord(sides_[0].ended, stream_));
    for (int i = 1; i < chains_; ++i) CHECK_CUDA(cudaStreamWaitEvent(chain(i), sides_[0].ended));
  }
  cudaStream_t chain(int i) const { return i == 0 ? stream_ : sides_[i - 1].stream; }
  /// What comes on the caller's stream waits for all.
  void join() const {
    for (int i = 1; i < chains_; ++i) {
      CHECK_CUDA(cudaEventRecord(sides_[i - 1].ended, chain(i)));
      CHECK_CUDA(cudaStreamWaitEvent(stream_, sides_[i - 1].ended));
    }
  }
  // [chains]

 private:
  // [sides]
  /// Made once for each device, to which streams and events belong, and for each thread of the host: another
  /// could record an event between this one's record and wait. A thread that captures a call into a graph
  /// ends the capture before it calls for anything else.
  static const Side* sides_of_device() {
    thread_local std::map<int, std::array<Side, kChains - 1>> made;
    int device;
    CHECK_CUDA(cudaGetDevice(&device));
    return made[device].data();
  }
  // [sides]

  cudaStream_t stream_;
  int chains_;
  const Side* sides_ = nullptr;
};

int most_shared_bytes() {
  int device, bytes;
  CHECK_CUDA(cudaGetDevice(&device));
  CHECK_CUDA(cudaDeviceGetAttribute(&bytes, cudaDevAttrMaxSharedMemoryPerBlockOptin, device));
  return bytes;
}

std::size_t multi_tau_workspace_bytes(int sensors, int instants, int) {
  const Plan plan = plan_for(sensors, instants);
  return plan.chains(sensors) * plan.words() * sizeof(unsigned);
}

void multi_tau(const unsigned char* counts, int sensors, int instants, long long elapsed, int groups,
               const unsigned* state_before, const unsigned long long* sums_before, unsigned* state,
               unsigned long long* sums, void* workspace, cudaStream_t stream) {
  const Plan plan = plan_for(sensors, instants);
  // All that a block may have, not what this call needs: threads of the host share the bound.
  CHECK_CUDA(cudaFuncSetAttribute(correlate_kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                  most_shared_bytes()));
  const int chains = plan.chains(sensors);
  const Fork fork(stream, chains);
  int done = 0;
  do {
    const int part = std::min(instants - done, plan.instants);
    const Packet packet{part, static_cast<int>(elapsed % kGrain), elapsed, groups, plan.folded};
    // A sensor is in the same chain in every part, so that its state is there.
    for (int first = 0, chain = 0; first < sensors; first += plan.sensors, chain = (chain + 1) % chains) {
      const int some = std::min(sensors - first, plan.sensors);
      const std::size_t states = std::size_t{1} * first * groups * kStateWords;
      const std::size_t positions = std::size_t{1} * first * groups * kPositions;
      const dim3 tiles(some / kLanes, lockstep::divide_up(plan.folded.length, kTileWords));
      unsigned* const words = static_cast<unsigned*>(workspace) + chain * plan.words();
      fold_kernel<<<tiles, kFoldThreads, 0, fork.chain(chain)>>>(counts + first, sensors, packet, words);
      correlate_kernel<<<some, kThreads, plan.shared_bytes(), fork.chain(chain)>>>(
          packet, state_before + states, sums_before + positions, state + states, sums + positions, words);
      CHECK_CUDA(cudaGetLastError());
    }
    counts += static_cast<std::size_t>(part) * sensors;
    elapsed += part;
    done += part;
    state_before = state;  // the next part goes on from here
    sums_before = sums;
  } while (done < instants);
  fork.join();
}
