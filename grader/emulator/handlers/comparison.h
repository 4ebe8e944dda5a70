// What setp and set of every type share: the relation, and the predicate that the result is combined with.
// Included by the files of this folder only.
#pragma once

#include "emulator/handlers/lanes.h"

namespace lockstep::emulator::handlers::LOCKSTEP_LEVEL {

template <Comparison comparison, class T>
inline bool holds(T a, T b) {
  const bool unordered = a != a || b != b;  // false for integers
  switch (comparison) {
    case Comparison::equal:
      return a == b;
    case Comparison::not_equal:
      return a < b || a > b;
    case Comparison::less:
      return a < b;
    case Comparison::less_equal:
      return a <= b;
    case Comparison::greater:
      return a > b;
    case Comparison::greater_equal:
      return a >= b;
    case Comparison::equal_unordered:
      return unordered || a == b;
    case Comparison::not_equal_unordered:
      return a != b;
    case Comparison::less_unordered:
      return !(a >= b);
    case Comparison::less_equal_unordered:
      return !(a > b);
    case Comparison::greater_unordered:
      return !(a <= b);
    case Comparison::greater_equal_unordered:
      return !(a < b);
    case Comparison::both_numbers:
      return !unordered;
    case Comparison::any_nan:
      return unordered;
  }
  return false;
}

inline Mask combined(Combination combination, Mask result, Mask with) {
  switch (combination) {
    case Combination::none:
      return result;
    case Combination::conjunction:
      return result & with;
    case Combination::disjunction:
      return result | with;
    case Combination::exclusive:
      return result ^ with;
  }
  return result;
}

inline Combination combination_of(const Instruction& i) {
  return static_cast<Combination>(i.detail >> relation::kCombinationShift & 3);
}

/// The predicate operand to combine with, where there is one: vector[1], negated when bit 3 of reads_flags
/// says so.
inline Mask other_predicate(const Warp& warp, const Instruction& i, Combination combination) {
  if (combination == Combination::none) return 0;
  const Mask value = warp.predicates[i.vector[1]];
  return (i.reads_flags & 8) != 0 ? ~value : value;
}

}  // namespace lockstep::emulator::handlers::LOCKSTEP_LEVEL
