// Elements of an output as typed values: the judge's buffers are bytes, and the type is known only at run
// time.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <type_traits>

#include "course/poison.h"
#include "course/problem.h"

namespace lockstep::judge {

/// Calls `visit(T{})` with the C++ type of `type`, which bf16 does not have.
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
    case course::ElementType::bf16:
      break;
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
/// pattern by chance; four in a row cannot be expected to.
template <class T>
bool is_never_written(std::span<const std::byte> bytes, std::size_t index) {
  constexpr std::size_t kMin = 4;
  const auto is_poison = [&](std::size_t i) { return bytes[i] == course::kPoisonByte; };
  std::size_t first = index * sizeof(T), end = first;
  while (end < first + std::max(sizeof(T), kMin) && end < bytes.size() && is_poison(end)) ++end;
  if (end < (index + 1) * sizeof(T)) return false;
  while (end - first < kMin && first > 0 && is_poison(first - 1)) --first;
  return end - first >= kMin;
}

/// What has been added to an element that nothing had written; nothing where that is no small number.
template <class T>
std::optional<std::uint64_t> added_to_uninitialised(T found) {
  if constexpr (std::is_integral_v<T> && sizeof(T) >= 4) {
    using Unsigned = std::make_unsigned_t<T>;
    constexpr Unsigned kLimit = Unsigned{1} << (sizeof(T) == 4 ? 20 : 40);
    const auto added = static_cast<Unsigned>(static_cast<Unsigned>(found) -
                                             static_cast<Unsigned>(course::never_written<T>()));
    if (added != 0 && added < kLimit) return added;
  }
  return std::nullopt;
}

template <class T>
std::string element_text(std::span<const std::byte> bytes, std::size_t index) {
  return fmt::format("{}", element<T>(bytes, index));
}

/// Whether elements were added to what nothing had written: of those that hold anything else one in 4096
/// looks so, or fewer.
template <class T>
bool holds_sums_of_uninitialised(std::span<const std::byte> found) {
  constexpr std::size_t kByChance = 64;
  const std::size_t n = element_count<T>(found);
  std::size_t sums = 0;
  for (std::size_t i = 0; i < n; ++i)
    sums += added_to_uninitialised(element<T>(found, i)).has_value() ? 1 : 0;
  return sums > 0 && kByChance * sums >= n;
}

/// Of an output, which may not have been written. `has_sums`: holds_sums_of_uninitialised(found).
template <class T>
std::string found_text(std::span<const std::byte> found, std::size_t index, bool has_sums) {
  constexpr const char* kNeverWritten = "never written";
  if (is_never_written<T>(found, index)) return kNeverWritten;
  const auto added = has_sums ? added_to_uninitialised(element<T>(found, index)) : std::nullopt;
  return added ? fmt::format("{} + {}", kNeverWritten, *added) : element_text<T>(found, index);
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
