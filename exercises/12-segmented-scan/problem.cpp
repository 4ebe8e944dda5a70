// What the judge knows of "segmented-scan": lengths at the edges, segments that begin and end around warps
// and tiles, flags beside other bits, and three gates.
//
// The counters below are worked out for the rungs of solutions/12-segmented-scan, for the measured case of
// one long segment, which is the worse one. Bytes of global memory per element, in whole sectors; behind the
// sum what is counted there.
//
//   thread_per_segment  one lane alone: a sector each for a value, a sum and a flag: 3 * 32 = 96
//   three_pass          values, flags and sums: 4 + 1 + 4; sums again, read and written: 4 + 4; two words of
//                       its tile in each warp of the last kernel: 2. Together 19
//   reduce_then_scan    values and flags: 5; again: 5; sums: 4. Together 14
//   look_back           values, flags and sums: 9; words of 32 tiles for each tile of 2048: 0.1 and more
//   reference           values, flags and sums: 9; words of all tiles before for each tile of 8192: 0.06 and
//                       more
//
// A limit of 16 lets pass who reads the input twice, with a word for each warp besides, and not who reads and
// writes the sums twice.
//
// Parallelism: a thread that walks through the long segment has nearly all of the work, and its block as
// well. The reference has about 130 tiles in both cases.
//
// Shared memory: all rungs touch it side by side, none more than it must. Elements that lanes read 4 words
// apart would take 3 wavefronts more for each request of 32, and 8 words apart 7.
//
// No gate looks at lanes. A tile whose first thread waits for the tile before has idle lanes as often as it
// polls, which depends on the order of the blocks.
//
// Work of the largest cases, in warp-instructions per call: a thread that walks takes 13 for each element of
// the long segment, 14 million; three_pass takes 190 for 32 elements of the short ones, 12 million. The
// others take at most 7 million.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "course/problem.h"
#include "segmented_scan.h"

namespace lockstep::segmented_scan_problem {
namespace {

using lockstep::Random;
using namespace lockstep::course;

using Words = std::vector<std::uint32_t>;

/// Where blocks and tiles usually end.
constexpr std::array<std::size_t, 10> kPieces = {32, 64, 128, 256, 512, 1024, 2048, 4096, 8192, 16384};

struct Task {
  Words values;
  std::vector<std::uint8_t> flags;

  std::size_t size() const { return values.size(); }
  bool has_flag(std::size_t i) const { return flags[i] % 2 == 1; }
};

// --- outputs ---

// Sums of mistakes are functions that give one element after the other, from the first: most of what they
// would leave differs early from what was found, and is not made.

/// The inclusive sums, which start again wherever `begins` says so. Nothing lies before the first.
template <class Begins>
auto sums_from(const Task& task, Begins begins) {
  return [&task, begins, sum = std::uint32_t{0}](std::size_t i) mutable {
    if (begins(i)) sum = 0;
    return sum += task.values[i];
  };
}

/// All n elements.
template <class Next>
Words all_of(Next next, std::size_t n) {
  Words elements(n);
  for (std::size_t i = 0; i < n; ++i) elements[i] = next(i);
  return elements;
}

auto right_sums(const Task& task) {
  return sums_from(task, [&task](std::size_t i) { return task.has_flag(i); });
}

/// How what is carried into a piece may go wrong.
struct Carry {
  bool past_heads = false;    ///< of all pieces before, though segments begin in some of them
  bool behind_heads = false;  ///< to all elements of the piece, though segments begin before some of them
};

auto sums_with_carry(const Task& task, std::size_t piece, Carry how) {
  struct State {
    std::uint32_t right = 0;
    std::uint32_t own = 0;  // the sum that starts again with the piece
    std::uint32_t carry = 0;
    bool has_begun = false;  // a segment, in the piece up to the element
  };
  return [&task, piece, how, state = State()](std::size_t i) mutable {
    auto& [right, own, carry, has_begun] = state;
    if (i > 0 && i % piece == 0) {
      carry = how.past_heads ? carry + own : right;
      own = 0;
      has_begun = false;
    }
    if (task.has_flag(i)) {
      right = own = 0;
      has_begun = true;
    }
    right += task.values[i];
    own += task.values[i];
    return how.behind_heads || !has_begun ? own + carry : own;
  };
}

/// What goes on into each piece is its own sum: what has been summed up to its end, and not to its begin.
auto sums_with_own_pieces(const Task& task, std::size_t piece) {
  struct State {
    std::uint32_t right = 0;  // the right sum up to the end of the piece
    std::uint32_t own = 0;    // the sum that starts again with the piece
    bool has_begun = false;   // a segment, in the piece up to the element
  };
  return [&task, piece, state = State()](std::size_t i) mutable {
    auto& [right, own, has_begun] = state;
    if (i % piece == 0) {
      for (std::size_t j = i; j < std::min(i + piece, task.size()); ++j)
        right = task.has_flag(j) ? task.values[j] : right + task.values[j];
      own = 0;
      has_begun = false;
    }
    if (task.has_flag(i)) {
      own = 0;
      has_begun = true;
    }
    own += task.values[i];
    return has_begun ? own : own + right;
  };
}

/// A scan in steps of 1, 2, 4, … whose flags or operands go wrong.
Words sums_in_steps(const Task& task, bool exchanges) {
  Words sums = task.values;
  std::vector<std::uint8_t> heads = task.flags;
  for (std::size_t distance = 1; distance < sums.size(); distance *= 2) {
    const Words sums_before = sums;
    const std::vector<std::uint8_t> heads_before = heads;
    for (std::size_t i = distance; i < sums.size(); ++i) {
      const std::size_t left = i - distance;
      const bool stops = exchanges ? heads_before[left] != 0 : task.has_flag(i);
      sums[i] = exchanges ? sums_before[left] : sums_before[i];
      if (!stops) sums[i] += exchanges ? sums_before[i] : sums_before[left];
      heads[i] |= heads_before[left];
    }
  }
  return sums;
}

std::vector<KnownMistake> known_mistakes(const Task& task) {
  Mistakes mistakes(all_of(right_sums(task), task.size()));
  mistakes.add_by_element(
      "the output is the input unchanged: nothing has been added up",
      [&task](std::size_t i) { return task.values[i]; }, "Store the sums in out, and not the elements.");
  mistakes.add_by_element(
      "these are the exclusive sums: each element is missing in its own sum",
      [sum_of = right_sums(task), &task](std::size_t i) mutable { return sum_of(i) - task.values[i]; },
      "Count each element into its own sum: the first sum of a segment is its first element.");
  mistakes.add_by_element("the flags are ignored: these are the sums from the start of the array",
                          sums_from(task, [](std::size_t) { return false; }),
                          "Begin a new sum at each element whose flag is set.");
  mistakes.add_by_element(
      "only bytes of 1 are taken for flags here, and not those that have other bits as well",
      sums_from(task, [&task](std::size_t i) { return task.flags[i] == 1; }),
      "Look at the lowest bit of the byte alone: flags[i] & 1.");
  mistakes.add_by_element("every byte other than 0 is taken for a flag here",
                          sums_from(task, [&task](std::size_t i) { return task.flags[i] != 0; }),
                          "Look at the lowest bit of the byte alone: flags[i] & 1.");
  mistakes.add_by_element(
      "each segment begins one element too late: an element with a flag counts to the segment before",
      sums_from(task, [&task](std::size_t i) { return i > 0 && task.has_flag(i - 1); }),
      "Let the element whose flag is set be the first of its segment.");
  mistakes.add_by_element(
      "each segment begins one element too early: the flag of the next element has been taken",
      sums_from(task, [&task](std::size_t i) { return i + 1 < task.size() && task.has_flag(i + 1); }),
      "Let the element whose flag is set be the first of its segment.");
  constexpr std::size_t kThreads = 1024;  // of a block, which scans in steps
  if (task.size() <= kThreads) {
    mistakes.add("each step looks at the flag of the element alone, and not at those in between",
                 sums_in_steps(task, false),
                 "Let a step combine the flags as well: whether a segment begins in what a sum stands for.");
    mistakes.add("left and right are exchanged in each step", sums_in_steps(task, true),
                 "Let what lies on the left be added only where no segment begins on the right.");
  }
  for (const std::size_t piece : kPieces) {
    mistakes.add_by_element(
        fmt::format("what goes on into a piece of {} elements has the sum of the piece in it as well", piece),
        sums_with_own_pieces(task, piece),
        "What goes on into a piece is the sum up to the end of the piece before it, and nothing for the "
        "first piece.");
    if (piece >= task.size()) break;
    mistakes.add_by_element(
        fmt::format("the sums start again every {} elements: nothing is carried on", piece),
        sums_from(task, [&task, piece](std::size_t i) { return i % piece == 0 || task.has_flag(i); }),
        "Add to the elements of each of these pieces, up to its first flag, the sum so far of the "
        "segment that goes on into it.");
    mistakes.add_by_element(
        fmt::format("the flags are ignored, and the sums start again every {} elements", piece),
        sums_from(task, [piece](std::size_t i) { return i % piece == 0; }),
        "Begin a new sum at each element whose flag is set, and carry on the sum of a segment that goes on "
        "into the next of these pieces.");
    mistakes.add_by_element(
        fmt::format("flags of elements {0}, {1}, … are ignored: these are the first of their pieces of {0}",
                    piece, 2 * piece),
        sums_from(task, [&task, piece](std::size_t i) { return i % piece != 0 && task.has_flag(i); }),
        "Add nothing from the pieces before where the first element of a piece begins a segment.");
    const char* const past = "the sums of all pieces before are carried on, also of those before a flag";
    const char* const stop_before =
        "Go back no further than to the last piece in which a segment begins. What it hands on is the sum "
        "from its last flag on, and whether there is a flag.";
    const char* const behind = "what is carried into a piece is added to all of it, also behind a flag";
    const char* const stop_behind = "Add it only to the elements before the first flag of the piece.";
    mistakes.add_by_element(fmt::format("{} (pieces of {})", past, piece),
                            sums_with_carry(task, piece, {.past_heads = true}), stop_before);
    mistakes.add_by_element(fmt::format("{} (pieces of {})", behind, piece),
                            sums_with_carry(task, piece, {.behind_heads = true}), stop_behind);
    mistakes.add_by_element(fmt::format("{} (pieces of {})", behind, piece),
                            sums_with_carry(task, piece, {.past_heads = true, .behind_heads = true}),
                            stop_behind);
  }
  return mistakes.known();
}

// --- inputs ---

/// Whether element i of n gets a flag.
using Flags = std::function<bool(std::size_t i, std::size_t n, Random&)>;

/// Segments of that length on average.
Flags about(int length) {
  return [length](std::size_t, std::size_t, Random& random) { return random.integer(1, length) == 1; };
}

Flags none() {
  return [](std::size_t, std::size_t, Random&) { return false; };
}

/// The elements at `place` of every second piece of 1024, and no others.
Flags at_place_of_tiles(std::size_t place) {
  return [place](std::size_t i, std::size_t, Random&) { return i % 2048 == place; };
}

Flags last_alone() {
  return [](std::size_t i, std::size_t n, Random&) { return i + 1 == n; };
}

/// Short segments at both ends, and between them one that is nearly as long as the array.
Flags one_long() {
  return [](std::size_t i, std::size_t n, Random& random) {
    constexpr std::size_t kEnds = 1000;
    return (i < kEnds || i + kEnds >= n) && random.integer(1, 20) == 1;
  };
}

/// Runs of some thousand elements without a flag, and as long ones with many.
Flags alternately() {
  return [](std::size_t i, std::size_t, Random& random) {
    return i / 3000 % 2 == 0 ? random.integer(1, 3) == 1 : random.integer(1, 8000) == 1;
  };
}

/// A byte whose lowest bit is the flag. The others are often 0, and often not: who takes any bit for the
/// flag, or compares the byte with 1, is seen. Besides, bytes of 0 alone would tell an input by a few of its
/// words.
std::uint8_t byte_with(bool flag, Random& random) {
  const int others = random.integer(0, 1) == 1 ? 0 : random.integer(1, 127);
  return static_cast<std::uint8_t>(2 * others + (flag ? 1 : 0));
}

Task random_task(std::size_t n, const Flags& has_flag, Random& random) {
  Task task{Words(n), std::vector<std::uint8_t>(n)};
  for (std::size_t i = 0; i < n; ++i) {
    task.values[i] = random.word();
    task.flags[i] = byte_with(has_flag(i, n, random), random);
  }
  return task;
}

/// The products of a matrix of three rows, which has 2, 3 and 1 elements other than 0, and a vector.
Task products_of_rows(Random& random) {
  constexpr std::array<std::size_t, 6> kColumns = {1, 2, 0, 1, 2, 2};
  constexpr std::array<std::size_t, 3> kRowBegins = {0, 2, 5};
  std::array<std::uint32_t, 3> vector{};
  for (std::uint32_t& element : vector) element = random.word();
  Task task{Words(kColumns.size()), std::vector<std::uint8_t>(kColumns.size())};
  for (std::size_t i = 0; i < kColumns.size(); ++i) task.values[i] = random.word() * vector[kColumns[i]];
  // One byte has the flag alone, one the flag and other bits, and one has other bits alone.
  for (const std::size_t begin : kRowBegins) task.flags[begin] = 1;
  task.flags[kRowBegins.back()] = static_cast<std::uint8_t>(1 + 2 * random.integer(1, 127));
  task.flags[kRowBegins.back() - 1] = static_cast<std::uint8_t>(2 * random.integer(1, 127));
  return task;
}

// --- calls ---

/// `call` has the inputs.
Call with_output(Call call, Output out, int n) {
  call.output("out", std::move(out)).scalar("n", n).workspace("workspace");
  call.stream();
  return call;
}

Call make_call(Task made) {
  const auto task = std::make_shared<const Task>(std::move(made));  // long where it is measured
  Output out;
  out.type = ElementType::u32;
  out.expected = bytes_of(all_of(right_sums(*task), task->size()));
  out.position = [task](std::size_t i) {
    std::size_t begin = i;
    while (begin > 0 && !task->has_flag(begin)) --begin;
    return fmt::format("[{}], element {} of its segment", i, i - begin);
  };
  out.known_mistakes = [task] { return known_mistakes(*task); };
  Call call;
  call.input("values", task->values).input("flags", task->flags);
  return with_output(std::move(call), std::move(out), static_cast<int>(task->size()));
}

Case make_case(int n, std::string purpose, const Flags& has_flag) {
  Case made;
  made.name = fmt::format("n = {}", n);
  made.purpose = std::move(purpose);
  made.prepare = [n, has_flag](Random& random) {
    return make_call(random_task(static_cast<std::size_t>(n), has_flag, random));
  };
  // A value, a flag and a sum.
  made.cost = {.elements = static_cast<double>(n), .global_bytes = 9.0 * n};
  return made;
}

/// All values are drawn, and then all bytes. Segments have kLength elements on average, a power of two; 0:
/// all are one segment.
template <int kLength = 1024>
Case timed_case(int n, std::string purpose) {
  Case made = make_case(n, std::move(purpose), none());
  made.prepare = [n](Random& random) {
    Task task{Words(static_cast<std::size_t>(n)), std::vector<std::uint8_t>(static_cast<std::size_t>(n))};
    for (std::uint32_t& value : task.values) value = random.word();
    for (std::uint8_t& byte : task.flags) byte = byte_with_flag(random.word(), kLength);
    return make_call(std::move(task));
  };
  made.prepare_inputs = [n](Random& random) {
    Call call;
    call.drawn_words<WordMap::word>("values", random);
    call.drawn_words<WordMap::byte_with_flag>("flags", random, kLength);
    return with_output(std::move(call), {.type = ElementType::u32}, n);
  };
  return made;
}

Case matrix_case() {
  Case made = make_case(6, "products of a sparse matrix and a vector, a segment for each row", none());
  made.name = "n = 6, rows of a matrix";
  made.prepare = [](Random& random) { return make_call(products_of_rows(random)); };
  return made;
}

Problem make_problem() {
  Problem problem;
  problem.name = "segmented-scan";
  problem.title = "Sum up segments of an array of any length";
  problem.lesson =
      "a scan takes any associative operation, and what is known of it may end the waiting early";
  problem.function = LOCKSTEP_SIGNATURE(segmented_scan);
  // Sixteen bytes for each 256 elements: a sum, a flag, a sum of all before and more; and a constant.
  problem.workspace = workspace_of_length(LOCKSTEP_SIGNATURE(segmented_scan_workspace_bytes),
                                          [](std::uint64_t n) { return n / 16 + 65536; });
  problem.cases = {
      make_case(0, "no elements: a grid without blocks cannot be launched", none()),
      make_case(1, "a single element, which begins a segment without a flag", none()),
      matrix_case(),
      make_case(31, "one less than a warp", about(5)),
      make_case(32, "exactly one warp", about(5)),
      make_case(33, "one more than a warp: what goes on into it must be carried on", about(20)),
      make_case(1023, "one less than a block of 1024", about(30)),
      make_case(1024, "exactly one block of 1024", about(100)),
      make_case(1025, "one more: the second block has a single element", about(300)),
      make_case(7919, "a prime", about(50)),
      named("n = 20000, no flag", make_case(20000, "one segment, though no flag is set", none())),
      named("n = 5000, all flags", make_case(5000, "every element is a segment: its own sum", about(1))),
      named("n = 9000, every other", make_case(9000, "segments of two elements or so", about(2))),
      named("n = 60000, few flags", make_case(60000, "segments longer than a tile", about(20000))),
      named("n = 16384, first of a tile",
            make_case(16384, "segments begin with the first element of every second tile of 1024",
                      at_place_of_tiles(0))),
      named("n = 16384, last of a tile",
            make_case(16384, "segments begin with the last element of every second tile of 1024",
                      at_place_of_tiles(1023))),
      named("n = 12289, the last", make_case(12289, "the last element alone has a flag", last_alone())),
      make_case(65537, "one more than 2^16: alternately thousands of elements with many flags and with few",
                alternately()),
      make_case(262145, "one more than 2^18, in blocks of 256 more than 1024 of them", about(1000)),
      wide(measured(named("n = 1060009, one long segment",
                          make_case(1060009, "a prime: nearly all of it is one segment", one_long())))),
      wide(measured(named("n = 2097223, short segments",
                          make_case(2097223, "a large prime: each tile has many segments", about(4))))),
  };
  problem.speed = {
      .sizes = {timed_case(1 << 14, "a few blocks"),
                timed_case(1 << 16, "less than one tile for each multiprocessor"),
                timed_case(1 << 18, "a few tiles for each multiprocessor"),
                timed_case(1 << 20, "an array that lies in the caches"),
                timed_case(1 << 22, "a third of the L2 cache of an H200"),
                timed_case(1 << 25, "more elements than any cache holds")},
      .larger = {timed_case(1 << 28, "values of a gibibyte")},
      .variations = {timed_case(33554393, "a prime: the last vector and the last tile are not full"),
                     named("short segments", timed_case<4>(1 << 25, "each thread has several segments")),
                     named("one segment", timed_case<0>(1 << 25, "each tile waits for all before it"))},
      .reference = {.first_ratio = 0.054}};
  problem.gates = {
      bytes_per_element_gate(
          16, {.scattered = "Let neighbouring lanes read and write neighbouring elements, wherever segments "
                            "begin and end.",
               .again =
                   "Sum up the tiles first and scan them knowing what goes on into each, or look back at the "
                   "tiles before while the values are still in registers. Writing sums only to read, correct "
                   "and write them again costs 8 bytes per element."}),
      shared_wavefronts_gate(
          2, {.loads_and_stores = "Let neighbouring lanes touch neighbouring words of shared memory, or "
                                  "leave one word free after every 32."}),
      parallelism_gate(3,
                       "Give each block a tile of some thousand elements, whatever segments they belong to. "
                       "A thread or a block for each segment has as much to do as the longest is long."),
  };
  problem.hints = {
      "A scan adds the sum of a run of elements to that of the run behind it. What must be known of the run "
      "behind, besides its sum, to know whether what lies before it is to be added?",
      "Take pairs (f, v): f says whether a segment begins in the run, and v is the sum from its last begin "
      "on. (f, v) followed by (g, w) is (f or g, v + w), and (f or g, w) where g is set. This operation is "
      "associative, so every scan takes it in place of the addition. Left and right may not be exchanged.",
      "The flags of a warp are the bits of one word: unsigned heads = __ballot_sync(0xffffffff, flag != 0). "
      "The highest bit that is set at the lane's own or below is the lane in which its segment begins. In "
      "the steps of a scan by shuffles a lane adds what comes from no lane before that one.",
      "Across tiles: what a tile hands on is one pair. Scan the pairs of the tiles as you scan elements, and "
      "add what goes on into a tile to its elements before its first flag. Three passes over the sums move "
      "17 bytes per element and more, adding up first and then scanning 14.",
      "In a single pass a tile looks back at the pairs of the tiles before, as in the exercise scan. A tile "
      "in which a segment begins knows the sum that is open at its end without waiting for anything, so it "
      "publishes it at once as what the others stop at.",
  };
  return problem;
}

const Registration registration(make_problem, __FILE__);

}  // namespace
}  // namespace lockstep::segmented_scan_problem
