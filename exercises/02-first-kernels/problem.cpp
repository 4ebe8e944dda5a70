// What the judge knows of "first-kernels": six functions, each a puzzle with five cases of its own, numbers
// that are never rounded, and two gates.
//
// Parallelism of the rungs of solutions/02-first-kernels, on 262 147 elements and on 347 x 1500 pixels:
// serial has a single warp, a quarter of what a multiprocessor can issue, 0.25; one_block has 1; grid_stride
// has 64 blocks of which none does more than another by an element per thread, about 64; the reference has
// one block per 256 elements, 1000 and more. The limit is 3: above one block, and below a grid of as many
// blocks as the emulated device has multiprocessors, 4.
//
// Idle lanes of the large cases, in lane-instructions per element:
//
//                                                limit  blend  look_up  inverse  slope  mirror
//   reference                                     0.00   0.00     1.00     0.00   0.00    0.03
//   grid_stride, one_block                        0.00   0.00     0.75     0.00   0.00    0.00
//   stores in every branch, tiles with ends,
//     64 to 1024 threads, 8 x 8 to 32 x 32        4.83   0.00     7.97     0.00   5.83    0.20
//   100 threads or 10 x 10, some in branches     12.6    7.28    15.9      5.04   7.56    8.47
//   33 threads                                   19.7   24.4     28.2     16.9   25.4    28.4
//   16 threads or 4 x 4                          21     26       31       18     27      30
//   8 threads                                    63     78       91       54     81      90
//   1 thread                                    651    806      899      558    837     930
//   1 thread, in 64 blocks with a loop          310    372      566      279    527     373
//   serial                                      171    209      333      186    318     372
//
// Who has a thread for each row of mirror, in blocks of one, has 117. The limit is 50: three times what
// diverges and leaves a warp of each block an eighth full, so that another compiler changes no verdict, and
// less than half of any launch of one thread per block.
//
// Work of the largest case: 520 500 pixels are about 16 400 warps at less than 30 instructions each; the
// serial rung has as many rounds as pixels, of about 20.
#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "course/problem.h"
#include "first_kernels.h"

namespace lockstep::first_kernels_problem {
namespace {

using lockstep::Random;
using namespace lockstep::course;

using Ints = std::vector<int>;
using Floats = std::vector<float>;
using Pixels = std::vector<unsigned char>;

constexpr int kLarge = 262147;  ///< a prime: the last block is not full

std::size_t size(int n) { return static_cast<std::size_t>(n); }

/// A vector of n values, each of its index.
template <class T>
std::vector<T> each(int n, const std::function<T(int)>& value) {
  std::vector<T> values(size(n));
  for (int i = 0; i < n; ++i) values[size(i)] = value(i);
  return values;
}

Ints random_ints(int n, Random& random, int least, int most) {
  return each<int>(n, [&](int) { return random.integer(least, most); });
}

/// An output of a vector, and what mistakes would have left.
template <class T>
Output output_of(const std::vector<T>& right, const Mistakes<T>& mistakes) {
  Output output;
  output.type = elements_of<T>().type;
  output.expected = bytes_of(right);
  output.known_mistakes = [known = mistakes.known()] { return known; };
  return output;
}

/// Sizes at which a puzzle is tried, with what each is for.
struct Sizes {
  const char *none, *one, *few, *prime, *large;
};

/// A puzzle's cases of one dimension: `bytes` of memory traffic per element, calls made by `make`.
std::vector<Case> cases_of(const std::string& puzzle, double bytes, const Sizes& purposes,
                           const std::function<Call(int n, Random&)>& make) {
  const auto one = [&](int n, const char* purpose) {
    Case made;
    made.puzzle = puzzle;
    made.name = fmt::format("{} {}", puzzle, n);
    made.purpose = purpose;
    made.prepare = [make, n](Random& random) { return make(n, random); };
    made.cost = {.elements = static_cast<double>(n), .global_bytes = bytes * n};
    return made;
  };
  return {one(0, purposes.none), one(1, purposes.one), one(33, purposes.few), one(4099, purposes.prime),
          wide(measured(one(kLarge, purposes.large)))};
}

// --- limit ---

Call limit_call(int n, Random& random) {
  const Ints in = random_ints(n, random, -1000, 1000);
  const int low = random.integer(-600, -300), high = random.integer(300, 600);
  const Ints right = each<int>(n, [&](int i) { return std::clamp(in[size(i)], low, high); });
  Mistakes mistakes(right);
  const char* const both = "Take the larger of the element and `low`, and of that and `high` the smaller.";
  mistakes.add("the elements are unchanged: nothing is limited", in, both);
  mistakes.add("only `low` is kept to: larger elements than `high` stay",
               each<int>(n, [&](int i) { return std::max(in[size(i)], low); }), both);
  mistakes.add("only `high` is kept to: smaller elements than `low` stay",
               each<int>(n, [&](int i) { return std::min(in[size(i)], high); }), both);
  mistakes.add("`low` and `high` are exchanged",
               each<int>(n, [&](int i) { return in[size(i)] > low ? low : std::max(in[size(i)], high); }),
               both);
  Call call;
  call.input("in", in).output("out", output_of(right, mistakes)).scalar("n", n);
  call.scalar("low", low).scalar("high", high).stream();
  return call;
}

// --- blend ---

/// Whole numbers below 2^12 and a weight in sixteenths: products and sums have at most 17 digits.
Call blend_call(int n, Random& random) {
  const auto number = [&random](int) { return static_cast<float>(random.integer(-4095, 4095)); };
  const Floats a = each<float>(n, number), b = each<float>(n, number);
  const int sixteenths = random.integer(1, 7);  // not a half, which both may have
  const float weight = static_cast<float>(sixteenths) / 16;
  const auto blended = [&](float of_a, float of_b) {
    return each<float>(n, [&, of_a, of_b](int i) { return of_a * a[size(i)] + of_b * b[size(i)]; });
  };
  const Floats right = blended(1 - weight, weight);
  Mistakes mistakes(right);
  mistakes.add("the weights are exchanged: `a` has `weight`, and `b` the rest", blended(weight, 1 - weight),
               "Give `b` the weight, and `a` 1 - weight.");
  mistakes.add("`a` counts in full, without its weight of 1 - weight", blended(1, weight),
               "Multiply `a` by 1 - weight.");
  mistakes.add("the sum of both, without weights", blended(1, 1),
               "Multiply `a` by 1 - weight, `b` by weight.");
  Call call;
  call.input("a", a).input("b", b).output("out", output_of(right, mistakes)).scalar("n", n);
  call.scalar("weight", weight).stream();
  return call;
}

// --- look_up ---

Call look_up_call(int n, Random& random) {
  const int entries = random.integer(500, 1000);
  const Ints table = random_ints(entries, random, 1, 1 << 20);
  // One in four lies outside, some just so.
  const Ints index = each<int>(n, [&](int i) {
    if (i % 4 != 0) return random.integer(0, entries - 1);
    return random.integer(0, 1) == 0 ? random.integer(-3, -1) : entries + random.integer(0, 2);
  });
  const auto looked_up = [&](const std::function<int(int)>& outside) {
    return each<int>(n, [&](int i) {
      const int at = index[size(i)];
      return at >= 0 && at < entries ? table[size(at)] : outside(at);
    });
  };
  const Ints right = looked_up([](int) { return -1; });
  Mistakes mistakes(right);
  mistakes.add("elements whose index is outside the table are 0", looked_up([](int) { return 0; }),
               "Write -1 where the table has no such entry.");
  mistakes.add("indices outside the table are moved to its nearest entry",
               looked_up([&](int at) { return at < 0 ? table.front() : table.back(); }),
               "Write -1 where the table has no such entry.");
  mistakes.add("the indices themselves are written", index, "Read the table at index[i].");
  Call call;
  call.input("table", table).input("index", index).output("out", output_of(right, mistakes));
  call.scalar("n", n).scalar("entries", entries).stream();
  return call;
}

// --- inverse ---

Call inverse_call(int n, Random& random) {
  Ints to(size(n));
  std::iota(to.begin(), to.end(), 0);
  for (int i = n - 1; i > 0; --i) std::swap(to[size(i)], to[size(random.integer(0, i))]);
  Ints right(size(n));
  for (int i = 0; i < n; ++i) right[size(to[size(i)])] = i;
  Mistakes mistakes(right);
  mistakes.add("`to` itself is written: out[i] = to[i] is a gather", to,
               "Let thread i write its own number i, to the place to[i].");
  mistakes.add("each place holds its own number: out[to[i]] = to[i]", each<int>(n, [](int i) { return i; }),
               "Write i, not to[i], to that place.");
  Call call;
  call.input("to", to).output("out", output_of(right, mistakes)).scalar("n", n).stream();
  return call;
}

// --- slope ---

Call slope_call(int n, Random& random) {
  const Ints in = random_ints(n, random, -1000, 1000);
  /// With the value of a place that does not exist beside the element at `i`.
  const auto slopes = [&](const std::function<int(int i, int place)>& missing) {
    return each<int>(n, [&](int i) {
      const int left = i > 0 ? in[size(i - 1)] : missing(i, -1);
      const int right = i + 1 < n ? in[size(i + 1)] : missing(i, n);
      return right - left;
    });
  };
  const Ints right = slopes([&](int i, int) { return in[size(i)]; });
  Mistakes mistakes(right);
  const char* const ends = "At the ends let in[i] take the place of the neighbour that does not exist.";
  mistakes.add("neighbours that do not exist count as 0", slopes([](int, int) { return 0; }), ends);
  mistakes.add("the neighbours of the ends are at the other end",
               slopes([&](int, int place) { return place < 0 ? in.back() : in.front(); }), ends);
  mistakes.add("the slopes have the other sign", each<int>(n, [&](int i) { return -right[size(i)]; }),
               "Subtract the left neighbour from the right one.");
  mistakes.add("the difference from the left neighbour alone",
               each<int>(n, [&](int i) { return in[size(i)] - in[size(std::max(i - 1, 0))]; }),
               "Subtract the left neighbour from the right one, and not from in[i].");
  Call call;
  call.input("in", in).output("out", output_of(right, mistakes)).scalar("n", n).stream();
  return call;
}

// --- mirror ---

struct Image {
  int rows, columns, pitch;
};

Call mirror_call(Image image, Random& random) {
  const int rows = image.rows, columns = image.columns, pitch = image.pitch;
  const Pixels in = each<unsigned char>(
      rows * pitch, [&](int) { return static_cast<unsigned char>(random.integer(0, 255)); });
  /// With the place in `in` of each pixel (row, column) of the result.
  const auto moved = [&](const std::function<int(int row, int column)>& from) {
    return each<unsigned char>(rows * columns,
                               [&](int i) { return in[size(from(i / columns, i % columns))]; });
  };
  const Pixels right = moved([&](int r, int c) { return r * pitch + columns - 1 - c; });
  Mistakes mistakes(right);
  mistakes.add("the padding is gone, and nothing is mirrored",
               moved([&](int r, int c) { return r * pitch + c; }), "Read column columns - 1 - c.");
  mistakes.add("the image is mirrored from top to bottom",
               moved([&](int r, int c) { return (rows - 1 - r) * pitch + c; }),
               "Keep the row, and exchange the columns.");
  mistakes.add("the rows of `in` are taken to begin `columns` bytes after each other",
               moved([&](int r, int c) { return r * columns + columns - 1 - c; }),
               "Let row r of `in` begin at in[r * pitch].");
  mistakes.add("each row is mirrored together with its padding",
               moved([&](int r, int c) { return r * pitch + pitch - 1 - c; }),
               "Read column columns - 1 - c: the pitch says where rows begin, and not where they end.");
  Output out = output_of(right, mistakes);
  out.position = [columns](std::size_t i) {
    return fmt::format("row {}, column {}", i / size(columns), i % size(columns));
  };
  Call call;
  call.input("in", in).output("out", std::move(out)).scalar("rows", rows).scalar("columns", columns);
  call.scalar("pitch", pitch).stream();
  return call;
}

std::vector<Case> mirror_cases() {
  const auto one = [](Image image, const char* purpose) {
    Case made;
    made.puzzle = "mirror";
    made.name = fmt::format("mirror {} x {}", image.rows, image.columns);
    made.purpose = purpose;
    made.prepare = [image](Random& random) { return mirror_call(image, random); };
    const double pixels = static_cast<double>(image.rows) * image.columns;
    made.cost = {.elements = pixels, .global_bytes = 2 * pixels};
    return made;
  };
  return {one({5, 0, 32}, "an image without columns"), one({1, 1, 32}, "a single pixel"),
          one({33, 65, 128}, "one more than whole blocks, in rows and in columns"),
          one({100, 64, 64}, "rows without padding"),
          wide(measured(one({347, 1500, 1536}, "rows longer than a block can be, and many of them")))};
}

Problem make_problem() {
  Problem problem;
  problem.name = "first-kernels";
  problem.title = "Write six first kernels";
  problem.lesson = "a thread finds its element from its indices, and does nothing where there is none";
  problem.points = 12;
  problem.puzzles = {
      {"limit", "keep every element between two bounds", LOCKSTEP_SIGNATURE(limit)},
      {"blend", "mix two vectors by a weight", LOCKSTEP_SIGNATURE(blend)},
      {"look_up", "replace indices by the entries of a table", LOCKSTEP_SIGNATURE(look_up)},
      {"inverse", "invert a permutation", LOCKSTEP_SIGNATURE(inverse)},
      {"slope", "subtract from each element's right neighbour its left one", LOCKSTEP_SIGNATURE(slope)},
      {"mirror", "mirror an image whose rows are padded", LOCKSTEP_SIGNATURE(mirror)},
  };
  const auto add = [&problem](const std::vector<Case>& cases) {
    problem.cases.insert(problem.cases.end(), cases.begin(), cases.end());
  };
  add(cases_of("limit", 8,
               {"no element: a grid without blocks cannot be launched",
                "a single element, in a block of many", "one more than a warp",
                "a prime: some threads of the last block have no element", "many elements, for many blocks"},
               limit_call));
  add(cases_of("blend", 12,
               {"two empty vectors", "two vectors of one element", "one element more than 32",
                "a prime, so that no size of a block divides it", "two large vectors"},
               blend_call));
  add(cases_of(
      "look_up", 8,
      {"no index to look up", "one index, outside the table", "a few indices, some just outside the table",
       "more indices than the table has entries", "many indices, every fourth outside the table"},
      look_up_call));
  add(cases_of("inverse", 8,
               {"the permutation of nothing", "the only permutation of one element",
                "a short permutation, to follow by hand", "a permutation over many blocks",
                "a permutation whose writes go anywhere"},
               inverse_call));
  add(cases_of("slope", 8,
               {"nothing, and so no ends", "one element, which is both ends", "both ends in different warps",
                "neighbours in other blocks", "many elements, whose neighbours lie in other blocks"},
               slope_call));
  add(mirror_cases());
  problem.gates = {
      parallelism_gate(
          3, "Give each thread one element, and start as many blocks as that takes: divide_up(n, threads)."),
      idle_lanes_gate(
          50,
          {.branches = "Let every thread of a block have an element of its own, whose index is blockIdx.x "
                       "* blockDim.x + threadIdx.x.",
           .blocks = "Give blocks a multiple of 32 threads, such as 256 or dim3(32, 8), each with an element "
                     "of its own, and start fewer of them. A warp has 32 lanes, and those for which its "
                     "block has no thread do nothing."}),
  };
  problem.hints = {
      "All six begin alike: i = blockIdx.x * blockDim.x + threadIdx.x is this thread's element, and where "
      "i is n or more there is none. The host launches divide_up(n, kThreads) blocks of kThreads threads, "
      "and returns before that where n is 0. `limit` needs no more than min() and max(), which device "
      "code has.",
      "`blend`: kernel arguments are values and pointers, so pass the weight as it is. Thread i reads "
      "a[i] and b[i], and writes out[i]. 1 - weight is the same for all threads.",
      "`look_up`: read index[i] into a variable, and look at the table only where that is at least 0 and "
      "below `entries`: device code has no bounds checks of its own. `inverse`: thread i reads to[i], and "
      "writes i to that place. No two threads write to one place, since a permutation holds each number "
      "once.",
      "`slope`: the left neighbour of element i is in[max(i - 1, 0)], and the right one in[min(i + 1, n - "
      "1)]: at the ends each of them is in[i] itself.",
      "`mirror`: take a block of dim3(32, 8), x for columns and y for rows, and a grid of "
      "divide_up(columns, 32) times divide_up(rows, 8). Guard both. Row r begins at in[r * pitch], and in "
      "the result at out[r * columns].",
  };
  return problem;
}

const Registration registration(make_problem, __FILE__);

}  // namespace
}  // namespace lockstep::first_kernels_problem
