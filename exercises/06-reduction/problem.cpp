// What the judge knows of "reduction": lengths at the edges, sums that are exact in any order and sums
// that are not, four gates.
//
// The counters below are worked out for the rungs of solutions/06-reduction, a block of 256 elements at a
// time.
//
// Lane-instructions per element of lanes that wait. A step of the tree takes 4 to 7 instructions of PTX.
//   interleaved     A warp runs for 16, 8, 4, 2 and 1 of its lanes in the first five steps, and 4, 2 and 1
//                   of the 8 warps for one lane in the last three: 8 (16 + 24 + 28 + 30 + 31) + 7 · 31 =
//                   1249 idle lanes per 256 elements and instruction; counted, 20 per element.
//   packed_threads  Steps of 16, 8, 4, 2 and 1 threads in one warp, as in halves: 129 idle lanes; counted,
//                   3.6 and 2.6.
//   others          Those of the last warps of a block, less than 1.
// The limit of 8 is twice what packed_threads leaves, and less than half of what interleaved does.
//
// Wavefronts of shared memory beyond the fewest, for every 32 elements.
//   packed_threads  Lanes whose values lie 2, 4, 8 … words apart meet in a half, a quarter, an eighth of the
//                   banks. A step has two loads and a store; the excess of one of them is 4, 6, 7, 7, 7, 3
//                   and 1, and 105 of all three, 13.1 for every 32 of 256 elements.
//   others          None: lanes touch neighbouring words, and where they do not (interleaved), other banks.
//
// Bytes per element: every rung reads each element once, 4. A sum per 256 elements adds a sector that is
// written and 4 bytes that are read, 0.14. Parts of the array that are one thread's each take 32.
//
// Work of the largest case: 2.1 million elements are 65 539 warps, at most 80 instructions each
// (interleaved), 5.3 million warp-instructions per call.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <numeric>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "course/numbers.h"
#include "course/problem.h"
#include "reduction.h"

namespace lockstep::reduction_problem {
namespace {

using lockstep::Random;
using namespace lockstep::course;

using Floats = std::vector<float>;

/// Of elements [first, end), in double: exact where they are whole numbers, and else by far more than a float
/// is.
double sum_of(const Floats& in, std::size_t first, std::size_t end) {
  return std::accumulate(in.begin() + static_cast<std::ptrdiff_t>(first),
                         in.begin() + static_cast<std::ptrdiff_t>(end), 0.0);
}

double sum_of(const Floats& in) { return sum_of(in, 0, in.size()); }

/// Of how many elements at the begin a mistake may add up no more.
constexpr std::array<std::size_t, 6> kParts{32, 64, 128, 256, 512, 1024};

/// Whether two different parts of the elements have the same sum, all of them included: then a mistake would
/// be taken for another, or for none.
bool is_ambiguous(const Floats& in) {
  std::set<std::size_t> ends{in.size()};
  for (const std::size_t part : kParts) ends.insert({std::min(part, in.size()), in.size() / part * part});
  ends.insert({std::min<std::size_t>(1, in.size()), in.size() / 4 * 4});
  ends.erase(0);
  std::set<double> sums;
  double sum = 0;
  std::size_t before = 0;
  for (const std::size_t end : ends) {
    sum += sum_of(in, std::exchange(before, end), end);
    if (!sums.insert(sum).second) return true;
  }
  return false;
}

std::vector<KnownMistake> known_mistakes(const Floats& in, Tolerance tolerance) {
  const double right = sum_of(in);
  Mistakes mistakes(Floats{static_cast<float>(right)});
  // What is within the tolerance is right, and no mistake.
  const auto add = [&](std::string sentence, double sum, std::string advice) {
    if (std::abs(sum - right) > tolerance.absolute)
      mistakes.add(std::move(sentence), {static_cast<float>(sum)}, std::move(advice));
  };
  if (in.empty()) return {};  // what is not 0 there was not written
  add("this is the first element, to which nothing has been added", in.front(),
      "Add up the elements of all threads.");
  for (const std::size_t part : kParts) {
    const std::string size = std::to_string(part);
    if (in.size() <= part) continue;
    add("this is the sum of the first " + size + " elements alone", sum_of(in, 0, part),
        "Add up the sums of all blocks, and of all warps of a block.");
    add("the elements behind the last whole " + size + " are missing", sum_of(in, 0, in.size() / part * part),
        "Round the number of blocks up, and let threads behind the end have 0.");
  }
  if (in.size() > 4) {
    add("the elements behind the last whole 4 are missing", sum_of(in, 0, in.size() / 4 * 4),
        "Add the up to three elements that fill no vector as well.");
  }
  return mistakes.known();
}

/// Of a sum that has most of what it should, in a case in which not every order of additions is exact.
Remark remark_on_rounding(Tolerance tolerance, std::span<const std::byte> right_bytes,
                          std::span<const std::byte> found_bytes) {
  constexpr double kMaxTolerances = 32;
  float right = 0, found = 0;
  std::memcpy(&right, right_bytes.data(), sizeof right);
  std::memcpy(&found, found_bytes.data(), sizeof found);
  const double error = static_cast<double>(right) - static_cast<double>(found);  // of positive elements
  if (!(error > 0 && error < kMaxTolerances * tolerance.absolute)) return {};
  return {
      .sentence = "the sum is off by " + figure(error) + ", and " + figure(tolerance.absolute) +
                  " is allowed: what is small beside the sum so far was rounded away",
      .advice =
          "Let each thread add up its own elements, and add these sums in a tree: no float may take "
          "thousands of elements one after the other, as one to which all threads or all blocks add does."};
}

/// `call` has the input.
Call with_output(Call call, Output sum, int n) {
  call.scalar("n", n).output("sum", std::move(sum)).workspace("workspace");
  call.stream();
  return call;
}

Call make_call(const Floats& in, Tolerance tolerance) {
  Output sum;
  sum.type = ElementType::f32;
  sum.expected = bytes_of(Floats{static_cast<float>(sum_of(in))});
  sum.tolerance = tolerance;
  sum.position = [](std::size_t) { return std::string("*sum"); };
  sum.known_mistakes = [in, tolerance] { return known_mistakes(in, tolerance); };
  sum.remark = [tolerance](std::span<const std::byte> right, std::span<const std::byte> found) {
    return remark_on_rounding(tolerance, right, found);
  };
  Call call;
  call.input("in", in);
  return with_output(std::move(call), std::move(sum), static_cast<int>(in.size()));
}

Case make_case(int n, std::string purpose, std::function<Call(Random&)> prepare) {
  Case made;
  made.name = "n = " + std::to_string(n);
  made.purpose = std::move(purpose);
  made.prepare = std::move(prepare);
  made.cost = {.elements = static_cast<double>(n), .global_bytes = (n + 1.0) * sizeof(float)};
  return made;
}

/// Whole numbers, whose sum is exact in any order: their magnitudes add up to less than 2^24.
Case exact_case(int n, std::string purpose) {
  constexpr int kLargest = 7;
  return make_case(n, std::move(purpose), [n](Random& random) {
    Floats in(static_cast<std::size_t>(n));
    do {
      for (float& one : in) one = static_cast<float>(random.integer(-kLargest + 1, kLargest));
    } while (is_ambiguous(in));
    return make_call(in, {});
  });
}

/// How far a sum may lie from the exact one: 2^-18, or 64 times what rounding once may lose, of all
/// magnitudes. A tree loses at most 31 times as much at any length; a thread of few_large_case may add some
/// 340 elements behind a large one; one float to which all are added loses nearly all of them there, 12
/// times what is allowed.
Tolerance tolerance_of(const Floats& in) {
  constexpr double kShare = 1.0 / (1 << 18);
  double magnitudes = 0;
  for (const float one : in) magnitudes += std::abs(static_cast<double>(one));
  return {.absolute = kShare * magnitudes};
}

/// Of fractions(): it differs by call, so that a mean is of no use to guess their sum.
std::uint32_t bound_of_fractions(Random& random) {
  return static_cast<std::uint32_t>(random.integer(1 << 16, 1 << 17));
}

/// Of up to 2^28 fractions: whole multiples of 2^-17 that double adds up exactly in any order.
Case fractions_case(int n, std::string purpose) {
  Case made = make_case(n, std::move(purpose), [n](Random& random) {
    const std::uint32_t bound = bound_of_fractions(random);
    Floats values(static_cast<std::size_t>(n));
    for (float& value : values) value = fraction(random.word(), bound);
    return make_call(values, tolerance_of(values));
  });
  made.prepare_inputs = [n](Random& random) {
    Output out;
    out.type = ElementType::f32;
    out.answer_of_sum = [](double sum) { return bytes_of(Floats{static_cast<float>(sum)}); };
    Call call;
    call.drawn_words<WordMap::fraction>("in", random, bound_of_fractions(random));
    return with_output(std::move(call), std::move(out), n);
  };
  return made;
}

/// Numbers of an eighth to a quarter, and among them some of 2^24, to which none of the others can be added:
/// whatever the order, one float to which all are added loses most of them.
Case few_large_case(int n, std::string purpose) {
  constexpr std::size_t kDistance = 4096;
  const auto prepare = [n](Random& random) {
    Floats in(static_cast<std::size_t>(n));
    for (float& one : in) one = static_cast<float>(random.integer(1 << 14, 1 << 15)) * 0x1p-17F;
    for (std::size_t i = 0; i < in.size(); i += kDistance) in[i] = 0x1p24F;
    return make_call(in, tolerance_of(in));
  };
  return named("n = " + std::to_string(n) + ", every 4096th is 2^24",
               make_case(n, std::move(purpose), prepare));
}

Problem make_problem() {
  Problem problem;
  problem.name = "reduction";
  problem.title = "Add up an array";
  problem.lesson =
      "a tree of sums: which lanes work, which banks they meet in, and how little of it is needed";
  problem.function = LOCKSTEP_SIGNATURE(reduction);
  problem.workspace = workspace_of_length(LOCKSTEP_SIGNATURE(reduction_workspace_bytes),
                                          [](std::uint64_t n) { return n / 16 + 65536; });
  problem.cases = {
      exact_case(0, "no elements: their sum is 0, which somebody has to write"),
      exact_case(1, "a single element, which is the sum"),
      exact_case(2, "the fewest that are added"),
      exact_case(31, "one less than a warp"),
      exact_case(32, "exactly one warp"),
      exact_case(33, "one more than a warp"),
      exact_case(1023, "one less than a block of 1024"),
      exact_case(1024, "exactly one block of 1024"),
      exact_case(1025, "one more: the second block has a single element"),
      exact_case(7919, "a prime: no vector and no block is full at the end"),
      few_large_case(65536, "added one by one to a large sum, the others are rounded away"),
      fractions_case(100003, "fractions, whose sum is rounded in any order"),
      exact_case(262145, "one more than 2^18: in blocks of 256 more than 1024 sums"),
      wide(measured(exact_case(2097223, "a large prime: more blocks of 1024 than a block has threads"))),
  };
  problem.speed = {.sizes = {fractions_case(1 << 14, "a few blocks"),
                             fractions_case(1 << 16, "less than one block of 1024 for each multiprocessor"),
                             fractions_case(1 << 18, "a few blocks for each multiprocessor"),
                             fractions_case(1 << 20, "an array that lies in the caches"),
                             fractions_case(1 << 22, "a third of the L2 cache of an H200"),
                             fractions_case(1 << 26, "more elements than any cache holds")},
                   .larger = {fractions_case(1 << 28, "a gibibyte")},
                   .variations = {fractions_case(67'108'859, "a prime: the last vector is not full")},
                   .reference = {.first_ratio = 0.17}};
  problem.gates = {
      bytes_per_element_gate(
          5,
          {.scattered = "Let neighbouring lanes read neighbouring elements.",
           .again =
               "Add up the elements of a block in registers and shared memory, and write one sum per block. "
               "A launch for each level of the tree writes and reads half as many sums as it read."}),
      shared_wavefronts_gate(
          1, {.loads_and_stores =
                  "Let neighbouring threads add neighbouring values: thread t adds value t + half to "
                  "value t, with half = 128, 64, … 1. Values that lie 2, 4, 8 … words apart are in "
                  "the same banks.",
              .atomics = "Add up in registers first, and let a warp add its sum to shared memory once."}),
      idle_lanes_gate(
          8, {.branches =
                  "Let the first threads of the block go on, and not every second, fourth, eighth … of them: "
                  "then whole warps skip a step, and only the last steps leave lanes idle."}),
      // The reference has 528 blocks there. A single block is 1.
      parallelism_gate(
          3, "Give each block a part of the array, and add up the sums of the blocks in a second launch."),
  };
  problem.hints = {
      "Let each block store its sum in the workspace, and call the same kernel for these sums, "
      "until there is one. The sums of each level need a place of their own: let "
      "reduction_workspace_bytes ask for it.",
      "The values of a block are in shared memory. In each step half of the threads add one value "
      "to their own, and all wait: for 256 values eight steps. Which half? If thread t adds value t "
      "+ half to value t, neighbouring threads use neighbouring banks, and the threads that go on "
      "are those of the first warps.",
      "Before that, let each thread add many elements in a register: a grid of some hundred blocks, "
      "in which thread t has elements t, t + threads, t + 2 · threads, … Then there is a tree per "
      "block, and not one per 256 elements; and a second launch of one block adds up all sums of "
      "blocks.",
      "A warp needs no shared memory: value += __shfl_down_sync(0xffffffff, value, offset) for "
      "offset = 16, 8, 4, 2, 1, with all 32 lanes taking part. Then only one sum per warp goes "
      "through shared memory.",
      "For speed, keep more bytes in flight: load float4, and several of them before the first is "
      "added.",
  };
  return problem;
}

const Registration registration(make_problem, __FILE__);

}  // namespace
}  // namespace lockstep::reduction_problem
