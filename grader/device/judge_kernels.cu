// What the judge computes on the GPU for itself: it draws inputs, fills buffers, and sees whether outputs
// that are too large to fetch are right. Only the judge's context runs it, from and on copies that no
// submission reaches.
//
// Bound: memory bandwidth, every array being read or written once; of draw_words() the instructions of AES,
// with which an H200 draws 223 GB/s.
#include <cstdint>
#include <type_traits>

#include "device/judge_work.h"

namespace lockstep::device::aes {

// AES-256 (FIPS 197). A column of the state is a word whose low byte is row 0.
constexpr int kRounds = 14, kKeyWords = 8;
constexpr unsigned kRoundKeyWords = 4 * (kRounds + 1);
constexpr unsigned kBytes = 256, kLanes = 32;

/// In the field of 2^8 elements in which AES computes.
__device__ unsigned product(unsigned a, unsigned b) {
  unsigned sum = 0;
  for (; b != 0; b >>= 1) {
    if (b & 1) sum ^= a;
    a = a << 1 ^ (a >> 7) * 0x11b;
  }
  return sum;
}

/// What SubBytes makes of a byte: its inverse, which is its 254th power, with its bits mixed.
__device__ unsigned substituted(unsigned byte) {
  unsigned inverse = 1;
  for (int bit = 7; bit >= 0; --bit) {
    inverse = product(inverse, inverse);
    if (254 >> bit & 1) inverse = product(inverse, byte);
  }
  const unsigned twice = inverse | inverse << 8;
  return (inverse ^ twice >> 4 ^ twice >> 5 ^ twice >> 6 ^ twice >> 7 ^ 0x63) & 0xff;
}

/// By lines of a lane each, so that lanes that look different bytes up use different banks: what SubBytes and
/// MixColumns make of a byte in row 0, a column. Of row r it is rotated by r bytes. Its second byte is what
/// SubBytes alone makes. Called by as many threads as there are bytes.
__device__ void fill_table(unsigned* table) {
  const unsigned byte = substituted(threadIdx.x), doubled = product(byte, 2);
  const unsigned column = doubled | byte << 8 | byte << 16 | (doubled ^ byte) << 24;
  for (unsigned i = 0; i < kLanes; ++i) table[threadIdx.x * kLanes + (threadIdx.x + i) % kLanes] = column;
}

__device__ unsigned column_of(const unsigned* table, unsigned word, int row) {
  return table[(word >> 8 * row & 0xff) * kLanes];
}

__device__ unsigned substituted_bytes(const unsigned* table, unsigned a, unsigned b, unsigned c, unsigned d) {
  const unsigned low = __byte_perm(column_of(table, a, 0), column_of(table, b, 1), 0x0051);
  const unsigned high = __byte_perm(column_of(table, c, 2), column_of(table, d, 3), 0x5100);
  return __byte_perm(low, high, 0x7610);
}

__device__ void expand_key(const unsigned* table, const unsigned* key, unsigned* round_keys) {
  unsigned constant = 1;
  for (unsigned i = 0; i < kRoundKeyWords; ++i) {
    if (i < kKeyWords) {
      round_keys[i] = key[i];
      continue;
    }
    unsigned word = round_keys[i - 1];
    if (i % kKeyWords == 0) {
      word = __funnelshift_r(word, word, 8);
      word = substituted_bytes(table, word, word, word, word) ^ constant;
      constant = product(constant, 2);
    } else if (i % kKeyWords == 4) {
      word = substituted_bytes(table, word, word, word, word);
    }
    round_keys[i] = round_keys[i - kKeyWords] ^ word;
  }
}

/// Of the counter, a number of 128 bits whose high byte comes first.
__device__ uint4 encrypted_counter(const unsigned* table, const unsigned* round_keys, std::uint64_t counter) {
  const auto reversed = [](std::uint64_t word) {
    return __byte_perm(static_cast<unsigned>(word), 0, 0x0123);
  };
  unsigned state[4] = {0, 0, reversed(counter >> 32), reversed(counter)};
  for (int i = 0; i < 4; ++i) state[i] ^= round_keys[i];
#pragma unroll
  for (int round = 1; round < kRounds; ++round) {
    unsigned mixed[4];
    for (int i = 0; i < 4; ++i) {
      mixed[i] = round_keys[4 * round + i];
      for (int row = 0; row < 4; ++row) {
        const unsigned column = column_of(table, state[(i + row) % 4], row);
        mixed[i] ^= __funnelshift_l(column, column, 8 * row);
      }
    }
    for (int i = 0; i < 4; ++i) state[i] = mixed[i];
  }
  unsigned last[4];
  for (int i = 0; i < 4; ++i) {
    last[i] = round_keys[4 * kRounds + i] ^
              substituted_bytes(table, state[i], state[(i + 1) % 4], state[(i + 2) % 4], state[(i + 3) % 4]);
  }
  return {last[0], last[1], last[2], last[3]};
}

}  // namespace lockstep::device::aes

template <lockstep::course::WordMap map>
__device__ void store_element(const lockstep::device::Drawing& one, std::uint64_t i, unsigned word) {
  const auto element = lockstep::course::element_of<map>(word, one.parameter);
  reinterpret_cast<std::remove_const_t<decltype(element)>*>(one.to)[i] = element;
}

// Blocks of one y, of as many threads as a byte has values, are for one of `drawings`.
extern "C" __global__ void draw_words(const lockstep::device::Drawing* drawings) {
  namespace aes = lockstep::device::aes;
  using lockstep::course::WordMap;
  __shared__ unsigned tables[aes::kBytes * aes::kLanes], round_keys[aes::kRoundKeyWords];
  const lockstep::device::Drawing one = drawings[blockIdx.y];
  aes::fill_table(tables);
  __syncthreads();
  if (threadIdx.x == 0) aes::expand_key(tables, drawings[blockIdx.y].key.data(), round_keys);
  __syncthreads();
  const unsigned* const table = tables + threadIdx.x % aes::kLanes;
  const std::uint64_t end = one.first_word + one.elements;
  const std::uint64_t stride = std::uint64_t{gridDim.x} * blockDim.x;
  for (std::uint64_t block = one.first_word / 4 + std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x;
       4 * block < end; block += stride) {
    const uint4 words = aes::encrypted_counter(table, round_keys, block);
    const unsigned four[4] = {words.x, words.y, words.z, words.w};
    for (int i = 0; i < 4; ++i) {
      const std::uint64_t word = 4 * block + i;
      if (word < one.first_word || word >= end) continue;
      const std::uint64_t element = word - one.first_word;
      switch (one.map) {
        case WordMap::word:
          store_element<WordMap::word>(one, element, four[i]);
          break;
        case WordMap::any_float:
          store_element<WordMap::any_float>(one, element, four[i]);
          break;
        case WordMap::signed_integer:
          store_element<WordMap::signed_integer>(one, element, four[i]);
          break;
        case WordMap::byte_with_flag:
          store_element<WordMap::byte_with_flag>(one, element, four[i]);
          break;
        case WordMap::fraction:
          store_element<WordMap::fraction>(one, element, four[i]);
          break;
      }
    }
  }
}

// `sum` is 0 before. Exact, and so the same in any order, where the sum of the numbers' magnitudes over their
// last common bit is less than 2^53.
extern "C" __global__ void add_up_floats(const float* in, std::uint64_t n, double* sum) {
  double own = 0;
  const std::uint64_t stride = std::uint64_t{gridDim.x} * blockDim.x;
  for (std::uint64_t i = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < n; i += stride)
    own += static_cast<double>(in[i]);
  for (unsigned distance = 16; distance > 0; distance /= 2)
    own += __shfl_down_sync(0xffffffff, own, distance);
  if (threadIdx.x % 32 == 0) atomicAdd(sum, own);
}

// Each buffer is filled by `blocks` blocks.
extern "C" __global__ void fill_buffers(const lockstep::device::Filling* fillings, unsigned blocks,
                                        unsigned poison) {
  const lockstep::device::Filling one = fillings[blockIdx.x / blocks];
  const auto* const from = reinterpret_cast<const uint4*>(one.from);
  auto* const to = reinterpret_cast<uint4*>(one.to);
  const std::uint64_t vectors = one.bytes / sizeof(uint4), stride = std::uint64_t{blocks} * blockDim.x;
  const std::uint64_t first = std::uint64_t{blockIdx.x % blocks} * blockDim.x + threadIdx.x;
  const uint4 poisoned = {poison, poison, poison, poison};
#pragma unroll 4
  for (std::uint64_t i = first; i < vectors; i += stride) to[i] = from == nullptr ? poisoned : from[i];
  const std::uint64_t last = vectors * sizeof(uint4) + first;
  if (last < one.bytes) {
    reinterpret_cast<unsigned char*>(to)[last] = from == nullptr
                                                     ? static_cast<unsigned char>(poison)
                                                     : reinterpret_cast<const unsigned char*>(from)[last];
  }
}

// Counts elements for which |found − expected| ≤ absolute + relative·|expected| does not hold. NaN never
// agrees, and an infinity only with itself.
template <class T>
__device__ void count_wrong(const T* found, const T* expected, std::uint64_t n, double absolute,
                            double relative, unsigned long long* wrong) {
  unsigned long long own = 0;
  const std::uint64_t stride = std::uint64_t{gridDim.x} * blockDim.x;
  for (std::uint64_t i = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < n; i += stride) {
    const T a = found[i], b = expected[i];
    if (a == b) continue;
    const double wanted = static_cast<double>(b);
    const double difference = fabs(static_cast<double>(a) - wanted);
    const double allowed = absolute + relative * fabs(wanted);
    const bool exact = (absolute == 0 && relative == 0) || !isfinite(wanted);
    if (exact || !(difference <= allowed)) ++own;
  }
  if (own != 0) atomicAdd(wrong, own);
}

#define LOCKSTEP_COUNT_WRONG(name, T)                                                               \
  extern "C" __global__ void count_wrong_##name(const T* found, const T* expected, std::uint64_t n, \
                                                double absolute, double relative,                   \
                                                unsigned long long* wrong) {                        \
    count_wrong(found, expected, n, absolute, relative, wrong);                                     \
  }
LOCKSTEP_COUNT_WRONG(u8, std::uint8_t)
LOCKSTEP_COUNT_WRONG(i32, std::int32_t)
LOCKSTEP_COUNT_WRONG(u32, std::uint32_t)
LOCKSTEP_COUNT_WRONG(i64, std::int64_t)
LOCKSTEP_COUNT_WRONG(u64, std::uint64_t)
LOCKSTEP_COUNT_WRONG(f32, float)
LOCKSTEP_COUNT_WRONG(f64, double)

// Copies one chunk a block, from a position that only the seed determines; all of a buffer where it is no
// longer than a chunk. What is longer may have less than a word at its end, which no chunk holds. Blocks of
// one y are for one of `samplings`.
extern "C" __global__ void gather_chunks(const lockstep::device::Sampling* samplings,
                                         std::uint64_t chunk_bytes) {
  const lockstep::device::Sampling one = samplings[blockIdx.y];
  const auto* const from = reinterpret_cast<const std::uint64_t*>(one.from);
  auto* const to = reinterpret_cast<std::uint64_t*>(one.to);
  const std::uint64_t words = chunk_bytes / sizeof(std::uint64_t);
  const std::uint64_t all_words = one.bytes / sizeof(std::uint64_t);
  std::uint64_t z = one.seed + blockIdx.x * 0x9E3779B97F4A7C15;  // SplitMix64
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EB;
  const std::uint64_t first = all_words <= words ? 0 : (z ^ (z >> 31)) % (all_words - words + 1);
  for (std::uint64_t i = threadIdx.x; i < words && first + i < all_words; i += blockDim.x) {
    to[blockIdx.x * words + i] = from[first + i];
  }
  const std::uint64_t last = all_words * sizeof(std::uint64_t) + threadIdx.x;
  if (all_words < words && last < one.bytes) {
    reinterpret_cast<unsigned char*>(to)[blockIdx.x * chunk_bytes + last] =
        reinterpret_cast<const unsigned char*>(from)[last];
  }
}
