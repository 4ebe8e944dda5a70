#include "judge/diagnosis.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "judge/comparison.h"
#include "judge/element.h"
#include "judge/error_layout.h"

namespace lockstep::judge {
namespace {

using Kind = ErrorLayout::Kind;

/// A pattern must explain this share of the wrong elements.
constexpr double kNearlyAll = 0.99;
/// Where segments are shifted one by one, the ends of short segments do not fit.
constexpr double kMost = 0.9;
/// Fewer elements agree with a shift or an offset by chance.
constexpr std::size_t kFewestForPattern = 3;

std::string known_mistake(const course::Output& output, std::span<const std::byte> found) {
  if (!output.known_mistakes) return "";
  for (const course::KnownMistake& mistake : output.known_mistakes()) {
    if (all_agree(output, mistake.output(), found)) return mistake.sentence;
  }
  return "";
}

/// One output's wrong elements, and the questions that can be asked about all of them.
template <class T>
class WrongElements {
 public:
  WrongElements(const course::Output& output, std::span<const std::byte> found)
      : output_(output), found_(found), n_(element_count<T>(found)) {
    for (std::size_t i = 0; i < n_; ++i) {
      if (!agrees(expected(i), at(i), output.tolerance)) wrong_.push_back(i);
    }
  }

  const std::vector<std::size_t>& indices() const { return wrong_; }
  std::size_t n() const { return n_; }
  T expected(std::size_t i) const { return element<T>(output_.expected, i); }
  T at(std::size_t i) const { return element<T>(found_, i); }

  template <class Predicate>
  bool hold(double share, std::size_t fewest, Predicate&& predicate) const {
    const auto holding = std::count_if(wrong_.begin(), wrong_.end(), predicate);
    return static_cast<std::size_t>(holding) >= fewest &&
           static_cast<double>(holding) >= share * static_cast<double>(wrong_.size());
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
    return hold(kMost, kFewestForPattern, [this](std::size_t i) {
      return i + 1 < n_ && agrees(expected(i + 1), at(i), output_.tolerance);
    });
  }
  bool holds_previous() const {
    return hold(kMost, kFewestForPattern,
                [this](std::size_t i) { return i > 0 && agrees(expected(i - 1), at(i), output_.tolerance); });
  }
  double difference(std::size_t i) const {
    return static_cast<double>(at(i)) - static_cast<double>(expected(i));
  }
  bool off_by_constant() const {
    const double constant = difference(wrong_.front());
    return hold(kNearlyAll, kFewestForPattern, [this, constant](std::size_t i) {
      const double slack = std::is_floating_point_v<T> ? 1e-4 * std::abs(constant) : 0;
      return std::abs(difference(i) - constant) <= slack;
    });
  }

 private:
  const course::Output& output_;
  std::span<const std::byte> found_;
  std::size_t n_;
  std::vector<std::size_t> wrong_;
};

std::string ordinal(std::size_t n) {
  const bool teen = n % 100 >= 11 && n % 100 <= 13;
  const char* ending = teen || n % 10 > 3 || n % 10 == 0 ? "th"
                       : n % 10 == 1                     ? "st"
                       : n % 10 == 2                     ? "nd"
                                                         : "rd";
  return n == 2 ? "second" : fmt::format("{}{}", n, ending);
}

/// The wrong elements as the subject of a sentence.
std::string subject_of(const ErrorLayout& layout, const std::string& name, const std::string& first) {
  switch (layout.kind) {
    case Kind::scattered:
      return "every wrong element of " + name;
    case Kind::everywhere:
      return "every element of " + name;
    case Kind::stride:
      return fmt::format("every {} element of {}, from {} on,", ordinal(layout.step), name, first);
    case Kind::from:
    case Kind::after_block:
    case Kind::partial_block:
      return fmt::format("every element of {} from {} on", name, first);
  }
  return name;
}

const char* why_never_written(Kind kind) {
  switch (kind) {
    case Kind::everywhere:
      return "did the kernel start, with at least one block?";
    case Kind::partial_block:
      return "what is missing is the last, partly filled block; is the number of blocks rounded up?";
    case Kind::after_block:
      return "are enough blocks launched?";
    case Kind::from:
    case Kind::stride:
    case Kind::scattered:
      return "do the threads together cover every index?";
  }
  return "";
}

/// A guess from the places alone, when the values say nothing.
std::string cause_from_layout(const ErrorLayout& layout, const std::string& subject, std::size_t n) {
  switch (layout.kind) {
    case Kind::after_block:
      return fmt::format(
          "the first {} elements are right and those after them wrong: does each block take "
          "into account the blocks before it?",
          layout.first);
    case Kind::partial_block:
      return fmt::format(
          "only the last {} of {} elements are wrong: is the last, partly filled block handled?",
          n - layout.first, n);
    case Kind::stride:
      return subject + " is wrong and all others are right";
    case Kind::scattered:
    case Kind::everywhere:
    case Kind::from:
      return "";
  }
  return "";
}

template <class T>
std::string cause_from_pattern(const std::string& name, const course::Output& output,
                               std::span<const std::byte> found) {
  const WrongElements<T> wrong(output, found);
  ErrorLayout layout = layout_of(wrong.indices(), wrong.n());
  // A wrong value may be right by chance here and there; an element that was never written cannot be.
  if (layout.kind == Kind::everywhere && wrong.indices().size() < wrong.n() && wrong.never_written()) {
    layout.kind = Kind::scattered;
  }
  const std::string subject = subject_of(layout, name, position_of(output, layout.first));
  if (wrong.never_written()) {
    return subject + " was never written: " + why_never_written(layout.kind);
  }
  if (wrong.not_a_number()) {
    return subject + " is NaN: is something divided by zero, or computed from values that nothing has set?";
  }
  if (wrong.zero()) {
    return subject + " is 0: is the result computed but not stored, or stored before it is ready?";
  }
  if (wrong.opposite_sign()) return subject + " has the wrong sign";
  if (wrong.holds_next()) {
    return subject +
           " is what belongs one position later: is the result inclusive where an exclusive one is "
           "asked for?";
  }
  if (wrong.holds_previous()) {
    return subject +
           " is what belongs one position earlier: is the result exclusive where an inclusive one is "
           "asked for?";
  }
  if (wrong.off_by_constant()) {
    const double constant = wrong.difference(wrong.indices().front());
    const std::string amount = std::is_floating_point_v<T> ? fmt::format("{:g}", std::abs(constant))
                                                           : fmt::format("{:.0f}", std::abs(constant));
    return fmt::format("{} is {} too {}: is something added {}?", subject, amount,
                       constant > 0 ? "large" : "small", constant > 0 ? "twice" : "too seldom");
  }
  return cause_from_layout(layout, subject, wrong.n());
}

}  // namespace

std::string likely_cause(const std::string& name, const course::Output& output,
                         std::span<const std::byte> found) {
  if (all_agree(output, output.expected, found)) return "";
  if (std::string sentence = known_mistake(output, found); !sentence.empty()) return sentence;
  return with_element_type(
      output.type, [&](auto type) { return cause_from_pattern<decltype(type)>(name, output, found); });
}

}  // namespace lockstep::judge
