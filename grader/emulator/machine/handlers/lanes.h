// Loops over the lanes of a warp, written so that the compiler makes vector code of them.
//
// Rows of up to 32 bits a lane are stored as 32-bit words, wider ones as 64-bit words; a narrower value sits
// in the low bits. Included by the files of this folder only, inside the namespace of one instruction-set
// level.
#pragma once

#include <emmintrin.h>

#include <cstdint>
#include <type_traits>

#include "emulator/machine/handlers.h"
#include "emulator/machine/warp.h"

namespace lockstep::emulator::LOCKSTEP_LEVEL {

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
#pragma GCC ivdep
    for (unsigned lane = 0; lane < kLanes; ++lane) d[lane] = stored<T>(f(lane));
  } else {
#pragma GCC ivdep
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
#pragma GCC ivdep
  for (unsigned lane = 0; lane < kLanes; ++lane) flags[lane] = f(lane) ? 0xFF : 0;
  const auto low =
      static_cast<Mask>(_mm_movemask_epi8(_mm_load_si128(reinterpret_cast<const __m128i*>(flags))));
  const auto high =
      static_cast<Mask>(_mm_movemask_epi8(_mm_load_si128(reinterpret_cast<const __m128i*>(flags + 16))));
  return low | high << 16;
}

/// Sets the active lanes' bits of a predicate.
inline void set_predicate(Warp& warp, Slot predicate, Mask value, Mask active) {
  Mask& p = warp.predicates[predicate];
  p = (p & ~active) | (value & active);
}

}  // namespace lockstep::emulator::LOCKSTEP_LEVEL
