// What the judge knows of "transpose": shapes at the edges, elements that show where they are from, three
// gates.
//
// The counters below are worked out for the rungs of solutions/05-transpose. Units: sectors of 32 bytes,
// and wavefronts.
//
//   2048 x 1536: every row starts at a sector, so 32 lanes side by side take 4 sectors.
//     naive   reads 4 per warp, writes one per lane: (4 + 32) / (4 + 4) = 4.5 times the ideal
//     others  (4 + 4) / (4 + 4) = 1
//     tiled   writes its tile in 1 wavefront a warp, reads it in 32: 31 more than it must; the others 0
//   1003 x 1001: only one row in eight starts at a sector, the others take a fifth: 4 7/8 on average.
//     naive   (4.9 + 32) / 8 = 4.6
//     others  (4.9 + 4.9) / 8 = 1.2; the reference writes whole sectors, and reads an eighth of its rows
//     twice
//
// Work of the largest case: 3.1 million elements are 98 304 warps of 32, at about 30 instructions each
// 3 million warp-instructions per call.
#include <algorithm>
#include <array>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "course/poison.h"
#include "course/problem.h"
#include "transpose.h"

namespace lockstep::transpose_problem {
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
/// float. One element reveals all others, so a case whose traffic or time counts has any_bits instead.
std::vector<float> numbered(Shape shape, Random& random) {
  std::vector<float> values(shape.elements());
  const int offset = random.integer(1, 1 << 22);
  for (std::size_t i = 0; i < values.size(); ++i)
    values[i] = static_cast<float>(static_cast<int>(i) + offset);
  return values;
}

void fill_with_any_bits(std::span<float> values, Random& random) {
  for (float& value : values) value = any_float(random.word());
}

std::vector<float> any_bits(Shape shape, Random& random) {
  std::vector<float> values(shape.elements());
  fill_with_any_bits(values, random);
  return values;
}

constexpr const char* kExchangeInTile =
    "Element (row, column) of `in` belongs at (column, row) of `out`. Through a tile: what was stored as "
    "tile[y][x] is written as tile[x][y].";

void transpose_into(std::span<float> out, std::span<const float> in, Shape shape) {
  // In blocks that exchange rows and columns in the host's nearest cache: the lines of a column lie so far
  // apart that they would push each other out of it.
  constexpr std::size_t kHeight = 64, kWidth = 16;
  const auto rows = static_cast<std::size_t>(shape.rows), columns = static_cast<std::size_t>(shape.columns);
  std::array<std::array<float, kHeight>, kWidth> block;
  for (std::size_t first_row = 0; first_row < rows; first_row += kHeight) {
    const std::size_t height = std::min(kHeight, rows - first_row);
    for (std::size_t first = 0; first < columns; first += kWidth) {
      const std::size_t width = std::min(kWidth, columns - first);
      for (std::size_t row = 0; row < height; ++row) {
        const std::span from = in.subspan((first_row + row) * columns + first, width);
        for (std::size_t column = 0; column < width; ++column) block[column][row] = from[column];
      }
      for (std::size_t column = 0; column < width; ++column)
        std::copy_n(block[column].data(), height, out.subspan((first + column) * rows + first_row).data());
    }
  }
}

std::vector<float> transposed(const std::vector<float>& in, Shape shape) {
  std::vector<float> out(in.size());
  transpose_into(out, in, shape);
  return out;
}

/// The output of threads (x, y) of tiles, of which each reads `in` at row first_row + y, column first_column
/// + x, if that exists, and then writes `out` at row first_column + y, column first_row + x.
struct Tiles {
  int side = 32;
  bool exchange = true;              ///< rows and columns within the tile, as they must be
  bool readers_alone_write = false;  ///< a thread without anything to read has left
  bool exchanged_grid = false;       ///< as many tiles along the columns as there are along the rows
  bool stay = false;  ///< each where it was read, at row first_row + y, column first_column + x
};

std::vector<float> through_tiles(const std::vector<float>& in, Shape shape, const Tiles& tiles) {
  std::vector<float> out(in.size(), never_written<float>());
  const auto rounded_up = [&](int length) { return (length + tiles.side - 1) / tiles.side * tiles.side; };
  const int row_end = rounded_up(tiles.exchanged_grid ? shape.columns : shape.rows);
  const int column_end = rounded_up(tiles.exchanged_grid ? shape.rows : shape.columns);
  for (int column = 0; column < std::min(shape.columns, column_end); ++column) {
    for (int row = 0; row < std::min(shape.rows, row_end); ++row) {
      const int x = row % tiles.side, y = column % tiles.side, first_row = row - x, first_column = column - y;
      const bool has_read = first_row + y < shape.rows && first_column + x < shape.columns;
      if (tiles.readers_alone_write && !has_read) continue;
      const int from_row = tiles.stay ? first_column + x : tiles.exchange ? row : first_row + y;
      const int from_column = tiles.stay ? first_row + y : tiles.exchange ? column : first_column + x;
      if (from_row < shape.rows && from_column < shape.columns)
        out[at(column, row, shape.rows)] = in[at(from_row, from_column, shape.columns)];
    }
  }
  return out;
}

constexpr std::array kSides = {8, 16, 32};  ///< of tiles that others write

/// Whether a launch has as many blocks along x as the rows take, and not the columns, or along y as the
/// columns take: for tiles of one of the sides, which have no fewer elements than the block has threads.
bool lacks_blocks(const Launch& launch, Shape shape) {
  const bool along_x = shape.rows < shape.columns;
  const int needed = along_x ? shape.columns : shape.rows, taken = along_x ? shape.rows : shape.columns;
  const std::uint32_t threads = launch.block[0] * launch.block[1];
  const auto has_blocks_for = [&](int length) {
    return std::ranges::any_of(kSides, [&](int side) {
      return static_cast<std::uint32_t>(side * side) >= threads &&
             launch.grid.at(along_x ? 0 : 1) == static_cast<std::uint32_t>((length + side - 1) / side);
    });
  };
  return has_blocks_for(taken) && !has_blocks_for(needed);
}

std::vector<KnownMistake> known_mistakes(const std::vector<float>& in, Shape shape) {
  Mistakes mistakes(transposed(in, shape));
  const bool is_wide = shape.rows < shape.columns;
  const auto lacks = [shape](const Launch& launch) { return lacks_blocks(launch, shape); };
  const auto has_all = [shape](const Launch& launch) { return !lacks_blocks(launch, shape); };
  for (const int side : kSides) {
    const std::vector<float> cut_short = through_tiles(in, shape, {.side = side, .exchanged_grid = true});
    mistakes.add(
        is_wide
            ? "blocks are missing along x: there are as many as the rows of `in` take, and not its columns"
            : "blocks are missing along y: there are as many as the columns of `in` take, and not its rows",
        cut_short, "Let the blocks along x cover the columns of `in`, and those along y its rows.", lacks);
    mistakes.add(
        is_wide ? "rows of `out` are missing: there are `columns` of them, and the guard or the index of the "
                  "store ends with `rows`"
                : "columns of `out` are missing: there are `rows` of them, and the guard or the index of the "
                  "store ends with `columns`",
        cut_short,
        "Let the store exchange the blocks' offsets, and the limits with them: it writes row first_column + "
        "y, which is below columns, and column first_row + x, which is below rows.",
        has_all);
    mistakes.add(
        "every tile is transposed, but stands where it stood in `in`",
        through_tiles(in, shape, {.side = side, .exchanged_grid = true, .stay = true}),
        "Exchange the blocks' offsets for the store: it writes row first_column + y, column first_row "
        "+ x of `out`.",
        has_all);
    mistakes.add(
        "threads without an element to read did not write either, though each writes another element than it "
        "reads",
        through_tiles(in, shape, {.side = side, .readers_alone_write = true}),
        "Let no thread return before the barrier, and check the bounds again for the write, where y counts "
        "columns of `in` and x its rows.");
  }
  // `in` and `out` are the same sequence where there is a single row or column.
  mistakes.add("the output is the input unchanged: the matrix was copied, or transposed twice", in,
               kExchangeInTile);
  for (const int side : kSides) {
    if (shape.rows % side != 0 || shape.columns % side != 0) continue;
    mistakes.add("every tile is in its place, and rows and columns are not exchanged within it",
                 through_tiles(in, shape, {.side = side, .exchange = false}), kExchangeInTile);
  }
  mistakes.add(
      "the numbers of rows and columns are exchanged: a row of `in` has `columns` elements, a row of `out` "
      "has `rows`",
      transposed(in, {shape.columns, shape.rows}),
      "Multiply a row of `in` by columns, and a row of `out` by rows.");
  return mistakes.known();
}

Output output_of(Shape shape, Bytes expected) {
  Output out;
  out.type = ElementType::f32;
  out.expected = std::move(expected);
  out.position = [shape](std::size_t index) {
    const auto row_length = static_cast<std::size_t>(shape.rows);
    return "row " + std::to_string(index / row_length) + ", column " + std::to_string(index % row_length);
  };
  return out;
}

/// `call` has the input.
Call with_output(Call call, Output out, Shape shape) {
  call.output("out", std::move(out)).scalar("rows", shape.rows).scalar("columns", shape.columns);
  call.stream();
  return call;
}

Call call_of(Bytes in, Output out, Shape shape) {
  Call call;
  call.input("in", std::move(in), elements_of<float>());
  return with_output(std::move(call), std::move(out), shape);
}

Call make_call(Shape shape, std::vector<float> made) {
  const auto shared =
      std::make_shared<const std::vector<float>>(std::move(made));  // known mistakes need it too
  Output out = output_of(shape, bytes_of(transposed(*shared, shape)));
  out.known_mistakes = [shared, shape] { return known_mistakes(*shared, shape); };
  return call_of(bytes_of(*shared), std::move(out), shape);
}

/// The bytes as numbers, to be made where they are handed in.
std::span<float> floats_of(Bytes& bytes) {
  return {reinterpret_cast<float*>(bytes.data()), bytes.size() / sizeof(float)};
}

/// Any bits, in half of the memory that make_call() takes for them: a measurement of speed makes many such
/// calls at once. No mistake is known of them.
Call make_timed_call(Shape shape, Random& random) {
  Bytes in(shape.elements() * sizeof(float)), expected(in.size());
  fill_with_any_bits(floats_of(in), random);
  transpose_into(floats_of(expected), floats_of(in), shape);
  return call_of(std::move(in), output_of(shape, std::move(expected)), shape);
}

using Values = std::vector<float> (*)(Shape, Random&);

Case make_case(Shape shape, std::string purpose, Values values = numbered) {
  const auto elements = static_cast<double>(shape.elements());
  return {.name = std::to_string(shape.rows) + " x " + std::to_string(shape.columns),
          .purpose = std::move(purpose),
          .prepare = [shape, values](Random& random) { return make_call(shape, values(shape, random)); },
          .cost = {.elements = elements, .global_bytes = elements * (sizeof(float) + sizeof(float))}};
}

Case timed_case(Shape shape, std::string purpose) {
  Case made = make_case(shape, std::move(purpose));
  made.prepare = [shape](Random& random) { return make_timed_call(shape, random); };
  made.prepare_inputs = [shape](Random& random) {
    Call call;
    call.drawn_words<WordMap::any_float>("in", random);
    return with_output(std::move(call), output_of(shape, {}), shape);
  };
  return made;
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
      make_case({64, 1024}, "low and wide: whole tiles, more columns of them than rows"),
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
  problem.speed = {.sizes = {timed_case({256, 256}, "as many elements as the GPU has lanes"),
                             timed_case({1024, 1024}, "a matrix that lies in the caches"),
                             timed_case({2048, 2048}, "about as large as the caches"),
                             timed_case({4096, 4096}, "larger than the caches of most GPUs"),
                             timed_case({4096, 8192}, "a matrix much larger than any cache")},
                   .larger = {timed_case({8192, 8192}, "a quarter of a gibibyte"),
                              timed_case({16384, 16384}, "a gibibyte")},
                   .variations = {timed_case({4095, 4097}, "rows that start anywhere"),
                                  timed_case({10007, 9973}, "two large primes"),
                                  timed_case({1'000'000, 41}, "few columns, not aligned"),
                                  timed_case({41, 1'000'000}, "few rows, not aligned")},
                   .reference = {.first_ratio = 0.14}};
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
               "Let the lanes that are served together, 32 of 4 bytes or 8 of 16, lie in different banks. "
               "Rows that are one element longer do that for lanes that are an odd number of rows apart. For "
               "vectors whose lanes are 2 or 4 rows apart no length does: keep vector v of row r at v ^ (r / "
               "4) or v ^ (r / 2) instead, in stores and loads alike. Single elements can be stored in rows "
               "of an odd length, vectors cannot.",
           .padding =
               "Make the rows of the tile one element longer than what is stored in them, as "
               "tile[kTile][kTile + 1] does. Where the lanes of a warp go down a column of the tile, all "
               "of it lies in one bank."}),
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
      "tile[x][y] for x = 0 … 31 are words 32 apart: all in one bank. Declare the tile as [32][33]. For "
      "speed, let each thread move four rows of the tile, and load all four elements before it stores the "
      "first: with one load per thread too few bytes are in flight.",
  };
  return problem;
}

const Registration registration(make_problem, __FILE__);

}  // namespace
}  // namespace lockstep::transpose_problem
