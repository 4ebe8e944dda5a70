// What the judge knows of "reduction-arg-max": lengths at the edges, arrays in which many elements are the
// largest, and four gates.
//
// The counters below are worked out for the solutions, except for idle-lanes, which are counted and depend
// on the compiler.
//
//                bytes-per-element  shared-wavefronts  idle-lanes
//   halves                     4.3                  0           8
//   packed_keys                4.3                  0         0.5
//   reference                  4.0                  0         8.4
//
//   halves         A block of 256 elements writes a pair in two sectors, and the next level reads 8 bytes.
//   packed_keys    An atomic operation per warp, with some 130 elements each, moves a sector.
//   reference      A thread has four elements, and lanes wait for those whose element is larger.
//
// The tree of `halves` in which every second, fourth, eighth … thread goes on has 58 idle lanes: the limit
// is 20. One whose threads go on to values 2, 4, 8 … words apart has 13 wavefronts too many per array and 32
// elements: the limit is 1. To read the array again for the place takes 8 bytes per element: the limit is 5.
//
// Work of the largest case: 1 million elements are 32 770 warps, at some 200 instructions each (halves) 6.5
// million warp-instructions per call.
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <limits>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "course/problem.h"
#include "reduction_arg_max.h"

namespace lockstep::reduction_arg_max_problem {
namespace {

using lockstep::Random;
using namespace lockstep::course;

using Floats = std::vector<float>;

constexpr float kNone = -std::numeric_limits<float>::infinity();

/// The first place of the largest element, -1 where there is none.
int place_of_largest(const Floats& in) {
  return in.empty() ? -1 : static_cast<int>(std::max_element(in.begin(), in.end()) - in.begin());
}

int last_place_of_largest(const Floats& in) {
  return static_cast<int>(in.size()) - 1 -
         static_cast<int>(std::max_element(in.rbegin(), in.rend()) - in.rbegin());
}

std::vector<KnownMistake> mistakes_of_values(const Floats& in, float right) {
  Mistakes mistakes(Floats{right});
  const char* const neutral = "Begin with minus infinity: no element is smaller.";
  if (in.empty()) {
    mistakes.add("of no elements the largest is minus infinity, and not 0", {0.0F}, neutral);
    mistakes.add("of no elements the largest is minus infinity, and not the lowest finite number",
                 {std::numeric_limits<float>::lowest()}, neutral);
    return mistakes.known();
  }
  if (right < 0) {
    const char* const negative = ", and all elements are smaller: a maximum of negative elements is negative";
    mistakes.add(std::string("this is 0") + negative, {0.0F}, neutral);
    mistakes.add(std::string("this is the least positive normal float") + negative,
                 {std::numeric_limits<float>::min()}, neutral);
  }
  mistakes.add("this is the first element, with which no other has been compared", {in.front()},
               "Compare the elements of all threads.");
  mistakes.add("this is the smallest element", {*std::min_element(in.begin(), in.end())},
               "Keep the larger one of two.");
  return mistakes.known();
}

std::vector<KnownMistake> mistakes_of_places(const Floats& in, int right) {
  using Ints = std::vector<int>;
  Mistakes mistakes(Ints{right});
  if (in.empty()) {
    mistakes.add("of no elements the place is -1", Ints{0}, "Begin with a place that no element has.");
    return mistakes.known();
  }
  mistakes.add("this is the last place of the largest element, and not the first",
               Ints{last_place_of_largest(in)},
               "Of two pairs with equal values keep the one with the lower place, in every step.");
  for (const int block : {32, 64, 128, 256, 512, 1024}) {
    mistakes.add("this is the place within a block, and not in the array", Ints{right % block},
                 "Let the place be that in the whole array.");
  }
  return mistakes.known();
}

/// That the element there is one of the largest.
Remark remark_on_place(const Floats& in, int right, std::span<const std::byte> found_bytes) {
  int found = 0;
  std::memcpy(&found, found_bytes.data(), sizeof found);
  if (found <= right || found >= static_cast<int>(in.size())) return {};
  if (in[static_cast<std::size_t>(found)] != in[static_cast<std::size_t>(right)]) return {};
  return {
      .sentence = "the largest element stands there too, but not for the first time",
      .advice =
          "Compare places where values are equal, in every step: in a thread, a warp, a block and beyond."};
}

Call make_call(const Floats& in) {
  const int right = place_of_largest(in);
  const float value = in.empty() ? kNone : in[static_cast<std::size_t>(right)];
  Output largest, place;
  largest.type = ElementType::f32;
  largest.expected = bytes_of(Floats{value});
  largest.position = [](std::size_t) { return std::string("*largest"); };
  largest.known_mistakes = [in, value] { return mistakes_of_values(in, value); };
  place.type = ElementType::i32;
  place.expected = bytes_of(std::vector<int>{right});
  place.position = [](std::size_t) { return std::string("*place"); };
  place.known_mistakes = [in, right] { return mistakes_of_places(in, right); };
  place.remark = [in, right](std::span<const std::byte>, std::span<const std::byte> found) {
    return remark_on_place(in, right, found);
  };
  Call call;
  call.input("in", in).scalar("n", static_cast<int>(in.size()));
  call.output("largest", std::move(largest)).output("place", std::move(place));
  call.workspace("workspace").stream();
  return call;
}

/// Whole numbers between two.
Floats numbers_between(int low, int high, int n, Random& random) {
  Floats in(static_cast<std::size_t>(n));
  for (float& one : in) one = static_cast<float>(random.integer(low, high));
  return in;
}

/// Hardly two are equal.
Floats anything(int n, Random& random) { return numbers_between(-(1 << 24), 1 << 24, n, random); }
/// The largest occurs often.
Floats few_values(int n, Random& random) { return numbers_between(-3, 4, n, random); }
Floats negative(int n, Random& random) { return numbers_between(-(1 << 20), -(1 << 10), n, random); }
/// The largest stands at a few places from somewhere on, and everything before is less.
Floats several_largest(int n, Random& random) {
  Floats in = anything(n, random);
  const auto largest = static_cast<float>((1 << 24) + 2 * random.integer(2, 1000));
  const int first = random.integer(n / 4, n / 2);
  in[static_cast<std::size_t>(first)] = largest;
  for (int copy = 0; copy < 40; ++copy) in[static_cast<std::size_t>(random.integer(first, n - 1))] = largest;
  return in;
}

using Values = Floats (*)(int n, Random&);

Case make_case(int n, std::string purpose, Values values = anything, const std::string& name = {}) {
  Case made;
  made.name = "n = " + std::to_string(n) + name;
  made.purpose = std::move(purpose);
  made.prepare = [n, values](Random& random) { return make_call(values(n, random)); };
  made.cost = {.elements = static_cast<double>(n), .global_bytes = (n + 2.0) * sizeof(float)};
  return made;
}

Problem make_problem() {
  Problem problem;
  problem.name = "reduction-arg-max";
  problem.title = "Find the largest element and its place";
  problem.lesson =
      "a reduction takes any operator that may be regrouped; which of equal ones counts is a part of it";
  problem.points = 7;
  problem.function = LOCKSTEP_SIGNATURE(reduction_arg_max);
  problem.workspace = workspace_of_length(LOCKSTEP_SIGNATURE(reduction_arg_max_workspace_bytes),
                                          [](std::uint64_t n) { return n / 16 + 65536; });
  problem.cases = {
      make_case(0, "no elements: minus infinity, and the place -1"),
      make_case(1, "a single element, which is the largest"),
      make_case(2, "the fewest that are compared"),
      make_case(31, "one less than a warp"),
      make_case(32, "exactly one warp"),
      make_case(33, "one more than a warp"),
      make_case(1000, "nothing but negative elements: 0 is not among them", negative, ", negative"),
      make_case(1023, "one less than a block of 1024"),
      make_case(1025, "one more: the second block has a single element"),
      make_case(7919, "eight values: about every eighth element is the largest", few_values,
                ", eight values"),
      make_case(65537, "one more than 2^16"),
      make_case(100003, "a prime, and nothing but negative elements", negative, ", negative"),
      make_case(262145, "in blocks of 256 more than 1024 of them, and several hold the largest",
                several_largest, ", several largest"),
      wide(measured(make_case(1048583, "a large prime: more blocks of 1024 than a block has threads",
                              several_largest, ", several largest"))),
  };
  problem.gates = {
      bytes_per_element_gate(
          5, {.scattered = "Let neighbouring lanes read neighbouring elements.",
              .again = "Read each element once: a value and its place can be compared together."}),
      shared_wavefronts_gate(
          1, {.loads_and_stores =
                  "Let neighbouring threads use neighbouring words, values and places in an array each.",
              .atomics = "Compare in registers first, and let a warp update shared memory once."}),
      idle_lanes_gate(
          20, {.branches = "Let the first threads of the block go on, and not every second, fourth, eighth … "
                           "of them; or combine many elements per thread before there is a tree."}),
      // The reference has 297 there. A single block is 1.
      parallelism_gate(
          3, "Give each block a part of the array, and combine the pairs of the blocks in a second launch."),
  };
  problem.hints = {
      "What has a block to pass on besides the largest value? Write the operator for two such pairs "
      "first: which of them does it keep, and which if the values are equal? Is it still "
      "associative?",
      "Which pair leaves every other one as it is? Threads behind the end begin with it, and it is "
      "the answer where there are no elements.",
      "In a second launch the elements are pairs of the blocks, whose places are not their "
      "positions: pass them on.",
      "A shuffle moves one register: for a pair there are two of them. Or make one 64-bit number of "
      "a pair, whose order is that of the pairs; then a maximum of numbers, and atomicMax, are all "
      "there is to do. The bits of floats from 0 up are in the order of the floats.",
  };
  return problem;
}

const Registration registration(make_problem, __FILE__);

}  // namespace
}  // namespace lockstep::reduction_arg_max_problem
