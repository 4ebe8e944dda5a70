#include "judge/findings.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>

#include "judge/source_search.h"
#include "text/demangled.h"
#include "text/shortened.h"

namespace lockstep::judge {
namespace {

using emulator::Finding;
using emulator::SourceLine;
using result::Verdict;

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

/// Whether a kernel tells its threads apart, as far as its lines show it.
bool asks_for_its_thread(const SourceText& source, const SourceLine& line) {
  if (!source.holds(line)) return true;
  const std::string function = function_around(source, line.line);
  return function.find("__global__") == std::string::npos || function.find("thread") != std::string::npos ||
         function.find("lane") != std::string::npos;
}

const char* verb(Finding::Access access) {
  return access == Finding::Access::read ? "read" : access == Finding::Access::atomic ? "update" : "write";
}

/// Whether both accesses are of an update of one element: the device sees it by the addresses, and the line
/// tells it where the compiler computed the two apart.
bool are_of_updates(const Finding& race, const SourceText& source) {
  return race.of_updates || (race.line == race.other_line && source.holds(race.line) &&
                             updates_an_element(source.code(race.line.line)));
}

/// What makes accesses right that may come in any order.
std::string relaxed_access(const char* scope) {
  return fmt::format(
      "`cuda::atomic_ref<T, cuda::thread_scope_{}>(element).load(cuda::memory_order_relaxed)`, and "
      "`.store(value, …)` likewise (T: its type; `#include <cuda/atomic>`)",
      scope);
}

/// Of a race between two blocks.
std::string question_of_blocks(const Finding& race, const SourceText& source) {
  const bool one_line = race.line == race.other_line;
  if (are_of_updates(race, source)) {
    return "several blocks update one element here, by a read and a write between which others come. Make it "
           "one step, such as `atomicAdd(&element, value)`.";
  }
  if (both_write(race)) {
    return one_line
               ? "several blocks write one element here: is its index the right one, or is this work for "
                 "one block alone?"
               : "both lines write this element, each from a block of its own: is one of the two indices "
                 "wrong? If both are meant, what comes later belongs in a launch of its own.";
  }
  if (one_line) {
    return "one block reads here what another writes, and blocks run in any order: write to memory that "
           "nobody reads in this launch, or update by an atomic operation.";
  }
  const SourceLine& write = race.access == Finding::Access::read ? race.other_line : race.line;
  if (source.holds(write) && is_behind_last_fence(source, write.line)) {
    return fmt::format(
        "is line {} the word that tells other blocks what lies before the last `__threadfence()`? Such a "
        "word must be `volatile` or atomic, where it is written and where it is read: else a compiler may "
        "read it once and keep that.",
        write.line);
  }
  return "blocks run in any order. What one of them writes another may read in a later launch; or behind a "
         "flag, a `volatile` or atomic word that is set behind a `__threadfence()` and seen before another. "
         "Is this the flag itself? Then it must be `volatile` or atomic.";
}

/// What to ask of a barrier that stands before an access, and that not all threads have met there.
std::string question_of_missed_barrier(std::uint32_t line) {
  return fmt::format(
      "do all threads of the block come to the barrier at line {}? One under a condition, or in a loop that "
      "not all go round equally often, is not met by all: move it out.",
      line);
}

/// A barrier that stands before the line of a race behind the latest that all threads have met; 0 where there
/// is none, or that one is not known to stand before.
std::uint32_t missed_before(const Finding& race, const SourceText& source) {
  for (const SourceLine& met : race.barrier) {
    if (source.holds(met) && source.holds(race.line) && met.line < race.line.line)
      return lines_between(source, met.line + 1, race.line.line).barrier;
  }
  return 0;
}

/// Of a race on one line between threads of one block.
std::string question_of_one_line(const Finding& race, const SourceText& source) {
  if (const std::uint32_t missed = missed_before(race, source)) return question_of_missed_barrier(missed);
  if (are_of_updates(race, source)) {
    // Of several readers the latest one's line is known.
    return fmt::format(
        "several threads update one element here, by a read and a write between which others come. Make it "
        "one step, such as `atomicAdd(&element, value)`; or is it work for one thread alone?{}",
        says(race, "which other threads of the warp read")
            ? " Or did others read it before, and does a barrier lack that all threads come to?"
            : "");
  }
  if (both_write(race)) {
    return "several threads write one element here: is its index the right one, or is this work for one "
           "thread alone, behind `if (threadIdx.x == 0)`?";
  }
  return "one thread changes here what another reads. Read into a variable, then `__syncthreads()`, then "
         "change it; and in a loop another `__syncthreads()` before the next turn.";
}

/// The line between two others at which all threads have met last, 0 when it was elsewhere.
std::uint32_t met_between(const Finding& race, std::uint32_t first, std::uint32_t last) {
  for (const SourceLine& line : race.barrier) {
    if (line.file == race.line.file && first < line.line && line.line < last) return line.line;
  }
  return 0;
}

/// Of a race between threads of one block on two lines.
std::string question_of_two_lines(const Finding& race, const SourceText& source) {
  constexpr const char* kElsewhere =
      "a `__syncthreads()` must stand between the two accesses, where all threads of the block come to it";
  const std::string or_warp = says(race, kLacksWarpBarrier)
                                  ? "; or, where only threads of one warp share the memory, a `__syncwarp()`"
                                  : "";
  if (race.line.file != race.other_line.file || !source.holds(race.line)) return kElsewhere + or_warp + '.';
  const bool in_order = race.other_line.line < race.line.line;
  const auto [first, last] = std::minmax(race.line.line, race.other_line.line);
  // Both came after that barrier, and no thread comes from it to the first line but round a loop.
  if (const std::uint32_t met = met_between(race, first, last)) {
    return fmt::format(
        "all threads meet at line {}, then the loop comes round, or the function is called again: the {} at "
        "line {} is of the next turn and does not wait for the {} at line {} of this one. Put another "
        "`__syncthreads()` behind line {}, at the end of the loop or function.",
        met, verb(in_order ? race.other_access : race.access), first,
        verb(in_order ? race.access : race.other_access), last, last);
  }
  const LinesBetween between = lines_between(source, first, last);
  if (between.barrier != 0) return question_of_missed_barrier(between.barrier);
  if (!asks_for_its_thread(source, race.line)) {
    return "every thread of the block does the same here: is it work for one thread, which `<<<1, 1, 0, "
           "stream>>>` launches?";
  }
  if (!between.in_one_function) return kElsewhere + or_warp + '.';
  // Shared memory is set first and then written; elsewhere two writes of one element are seldom meant.
  const bool may_be_index = both_write(race) && !says(race, "shared memory");
  return fmt::format(
      "{} barrier stands between lines {} and {}. Put a `__syncthreads()` there, where all threads of the "
      "block come to it{}.",
      may_be_index ? "both lines write this element, each by a thread of its own: is one of the two indices "
                     "wrong? If both are meant, no"
                   : "no",
      first, last, or_warp);
}

std::string question_of_race(const Finding& race, const SourceText& source) {
  if (says(race, "asynchronous copy")) return "who waits for the copy, and which barrier then follows?";
  const bool between_blocks = says(race, "between the two blocks");
  std::string question = between_blocks                 ? question_of_blocks(race, source)
                         : race.line == race.other_line ? question_of_one_line(race, source)
                                                        : question_of_two_lines(race, source);
  const char* const scope = between_blocks ? "device" : "block";
  if (says(race, "a volatile access waits for no other thread")) {
    return fmt::format("{} Or is any order right? Then make both accesses atomic: {}.", question,
                       relaxed_access(scope));
  }
  if (!says(race, "; atomic operations change it too")) return question;
  // What orders nothing, such as a union, exchanges values; what counts is cleared before all count, and read
  // when all have counted.
  const bool exchanges = std::ranges::any_of(std::array{"atomicCAS(", "atomicMin(", "atomicMax("},
                                             [&](const char* name) { return mentions(source, name); });
  if (!exchanges && !between_blocks) return question;
  const std::string any_order = fmt::format(
      "s any order right? Then every plain access of this element must be atomic as well: {}; for words of "
      "32 bits a volatile one will do.",
      relaxed_access(scope));
  return exchanges ? fmt::format("i{} Else: {}", any_order, question)
                   : fmt::format("{} Or i{}", question, any_order);
}

/// The number that follows these words of a message; 0 where there is none.
long long number_after(const std::string& message, std::string_view words) {
  const std::size_t at = message.find(words);
  if (at == std::string::npos) return 0;
  const std::string_view digits = std::string_view(message).substr(at + words.size());
  long long number = 0;
  std::from_chars(digits.data(), digits.data() + digits.size(), number);
  return number;
}

/// A reference that the kernel was given and that stands on the line of the finding; empty where none does.
std::string reference_on_line(const Finding& finding, const SourceText& source) {
  if (!source.holds(finding.line)) return "";
  for (const std::string& name : references_of_kernel(source, finding.line.line)) {
    if (has_word(source.code(finding.line.line), name)) return name;
  }
  return "";
}

/// What an index out of bounds may be due to, as far as the distance tells.
std::string question_of_index(const Finding& finding) {
  constexpr long long kFarOff = 1LL << 30;
  const long long offset = number_after(finding.message, " at offset ");
  const long long size = number_after(finding.message, "shared memory, which has ");
  const long long past = number_after(finding.message, "that begin ");
  if (offset >= kFarOff || past >= kFarOff) {
    return "so far off lies what any number leads to, such as one that was read: compare it with the length "
           "of the array before it is an index. Or does an int in it overflow?";
  }
  if (offset <= -kFarOff) {
    return "so far off lies what an int that overflowed leads to: which sum or product, of this index or of "
           "what it is made of, is formed in 32 bits? Form it in 64.";
  }
  if (offset < 0) {
    return "the index is below 0: which threads must not access this element? They go on to the next barrier "
           "all the same.";
  }
  if (says(finding, "just past the end") || (size > 0 && offset == size)) {
    return "this is the first element past the end: is a `<=` meant to be a `<`, do threads beyond the last "
           "element stay out, and is the array long enough?";
  }
  if (says(finding, "shared memory, which has")) {
    return "is the array long enough for every index that comes, and is the index the right one?";
  }
  if (says(finding, "the nearest allocation")) {
    return "this is far from every array: what does the index multiply by? A row is as long as those of its "
           "own array, and a block begins at its own first element.";
  }
  return "is there a condition that keeps threads without an element away, and does it ask about the numbers "
         "that this index is made of? Or is the index wrong, or the array shorter than you think?";
}

std::string question_of_bad_address(const Finding& finding, const SourceText& source) {
  if (says(finding, "a pointer of the host")) {
    if (const std::string name = reference_on_line(finding, source); !name.empty()) {
      return fmt::format(
          "`{}` is a reference: what the kernel gets is the address of a variable of the host. Take it by "
          "value, without the &.",
          name);
    }
    return "where does this pointer come from? A kernel reaches memory of the device, such as cudaMalloc "
           "gives, and no array or variable of the host.";
  }
  if (says(finding, "a null pointer")) return "which pointer is null, and what should have set it?";
  if (says(finding, "after it was freed")) return "what frees this memory, and who still uses it?";
  if (says(finding, "in no allocation")) return "where does this pointer come from, and what is its index?";
  if (says(finding, "constant memory")) return "is this the memory that you mean?";
  if (says(finding, "of the block's shared memory, which has") && mentions(source, "extern __shared__")) {
    return "an `extern __shared__` array has as many bytes as the third launch argument says, `<<<blocks, "
           "threads, bytes, stream>>>`. Are they enough, and is the index the right one?";
  }
  if (says(finding, "the end of 'workspace'")) {
    return "is the index the right one, and is the size that you ask for, in bytes, large enough?";
  }
  return question_of_index(finding);
}

std::string question_of_unwritten(const Finding& finding, const SourceText& source) {
  if (says(finding, "of the block's shared memory")) {
    const std::uint32_t left =
        source.holds(finding.line) ? return_before_barrier(source, finding.line.line) : 0;
    if (left != 0) {
      return fmt::format(
          "line {} lets threads return before a barrier: should one of them have written this? Let all go on "
          "to the barriers, and stay out of what is not theirs by a condition. Or has nothing set it? Shared "
          "memory begins with anything.",
          left);
    }
    return "nothing has set this: shared memory begins with anything. Where something is added to it, set it "
           "to 0 first, then `__syncthreads()`; where a condition keeps a thread from writing it, let that "
           "thread write 0.";
  }
  return "what should have written this before: a kernel, a copy, or a fill such as `cudaMemsetAsync(…, "
         "stream)`? Memory that is only allocated holds anything. Or who should not read it?";
}

const char* question_of_barrier(const Finding& finding) {
  if (says(finding, "lane")) {
    return "which condition keeps the others away? All lanes that the mask names must come here: move this "
           "out of the condition, and let that decide what becomes of the result.";
  }
  return "which condition or loop do not all threads of the block go through together? Move the barrier out "
         "of it, so that all come to it equally often.";
}

std::string question_of_time_limit(const Finding& finding, const SourceText& source) {
  if (!says(finding, "have not begun")) return "what should let the code go on from here?";
  if (mentions(source, "atomicAdd(") || mentions(source, "atomicInc(") || mentions(source, "fetch_add(")) {
    return "which block should let this one go on, and has it begun? Blocks begin in any order, and those "
           "that wait keep others from beginning.";
  }
  return "does this block wait for one that has not begun? Blocks begin in any order, and those that wait "
         "keep others from beginning. Let each take its number as it begins, as `if (threadIdx.x == 0) "
         "number = atomicAdd(ticket, 1);` does with a cleared ticket, in place of blockIdx.x.";
}

std::string question_of_launch(const Finding& finding, const SourceText& source) {
  const std::vector<Statement> launches = launches_of(source, launched_name(finding.kernel));
  if (std::ranges::any_of(launches, exchanges_its_arguments)) {
    return "are the first two launch arguments exchanged? The first is the number of blocks, the second that "
           "of threads a block.";
  }
  if (says(finding, "at least one of each")) {
    if (mentions(source, "divide_up(") || mentions(source, "- 1) /")) {
      return "there is nothing to do in this case: return before the launch, as a grid without blocks cannot "
             "be launched.";
    }
    return "round the number of blocks up, as `(n + kThreads - 1) / kThreads` does, and launch nothing where "
           "there is nothing to do.";
  }
  if (says(finding, "a block has at most")) {
    return "give a block fewer threads, such as 256, and the grid more blocks.";
  }
  if (says(finding, "dynamic shared memory")) {
    return "call cudaFuncSetAttribute before the launch, or take less memory: what is the third launch "
           "argument, in bytes?";
  }
  return "compare the launch with what a device can launch: at least one block and one thread, at most 1024 "
         "threads a block, and no more shared memory than a block may have.";
}

/// Whether one thread is at fault, rather than a launch or an image as a whole.
bool has_thread(Finding::Kind kind) {
  return kind != Finding::Kind::bad_launch && kind != Finding::Kind::bad_image &&
         kind != Finding::Kind::bad_call && kind != Finding::Kind::unsupported;
}

}  // namespace

std::string kernel_name(const std::string& mangled) {
  constexpr std::string_view kReturned = "void ";  // which the names of templates begin with
  constexpr std::string_view kUnnamed = "(anonymous namespace)::";
  std::string name = text::demangled(mangled);
  if (name.starts_with(kReturned)) name.erase(0, kReturned.size());
  for (std::size_t at = 0; (at = name.find(kUnnamed, at)) != std::string::npos;)
    name.erase(at, kUnnamed.size());
  int brackets = 0;  // of template arguments, in which casts have parentheses
  const auto parameters = std::ranges::find_if(name, [&](char c) {
    brackets += (c == '<') - (c == '>');
    return c == '(' && brackets == 0;
  });
  name.erase(parameters, name.end());
  return name;
}

std::string launched_name(const std::string& mangled) {
  std::string name = kernel_name(mangled);
  name.resize(std::min(name.size(), name.find('<')));
  const std::size_t scope = name.rfind("::");
  return scope == std::string::npos ? name : name.substr(scope + 2);
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

bool both_write(const Finding& race) {
  return race.access != Finding::Access::read && race.other_access == Finding::Access::write;
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
  std::string sentence = text::shortened(placed ? placed->reason : finding.message);
  if (const auto lacks = sentence.find(kLacksWarpBarrier);
      finding.kind == Finding::Kind::race && lacks != std::string::npos) {
    sentence.replace(lacks, kLacksWarpBarrier.size(), "with no barrier between these threads of one warp");
  }
  if (!finding.kernel.empty()) sentence += ", in " + kernel_name(finding.kernel);
  if (has_thread(finding.kind)) {
    sentence += fmt::format(", block {}, thread {}", text_of(finding.block), text_of(finding.thread));
    if (finding.count > 1)
      sentence += fmt::format(", the first of the {} times that this happened there", finding.count);
  }
  return sentence;
}

std::string cause_of_stale_read(const Finding& finding) {
  const std::string kernel = finding.kernel.empty() ? "" : ", in " + kernel_name(finding.kernel);
  if (lacks_readers_fence(finding)) {
    return fmt::format(
        "line {0} read what was there before the store of line {1}, by another block{2}. Behind that store "
        "is a fence; between the read that tells this block of it and line {0} is none",
        finding.line.line, finding.other_line.line, kernel);
  }
  return fmt::format(
      "line {} read what was there before: the store of line {}, by another block, had no __threadfence() "
      "behind it yet{}",
      finding.line.line, finding.other_line.line, kernel);
}

std::string question_of(const Finding& finding, const SourceText& source) {
  switch (finding.kind) {
    case Finding::Kind::race:
      return question_of_race(finding, source);
    case Finding::Kind::out_of_bounds:
      return question_of_bad_address(finding, source);
    case Finding::Kind::misaligned:
      return "does what each thread reads or writes at once begin at a multiple of its size?";
    case Finding::Kind::uninitialised_read:
      return question_of_unwritten(finding, source);
    case Finding::Kind::bad_sync:
    case Finding::Kind::deadlock:
      return question_of_barrier(finding);
    case Finding::Kind::time_limit:
    case Finding::Kind::no_progress:
      return question_of_time_limit(finding, source);
    case Finding::Kind::bad_launch:
      return question_of_launch(finding, source);
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

std::vector<result::Place> places_of(const Finding& finding, const SourceText& source) {
  std::vector<result::Place> places;
  const auto add = [&](const SourceLine& line, const std::string& part) {
    if (line.line == 0) return;
    places.push_back(source.place(line));
    places.back().part = part;
  };
  if (const auto placed = placed_message(finding)) add(placed->line, "");
  if (finding.kind == Finding::Kind::bad_launch) {
    const std::vector<Statement> launches = launches_of(source, launched_name(finding.kernel));
    if (launches.size() == 1) add({source.file_name(), launches.front().line}, "");
  }
  if (finding.kind == Finding::Kind::race) {
    if (finding.line == finding.other_line) {
      add(finding.line, "both accesses");
    } else {
      add(finding.other_line, fmt::format("first: {}s", verb(finding.other_access)));
      add(finding.line, fmt::format("then: {}s", verb(finding.access)));
    }
    return places;
  }
  const bool is_stale = finding.kind == Finding::Kind::stale_read;
  const bool has_other = finding.other_line.line > 0;
  add(finding.line, is_stale ? "reads an old value" : has_other ? "some wait here" : "");
  add(finding.other_line, is_stale ? "the store that it missed" : "others wait here");
  return places;
}

namespace {

/// Where no stream was given, or another than the function was: under the name of one of the parameters that
/// are streams, it is passed on.
std::optional<result::Place> place_of_left_work(std::span<const std::string> kernels,
                                                const SourceText& source) {
  std::vector<Statement> candidates;
  for (const std::string& kernel : kernels) {
    const std::vector<Statement> launches = launches_of(source, launched_name(kernel));
    candidates.insert(candidates.end(), launches.begin(), launches.end());
  }
  if (kernels.empty()) candidates = calls_of(source, "cudaMem");
  std::vector<std::string> passed = stream_parameters(source);
  if (passed.empty()) passed = {"stream"};
  const auto found = std::ranges::find_if(candidates, [&](const Statement& one) {
    return std::ranges::none_of(passed, [&](const std::string& name) { return has_word(one.text, name); });
  });
  if (found == candidates.end()) return std::nullopt;
  return source.place({source.file_name(), found->line});
}

}  // namespace

void report_left_work(std::span<const std::string> kernels, const SourceText& source,
                      result::CaseResult& result) {
  result.guess = fmt::format(
      "{} was put into another stream than the one that your function was given. No stream waits for "
      "another: the given one was done, and this was not. What is given no stream goes into the default "
      "stream, which is another one too.",
      kernels.empty() ? "a copy or fill" : kernel_name(kernels.front()));
  result.cause_is_known = true;
  result.question =
      kernels.empty() ? "pass `stream` on as its last argument, as to `cudaMemsetAsync(…, stream)`."
                      : "pass `stream` on as the fourth launch argument: `<<<blocks, threads, 0, stream>>>`.";
  if (auto place = place_of_left_work(kernels, source)) {
    place->part = "in another stream";
    result.places.insert(result.places.begin(), std::move(*place));
  }
}

void report_many_launches(std::span<const emulator::KernelWork> kernels, const Finding* at_the_end,
                          const SourceText& source, result::CaseResult& result) {
  constexpr std::uint64_t kMany = 16;  // fewer may be the steps of an algorithm
  const auto most = std::ranges::max_element(kernels, {}, &emulator::KernelWork::launches);
  if (most == kernels.end() || most->launches < kMany) return;
  if (at_the_end != nullptr && at_the_end->kernel != most->kernel) return;
  result.message +=
      fmt::format("; until then {} had been launched {} times", kernel_name(most->kernel), most->launches);
  result.question =
      "does the loop on the host that launches this ever end? What it asks for must be set anew before each "
      "launch, such as a flag that is cleared, and told by the kernel.";
  result.places.clear();
  const std::vector<Statement> launches = launches_of(source, launched_name(most->kernel));
  if (!launches.empty()) result.places = {source.place({source.file_name(), launches.front().line})};
}

}  // namespace lockstep::judge
