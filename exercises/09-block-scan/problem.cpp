// What the judge knows of "block-scan": lengths at the edges, sums that show what was left out, three gates.
//
// The counters below are worked out for the rungs of solutions/09-block-scan, one segment of 1024. Units:
// wavefronts of shared memory.
//
//   blelloch  The steps of either sweep have 512, 256, ..., 1 pairs, 2, 4, ... words apart. One access of
//             each takes 32 + 32 + 32 + 32 + 32 + 16 + 8 + 4 + 2 + 1 = 191 wavefronts, where 36 would do. A
//             step up makes three accesses, a step down four; the tile is filled and emptied in 32 each:
//             7 * (191 - 36) = 1085 more than they must, 33.9 for every 32 elements.
//   others    0. hillis_steele has no conflicts; it makes 9217 additions for 1023, which costs time but
//             breaks no gate.
//
// Every rung reads and writes each element once, in whole sectors: 1 times the ideal of 8 bytes per element.
// Work of the largest case: 512 segments, at most about 5000 warp-instructions each, are 2.5 million a call.
#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "block_scan.h"
#include "course/problem.h"
#include "lockstep/prefix_sums.h"

namespace lockstep::block_scan_problem {
namespace {

using lockstep::Random;
using namespace lockstep::course;

constexpr std::size_t kWarpLanes = 32;

struct Shape {
  int segments, length;
  std::size_t elements() const {
    return static_cast<std::size_t>(segments) * static_cast<std::size_t>(length);
  }
};

/// The input with every segment replaced by its inclusive sums.
std::vector<int> inclusive_sums_of_segments(const std::vector<int>& in, Shape shape) {
  std::vector<int> sums = lockstep::exclusive_sums_of_pieces(in, static_cast<std::size_t>(shape.length));
  for (std::size_t i = 0; i < sums.size(); ++i) sums[i] += in[i];
  return sums;
}

/// What the exclusive sums are when nothing is carried from one group of 32 elements of a segment to the
/// next.
std::vector<int> exclusive_sums_of_warps(const std::vector<int>& in, Shape shape) {
  const auto length = static_cast<std::size_t>(shape.length);
  std::vector<int> sums;
  for (std::size_t first = 0; first < in.size(); first += length) {
    const std::span<const int> segment = std::span<const int>(in).subspan(first, length);
    const std::vector<int> pieces = lockstep::exclusive_sums_of_pieces(segment, kWarpLanes);
    sums.insert(sums.end(), pieces.begin(), pieces.end());
  }
  return sums;
}

/// How the steps of Hillis and Steele may go wrong.
struct Steps {
  int end = 1 << 30;            ///< steps of so many elements and more are missing
  bool first_left_out = false;  ///< element d does not add element 0, which lies d before it
};

/// Inclusive sums of each segment, less the element itself.
std::vector<int> sums_by_steps(const std::vector<int>& in, Shape shape, const Steps& steps) {
  std::vector<int> sums = in;
  for (int distance = 1; distance < std::min(shape.length, steps.end); distance *= 2) {
    const std::vector<int> before = sums;
    for (std::size_t i = 0; i < sums.size(); ++i) {
      const int position = static_cast<int>(i) % shape.length;
      if (steps.first_left_out ? position > distance : position >= distance)
        sums[i] = lockstep::wrapping_sum(sums[i], before[i - static_cast<std::size_t>(distance)]);
    }
  }
  for (std::size_t i = 0; i < sums.size(); ++i) sums[i] = lockstep::wrapping_sum(sums[i], -in[i]);
  return sums;
}

/// What the exclusive sums are when each warp hands on its first element, and not its total.
std::vector<int> sums_with_first_elements(const std::vector<int>& in, Shape shape) {
  std::vector<int> sums = exclusive_sums_of_warps(in, shape);
  const auto length = static_cast<std::size_t>(shape.length);
  for (std::size_t i = 0; i < sums.size(); ++i) {
    const std::size_t position = i % length, segment = i - position;
    for (std::size_t warp = 0; warp < position / kWarpLanes; ++warp)
      sums[i] = lockstep::wrapping_sum(sums[i], in[segment + warp * kWarpLanes]);
  }
  return sums;
}

std::vector<KnownMistake> known_mistakes(const std::vector<int>& in, Shape shape) {
  Mistakes mistakes(lockstep::exclusive_sums_of_pieces(in, static_cast<std::size_t>(shape.length)));
  if (shape.length == 1) {
    mistakes.add("the element itself came back: nothing lies before it, so its sum is 0", in,
                 "Let the first element of each segment be 0.");
    return mistakes.known();
  }
  mistakes.add("the output is the input unchanged: nothing has been added up", in,
               "Store the sums in out, and not the elements.");
  mistakes.add(
      "these are the inclusive sums: each element is counted into its own sum, one element too early",
      inclusive_sums_of_segments(in, shape),
      "Take the element itself from its sum again, or store each sum one element further on.");
  mistakes.add("every group of 32 elements starts again at 0: the totals of the warps before are missing",
               exclusive_sums_of_warps(in, shape),
               "Let each warp store its total in shared memory, and add those of the warps before.");
  if (shape.length > 2) {  // of two elements all sums are 0 then, as they are for many reasons
    mistakes.add(
        "no step of d adds element 0 to element d: its condition is i > d, and not i >= d",
        sums_by_steps(in, shape, {.first_left_out = true}),
        "Let element i add the one d elements before it wherever there is one, which is for i >= d.");
  }
  for (int end = 2; end < shape.length; end *= 2) {
    mistakes.add(
        "the last steps are missing: a sum reaches only some elements back, and not to the segment's start",
        sums_by_steps(in, shape, {.end = end}),
        "Go on with steps of 1, 2, 4, … as long as the step is less than the length.");
  }
  mistakes.add("the warps hand on their first elements, and not their totals",
               sums_with_first_elements(in, shape),
               "The total of a warp is the inclusive sum of its last lane, 31.");
  mistakes.add("the sums run on from one segment into the next: each segment starts again at 0",
               lockstep::exclusive_sums(in), "Let a block add up the elements of its own segment alone.");
  return mistakes.known();
}

/// `call` has the input.
Call with_output(Call call, Output out, Shape shape) {
  call.output("out", std::move(out)).scalar("segments", shape.segments).scalar("length", shape.length);
  call.stream();
  return call;
}

Call make_call(Shape shape, const std::vector<int>& in) {
  const auto length = static_cast<std::size_t>(shape.length);
  Output out;
  out.type = ElementType::i32;
  out.expected = bytes_of(lockstep::exclusive_sums_of_pieces(in, length));
  out.position = [length](std::size_t index) {
    return "segment " + std::to_string(index / length) + ", element " + std::to_string(index % length);
  };
  out.known_mistakes = [in, shape] { return known_mistakes(in, shape); };
  Call call;
  call.input("in", in);
  return with_output(std::move(call), std::move(out), shape);
}

using Values = std::vector<int> (*)(std::size_t, Random&);

std::vector<int> small_integers(std::size_t n, Random& random) {
  return lockstep::signed_integers(n, random);
}

Case make_case(Shape shape, std::string purpose, Values values = small_integers) {
  const auto elements = static_cast<double>(shape.elements());
  Case made;
  made.name = std::to_string(shape.segments) + " x " + std::to_string(shape.length);
  made.purpose = std::move(purpose);
  made.prepare = [shape, values](Random& random) {
    return make_call(shape, values(shape.elements(), random));
  };
  made.cost = {.elements = elements, .global_bytes = elements * (sizeof(int) + sizeof(int))};
  return made;
}

Case timed_case(Shape shape, std::string purpose) {
  Case made = make_case(shape, std::move(purpose), lockstep::signed_integers_of_words);
  made.prepare_inputs = [shape](Random& random) {
    Call call;
    call.drawn_words<WordMap::signed_integer>("in", random);
    return with_output(std::move(call), {.type = ElementType::i32}, shape);
  };
  return made;
}

Problem make_problem() {
  Problem problem;
  problem.name = "block-scan";
  problem.title = "Scan within a block";
  problem.lesson =
      "threads of a block build on each other's results: barriers, banks, and shuffles within a warp";
  problem.function = LOCKSTEP_SIGNATURE(block_scan);
  problem.cases = {
      make_case({0, 100}, "no segments: a grid without blocks cannot be launched"),
      make_case({5, 0}, "segments without elements: a block without threads cannot be launched"),
      make_case({1, 1}, "a single element, whose sum is 0"),
      make_case({1025, 1}, "many segments of one element"),
      make_case({1, 2}, "the shortest segment with something to add"),
      make_case({3, 31}, "one less than a warp; the segment after the last must not be touched"),
      make_case({2, 32}, "exactly one warp"),
      make_case({5, 33}, "one more than a warp: its total must be carried on"),
      make_case({7, 127}, "a prime, and no power of two"),
      make_case({4, 512}, "half a full block, a power of two"),
      make_case({2, 997}, "a large prime: the last warp is not full"),
      make_case({3, 1000}, "sums that need every bit of an int", lockstep::steps_of_a_wide_walk),
      make_case({3, 1023}, "one less than a full block"),
      make_case({3, 1024}, "the longest segments"),
      wide(measured(make_case({512, 1024}, "many full blocks"))),
  };
  problem.speed = {.sizes = {timed_case({1 << 7, 1024}, "about one segment for each multiprocessor"),
                             timed_case({1 << 10, 1024}, "a few segments for each multiprocessor"),
                             timed_case({1 << 13, 1024}, "about as large as the caches"),
                             timed_case({1 << 15, 1024}, "more segments than any cache holds")},
                   .larger = {timed_case({1 << 18, 1024}, "a gibibyte")},
                   .variations = {timed_case({1 << 18, 1021}, "a prime: segments that start anywhere"),
                                  timed_case({400'000, 509}, "the same, of half the length")},
                   .reference = {.first_ratio = 0.23}};
  problem.gates = {
      global_sectors_gate(
          1.25, {.scattered = "Let neighbouring lanes read and write neighbouring elements.",
                 .again = "Read each element once and write each sum once; keep what lies between in "
                          "shared memory or in registers."}),
      shared_wavefronts_gate(
          1, {.loads_and_stores = "Leave one word free after every 32, or let lanes exchange values by "
                                  "shuffles. Lanes that are 2, 4, … 32 words apart meet in the same banks."}),
      // A block for each segment makes 512, a single block 1.
      parallelism_gate(3, "Give each segment to a block of its own. Segments do not need each other."),
  };
  problem.hints = {
      "Blelloch: add pairs up a tree, put 0 at its root, and on the way down give the left child the "
      "parent's value and the right child the sum of the parent's and the left's. Lengths that are no power "
      "of two are filled up with zeros, which somebody must write.",
      "Hillis and Steele: in step k = 0, 1, 2, … every element i ≥ 2^k adds the one 2^k elements to its "
      "left, as that was before the step. After ⌈log2(length)⌉ steps the sums are inclusive; the exclusive "
      "sum of i is the inclusive one of i - 1.",
      "In one buffer, a thread may read an element that another one is just writing. Read all, wait for the "
      "block, write all, wait again; or use two buffers in turn, and one wait a step.",
      "In the upper levels of Blelloch's tree the pairs are 32 words and more apart: all in one bank. Keep "
      "element i at position i + i / 32.",
      "A warp needs no shared memory: value += __shfl_up_sync(0xffffffff, value, offset) for lanes ≥ offset, "
      "with all 32 lanes taking part in the shuffle. Then only the totals of the warps go through shared "
      "memory. For speed, give each thread four neighbouring elements, loaded as one vector where all "
      "segments are aligned for it: with one load per thread too few bytes are in flight.",
  };
  return problem;
}

const Registration registration(make_problem, __FILE__);

}  // namespace
}  // namespace lockstep::block_scan_problem
