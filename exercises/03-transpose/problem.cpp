// What the judge knows of "transpose": shapes that bite, elements that tell where they are from, three gates.
//
// The counters below are worked out for the rungs of solutions/03-transpose. Units: sectors of 32 bytes,
// and wavefronts.
//
//   2048 x 1536: every row starts at a sector, so 32 lanes side by side take 4 sectors.
//     naive   reads 4 a warp, writes one a lane: (4 + 32) / (4 + 4) = 4.5 times the ideal
//     others  (4 + 4) / (4 + 4) = 1
//     tiled   writes its tile in 1 wavefront a warp, reads it in 32: 31 more than it must; the others 0
//   1003 x 1001: only one row in eight starts at a sector, the others take a fifth: 4 7/8 on average.
//     naive   (4.9 + 32) / 8 = 4.6
//     others  (4.9 + 4.9) / 8 = 1.2; the reference writes whole sectors, and reads an eighth of its rows
//     twice
//
// Work of the largest case: 3.1 million elements are 98 304 warps of 32, at about 30 instructions each
// 3 million warp-instructions a call.
#include <algorithm>
#include <bit>
#include <cmath>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "course/problem.h"
#include "transpose.h"

namespace {

using lockstep::Random;
using namespace lockstep::course;

struct Shape {
  int rows, columns;
  std::size_t elements() const { return static_cast<std::size_t>(rows) * static_cast<std::size_t>(columns); }
};

std::size_t at(int row, int column, int row_length) {
  return static_cast<std::size_t>(row) * static_cast<std::size_t>(row_length) +
         static_cast<std::size_t>(column);
}

/// Element i is i plus an offset that changes from call to call: no two are equal, and each is exact in
/// float. One element tells all others, so a case whose traffic or time counts has any_bits instead.
std::vector<float> numbered(Shape shape, Random& random) {
  std::vector<float> values(shape.elements());
  const int offset = random.integer(1, 1 << 22);
  for (std::size_t i = 0; i < values.size(); ++i)
    values[i] = static_cast<float>(static_cast<int>(i) + offset);
  return values;
}

/// Random bit patterns, among them infinities and numbers too small to be normal, but no NaN.
std::vector<float> any_bits(Shape shape, Random& random) {
  std::vector<float> values(shape.elements());
  for (float& value : values) {
    const auto bits = static_cast<std::uint32_t>(random.bits());
    value = std::bit_cast<float>(bits % 8 == 0 ? bits & 0x807F'FFFF : bits);
    if (std::isnan(value)) value = std::copysign(std::numeric_limits<float>::infinity(), value);
  }
  return values;
}

std::vector<float> transposed(const std::vector<float>& in, Shape shape) {
  constexpr int kStrip = 8;  // columns at a time, so that the host's cache holds the lines that are written
  std::vector<float> out(in.size());
  for (int first = 0; first < shape.columns; first += kStrip) {
    const int end = std::min(first + kStrip, shape.columns);
    for (int row = 0; row < shape.rows; ++row) {
      for (int column = first; column < end; ++column)
        out[at(column, row, shape.rows)] = in[at(row, column, shape.columns)];
    }
  }
  return out;
}

std::vector<KnownMistake> known_mistakes(const std::vector<float>& in, Shape shape) {
  std::vector<KnownMistake> mistakes;
  if (shape.rows < 2 || shape.columns < 2) return mistakes;  // `in` and `out` are the same sequence
  mistakes.push_back({"the output is the input unchanged: the matrix was copied, or transposed twice",
                      [in] { return bytes_of(in); }});
  if (shape.rows != shape.columns) {
    mistakes.push_back(
        {"the numbers of rows and columns are exchanged: a row of `in` has `columns` elements, a row of "
         "`out` has `rows`",
         [in, shape] {
           const std::vector<float> out = transposed(in, {shape.columns, shape.rows});
           return bytes_of(out);
         }});
  }
  return mistakes;
}

Call make_call(Shape shape, std::vector<float> made) {
  const auto shared =
      std::make_shared<const std::vector<float>>(std::move(made));  // known mistakes need it too
  const std::vector<float>& in = *shared;
  const std::vector<float> expected = transposed(in, shape);
  Output out;
  out.type = ElementType::f32;
  out.expected = bytes_of(expected);
  out.position = [shape](std::size_t index) {
    const auto row_length = static_cast<std::size_t>(shape.rows);
    return "row " + std::to_string(index / row_length) + ", column " + std::to_string(index % row_length);
  };
  out.known_mistakes = [shared, shape] { return known_mistakes(*shared, shape); };
  Call call;
  call.input("in", in)
      .output("out", std::move(out))
      .scalar("rows", shape.rows)
      .scalar("columns", shape.columns);
  return call.stream();
}

using Values = std::vector<float> (*)(Shape, Random&);

Case make_case(Shape shape, std::string purpose, Values values = numbered) {
  const auto elements = static_cast<double>(shape.elements());
  return {.name = std::to_string(shape.rows) + " x " + std::to_string(shape.columns),
          .purpose = std::move(purpose),
          .prepare = [shape, values](Random& random) { return make_call(shape, values(shape, random)); },
          .cost = {.elements = elements, .global_bytes = elements * (sizeof(float) + sizeof(float))}};
}

Problem make_problem() {
  Problem problem;
  problem.name = "transpose";
  problem.title = "Transpose a matrix";
  problem.lesson = "neighbouring threads should touch neighbouring addresses, in global and in shared memory";
  problem.function = LOCKSTEP_SIGNATURE(transpose);
  problem.cases = {
      make_case({0, 7}, "no rows: a grid without blocks cannot be launched"),
      make_case({7, 0}, "no columns"),
      make_case({1, 1}, "a single element"),
      make_case({1, 1025}, "a single row, longer than a block"),
      make_case({1023, 1}, "a single column"),
      make_case({31, 31}, "one less than a tile of 32 x 32"),
      make_case({32, 32}, "exactly one tile"),
      make_case({33, 33}, "one more than a tile"),
      make_case({31, 33}, "wider than high by two: rows and columns must not be confused"),
      make_case({1025, 32}, "high and narrow: as wide as a tile"),
      make_case({33, 1024}, "low and wide: more columns of tiles than rows of tiles"),
      make_case({127, 61}, "two primes, and any bit pattern: infinities and the tiniest numbers", any_bits),
      make_case({64, 100}, "multiples of four that do not fill their tiles"),
      make_case({96, 130}, "rows of `in` that are not aligned for vectors of four"),
      make_case({130, 96}, "rows of `out` that are not aligned for vectors of four"),
      make_case({257, 331}, "two primes, several tiles either way: rows that start anywhere"),
      make_case({65537, 2}, "more rows than a grid has blocks in its second dimension"),
      make_case({2, 65537}, "more columns than a grid has blocks in its second dimension"),
      measured(make_case({1003, 1001}, "a large matrix whose rows start anywhere", any_bits)),
      wide(measured(make_case({2048, 1536}, "a large matrix of whole tiles", any_bits))),
  };
  problem.speed = {.sizes = {make_case({256, 256}, "as many elements as the card has lanes", any_bits),
                             make_case({1024, 1024}, "a matrix that lies in the caches", any_bits),
                             make_case({2048, 2048}, "about as large as the caches", any_bits),
                             make_case({4096, 4096}, "larger than the caches of most cards", any_bits),
                             make_case({4096, 8192}, "a matrix much larger than any cache", any_bits)},
                   .larger = {make_case({8192, 8192}, "a quarter of a gibibyte", any_bits),
                              make_case({16384, 16384}, "a gibibyte", any_bits)},
                   .variations = {make_case({4095, 4097}, "rows that start anywhere", any_bits),
                                  make_case({10007, 9973}, "two large primes", any_bits),
                                  make_case({1'000'000, 41}, "few columns, not aligned", any_bits),
                                  make_case({41, 1'000'000}, "few rows, not aligned", any_bits)}};
  problem.gates = {
      global_sectors_gate(
          1.5,
          {.scattered =
               "Let the lanes of a warp read neighbouring elements of `in` and write neighbouring elements "
               "of `out`: pass the elements on through a tile in shared memory.",
           .again = "Read each element once and write it once."}),
      shared_wavefronts_gate(
          1,
          {.loads_and_stores =
               "Make the rows of the tile one element longer. Where the lanes of a warp go down a column of "
               "the tile, all of it lies in one bank."}),
      // A single block is 1, a block for each tile of 32 x 32 makes 3072.
      parallelism_gate(3, "Give each block a tile of its own, and start as many blocks as there are tiles."),
  };
  problem.hints = {
      "Give each thread one element: column = blockIdx.x * blockDim.x + threadIdx.x, and row likewise from "
      "y. Threads outside the matrix have nothing to do. A row of `in` has `columns` elements; how long is a "
      "row of `out`?",
      "Lanes of a warp differ in threadIdx.x. Where do lanes 0 and 1 read, and where do they write? A warp "
      "moves whole sectors of 32 bytes, so addresses that are a row apart cost eight times the traffic.",
      "Read a tile of 32 x 32 elements into shared memory along its rows, wait for the whole block, and "
      "write it along the rows of `out`. The thread that writes an element is not the one that read it.",
      "To write row `first_column + threadIdx.y` of `out`, thread (x, y) takes tile[x][y]. Check the edges "
      "again: for the write, y counts columns of `in` and x counts its rows.",
      "tile[x][y] for x = 0 … 31 are words 32 apart: all in one bank. Declare the tile as [32][33].",
  };
  return problem;
}

const Registration registration(make_problem, __FILE__);

}  // namespace
