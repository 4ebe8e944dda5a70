// setp and set of f16, bf16, two of them to a lane, and of f32 with .ftz. PTX ISA 9.7.5, 9.7.7.
//
// Operands become floats, so that one comparison serves all. detail: a Comparison and a Combination as
// handlers.h places them, and narrow::kFlush.
#include <cstdint>

#include "emulator/handlers/comparison.h"
#include "emulator/handlers/narrow_float.h"
#include "emulator/handlers/tables.h"

namespace lockstep::emulator::handlers::LOCKSTEP_LEVEL {
namespace {

template <Comparison comparison>
Mask compared(const float* a, const float* b) {
  return mask_of_lanes([=](unsigned l) { return holds<comparison>(a[l], b[l]); });
}

Mask compared(Comparison comparison, const float* a, const float* b) {
  using enum Comparison;
  switch (comparison) {
    case equal:
      return compared<equal>(a, b);
    case not_equal:
      return compared<not_equal>(a, b);
    case less:
      return compared<less>(a, b);
    case less_equal:
      return compared<less_equal>(a, b);
    case greater:
      return compared<greater>(a, b);
    case greater_equal:
      return compared<greater_equal>(a, b);
    case equal_unordered:
      return compared<equal_unordered>(a, b);
    case not_equal_unordered:
      return compared<not_equal_unordered>(a, b);
    case less_unordered:
      return compared<less_unordered>(a, b);
    case less_equal_unordered:
      return compared<less_equal_unordered>(a, b);
    case greater_unordered:
      return compared<greater_unordered>(a, b);
    case greater_equal_unordered:
      return compared<greater_equal_unordered>(a, b);
    case both_numbers:
      return compared<both_numbers>(a, b);
    case any_nan:
      return compared<any_nan>(a, b);
  }
  return 0;
}

/// The values of a row as floats: of f32, or of the code that begins at bit `shift` of each lane.
template <class F>
void read_values(const std::uint32_t* codes, unsigned shift, bool flush, float* values) {
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    const std::uint32_t code = codes[lane] >> shift & 0xFFFF;
    values[lane] = F::value(flush ? flushed_code<F>(code) : code);
  }
}
template <>
void read_values<float>(const std::uint32_t* codes, unsigned, bool flush, float* values) {
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    const auto value = std::bit_cast<float>(codes[lane]);
    values[lane] = flush ? flushed(value) : value;
  }
}

template <class F>
Mask compared_row(const Warp& warp, const Instruction& i, unsigned shift) {
  alignas(64) float a[kLanes], b[kLanes];
  const bool flush = (i.detail & narrow::kFlush) != 0;
  read_values<F>(row<std::uint32_t>(warp, i.a), shift, flush, a);
  read_values<F>(row<std::uint32_t>(warp, i.b), shift, flush, b);
  return compared(static_cast<Comparison>(i.detail >> relation::kComparisonShift & 0xF), a, b);
}

/// One value to a lane: the second predicate is the combination of the opposite. Two: one predicate for each.
template <class F, bool packed>
void set_predicates(Warp& warp, const Instruction& i, Mask active) {
  const Combination combination = combination_of(i);
  const Mask with = other_predicate(warp, i, combination);
  const Mask first = compared_row<F>(warp, i, 0);
  const Mask second = packed ? compared_row<F>(warp, i, 16) : ~first;
  if (i.destination != kNoSlot)
    set_predicate(warp, i.destination, combined(combination, first, with), active);
  if (i.vector[0] != kNoSlot) set_predicate(warp, i.vector[0], combined(combination, second, with), active);
}

/// Row c holds what stands for true, in each half when there are two.
template <class F, bool packed>
void set_values(Warp& warp, const Instruction& i, Mask active) {
  const Combination combination = combination_of(i);
  const Mask with = other_predicate(warp, i, combination);
  const Mask first = combined(combination, compared_row<F>(warp, i, 0), with);
  const Mask second = packed ? combined(combination, compared_row<F>(warp, i, 16), with) : first;
  const auto* truth = row<std::uint32_t>(warp, i.c);
  for_lanes<std::uint32_t>(row<std::uint32_t>(warp, i.destination), active, [=](unsigned l) {
    const std::uint32_t low = (first >> l & 1) != 0 ? truth[l] : 0;
    const std::uint32_t high = (second >> l & 1) != 0 ? truth[l] : 0;
    return packed ? (low & 0xFFFF) | (high & 0xFFFF'0000) : low;
  });
}

template <class F, bool packed>
Handler choose(bool to_value) {
  return to_value ? set_values<F, packed> : set_predicates<F, packed>;
}

}  // namespace

Handler narrow_comparison_handler(ptx::Type compared, bool to_value) {
  switch (compared) {
    case ptx::Type::f32:
      return choose<float, false>(to_value);
    case ptx::Type::f16:
      return choose<Half, false>(to_value);
    case ptx::Type::f16x2:
      return choose<Half, true>(to_value);
    case ptx::Type::bf16:
      return choose<Bfloat16, false>(to_value);
    case ptx::Type::bf16x2:
      return choose<Bfloat16, true>(to_value);
    default:
      return nullptr;
  }
}

}  // namespace lockstep::emulator::handlers::LOCKSTEP_LEVEL
