// What the judge knows of "histogram-pairs": sequences in which pairs are lost or invented at the ends and at
// borders, few values in runs and in turns, and four gates.
//
// The counters below are worked out for the rungs of solutions/08-histogram-pairs, on the two measured cases,
// of which each gate takes the worst. Units: bytes of global memory in whole sectors, over the symbols and
// the counts, each moved once; and wavefronts beyond the fewest possible, for every 32 pairs.
//
//                   sectors  wavefronts
//   global_atomics     25.7       0     distance 32: a request reads 2 sectors and updates 23.8
//   block_private       3.1       5.1   distance 1: 1 + 2 sectors, as 32 symbols from i + 1 on lie in two; 31
//                                       blocks of 1024 counts add 0.13
//   tiled               1.13      5.1   129 sectors for 128, and the blocks' counts
//   the reference       1.02      0     512 sectors for 511, and the counts of 4 blocks
//
// With one cell per pair and 32 values the bank of (v, w) is w: after Zipf a fourth of the lanes has the most
// frequent w, with many different v, and the request takes 6.1 passes. Rows of 33 cells take 3.3 to 3.5, and
// so do other arrangements by the pair alone; 8 cells per pair 3, 16 at most 2, 32 one. The limit of 1.5 lies
// between 16 columns, 1.0 beyond the fewest, and 8, 2.0. Lanes with one and the same pair are counted in one
// pass: sequences of equal symbols, or of two in turn, cost less and not more, so no measured case has them.
//
// Global memory: a warp that exchanges 32 symbols by shuffles and reads the others once more takes 2.02, one
// that goes along a run of 1024 takes 1.05. Tiles of 256 pairs take 1.25. The limit of 1.5 lies between.
//
// Work of the largest case: a million pairs are 31 251 warps of 32, at 10 to 20 instructions each less than a
// million warp-instructions per call.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>
#include <memory>
#include <numeric>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "course/numbers.h"
#include "course/problem.h"
#include "histogram_pairs.h"

namespace lockstep::histogram_pairs_problem {
namespace {

using lockstep::Random;
using namespace lockstep::course;

using Symbols = std::vector<unsigned char>;
using Counts = std::vector<unsigned>;

/// What a case asks for. `after` bytes that are no symbols follow the n symbols: none where reading on shall
/// be noticed.
struct Sequence {
  int n = 0, distance = 1, values = 32, after = 0;

  int pairs() const { return std::max(n - distance, 0); }
};

std::size_t size(int n) { return static_cast<std::size_t>(n); }

// --- symbols ---

unsigned char any_below(int values, Random& random) {
  return static_cast<unsigned char>(random.integer(0, values - 1));
}

Symbols uniform(const Sequence& of, Random& random) {
  Symbols symbols(size(of.n));
  for (auto& symbol : symbols) symbol = any_below(of.values, random);
  return symbols;
}

Symbols all_equal(const Sequence& of, Random& random) {
  return Symbols(size(of.n), any_below(of.values, random));
}

/// Two values in turn.
Symbols alternating(const Sequence& of, Random& random) {
  const std::array<unsigned char, 2> both = {
      any_below(of.values / 2, random),
      static_cast<unsigned char>(of.values - 1 - any_below(of.values / 2, random))};
  Symbols symbols(size(of.n));
  for (std::size_t i = 0; i < symbols.size(); ++i) symbols[i] = both[i % 2];
  return symbols;
}

/// Up to 100 equal symbols one after the other.
Symbols runs(const Sequence& of, Random& random) {
  Symbols symbols(size(of.n));
  for (std::size_t i = 0; i < symbols.size();) {
    const std::size_t end = std::min(i + size(random.integer(1, 100)), symbols.size());
    for (const unsigned char symbol = any_below(of.values, random); i < end; ++i) symbols[i] = symbol;
  }
  return symbols;
}

/// Value v comes in proportion to 1 / (v + 1), somewhat as letters do in a text. Source: Zipf's law.
Symbols zipf(const Sequence& of, Random& random) {
  std::vector<double> up_to(size(of.values));
  double sum = 0;
  for (std::size_t value = 0; value < up_to.size(); ++value) {
    sum += 1 / static_cast<double>(value + 1);
    up_to[value] = sum;
  }
  Symbols symbols(size(of.n));
  for (auto& symbol : symbols) {
    // The product stays below the last sum, as uniform() does below 1.
    const auto found =
        std::upper_bound(up_to.begin(), up_to.end(), static_cast<double>(random.uniform()) * sum);
    symbol = static_cast<unsigned char>(found - up_to.begin());
  }
  return symbols;
}

// --- calls ---

/// The counts of the pairs (i, second(i)), for each i of which `counted` says so.
template <class Counted, class Second>
Counts counts_of(const Symbols& symbols, const Sequence& of, int end, Counted counted, Second second) {
  Counts counts(size(of.values) * size(of.values));
  for (int i = 0; i < end; ++i)
    if (counted(i)) ++counts[size(symbols[size(i)] * of.values + symbols[size(second(i))])];
  return counts;
}

Counts right_counts(const Symbols& symbols, const Sequence& of) {
  return counts_of(
      symbols, of, of.pairs(), [](int) { return true; }, [of](int i) { return i + of.distance; });
}

Counts transposed(const Counts& counts, int values) {
  Counts others(counts.size());
  for (std::size_t v = 0; v < size(values); ++v)
    for (std::size_t w = 0; w < size(values); ++w)
      others[w * size(values) + v] = counts[v * size(values) + w];
  return others;
}

std::vector<KnownMistake> known_mistakes(const Symbols& symbols, const Sequence& of) {
  const Counts right = right_counts(symbols, of), other_order = transposed(right, of.values);
  const auto all = [](int) { return true; };
  const auto at_distance = [of](int i) { return i + of.distance; };
  Counts both_orders = right, doubled = right;
  for (std::size_t pair = 0; pair < right.size(); ++pair) {
    both_orders[pair] += other_order[pair];
    doubled[pair] *= 2;
  }
  Mistakes mistakes(right);
  mistakes.add("all counts are 0: no pair has been counted", Counts(right.size()),
               "Add what the blocks have counted to `counts`.");
  mistakes.add("the counts are transposed: each pair was counted as if its second symbol were the first",
               other_order, "Count the pair (v, w) in counts[v * values + w], where v is symbols[i].");
  mistakes.add("the second symbol of each pair is the next one, whatever `distance` says",
               counts_of(symbols, of, of.pairs(), all, [](int i) { return i + 1; }),
               "Let the second symbol be symbols[i + distance].");
  mistakes.add("the last symbols were paired with the first ones, as if the sequence were a ring",
               counts_of(symbols, of, of.n, all, [of](int i) { return (i + of.distance) % of.n; }),
               "Count n - distance pairs: the last `distance` symbols begin none.");
  mistakes.add("each pair was counted in both orders", both_orders,
               "Count the pair (v, w) alone: (w, v) is another one.");
  mistakes.add(
      "each symbol was counted in one pair only: it is the second of one pair and the first of the next",
      counts_of(
          symbols, of, of.pairs(), [of](int i) { return i / of.distance % 2 == 0; }, at_distance),
      "Let a pair begin at every i less than n - distance.");
  mistakes.add("every count is twice what it should be: each pair was counted two times", doubled,
               "Look for loops or blocks that go over the same pairs, or cells that are added twice.");
  for (int piece = 16; piece <= 1 << 16; piece *= 2) {
    mistakes.add(
        fmt::format("the pairs that cross a border between pieces of {} symbols are missing", piece),
        counts_of(
            symbols, of, of.pairs(), [&](int i) { return i % piece + of.distance < piece; }, at_distance),
        "Let a piece count the pairs that begin in it, and read `distance` symbols more than these.");
  }
  return mistakes.known();
}

/// Whether pairs were missed or counted again.
Remark remark_on_sum(int pairs, std::span<const std::byte> found_bytes) {
  const Counts found = numbers_of<Counts::value_type>(found_bytes);
  const auto counted = std::accumulate(found.begin(), found.end(), 0ULL), right = 0ULL + size(pairs);
  if (counted > 4 * right + 1000) return {};  // what holds no counts
  if (counted > right) {
    return {
        fmt::format("all counts add up to {}, and there are only {} pairs: some were counted more than once",
                    counted, right),
        "Let each pair belong to the thread, and to the block, that has its first symbol, and to no other."};
  }
  if (counted < right) {
    return {
        fmt::format("all counts add up to {}, and there are {} pairs: some were not counted", counted, right),
        "Let each pair belong to a thread, also those that cross the border of a thread's, a warp's or a "
        "block's part, and let each block add all of its cells to the result."};
  }
  return {};
}

Call make_call(const Sequence& of, Symbols made, Random& random) {
  const auto symbols = std::make_shared<const Symbols>(std::move(made));  // known mistakes need them too
  Symbols buffer = *symbols;
  for (int i = 0; i < of.after; ++i) buffer.push_back(any_below(256, random));
  Output counts;
  counts.type = ElementType::u32;
  counts.expected = bytes_of(right_counts(*symbols, of));
  counts.position = [of](std::size_t i) {
    return fmt::format("pair ({}, {})", i / size(of.values), i % size(of.values));
  };
  counts.known_mistakes = [symbols, of] { return known_mistakes(*symbols, of); };
  counts.remark = [of](std::span<const std::byte>, std::span<const std::byte> found) {
    return remark_on_sum(of.pairs(), found);
  };
  Call call;
  call.input("symbols", buffer).scalar("n", of.n).scalar("distance", of.distance);
  call.output("counts", std::move(counts)).scalar("values", of.values).stream();
  return call;
}

using Values = Symbols (*)(const Sequence&, Random&);

Case make_case(const Sequence& of, std::string purpose, Values values = uniform) {
  Case made;
  made.name = fmt::format("n = {}, distance = {}, values = {}", of.n, of.distance, of.values);
  made.purpose = std::move(purpose);
  made.prepare = [of, values](Random& random) { return make_call(of, values(of, random), random); };
  made.cost = {.elements = static_cast<double>(of.pairs()),
               .global_bytes = of.n + of.values * of.values * static_cast<double>(sizeof(unsigned))};
  return made;
}

Problem make_problem() {
  Problem problem;
  problem.name = "histogram-pairs";
  problem.title = "Count how often each pair of symbols occurs";
  problem.lesson =
      "neighbours share symbols: read each symbol once, count each pair once, and let no lane wait for "
      "another";
  problem.points = 7;
  problem.function = LOCKSTEP_SIGNATURE(histogram_pairs);
  problem.cases = {
      make_case({.n = 0, .values = 4}, "no symbols: every count is 0"),
      make_case({.n = 1, .values = 32}, "one symbol, which is in no pair"),
      make_case({.n = 2, .values = 32}, "two symbols, which are one pair"),
      make_case({.n = 31, .distance = 32, .values = 20}, "fewer symbols than the distance: no pair"),
      make_case({.n = 32, .distance = 32, .values = 20}, "as many symbols as the distance: no pair either"),
      make_case({.n = 33, .distance = 32, .values = 20, .after = 40},
                "one pair, of the first symbol and the last"),
      make_case({.n = 33, .values = 20}, "the last pair has its symbols in two warps"),
      make_case({.n = 1023, .values = 32, .after = 9}, "behind the symbols lie bytes that are none"),
      make_case({.n = 1024, .distance = 31, .values = 26}, "exactly one block of 1024"),
      make_case({.n = 1025, .values = 32}, "the last pair has its symbols in two blocks of 1024"),
      make_case({.n = 5000, .distance = 7, .values = 1, .after = 30}, "one value, and so one count",
                all_equal),
      make_case({.n = 7919, .distance = 13, .values = 7}, "a prime, and rows of 7 counts"),
      make_case({.n = 20011, .distance = 3, .values = 4}, "the four letters of a genome"),
      make_case({.n = 65536, .distance = 2, .values = 32}, "in runs: many neighbours are equal", runs),
      make_case({.n = 262147, .values = 32, .after = 13}, "two values in turn: two counts have all pairs",
                alternating),
      make_case({.n = 300007, .values = 32, .after = 25},
                "all symbols are equal: counters of 16 bits overflow", all_equal),
      wide(measured(make_case({.n = 1000003, .values = 32},
                              "after Zipf: some symbols come often, as in a text", zipf))),
      measured(make_case({.n = 300017, .distance = 32, .values = 20},
                         "the largest distance, and as many values as there are amino acids")),
  };
  const std::string read_once =
      "Read each symbol once, by neighbouring lanes: let a block copy a tile of some thousand symbols to "
      "shared memory, with the `distance` symbols behind it, and find both symbols of a pair there. Or let a "
      "warp go along a run of symbols, whose lanes exchange them by shuffles.";
  problem.gates = {
      global_sectors_gate(
          1.5,
          {.scattered = read_once,
           .again = read_once,
           .atomics = "Let a block count in shared memory, and add each of its counts to the result once, "
                      "after many thousand pairs. Every update of global memory moves a sector.",
           .merging = "Start fewer blocks, though as many as there are multiprocessors, and let each "
                      "count more pairs before it adds its counts to the result."}),
      shared_wavefronts_gate(
          1.5,
          {.loads_and_stores = "Let every lane keep to a bank of its own, which is one word of 4 bytes in "
                               "32. Where each thread adds up a row of cells, let it begin at another column "
                               "than its neighbours, and go round.",
           .atomics = "Let a lane's bank depend on the lane and not on its pair: with 32 cells per pair, one "
                      "for each lane, no two lanes meet. With one cell per pair and 32 values the bank is "
                      "the second symbol, and lanes with the same second symbol wait for each other."}),
      // Counted: the reference 3.6, tiled 9.2, lanes that count one after the other 35.
      shared_passes_gate(
          8, "pairs", 1,
          "Let the lanes of a warp count in one request, each in a bank of its own, and not one lane "
          "after the other."),
      // Blocks of nearly all shared memory are as many as there are multiprocessors: 4 here, and a single
      // block is 1.
      parallelism_gate(3,
                       "Start a block or more for each multiprocessor, and let each count the pairs of a "
                       "part of the symbols."),
  };
  problem.hints = {
      "Number the pairs: there are n - distance, and pair i is of symbols i and i + distance. With v and w "
      "for the two, its count is counts[v * values + w]. Many threads add to one count, so the addition is "
      "atomic.",
      "Let each block count in shared memory, in up to 1024 cells, and add each cell to `counts` once, at "
      "the end. Start a few blocks per multiprocessor, which share the pairs.",
      "Lanes that read symbols[i] and symbols[i + distance] from global memory move each symbol twice or "
      "three times. Let the block copy a tile to shared memory: T pairs need T + distance symbols. The next "
      "tile begins T symbols later, so that each pair begins in one tile. Wait for the block before the tile "
      "is read, and again before the next overwrites it.",
      "With 32 values the cell of (v, w) lies in bank w. In a text some w come often, with many different v, "
      "and all these meet in one bank. Give each pair a row of 32 cells, one for each lane: 1024 rows are "
      "128 KiB, which a block gets as extern __shared__ memory that cudaFuncSetAttribute has allowed.",
      "The tile has to lie beside the cells: declare one extern __shared__ array for both, with the tile "
      "first, as a multiple of 16 bytes. At the end a thread adds up a row, and begins at a column of its "
      "own.",
  };
  return problem;
}

const Registration registration(make_problem, __FILE__);

}  // namespace
}  // namespace lockstep::histogram_pairs_problem
