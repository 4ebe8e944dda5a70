// Elements of an output as typed values: the judge's buffers are bytes, and the type is known only at run
// time.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <span>
#include <stdexcept>
#include <string>
#include <type_traits>

#include "course/problem.h"
#include "device/device.h"

namespace lockstep::judge {

/// Calls `visit(T{})` with the C++ type of `type`.
template <class Visitor>
auto with_element_type(course::ElementType type, Visitor&& visit) {
  switch (type) {
    case course::ElementType::u8:
      return visit(std::uint8_t{});
    case course::ElementType::i32:
      return visit(std::int32_t{});
    case course::ElementType::u32:
      return visit(std::uint32_t{});
    case course::ElementType::i64:
      return visit(std::int64_t{});
    case course::ElementType::u64:
      return visit(std::uint64_t{});
    case course::ElementType::f32:
      return visit(float{});
    case course::ElementType::f64:
      return visit(double{});
  }
  throw std::logic_error("an output has an unknown element type");
}

template <class T>
T element(std::span<const std::byte> bytes, std::size_t index) {
  T value;
  std::memcpy(&value, bytes.data() + index * sizeof(T), sizeof(T));
  return value;
}

template <class T>
std::size_t element_count(std::span<const std::byte> bytes) {
  return bytes.size() / sizeof(T);
}

/// Whether an element still holds what its buffer was filled with before the call. One byte may equal the
/// pattern by chance; four cannot be expected to.
template <class T>
bool is_never_written(std::span<const std::byte> bytes, std::size_t index) {
  const auto own = bytes.subspan(index * sizeof(T), sizeof(T));
  return sizeof(T) > 1 &&
         std::all_of(own.begin(), own.end(), [](std::byte byte) { return byte == device::kPoisonByte; });
}

template <class T>
std::string element_text(std::span<const std::byte> bytes, std::size_t index) {
  return fmt::format("{}", element<T>(bytes, index));
}

/// Of an output, which may not have been written.
template <class T>
std::string found_text(std::span<const std::byte> found, std::size_t index) {
  return element_text<T>(found, index) + (is_never_written<T>(found, index) ? " (never written)" : "");
}

/// Whether `found` is as good as `expected`. NaN on either side is never good.
template <class T>
bool agrees(T expected, T found, const course::Tolerance& tolerance) {
  if (found == expected) return true;
  if (tolerance.absolute == 0 && tolerance.relative == 0) return false;
  const auto wanted = static_cast<double>(expected);
  // Infinity is only ever equal to itself, which the first line has seen.
  if (!std::isfinite(wanted)) return false;
  return std::abs(static_cast<double>(found) - wanted) <=
         tolerance.absolute + tolerance.relative * std::abs(wanted);
}

}  // namespace lockstep::judge
