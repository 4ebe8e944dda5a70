// What the judge knows of "scan": lengths at the edges, sums that show what was left out, and three gates.
//
// The counters below are worked out for the rungs of solutions/10-scan. Units: bytes of global memory an
// element, in whole sectors; what is done once a tile or once a warp (totals, flags) adds less than 1.5.
//
//   three_pass        reads and writes all to scan the tiles, and again to add the totals: 4 * 4 = 16
//   reduce_then_scan  reads all to add up, reads and writes all to scan: 3 * 4 = 12
//   look_back         reads and writes all: 2 * 4 = 8; so do packed_words and the reference
//
// A limit of 13 asks for one pass less than the plain way; what a single pass is worth shows in the time.
// All rungs touch shared memory side by side: none more than it must.
//
// Work of the largest case: 2.1 million elements are 65 539 warps of 32, at 40 to 120 instructions each
// (Hillis and Steele in shared memory is the costliest) at most 8 million warp-instructions per call.
#include <algorithm>
#include <array>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "course/problem.h"
#include "lockstep/prefix_sums.h"
#include "scan.h"

namespace lockstep::scan_problem {
namespace {

using lockstep::Random;
using namespace lockstep::course;

/// The exclusive sums, each too large by the total of the piece that its element is in.
std::vector<int> sums_with_own_totals(const std::vector<int>& in, std::size_t piece) {
  std::vector<int> sums = lockstep::exclusive_sums(in);
  for (std::size_t first = 0; first < in.size(); first += piece) {
    const std::size_t end = std::min(first + piece, in.size());
    const int total = std::accumulate(in.begin() + static_cast<std::ptrdiff_t>(first),
                                      in.begin() + static_cast<std::ptrdiff_t>(end), 0);
    for (std::size_t i = first; i < end; ++i) sums[i] = lockstep::wrapping_sum(sums[i], total);
  }
  return sums;
}

std::vector<KnownMistake> known_mistakes(const std::vector<int>& in) {
  Mistakes mistakes(lockstep::exclusive_sums(in));
  if (in.size() == 1) {
    mistakes.add("the element itself came back: nothing lies before it, so its sum is 0", in,
                 "Let out[0] be 0.");
    return mistakes.known();
  }
  mistakes.add("the output is the input unchanged: nothing has been added up", in,
               "Store the sums in out, and not the elements.");
  mistakes.add(
      "these are the inclusive sums: each element is counted into its own sum, one element too early",
      lockstep::inclusive_sums(in),
      "Take the element itself from its sum again, or store each sum one element further on.");
  for (const std::size_t piece : std::array<std::size_t, 8>{32, 128, 256, 512, 1024, 2048, 4096, 8192}) {
    mistakes.add("every sum holds the total of its own tile as well", sums_with_own_totals(in, piece),
                 "What is added to a tile is the sum of the totals before it: the sums of the totals must be "
                 "exclusive too.");
    mistakes.add("the sums start again at 0 every " + std::to_string(piece) +
                     " elements: what lies before is not carried on",
                 lockstep::exclusive_sums_of_pieces(in, piece),
                 "Add to each of these pieces the sum of the totals of all pieces before it.");
  }
  return mistakes.known();
}

/// `call` has the input.
Call with_output(Call call, Output out, int n) {
  call.output("out", std::move(out)).scalar("n", n).workspace("workspace");
  call.stream();
  return call;
}

Call make_call(const std::vector<int>& in) {
  Output out;
  out.type = ElementType::i32;
  out.expected = bytes_of(lockstep::exclusive_sums(in));
  out.known_mistakes = [in] { return known_mistakes(in); };
  Call call;
  call.input("in", in);
  return with_output(std::move(call), std::move(out), static_cast<int>(in.size()));
}

using Values = std::vector<int> (*)(std::size_t, Random&);

std::vector<int> small_integers(std::size_t n, Random& random) {
  return lockstep::signed_integers(n, random);
}

Case make_case(int n, std::string purpose, Values values = small_integers) {
  Case made;
  made.name = "n = " + std::to_string(n);
  made.purpose = std::move(purpose);
  made.prepare = [n, values](Random& random) {
    return make_call(values(static_cast<std::size_t>(n), random));
  };
  made.cost = {.elements = static_cast<double>(n), .global_bytes = n * static_cast<double>(2 * sizeof(int))};
  return made;
}

Case timed_case(int n, std::string purpose) {
  Case made = make_case(n, std::move(purpose), lockstep::signed_integers_of_words);
  made.prepare_inputs = [n](Random& random) {
    Call call;
    call.drawn_words<WordMap::signed_integer>("in", random);
    return with_output(std::move(call), {.type = ElementType::i32}, n);
  };
  return made;
}

Problem make_problem() {
  Problem problem;
  problem.name = "scan";
  problem.title = "Scan an array of any length";
  problem.lesson =
      "blocks build on each other's results: more passes over memory, or one pass and careful waiting";
  problem.function = LOCKSTEP_SIGNATURE(scan);
  // Sixteen bytes for each 256 elements, which is a total, a sum and a flag for small tiles, and a constant.
  problem.workspace = workspace_of_length(LOCKSTEP_SIGNATURE(scan_workspace_bytes),
                                          [](std::uint64_t n) { return n / 16 + 65536; });
  problem.cases = {
      make_case(0, "no elements: a grid without blocks cannot be launched"),
      make_case(1, "a single element, whose sum is 0"),
      make_case(31, "one less than a warp"),
      make_case(32, "exactly one warp"),
      make_case(33, "one more than a warp"),
      make_case(1023, "one less than a block of 1024"),
      make_case(1024, "exactly one block of 1024"),
      make_case(1025, "one more: the second block has a single element"),
      make_case(4096, "whole blocks of every usual size"),
      make_case(7919, "a prime"),
      make_case(20000, "sums that need every bit of an int", lockstep::steps_of_a_wide_walk),
      make_case(65537, "one more than 2^16"),
      make_case(262145, "one more than 2^18, in blocks of 256 more than 1024 of them"),
      wide(measured(make_case(2097223, "a large prime: more blocks of 1024 than a block has threads"))),
  };
  problem.speed = {
      .sizes = {timed_case(1 << 14, "a few blocks"),
                timed_case(1 << 16, "less than one tile for each multiprocessor"),
                timed_case(1 << 18, "a few tiles for each multiprocessor"),
                timed_case(1 << 20, "an array that lies in the caches"),
                timed_case(1 << 22, "about as large as the caches"),
                timed_case(1 << 25, "more elements than any cache holds")},
      .larger = {timed_case(1 << 28, "a gibibyte")},
      .variations = {timed_case(33554393, "a prime: the last vector and the last tile are not full")},
      .reference = {.first_ratio = 0.27}};
  problem.gates = {
      bytes_per_element_gate(
          13,
          {.scattered = "Let neighbouring lanes read and write neighbouring elements.",
           .again =
               "Add the parts up first and scan them knowing what lies before, or look back at the tiles "
               "before while the sums are still in registers. Writing sums only to read, correct and write "
               "them again costs two passes over memory."}),
      shared_wavefronts_gate(
          1, {.loads_and_stores =
                  "Let neighbouring lanes touch neighbouring words of shared memory, or leave one "
                  "word free after every 32."}),
      // The reference has 94 tiles. A single block is 1.
      parallelism_gate(
          3,
          "Give each block a tile of some thousand elements, and let no single block or thread go "
          "over all of them: what the tiles pass on is one sum each."),
  };
  problem.hints = {
      "In three passes: scan each tile by itself and keep its total; scan the totals; add to each tile the "
      "sum of the totals before it. Kernels on one stream run one after the other, so each sees what the one "
      "before wrote. More than 1024 totals are more than one block scans at a time: do to them what you did "
      "to the elements, in a loop or by calling yourself.",
      "Three passes move 16 bytes per element. Add up first, without writing sums: a fixed number of blocks, "
      "each with a long part of the array, and then scan every part with its start known. That moves 12.",
      "In a single pass a tile publishes its aggregate as soon as it knows it, then looks back: it adds up "
      "the aggregates of the tiles before it until it meets one with a prefix, the sum of everything up to "
      "itself. Then it publishes its own prefix.",
      "Waiting for another block is safe only if that block has started: take tile numbers from a counter "
      "(atomicAdd) instead of blockIdx. A value must be visible before its flag: __threadfence() between the "
      "two, or both in one 64-bit word. And the flags must be 0 before the kernel starts.",
      "A single pass that is right and slow waits for round trips to memory. Let a whole warp look back, a "
      "lane a tile. Then show it more at a time: let each tile add its total and a count, with one 64-bit "
      "atomicAdd, to a word of its group of 32 tiles as well. And make tiles large: a few of them, with "
      "vectors of 16 bytes in all the registers that a multiprocessor has.",
  };
  return problem;
}

const Registration registration(make_problem, __FILE__);

}  // namespace
}  // namespace lockstep::scan_problem
