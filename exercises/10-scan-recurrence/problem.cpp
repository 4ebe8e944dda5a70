// What the judge knows of "scan-recurrence": lengths at the edges, factors that keep every bit of what lies
// before, and four gates.
//
// The counters below are worked out for what lies below solutions/10-scan-recurrence. Units: bytes of global
// memory per element, in whole sectors; what is done once for each tile (maps, values, flags) adds less.
//
//   three_pass  reads a and b, writes the maps up to each element, reads these, writes x: 7 * 4 = 28, and 1
//               for the value that comes into the tile, which each warp of 32 elements reads
//   reference   reads a and b to compose the tiles, reads them again and writes x: 5 * 4 = 20
//   one_block   reads a and b and writes x: 3 * 4 = 12; so does look_back
//
// Three passes that store half of each map, and compose the other half again, move 24 and the same 1. The
// limit of 22 lies between these and two passes, which with one element per thread move 21. One block has a
// parallelism of 1; the reference, of 1025 tiles, has 290. All touch shared memory side by side. Maps of two
// words without alignas(8) are loaded by two requests, whose lanes are 2 words apart: with one element per
// thread, 2 wavefronts too many per 32 elements and pass.
//
// Work of the largest case: 32 769 warps of 32 elements, at 65 instructions in the reference, 155 in a scan
// with one element per thread, twice as many in two such passes: 2 to 9 million warp-instructions per call.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "course/numbers.h"
#include "course/problem.h"
#include "scan_recurrence.h"

namespace lockstep::scan_recurrence_problem {
namespace {

using lockstep::Random;
using namespace lockstep::course;

using Words = std::vector<std::uint32_t>;

struct Inputs {
  Words a, b;
  std::uint32_t first;
};

/// The values of the elements from `begin` to before `end`, where `value` stands before them.
void continue_from(std::uint32_t value, const Inputs& in, std::size_t begin, std::size_t end, Words& x) {
  for (std::size_t i = begin; i < end; ++i) x[i] = value = in.a[i] * value + in.b[i];
}

Words recurrence(const Inputs& in, std::uint32_t first) {
  Words x(in.a.size());
  continue_from(first, in, 0, x.size(), x);
  return x;
}

/// Where every piece of `length` elements starts from what `value_before` has for its first and last element.
template <class ValueBefore>
Words in_pieces(const Inputs& in, std::size_t length, ValueBefore value_before) {
  Words x(in.a.size());
  for (std::size_t begin = 0; begin < x.size(); begin += length) {
    const std::size_t end = std::min(begin + length, x.size());
    continue_from(value_before(begin, end - 1), in, begin, end, x);
  }
  return x;
}

/// As if the maps were applied from the last to the first.
Words in_opposite_order(const Inputs& in) {
  Words x(in.a.size());
  std::uint32_t product = 1, sum = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    sum += product * in.b[i];
    product *= in.a[i];
    x[i] = product * in.first + sum;
  }
  return x;
}

/// a * (x + b) in place of a * x + b.
Words added_before_multiplied(const Inputs& in) {
  Words x(in.a.size());
  std::uint32_t value = in.first;
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = value = in.a[i] * (value + in.b[i]);
  return x;
}

std::vector<KnownMistake> known_mistakes(const Inputs& in) {
  const Words right = recurrence(in, in.first);
  Mistakes mistakes(right);
  mistakes.add(
      "the recurrence starts with 0 in place of first", recurrence(in, 0),
      "Apply the composed maps to first. Where there is no map, take (1, 0), which changes nothing: (0, 0) "
      "makes 0 of everything before it.");
  mistakes.add("each map is applied to first, and not to the value before its element",
               in_pieces(in, 1, [&in](std::size_t, std::size_t) { return in.first; }),
               "Compose the maps of all elements up to each one, and apply the composed map to first.");
  Words one_late = right;
  if (!one_late.empty()) {
    one_late.insert(one_late.begin(), in.first);
    one_late.pop_back();
  }
  mistakes.add("every value is one element late: x[i] holds that of element i - 1", std::move(one_late),
               "The scan is inclusive: the map of element i belongs to those that make x[i].");
  mistakes.add("the maps are composed in the opposite order: the last one is applied first",
               in_opposite_order(in),
               "Make (a1 * a2, a2 * b1 + b2) of the map (a1, b1) of the earlier elements and that of the "
               "later ones, (a2, b2). It matters which is the earlier one.");
  mistakes.add("b is added before the multiplication, and not after it", added_before_multiplied(in),
               "x[i] is a[i] * x[i - 1] + b[i].");
  for (const std::size_t piece : std::array<std::size_t, 8>{32, 128, 256, 512, 1024, 2048, 4096, 8192}) {
    const std::string every =
        " every " + std::to_string(piece) + " elements: what lies before is not passed on";
    mistakes.add("the recurrence starts again with first" + every,
                 in_pieces(in, piece, [&in](std::size_t, std::size_t) { return in.first; }),
                 "Let each of these pieces start with the last value of the piece before it.");
    mistakes.add("the recurrence starts again with 0" + every,
                 in_pieces(in, piece, [](std::size_t, std::size_t) { return 0U; }),
                 "Let each of these pieces start with the last value of the piece before it.");
    mistakes.add(
        "every tile starts with the value at its own end",
        in_pieces(in, piece, [&right](std::size_t, std::size_t last) { return right[last]; }),
        "The value that comes into a tile is made by the tiles before it: its own map is not among them.");
  }
  return mistakes.known();
}

/// Whether each element follows from the one before it, except for some at which tiles may begin.
Remark remark_on_steps(const Inputs& in, std::span<const std::byte> found_bytes) {
  constexpr std::size_t kSmallestTile = 32;
  const auto found = numbers_of<std::uint32_t>(found_bytes);
  if (found.empty() || found.size() != in.a.size()) return {};
  if (found[0] != in.a[0] * in.first + in.b[0]) return {};
  std::size_t broken = 0, at = 0;
  for (std::size_t i = 1; i < found.size(); ++i) {
    if (found[i] == in.a[i] * found[i - 1] + in.b[i]) continue;
    if (i % kSmallestTile != 0) return {};
    if (++broken == 1) at = i;
  }
  if (broken == 0) return {};
  const std::string more = broken == 1 ? "" : fmt::format(", nor do {} more from the one before", broken - 1);
  return {fmt::format("x[{}] does not follow from x[{}]{}, and all other elements do: is the value that "
                      "comes into a tile wrong?",
                      at, at - 1, more),
          "Compose the map of each tile from its elements in their order, then those of the tiles in theirs, "
          "and apply what lies before a tile to first."};
}

std::uint32_t odd_word(Random& random) { return random.word() | 1; }
std::uint32_t any_word(Random& random) { return random.word(); }
std::uint32_t odd_or_zero(Random& random) { return random.integer(0, 99) == 0 ? 0 : odd_word(random); }
std::uint32_t one_or_largest(Random& random) { return random.word() % 2 == 0 ? 1 : 0xffffffff; }

using Value = std::uint32_t (*)(Random&);

Words words(std::size_t n, Value value, Random& random) {
  Words drawn(n);
  for (std::uint32_t& word : drawn) word = value(random);
  return drawn;
}

Call make_call(int n, Value factor, Random& random) {
  const auto size = static_cast<std::size_t>(n);
  const auto in = std::make_shared<Inputs>();
  in->a = words(size, factor, random);
  in->b = words(size, any_word, random);
  in->first = odd_word(random);
  Output x;
  x.type = ElementType::u32;
  x.expected = bytes_of(recurrence(*in, in->first));
  x.known_mistakes = [in] { return known_mistakes(*in); };
  x.remark = [in](std::span<const std::byte>, std::span<const std::byte> found) {
    return remark_on_steps(*in, found);
  };
  Call call;
  call.input("a", in->a).input("b", in->b).scalar("first", in->first);
  call.output("x", std::move(x)).scalar("n", n).workspace("workspace").stream();
  return call;
}

/// Odd factors: multiplication by one of them loses no bit, so every value depends on all elements before it.
/// Of the product of 64 factors of any kind nothing remains, most likely.
Case make_case(int n, std::string purpose, Value factor = odd_word) {
  Case made;
  made.name = "n = " + std::to_string(n);
  made.purpose = std::move(purpose);
  made.prepare = [n, factor](Random& random) { return make_call(n, factor, random); };
  made.cost = {.elements = static_cast<double>(n),
               .global_bytes = n * static_cast<double>(3 * sizeof(std::uint32_t))};
  return made;
}

Problem make_problem() {
  Problem problem;
  problem.name = "scan-recurrence";
  problem.title = "Scan a recurrence";
  problem.lesson = "what is associative can be scanned, whether its order matters or not";
  problem.points = 7;
  problem.function = LOCKSTEP_SIGNATURE(scan_recurrence);
  // A map for each element, which three passes need, or many words for each tile.
  problem.workspace = workspace_of_length(LOCKSTEP_SIGNATURE(scan_recurrence_workspace_bytes),
                                          [](std::uint64_t n) { return 8 * n + 65536; });
  problem.cases = {
      make_case(0, "no elements: a grid without blocks cannot be launched"),
      make_case(1, "a single element, whose value before it is first"),
      make_case(31, "one less than a warp"),
      make_case(32, "exactly one warp"),
      make_case(33, "one more than a warp"),
      make_case(1023, "one less than a block of 1024"),
      make_case(1024, "exactly one block of 1024"),
      make_case(1025, "one more: the second block has a single element"),
      make_case(4096, "factors of any kind, even ones too", any_word),
      make_case(7919, "a prime"),
      make_case(20000, "factors that are 1 or 2^32 - 1, the ends of what is odd", one_or_largest),
      make_case(65537, "some factors are 0: what lies before them no longer matters", odd_or_zero),
      make_case(262145, "one more than 2^18, in blocks of 256 more than 1024 of them"),
      wide(measured(make_case(1048583, "a large prime: more blocks of 1024 than a block has threads"))),
  };
  problem.gates = {
      bytes_per_element_gate(
          22,
          {.scattered = "Let neighbouring lanes read and write neighbouring elements.",
           .again = "Compose the maps of each tile first, without storing them, and scan the tile when the "
                    "value that comes into it is known; or look back at the tiles before while the maps are "
                    "in registers. Maps that are written to be read again cost more than a second look at a "
                    "and b."}),
      shared_wavefronts_gate(
          1,
          {.loads_and_stores =
               "Let neighbouring lanes touch neighbouring words of shared memory. The two words of a map are "
               "loaded together if its structure is aligned to 8 bytes; or keep them in two arrays."}),
      // Counted, as it depends on the compiler: the reference has 3, look_back 8, a thread that composes
      // all maps of its block 66.
      idle_lanes_gate(
          40, {"Scan the maps of a block in steps or by shuffles, in which all lanes of a warp take part. "
               "One thread that goes over them leaves the other 31 lanes of its warp idle."}),
      // A single block is 1.
      parallelism_gate(
          3,
          "Give each block a tile of some thousand elements, and let no single block or thread go "
          "over all of them: what the tiles pass on is one map each."),
  };
  problem.hints = {
      "A step takes x to a * x + b. Write down what two steps make, first that of (a1, b1), then that of "
      "(a2, b2): it is again a factor and a number to add, (a1 * a2, a2 * b1 + b2). So x[i] is what the "
      "maps of elements 0 to i, composed in this order, make of first. That is a scan whose operator "
      "composes two maps.",
      "Within a block scan the maps as the lecture scans sums, with two words for each element: shuffle "
      "both. The lane that lies before has the earlier map, and must stay the earlier one. Whatever "
      "stands for no element is (1, 0), which changes nothing, as 0 does in a sum.",
      "Across blocks each tile has one map. Let one block scan those of all tiles, in turns of as many as "
      "it has threads, and apply them to first: each tile gets the value that stands before it, a single "
      "word. Kernels on one stream run one after the other.",
      "Maps up to each element, stored and read again, cost 28 bytes per element. Compose the map of each "
      "tile first and store nothing else, then read a and b once more and scan with the incoming value "
      "known: 20. A single pass that looks back moves 12.",
      "A thread with several elements must take neighbours, such as a vector of 16 bytes: it composes "
      "their maps in their order. With every 256th element, as for sums, it would compose maps that do "
      "not follow each other.",
  };
  return problem;
}

const Registration registration(make_problem, __FILE__);

}  // namespace
}  // namespace lockstep::scan_recurrence_problem
