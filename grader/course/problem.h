// What the judge knows of an exercise: its cases, how to make their inputs, what must come out, what it may
// cost.
//
// A problem.cpp fills one Problem and registers it; nothing else in the project names the exercise. Inputs
// and expected outputs are made in the judge's host memory, anew for every call, from a seed that the
// submission does not see; nothing here touches a device.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <ranges>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "course/signature.h"
#include "course/word_maps.h"
#include "emulator/core/observations.h"
#include "lockstep/random.h"

namespace lockstep::course {

using Bytes = std::vector<std::byte>;

/// Parts in which arrays are drawn have so many bytes, but for the last.
constexpr std::size_t kDrawnTogether = std::size_t{2} << 20;

template <std::ranges::contiguous_range Values>
Bytes bytes_of(const Values& values) {
  static_assert(std::is_trivially_copyable_v<std::ranges::range_value_t<Values>>);
  const auto bytes = std::as_bytes(std::span(values));
  return {bytes.begin(), bytes.end()};
}

/// Writes the next elements of an array into `part`, whole ones: an array is made part by part, from its
/// beginning.
using Draw = std::function<void(std::span<std::byte> part)>;

/// Of elements that are each `function` of a word of `random`, which outlives the result. The compiler knows
/// the function, and computes several elements at a time.
template <class Function>
Draw draw_of_words(Random& random, Function function) {
  using Element = decltype(function(std::uint32_t{}));
  static_assert(std::is_trivially_copyable_v<Element> && kDrawnTogether % sizeof(Element) == 0);
  return [&random, function](std::span<std::byte> part) {
    std::array<std::uint32_t, 1024> words;
    while (!part.empty()) {
      const std::size_t n = std::min(words.size(), part.size() / sizeof(Element));
      random.words(std::span(words).first(n));
      for (std::size_t i = 0; i < n; ++i) {
        const Element element = function(words[i]);
        std::memcpy(part.data() + i * sizeof element, &element, sizeof element);
      }
      part = part.subspan(n * sizeof(Element));
    }
  };
}

/// Of a function that is known when this is compiled.
template <auto function>
Draw draw_of_words(Random& random) {
  return draw_of_words(random, [](std::uint32_t word) { return function(word); });
}

/// An array of an element for each random word.
struct OfWords {
  WordMap map = WordMap::word;
  std::uint32_t parameter = 0;  ///< of the map
  std::size_t element_bytes = 0;
};

/// How an output is compared and printed. Inputs alone are of bf16, the upper half of a float.
enum class ElementType : std::uint8_t { u8, i32, u32, i64, u64, f32, f64, bf16 };

/// What a buffer or a scalar holds, as a reader is shown it.
struct Elements {
  ElementType type = ElementType::u8;
  std::size_t fields = 1;  ///< numbers of that type in an element, such as the members of a structure
};

/// That of a number's own type.
template <class T>
constexpr Elements elements_of() {
  static_assert(std::is_arithmetic_v<T>,
                "say what a structure's members are: input(name, values, {type, members})");
  if constexpr (std::is_same_v<T, float>) {
    return {ElementType::f32};
  } else if constexpr (std::is_same_v<T, double>) {
    return {ElementType::f64};
  } else if constexpr (sizeof(T) == 8) {
    return {std::is_signed_v<T> ? ElementType::i64 : ElementType::u64};
  } else if constexpr (sizeof(T) == 4) {
    return {std::is_signed_v<T> ? ElementType::i32 : ElementType::u32};
  } else {
    static_assert(sizeof(T) == 1 && std::is_unsigned_v<T>, "no ElementType for this type");
    return {ElementType::u8};
  }
}

/// How far a value may lie from what is expected: |found − expected| ≤ absolute + relative·|expected|. Both
/// zero means equal as values (and NaN equals nothing).
struct Tolerance {
  double absolute = 0;
  double relative = 0;
};

/// The shape of a launch, as x, y and z.
struct Launch {
  std::array<std::uint32_t, 3> grid{};   ///< blocks
  std::array<std::uint32_t, 3> block{};  ///< threads of each

  std::uint64_t threads() const {
    std::uint64_t count = 1;
    for (const auto& extents : {grid, block})
      for (const std::uint32_t extent : extents) count *= extent;
    return count;
  }
};

/// Takes the next part of an output, whole elements, and says whether more is wanted.
using TakePart = std::function<bool(std::span<const std::byte> part)>;
/// Makes an output part by part, from its beginning, for as long as more is wanted.
using MakeParts = std::function<void(const TakePart& take)>;

/// What a known mistake would have produced: when a wrong output equals it, the report says so.
struct KnownMistake {
  std::string sentence;  ///< such as "the output is the input unchanged: it looks transposed twice"
  std::function<Bytes()> output;
  std::string advice = {};  ///< what to do about it, a sentence
  /// Whether the launch that left the output can have made it: where several mistakes leave the same. Empty:
  /// any can; else nothing is said where the launch is not known.
  std::function<bool(const Launch&)> made_by = {};
  /// The same as `output`: where it is not empty, the judge makes no more than shows a difference from what
  /// was found.
  MakeParts in_parts = {};
};

/// What is wrong with an output, where no known mistake left it.
struct Remark {
  std::string sentence;     ///< empty where there is nothing to say
  std::string advice = {};  ///< as that of a known mistake
};

/// Known mistakes of one output, less those that say nothing in this case: what they would have produced is
/// also right, or what a mistake added before would have produced.
template <class T>
class Mistakes {
 public:
  explicit Mistakes(std::vector<T> expected)
      : seen_{std::make_shared<const std::vector<T>>(std::move(expected))} {}

  /// Several with `made_by` may leave the same output: the launch decides (KnownMistake::made_by).
  void add(std::string sentence, std::vector<T> values, std::string advice = {},
           std::function<bool(const Launch&)> made_by = {}) {
    if (std::ranges::any_of(seen_, [&](const auto& other) { return *other == values; })) return;
    const auto kept = std::make_shared<const std::vector<T>>(std::move(values));
    if (!made_by) seen_.push_back(kept);
    known_.push_back(
        {std::move(sentence), [kept] { return bytes_of(*kept); }, std::move(advice), std::move(made_by)});
  }

  /// Of a long output, or one that takes long to compute. It is kept also where it says nothing: the judge
  /// does not look for it there, as the output is right, or names the mistake that was added before. What
  /// `make` refers to must live as long as the call.
  void add_in_parts(std::string sentence, MakeParts make, std::string advice = {}) {
    known_.push_back({.sentence = std::move(sentence),
                      .output =
                          [make] {
                            Bytes all;
                            make([&all](std::span<const std::byte> part) {
                              all.insert(all.end(), part.begin(), part.end());
                              return true;
                            });
                            return all;
                          },
                      .advice = std::move(advice),
                      .in_parts = make});
  }

  /// Likewise, of an output that a copy of `next` gives element by element: it is called with 0, 1, 2, …
  template <class Next>
  void add_by_element(std::string sentence, Next next, std::string advice = {}) {
    const auto make = [next, n = seen_.front()->size()](const TakePart& take) {
      Next next_of_these = next;
      std::array<T, 1024> part;
      for (std::size_t i = 0; i < n;) {
        const auto elements = std::span(part).first(std::min(part.size(), n - i));
        for (T& element : elements) element = next_of_these(i++);
        if (!take(std::as_bytes(elements))) return;
      }
    };
    add_in_parts(std::move(sentence), make, std::move(advice));
  }

  const std::vector<KnownMistake>& known() const { return known_; }

 private:
  std::vector<std::shared_ptr<const std::vector<T>>> seen_;  ///< each kept once, large as it may be
  std::vector<KnownMistake> known_;
};

/// One of several right answers.
struct Answer {
  Bytes bytes;
  std::string name;         ///< in "compared with NAME, the nearest of the right answers"
  std::string remark = {};  ///< what to know of it though it is right; empty where there is nothing to say
};

struct Output {
  ElementType type = ElementType::f32;
  Bytes expected;
  Tolerance tolerance;
  /// Where an element is, in the student's terms, such as "row 3, column 7"; "[index]" when empty.
  std::function<std::string(std::size_t)> position;
  /// Called only after a mismatch.
  std::function<std::vector<KnownMistake>()> known_mistakes;
  /// Called where none of these is what was found.
  std::function<Remark(std::span<const std::byte> expected, std::span<const std::byte> found)> remark = {};
  /// Where several answers are right: the right one that is nearest to what was found, of the same size.
  /// Empty: `expected` is the only right answer.
  std::function<Answer(std::span<const std::byte> found)> nearest_answer;
  /// Of Case::prepare_inputs with one array to draw, of floats whose sum gives what must come out: that, of
  /// their sum in double.
  std::function<Bytes(double sum)> answer_of_sum = {};
};

/// One argument of a call. Exactly one of the members that `kind` names is used.
struct Argument {
  enum class Kind : std::uint8_t { input, output, workspace, scalar, stream };
  Kind kind = Kind::scalar;
  bool on_host = false;             ///< Kind::input and Kind::output: pinned memory of the host
  std::string name;                 ///< as in the declaration, for messages
  Elements elements;                ///< Kind::input and Kind::scalar
  Bytes input;                      ///< Kind::input: compared with its original after the call
  Draw draw;                        ///< Kind::input of Case::prepare_inputs: may make it, in place of `input`
  std::optional<OfWords> of_words;  ///< what `draw` makes, where a GPU can make it too
  Output output;                    ///< Kind::output: poisoned before the call
  std::uint64_t scalar_bits = 0;    ///< Kind::scalar: value in the low bytes
};

/// One call of the exercise's function, with what must come out.
class Call {
 public:
  template <class T>
  Call& input(std::string name, const std::vector<T>& values) {
    return input(std::move(name), values, elements_of<T>());
  }
  /// Of structures, whose members are `elements`.
  template <class T>
  Call& input(std::string name, const std::vector<T>& values, Elements elements) {
    return input(std::move(name), bytes_of(values), elements);
  }
  /// Without a second copy, for inputs of gigabytes.
  Call& input(std::string name, Bytes&& bytes, Elements elements = elements_of<unsigned char>()) {
    arguments_.push_back({.kind = Argument::Kind::input,
                          .name = std::move(name),
                          .elements = elements,
                          .input = std::move(bytes)});
    return *this;
  }
  /// Of Case::prepare_inputs.
  Call& drawn_input(std::string name, Draw draw) {
    arguments_.push_back({.kind = Argument::Kind::input, .name = std::move(name), .draw = std::move(draw)});
    return *this;
  }
  /// Likewise of elements that are each made of one word of `random`, which outlives the call: on a GPU the
  /// judge's kernels draw them.
  template <WordMap map>
  Call& drawn_words(std::string name, Random& random, std::uint32_t parameter = 0) {
    drawn_input(std::move(name), draw_of_words(random, [parameter](std::uint32_t word) {
                  return element_of<map>(word, parameter);
                }));
    arguments_.back().of_words = {map, parameter, sizeof element_of<map>(0, 0)};
    return *this;
  }
  Call& output(std::string name, Output output) {
    arguments_.push_back(
        {.kind = Argument::Kind::output, .name = std::move(name), .output = std::move(output)});
    return *this;
  }
  /// Of a host program: an input and an output in pinned memory of the host.
  template <class T>
  Call& host_input(std::string name, const std::vector<T>& values) {
    input(std::move(name), values);
    arguments_.back().on_host = true;
    return *this;
  }
  Call& host_output(std::string name, Output output) {
    this->output(std::move(name), std::move(output));
    arguments_.back().on_host = true;
    return *this;
  }
  /// Scratch memory of as many bytes as Problem::workspace asks for, poisoned.
  Call& workspace(std::string name) {
    arguments_.push_back({.kind = Argument::Kind::workspace, .name = std::move(name)});
    return *this;
  }
  template <class T>
  Call& scalar(std::string name, T value) {
    static_assert(std::is_arithmetic_v<T> && sizeof(T) <= 8);
    Argument argument{.kind = Argument::Kind::scalar, .name = std::move(name), .elements = elements_of<T>()};
    std::memcpy(&argument.scalar_bits, &value, sizeof value);
    arguments_.push_back(std::move(argument));
    return *this;
  }
  Call& stream() {
    arguments_.push_back({.kind = Argument::Kind::stream, .name = "stream"});
    return *this;
  }
  const std::vector<Argument>& arguments() const { return arguments_; }

 private:
  std::vector<Argument> arguments_;
};

/// The smallest work that any solution of a case must do; gates and ceilings are stated in shares of it.
struct Cost {
  double elements = 0;      ///< the unit that throughput is counted in
  double global_bytes = 0;  ///< read plus written, each byte once
  // Operations, one for each lane; 0 when they are not stated.
  double fused_multiply_adds = 0;  ///< 32-bit floating point
  double special_functions = 0;    ///< such as rsqrt.approx or sin.approx
  double integer_products = 0;     ///< of 32 bits
  double shared_bytes = 0;         ///< read from shared memory
  double shared_atomics = 0;
  double gathers = 0;  ///< reads at addresses that have nothing in common, of an array far larger than L2
};

/// Makes what calls share, and returns what makes each of them, which several threads use at once.
using PrepareMany = std::function<std::function<Call(Random&)>(Random&)>;

struct Case {
  std::string puzzle = {};               ///< of an exercise of puzzles: the name of the one it belongs to
  std::string name;                      ///< such as "33 x 65"
  std::string purpose;                   ///< one line for the student: why this case is here
  std::function<Call(Random&)> prepare;  ///< makes fresh inputs and their expected outputs
  /// Where expected outputs take long and many calls are timed. Empty: `prepare`, time after time.
  PrepareMany prepare_many = {};
  /// The same inputs and scalars as `prepare` makes of the same random numbers, for timed calls. Those that
  /// are drawn (Call::drawn_input) are made one after the other from what is passed, which outlives them.
  /// All outputs have Output::answer_of_sum, or none has: then the reference gives all answers but those that
  /// the judge has made too, which is right only where outputs are exact and one answer is right.
  std::function<Call(Random&)> prepare_inputs = {};
  Cost cost;
  int calls = 2;          ///< calls in a row with fresh inputs each
  bool measured = false;  ///< technique gates look at this case
  bool wide = false;      ///< gates of whole devices do: it has work for many multiprocessors
  /// Of a host program: the first call is repeated, and in each repetition another one of the calls of the
  /// CUDA runtime that it makes fails, where the device is emulated.
  bool failing = false;
};

/// `one`, to be looked at by technique gates.
inline Case measured(Case one) {
  one.measured = true;
  return one;
}

/// `one`, to be looked at by gates of whole devices.
inline Case wide(Case one) {
  one.wide = true;
  return one;
}

/// `one`, in which each call of the CUDA runtime fails once.
inline Case failing(Case one) {
  one.failing = true;
  one.calls = 1;
  return one;
}

/// `one` with a single call: for inputs that do not change, or that take long.
inline Case once(Case one) {
  one.calls = 1;
  return one;
}

/// `one`, whose calls are all made by `prepare_many`, a call alone too.
inline Case sharing(Case one, PrepareMany prepare_many) {
  one.prepare = [prepare_many](Random& random) { return prepare_many(random)(random); };
  one.prepare_many = std::move(prepare_many);
  return one;
}

/// `one` under a name that says more than its size.
inline Case named(std::string name, Case one) {
  one.name = std::move(name);
  return one;
}

/// What a gate is computed from: the counters of all launches of one measured case, and the case's cost.
struct Measurement {
  const emulator::Observations& observations;
  Cost cost;
  int calls = 1;
  double input_bytes = 0;  ///< of all inputs of all calls
  /// Of a host program: what it copied between host and device, and of that the longest chain of copies of
  /// which each could begin only when the one before had ended (WorkQueues::Copies), summed over calls.
  double copied_bytes = 0, chained_bytes = 0;
};

/// What makes a gate's number too large, as far as the counters show.
struct Cause {
  /// How much one line contributes to it, to name the worst line; 0 when it does not.
  std::function<double(const emulator::LineCounters&)> share;
  /// What that line does, such as "stores take 32 sectors per request, ideal 4".
  std::function<std::string(const emulator::LineCounters&)> explain;
  /// What to do about this cause, which the first sentence says by itself; empty where any advice may be
  /// wrong.
  std::string advice;
  /// What no line of the source does, such as "copies and fills are 60 % of all sectors"; empty when that is
  /// little.
  std::string besides = {};
  /// That no line alone is the cause: those that contribute half as much as the worst or more are it
  /// together.
  bool together = false;
  /// That host code copies between host and device: its calls are shown.
  bool of_host_copies = false;
  /// That the blocks are launched with the wrong number of threads: the launches of the worst line's kernel
  /// are shown.
  bool of_launches = false;
};

/// A technique gate: a number that must not exceed its limit, or must reach it; the same on every machine.
struct Gate {
  std::string name;         ///< such as "global-sectors"
  std::string description;  ///< one line: what the number is and what would be ideal
  double limit = std::numeric_limits<double>::infinity();
  bool at_least = false;  ///< the limit must be reached
  bool of_wide = false;   ///< looks at wide cases alone, else at measured ones
  std::function<double(const Measurement&)> value;
  std::function<Cause(const Measurement&)> cause;  ///< asked when it fails
  /// What shows that kernels have not done the work at all, however small the number is: one sentence, empty
  /// where nothing does.
  std::function<std::string(const Measurement&)> doubt = {};

  bool looks_at(const Case& one) const { return of_wide ? one.wide : one.measured; }
  bool holds(double found) const { return at_least ? found >= limit : found <= limit; }  // false for NaN
};

/// What to do about traffic of global memory, by its largest cause, as Cause::advice says it. Empty where
/// the figures must do.
struct TrafficAdvice {
  std::string scattered;  ///< lanes of a warp load or store in more sectors than their bytes need
  std::string again;      ///< more bytes move than the task has
  std::string atomics;    ///< about one update of global memory for each element, or more
  std::string merging;    ///< fewer
};

/// What to do about bank conflicts, by the accesses that have most of them.
struct BankAdvice {
  std::string loads_and_stores, atomics;
  std::string rows = {};  ///< loads and stores of lanes in several rows at once; empty: as other ones
  /// Those whose lanes would not meet if rows were one word longer, while nothing else got worse; likewise.
  std::string padding = {};
};

/// What to do about idle lanes, by the reason that most of them have.
struct LaneAdvice {
  std::string branches;     ///< lanes have diverged
  std::string blocks = {};  ///< the block has no thread for them; empty: as for the others
};

/// That a line moved, in whole sectors: of global memory, and of constant memory, which lies there.
double global_bytes(const emulator::LineCounters& line);
/// A number as gates write it: three significant digits, and no power of ten.
std::string figure(double value);

/// Sectors of global memory moved, by kernels and by the program's copies and fills, over the fewest that
/// Cost::global_bytes needs.
Gate global_sectors_gate(double limit, TrafficAdvice advice);
/// Wavefronts of shared memory beyond the fewest that the same accesses could take, for every 32 elements. No
/// share of all wavefronts: accesses that serve nothing would make it smaller.
Gate shared_wavefronts_gate(double limit, BankAdvice advice);
/// All passes through shared memory, not only those beyond the fewest, for every 32 of what an element has
/// `units_of_element` of, such as "pairs": what is kept in registers need not pass at all.
Gate shared_passes_gate(double limit, std::string unit, double units_of_element, std::string advice);
/// Bytes of global memory moved in whole sectors, by kernels and by the program's copies and fills, over
/// Cost::elements, or over what an element has `units_of_element` of, such as "step".
Gate bytes_per_element_gate(double limit, TrafficAdvice advice, std::string unit = "element",
                            double units_of_element = 1);

/// Lane-instructions per element in which a lane of a running warp does nothing: it waits at a branch, has
/// ended, or does not exist since the block is no multiple of 32. No share of all lanes: instructions that
/// serve nothing would make it smaller. It depends on the compiler as far as what the idle lanes wait for
/// does: the limit must leave room for twice as many.
Gate idle_lanes_gate(double limit, LaneAdvice advice);

/// Lane-instructions per element, of lanes that are active: what they need not have done is in it, such as
/// all ways of a branch where one is wanted. The limit must leave room for another compiler.
Gate lane_instructions_gate(double limit, std::string advice);

/// How many multiprocessors the work could keep busy: all warp-instructions, over those of the longest chain
/// that cannot be shared out. The chain is that of all launches one after the other, each as long as its
/// busiest block takes. Must reach `least`.
Gate parallelism_gate(double least, std::string advice);

/// How much of what a host program has to copy between host and device could overlap: those bytes, over the
/// ones of the longest chain of copies of which each waits for the one before or goes the same way. 1 where
/// nothing overlaps, 2 at most. Must reach `least`. Kernels and copies must have moved as many bytes as
/// Cost::global_bytes says: arrays in and out once each.
Gate overlap_gate(double least, std::string advice);

/// A limit on what a submission's own size function may ask for.
struct WorkspaceQuery {
  Signature function;  ///< such as size_t scan_workspace_bytes(int n)
  std::function<std::vector<std::uint64_t>(const Call&)> arguments;
  std::function<std::uint64_t(const Call&)> limit_bytes;
};

/// Of a size function of the call's argument `n` alone, such as size_t scan_workspace_bytes(int n). Throws
/// std::out_of_range for a call without it.
inline WorkspaceQuery workspace_of_length(Signature function,
                                          std::function<std::uint64_t(std::uint64_t n)> limit_bytes) {
  const auto length_of = [](const Call& call) {
    for (const Argument& one : call.arguments())
      if (one.kind == Argument::Kind::scalar && one.name == "n") return one.scalar_bits;
    throw std::out_of_range("the call has no argument n");
  };
  WorkspaceQuery query;
  query.function = std::move(function);
  query.arguments = [=](const Call& call) { return std::vector<std::uint64_t>{length_of(call)}; };
  query.limit_bytes = [=, limit = std::move(limit_bytes)](const Call& call) {
    return limit(length_of(call));
  };
  return query;
}

/// What a call left, for a picture of it: snapshots that the judge took, right or wrong.
class Shown {
 public:
  Shown(const Call& call, std::vector<Bytes> outputs) : call_(call), outputs_(std::move(outputs)) {}
  /// The contents of the input or output named so, as numbers. Throws std::out_of_range when there is none.
  template <class T>
  std::vector<T> numbers(const std::string& name) const {
    std::size_t output = 0;
    for (const Argument& one : call_.arguments()) {
      const bool is_output = one.kind == Argument::Kind::output;
      if (one.name == name && one.kind == Argument::Kind::input) return numbers_of<T>(one.input);
      if (one.name == name && is_output) return numbers_of<T>(outputs_.at(output));
      if (is_output) ++output;
    }
    throw std::out_of_range("the call has no input or output " + name);
  }
  template <class T>
  T scalar(const std::string& name) const {
    for (const Argument& one : call_.arguments()) {
      if (one.name != name || one.kind != Argument::Kind::scalar) continue;
      T value;
      std::memcpy(&value, &one.scalar_bits, sizeof value);
      return value;
    }
    throw std::out_of_range("the call has no scalar " + name);
  }

 private:
  template <class T>
  static std::vector<T> numbers_of(const Bytes& bytes) {
    std::vector<T> values(bytes.size() / sizeof(T));
    if (!values.empty()) std::memcpy(values.data(), bytes.data(), values.size() * sizeof(T));
    return values;
  }

  const Call& call_;
  std::vector<Bytes> outputs_;  ///< in the order of the call's outputs
};

/// What `grade --show` draws of a submission's own results.
struct Picture {
  std::string case_name;  ///< of Problem::cases, whose last call is drawn
  std::string ending;     ///< of the file's name: "svg" or "ppm"
  /// The file's contents. The outputs may hold anything; what cannot be drawn is reported by an exception.
  std::function<std::string(const Shown&)> draw;
};

/// The solution that a submission's speed is compared with, and where the points for speed begin.
struct Baseline {
  double first_ratio = 0;  ///< of its speed, what the slowest rung of the ladder below it reaches on an H200
  std::string rung = {};   ///< its name; empty: the reference
  std::vector<std::string> answers = {};  ///< Answer::name of the submissions that are compared with a rung
};

/// What speed is measured on, where there is a GPU to measure.
/// Numbers of calls are the clock's own here: Case::calls does not count.
struct SpeedTask {
  /// Of a submission whose measured cases have the answer named so, which is empty where only one is right.
  const Baseline& baseline_of(const std::string& answer) const {
    const auto rung = std::ranges::find_if(rungs, [&answer](const Baseline& one) {
      return std::ranges::find(one.answers, answer) != one.answers.end();
    });
    return rung == rungs.end() ? reference : *rung;
  }

  /// Ascending. Speed is judged at the last that the GPU has room for, which is much larger than its caches.
  std::vector<Case> sizes;
  std::vector<Case> larger = {};  ///< `bench` goes on with these: making their inputs takes too long to grade
  std::vector<Case> variations = {};  ///< and shows these: other inputs of a large size
  Baseline reference;
  std::vector<Baseline> rungs = {};  ///< rungs in the reference's place, where several answers are right
  double pass_ratio = 0.5;           ///< of the baseline's speed, which must be reached to pass
  /// What share of the GPU's ceiling the reference reaches at most, where that is little: fewer calls then
  /// take long enough to be timed, and fewer inputs are made.
  double most_of_ceiling = 1;
};

/// One of several functions that an exercise asks for. Each is graded by itself: what one does wrong costs
/// the others nothing.
struct Puzzle {
  std::string name;   ///< that of the function
  std::string title;  ///< such as "out[i] = in[i] * in[i]"
  Signature function;
};

/// A count that a student predicts by reading kernels, before the judge measures it.
struct Prediction {
  std::string name;       ///< on its line of the file, such as "apart_sectors"
  std::string question;   ///< such as "How many sectors does one load of a warp take in apart_kernel?"
  std::string unit;       ///< such as "sectors per request"
  std::string case_name;  ///< of Problem::cases, in which it is measured
  /// Measured is the sum of `counted` over all lines, over that of `per`; without `per`, the sum itself. The
  /// line that counts most is the one to look at.
  std::function<double(const emulator::LineCounters&)> counted, per = {};
  std::string why;  ///< one sentence that explains the measured number
  /// It follows from what another one shows: the measured number is shown only beside a right prediction.
  bool is_withheld = false;
};

struct Problem {
  /// What a submission defines: the function, and the query for its workspace.
  std::vector<Signature> functions() const {
    std::vector<Signature> all = {function};
    if (workspace) all.push_back(workspace->function);
    return all;
  }

  /// That puzzle as a problem with one function: its cases, the gates that look at any of them, and an equal
  /// share of the points.
  Problem of(const Puzzle& puzzle) const {
    Problem one = *this;
    one.title = puzzle.title;
    one.function = puzzle.function;
    one.puzzles.clear();
    one.points = points / static_cast<double>(puzzles.size());
    std::erase_if(one.cases, [&puzzle](const Case& any) { return any.puzzle != puzzle.name; });
    std::erase_if(one.gates, [&one](const Gate& gate) {
      return std::ranges::none_of(one.cases, [&gate](const Case& any) { return gate.looks_at(any); });
    });
    return one;
  }

  std::string name;    ///< topic, such as "transpose"
  std::string title;   ///< such as "Transpose a matrix"
  std::string lesson;  ///< one line: what the exercise teaches
  Signature function;
  /// The function is host code that is given arrays of the host and returns a cudaError_t. It waits itself
  /// for what it starts, releases what it makes, and returns the error of any call that fails.
  bool host_program = false;
  std::optional<WorkspaceQuery> workspace;
  std::vector<Puzzle> puzzles;  ///< not empty: these functions, in this order, and no `function`
  /// Not empty: a file of predictions is handed in. The puzzles are functions of the exercise's own
  /// kernels.cu, and have no gates.
  std::vector<Prediction> predictions;
  std::vector<Case> cases;
  /// Too large to be emulated: a GPU runs them after the others, if it and the judge have room for them.
  std::vector<Case> gpu_cases;
  std::vector<Gate> gates;
  std::optional<SpeedTask> speed;
  std::optional<Picture> picture;
  /// Of a bug hunt: how many lines of its broken.cu may be changed.
  std::optional<std::size_t> max_changed_lines;
  std::vector<std::string> hints;  ///< in the order in which `lockstep hint` gives them
  double points = 10;
};

/// Adds a problem to the catalogue: `const Registration registration(make_problem, __FILE__);` in
/// problem.cpp. The folder that holds the file is the exercise's folder.
class Registration {
 public:
  Registration(Problem (*make)(), const char* file);
};

/// A bug hunt: a program for the task of `topic` has mistakes, and at most so many of its lines may be
/// changed. Cases, outputs and gates are those of `topic`; there is no speed. Title, lesson and hints are
/// those of `topic` too, and to be replaced.
Problem bug_hunt_in(std::string_view topic, Signature function, std::size_t max_changed_lines);

}  // namespace lockstep::course
