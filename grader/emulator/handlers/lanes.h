// Loops over the lanes of a warp, written so that the compiler makes vector code of them.
//
// Rows of up to 32 bits a lane are stored as 32-bit words, wider ones as 64-bit words; a narrower value sits
// in the low bits. Included by the files of this folder only, inside the namespace of one instruction-set
// level.
#pragma once

#include <immintrin.h>

#include <bit>
#include <cstdint>
#include <type_traits>

#include "emulator/handlers/names.h"

/// Before a loop: no iteration reads what another writes. clang finds out by itself.
#ifdef __clang__
#define LOCKSTEP_INDEPENDENT_LANES
#else
#define LOCKSTEP_INDEPENDENT_LANES _Pragma("GCC ivdep")
#endif

namespace lockstep::emulator::handlers::LOCKSTEP_LEVEL {

template <class T>
using Stored = std::conditional_t<(sizeof(T) < 4), std::uint32_t, T>;

/// One lane of a row as a T: rows hold Stored<T>, values narrower than 32 bits are cut.
template <class T>
inline T lane_value(const Stored<T>* values, unsigned lane) {
  return static_cast<T>(values[lane]);
}

/// The row's word for a value: narrow signed results are sign-extended, as cvt to a wider register asks.
template <class T>
inline Stored<T> stored(T value) {
  return static_cast<Stored<T>>(value);
}

/// d[lane] = f(lane) for the active lanes. Rows may be the same row, never overlap otherwise.
template <class T, class F>
[[gnu::always_inline]] inline void for_lanes(Stored<T>* d, Mask active, F f) {
  if (active == kAllLanes) {
    LOCKSTEP_INDEPENDENT_LANES
    for (unsigned lane = 0; lane < kLanes; ++lane) d[lane] = stored<T>(f(lane));
  } else {
    LOCKSTEP_INDEPENDENT_LANES
    for (unsigned lane = 0; lane < kLanes; ++lane) {
      const Stored<T> value = stored<T>(f(lane));
      d[lane] = (active >> lane & 1) != 0 ? value : d[lane];
    }
  }
}

/// Mask of the lanes for which f holds.
template <class F>
[[gnu::always_inline]] inline Mask mask_of_lanes(F f) {
  alignas(32) std::uint8_t flags[kLanes];
  LOCKSTEP_INDEPENDENT_LANES
  for (unsigned lane = 0; lane < kLanes; ++lane) flags[lane] = f(lane) ? 0xFF : 0;
  const auto low =
      static_cast<Mask>(_mm_movemask_epi8(_mm_load_si128(reinterpret_cast<const __m128i*>(flags))));
  const auto high =
      static_cast<Mask>(_mm_movemask_epi8(_mm_load_si128(reinterpret_cast<const __m128i*>(flags + 16))));
  return low | high << 16;
}

/// Least and greatest of the active lanes' values, and the bits that any of them has. `active` is not empty.
template <class T>
struct Extent {
  T low, high, bits;
};
template <class T>
[[gnu::always_inline]] inline Extent<T> extent_of_all(const T* values) {
  Extent<T> extent = {values[0], values[0], values[0]};
  for (unsigned lane = 0; lane < kLanes; ++lane)
    extent.low = values[lane] < extent.low ? values[lane] : extent.low;
  for (unsigned lane = 0; lane < kLanes; ++lane)
    extent.high = values[lane] > extent.high ? values[lane] : extent.high;
  for (unsigned lane = 0; lane < kLanes; ++lane) extent.bits |= values[lane];
  return extent;
}
template <class T>
inline Extent<T> extent_of(Mask active, const T* values) {
  if (active == kAllLanes) return extent_of_all(values);
  // A lane that is not active counts for one that is: reductions without a mask are vector code.
  alignas(64) T filled[kLanes];
  const T some = values[first_lane(active)];
  for (unsigned lane = 0; lane < kLanes; ++lane)
    filled[lane] = (active >> lane & 1) != 0 ? values[lane] : some;
  return extent_of_all(filled);
}

/// Whether all active lanes hold the same value. Most accesses differ between their first and last lane
/// already.
template <class T>
inline bool is_uniform(Mask active, const T* values) {
  const auto last = kLanes - 1 - static_cast<unsigned>(std::countl_zero(active));
  if (values[first_lane(active)] != values[last]) return false;
  const Extent<T> extent = extent_of(active, values);
  return extent.low == extent.high;
}

/// Mask of the lanes that hold `value`.
inline Mask lanes_equal(const std::uint32_t* values, std::uint32_t value) {
#if defined(__AVX512F__)
  const __m512i wanted = _mm512_set1_epi32(static_cast<int>(value));
  const Mask low = _mm512_cmpeq_epi32_mask(_mm512_loadu_si512(values), wanted);
  const Mask high = _mm512_cmpeq_epi32_mask(_mm512_loadu_si512(values + 16), wanted);
  return low | high << 16;
#elif defined(__AVX2__)
  const __m256i wanted = _mm256_set1_epi32(static_cast<int>(value));
  Mask equal = 0;
  for (unsigned lane = 0; lane < kLanes; lane += 8) {
    const __m256i eight = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(values + lane));
    const int mask = _mm256_movemask_ps(_mm256_castsi256_ps(_mm256_cmpeq_epi32(eight, wanted)));
    equal |= static_cast<Mask>(mask) << lane;
  }
  return equal;
#else
  const __m128i wanted = _mm_set1_epi32(static_cast<int>(value));
  Mask equal = 0;
  for (unsigned lane = 0; lane < kLanes; lane += 4) {
    const __m128i four = _mm_loadu_si128(reinterpret_cast<const __m128i*>(values + lane));
    equal |= static_cast<Mask>(_mm_movemask_ps(_mm_castsi128_ps(_mm_cmpeq_epi32(four, wanted)))) << lane;
  }
  return equal;
#endif
}

/// The active lanes whose value no active lane before them has. Each lane is compared with all, none waits
/// for another: that is faster than to strike out what has been seen.
inline Mask first_of_each(Mask active, const std::uint32_t* values) {
  Mask repeats = 0;
  for (unsigned lane = 1; lane < kLanes; ++lane) {
    const Mask before = lanes_equal(values, values[lane]) & active & ((Mask{1} << lane) - 1);
    repeats |= Mask{before != 0} << lane;
  }
  return active & ~repeats;
}

/// Sets the active lanes' bits of a predicate.
inline void set_predicate(Warp& warp, Slot predicate, Mask value, Mask active) {
  Mask& p = warp.predicates[predicate];
  p = (p & ~active) | (value & active);
}

}  // namespace lockstep::emulator::handlers::LOCKSTEP_LEVEL
