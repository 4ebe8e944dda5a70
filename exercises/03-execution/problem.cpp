// What the judge knows of "execution": three puzzles with five cases each, integers alone, and gates on idle
// lanes and on what the active ones execute.
//
// Lane-instructions per element, where a function takes f, about 215 of PTX: with one thread per element and
// three kinds in a warp every lane is idle for the two functions of the others, 2 f = 435. A row of 33
// elements in a block of 64 threads leaves 31 lanes idle, 224 per element by count. What is arranged by
// kind has idle lanes in the last warps alone, less than 1. The limit of those, 30, is far from both, so that
// another compiler changes no verdict. Active lanes execute 245 to 260, and 630 where every lane computes all
// three functions and selects one; a block of 64 threads that compute an element each, some of them for
// nothing, has 64/33 of them, 470. The limit is 350.
//
// Work of the largest case: 98 309 elements are 3073 warps at 600 instructions each in the worst arrangement,
// two million warp-instructions per call.
#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "course/problem.h"
#include "execution.h"

namespace lockstep::execution_problem {
namespace {

using lockstep::Random;
using namespace lockstep::course;

using Words = std::vector<std::uint32_t>;
using Ints = std::vector<int>;

constexpr int kKinds = 3;
constexpr int kLarge = 98309;  ///< 3 · 2^15 + 5, a prime

std::size_t size(int n) { return static_cast<std::size_t>(n); }

/// The functions of execution.h once more, by products and remainders: a shift to the left is a product.
std::uint32_t changed(std::uint32_t value, int kind) {
  for (int step = 0; step < 24; ++step) {
    if (kind == 0) {
      value ^= value * (1U << 13);
      value ^= value / (1U << 17);
      value ^= value * (1U << 5);
    } else if (kind == 1) {
      value = (value ^ value / (1U << 16)) * 2146121005U;
      value = (value ^ value / (1U << 15)) * 2221713035U;
    } else {
      value = value * (1U << 7) + value / (1U << 25) + 2654435769U;
      value ^= value / (1U << 11);
    }
  }
  return value;
}

Words random_words(int n, Random& random) {
  Words words(size(n));
  for (std::uint32_t& word : words) word = static_cast<std::uint32_t>(random.integer(0, 0x7FFFFFFF)) * 2 + 1;
  return words;
}

/// What each element becomes where `kind_of` says its kind.
Words all_changed(const Words& in, const std::function<int(int)>& kind_of) {
  Words out(in.size());
  for (std::size_t i = 0; i < in.size(); ++i) out[i] = changed(in[i], kind_of(static_cast<int>(i)));
  return out;
}

Output output_of(const Words& right, const Mistakes<std::uint32_t>& mistakes) {
  Output output;
  output.type = ElementType::u32;
  output.expected = bytes_of(right);
  output.known_mistakes = [known = mistakes.known()] { return known; };
  return output;
}

Case make_case(const char* puzzle, std::string shape, double elements, double words, std::string purpose,
               std::function<Call(Random&)> prepare) {
  Case made;
  made.puzzle = puzzle;
  made.name = fmt::format("{} {}", puzzle, shape);
  made.purpose = std::move(purpose);
  made.prepare = std::move(prepare);
  made.cost = {.elements = elements, .global_bytes = 4 * words * elements};
  return made;
}

// --- in_turns ---

Call in_turns_call(int n, Random& random) {
  const Words in = random_words(n, random);
  const Words right = all_changed(in, [](int i) { return i % kKinds; });
  Mistakes mistakes(right);
  const char* const kinds = "Element i is of kind i % 3, whichever thread has it.";
  mistakes.add("every element is treated as of kind 0", all_changed(in, [](int) { return 0; }), kinds);
  mistakes.add("the kind is that of the element's third of the array",
               all_changed(in, [n](int i) { return std::min(i / std::max(n / kKinds, 1), kKinds - 1); }),
               kinds);
  mistakes.add("the kind changes with each warp of 32 elements, and not with each element",
               all_changed(in, [](int i) { return i / 32 % kKinds; }), kinds);
  Call call;
  call.input("in", in).output("out", output_of(right, mistakes)).scalar("n", n).stream();
  return call;
}

Case in_turns_case(int n, const char* purpose) {
  return make_case("in_turns", std::to_string(n), n, 2, purpose,
                   [n](Random& random) { return in_turns_call(n, random); });
}

// --- by_kind ---

/// Elements of the last two kinds are rare where `rare`.
Call by_kind_call(int n, bool rare, Random& random) {
  const Words in = random_words(n, random);
  Ints kind(size(n));
  for (int& one : kind) one = rare && random.integer(0, 9) != 0 ? 0 : random.integer(0, kKinds - 1);
  Ints order(size(n));
  std::iota(order.begin(), order.end(), 0);
  std::ranges::stable_sort(order, {}, [&kind](int i) { return kind[size(i)]; });
  const Words right = all_changed(in, [&](int i) { return kind[size(i)]; });
  Mistakes mistakes(right);
  mistakes.add("every element is treated as of kind 0", all_changed(in, [](int) { return 0; }),
               "Take the kind of element i from kind[i].");
  Words in_the_lists_order(size(n));
  for (int i = 0; i < n; ++i) in_the_lists_order[size(i)] = right[size(order[size(i)])];
  mistakes.add("the results stand in the order of the list: out[i] is that of element order[i]",
               in_the_lists_order, "Write the result of element order[i] to out[order[i]].");
  mistakes.add("the kind is that of the place in the list, and not that of the element",
               all_changed(in, [&](int i) { return kind[size(order[size(i)])]; }),
               "Let i = order[thread], and use i for in, kind and out alike.");
  Call call;
  call.input("in", in).input("kind", kind).input("order", order).output("out", output_of(right, mistakes));
  call.scalar("n", n).stream();
  return call;
}

Case by_kind_case(int n, bool rare, const char* purpose) {
  return make_case("by_kind", fmt::format("{}{}", n, rare ? ", two kinds rare" : ""), n, 4, purpose,
                   [n, rare](Random& random) { return by_kind_call(n, rare, random); });
}

// --- short_rows ---

struct Shape {
  int rows, columns;
};

Call short_rows_call(Shape shape, Random& random) {
  const int rows = shape.rows, columns = shape.columns;
  const Words in = random_words(rows * columns, random), key = random_words(rows, random);
  const auto with_key = [&](const std::function<std::uint32_t(int row, int column)>& key_of) {
    Words out(in.size());
    for (std::size_t i = 0; i < in.size(); ++i) {
      const int at = static_cast<int>(i);
      out[i] = changed(in[i] ^ key_of(at / columns, at % columns), 0);
    }
    return out;
  };
  const Words right = with_key([&](int row, int) { return key[size(row)]; });
  Mistakes mistakes(right);
  mistakes.add("the keys are left out", with_key([](int, int) { return 0U; }),
               "Combine each element with the key of its row by ^.");
  mistakes.add("each column has a key, and not each row",
               with_key([&](int, int column) { return key[size(column) % key.size()]; }),
               "The row of element i is i / columns.");
  mistakes.add(
      "the keys are combined after the function, and not before",
      [&] {
        Words out = with_key([](int, int) { return 0U; });
        for (std::size_t i = 0; i < out.size(); ++i) out[i] ^= key[i / size(columns)];
        return out;
      }(),
      "Combine first, and call shifted() on the result.");
  Output out = output_of(right, mistakes);
  out.position = [columns](std::size_t i) {
    return fmt::format("row {}, column {}", i / size(columns), i % size(columns));
  };
  Call call;
  call.input("in", in).input("key", key).output("out", std::move(out)).scalar("rows", rows);
  call.scalar("columns", columns).stream();
  return call;
}

Case short_rows_case(Shape shape, const char* purpose) {
  return make_case("short_rows", fmt::format("{} x {}", shape.rows, shape.columns),
                   static_cast<double>(shape.rows) * shape.columns, 2, purpose,
                   [shape](Random& random) { return short_rows_call(shape, random); });
}

Problem make_problem() {
  Problem problem;
  problem.name = "execution";
  problem.title = "Keep the lanes busy";
  problem.lesson = "a warp executes every way that any of its lanes takes";
  problem.points = 6;
  problem.puzzles = {
      {"in_turns", "three functions in turns along an array", LOCKSTEP_SIGNATURE(in_turns)},
      {"by_kind", "a function by the element's kind", LOCKSTEP_SIGNATURE(by_kind)},
      {"short_rows", "a function of rows of 5 to 33 elements", LOCKSTEP_SIGNATURE(short_rows)},
  };
  problem.cases = {
      in_turns_case(0, "no elements: a grid without blocks cannot be launched"),
      in_turns_case(1, "one element, of kind 0"),
      in_turns_case(97, "one element more than three warps have"),
      in_turns_case(4099, "a prime: no group of warps is full at the end"),
      wide(measured(in_turns_case(kLarge, "many elements, of all kinds alike"))),
      by_kind_case(0, false, "an empty list"),
      by_kind_case(1, false, "a list of one element"),
      by_kind_case(33, false, "a few elements of any kind"),
      by_kind_case(4099, true, "most elements of one kind"),
      wide(measured(by_kind_case(kLarge, false, "many elements, in any order"))),
      short_rows_case({5, 0}, "rows without elements"),
      short_rows_case({1, 5}, "one short row"),
      short_rows_case({100, 31}, "rows one shorter than a warp"),
      short_rows_case({1009, 5}, "very short rows"),
      wide(measured(short_rows_case({2971, 33}, "many rows, one longer than a warp"))),
  };
  const std::string advice =
      "Assign threads to elements such that the lanes of a warp take the same way, and all have an element.";
  problem.gates = {
      idle_lanes_gate(30, {advice}),
      lane_instructions_gate(350,
                             "Let each element have its own function computed, and no other, and no "
                             "element be computed twice."),
      parallelism_gate(3, "Give each thread one element, and start as many blocks as that takes."),
  };
  problem.hints = {
      "First write each function with one thread per element, as in the exercise before: i = blockIdx.x * "
      "blockDim.x + threadIdx.x. Grade it, and look at `./lockstep profile execution`: lines that "
      "call the three functions have a third of the lanes active.",
      "`in_turns`: which thread computes an element is your choice, as long as each element has one. Let "
      "three warps share 96 elements: the first takes those of kind 0, the second those of kind 1, the "
      "third those of kind 2. Lane l of a warp has then element 3 * l + kind of these 96.",
      "`by_kind`: thread t takes element order[t]. Neighbours in the list have the same kind, except for "
      "two places. Read the kind, read and write the element by that number.",
      "`short_rows`: a block per row leaves lanes without an element, however you choose its size. Number "
      "the elements of all rows through: thread i has element i, and its row is i / columns.",
  };
  return problem;
}

const Registration registration(make_problem, __FILE__);

}  // namespace
}  // namespace lockstep::execution_problem
