#include "judge/findings.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <iterator>
#include <optional>
#include <string_view>

#include "emulator/demangled.h"
#include "emulator/shortened.h"

namespace lockstep::judge {
namespace {

using emulator::Finding;
using emulator::SourceLine;
using report::Verdict;

/// Lower is graver. What ends a kernel comes before what only spoils its result, and a cause before its
/// effects: an address out of bounds may be why a barrier is missed, a missed barrier why there is a race.
int rank_of(Finding::Kind kind) {
  switch (kind) {
    case Finding::Kind::bad_image:
    case Finding::Kind::unsupported:
    case Finding::Kind::bad_launch:
      return 0;
    case Finding::Kind::trap:
    case Finding::Kind::assertion:
    case Finding::Kind::stack_overflow:
      return 1;
    case Finding::Kind::out_of_bounds:
    case Finding::Kind::misaligned:
      return 2;
    case Finding::Kind::deadlock:
    case Finding::Kind::bad_sync:
      return 3;
    case Finding::Kind::time_limit:
    case Finding::Kind::no_progress:
      return 4;
    case Finding::Kind::race:
      return 5;
    case Finding::Kind::uninitialised_read:
      return 6;
    case Finding::Kind::bad_call:
    case Finding::Kind::leak:
    case Finding::Kind::stale_read:
      return 7;
  }
  return 7;
}

std::string text_of(const std::array<std::uint32_t, 3>& index) {
  return fmt::format("({}, {}, {})", index[0], index[1], index[2]);
}

/// A message of the device that begins with a place, as "/submission/scan.cu:12: the reason".
struct PlacedMessage {
  emulator::SourceLine line;
  std::string reason;
};

/// What cannot be loaded has no thread and no line: the device names the place in its message, in front of
/// the first space.
std::optional<PlacedMessage> placed_message(const Finding& finding) {
  if (finding.kind != Finding::Kind::unsupported || finding.line.line != 0) return std::nullopt;
  constexpr std::size_t kLongestFile = 200;
  const std::string_view message = finding.message;
  const std::string_view place = message.substr(0, message.find(' '));
  if (place.size() + 1 >= message.size() || !place.ends_with(':')) return std::nullopt;
  const std::size_t colon = place.rfind(':', place.size() - 2);
  if (colon == std::string_view::npos || colon == 0 || colon > kLongestFile) return std::nullopt;
  const std::string_view digits = place.substr(colon + 1, place.size() - colon - 2);
  std::uint32_t line = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), line);
  if (error != std::errc{} || end != digits.data() + digits.size()) return std::nullopt;
  return PlacedMessage{{std::string(place.substr(0, colon)), line},
                       std::string(message.substr(place.size() + 1))};
}

/// What the device says of a race between two threads of one warp. Which barrier it lacks is for the
/// question: threads of other warps may come to the same lines in another case.
constexpr std::string_view kLacksWarpBarrier = "with no __syncwarp() between";

bool says(const Finding& finding, std::string_view words) {
  return finding.message.find(words) != std::string::npos;
}

/// Of a stale read: it is the block that reads which lacks a fence.
bool lacks_readers_fence(const Finding& finding) {
  return says(finding, "none of the reading block has come since");
}

/// The first line with a barrier from line `first` on and before line `last`, in one function of the
/// submission; 0 when there is none.
std::uint32_t barrier_between(const SourceText& source, const std::string& file, std::uint32_t first,
                              std::uint32_t last) {
  for (std::uint32_t line = first; line < last; ++line) {
    const std::string text = source.place({file, line}).text;
    if (text.starts_with('}')) return 0;  // the end of a function
    const std::string_view code = std::string_view(text).substr(0, text.find("//"));
    for (const char* barrier : {"__syncthreads", ".sync()", "cg::sync("}) {
      if (code.find(barrier) != std::string_view::npos) return line;
    }
  }
  return 0;
}

std::string question_of_race(const Finding& finding, const SourceText& source) {
  const SourceLine &later = finding.line, &earlier = finding.other_line;
  const bool one_line = later == earlier;
  if (says(finding, "asynchronous copy")) return "who waits for the copy, and which barrier then follows?";
  const bool between_blocks = says(finding, "between the two blocks");
  if (says(finding, "; atomic operations change it too")) {
    return fmt::format(
        "{} Or is any order right? Then the plain access must be atomic as well, as "
        "`cuda::atomic_ref<T, cuda::thread_scope_{}>(word).load(cuda::memory_order_relaxed)` is, `.store` "
        "likewise (of <cuda/atomic>); for words of 32 bits a volatile access will do.",
        between_blocks ? "must the one block wait for the other?"
                       : "must a barrier stand between the two accesses?",
        between_blocks ? "device" : "block");
  }
  if (between_blocks) {
    return one_line ? "do several blocks change one word here? That takes an atomic operation, such as "
                      "atomicAdd. Or does one block read what another writes? Then a flag with a fence, or a "
                      "launch of its own, must stand between."
                    : "what tells the one block that the other is done? That takes a fence and an atomic "
                      "operation on both sides, or a launch of its own for what comes later.";
  }
  if (one_line) {
    return "do several threads change one word here? That takes an atomic operation, such as atomicAdd. Or "
           "does one read what another writes? Then a barrier must stand between. Or is it work for one "
           "thread "
           "alone?";
  }
  if (later.file == earlier.file) {
    const std::uint32_t barrier = barrier_between(source, later.file, std::min(later.line, earlier.line),
                                                  std::max(later.line, earlier.line));
    if (barrier != 0) {
      return fmt::format(
          "do all threads of the block come to the barrier at line {}? One under a condition is not met by "
          "all.{}",
          barrier,
          later.line < earlier.line ? " Or, in a loop, must another one stand before the next turn?" : "");
    }
  }
  return says(finding, kLacksWarpBarrier)
             ? "which barrier must stand between the two accesses? __syncthreads(), or, where only threads "
               "of one warp share the memory, __syncwarp()."
             : "which barrier must stand between the two accesses, and do all threads come to it?";
}

const char* question_of_unwritten(const Finding& finding) {
  if (says(finding, "shared memory")) {
    return "which thread should have written this before, and did it return too early, or did a condition "
           "keep "
           "it away? Or who should not read it?";
  }
  return "what should have written this before: a kernel, a copy, or a fill such as cudaMemsetAsync? Memory "
         "that is only allocated holds anything. Or who should not read it?";
}

const char* question_of_bad_address(const Finding& finding) {
  if (says(finding, "a pointer of the host")) {
    return "where does this pointer come from? A kernel reaches memory of the device, such as cudaMalloc "
           "gives, and no array or variable of the host.";
  }
  if (says(finding, "a null pointer")) return "which pointer is null, and what should have set it?";
  if (says(finding, "after it was freed")) return "what frees this memory, and who still uses it?";
  if (says(finding, "in no allocation")) return "where does this pointer come from, and what is its index?";
  if (says(finding, "constant memory")) return "is this the memory that you mean?";
  return "is the index the right one, and which threads must stay out?";
}

/// Whether one thread is at fault, rather than a launch or an image as a whole.
bool has_thread(Finding::Kind kind) {
  return kind != Finding::Kind::bad_launch && kind != Finding::Kind::bad_image &&
         kind != Finding::Kind::bad_call && kind != Finding::Kind::unsupported;
}

}  // namespace

std::string kernel_name(const std::string& mangled) {
  constexpr std::string_view kReturned = "void ";  // which the names of templates begin with
  const std::string name = emulator::demangled(mangled);
  const std::size_t begin = name.starts_with(kReturned) ? kReturned.size() : 0;
  return name.substr(begin, name.find('(') - begin);
}

Verdict verdict_of(Finding::Kind kind) {
  switch (kind) {
    case Finding::Kind::out_of_bounds:
    case Finding::Kind::misaligned:
      return Verdict::out_of_bounds;
    case Finding::Kind::uninitialised_read:
      return Verdict::uninitialised_read;
    case Finding::Kind::race:
      return Verdict::race;
    case Finding::Kind::bad_sync:
    case Finding::Kind::deadlock:
      return Verdict::bad_sync;
    case Finding::Kind::time_limit:
    case Finding::Kind::no_progress:  // the limit is certain to be reached
      return Verdict::time_limit;
    case Finding::Kind::trap:
    case Finding::Kind::assertion:
    case Finding::Kind::stack_overflow:
      return Verdict::crashed;
    case Finding::Kind::bad_launch:
    case Finding::Kind::bad_image:
      return Verdict::launch_failed;
    // Hardware might run it: the limit is the emulated device's, not the student's.
    case Finding::Kind::unsupported:
    // What these spoil shows in the outputs. Refused calls and stale reads are taken out, and the judge does
    // not ask for leaks.
    case Finding::Kind::bad_call:
    case Finding::Kind::leak:
    case Finding::Kind::stale_read:
      return Verdict::grader_error;
  }
  return Verdict::grader_error;
}

bool stops_kernel(Finding::Kind kind) {
  switch (kind) {
    case Finding::Kind::race:
    case Finding::Kind::uninitialised_read:
    case Finding::Kind::bad_launch:
    case Finding::Kind::stale_read:
      return false;
    default:
      return true;
  }
}

std::vector<Finding> take_kind(Finding::Kind kind, std::vector<Finding>& findings) {
  const auto first = std::stable_partition(findings.begin(), findings.end(),
                                           [kind](const Finding& finding) { return finding.kind != kind; });
  std::vector<Finding> taken(std::make_move_iterator(first), std::make_move_iterator(findings.end()));
  findings.erase(first, findings.end());
  return taken;
}

const Finding* gravest(std::span<const Finding> findings) {
  const auto first = std::min_element(findings.begin(), findings.end(), [](const auto& a, const auto& b) {
    return rank_of(a.kind) < rank_of(b.kind);
  });
  return first == findings.end() ? nullptr : &*first;
}

std::string sentence_of(const Finding& finding) {
  const std::optional<PlacedMessage> placed = placed_message(finding);
  // The device quotes names that the submission chose.
  std::string sentence = emulator::shortened(placed ? placed->reason : finding.message);
  if (const auto lacks = sentence.find(kLacksWarpBarrier);
      finding.kind == Finding::Kind::race && lacks != std::string::npos) {
    sentence.replace(lacks, kLacksWarpBarrier.size(), "with no barrier between these threads of one warp");
  }
  if (!finding.kernel.empty()) sentence += ", in " + kernel_name(finding.kernel);
  if (has_thread(finding.kind)) {
    sentence += fmt::format(", block {}, thread {}", text_of(finding.block), text_of(finding.thread));
    if (finding.count > 1) sentence += fmt::format(", the first of {} times", finding.count);
  }
  return sentence;
}

std::string cause_of_stale_read(const Finding& finding) {
  return fmt::format("line {} read what was there before{} the store of line {}, by another block, {}{}",
                     finding.line.line, lacks_readers_fence(finding) ? "" : ":", finding.other_line.line,
                     lacks_readers_fence(finding)
                         ? "though a fence follows that: what told of it has no __threadfence() behind it"
                         : "had no __threadfence() behind it yet",
                     finding.kernel.empty() ? "" : ", in " + kernel_name(finding.kernel));
}

std::string question_of(const Finding& finding, const SourceText& source) {
  switch (finding.kind) {
    case Finding::Kind::race:
      return question_of_race(finding, source);
    case Finding::Kind::out_of_bounds:
      return question_of_bad_address(finding);
    case Finding::Kind::misaligned:
      return "does what each thread reads or writes at once begin at a multiple of its size?";
    case Finding::Kind::uninitialised_read:
      return question_of_unwritten(finding);
    case Finding::Kind::bad_sync:
    case Finding::Kind::deadlock:
      return "do all threads of the block, or all lanes of the mask, come to it?";
    case Finding::Kind::time_limit:
    case Finding::Kind::no_progress:
      return "what should let the code go on from here?";
    case Finding::Kind::stale_read:
      if (lacks_readers_fence(finding)) {
        return "which read tells that the value is there? A __threadfence() must stand between that and this "
               "read; or both are one word.";
      }
      return "which store tells other blocks that the value is there? A __threadfence() must stand between "
             "the two, the value first; or both are one word.";
    default:
      return "what happens there?";
  }
}

std::vector<report::Place> places_of(const Finding& finding, const SourceText& source) {
  std::vector<report::Place> places;
  if (const auto placed = placed_message(finding)) places.push_back(source.place(placed->line));
  for (const emulator::SourceLine& line : {finding.line, finding.other_line}) {
    if (line.line > 0) places.push_back(source.place(line));
  }
  return places;
}

}  // namespace lockstep::judge
