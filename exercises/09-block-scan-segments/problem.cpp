// What the judge knows of "block-scan-segments": rows whose segments end and begin around warps, sums that
// show what was carried too far or not far enough, and five gates.
//
// The counters below are worked out for the rungs of solutions/09-block-scan-segments, one row of 1024,
// except for idle-lanes, which are counted and depend on the compiler. Units: sectors over those of 12 bytes
// per element; wavefronts beyond the fewest, per 32 elements; lane-instructions per element; multiprocessors,
// at most, as the flags of a row decide how much its block has to do.
//
//                  global-sectors  shared-wavefronts  idle-lanes  parallelism
//   serial                      8                  0           0            1
//   tree_of_pairs               1               57.2         4.6          128
//   with padding                1               3.25         6.7          128
//   steps_of_pairs              1                  0          11          128
//   reference                   1                  0         6.5          128
//
//   serial         The lanes of a warp are a row apart: each request takes 32 sectors for 4. 128 rows are 128
//                  threads, 4 warps. A multiprocessor issues for four warps at a time, so these keep one
//                  busy.
//   tree_of_pairs  On the way up 512, 256, ..., 1 pairs are 2, 4, ... words apart: an access of each takes 32
//                  + 32 + 32 + 32 + 32 + 16 + 8 + 4 + 2 + 1 = 191 wavefronts, where 36 would do. On the way
//                  down 1, 3, 7, ..., 511 pairs take 1 + 3 + 7 + 15 + 31 + 32 + 32 + 32 + 32 = 185, where 35
//                  would do. A step loads two sums and two flags and stores one of each, 6 accesses:
//                  6 * (191 - 36 + 185 - 35) = 1830 more than they must, 57.2 for every 32 elements.
//   with padding   A free word after every 32 leaves a conflict on the way down, 2 to 16 words apart: the
//                  right place of lane 31 lies in the bank of that of lane 0. This is a wavefront more in
//                  each whole warp, 15 + 7 + 3 + 1 = 26, in 4 accesses 104. It is sound: the limit is 6.
//
// Solutions without a scan have idle lanes: one thread that goes over its row in shared memory leaves 330,
// and threads that each go back to where their segment begins leave about 130, as a third of the rows has
// segments of about 100. The limit is 40. Threads that all go over their whole row take 9500
// lane-instructions per element, and have no idle lanes where they select what to add in place of a branch.
// steps_of_pairs takes 294, and the limit is 1000.
//
// Work of the largest case: 128 rows of at most about 10 000 warp-instructions (steps_of_pairs) are 1.3
// million a call.
#include <algorithm>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "block_scan_segments.h"
#include "course/problem.h"
#include "lockstep/prefix_sums.h"

namespace lockstep::block_scan_segments_problem {
namespace {

using lockstep::Random;
using lockstep::wrapping_sum;
using namespace lockstep::course;

using Ints = std::vector<int>;

constexpr std::size_t kWarpLanes = 32;

struct Shape {
  int rows, columns;
  std::size_t elements() const { return static_cast<std::size_t>(rows) * static_cast<std::size_t>(columns); }
};

/// A matrix with its flags.
struct Task {
  Ints values, flags;
  std::size_t columns = 0;

  std::size_t column(std::size_t i) const { return i % columns; }
  bool has_flag(std::size_t i) const { return flags[i] != 0; }
  bool begins(std::size_t i) const { return column(i) == 0 || has_flag(i); }
  bool begins_warp(std::size_t i) const { return column(i) % kWarpLanes == 0; }
};

/// Inclusive sums that begin anew where `begins` says so.
Ints sums_from(const Task& task, const std::function<bool(std::size_t)>& begins) {
  Ints sums = task.values;
  for (std::size_t i = 1; i < sums.size(); ++i)
    if (!begins(i)) sums[i] = wrapping_sum(sums[i], sums[i - 1]);
  return sums;
}

Ints right_sums(const Task& task) {
  return sums_from(task, [&task](std::size_t i) { return task.begins(i); });
}

/// What each warp of 32 elements knows by itself.
Ints sums_of_warps(const Task& task) {
  return sums_from(task, [&task](std::size_t i) { return task.begins_warp(i) || task.begins(i); });
}

/// How a carry from warp to warp may go wrong.
struct Carry {
  bool of_all_warps = false;  ///< of the totals of all warps before, though segments begin in some of them
  bool to_all_lanes = false;  ///< to those of the warp, though segments begin before some of them
};

Ints sums_with_carry(const Task& task, const Carry& how) {
  const Ints own = sums_of_warps(task), right = right_sums(task);
  Ints sums = own;
  int carry = 0;
  bool has_begun = false;  // a segment, in the warp up to the element
  for (std::size_t i = 0; i < sums.size(); ++i) {
    if (task.column(i) == 0) {
      carry = 0;
      has_begun = false;
    } else if (task.begins_warp(i)) {
      carry = how.of_all_warps ? wrapping_sum(carry, own[i - 1]) : right[i - 1];
      has_begun = false;
    }
    has_begun = has_begun || task.has_flag(i);
    if (how.to_all_lanes || !has_begun) sums[i] = wrapping_sum(sums[i], carry);
  }
  return sums;
}

/// Steps of 1, 2, 4, ... that look at the flag of the element itself alone.
Ints sums_by_steps_with_own_flags(const Task& task) {
  Ints sums = task.values;
  for (std::size_t distance = 1; distance < task.columns; distance *= 2) {
    const Ints before = sums;
    for (std::size_t i = 0; i < sums.size(); ++i)
      if (task.column(i) >= distance && !task.has_flag(i))
        sums[i] = wrapping_sum(before[i], before[i - distance]);
  }
  return sums;
}

Ints exclusive(const Task& task) {
  Ints sums = right_sums(task);
  for (std::size_t i = 0; i < sums.size(); ++i) sums[i] = wrapping_sum(sums[i], -task.values[i]);
  return sums;
}

std::vector<KnownMistake> known_mistakes(const Task& task) {
  Mistakes mistakes(right_sums(task));
  mistakes.add("the output is the input unchanged: nothing has been added up", task.values,
               "Store the sums in out, and not the elements.");
  mistakes.add("these are the exclusive sums: each element is missing in its own sum", exclusive(task),
               "Count each element into its own sum: the first sum of a segment is its first element.");
  mistakes.add("the flags are ignored: these are the sums from the start of each row",
               sums_from(task, [&task](std::size_t i) { return task.column(i) == 0; }),
               "Begin a new sum at each element whose flag is not 0.");
  mistakes.add("segments go on from one row into the next",
               sums_from(task, [&task](std::size_t i) { return task.has_flag(i); }),
               "Begin a new sum at the first element of each row, whatever its flag is.");
  mistakes.add(
      "each segment begins one element too late: an element with a flag counts to the one before",
      sums_from(task, [&task](std::size_t i) { return task.column(i) == 0 || task.has_flag(i - 1); }),
      "Let the element whose flag is not 0 be the first of its segment.");
  mistakes.add("every group of 32 elements starts again: nothing is carried from one warp to the next",
               sums_of_warps(task),
               "Let each warp store its total in shared memory, and add what belongs to a segment that goes "
               "on into the next warp.");
  mistakes.add("flags of elements 32, 64, … of a row are ignored: these are the first ones of their warps",
               sums_from(task,
                         [&task](std::size_t i) {
                           return task.column(i) == 0 || (task.has_flag(i) && !task.begins_warp(i));
                         }),
               "Add nothing from the warps before where a segment begins at lane 0.");
  const char* const carry = "what is carried into a warp is added to all of its lanes, also behind a flag";
  const char* const stop =
      "Add it only to the lanes of the warp before which, and at which, there is no flag.";
  mistakes.add(carry, sums_with_carry(task, {.to_all_lanes = true}), stop);
  mistakes.add(carry, sums_with_carry(task, {.of_all_warps = true, .to_all_lanes = true}), stop);
  mistakes.add("the totals of all warps before are added, also of those before a flag",
               sums_with_carry(task, {.of_all_warps = true}),
               "Scan the totals of the warps as the elements are scanned, with a flag for each warp: whether "
               "a segment begins in it.");
  mistakes.add("each step looks at the flag of the element alone, and not at those in between",
               sums_by_steps_with_own_flags(task),
               "Let a step combine the flags as well: whether a segment begins in what a sum stands for.");
  return mistakes.known();
}

Call make_call(const Task& task, Shape shape) {
  Output out;
  out.type = ElementType::i32;
  out.expected = bytes_of(right_sums(task));
  out.position = [columns = task.columns](std::size_t i) {
    return "row " + std::to_string(i / columns) + ", column " + std::to_string(i % columns);
  };
  out.known_mistakes = [task] { return known_mistakes(task); };
  Call call;
  call.input("values", task.values).input("flags", task.flags).output("out", std::move(out));
  call.scalar("rows", shape.rows).scalar("columns", shape.columns).stream();
  return call;
}

/// Whether an element gets a flag.
using Flags = std::function<bool(int row, int column, Random&)>;

/// Segments of that length on average.
Flags about(int length) {
  return [length](int, int, Random& random) { return random.integer(1, length) == 1; };
}

/// The first element of every second warp gets one, and others do as well.
Flags at_warps() {
  return [](int, int column, Random& random) { return column % 64 == 32 || random.integer(1, 20) == 1; };
}

Flags one_in_every_second_row() {
  return [](int row, int column, Random&) { return row % 2 == 0 && column == 517; };
}

/// Every third row has long segments, which go on over several warps.
Flags short_and_long() {
  return [](int row, int, Random& random) { return random.integer(1, row % 3 == 0 ? 100 : 2) == 1; };
}

using Values = Ints (*)(std::size_t, Random&);

Ints small_integers(std::size_t n, Random& random) { return lockstep::signed_integers(n, random); }

Task random_task(Shape shape, const Flags& has_flag, Values values, Random& random) {
  Task task{.values = values(shape.elements(), random),
            .flags = Ints(shape.elements()),
            .columns = static_cast<std::size_t>(shape.columns)};
  for (std::size_t i = 0; i < task.flags.size(); ++i) {
    const int row = static_cast<int>(i / task.columns), column = static_cast<int>(task.column(i));
    // A single bit, anywhere: a flag that is added up, narrowed or compared with 1 is not seen.
    if (has_flag(row, column, random)) task.flags[i] = static_cast<int>(1U << random.integer(0, 31));
  }
  return task;
}

Case make_case(Shape shape, const Flags& has_flag, std::string purpose, Values values = small_integers) {
  const auto elements = static_cast<double>(shape.elements());
  Case made;
  made.name = std::to_string(shape.rows) + " x " + std::to_string(shape.columns);
  made.purpose = std::move(purpose);
  made.prepare = [shape, has_flag, values](Random& random) {
    return make_call(random_task(shape, has_flag, values, random), shape);
  };
  made.cost = {.elements = elements, .global_bytes = 3 * sizeof(int) * elements};
  return made;
}

Problem make_problem() {
  Problem problem;
  problem.name = "block-scan-segments";
  problem.title = "Scan segments within a block";
  problem.lesson = "a scan takes any associative operation: here that of pairs of a flag and a sum";
  problem.points = 7;
  problem.function = LOCKSTEP_SIGNATURE(block_scan_segments);
  problem.cases = {
      make_case({0, 100}, about(4), "no rows: a grid without blocks cannot be launched"),
      make_case({5, 0}, about(4), "rows without elements: a block without threads cannot be launched"),
      make_case({1, 1}, about(2), "a single element, which is its own sum"),
      make_case({1025, 1}, about(3), "rows of one element: each begins a segment, with a flag or without"),
      make_case({3, 65}, about(1), "every element begins a segment: nothing is to be added"),
      make_case({3, 31}, about(4), "one less than a warp"),
      make_case({2, 32}, about(5), "exactly one warp"),
      make_case({7, 33}, about(20), "one more than a warp: what goes on into it must be carried on"),
      make_case({7, 127}, about(10), "a prime: the last warp is not full"),
      make_case({4, 512}, at_warps(), "every second warp begins a segment with its first element"),
      make_case({2, 997}, about(100), "a large prime, and segments that go on over several warps"),
      make_case({3, 1000}, about(300), "sums that need every bit of an int", lockstep::steps_of_a_wide_walk),
      make_case({3, 1023}, about(30), "one less than a full block"),
      make_case({4, 1024}, one_in_every_second_row(), "the longest rows, half of them without a flag"),
      wide(measured(make_case({128, 1024}, short_and_long(), "many full rows, of short and long segments"))),
  };
  problem.gates = {
      global_sectors_gate(
          1.25, {.scattered = "Let neighbouring lanes read and write neighbouring elements.",
                 .again = "Read each element and each flag once and write each sum once; keep what lies "
                          "between in shared memory or in registers."}),
      shared_wavefronts_gate(
          6, {.loads_and_stores = "Leave one word free after every 32, or let lanes exchange values by "
                                  "shuffles. Lanes that are 2, 4, … 32 words apart meet in the same banks."}),
      idle_lanes_gate(
          40,
          {"Scan in steps or in a tree, of which all lanes of a warp take as many, wherever flags stand."}),
      lane_instructions_gate(
          1000,
          "Scan: in ten steps, or up and down a tree, an element meets few others. A thread that "
          "looks at its whole row does a thousand additions where ten are needed."),
      // A block for each row makes 128, a single block 1.
      parallelism_gate(3, "Give each row to a block of its own. Rows do not need each other."),
  };
  problem.hints = {
      "A scan adds the sum of a run of elements to that of the run behind it. What must be known of the run "
      "behind, besides its sum, to know whether what lies before it is to be added?",
      "Take pairs: f says whether a segment begins in the run, and s is the sum from its last beginning on. "
      "(f1, s1) followed by (f2, s2) is (f1 or f2, s1 + s2), and (f1 or f2, s2) where f2 is set. This "
      "operation is associative, so every scan of the lecture takes it in place of the addition. Left and "
      "right may not be exchanged.",
      "In steps: element i combines with the one d before it, as both were before the step, sums and "
      "flags alike. It adds the sum if its own flag is not set, and then takes over the flag. In a tree, "
      "keep place i of both arrays at i + i / 32.",
      "Within a warp a single word has all flags: bit l of __ballot_sync(0xffffffff, flag) is set where "
      "the flag of lane l is. The highest bit that is set at the lane's own or below, 31 - __clz(word), "
      "is the lane in which its segment begins. The lane adds what comes from `offset` lanes below only "
      "if that lane lies not before it.",
      "Each warp hands on a pair: the sum of its last lane, and whether a segment begins in it. These pairs, "
      "at most 32, are scanned as the elements of a warp are. What is carried into a warp is then for its "
      "lanes up to the first flag, without the lane that has it.",
  };
  return problem;
}

const Registration registration(make_problem, __FILE__);

}  // namespace
}  // namespace lockstep::block_scan_segments_problem
