// Comparisons, selections and predicate logic. PTX ISA 9.7.6, 9.7.7.
#include <bit>
#include <cmath>
#include <cstdint>

#include "emulator/handlers/comparison.h"
#include "emulator/handlers/float_values.h"
#include "emulator/handlers/tables.h"

namespace lockstep::emulator::handlers::LOCKSTEP_LEVEL {
namespace {

template <class T, Comparison comparison>
Mask compared(const Warp& warp, const Instruction& i) {
  const auto* a = row<Stored<T>>(warp, i.a);
  const auto* b = row<Stored<T>>(warp, i.b);
  return mask_of_lanes(
      [=](unsigned l) { return holds<comparison>(lane_value<T>(a, l), lane_value<T>(b, l)); });
}

template <class T, Comparison comparison>
void set_predicates(Warp& warp, const Instruction& i, Mask active) {
  const Mask result = compared<T, comparison>(warp, i);
  const Combination combination = combination_of(i);
  const Mask with = other_predicate(warp, i, combination);
  if (i.destination != kNoSlot)
    set_predicate(warp, i.destination, combined(combination, result, with), active);
  if (i.vector[0] != kNoSlot) set_predicate(warp, i.vector[0], combined(combination, ~result, with), active);
}

/// set: row c, which holds what stands for true in the result's type, where it holds.
template <class T, Comparison comparison>
void set_values(Warp& warp, const Instruction& i, Mask active) {
  const Combination combination = combination_of(i);
  const Mask result =
      combined(combination, compared<T, comparison>(warp, i), other_predicate(warp, i, combination));
  const auto* truth = row<std::uint32_t>(warp, i.c);
  for_lanes<std::uint32_t>(row<std::uint32_t>(warp, i.destination), active,
                           [=](unsigned l) { return (result >> l & 1) != 0 ? truth[l] : 0U; });
}

template <class T, bool values>
Handler comparing(Comparison comparison) {
#define LOCKSTEP_COMPARISON(which) \
  case Comparison::which:          \
    return values ? set_values<T, Comparison::which> : set_predicates<T, Comparison::which>
  switch (comparison) {
    LOCKSTEP_COMPARISON(equal);
    LOCKSTEP_COMPARISON(not_equal);
    LOCKSTEP_COMPARISON(less);
    LOCKSTEP_COMPARISON(less_equal);
    LOCKSTEP_COMPARISON(greater);
    LOCKSTEP_COMPARISON(greater_equal);
    default:
      break;
  }
  if constexpr (std::is_floating_point_v<T>) {
    switch (comparison) {
      LOCKSTEP_COMPARISON(equal_unordered);
      LOCKSTEP_COMPARISON(not_equal_unordered);
      LOCKSTEP_COMPARISON(less_unordered);
      LOCKSTEP_COMPARISON(less_equal_unordered);
      LOCKSTEP_COMPARISON(greater_unordered);
      LOCKSTEP_COMPARISON(greater_equal_unordered);
      LOCKSTEP_COMPARISON(both_numbers);
      LOCKSTEP_COMPARISON(any_nan);
      default:
        break;
    }
  }
#undef LOCKSTEP_COMPARISON
  return nullptr;
}

template <class T>
void select(Warp& warp, const Instruction& i, Mask active) {
  const T* a = row<T>(warp, i.a);
  const T* b = row<T>(warp, i.b);
  const Mask chosen = (i.reads_flags & 4) != 0 ? ~warp.predicates[i.c] : warp.predicates[i.c];
  for_lanes<T>(row<T>(warp, i.destination), active,
               [=](unsigned l) { return (chosen >> l & 1) != 0 ? a[l] : b[l]; });
}

template <class T, class S, bool flush>
void select_by_sign(Warp& warp, const Instruction& i, Mask active) {
  const T* a = row<T>(warp, i.a);
  const T* b = row<T>(warp, i.b);
  const S* c = row<S>(warp, i.c);
  for_lanes<T>(row<T>(warp, i.destination), active, [=](unsigned l) {
    S sign = c[l];
    if constexpr (flush) sign = flushed(sign);
    return sign >= 0 ? a[l] : b[l];
  });
}
template <class T>
Handler select_by_sign_handler(const Variant& variant) {
  if (variant.source == ptx::Type::f32) {
    return variant.flush ? select_by_sign<T, float, true> : select_by_sign<T, float, false>;
  }
  return variant.source == ptx::Type::s32 && !variant.flush ? select_by_sign<T, std::int32_t, false>
                                                            : nullptr;
}

/// detail: 0 finite, 1 infinite, 2 number, 3 notanumber, 4 normal, which zero counts as, 5 subnormal.
template <class T>
void test_property(Warp& warp, const Instruction& i, Mask active) {
  const T* a = row<T>(warp, i.a);
  const unsigned property = i.detail;
  const Mask result = mask_of_lanes([=](unsigned l) {
    switch (property) {
      case 0:
        return std::isfinite(a[l]);
      case 1:
        return std::isinf(a[l]);
      case 2:
        return !std::isnan(a[l]);
      case 3:
        return std::isnan(a[l]);
      case 4:
        return std::isnormal(a[l]) || a[l] == 0;
      default:
        return std::fpclassify(a[l]) == FP_SUBNORMAL;
    }
  });
  set_predicate(warp, i.destination, result, active);
}

enum class Logic { move, conjunction, disjunction, exclusive, negation };

template <Logic logic>
void predicate_logic(Warp& warp, const Instruction& i, Mask active) {
  const Mask a = (i.reads_flags & 1) != 0 ? ~warp.predicates[i.a] : warp.predicates[i.a];
  Mask result = logic == Logic::negation ? ~a : a;
  if constexpr (logic != Logic::move && logic != Logic::negation) {
    const Mask b = (i.reads_flags & 2) != 0 ? ~warp.predicates[i.b] : warp.predicates[i.b];
    result = logic == Logic::conjunction ? a & b : logic == Logic::disjunction ? a | b : a ^ b;
  }
  set_predicate(warp, i.destination, result, active);
}

template <bool values>
Handler comparing_type(ptx::Type type, Comparison comparison) {
  using ptx::Type;
  // Bit types compare for equality only, as unsigned integers.
  switch (type) {
    case Type::b16:
    case Type::u16:
      return comparing<std::uint16_t, values>(comparison);
    case Type::s16:
      return comparing<std::int16_t, values>(comparison);
    case Type::b32:
    case Type::u32:
      return comparing<std::uint32_t, values>(comparison);
    case Type::s32:
      return comparing<std::int32_t, values>(comparison);
    case Type::b64:
    case Type::u64:
      return comparing<std::uint64_t, values>(comparison);
    case Type::s64:
      return comparing<std::int64_t, values>(comparison);
    case Type::f32:
      return comparing<float, values>(comparison);
    case Type::f64:
      return comparing<double, values>(comparison);
    default:
      return nullptr;
  }
}

}  // namespace

Handler predicate_handler(Operation operation, ptx::Type type, const Variant& variant) {
  const unsigned bytes = ptx::bytes_of(type);
  switch (operation) {
    case Operation::compare:
      return comparing_type<false>(type, variant.comparison);
    case Operation::compare_to_value:
      return comparing_type<true>(variant.source, variant.comparison);
    case Operation::select:
      return bytes == 8 ? select<std::uint64_t> : bytes == 4 || bytes == 2 ? select<std::uint32_t> : nullptr;
    case Operation::select_by_sign:
      return bytes == 8 ? select_by_sign_handler<std::uint64_t>(variant)
                        : select_by_sign_handler<std::uint32_t>(variant);
    case Operation::test_property:
      return type == ptx::Type::f32   ? test_property<float>
             : type == ptx::Type::f64 ? test_property<double>
                                      : nullptr;
    case Operation::move_predicate:
      return predicate_logic<Logic::move>;
    case Operation::and_predicate:
      return predicate_logic<Logic::conjunction>;
    case Operation::or_predicate:
      return predicate_logic<Logic::disjunction>;
    case Operation::xor_predicate:
      return predicate_logic<Logic::exclusive>;
    case Operation::not_predicate:
      return predicate_logic<Logic::negation>;
    default:
      return nullptr;
  }
}

}  // namespace lockstep::emulator::handlers::LOCKSTEP_LEVEL
