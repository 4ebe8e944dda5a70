// What the lanes of a warp compute one by one: the names under which handlers are found, with a type.
#pragma once

#include <cstdint>

namespace lockstep::emulator::instructions {

enum class Operation : std::uint8_t {
  none,  ///< computed by a handler that is found another way: memory, warps, textures, …
  // one, two or three operands of one type
  move,
  add,
  subtract,
  multiply_low,
  multiply_high,
  multiply_wide,
  multiply_add_low,
  multiply_add_high,
  multiply_add_wide,
  multiply_24,
  multiply_add_24,
  divide,
  remainder,
  absolute,
  negate,
  minimum,
  maximum,
  absolute_difference,
  bit_and,
  bit_or,
  bit_xor,
  bit_not,
  logical_not,
  shift_left,
  shift_right,
  lookup_3,
  funnel_left_wrap,
  funnel_left_clamp,
  funnel_right_wrap,
  funnel_right_clamp,
  permute,
  permute_mode,
  bit_extract,
  bit_insert,
  bit_mask,
  find_leading,
  find_leading_shift,
  leading_zeros,
  population,
  bit_reverse,
  sign_extend,
  dot_product_4,
  dot_product_2_low,
  dot_product_2_high,
  find_nth_set,
  multiply_24_high,
  multiply_add_24_high,
  video_2,  ///< which one: detail, namespace video
  video_4,
  // with the carry flag
  add_carry,
  subtract_carry,
  multiply_add_low_carry,
  multiply_add_high_carry,
  // floating point only
  fused_multiply_add,
  reciprocal,
  square_root,
  reciprocal_square_root,
  sine,
  cosine,
  logarithm_2,
  exponential_2,
  hyperbolic_tangent,
  copy_sign,
  // with predicates
  compare,
  compare_to_value,
  select,
  select_by_sign,
  test_property,
  move_predicate,
  and_predicate,
  or_predicate,
  xor_predicate,
  not_predicate,
};

}  // namespace lockstep::emulator::instructions
