#include "judge/comparison.h"

#include <fmt/format.h>

#include "judge/element.h"

namespace lockstep::judge {
namespace {

constexpr std::size_t kShownMismatches = 5;

template <class T>
std::uint64_t count_wrong(std::span<const std::byte> expected, std::span<const std::byte> found,
                          const course::Tolerance& tolerance) {
  std::uint64_t wrong = 0;
  for (std::size_t i = 0; i < element_count<T>(expected); ++i) {
    wrong += agrees(element<T>(expected, i), element<T>(found, i), tolerance) ? 0 : 1;
  }
  return wrong;
}

template <class T>
std::vector<result::Mismatch> first_mismatches(const course::Output& output,
                                               std::span<const std::byte> found) {
  std::vector<result::Mismatch> first;
  const bool has_sums = holds_sums_of_uninitialised<T>(found);
  for (std::size_t i = 0; i < element_count<T>(found) && first.size() < kShownMismatches; ++i) {
    const T expected = element<T>(output.expected, i);
    if (agrees(expected, element<T>(found, i), output.tolerance)) continue;
    first.push_back(
        {position_of(output, i), element_text<T>(output.expected, i), found_text<T>(found, i, has_sums)});
  }
  return first;
}

}  // namespace

std::string position_of(const course::Output& output, std::size_t index) {
  return output.position ? output.position(index) : fmt::format("[{}]", index);
}

Comparison compare(const course::Output& output, std::span<const std::byte> found) {
  if (found.size() != output.expected.size()) {
    throw std::logic_error("a snapshot and the expected output differ in size");
  }
  return with_element_type(output.type, [&](auto type) {
    using T = decltype(type);
    Comparison result;
    result.total = element_count<T>(found);
    result.wrong = count_wrong<T>(output.expected, found, output.tolerance);
    if (result.wrong > 0) result.first = first_mismatches<T>(output, found);
    return result;
  });
}

bool all_agree(const course::Output& output, std::span<const std::byte> expected,
               std::span<const std::byte> found) {
  return expected.size() == found.size() && with_element_type(output.type, [&](auto type) {
           using T = decltype(type);
           const std::size_t n = element_count<T>(found);
           std::size_t i = 0;
           while (i < n && agrees(element<T>(expected, i), element<T>(found, i), output.tolerance)) ++i;
           return i == n;
         });
}

bool all_agree(const course::Output& output, const course::KnownMistake& mistake,
               std::span<const std::byte> found) {
  if (!mistake.in_parts) return all_agree(output, mistake.output(), found);
  bool agree = true;
  mistake.in_parts([&](std::span<const std::byte> part) {
    if (!agree) return false;  // also of who goes on making parts
    agree = part.size() <= found.size() && all_agree(output, part, found.first(part.size()));
    if (agree) found = found.subspan(part.size());
    return agree;
  });
  return agree && found.empty();
}

}  // namespace lockstep::judge
