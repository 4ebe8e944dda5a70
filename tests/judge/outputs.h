// Outputs and snapshots made from vectors, for the tests of what compares them.
#pragma once

#include <type_traits>
#include <vector>

#include "course/problem.h"

namespace lockstep::judge {

using course::bytes_of;

template <class T>
course::ElementType element_type_of() {
  if constexpr (std::is_same_v<T, std::uint8_t>) return course::ElementType::u8;
  if constexpr (std::is_same_v<T, float>) return course::ElementType::f32;
  if constexpr (std::is_same_v<T, std::int32_t>) return course::ElementType::i32;
  if constexpr (std::is_same_v<T, std::int64_t>) return course::ElementType::i64;
}

template <class T>
course::Output output_of(const std::vector<T>& expected) {
  course::Output output;
  output.type = element_type_of<T>();
  output.expected = bytes_of(expected);
  return output;
}

}  // namespace lockstep::judge
