// One output's wrong elements, and the questions that can be asked about all of them.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "course/poison.h"
#include "course/problem.h"
#include "judge/element.h"

namespace lockstep::judge {

/// A pattern must explain this share of the wrong elements.
inline constexpr double kNearlyAll = 0.99;
/// Where segments are shifted one by one, the ends of short segments do not fit.
inline constexpr double kLargeShare = 0.9;
/// Fewer elements agree with a shift or an offset by chance.
inline constexpr std::size_t kMinForPattern = 3;

template <class T>
class WrongElements {
 public:
  WrongElements(const course::Output& output, std::span<const std::byte> found)
      : output_(output), found_(found), n_(element_count<T>(found)) {
    const auto is_wrong = [&](std::size_t i) { return !agrees(expected(i), at(i), output.tolerance); };
    std::size_t count = 0;
    for (std::size_t i = 0; i < n_; ++i) count += is_wrong(i) ? 1 : 0;
    wrong_.reserve(count);  // there may be millions
    for (std::size_t i = 0; wrong_.size() < count; ++i)
      if (is_wrong(i)) wrong_.push_back(i);
  }

  const std::vector<std::size_t>& indices() const { return wrong_; }
  std::size_t n() const { return n_; }
  T expected(std::size_t i) const { return element<T>(output_.expected, i); }
  T at(std::size_t i) const { return element<T>(found_, i); }

  template <class Predicate>
  bool hold(double share, std::size_t fewest, Predicate&& predicate) const {
    const auto least = static_cast<std::size_t>(std::ceil(share * static_cast<double>(wrong_.size())));
    if (wrong_.size() < fewest) return false;
    const std::size_t most_others = wrong_.size() - std::max(least, fewest);
    std::size_t others = 0;
    return std::ranges::all_of(wrong_,
                               [&](std::size_t i) { return predicate(i) || ++others <= most_others; });
  }

  bool never_written() const {
    return hold(kNearlyAll, 1, [this](std::size_t i) { return is_never_written<T>(found_, i); });
  }
  bool not_a_number() const {
    return hold(kNearlyAll, 1, [this](std::size_t i) { return at(i) != at(i); });
  }
  bool zero() const {
    return hold(kNearlyAll, 1, [this](std::size_t i) { return at(i) == T{}; });
  }
  bool opposite_sign() const {
    return std::is_signed_v<T> && hold(kNearlyAll, 1, [this](std::size_t i) {
             // Zero minus, not unary minus: the negative of the least integer must not overflow.
             const double negative = 0.0 - static_cast<double>(expected(i));
             return agrees(negative, static_cast<double>(at(i)), output_.tolerance);
           });
  }
  bool holds_next() const {
    return hold(kLargeShare, kMinForPattern, [this](std::size_t i) {
      return i + 1 < n_ && agrees(expected(i + 1), at(i), output_.tolerance);
    });
  }
  bool holds_previous() const {
    return hold(kLargeShare, kMinForPattern,
                [this](std::size_t i) { return i > 0 && agrees(expected(i - 1), at(i), output_.tolerance); });
  }
  double difference(std::size_t i) const {
    return static_cast<double>(at(i)) - static_cast<double>(expected(i));
  }
  bool off_by_constant() const {
    const double constant = difference(wrong_.front());
    return hold(kNearlyAll, kMinForPattern, [this, constant](std::size_t i) {
      const double slack = std::is_floating_point_v<T> ? 1e-4 * std::abs(constant) : 0;
      return std::abs(difference(i) - constant) <= slack;
    });
  }

  /// Added to what memory held that nobody had set to 0.
  bool were_added_to_uninitialised() const {
    const auto is_sum = [this](std::size_t i) {
      if constexpr (std::is_integral_v<T>) {
        using Unsigned = std::make_unsigned_t<T>;
        const auto sum = static_cast<Unsigned>(static_cast<Unsigned>(course::never_written<T>()) +
                                               static_cast<Unsigned>(expected(i)));
        return static_cast<Unsigned>(at(i)) == sum || added_to_uninitialised(at(i)).has_value();
      }
      return at(i) == course::never_written<T>() + expected(i);
    };
    return hold(kNearlyAll, 1, is_sum);
  }
  /// Written up to the byte that has the number of the elements: someone took bytes for elements.
  bool written_as_many_bytes_as_elements() const {
    const auto is_poison = [](std::byte byte) { return byte == course::kPoisonByte; };
    const std::span<const std::byte> expected(output_.expected);
    return sizeof(T) > 1 && n_ > 0 && std::ranges::equal(found_.first(n_), expected.first(n_)) &&
           std::ranges::all_of(found_.subspan(n_), is_poison);
  }
  /// The factor, 2 or more, that every wrong element is too large by, or, negative, too small by; 0 where
  /// there is none.
  int factor() const {
    constexpr double kLargest = 64;
    const auto ratio_of = [this](std::size_t i) {
      const auto right = static_cast<double>(expected(i)), wrong = static_cast<double>(at(i));
      return std::abs(wrong) > std::abs(right) ? wrong / right : -right / wrong;
    };
    const double ratio = std::round(ratio_of(wrong_.front()));
    if (!(std::abs(ratio) >= 2 && std::abs(ratio) <= kLargest)) return 0;
    const double slack = std::is_floating_point_v<T> ? 1e-4 * std::abs(ratio) : 0;
    const bool is_factor = hold(kNearlyAll, kMinForPattern,
                                [&](std::size_t i) { return std::abs(ratio_of(i) - ratio) <= slack; });
    return is_factor ? static_cast<int>(ratio) : 0;
  }
  /// 32, 16 or 8 where all errors are multiples of 2 to that power, as sums and products of so few bits
  /// leave them; else 0.
  int lost_above_bits() const {
    if constexpr (std::is_integral_v<T> && sizeof(T) >= 4) {
      using Unsigned = std::make_unsigned_t<T>;
      Unsigned errors = 0;
      for (const std::size_t i : wrong_)
        errors |= static_cast<Unsigned>(static_cast<Unsigned>(at(i)) - static_cast<Unsigned>(expected(i)));
      const int zeros = std::countr_zero(errors);
      // As many bits of all errors together are 0 by chance once in 2^32.
      const auto suffices = [&](int bits) {
        return zeros >= bits && wrong_.size() * static_cast<std::size_t>(bits) >= 32;
      };
      if (sizeof(T) == 8 && suffices(32)) return 32;
      return suffices(16) ? 16 : suffices(8) ? 8 : 0;
    }
    return 0;
  }
  /// Errors as a float's rounding makes them of whole numbers that need more than its 24 bits, after many
  /// sums.
  bool rounded_like_float() const {
    if constexpr (std::is_integral_v<T>) {
      double largest = 0;
      for (std::size_t i = 0; i < n_; ++i)
        largest = std::max(largest, std::abs(static_cast<double>(expected(i))));
      return largest > 0x1p24 && hold(1, kMinForPattern, [&](std::size_t i) {
               return std::abs(difference(i)) <= largest * 0x1p-16;
             });
    }
    return false;
  }
  /// Where the first wrong element's value belongs, where nearly all wrong elements have values that belong
  /// elsewhere; nothing where values say too little.
  std::optional<std::size_t> position_of_first_value() const {
    if (wrong_.size() < kMinForPattern || !may_be_moved()) return std::nullopt;
    std::vector<std::pair<T, std::size_t>> sorted;
    sorted.reserve(n_);
    for (std::size_t i = 0; i < n_; ++i) sorted.emplace_back(expected(i), i);
    std::ranges::sort(sorted);
    std::size_t repeated = 0;
    for (std::size_t i = 1; i < n_; ++i) repeated += sorted[i].first == sorted[i - 1].first ? 1 : 0;
    if (static_cast<double>(repeated) > (1 - kLargeShare) * static_cast<double>(n_)) return std::nullopt;
    const auto position_of = [&](T value) -> std::optional<std::size_t> {
      const auto place = std::ranges::lower_bound(sorted, value, {}, &std::pair<T, std::size_t>::first);
      if (place == sorted.end() || place->first != value) return std::nullopt;
      return place->second;
    };
    const std::optional<std::size_t> first = position_of(at(wrong_.front()));
    if (!first || *first == wrong_.front()) return std::nullopt;
    const auto belongs_nowhere = [&](std::size_t i) { return !position_of(at(i)).has_value(); };
    return are_few(belongs_nowhere) ? first : std::nullopt;
  }

 private:
  /// Whether no more of the wrong elements are so than a pattern need not explain.
  template <class Predicate>
  bool are_few(Predicate&& predicate) const {
    const double most = (1 - kNearlyAll) * static_cast<double>(wrong_.size());
    std::size_t few = 0;
    return std::ranges::none_of(
        wrong_, [&](std::size_t i) { return predicate(i) && static_cast<double>(++few) > most; });
  }

  /// False where values say too little to look for their positions, or too many of them are values of no
  /// element: sorting those to find that out would take far longer than to look at a set of hashes.
  bool may_be_moved() const {
    T least = expected(0), most = least;
    std::vector<bool> are_values(std::bit_ceil(8 * n_));
    const int shift = 64 - std::countr_zero(are_values.size());
    const auto hash_of = [shift](T value) {
      value = static_cast<T>(value + T{});  // -0.0 is equal to 0.0
      std::uint64_t bits = 0;
      std::memcpy(&bits, &value, sizeof value);
      return bits * 0x9E3779B97F4A7C15 >> shift;
    };
    for (std::size_t i = 0; i < n_; ++i) {
      const T value = expected(i);
      if (value != value) return false;
      least = std::min(least, value);
      most = std::max(most, value);
      are_values[hash_of(value)] = true;
    }
    // Integers from a narrow range meet by chance.
    constexpr double kSparse = 64;
    const double range = static_cast<double>(most) - static_cast<double>(least);
    if (std::is_integral_v<T> && !(range >= kSparse * static_cast<double>(n_))) return false;
    return are_few([&](std::size_t i) { return !are_values[hash_of(at(i))]; });
  }

  const course::Output& output_;
  std::span<const std::byte> found_;
  std::size_t n_;
  std::vector<std::size_t> wrong_;
};

}  // namespace lockstep::judge
