// What the judge knows of "compaction": lengths at the edges, what is kept from nothing to everything, values
// of 32 random bits that show every exchange, and three gates.
//
// The counters below are worked out for the rungs of solutions/11-compaction, in the measured case, of which
// half is kept. Bytes of global memory per element, in whole sectors; behind the sum what is counted there.
//
//   map_scan_scatter    flags: 4 + 4; a scan of them: 4 + 4, and 4 + 4 + 1 to add what lies before a tile;
//                       elements and positions: 4 + 4; stores of rows: 2.9. Together 35.9       35.9
//   count_then_scatter  elements: 4; again: 4, and 2.9; a sum for each warp of 256 elements: 0.1  11.0
//   look_back           elements: 4, and 2.9; words of 32 tiles for each tile of 2048: 0.1 and more  7.1
//   gathered            elements: 4; stores of 32 lanes, for 64 elements, in 5 sectors less 1 / 8: 2.4   6.6
//   reference           elements: 4, and 2; words for each tile of 11 264                        6.0
//
// A row of 32 elements keeps about 16. Stored as they are they are 64 bytes, which begin anywhere: they lie
// in 2 + 7 / 8 sectors, 92 bytes for 32 elements. A limit of 17 lets pass who reads the elements twice, and
// who keeps a count for each warp in global memory (13.4, and 16 where each thread goes over a run of these).
// Who stores a position for each element has at least 4 + 4 + 4 + 4 + 1 + 2.9 = 19.9.
//
// Shared memory: where lanes store what they keep of one element each, no two meet. With four neighbours per
// lane lanes are 2 words apart, and the reference has 0.92 wavefronts beyond the fewest for 32 elements; with
// 8 or 16 neighbours it would have 1.2 to 1.3. Elements that lanes read 8 words apart take 8.
//
// No gate looks at lanes. What is idle at the stores of what is kept, 1.5 to 6.5 lane-instructions per
// element, is little; and a tile whose thread 0 waits for the tile before has 17 to 93, depending on how
// often it polls.
//
// Work of the largest case: 2.1 million elements are 65 539 warps of 32, at 10 to 150 instructions each at
// most 10 million warp-instructions per call.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <iterator>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "compaction.h"
#include "course/numbers.h"
#include "course/poison.h"
#include "course/problem.h"

namespace lockstep::compaction_problem {
namespace {

using lockstep::Random;
using namespace lockstep::course;

using Elements = std::vector<std::uint32_t>;

/// Where blocks and tiles usually end.
constexpr std::array<std::size_t, 10> kPieces = {32, 64, 128, 256, 512, 1024, 2048, 4096, 8192, 16384};

struct Input {
  Elements in;
  std::uint32_t limit = 0;
};

template <class Predicate>
Elements kept_of(std::span<const std::uint32_t> in, Predicate is_kept) {
  Elements kept;
  std::copy_if(in.begin(), in.end(), std::back_inserter(kept), is_kept);
  return kept;
}

Elements kept_of(std::span<const std::uint32_t> in, std::uint32_t limit) {
  return kept_of(in, [limit](std::uint32_t value) { return value < limit; });
}

// --- inputs ---

/// Uniform in [low, high), which is not empty.
std::uint32_t number(std::uint64_t low, std::uint64_t high, Random& random) {
  return static_cast<std::uint32_t>(low + ((random.word() * (high - low)) >> 32));
}

/// Less than the limit where `is_kept(i)` says so. Of the others the first, and one in eight, equal the
/// limit.
template <class IsKept>
Input with_kept(std::size_t n, std::uint32_t limit, Random& random, IsKept is_kept) {
  constexpr std::uint64_t kEnd = std::uint64_t{1} << 32;
  Input made{Elements(n), limit};
  bool is_first = true;  // of the others
  for (std::size_t i = 0; i < n; ++i) {
    if (is_kept(i)) {
      made.in[i] = number(0, limit, random);
    } else {
      made.in[i] = is_first || random.integer(0, 7) == 0 ? limit : number(limit, kEnd, random);
      is_first = false;
    }
  }
  return made;
}

/// Between a quarter and three quarters of what a word holds.
std::uint32_t any_limit(Random& random) { return number(1U << 30, 3U << 30, random); }

using Values = Input (*)(std::size_t, Random&);

Input half(std::size_t n, Random& random) {
  return with_kept(n, any_limit(random), random,
                   [&random](std::size_t) { return random.integer(0, 1) == 1; });
}
Input none(std::size_t n, Random& random) {
  return with_kept(n, any_limit(random), random, [](std::size_t) { return false; });
}
Input all(std::size_t n, Random& random) {
  return with_kept(n, any_limit(random), random, [](std::size_t) { return true; });
}
Input last(std::size_t n, Random& random) {
  return with_kept(n, any_limit(random), random, [n](std::size_t i) { return i + 1 == n; });
}
Input every_other(std::size_t n, Random& random) {
  return with_kept(n, any_limit(random), random, [](std::size_t i) { return i % 2 == 0; });
}
Input few(std::size_t n, Random& random) {
  return with_kept(n, any_limit(random), random,
                   [&random](std::size_t) { return random.integer(0, 99) == 0; });
}
/// Runs of one to 5000 elements that are kept, or are not.
Input runs(std::size_t n, Random& random) {
  std::size_t end = 0;
  bool is_kept = false;
  return with_kept(n, any_limit(random), random, [&](std::size_t i) {
    if (i == end) {
      end += static_cast<std::size_t>(random.integer(1, 5000));
      is_kept = !is_kept;
    }
    return is_kept;
  });
}
Input none_is_less_than_0(std::size_t n, Random& random) {
  return with_kept(n, 0, random, [](std::size_t) { return false; });
}
/// All but the largest number; one in four elements is at an end of the type or next to it, or in its middle.
Input ends_of_the_type(std::size_t n, Random& random) {
  constexpr std::array<std::uint32_t, 6> kEnds = {0, 1, 0x7fffffff, 0x80000000, 0xfffffffe, 0xffffffff};
  Input made{Elements(n), kEnds.back()};
  for (std::uint32_t& value : made.in)
    value = random.integer(0, 3) == 0 ? kEnds[static_cast<std::size_t>(random.integer(0, 5))] : random.word();
  return made;
}

// --- mistakes ---

/// How much room `out` has for more than is kept. None: a store behind it is out of bounds. Where there is
/// room, it must remain as it is, and what a mistake stores there can be recognised.
enum class Room : std::uint8_t { none, spare, whole_input };

std::size_t room_of(Room room, std::size_t n, std::size_t kept) {
  constexpr std::size_t kSpare = 40;
  if (room == Room::whole_input) return n;
  return room == Room::spare ? kept + kSpare : kept;
}

/// An output in which `values` have been stored from `first` on.
Elements stored(Elements values, std::size_t first, std::size_t size) {
  values.insert(values.begin(), first, never_written<std::uint32_t>());
  values.resize(size, never_written<std::uint32_t>());
  return values;
}

std::vector<KnownMistake> mistakes_of_out(const Input& input, const Elements& expected) {
  const Elements& in = input.in;
  const std::uint32_t limit = input.limit;
  const std::size_t size = expected.size();
  Mistakes mistakes(expected);
  // What does not fit would have been stored out of bounds.
  const auto add = [&](std::string sentence, const Elements& values, std::string advice,
                       std::size_t first = 0) {
    if (first + values.size() <= size && !values.empty())
      mistakes.add(std::move(sentence), stored(values, first, size), std::move(advice));
  };
  add("the elements that are not less than limit were kept, and the others left out",
      kept_of(in, [limit](std::uint32_t value) { return value >= limit; }),
      "Keep what is less than limit: value < limit.");
  add("elements that are equal to limit were kept too",
      kept_of(in, [limit](std::uint32_t value) { return value <= limit; }),
      "Keep only what is less than limit: < and not <=.");
  add("elements were compared as signed numbers: those from 2^31 on were taken for negative ones",
      kept_of(in,
              [limit](std::uint32_t value) {
                return static_cast<std::int32_t>(value) < static_cast<std::int32_t>(limit);
              }),
      "Compare elements and limit as they are, in std::uint32_t.");
  add("every element is one place too far: the positions are inclusive", kept_of(in, limit),
      "The position of an element is the number of elements kept before it, without itself.", 1);
  add("all elements were copied, also those that are not kept", in,
      "Store an element only if it is less than limit, at the number of elements kept before it.");
  Elements in_place = in;
  for (std::uint32_t& value : in_place) value = value < limit ? value : never_written<std::uint32_t>();
  add("the kept elements are where they were in the input", in_place,
      "Store each at the number of elements kept before it, and not at its own index.");
  Elements indices;
  for (std::size_t i = 0; i < in.size(); ++i) {
    if (in[i] < limit) indices.push_back(static_cast<std::uint32_t>(i));
  }
  add("the indices of the kept elements were stored, in place of their values", indices,
      "Store in[i] at the position of element i, and not i.");
  for (const std::size_t piece : kPieces) {
    if (piece >= in.size()) break;
    add(fmt::format("only what is kept of the first {} elements was stored", piece),
        kept_of(std::span(in).first(piece), limit),
        "Let there be enough blocks for all elements, each storing behind what the blocks before it keep.");
    add(fmt::format("what is kept of the last {} elements is missing: they do not fill a tile of {}",
                    in.size() % piece, piece),
        kept_of(std::span(in).first(in.size() - in.size() % piece), limit),
        "Round the number of blocks up: lockstep::divide_up(n, tile), and let the last one stop at n.");
  }
  return mistakes.known();
}

std::vector<KnownMistake> mistakes_of_count(const Input& input, std::size_t kept) {
  const Elements& in = input.in;
  const std::uint32_t limit = input.limit;
  Mistakes<std::uint32_t> mistakes({static_cast<std::uint32_t>(kept)});
  const auto add = [&mistakes](std::string sentence, std::size_t count, std::string advice) {
    mistakes.add(std::move(sentence), {static_cast<std::uint32_t>(count)}, std::move(advice));
  };
  const auto kept_from = [&](std::size_t first, std::size_t end) {
    return kept_of(std::span(in).subspan(first, end - first), limit).size();
  };
  const std::size_t n = in.size();
  if (n > 0 && in.back() < limit)
    add("the last element is kept and not counted: its position was taken for the count", kept - 1,
        "Add 1 to the position of the last element if it is kept: the number of those before leaves it out.");
  if (n == 0)
    mistakes.add("nothing wrote the count: where there are no elements it is 0",
                 {never_written<std::uint32_t>()},
                 "Write *count in every call, also where no kernel is launched.");
  add("the count is that of all elements", n, "Count only the elements that are kept.");
  add("the count is that of the elements that are not kept", n - kept,
      "Count those that are less than limit.");
  add("elements that are equal to limit were counted too",
      kept_of(in, [limit](std::uint32_t value) { return value <= limit; }).size(),
      "Count only what is less than limit: < and not <=.");
  add("the count is in bytes", kept * sizeof(std::uint32_t), "Write the number of elements.");
  add("the count is 0: nothing was added to it, or what was counted is not in it", 0,
      "Let *count be the number of elements that all blocks keep together.");
  for (const std::size_t piece : kPieces) {
    if (piece >= n) break;
    const std::size_t last_begin = (n - 1) / piece * piece;
    add(fmt::format("the count lacks the last block, of up to {} elements", piece), kept_from(0, last_begin),
        "The count is what lies before the last block, and what that block keeps itself.");
    add(fmt::format("the count is that of the last block alone, of up to {} elements", piece),
        kept_from(last_begin, n), "Add what the blocks before it keep.");
    add(fmt::format("the count is that of the first {} elements alone", piece), kept_from(0, piece),
        "Add what the blocks after the first keep.");
  }
  return mistakes.known();
}

/// That the elements are the right ones in another order, or that only what lies behind them is wrong.
Remark remark_on(std::span<const std::byte> expected, std::span<const std::byte> found, std::size_t kept) {
  auto right = numbers_of<std::uint32_t>(expected), wrong = numbers_of<std::uint32_t>(found);
  const std::span right_kept = std::span(right).first(kept), wrong_kept = std::span(wrong).first(kept);
  if (std::ranges::equal(right_kept, wrong_kept))
    return {"what is kept is right, and something was stored behind it",
            "Store nothing from out[*count] on: out may end there."};
  std::ranges::sort(right_kept);
  std::ranges::sort(wrong_kept);
  if (!std::ranges::equal(right_kept, wrong_kept)) return {};
  return {
      "these are the right elements in another order",
      "The place of an element is the number of elements kept before it in the input. An atomic operation "
      "deals out places in the order in which threads come, and threads come in any order."};
}

// --- calls ---

/// `call` has the input.
Call with_outputs(Call call, std::uint32_t limit, Output out, Output count, int n) {
  call.scalar("limit", limit).output("out", std::move(out)).output("count", std::move(count));
  call.scalar("n", n).workspace("workspace");
  call.stream();
  return call;
}

Call make_call(Input made, Room room) {
  const auto input = std::make_shared<const Input>(std::move(made));  // long where it is timed
  Elements right = kept_of(input->in, input->limit);
  const std::size_t kept = right.size();
  const auto expected =
      std::make_shared<const Elements>(stored(std::move(right), 0, room_of(room, input->in.size(), kept)));
  Output out;
  out.type = ElementType::u32;
  out.expected = bytes_of(*expected);
  out.position = [kept](std::size_t i) {
    return fmt::format("[{}]{}", i, i < kept ? "" : ", behind what is kept");
  };
  out.known_mistakes = [=] { return mistakes_of_out(*input, *expected); };
  out.remark = [kept](std::span<const std::byte> all, std::span<const std::byte> found) {
    return remark_on(all, found, kept);
  };
  Output count;
  count.type = ElementType::u32;
  count.expected = bytes_of(Elements{static_cast<std::uint32_t>(kept)});
  count.position = [](std::size_t) { return std::string("*count"); };
  count.known_mistakes = [=] { return mistakes_of_count(*input, kept); };
  Call call;
  call.input("in", input->in);
  return with_outputs(std::move(call), input->limit, std::move(out), std::move(count),
                      static_cast<int>(input->in.size()));
}

Case make_case(int n, std::string purpose, Values values = half, Room room = Room::none) {
  constexpr double kBytes = sizeof(std::uint32_t);
  Case made;
  made.name = fmt::format("n = {}", n);
  made.purpose = std::move(purpose);
  made.prepare = [n, values, room](Random& random) {
    return make_call(values(static_cast<std::size_t>(n), random), room);
  };
  // Half of the elements are kept where it is asked for: in measured cases.
  made.cost = {.elements = static_cast<double>(n), .global_bytes = n * 1.5 * kBytes + kBytes};
  return made;
}

/// Below which about so many of 1000 words lie.
template <int kKept>
std::uint32_t limit_of_uniform(Random& random) {
  constexpr std::uint64_t kLimit = (std::uint64_t{1} << 32) / 1000 * kKept;
  return number(kLimit - kLimit / 64, kLimit, random);
}

/// Any words, of which about so many of 1000 are kept: one draw for each, as timed inputs are long.
template <int kKept>
Input uniform(std::size_t n, Random& random) {
  Input made{Elements(n), limit_of_uniform<kKept>(random)};
  for (std::uint32_t& value : made.in) value = random.word();
  return made;
}

/// Its arrays are as long in every call.
template <int kKept = 500>
Case timed_case(int n, std::string purpose) {
  Case made = make_case(n, std::move(purpose), uniform<kKept>, Room::whole_input);
  made.prepare_inputs = [n](Random& random) {
    const Output words{.type = ElementType::u32};
    const std::uint32_t limit = limit_of_uniform<kKept>(random);
    Call call;
    call.drawn_words<WordMap::word>("in", random);
    return with_outputs(std::move(call), limit, words, words, n);
  };
  made.cost.global_bytes = (1.0 + kKept / 1000.0) * n * sizeof(std::uint32_t);
  return made;
}

Problem make_problem() {
  Problem problem;
  problem.name = "compaction";
  problem.title = "Keep some elements of an array, in order";
  problem.lesson =
      "where an element goes depends on how many are kept before it: count, scan, and store side by side";
  problem.function = LOCKSTEP_SIGNATURE(compaction);
  // Two words for each element, a flag and a position, an eighth of that for sums of tiles, and a constant.
  problem.workspace = workspace_of_length(LOCKSTEP_SIGNATURE(compaction_workspace_bytes),
                                          [](std::uint64_t n) { return 9 * n + 65536; });
  problem.cases = {
      make_case(0, "no elements: the count is 0, which somebody has to write", half, Room::spare),
      make_case(1, "a single element, which is kept", all, Room::spare),
      make_case(31, "one less than a warp", half, Room::spare),
      make_case(32, "exactly one warp", half, Room::spare),
      make_case(33, "one more than a warp", half, Room::spare),
      make_case(1023, "one less than a block of 1024; from here on out has no room to spare"),
      make_case(1024, "exactly one block of 1024"),
      make_case(1025, "one more: the second block has a single element"),
      make_case(7919, "a prime"),
      named("n = 5000, none kept", make_case(5000, "nothing is kept: out has no element", none)),
      named("n = 5000, all kept", make_case(5000, "everything is kept: out is the input", all)),
      named("n = 5000, the last kept", make_case(5000, "one element is kept, in the last block", last)),
      named("n = 4096, every other kept",
            make_case(4096, "whole tiles, and no two neighbours are kept", every_other)),
      named("n = 60000, in runs", make_case(60000, "runs that are kept or not, across tiles", runs)),
      named("n = 20000, one in 100 kept", make_case(20000, "warps of which nothing is kept", few)),
      named("n = 3000, limit 0",
            make_case(3000, "no element is less than 0, and some are 0", none_is_less_than_0)),
      named("n = 3000, ends of the type",
            make_case(3000, "0, 2^31 and 2^32 - 1, with that as the limit", ends_of_the_type)),
      make_case(65537, "one more than 2^16"),
      make_case(262145, "one more than 2^18, in blocks of 256 more than 1024 of them"),
      wide(measured(make_case(2097223, "a large prime, half of it kept", half, Room::whole_input))),
  };
  problem.speed = {
      .sizes = {timed_case(1 << 14, "a few blocks"),
                timed_case(1 << 16, "less than one tile for each multiprocessor"),
                timed_case(1 << 18, "a few tiles for each multiprocessor"),
                timed_case(1 << 20, "an array that lies in the caches"),
                timed_case(1 << 22, "a third of the L2 cache of an H200"),
                timed_case(1 << 25, "more elements than any cache holds")},
      .larger = {timed_case(1 << 28, "a gibibyte")},
      .variations = {timed_case(33554393, "a prime: the last vector and the last tile are not full"),
                     named("one in 100 kept", timed_case<10>(1 << 25, "hardly anything is stored")),
                     named("nine in ten kept", timed_case<900>(1 << 25, "most is stored"))},
      .reference = {.first_ratio = 0.1},
      // A pass with small tiles has half of the reference's speed, and the idea that matters.
      .pass_ratio = 0.4};
  problem.gates = {
      bytes_per_element_gate(
          17, {.scattered = "Let neighbouring lanes take neighbouring elements, and keep flags and positions "
                            "in registers.",
               .again = "Keep flags and positions in registers: a ballot holds the flags of a warp. Only the "
                        "number of elements that a block keeps need pass through global memory."}),
      shared_wavefronts_gate(
          2, {.loads_and_stores = "Let neighbouring lanes touch neighbouring words of shared memory, or "
                                  "leave one word free after every 32.",
              .atomics = "Count with a ballot and __popc, and not with an atomic operation per element."}),
      // The reference has 187 tiles. A single block is 1.
      parallelism_gate(3,
                       "Give each block a tile of some thousand elements, and let no single block or thread "
                       "go over all of them: what the tiles pass on is one count each."),
  };
  problem.hints = {
      "The place of an element is the number of elements kept before it. Make a flag of each element, 1 if "
      "it is kept and else 0: an exclusive scan of the flags gives the places, and the last place and the "
      "last flag give the count. You have a scan from the exercise before.",
      "Flags and positions in global memory are 25 of 36 bytes per element. A block can scan its own flags: "
      "it only lacks how many elements the blocks before it keep. So let a first kernel count what each "
      "block keeps, scan the counts, and let a last kernel read the elements again.",
      "The flags of a warp are the bits of one word: unsigned kept = __ballot_sync(0xffffffff, is_kept). "
      "__popc(kept) counts them, and __popc(kept & ((1u << lane) - 1)) those of the lanes before this one. "
      "All 32 lanes have to vote, also those behind the end of the array, with 0.",
      "A single pass reads each element once: a tile publishes what it keeps, and looks back at the tiles "
      "before, as in the scan. It may gather its elements in shared memory meanwhile, in their order. Then "
      "it knows where they begin, and its threads copy them out side by side.",
      "The warps that store begin wherever the tile before has ended, so that 32 lanes touch 5 sectors in "
      "place of 4. Let the first warp begin at a multiple of 32 elements before, and its first lanes store "
      "nothing.",
  };
  return problem;
}

const Registration registration(make_problem, __FILE__);

}  // namespace
}  // namespace lockstep::compaction_problem
