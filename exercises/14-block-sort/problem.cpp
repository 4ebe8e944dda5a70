// What the judge knows of "block-sort": lengths at the edges, keys in every order and with many equal ones,
// four gates.
//
// The counters below are worked out for the rungs of solutions/14-block-sort, lane-instructions apart, which
// are counted and depend on the compiler; each is the worse of the two measured cases. Units: sectors over
// those of 8 bytes per key; lane-instructions per key; passes per 32 keys; multiprocessors.
//
//                     global-sectors  lane-instructions  shared-passes  parallelism
//   odd_even                       1               4388           3490          118
//   bitonic                        1                588            185          120
//   merge_by_rank                  1               1196             67          233
//   bitonic_shuffles               1               1246             30          240
//   reference                      1                 81             22          7.5
//
//   odd_even          1024 steps with two loads each of 512 pairs, which are two words apart and take two
//                     passes: 2 * 1024. Stores take as many at most; those of pairs that are not exchanged
//                     are left out. The row is stored and loaded once more, 2.
//   bitonic           55 steps. In 40 of them, of distances below 32, two lanes meet in each bank: two loads
//                     of 512 pairs take 2 * (40 + 15 / 2) = 95 passes, stores nearly as many. With a thread
//                     for each key there are no conflicts, and a store and a load in each step: 110.
//   merge_by_rank     Merges of runs of 32, 64, ..., 512 load 6, 7, ..., 10 times per key, 40, of which some
//                     share words and some meet in banks: 49 are counted. Each of 5 merges loads a key and
//                     stores it in any place: 5 and 11. From runs of one key on it would be 92.
//   bitonic_shuffles  15 steps of distances from 32 on, with a store and a load each.
//   reference         Five merges of lanes store and load each key twice, 5 * 4. On their way out keys are
//                     stored and loaded once, 2.
//
// A merge of runs by 8 keys per thread, each of which walks along both runs, takes 100 passes, as neighbours
// read about 8 words apart. A radix sort of one bit after the other takes 160. The limit of 130 lets pass
// whose steps have no conflicts, whatever the algorithm.
//
// Lane-instructions: odd_even takes 8.6 for each of its 511.5 comparisons per key. The limit of 2000 is for
// log^2 n steps of up to 36 instructions.
//
// Parallelism: blocks of 128 threads, one for each of 240 rows, make 240, and of 64 threads 120. With 32
// rows per block, as in the reference, there are 7.5.
//
// Work of the largest case: odd_even has 150 000 warp-instructions per row of 1024, 4.8 million a call.
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "block_sort.h"
#include "course/numbers.h"
#include "course/poison.h"
#include "course/problem.h"
#include "course/sort_by_digits.h"

namespace lockstep::block_sort_problem {
namespace {

using lockstep::Random;
using namespace lockstep::course;

using Keys = std::vector<std::uint32_t>;

constexpr std::uint32_t kLargest = std::numeric_limits<std::uint32_t>::max();
constexpr std::size_t kLongest = 1024;
constexpr std::size_t kWarpLanes = 32;

struct Shape {
  int rows, length;
  std::size_t keys() const { return static_cast<std::size_t>(rows) * static_cast<std::size_t>(length); }
};

// --- outputs ---

/// The keys with `change` made to each row.
template <class Change>
Keys with_rows(const Keys& keys, std::size_t length, Change change) {
  Keys changed;
  for (std::size_t first = 0; first < keys.size(); first += length) {
    Keys row(keys.begin() + static_cast<std::ptrdiff_t>(first),
             keys.begin() + static_cast<std::ptrdiff_t>(first + length));
    change(row);
    changed.insert(changed.end(), row.begin(), row.end());
  }
  return changed;
}

/// In linear time: timed calls have many rows.
Keys sorted_rows(const Keys& keys, std::size_t length) {
  return with_rows(keys, length,
                   [](Keys& row) { sort_by_digits<8>(row, [](std::uint32_t key) { return key; }); });
}

/// Each piece of so many keys of a row is sorted, and the last one of less.
Keys sorted_pieces(const Keys& keys, std::size_t length, std::size_t piece) {
  return with_rows(keys, length, [piece](Keys& row) {
    for (std::size_t begin = 0; begin < row.size(); begin += piece)
      std::sort(row.begin() + static_cast<std::ptrdiff_t>(begin),
                row.begin() + static_cast<std::ptrdiff_t>(std::min(begin + piece, row.size())));
  });
}

/// What is stored of rows that were filled up with `padding` to so many keys.
template <class Order = std::less<>>
Keys sorted_with_padding(const Keys& keys, std::size_t length, std::size_t filled, std::uint32_t padding,
                         Order order = {}) {
  return with_rows(keys, length, [=](Keys& row) {
    row.resize(filled, padding);
    std::ranges::sort(row, order);
    row.resize(length);
  });
}

/// So many steps of the odd-even sort.
Keys by_odd_even_steps(const Keys& keys, std::size_t length, std::size_t steps) {
  return with_rows(keys, length, [steps](Keys& row) {
    for (std::size_t step = 0; step < steps; ++step) {
      for (std::size_t left = step % 2; left + 1 < row.size(); left += 2)
        if (row[left] > row[left + 1]) std::swap(row[left], row[left + 1]);
    }
  });
}

/// How the bitonic network may go wrong.
struct Network {
  bool always_ascends = false;    ///< no run descends
  std::size_t last_run = 1024;    ///< runs of this length are the last to be sorted
  std::size_t last_distance = 1;  ///< steps of smaller distances are missing
};

/// Rows that are filled up to a power of two, behind such a network.
Keys by_bitonic_steps(const Keys& keys, std::size_t length, const Network& network) {
  const std::size_t size = std::bit_ceil(std::max<std::size_t>(length, 2));
  return with_rows(keys, length, [&](Keys& row) {
    row.resize(size, kLargest);
    for (std::size_t run = 2; run <= std::min(size, network.last_run); run *= 2) {
      for (std::size_t distance = run / 2; distance >= network.last_distance; distance /= 2) {
        for (std::size_t pair = 0; pair < size / 2; ++pair) {
          const std::size_t left = 2 * pair - pair % distance;
          const bool ascends = network.always_ascends || (left & run) == 0;
          if ((row[left] > row[left + distance]) == ascends) std::swap(row[left], row[left + distance]);
        }
      }
    }
    row.resize(length);
  });
}

/// Each key at the place that the number of smaller ones names, or of smaller and equal ones. Of equal keys
/// all are at the same place.
Keys by_ranks(const Keys& keys, std::size_t length, bool counts_equal) {
  return with_rows(keys, length, [counts_equal](Keys& row) {
    Keys right = row;
    std::ranges::sort(right);
    std::ranges::fill(row, never_written<std::uint32_t>());
    for (const std::uint32_t key : right) {
      const auto place =
          counts_equal ? std::ranges::upper_bound(right, key) - 1 : std::ranges::lower_bound(right, key);
      row[static_cast<std::size_t>(place - right.begin())] = key;
    }
  });
}

std::vector<KnownMistake> known_mistakes(const Keys& keys, std::size_t length) {
  Mistakes mistakes(sorted_rows(keys, length));
  mistakes.add("the output is the input unchanged: nothing has been sorted", keys,
               "Store the keys in the order of their values.");
  mistakes.add("the rows descend: the largest keys come first",
               with_rows(keys, length, [](Keys& row) { std::ranges::sort(row, std::greater<>()); }),
               "Exchange a pair when its left key is larger than its right one.");
  mistakes.add("the rows are sorted as numbers with a sign: keys from 0x80000000 on come before 0",
               with_rows(keys, length,
                         [](Keys& row) {
                           std::ranges::sort(
                               row, {}, [](std::uint32_t key) { return static_cast<std::int32_t>(key); });
                         }),
               "Compare keys as std::uint32_t, and not as int.");
  Keys all = keys;
  std::ranges::sort(all);
  mistakes.add("the whole array is sorted, across the ends of the rows", std::move(all),
               "Sort each row by itself: its keys stay in it.");

  const std::size_t size = std::bit_ceil(std::max<std::size_t>(length, 2));
  const std::size_t warps = (length + kWarpLanes - 1) / kWarpLanes * kWarpLanes;
  for (const std::size_t filled : {size, warps, kLongest}) {
    mistakes.add(fmt::format("the rows begin with zeros: they were filled up with 0 to {} keys", filled),
                 sorted_with_padding(keys, length, filled, 0),
                 "Fill up with 0xffffffff, behind which no key belongs.");
    mistakes.add(fmt::format("the rows descend, and begin with what fills them up to {} keys", filled),
                 sorted_with_padding(keys, length, filled, kLargest, std::greater<>()),
                 "Exchange a pair when its left key is larger than its right one.");
  }
  const std::size_t whole = std::bit_floor(length);
  mistakes.add(
      fmt::format("the first {} keys of each row are sorted, and the others are where they were", whole),
      with_rows(
          keys, length,
          [whole](Keys& row) { std::sort(row.begin(), row.begin() + static_cast<std::ptrdiff_t>(whole)); }),
      "Let the sort take lengths that are no power of two: fill up with 0xffffffff, or end the last run "
      "earlier.");
  for (std::size_t piece = 2; piece < length; piece *= 2) {
    mistakes.add(fmt::format("each {} neighbouring keys are sorted, and no more than those", piece),
                 sorted_pieces(keys, length, piece),
                 "Go on: merge sorted runs in pairs until one of them is as long as the row.");
  }

  mistakes.add("these are half as many odd and even steps as a row has keys",
               by_odd_even_steps(keys, length, length / 2),
               "A key moves by one place in a step: take as many steps as a row has keys.");
  mistakes.add("one odd or even step is missing", by_odd_even_steps(keys, length, length - 1),
               "A row of n keys takes n steps: the first of them may do nothing for the key that has the "
               "longest way.");
  mistakes.add("all runs ascend: pairs of such runs are not bitonic",
               by_bitonic_steps(keys, length, {.always_ascends = true}),
               "Let every other run descend, or let the first step of each merge compare key i of the pair "
               "of runs with the i-th from its end.");
  mistakes.add("the last merge is missing: the first half of the padded row ascends, the other one descends",
               by_bitonic_steps(keys, length, {.last_run = size / 2}),
               "Go on as long as a run is not longer than the padded row, that length included.");
  mistakes.add("the steps of distance 1 are missing", by_bitonic_steps(keys, length, {.last_distance = 2}),
               "Each merge ends with the comparison of neighbours: go on while the distance is more than 0.");
  mistakes.add("of equal keys all went to the place of the first: the other places were never written",
               by_ranks(keys, length, false),
               "Let equal keys come in the order of their places: count an equal one that is to the left.");
  mistakes.add("of equal keys all went to the place of the last: the other places were never written",
               by_ranks(keys, length, true),
               "Let equal keys come in the order of their places: count an equal one that is to the left, "
               "and neither the key itself nor one to its right.");
  return mistakes.known();
}

/// A key that is in the sorted row `more` more often than in the sorted row `less`, and how many such there
/// are altogether.
struct Surplus {
  std::uint32_t key = 0;  ///< the first of them
  std::size_t count = 0;
};

Surplus surplus(const Keys& more, const Keys& less) {
  Surplus found;
  auto other = less.begin();
  for (const std::uint32_t key : more) {
    while (other != less.end() && *other < key) ++other;
    if (other != less.end() && *other == key) {
      ++other;
    } else if (found.count++ == 0) {
      found.key = key;
    }
  }
  return found;
}

/// The first wrong row: whether it has its keys, and if so where it does not ascend.
Remark remark_on(std::size_t length, std::span<const std::byte> right_bytes,
                 std::span<const std::byte> found_bytes) {
  const auto right = numbers_of<std::uint32_t>(right_bytes), found = numbers_of<std::uint32_t>(found_bytes);
  std::size_t wrong = 0;  // the first, of which there is one
  while (wrong + 1 < right.size() && right[wrong] == found[wrong]) ++wrong;
  const std::size_t row = wrong / length;
  const auto row_of = [=](const auto& all) {
    const auto begin = all.begin() + static_cast<std::ptrdiff_t>(row * length);
    return Keys(begin, begin + static_cast<std::ptrdiff_t>(length));
  };
  const Keys expected = row_of(right), its = row_of(found);
  Keys its_sorted = its;
  std::ranges::sort(its_sorted);
  const Surplus lost = surplus(expected, its_sorted), foreign = surplus(its_sorted, expected);
  if (lost.count == 0) {
    std::size_t descent = 0;
    while (descent + 2 < its.size() && its[descent] <= its[descent + 1]) ++descent;
    return {fmt::format("row {} has the right keys in a wrong order: {} is before {}, at position {}", row,
                        its[descent], its[descent + 1], descent),
            "Look for a step that is missing, that has the wrong direction, or that not all pairs take."};
  }
  if (foreign.key == never_written<std::uint32_t>()) return {};  // the report says it
  if (foreign.key == kLargest)
    return {fmt::format("row {} holds 0xffffffff in place of {} of its keys, such as {}", row, lost.count,
                        lost.key),
            "This is what rows are usually filled up with. It belongs behind all keys: look for a step that "
            "is missing or goes wrong, and store no more keys than a row has."};
  return {fmt::format("row {} has lost {} of its keys, such as {}, and holds others too often, such as {}",
                      row, lost.count, lost.key, foreign.key),
          "A key is lost where two threads store at one place, or where one stores before another has "
          "read."};
}

// --- inputs ---

/// Fills a row.
using Fill = std::function<void(std::span<std::uint32_t> row, Random&)>;

void with_any(std::span<std::uint32_t> row, Random& random) {
  for (std::uint32_t& key : row) key = random.word();
}

void with_ascending(std::span<std::uint32_t> row, Random& random) {
  with_any(row, random);
  std::ranges::sort(row);
}

void with_descending(std::span<std::uint32_t> row, Random& random) {
  with_any(row, random);
  std::ranges::sort(row, std::greater<>());
}

/// One value, another one in each row.
void with_equal(std::span<std::uint32_t> row, Random& random) { std::ranges::fill(row, random.word()); }

/// Five values, the smallest and the largest among them.
void with_few_values(std::span<std::uint32_t> row, Random& random) {
  const Keys values = {0, random.word(), 0x7fffffff, 0x80000000, kLargest};
  for (std::uint32_t& key : row)
    key = values[static_cast<std::size_t>(random.integer(0, static_cast<int>(values.size()) - 1))];
}

/// Mostly the largest value, which is also what rows are filled up with.
void with_many_largest(std::span<std::uint32_t> row, Random& random) {
  for (std::uint32_t& key : row) key = random.integer(0, 3) == 0 ? random.word() : kLargest;
}

/// Ascending, but for the smallest key, which comes last.
void with_smallest_last(std::span<std::uint32_t> row, Random& random) {
  with_ascending(row, random);
  std::rotate(row.begin(), row.begin() + 1, row.end());
}

/// Ascending, but for the largest key, which comes first.
void with_largest_first(std::span<std::uint32_t> row, Random& random) {
  with_ascending(row, random);
  std::rotate(row.begin(), row.end() - 1, row.end());
}

/// Two halves that ascend, of the same keys.
void with_equal_halves(std::span<std::uint32_t> row, Random& random) {
  const std::size_t half = row.size() / 2;
  with_ascending(row.first(half), random);
  std::ranges::copy(row.first(half), row.begin() + static_cast<std::ptrdiff_t>(half));
  if (row.size() % 2 == 1) row.back() = kLargest;
}

// --- calls ---

/// `call` has the input.
Call with_output(Call call, Output sorted, Shape shape) {
  call.output("sorted", std::move(sorted)).scalar("rows", shape.rows).scalar("length", shape.length);
  call.stream();
  return call;
}

Call make_call(Shape shape, Keys made) {
  const auto length = static_cast<std::size_t>(shape.length);
  const auto keys = std::make_shared<const Keys>(std::move(made));  // many where it is measured
  Output sorted;
  sorted.type = ElementType::u32;
  sorted.expected = bytes_of(sorted_rows(*keys, length));
  sorted.position = [length](std::size_t index) {
    return fmt::format("row {}, position {}", index / length, index % length);
  };
  sorted.known_mistakes = [keys, length] { return known_mistakes(*keys, length); };
  sorted.remark = [length](std::span<const std::byte> right, std::span<const std::byte> found) {
    return remark_on(length, right, found);
  };
  Call call;
  call.input("keys", *keys);
  return with_output(std::move(call), std::move(sorted), shape);
}

Case make_case(Shape shape, std::string purpose, const Fill& fill = with_any) {
  Case made;
  made.name = fmt::format("{} x {}", shape.rows, shape.length);
  made.purpose = std::move(purpose);
  made.prepare = [shape, fill](Random& random) {
    Keys keys(shape.keys());
    for (std::size_t first = 0; first < keys.size(); first += static_cast<std::size_t>(shape.length))
      fill(std::span(keys).subspan(first, static_cast<std::size_t>(shape.length)), random);
    return make_call(shape, std::move(keys));
  };
  const auto keys = static_cast<double>(shape.keys());
  made.cost = {.elements = keys, .global_bytes = keys * (sizeof(std::uint32_t) + sizeof(std::uint32_t))};
  return made;
}

Case timed_case(Shape shape, std::string purpose) {
  Case made = make_case(shape, std::move(purpose));
  made.prepare_inputs = [shape](Random& random) {
    Call call;
    call.drawn_words<WordMap::word>("keys", random);
    return with_output(std::move(call), {.type = ElementType::u32}, shape);
  };
  return made;
}

Problem make_problem() {
  Problem problem;
  problem.name = "block-sort";
  problem.title = "Sort within a block";
  problem.lesson =
      "a network of comparisons has no branches to diverge at, and most of its steps stay in registers";
  problem.function = LOCKSTEP_SIGNATURE(block_sort);
  problem.cases = {
      make_case({0, 100}, "no rows: a grid without blocks cannot be launched"),
      make_case({5, 0}, "rows without keys: a block without threads cannot be launched"),
      make_case({1025, 1}, "many rows of one key, which is sorted"),
      make_case({1023, 2}, "the shortest rows with something to sort"),
      make_case({7, 3}, "an odd length: in each step of neighbours one key has no partner"),
      make_case({5, 31}, "one less than a warp; the row behind must not be touched"),
      make_case({3, 32}, "exactly one warp"),
      make_case({5, 33}, "one more than a warp: its key must be merged with the others"),
      make_case({4, 127}, "a prime, and no power of two"),
      make_case({9, 200}, "between an eighth and a quarter of the longest rows"),
      make_case({2, 512}, "half of the longest rows, a power of two"),
      make_case({2, 997}, "a large prime: the last warp is not full"),
      named("3 x 1000, few values",
            make_case({3, 1000}, "five values, 0 and 0xffffffff among them", with_few_values)),
      named("3 x 700, many largest",
            make_case({3, 700}, "keys of 0xffffffff, as what rows are filled up with", with_many_largest)),
      named("3 x 600, all equal", make_case({3, 600}, "all keys of a row are equal", with_equal)),
      named("2 x 1001, equal halves",
            make_case({2, 1001}, "both halves have the same keys, sorted: merges of equal keys",
                      with_equal_halves)),
      named("2 x 1024, ascending", make_case({2, 1024}, "the rows are sorted already", with_ascending)),
      named("2 x 1023, descending",
            make_case({2, 1023}, "every pair is to be exchanged; one less than the longest rows",
                      with_descending)),
      named("2 x 513, smallest last",
            make_case({2, 513}, "the smallest key has to move through the whole row", with_smallest_last)),
      named("2 x 514, largest first",
            make_case({2, 514}, "the largest key has to move through the whole row", with_largest_first)),
      measured(make_case({32, 1024}, "rows of the longest length")),
      wide(measured(make_case({240, 128}, "many rows of 128 keys: work for many multiprocessors"))),
  };
  problem.speed = {
      .sizes = {timed_case({1 << 7, 1024}, "about one row for each multiprocessor"),
                timed_case({1 << 10, 1024}, "a few rows for each multiprocessor"),
                timed_case({1 << 13, 1024}, "about as large as the caches"),
                timed_case({1 << 16, 1024}, "more rows than any cache holds")},
      .larger = {timed_case({1 << 18, 1024}, "a gibibyte")},
      .variations = {timed_case({1 << 16, 1000}, "a length that is no power of two"),
                     timed_case({1 << 17, 512}, "rows of half the length"),
                     timed_case({1 << 18, 256}, "rows of a quarter of the length"),
                     timed_case({1 << 19, 128}, "many short rows"),
                     named("few values", make_case({1 << 16, 1024}, "five values", with_few_values)),
                     named("descending",
                           make_case({1 << 16, 1024}, "rows that are sorted the other way round",
                                     with_descending))},
      .reference = {.first_ratio = 0.011}};
  problem.gates = {
      global_sectors_gate(
          1.5, {.scattered = "Let neighbouring lanes read and write neighbouring keys.",
                .again = "Read each key once and write each key once; keep what lies between in shared "
                         "memory or in registers."}),
      lane_instructions_gate(
          2000,
          "Sort in about log² n steps, as a bitonic network does, or merge in log n of them. In n steps "
          "between neighbours a key moves by one place each. Take threads for as many keys as a row has, "
          "rounded up to a power of two, and not always for 1024."),
      shared_passes_gate(
          130, "keys", 1,
          "Exchange keys within a warp by shuffles, or give each lane several keys, which it compares in "
          "registers. Then only steps between warps take a store and a load for each key."),
      parallelism_gate(3, "Give each row to a block or a warp of its own. Rows do not need each other."),
  };
  problem.hints = {
      "Odd-even sort: in even steps thread i compares keys 2i and 2i + 1, in odd steps 2i + 1 and 2i + 2, "
      "and "
      "exchanges them if the left one is larger. After as many steps as there are keys the row is sorted. "
      "Which barriers does it take?",
      "Bitonic sort: for run = 2, 4, 8, … and, within it, distance = run / 2, …, 2, 1 compare keys i and i + "
      "distance for each i without the bit `distance`. The pair ascends if i has not the bit `run`, else it "
      "descends. Fill up to a power of two with 0xffffffff, and do not store what is behind the row.",
      "Merge by rank: a key's place in the merged run is its place in its own run plus how many keys of the "
      "other run come before it, which a binary search finds. One run counts the keys that are smaller, the "
      "other one those that are smaller or equal: else equal keys go to the same place.",
      "Keys less than 32 places apart are in one warp: other = __shfl_xor_sync(0xffffffff, key, distance). "
      "Both lanes of a pair get both keys; one keeps the smaller one, the other the larger one. All 32 lanes "
      "take part, so fill up whole warps.",
      "Give each lane several neighbouring keys, in an array that is indexed by constants alone, so that it "
      "stays in registers. Steps between keys of one lane take neither shuffles nor a direction. With 32 "
      "keys "
      "per lane one warp sorts a row of 1024, without any barrier of the block.",
  };
  return problem;
}

const Registration registration(make_problem, __FILE__);

}  // namespace
}  // namespace lockstep::block_sort_problem
