// What the judge knows of "sorting": lengths at the edges, keys in orders that show what a sort gets wrong,
// values that show the order of equal keys, and two gates.
//
// The counters below are worked out for the rungs of solutions/15-sorting, in the larger of the measured
// cases, keys with values. Bytes of global memory per element, in whole sectors; behind the sum what is
// counted there. Keys alone take about half of it.
//
//   split_by_bit        32 passes: keys 4, again 4, values 4; two runs of 16 keys and of 16 values, each in
//                       2.9 sectors: 11.5; words of tiles for every warp: 2.1. Together 25.6, times 32  821
//   merge_sort          tiles: 16; nine merges: 16, 1.6 where ranges begin within a sector, 1.3 for searches,
//                       together 18.9                                                            186
//   count_scan_scatter  four passes: keys 4, again 4, values 4; 30.4 sectors for 32 keys, and for 32 values:
//                       60.8; the table, a sector for each count, written and read: 4.9. Together 77.7  311
//   scatter_in_shared   four passes: 12, 6.6 sectors for 32 keys, and for 32 values: 13.1; the table: 5.1.
//                       Together 30.2                                                            121
//   reference           keys: 4; four passes: 8, and 5.7 sectors for 32 keys, and for 32 values: 11.5; words
//                       of tiles of 8064: 0.1 to clear, 0.3 to publish, 0.3 and more to look at; where the
//                       digits begin: 0.1. Together 20.3, times 4                                 85
//
// A limit of 140 lets pass who counts before each pass, and who has tiles of 3000 keys, which have shorter
// runs. Who merges tiles of 4096 has 16 + 7 · 19 = 149. Digits of 4 bits take eight passes: 8 · 21 = 168.
//
// No gate looks at bank conflicts: digits are random, so that counts, keys and values meet in 3.1 to 3.5
// wavefronts per request in any sort by digits. None looks at lanes: they have work nearly all the time.
//
// Parallelism is least for keys alone in large tiles: the reference has 32 of them, and its first kernel a
// block for each multiprocessor, of which the emulated device has four: 20. Where a block merges two lists
// each, it is 6.5.
//
// Work of the largest case: 8193 warps of 32 elements, at 440 instructions in the reference, 3.6 million per
// call. split_by_bit has 37 million.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <numeric>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "course/numbers.h"
#include "course/poison.h"
#include "course/problem.h"
#include "course/sort_by_digits.h"
#include "sorting.h"

namespace lockstep::sorting_problem {
namespace {

using lockstep::Random;
using namespace lockstep::course;

using Words = std::vector<std::uint32_t>;

/// Where blocks and tiles usually end.
constexpr std::array<std::size_t, 9> kPieces = {32, 64, 128, 256, 512, 1024, 2048, 4096, 8192};

/// There are no values where keys alone are sorted.
struct Task {
  Words keys, values;
  bool has_values = true;
};

// --- orders ---

/// The indices of the elements in the order in which they are to come.
using Order = std::vector<std::uint32_t>;

Order as_they_are(std::size_t n) {
  Order order(n);
  std::iota(order.begin(), order.end(), 0U);
  return order;
}

/// By a number of each key. Those that are equal stay in order.
template <class NumberOf>
Order order_by(const Words& keys, Order order, NumberOf number_of) {
  // In few passes, as each element is looked up by its index.
  sort_by_digits<16>(order, [&](std::uint32_t i) { return number_of(keys[i]); });
  return order;
}

template <class NumberOf>
Order order_by(const Words& keys, NumberOf number_of) {
  return order_by(keys, as_they_are(keys.size()), number_of);
}

Order sorted_order(const Words& keys) {
  return order_by(keys, [](std::uint32_t key) { return key; });
}

/// Pieces of so many elements, each sorted by itself: what the sorted array has of each piece, in its order.
Order order_in_pieces(const Order& sorted, std::size_t piece) {
  std::vector<std::size_t> places((sorted.size() + piece - 1) / piece);
  for (std::size_t i = 0; i < places.size(); ++i) places[i] = i * piece;
  Order order(sorted.size());
  for (const std::uint32_t i : sorted) order[places[i / piece]++] = i;
  return order;
}

Order order_with_equal_ones_reversed(const Words& keys) {
  Order backwards = as_they_are(keys.size());
  std::reverse(backwards.begin(), backwards.end());
  return order_by(keys, std::move(backwards), [](std::uint32_t key) { return key; });
}

/// Keys and values as they are to come. It moves elements and not indices, as timed arrays are long.
Task sorted_task(const Task& task) {
  if (!task.has_values) {
    Task sorted = task;
    sort_by_digits<8>(sorted.keys, [](std::uint32_t key) { return key; });
    return sorted;
  }
  struct Element {
    std::uint32_t key, value;
  };
  const std::size_t n = task.keys.size();
  std::vector<Element> elements(n);
  for (std::size_t i = 0; i < n; ++i) elements[i] = {task.keys[i], task.values[i]};
  sort_by_digits<8>(elements, [](Element one) { return one.key; });
  Task sorted{Words(n), Words(n), task.has_values};
  for (std::size_t i = 0; i < n; ++i) {
    sorted.keys[i] = elements[i].key;
    sorted.values[i] = elements[i].value;
  }
  return sorted;
}

Words gathered(const Words& from, const Order& order) {
  Words out;
  out.reserve(order.size());
  for (const std::uint32_t i : order) out.push_back(from[i]);
  return out;
}

/// The digits of a key in the opposite order.
std::uint32_t reversed_digits(std::uint32_t key, unsigned bits) {
  std::uint32_t reversed = 0;
  for (unsigned shift = 0; shift < 32; shift += bits)
    reversed = reversed << bits % 32 | (key >> shift & ((1U << bits) - 1));
  return reversed;
}

// --- inputs ---

using Keys = Words (*)(std::size_t, Random&);

Words any(std::size_t n, Random& random) {
  Words keys(n);
  for (std::uint32_t& key : keys) key = random.word();
  return keys;
}

Words ascending(std::size_t n, Random& random) {
  Words keys = any(n, random);
  std::ranges::sort(keys);
  return keys;
}

Words descending(std::size_t n, Random& random) {
  Words keys = ascending(n, random);
  std::reverse(keys.begin(), keys.end());
  return keys;
}

Words seven_different(std::size_t n, Random& random) {
  const Words some = any(7, random);
  Words keys(n);
  for (std::uint32_t& key : keys) key = some[static_cast<std::size_t>(random.integer(0, 6))];
  return keys;
}

Words equal_but_the_last(std::size_t n, Random& random) {
  Words keys(n, random.word() | 1);
  if (n > 0) --keys.back();
  return keys;
}

/// Keys that differ only in the bits of `mask`.
template <std::uint32_t kMask>
Words different_in(std::size_t n, Random& random) {
  const std::uint32_t common = random.word() & ~kMask;
  Words keys(n);
  for (std::uint32_t& key : keys) key = common | (random.word() & kMask);
  return keys;
}

/// One in two keys is at an end of the type or next to it, or in its middle.
Words ends_of_the_type(std::size_t n, Random& random) {
  constexpr std::array<std::uint32_t, 6> kEnds = {0, 1, 0x7fffffff, 0x80000000, 0xfffffffe, 0xffffffff};
  Words keys(n);
  for (std::uint32_t& key : keys)
    key = random.integer(0, 1) == 0 ? kEnds[static_cast<std::size_t>(random.integer(0, 5))] : random.word();
  return keys;
}

/// Pieces of 1024 keys of which each is less than all keys of the pieces before: where two lists are merged,
/// the second one comes first as a whole.
Words pieces_descending(std::size_t n, Random& random) {
  constexpr std::size_t kPiece = 1024;
  constexpr unsigned kBits = 20;
  Words keys(n);
  for (std::size_t i = 0; i < n; ++i) {
    const std::size_t pieces_behind = (n - 1) / kPiece - i / kPiece;
    keys[i] = static_cast<std::uint32_t>(pieces_behind << kBits) | random.word() >> (32 - kBits);
  }
  return keys;
}

// --- mistakes ---

/// What a mistake makes of keys and values: the order in which both come out.
struct WrongOrder {
  std::string sentence;  ///< "{}" stands for what is looked at
  std::uint32_t first;   ///< of the order
  std::function<Order()> order;
  std::string advice;
};

/// The first of the keys whose number is the least. There are some.
template <class NumberOf>
std::uint32_t first_by(std::span<const std::uint32_t> keys, NumberOf number_of) {
  std::uint32_t first = 0, least = number_of(keys[0]);
  for (std::uint32_t i = 1; i < keys.size(); ++i) {
    const std::uint32_t number = number_of(keys[i]);
    if (number < least) first = i;
    least = std::min(least, number);
  }
  return first;
}

template <class NumberOf>
WrongOrder wrongly_by(std::string sentence, const Words& keys, NumberOf number_of, std::string advice) {
  return {std::move(sentence), first_by(keys, number_of),
          [&keys, number_of] { return order_by(keys, number_of); }, std::move(advice)};
}

std::uint32_t last_of_the_least(const Words& keys) {
  const auto last = std::min_element(keys.rbegin(), keys.rend());
  return static_cast<std::uint32_t>(keys.rend() - last - 1);
}

/// Of keys or of values. Equal keys look alike in whatever order they are, and values that have not moved
/// have a sentence of their own.
std::vector<WrongOrder> wrong_orders(const Task& task, bool are_values) {
  const Words& keys = task.keys;
  const std::size_t n = keys.size();
  std::vector<WrongOrder> wrong;
  if (n == 0) return wrong;
  if (!are_values)
    wrong.push_back(
        {"the {} are in the order in which they were in the input", 0, [n] { return as_they_are(n); },
         "Store each element at the number of elements that come before it in the sorted order."});
  wrong.push_back(wrongly_by(
      "the {} are in the order of the keys as signed numbers: those from 2^31 on came first", keys,
      [](std::uint32_t key) { return key ^ 0x80000000; }, "Compare keys, and shift them, as std::uint32_t."));
  wrong.push_back(wrongly_by(
      "the {} were sorted in descending order of the keys", keys, [](std::uint32_t key) { return ~key; },
      "Let the smallest key come first."));
  if (are_values)
    wrong.push_back(
        {"the sort is not stable: the {} of equal keys came out in the opposite order",
         last_of_the_least(keys), [&keys] { return order_with_equal_ones_reversed(keys); },
         "Count as before an element also the equal ones with a lower index, and not those with a "
         "higher one."});
  for (const unsigned bits : {16U, 8U, 4U, 1U}) {
    wrong.push_back(wrongly_by(
        fmt::format(
            "the {{}} are in the order of the lowest {} bits of the keys: the highest {} {} no effect",
            32 - bits, bits, bits == 1 ? "has" : "have"),
        keys, [bits](std::uint32_t key) { return key << bits; },
        "Go on to the highest digit, and let its pass end in keys_out and values_out: after an odd number of "
        "passes the result may be in the workspace."));
    wrong.push_back(wrongly_by(
        fmt::format("the lowest {} bit{} of the keys had no effect on the order of the {{}}", bits,
                    bits == 1 ? "" : "s"),
        keys, [bits](std::uint32_t key) { return key >> bits; },
        "Begin with the lowest digit, and keep the order of equal digits in every later pass."));
    wrong.push_back(wrongly_by(
        fmt::format("the {{}} were sorted by the digits of {} bit{} from the highest to the lowest, so that "
                    "the lowest decided",
                    bits, bits == 1 ? "" : "s"),
        keys, [bits](std::uint32_t key) { return reversed_digits(key, bits); },
        "Sort by the lowest digit first and by the highest last: the last pass decides, and the ones before "
        "only where it finds equal digits."));
  }
  for (const std::size_t piece : kPieces) {
    if (piece >= n) break;
    wrong.push_back({fmt::format("the {{}} of each piece of {} were sorted by themselves", piece),
                     first_by(std::span(keys).first(piece), [](std::uint32_t key) { return key; }),
                     [&keys, piece] { return order_in_pieces(sorted_order(keys), piece); },
                     "Place an element by all keys of the array, also those of other blocks, and let the "
                     "last pass end in "
                     "keys_out: its result may still be in the workspace."});
  }
  return wrong;
}

/// What a wrong order makes of keys or values. Most differ in the first element from what was found, and are
/// not made.
void add_wrong_order(Mistakes<std::uint32_t>& mistakes, const char* what, WrongOrder wrong,
                     const Words& from) {
  const auto make = [&from, first = wrong.first, order = std::move(wrong.order)](const TakePart& take) {
    if (!take(std::as_bytes(std::span(from).subspan(first, 1)))) return;
    const Words all = gathered(from, order());
    take(std::as_bytes(std::span(all).subspan(1)));
  };
  mistakes.add_in_parts(fmt::format(fmt::runtime(wrong.sentence), what), make, std::move(wrong.advice));
}

void add_partly_stored(Mistakes<std::uint32_t>& mistakes, const char* what, const Words& right) {
  for (const std::size_t piece : kPieces) {
    const std::size_t rest = right.size() % piece, whole = right.size() - rest;
    if (rest == 0 || whole == 0) continue;
    mistakes.add_by_element(
        fmt::format("the last {} {} were not stored: they do not fill a piece of {}", rest, what, piece),
        [&right, whole](std::size_t i) { return i < whole ? right[i] : never_written<std::uint32_t>(); },
        "Round the number of blocks up: lockstep::divide_up(n, tile), and let the last one stop at n.");
  }
}

std::vector<KnownMistake> mistakes_of_keys(const Task& task, const Words& right) {
  Mistakes mistakes(right);
  for (WrongOrder& one : wrong_orders(task, false))
    add_wrong_order(mistakes, "keys", std::move(one), task.keys);
  add_partly_stored(mistakes, "keys", right);
  return mistakes.known();
}

std::vector<KnownMistake> mistakes_of_values(const Task& task, const Order& right_order, const Words& right) {
  Mistakes mistakes(right);
  mistakes.add("the values are in the order of the input: they have not moved with their keys", task.values,
               "Store the value of an element at the same place as its key, in every pass.");
  mistakes.add("the indices of the elements were stored, in place of their values", right_order,
               "Store values[i] where the key of element i goes, and not i.");
  mistakes.add("the keys were stored in place of the values", gathered(task.keys, right_order),
               "Store in values_out what comes from values.");
  mistakes.add("the values were sorted by themselves", gathered(task.values, sorted_order(task.values)),
               "The values are not compared: each goes where its key goes.");
  for (WrongOrder& one : wrong_orders(task, true))
    add_wrong_order(mistakes, "values", std::move(one), task.values);
  add_partly_stored(mistakes, "values", right);
  return mistakes.known();
}

bool same_in_another_order(std::span<const std::uint32_t> one, std::span<const std::uint32_t> other) {
  // To add them up takes far less time than to sort them.
  if (std::accumulate(one.begin(), one.end(), 0U) != std::accumulate(other.begin(), other.end(), 0U))
    return false;
  Words sorted(one.begin(), one.end()), others(other.begin(), other.end());
  std::ranges::sort(sorted);
  std::ranges::sort(others);
  return sorted == others;
}

Remark remark_on_keys(std::span<const std::byte> expected, std::span<const std::byte> found) {
  const Words right = numbers_of<std::uint32_t>(expected), wrong = numbers_of<std::uint32_t>(found);
  if (!same_in_another_order(right, wrong)) return {};
  std::size_t descents = 0;
  for (std::size_t i = 1; i < wrong.size(); ++i) descents += wrong[i] < wrong[i - 1] ? 1 : 0;
  return {
      fmt::format("these are the right keys in another order: {} of them {} less than the one before",
                  descents, descents == 1 ? "is" : "are"),
      "A pass that changes the order of equal digits undoes what the passes before have done. Let a key's "
      "place be the number of keys with a lower digit, and of those with the same digit before it."};
}

Remark remark_on_values(std::span<const std::byte> expected, std::span<const std::byte> found,
                        const Words& sorted_keys) {
  const Words right = numbers_of<std::uint32_t>(expected), wrong = numbers_of<std::uint32_t>(found);
  if (!same_in_another_order(right, wrong)) return {};
  std::size_t begin = 0;
  while (begin < sorted_keys.size()) {
    std::size_t end = begin;
    while (end < sorted_keys.size() && sorted_keys[end] == sorted_keys[begin]) ++end;
    if (!same_in_another_order(std::span(right).subspan(begin, end - begin),
                               std::span(wrong).subspan(begin, end - begin)))
      return {"these are the values of the input, but not all of them are where their keys are",
              "Store the value of an element at the same place as its key, in every pass."};
    begin = end;
  }
  return {
      "the sort is not stable: values of equal keys are in another order than in the input",
      "Let elements with equal keys stay in order: within a warp by lane, within a tile by warp, and from "
      "tile to tile. Places that are drawn by atomicAdd come in any order."};
}

// --- calls ---

/// `call` has the inputs.
Call with_outputs(Call call, Output keys_out, Output values_out, int n, bool has_values) {
  call.output("keys_out", std::move(keys_out)).output("values_out", std::move(values_out));
  call.scalar("n", n).scalar("has_values", has_values ? 1 : 0).workspace("workspace");
  call.stream();
  return call;
}

Call make_call(Task made) {
  const auto task = std::make_shared<const Task>(std::move(made));  // long where it is timed
  const auto sorted = std::make_shared<const Task>(sorted_task(*task));
  Output keys_out;
  keys_out.type = ElementType::u32;
  keys_out.expected = bytes_of(sorted->keys);
  keys_out.known_mistakes = [=] { return mistakes_of_keys(*task, sorted->keys); };
  keys_out.remark = remark_on_keys;
  Output values_out;
  values_out.type = ElementType::u32;
  values_out.expected = bytes_of(sorted->values);
  values_out.position = [sorted](std::size_t i) {
    return fmt::format("[{}], where the key is {}", i, sorted->keys[i]);
  };
  values_out.known_mistakes = [=] {
    return task->has_values ? mistakes_of_values(*task, sorted_order(task->keys), sorted->values)
                            : std::vector<KnownMistake>();
  };
  values_out.remark = [=](std::span<const std::byte> expected, std::span<const std::byte> found) {
    return remark_on_values(expected, found, sorted->keys);
  };
  Call call;
  call.input("keys", task->keys).input("values", task->values);
  return with_outputs(std::move(call), std::move(keys_out), std::move(values_out),
                      static_cast<int>(task->keys.size()), task->has_values);
}

Case make_case(int n, const std::string& name, std::string purpose, Keys keys, bool has_values) {
  Case made;
  made.name = fmt::format("n = {}{}{}", n, name.empty() ? "" : ", ", name);
  made.purpose = std::move(purpose);
  made.prepare = [n, keys, has_values](Random& random) {
    const auto count = static_cast<std::size_t>(n);
    Task task{keys(count, random), {}, has_values};
    if (has_values) task.values = any(count, random);
    return make_call(std::move(task));
  };
  // Each key is read once and written once, and so is each value.
  made.cost = {.elements = static_cast<double>(n), .global_bytes = (has_values ? 16.0 : 8.0) * n};
  return made;
}

Case pairs(int n, const std::string& name, std::string purpose, Keys keys = any) {
  return make_case(n, name, std::move(purpose), keys, true);
}

Case keys_alone(int n, std::string purpose, Keys keys = any) {
  return make_case(n, "keys alone", std::move(purpose), keys, false);
}

/// Any keys, without values.
Case timed_case(int n, std::string purpose) {
  Case made = make_case(n, "", std::move(purpose), any, false);
  made.prepare_inputs = [n](Random& random) {
    const Output words{.type = ElementType::u32};
    Call call;
    call.drawn_words<WordMap::word>("keys", random).drawn_words<WordMap::word>("values", random);
    return with_outputs(std::move(call), words, words, n, false);
  };
  return made;
}

Problem make_problem() {
  Problem problem;
  problem.name = "sorting";
  problem.title = "Sort an array of any length";
  problem.lesson =
      "a stable sort by one digit is a count, a scan and a scatter, and four of them sort 32 bits";
  problem.function = LOCKSTEP_SIGNATURE(sorting);
  // A second copy of keys and values, as much again for places or counts, and a constant.
  problem.workspace = workspace_of_length(LOCKSTEP_SIGNATURE(sorting_workspace_bytes),
                                          [](std::uint64_t n) { return 16 * n + 65536; });
  problem.cases = {
      pairs(0, "", "no elements: a grid without blocks cannot be launched"),
      pairs(1, "", "a single element, which has to be copied"),
      keys_alone(31, "one less than a warp, and values_out has no room"),
      pairs(32, "", "exactly one warp"),
      pairs(33, "", "one more than a warp"),
      keys_alone(1023, "one less than a block of 1024"),
      pairs(1024, "", "exactly one block of 1024"),
      pairs(1025, "", "one more: the second block has a single element"),
      pairs(7919, "", "a prime"),
      keys_alone(4097, "one more than a tile of 4096"),
      pairs(3000, "ends of the type", "0, 2^31 and 2^32 - 1 are keys as others are", ends_of_the_type),
      pairs(5000, "sorted", "keys that are in order already", ascending),
      pairs(5000, "reversed", "keys in descending order", descending),
      pairs(5000, "all but one equal", "the last key is smaller than all others, and these are equal",
            equal_but_the_last),
      pairs(20000, "highest 8 bits", "keys that differ in their highest 8 bits alone",
            different_in<0xff000000>),
      pairs(20000, "lowest bit", "keys that differ in their lowest bit alone", different_in<1>),
      pairs(20000, "seven keys", "seven different keys: nearly all elements have thousands of equals",
            seven_different),
      pairs(60000, "pieces descending", "each piece of 1024 keys is less than all pieces before it",
            pieces_descending),
      keys_alone(65537, "one more than 2^16"),
      pairs(200000, "seven keys", "thousands of equals in many large tiles", seven_different),
      wide(measured(pairs(262147, "", "a large prime, keys with values"))),
      wide(measured(keys_alone(262147, "the same without values"))),
  };
  const auto keys = [](int n, std::string purpose, Keys order) {
    return make_case(n, "", std::move(purpose), order, false);
  };
  // The largest one that is graded is as large as the judge sorts in a moment.
  problem.speed = {
      .sizes = {timed_case(1 << 14, "a few blocks"),
                timed_case(1 << 16, "less than one tile for each multiprocessor"),
                timed_case(1 << 18, "a few tiles for each multiprocessor"),
                timed_case(1 << 20, "an array that lies in the caches"),
                timed_case(1 << 23, "more than any cache holds")},
      .larger = {timed_case(1 << 25, "128 MiB"), timed_case(1 << 28, "a gibibyte")},
      .variations = {timed_case(33554393, "a prime: the last tile is not full"),
                     named("with values", pairs(1 << 25, "", "twice the bytes in each pass")),
                     named("2^28 with values", pairs(1 << 28, "", "the same, two gibibytes")),
                     named("descending", keys(1 << 25, "keys in descending order", descending)),
                     named("seven keys", keys(1 << 25, "few digits come often", seven_different)),
                     named("all but one equal",
                           keys(1 << 25, "one digit has all keys of a tile", equal_but_the_last))},
      .reference = {.first_ratio = 0.054},
      .most_of_ceiling = 0.1};  // four passes and a count of 8 million keys on an H200

  problem.gates = {
      bytes_per_element_gate(
          140,
          {.scattered = "Sort each tile by its digits in shared memory first, and let neighbouring lanes "
                        "store neighbouring elements of it. Those of one digit go to neighbouring "
                        "places; a larger tile has more of them.",
           .again = "Make fewer passes over keys and values: a digit of 8 bits needs four. Merging makes "
                    "one for each doubling of the sorted length."}),
      // The reference has 20, with 32 tiles of keys alone. A single block is 1, and one for each merge of
      // two lists 6.5.
      parallelism_gate(8,
                       "Give each block a tile of some thousand keys: what it has to know of the others is "
                       "how many keys of each digit they have."),
  };
  problem.hints = {
      "Sort by the lowest bit alone: elements with a 0 come first, those with a 1 behind them, both in the "
      "order in which they were. Where does an element go? You have counted zeros before an element in the "
      "exercise compaction. Then do the same with the next bit: what remains of the order before?",
      "A digit of 8 bits takes the place of 8 bits, and four passes that of 32. The place of a key is the "
      "number of keys with a lower digit, of keys with the same digit in tiles before, and of those before "
      "it in its own tile. Write the counts of all tiles into a table whose order makes a single scan give "
      "the first two: digit after digit, and within a digit tile after tile.",
      "Within a warp the lanes with the same digit are __match_any_sync(0xffffffff, digit); __popc of it and "
      "the lower lanes is the rank of a key. Let each warp have its own counts in shared memory and go "
      "through its keys 32 at a time; a sum over the warps before gives the rank in the tile.",
      "Stores of a warp to 32 places touch up to 32 sectors. Store the tile into shared memory in the order "
      "of its digits first; then thread i stores element i, and its neighbours go to neighbouring places.",
      "The counts of all four digits can be made in one read, as they do not depend on the order of the "
      "keys. What is missing in each pass is how many keys of a digit the tiles before have: look back at "
      "what these have published, digit by digit, as in the exercise scan.",
  };
  return problem;
}

const Registration registration(make_problem, __FILE__);

}  // namespace
}  // namespace lockstep::sorting_problem
