#include "judge/findings.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>

#include "judge/source_search.h"
#include "report/finding_words.h"
#include "text/demangled.h"
#include "text/shortened.h"

namespace lockstep::judge {
namespace {

using emulator::Finding;
using emulator::SourceLine;
using Cause = Finding::Cause;

std::string text_of(const std::array<std::uint32_t, 3>& index) {
  return fmt::format("({}, {}, {})", index[0], index[1], index[2]);
}

/// Of a stale read: it is the block that reads which lacks a fence.
bool lacks_readers_fence(const Finding& finding) { return finding.cause == Cause::unfenced_reader; }

/// Whether a kernel distinguishes its threads, as far as its lines show it.
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
/// shows it where the compiler computed the two apart.
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
        "is line {} the flag that signals to other blocks what lies before the last `__threadfence()`? Such "
        "a word must be `volatile` or atomic, where it is written and where it is read: else a compiler may "
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
        race.other == Finding::Other::threads_of_warp && race.other_access == Finding::Access::read
            ? " Or did others read it before, and does a barrier lack that all threads come to?"
            : "");
  }
  if (both_write(race)) {
    return "several threads write one element here: is its index the right one, or is this work for one "
           "thread alone, behind `if (threadIdx.x == 0)`?";
  }
  return "one thread changes here what another reads. Read into a variable, then `__syncthreads()`, then "
         "change it; and in a loop another `__syncthreads()` before the next iteration.";
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
  const std::string or_warp = race.scope == Finding::Scope::warp
                                  ? "; or, where only threads of one warp share the memory, a `__syncwarp()`"
                                  : "";
  if (race.line.file != race.other_line.file || !source.holds(race.line)) return kElsewhere + or_warp + '.';
  const bool in_order = race.other_line.line < race.line.line;
  const auto [first, last] = std::minmax(race.line.line, race.other_line.line);
  // Both came after that barrier, and no thread comes from it to the first line but round a loop.
  if (const std::uint32_t met = met_between(race, first, last)) {
    return fmt::format(
        "all threads meet at line {}, then the loop comes round, or the function is called again: the {} at "
        "line {} is of the next iteration and does not wait for the {} at line {} of this one. Put another "
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
  const bool may_be_index = both_write(race) && race.space != Finding::Space::shared;
  return fmt::format(
      "{} barrier stands between lines {} and {}. Put a `__syncthreads()` there, where all threads of the "
      "block come to it{}.",
      may_be_index ? "both lines write this element, each by a thread of its own: is one of the two indices "
                     "wrong? If both are meant, no"
                   : "no",
      first, last, or_warp);
}

std::string question_of_race(const Finding& race, const SourceText& source) {
  if (race.cause == Cause::copy_not_awaited) return report::question_of(race);
  const bool between_blocks = race.scope == Finding::Scope::grid;
  std::string question = between_blocks                 ? question_of_blocks(race, source)
                         : race.line == race.other_line ? question_of_one_line(race, source)
                                                        : question_of_two_lines(race, source);
  const char* const scope = between_blocks ? "device" : "block";
  if (!race.changed_atomically && race.is_volatile) {
    return fmt::format("{} Or is any order right? Then make both accesses atomic: {}.", question,
                       relaxed_access(scope));
  }
  if (!race.changed_atomically) return question;
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

/// A reference that the kernel was given and that stands on the line of the finding; empty where none does.
std::string reference_on_line(const Finding& finding, const SourceText& source) {
  if (!source.holds(finding.line)) return "";
  for (const std::string& name : references_of_kernel(source, finding.line.line)) {
    if (has_word(source.code(finding.line.line), name)) return name;
  }
  return "";
}

/// How far beside its object an access begins; 0 where it begins in it, or in none.
std::uint64_t distance_of(const Finding& finding) {
  switch (finding.cause) {
    case Cause::past_end:
    case Cause::far_past_end:
      return finding.address - finding.object.begin - finding.object.bytes;
    case Cause::before_start:
    case Cause::far_before_start:
      return finding.object.begin - finding.address;
    default:
      return 0;
  }
}

/// What an index out of bounds may be due to, as far as the distance shows.
std::string question_of_index(const Finding& finding) {
  constexpr std::int64_t kFarOff = std::int64_t{1} << 30;
  const bool in_window = finding.cause == Cause::outside_window;
  const bool in_shared = in_window && finding.space == Finding::Space::shared;
  const std::int64_t offset = in_window ? report::offset_of(finding) : 0;
  const auto size = static_cast<std::int64_t>(finding.object.bytes);
  if (offset >= kFarOff || distance_of(finding) >= std::uint64_t{kFarOff}) {
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
  if (finding.cause == Cause::just_past_end || (in_shared && size > 0 && offset == size)) {
    return "this is the first element past the end: is a `<=` meant to be a `<`, do threads beyond the last "
           "element stay out, and is the array long enough?";
  }
  if (in_shared) {
    return "is the array long enough for every index that comes, and is the index the right one?";
  }
  if (finding.cause == Cause::far_past_end || finding.cause == Cause::far_before_start) {
    return "this is far from every array: what does the index multiply by? A row is as long as those of its "
           "own array, and a block begins at its own first element.";
  }
  return report::question_of(finding);
}

/// Whether the access goes beyond the end of its object.
bool passes_end(Cause cause) {
  return cause == Cause::reaches_past_end || cause == Cause::just_past_end || cause == Cause::past_end ||
         cause == Cause::far_past_end;
}

std::string question_of_bad_address(const Finding& finding, const SourceText& source) {
  if (finding.cause == Cause::host_pointer) {
    if (const std::string name = reference_on_line(finding, source); !name.empty()) {
      return fmt::format(
          "`{}` is a reference: what the kernel gets is the address of a variable of the host. Take it by "
          "value, without the &.",
          name);
    }
  }
  if (finding.cause == Cause::outside_window && finding.space == Finding::Space::shared &&
      mentions(source, "extern __shared__")) {
    return "an `extern __shared__` array has as many bytes as the third launch argument says, `<<<blocks, "
           "threads, bytes, stream>>>`. Are they enough, and is the index the right one?";
  }
  if (passes_end(finding.cause) && finding.object.name == "workspace") {
    return "is the index the right one, and is the size that you ask for, in bytes, large enough?";
  }
  return question_of_index(finding);
}

std::string question_of_uninitialised(const Finding& finding, const SourceText& source) {
  const std::uint32_t left = finding.cause == Cause::uninitialised_shared && source.holds(finding.line)
                                 ? return_before_barrier(source, finding.line.line)
                                 : 0;
  if (left == 0) return report::question_of(finding);
  return fmt::format(
      "line {} lets threads return before a barrier: should one of them have written this? Let all go on "
      "to the barriers, and stay out of what is not theirs by a condition. Or has nothing set it? Shared "
      "memory begins with anything.",
      left);
}

std::string question_of_time_limit(const Finding& finding, const SourceText& source) {
  const bool waits_for_begin = finding.cause == Cause::endless_loop && !finding.numbers.empty() &&
                               finding.numbers.front() > 0;  // blocks that have not begun
  if (!waits_for_begin) return report::question_of(finding);
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
           "of threads per block.";
  }
  if (finding.cause == Cause::empty_launch &&
      (mentions(source, "divide_up(") || mentions(source, "- 1) /"))) {
    return "there is nothing to do in this case: return before the launch, as a grid without blocks cannot "
           "be launched.";
  }
  return report::question_of(finding);
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
    return report::row_of(a.kind).rank < report::row_of(b.kind).rank;
  });
  return first == findings.end() ? nullptr : &*first;
}

std::string sentence_of(const Finding& finding) {
  // The device quotes names that the submission chose.
  std::string sentence = text::shortened(report::sentence_of(finding, report::Reader::student));
  if (!finding.kernel.empty()) sentence += ", in " + kernel_name(finding.kernel);
  if (report::row_of(finding.kind).has_thread) {
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
        "is a fence; between the read that sees its signal and line {0} is none",
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
    case Finding::Kind::uninitialised_read:
      return question_of_uninitialised(finding, source);
    case Finding::Kind::time_limit:
    case Finding::Kind::no_progress:
      return question_of_time_limit(finding, source);
    case Finding::Kind::bad_launch:
      return question_of_launch(finding, source);
    default:
      return report::question_of(finding);
  }
}

std::vector<result::Place> places_of(const Finding& finding, const SourceText& source) {
  std::vector<result::Place> places;
  const auto add = [&](const SourceLine& line, const std::string& part) {
    if (line.line == 0) return;
    places.push_back(source.place(line));
    places.back().part = part;
  };
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
      "launch, such as a flag that is cleared, and reported by the kernel.";
  result.places.clear();
  const std::vector<Statement> launches = launches_of(source, launched_name(most->kernel));
  if (!launches.empty()) result.places = {source.place({source.file_name(), launches.front().line})};
}

}  // namespace lockstep::judge
