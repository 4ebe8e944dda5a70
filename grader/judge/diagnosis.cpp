#include "judge/diagnosis.h"

#include <fmt/format.h>

#include <cmath>
#include <vector>

#include "judge/comparison.h"
#include "judge/element.h"
#include "judge/error_layout.h"
#include "judge/findings.h"
#include "judge/wrong_elements.h"

namespace lockstep::judge {
namespace {

using Kind = ErrorLayout::Kind;

LikelyCause known_mistake(const course::Output& output, std::span<const std::byte> found,
                          const std::optional<Activity>& activity) {
  if (!output.known_mistakes) return {};
  for (const course::KnownMistake& mistake : output.known_mistakes()) {
    const bool can_be =
        !mistake.made_by || (activity && activity->launch && mistake.made_by(*activity->launch));
    if (!can_be) continue;
    if (all_agree(output, mistake, found))
      return {mistake.sentence, mistake.advice, LikelyCause::Basis::known_mistake};
  }
  return {};
}

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

/// "tile_kernel ran, with 4 blocks", or of several kernels how many.
std::string text_of(const Activity& activity) {
  const std::string blocks = fmt::format("with {} block{}", activity.blocks, activity.blocks == 1 ? "" : "s");
  if (activity.kernel.empty()) return fmt::format("{} launches ran, {}", activity.launches, blocks);
  const std::string times = activity.launches == 1 ? "" : fmt::format(" {} times", activity.launches);
  return fmt::format("{} ran{}, {}", activity.kernel, times, blocks);
}

LikelyCause nothing_written(const std::string& name, const std::optional<Activity>& activity) {
  const std::string nothing = fmt::format("every element of {} was never written: ", name);
  if (!activity) return {nothing + "did the kernel start, with at least one block?"};
  if (activity->launches == 0) {
    return {nothing + "your function launched no kernel",
            fmt::format("Launch a kernel that writes {}, on the given stream.", name)};
  }
  const std::string kernel = activity->kernel.empty() ? "a kernel" : activity->kernel;
  if (!activity->stored && !activity->added) {
    return {fmt::format("{}{}, and stored nothing in global memory: is the store missing, or does no thread "
                        "come to it?",
                        nothing, text_of(*activity)),
            fmt::format("Let {} store its results in {}.", kernel, name)};
  }
  return {fmt::format("{}{}, and what was stored went elsewhere", nothing, text_of(*activity)),
          fmt::format("Look where {} stores: its results belong in {}.", kernel, name)};
}

/// Whether blocks may be missing, as far as is known: not where every thread of one launch would have an
/// element, nor where what is written up to `first` is not one element for each.
bool may_lack_blocks(const ErrorLayout& layout, std::size_t n, const std::optional<Activity>& activity) {
  if (!activity || !activity->launch) return true;
  const std::uint64_t threads = activity->launch->threads();
  return threads < n && (layout.kind != Kind::after_block || threads == layout.first);
}

LikelyCause never_written(const std::string& name, const std::string& subject, const ErrorLayout& layout,
                          std::size_t n, const std::optional<Activity>& activity) {
  if (layout.kind == Kind::everywhere) return nothing_written(name, activity);
  const std::string what = subject + " was never written: ";
  const std::string ran = activity && !activity->kernel.empty() ? text_of(*activity) + ": " : "";
  const bool several = activity && activity->blocks > activity->launches;
  switch (may_lack_blocks(layout, n, activity) ? layout.kind : Kind::scattered) {
    case Kind::partial_block:
      return {what + "what is missing is the last, partly filled block; is the number of blocks rounded up?",
              "Launch one block more where the last one is not full: lockstep::divide_up(n, threads)."};
    case Kind::after_block:
      if (!several) {
        return {fmt::format("{}{}are enough blocks launched?", what, ran),
                "Launch as many blocks as it takes to cover every element, the last one partly filled."};
      }
      [[fallthrough]];
    default:
      return {
          fmt::format("{}{}do the threads together cover every index{}?", what, ran,
                      several ? ", and is blockIdx a part of it" : ""),
          "Work out which thread should write the first missing element, and with which store or step of its "
          "loop: its index must come to that, and no guard, return or condition may keep it away."};
  }
}

/// A guess from the positions alone, when the values say nothing.
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

constexpr const char* kSetToZero =
    "Set it to 0 before anything is added: cudaMemsetAsync(pointer, 0, bytes, stream), its size in bytes.";

/// A copy took bytes for elements.
template <class T>
LikelyCause cause_from_copy(const std::string& name, const WrongElements<T>& wrong,
                            const std::optional<Activity>& activity) {
  if (!activity || !activity->copied || !wrong.written_as_many_bytes_as_elements()) return {};
  return {
      fmt::format("only {} byte{} of {} {} written, as many as it has elements: a copy's size is in bytes",
                  wrong.n(), wrong.n() == 1 ? "" : "s", name, wrong.n() == 1 ? "was" : "were"),
      fmt::format("Multiply the size by sizeof(element), which is {}.", sizeof(T))};
}

/// What was stored is no result of the exercise's: it was not written there, or was added to what lay there.
template <class T>
LikelyCause cause_from_uninitialised(const std::string& name, const std::string& subject,
                                     const ErrorLayout& layout, const WrongElements<T>& wrong,
                                     const std::optional<Activity>& activity) {
  const bool copied = activity && activity->copied;
  if (wrong.never_written()) return never_written(name, subject, layout, wrong.n(), activity);
  if (!wrong.were_added_to_uninitialised()) return {};
  const std::size_t first = wrong.indices().front();
  if (copied && first > 0 && first == (wrong.n() + sizeof(T) - 1) / sizeof(T)) {
    return {fmt::format("only the first {} of {} elements of {} were set to 0 before they were added to: the "
                        "size of a fill is in bytes",
                        first, wrong.n(), name),
            kSetToZero};
  }
  return {subject + " was added to what its memory held before: nothing had set it to 0", kSetToZero};
}

template <class T>
LikelyCause cause_from_values(const std::string& subject, const WrongElements<T>& wrong,
                              const std::optional<Activity>& activity) {
  if (wrong.not_a_number()) {
    return {
        subject +
            " is NaN: is 0 divided by 0 or multiplied by infinity, as in x * rsqrtf(x) for 0, or computed "
            "from values that nothing has set?",
        "Look for the operation that has no result for the operands of this case, and treat them before it."};
  }
  if (wrong.zero()) {
    if (activity && activity->private_line != 0) {
      return {fmt::format("{} is 0, and line {} reads an array that each thread has for itself: it holds "
                          "nothing that other threads wrote",
                          subject, activity->private_line),
              "Declare the array that the threads of a block share as __shared__."};
    }
    return {subject + " is 0, which was stored there: is the result kept somewhere else, or formed later?",
            "Follow the value that is stored there back to where it should get what it lacks."};
  }
  if (wrong.opposite_sign())
    return {subject + " has the wrong sign", "Look for operands that are exchanged in a difference."};
  if (wrong.holds_next()) {
    return {subject +
                " is what belongs one position later: is an index off by one, or a sum inclusive where an "
                "exclusive one is asked for?",
            "Store each value one position further on, or read one position less far."};
  }
  if (wrong.holds_previous()) {
    return {subject +
                " is what belongs one position earlier: is an index off by one, or a sum exclusive where an "
                "inclusive one is asked for?",
            "Store each value one position before, or read one position further on."};
  }
  if (wrong.off_by_constant()) {
    const double constant = wrong.difference(wrong.indices().front());
    const std::string amount = std::is_floating_point_v<T> ? fmt::format("{:g}", std::abs(constant))
                                                           : fmt::format("{:.0f}", std::abs(constant));
    return {fmt::format("{} is {} too {}: is something added {}?", subject, amount,
                        constant > 0 ? "large" : "small", constant > 0 ? "twice" : "too seldom"),
            fmt::format("Look what in your code is {}, and how often it is added.", amount)};
  }
  if (const int bits = wrong.lost_above_bits(); bits != 0) {
    return {
        fmt::format(
            "{} is off by a multiple of 2^{}: a product or a sum was formed in {} bits, and lost what "
            "lies above",
            subject, bits, bits),
        fmt::format("Widen one factor before you multiply, as in static_cast<unsigned long long>(a) * b, and "
                    "keep sums in more than {} bits.",
                    bits)};
  }
  if (wrong.rounded_like_float()) {
    return {subject +
                " is off by the last digits of large numbers: were whole numbers kept in a float, which "
                "holds 24 bits?",
            "Keep whole numbers in an integer type."};
  }
  if (const int factor = wrong.factor(); factor != 0) {
    return {
        factor > 0
            ? fmt::format("{} is {} times as large as it should be: does every thread, warp or block "
                          "add the same again?",
                          subject, factor)
            : fmt::format("{} is one part in {} of what it should be: is something counted by too few, or "
                          "divided twice?",
                          subject, -factor),
        "Let each thread add its own part, and each part come once."};
  }
  return {};
}

/// Right values at wrong positions.
template <class T>
LikelyCause cause_from_exchange(const std::string& name, const course::Output& output,
                                const WrongElements<T>& wrong) {
  const std::optional<std::size_t> belongs = wrong.position_of_first_value();
  if (!belongs) return {};
  const std::size_t first = wrong.indices().front();
  return {
      fmt::format("values of {} stand at each other's positions: at {} is what belongs at {}", name,
                  position_of(output, first), position_of(output, *belongs)),
      fmt::format("Work out the index of what is read and of what is written for {}: one of them is wrong.",
                  position_of(output, first))};
}

template <class T>
LikelyCause cause_from_pattern(const std::string& name, const course::Output& output,
                               std::span<const std::byte> found, const WrongElements<T>& wrong,
                               const std::optional<Activity>& activity) {
  ErrorLayout layout = layout_of(wrong.indices(), wrong.n());
  // A wrong value may be right by chance here and there; an element that was never written cannot be.
  if (layout.kind == Kind::everywhere && wrong.indices().size() < wrong.n() && wrong.never_written()) {
    layout.kind = Kind::scattered;
  }
  const std::string subject = subject_of(layout, name, position_of(output, layout.first));
  LikelyCause cause = cause_from_uninitialised(name, subject, layout, wrong, activity);
  if (cause.sentence.empty() && output.remark) {
    auto [sentence, advice] = output.remark(output.expected, found);
    cause = {std::move(sentence), std::move(advice), LikelyCause::Basis::remark};
  }
  if (cause.sentence.empty()) cause = cause_from_values(subject, wrong, activity);
  if (cause.sentence.empty()) cause = cause_from_exchange(name, output, wrong);
  if (cause.sentence.empty()) cause.sentence = cause_from_layout(layout, subject, wrong.n());
  return cause;
}

}  // namespace

Activity activity_of(const emulator::Observations& observations, const SourceText& source) {
  Activity activity{.launches = observations.launches, .blocks = observations.blocks};
  if (observations.kernels.size() == 1) {
    const emulator::KernelWork& one = observations.kernels.front();
    activity.kernel = kernel_name(one.kernel);
    if (one.launches == 1) activity.launch = {.grid = one.grid, .block = one.block};
  }
  for (const emulator::LineCounters& line : observations.lines) {
    activity.stored = activity.stored || line.global_store.requests > 0;
    activity.added = activity.added || line.global_atomic.requests > 0;
    if (activity.private_line == 0 && source.holds(line.line) && line.local_load.requests > 0)
      activity.private_line = line.line.line;
  }
  return activity;
}

LikelyCause likely_cause(const std::string& name, const course::Output& output,
                         std::span<const std::byte> found, const std::optional<Activity>& activity) {
  if (all_agree(output, output.expected, found)) return {};
  return with_element_type(output.type, [&](auto type) {
    using T = decltype(type);
    const WrongElements<T> wrong(output, found);
    // What a known mistake of kernels leaves may be what such a copy leaves.
    LikelyCause cause = cause_from_copy<T>(name, wrong, activity);
    if (cause.sentence.empty()) cause = known_mistake(output, found, activity);
    if (cause.sentence.empty()) cause = cause_from_pattern<T>(name, output, found, wrong, activity);
    return cause;
  });
}

LikelyCause likely_cause_on_host(const std::string& name, const course::Output& output,
                                 std::span<const std::byte> found, const std::optional<Activity>& activity) {
  if (all_agree(output, output.expected, found)) return {};
  if (LikelyCause known = known_mistake(output, found, activity); !known.sentence.empty()) return known;
  const bool is_untouched = std::ranges::all_of(
      found, [](std::byte byte) { return byte == static_cast<std::byte>(course::kPoisonByte); });
  if (!is_untouched) return {};
  const bool launched = !activity || activity->launches > 0;
  return {fmt::format("nothing was written to {}{}", name,
                      launched ? ": is the result copied there?" : ", and your function launched no kernel"),
          fmt::format("{}opy the result from the device to {}, and wait for the copy.",
                      launched ? "C" : "Launch the kernel, c", name)};
}

}  // namespace lockstep::judge
