// What the judge knows of "transpose-bytes": shapes at the edges, bytes in any order, four gates.
//
// The counters below are worked out for the rungs of solutions/05-transpose-bytes, and for what else is
// tempting. Rows and columns of the measured matrices are multiples of 32, so every row starts at a sector.
//
//                   sectors over     wavefronts    passes
//                   the fewest         beyond      of both
//     naive         (1 + 32) / 2         0            0      writes a sector per byte: 16.5
//     byte_tile           1              0          1 + 1    32 lanes store, and load, 32 bytes per pass
//       without padding   1              7          1 + 8    rows of 8 words: 8 lanes of a column in a bank
//       33 bytes per row  1             0.75      1 + 1.75   3 of 4 columns bring 2 lanes into a bank
//     packed              1              0        1/4 + 1/4  a word per lane is 128 bytes per pass
//     reference           1              0        1/4 + 1/4
//       rows of 33 words  1             0.75       1 + 1/4   its lanes are 4 rows apart: 4 of them in a bank
//
// Passes and wavefronts are per 32 bytes. In 1120 x 800 the last tiles are not full: the reference has 63
// tiles for 54.7, stores all of each, 1.15 times as much, and loads the rows that there are, 9 tiles for
// 8.75. That makes 0.29 + 0.26 passes, in rows of 33 words 1.15 + 0.26 with 0.86 beyond. Two lanes to a
// word, as 16-bit numbers, are 1/2 + 1/2. Squares of 4 x 4 bytes that go from registers to `out` write 16
// bytes of a sector at a time, 1.5; pieces of 4 x 8 bytes write whole sectors, without any shared memory,
// and pass.
//
// Work of the largest case: 1.6 million bytes are 49 152 warps of 32, at about 40 instructions each with a
// byte per thread 2 million warp-instructions per call.
#include <cstddef>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "course/poison.h"
#include "course/problem.h"
#include "transpose_bytes.h"

namespace lockstep::transpose_bytes_problem {
namespace {

using lockstep::Random;
using namespace lockstep::course;

using Values = std::vector<unsigned char>;

struct Shape {
  int rows, columns;
  std::size_t elements() const { return static_cast<std::size_t>(rows) * static_cast<std::size_t>(columns); }
};

/// Of an element of `in`.
struct Position {
  int row, column;
};

std::size_t at(Position position, int row_length) {
  return static_cast<std::size_t>(position.row) * static_cast<std::size_t>(row_length) +
         static_cast<std::size_t>(position.column);
}

/// Any bytes except that which says that an output was never written.
Values any_bytes(Shape shape, Random& random) {
  Values values(shape.elements());
  for (unsigned char& value : values) {
    value = static_cast<unsigned char>(random.integer(0, 254));
    if (value >= never_written<unsigned char>()) ++value;
  }
  return values;
}

/// The output that has in[source_of(p)] at the place of in[p].
template <class Source>
Values moved(const Values& in, Shape shape, const Source& source_of) {
  Values out(in.size());
  for (int column = 0; column < shape.columns; ++column) {
    for (int row = 0; row < shape.rows; ++row)
      out[at({column, row}, shape.rows)] = in[at(source_of(Position{row, column}), shape.columns)];
  }
  return out;
}

Values transposed(const Values& in, Shape shape) {
  return moved(in, shape, [](Position p) { return p; });
}

/// Where the words of 4 bytes at the ends are left out: those that are not whole.
Values whole_words_alone(const Values& in, Shape shape) {
  Values out = transposed(in, shape);
  for (int column = 0; column < shape.columns; ++column) {
    for (int row = 0; row < shape.rows; ++row) {
      if (row >= shape.rows / 4 * 4 || column >= shape.columns / 4 * 4)
        out[at({column, row}, shape.rows)] = never_written<unsigned char>();
    }
  }
  return out;
}

/// The other end of the same 4.
int reversed(int i) { return i - i % 4 + 3 - i % 4; }

std::vector<KnownMistake> known_mistakes(const Values& in, Shape shape) {
  const int rows = shape.rows, columns = shape.columns;
  Mistakes mistakes(transposed(in, shape));
  // `in` and `out` are the same sequence where there is a single row or column.
  mistakes.add("the output is the input unchanged: the matrix was copied, or transposed twice", in,
               "Element (row, column) of `in` belongs at (column, row) of `out`.");
  for (const int side : {4, 32, 64, 128}) {
    if (rows % side != 0 || columns % side != 0) continue;
    const std::string square = std::to_string(side) + " x " + std::to_string(side);
    mistakes.add("squares of " + square + " bytes are in their places, and not transposed within",
                 moved(in, shape,
                       [side](Position p) {
                         return Position{p.row - p.row % side + p.column % side,
                                         p.column - p.column % side + p.row % side};
                       }),
                 side == 4 ? "Exchange the bytes of the words as well: byte j of word k of a square becomes "
                             "byte k of word j."
                           : "Exchange rows and columns in the tile as well: what was stored in row y, "
                             "column x is written as row x, column y.");
  }
  if (rows % 4 == 0) {
    mistakes.add("the four bytes of each word of `out` stand in reverse order",
                 moved(in, shape,
                       [](Position p) {
                         return Position{reversed(p.row), p.column};
                       }),
                 "Put the byte of the lowest address into the lowest 8 bits of a word.");
  }
  if (columns % 4 == 0) {
    mistakes.add("the four bytes of each word of `in` were taken in reverse order",
                 moved(in, shape,
                       [](Position p) {
                         return Position{p.row, reversed(p.column)};
                       }),
                 "The lowest 8 bits of a word are the byte of the lowest address.");
  }
  if (rows >= 4 && columns >= 4) {
    mistakes.add("the last rows % 4 rows and columns % 4 columns of `in` are missing in `out`",
                 whole_words_alone(in, shape),
                 "Move the bytes that fill no word of four one by one, and let the grid cover them.");
  }
  mistakes.add(
      "the numbers of rows and columns are exchanged: a row of `in` has `columns` bytes, a row of `out` has "
      "`rows`",
      transposed(in, {columns, rows}), "Multiply a row of `in` by columns, and a row of `out` by rows.");
  return mistakes.known();
}

Call make_call(Shape shape, Random& random) {
  const auto in = std::make_shared<const Values>(any_bytes(shape, random));  // known mistakes need it too
  Output out;
  out.type = ElementType::u8;
  out.expected = bytes_of(transposed(*in, shape));
  out.position = [shape](std::size_t index) {
    const auto row_length = static_cast<std::size_t>(shape.rows);
    return "row " + std::to_string(index / row_length) + ", column " + std::to_string(index % row_length);
  };
  out.known_mistakes = [in, shape] { return known_mistakes(*in, shape); };
  Call call;
  call.input("in", *in).output("out", std::move(out));
  call.scalar("rows", shape.rows).scalar("columns", shape.columns).stream();
  return call;
}

Case make_case(Shape shape, std::string purpose) {
  const auto elements = static_cast<double>(shape.elements());
  Case made;
  made.name = std::to_string(shape.rows) + " x " + std::to_string(shape.columns);
  made.purpose = std::move(purpose);
  made.prepare = [shape](Random& random) { return make_call(shape, random); };
  made.cost = {.elements = elements, .global_bytes = 2 * elements};
  return made;
}

Problem make_problem() {
  Problem problem;
  problem.name = "transpose-bytes";
  problem.title = "Transpose a matrix of bytes";
  problem.points = 7;
  problem.lesson = "shared memory and its padding count in words of four bytes, whatever an element is";
  problem.function = LOCKSTEP_SIGNATURE(transpose_bytes);
  problem.cases = {
      make_case({0, 7}, "no rows: a grid without blocks cannot be launched"),
      make_case({7, 0}, "no columns"),
      make_case({1, 1}, "a single byte"),
      make_case({3, 5}, "less than a word high, and little more than a word wide"),
      make_case({4, 4}, "a single square of four words"),
      make_case({1, 1025}, "a single row, longer than a block"),
      make_case({1023, 1}, "a single column"),
      make_case({32, 32}, "as many bytes as a sector has, either way"),
      make_case({31, 33}, "one less and one more than a sector has bytes"),
      make_case({128, 128}, "32 words either way"),
      make_case({132, 260}, "one word more than tiles of 128 x 128 hold"),
      make_case({60, 44}, "multiples of four that do not fill their tiles"),
      make_case({64, 102}, "rows of `in` that do not start at words, and rows of `out` that do"),
      make_case({102, 64}, "rows of `out` that do not start at words, and rows of `in` that do"),
      make_case({1024, 36}, "high and narrow"),
      make_case({36, 1024}, "low and wide: rows and columns must not be confused"),
      make_case({127, 61}, "two primes"),
      make_case({257, 331}, "two primes, several tiles either way: rows that start anywhere"),
      measured(make_case({1120, 800}, "a large matrix whose last tiles are not full")),
      wide(measured(make_case({1536, 1024}, "a large matrix of whole tiles"))),
  };
  problem.gates = {
      global_sectors_gate(
          1.3, {.scattered = "Let the lanes of a warp read neighbouring bytes of `in` and write neighbouring "
                             "bytes of `out`, 32 of them or more: pass the bytes on through a tile in shared "
                             "memory.",
                .again = "Read each byte once and write it once."}),
      shared_wavefronts_gate(
          0.5,
          {.loads_and_stores =
               "Let the lanes of a warp use different banks. Lanes meet where they use different words that "
               "lie a multiple of 32 words apart. Rows of 33 bytes begin within words, and in most columns "
               "two lanes meet; rows of 36 bytes are nine words, and none do. For words that form squares of "
               "4 x 4 bytes, keep word k of every square in a tile of its own, with rows of 33 words: in a "
               "single tile the lanes that take word k are four rows apart, and no length of its rows keeps "
               "them out of the same banks.",
           .padding = "Let what lies between neighbouring lanes be an odd number of words. For lanes that "
                      "are one row apart, rows that are a word longer do that, which is four bytes. For "
                      "lanes that are four rows apart leave a word free after every fourth row, or give "
                      "word k of every square of 4 x 4 bytes a tile of its own."}),
      // Words are 0.55 with the last tiles, pairs of bytes 1.
      shared_passes_gate(
          0.8, "bytes", 1,
          "Let each lane store and load whole words of four bytes in shared memory. One pass serves 32 "
          "lanes, with a byte each as with a word each. Four bytes of a column of `in` are a word of a row "
          "of `out`: put them together in registers, before they are stored."),
      // A block for each tile of 128 x 128 makes 96. A single block is 1.
      parallelism_gate(3, "Give each block a tile of its own, and start as many blocks as there are tiles."),
  };
  problem.hints = {
      "Begin with one thread per byte, and with a tile of bytes as for floats. How many bytes does a request "
      "of a warp then move, and how many could a sector, or a pass through shared memory, hold?",
      "A bank delivers a word of four bytes per pass. Let a thread take four bytes from four rows of one "
      "column: `word |= std::uint32_t{in[…]} << 8 * k` for row k of them. This word stands in a row of "
      "`out`, so the tile is one of words, and you know how to transpose that.",
      "To read words as well, let a thread take a square of 4 x 4 bytes: four words, from four rows. "
      "Transposed in registers they are four words of four rows of `out`. __byte_perm(a, b, selector) makes "
      "a word of any four bytes of two words; two steps of it do a square.",
      "Where do the words of the squares lie? If those of a square are in four rows of one tile, "
      "neighbouring lanes store four rows apart: with rows of 33 words they are 132 words apart, and 4 of "
      "them meet in a bank. Four tiles, one for each word of a square, are each stored as the tile of floats "
      "was.",
      "A word can be read where `columns` is a multiple of 4, and written where `rows` is a multiple of "
      "4: then every row starts at a word, and ends with one. Elsewhere move the four bytes one by one, "
      "each with its own bounds check.",
  };
  return problem;
}

const Registration registration(make_problem, __FILE__);

}  // namespace
}  // namespace lockstep::transpose_bytes_problem
