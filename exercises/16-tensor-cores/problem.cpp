// What the judge knows of "tensor-cores": shapes at the edges, elements of 8 bits whose products are whole
// numbers and whose sums are exact in any order, a case of fractions, four gates, and timed products that are
// made of one.
//
// The counters below are worked out for the rungs of solutions/16-tensor-cores, without the edges of tiles:
// per product of an element of A and one of B, and passes for 32 x 64 of them, which an mma makes. Behind
// them stand those counted in the worse of the two measured cases, 251 x 504 x 376, of which whole tiles
// have 1.06 times the products.
//
//                   lane-instructions  bytes-per-product                    shared-passes
//   multiply_adds   1 + loads    3.0   2 · 2 / 64 + 4 / k = 0.07    0.10    8 loads for 16, and stores     36
//   fragments       1 / 64 + …  0.38   16 half sectors for 4096: 0.5  0.52  at edges alone                1.5
//   shared_tiles    1 / 64 + …  0.16   2 · 2 / 64 + 4 / k = 0.07    0.09    96 for 8 mma, and 1          13.8
//   padded_rows     1 / 64 + …  0.08   2 · 2 / 128 + 4 / k = 0.04   0.05    24 for 16 mma, and 0.75       2.4
//   reference       1 / 64 + …  0.09   2 · 2 / 64 + 4 / k = 0.07    0.08    16 for 8 mma, and 1           3.3
//
// A fragment of 16 x 16 elements is four matrices of 8 x 8; wmma loads one per request from global memory,
// eight rows of half a sector each. In shared memory a matrix takes one pass, and with rows of 64 or 128
// bytes four or eight. Limits: 0.7 instructions, where multiply-adds alone are 1 and edges by single elements
// 0.38 in all; 0.15 bytes, where blocks of 64 x 32 elements have 0.13 and those of 32 x 32 0.17; 5 passes,
// where warps of 32 x 16 elements in blocks of 64 x 64 have 4.8 with conflicts of their stores, those of 16 x
// 16 have 5.3 without any, and `shared_tiles` with padded rows 3.8. A warp with 64 x 64 elements that loads
// from global memory holds all limits with registers alone, as it may.
//
// Work of the largest case: 101 million products are 49 000 mma, at 5 warp-instructions each in the
// reference. A thread for each element, as a first attempt, has 20 million per call.
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "course/problem.h"
#include "course/rows_of_products.h"
#include "emulator/core/processors.h"
#include "lockstep/matrix_products.h"
#include "tensor_cores.h"

namespace lockstep::tensor_cores_problem {
namespace {

using lockstep::Random;
using namespace lockstep::course;
using namespace lockstep::matrix_products;

/// Of a bfloat16 and of a float, with the bit before the point.
constexpr int kBits = 8, kBitsOfFloat = 24;

/// Whole numbers of 8 bits, so that formats with fewer show, times whole numbers of 4: products of 4096
/// elements add up to less than 2^24.
constexpr Largest kLargest{.wide = 255, .narrow = 15};
/// Of powers of two: with them elements exceed half precision and integers.
constexpr int kMaxExponent = 40;

Matrices wide_times_narrow(Shape shape, Random& random) { return whole_numbers(shape, kLargest, random); }
Matrices far_apart(Shape shape, Random& random) {
  return scaled_numbers(shape, kLargest, kMaxExponent, random);
}

/// From 1 to 2, with all 8 bits: no sum is exact, and none is smaller than its addends.
Matrices fractions(Shape shape, Random& random) {
  Matrices made{Floats(count_of(shape.m, shape.k)), Floats(count_of(shape.k, shape.n))};
  for (Floats* const matrix : {&made.a, &made.b}) {
    for (float& one : *matrix) one = static_cast<float>(random.integer(128, 255)) / 128;
  }
  return made;
}

/// The largest relative error of a sum of products of fractions(), S.
///
/// Tensor cores add several products and a sum at once. They shift all to the exponent of the largest, and
/// cut off what lies below its 24 bits (M. Fasi et al., "Numerical behavior of NVIDIA tensor cores", 2021).
/// All are positive here, so each is at most S, and loses less than 2^-23 S. There are k products; as at
/// least four are added at once, at most k / 4 sums; and each of these is cut once more as a result. Ordinary
/// additions, and the rounding of what is expected, are within that too.
double largest_error(int k) { return 1.5 * k * std::ldexp(1.0, 1 - kBitsOfFloat); }

/// Rounded once.
Floats rounded_product(const Matrices& inputs, Shape shape) {
  std::vector<double> c(count_of(shape.m, shape.n));
  add_products(c, inputs.a, inputs.b, shape, {0, static_cast<std::size_t>(shape.m)},
               {0, static_cast<std::size_t>(shape.k)});
  return {c.begin(), c.end()};
}

/// A times B, where the sums are rounded to bf16 after every `depth` products.
Floats product_of_short_sums(const Floats& a, const Floats& b, Shape shape, std::size_t depth) {
  const auto m = static_cast<std::size_t>(shape.m), k = static_cast<std::size_t>(shape.k);
  Floats c(count_of(shape.m, shape.n));
  for (std::size_t first = 0; first < k; first += depth) {
    add_products(c, a, b, shape, {0, m}, {first, std::min(first + depth, k)});
    c = rounded_to(std::move(c), kBits);
  }
  return c;
}

struct Place {
  int row, column;
};

/// A matrix of tiles in which element (row, column) of each tile is that of another place of the tile; 0
/// where that lies behind an edge.
Floats exchanged(const Floats& of, int rows, int columns, Place tile, Place (*from)(Place)) {
  Floats out(of.size());
  for (int row = 0; row < rows; ++row) {
    for (int column = 0; column < columns; ++column) {
      const Place in = from({row % tile.row, column % tile.column});
      const Place other = {row - row % tile.row + in.row, column - column % tile.column + in.column};
      if (other.row < rows && other.column < columns)
        out[at(row, column, columns)] = of[at(other.row, other.column, columns)];
    }
  }
  return out;
}

Place mirrored(Place in) { return {in.column, in.row}; }
/// Of 16 x 16, where the upper right 8 x 8 and the lower left change places.
Place corner_exchanged(Place in) {
  return in.row / 8 == in.column / 8 ? in : Place{(in.row + 8) % 16, (in.column + 8) % 16};
}
/// Of 16 rows, of which the upper 8 and the lower 8 change places.
Place half_exchanged(Place in) { return {(in.row + 8) % 16, in.column}; }
/// Of 16 x 8, where a lane has two neighbours in a row and the two that are eight rows below: the second and
/// the third change places.
Place middle_exchanged(Place in) {
  if (in.row < 8 && in.column % 2 == 1) return {in.row + 8, in.column - 1};
  if (in.row >= 8 && in.column % 2 == 0) return {in.row - 8, in.column + 1};
  return in;
}

/// What wrong fragments leave. Behind the edges of A and B are zeros.
void add_mistakes_of_fragments(const Matrices& inputs, const Floats& right, Shape shape,
                               Mistakes<float>& mistakes) {
  const Floats& b = inputs.b;
  const auto [m, n, k] = shape;
  const auto a = std::make_shared<const Floats>(inputs.a);
  const char* const kLoad =
      "Look up in the lecture what a lane holds in each register of a fragment, and which row of "
      "which matrix of 8 x 8 it has to name for ldmatrix.";
  mistakes.add_in_parts(
      "each 8 x 8 matrix of B was multiplied as if it were transposed",
      rows_of_product(a, shape,
                      [&b, shape](const Floats& rows, Shape of) {
                        return product(rows, exchanged(b, shape.k, shape.n, {8, 8}, mirrored), of);
                      }),
      "A lane holds elements of B that are one below the other. Load rows of B by ldmatrix with .trans, "
      "or let wmma::matrix_b be row_major.");
  mistakes.add_in_parts(
      "the upper and the lower 8 rows of B's fragments changed places",
      rows_of_product(a, shape,
                      [&b, shape](const Floats& rows, Shape of) {
                        return product(rows, exchanged(b, shape.k, shape.n, {16, 8}, half_exchanged), of);
                      }),
      kLoad);
  mistakes.add_in_parts(
      "the second and the third 8 x 8 matrix of A's fragments changed places",
      rows_of_product(std::make_shared<const Floats>(exchanged(*a, m, k, {16, 16}, corner_exchanged)), shape,
                      [&b](const Floats& rows, Shape of) { return product(rows, b, of); }),
      kLoad);
  const char* const kStore = "Look up in the lecture what a lane holds of C after an mma.";
  mistakes.add("each 16 x 16 tile of C was written as if it were transposed",
               exchanged(right, m, n, {16, 16}, mirrored),
               "Let wmma::store_matrix_sync store by rows: its last argument is wmma::mem_row_major.");
  mistakes.add("the upper and the lower 8 rows of C's fragments changed places",
               exchanged(right, m, n, {16, 8}, half_exchanged), kStore);
  mistakes.add("the second and the third element of C that a lane holds changed places",
               exchanged(right, m, n, {16, 8}, middle_exchanged), kStore);
}

std::vector<KnownMistake> known_mistakes(const Matrices& inputs, const Floats& right, Shape shape) {
  const auto [m, n, k] = shape;
  if (k == 0) return {};
  Mistakes mistakes(right);
  const auto a = std::make_shared<const Floats>(inputs.a);
  const Floats& b = inputs.b;
  // Which tiles left them out is not known: several may end at the same place.
  std::set<int> ends, begins = {k - 1};
  for (const int tile : {16, 32, 64}) {
    ends.insert({k / tile * tile, (k - 1) / tile * tile});
    begins.insert((k - 1) / tile * tile);
  }
  for (const int end : ends) {
    mistakes.add_in_parts(
        end == 0 ? "no product was added"
                 : "the products with i from " + std::to_string(end) + " on are missing",
        rows_of_sums(a, b, shape, 0, end),
        "Let the loop go over all tiles along k, also over the last, which may not be full: what lies behind "
        "the end of A's rows and of B's columns is 0 in the tiles.");
  }
  for (const int begin : begins) {
    mistakes.add_in_parts(
        "only the products with i from " + std::to_string(begin) + " on were added",
        rows_of_sums(a, b, shape, begin, k),
        "Set the sums to 0 once, before the first tile along k, and let each mma add to them: C and D "
        "of an mma are the same registers.");
  }
  add_transposed(mistakes, a, b, right, shape);
  add_mistakes_of_fragments(inputs, right, shape, mistakes);
  const char* const kKeep = "Keep the sums in float from the first product to the store.";
  mistakes.add("the elements of C were rounded to the 8 bits of bfloat16", rounded_to(right, kBits), kKeep);
  for (const std::size_t depth : {16, 32, 64, 1}) {
    mistakes.add_in_parts(depth == 1 ? "the sums were rounded to the 8 bits of bfloat16 after every product"
                                     : "the sums were rounded to the 8 bits of bfloat16 after every " +
                                           std::to_string(depth) + " products",
                          rows_of_product(a, shape,
                                          [&b, depth](const Floats& rows, Shape of) {
                                            return product_of_short_sums(rows, b, of, depth);
                                          }),
                          kKeep);
  }
  return mistakes.known();
}

/// The upper halves of floats whose lower halves are 0.
std::vector<std::uint16_t> upper_halves(const Floats& values) {
  std::vector<std::uint16_t> halves;
  halves.reserve(values.size());
  for (const float one : values)
    halves.push_back(static_cast<std::uint16_t>(std::bit_cast<std::uint32_t>(one) >> 16));
  return halves;
}

Call make_call(Shape shape, const Matrices& inputs, const Floats& right, Tolerance tolerance,
               std::function<std::vector<KnownMistake>()> mistakes) {
  Output c;
  c.type = ElementType::f32;
  c.expected = bytes_of(right);
  c.tolerance = tolerance;
  c.position = [n = static_cast<std::size_t>(shape.n)](std::size_t i) {
    return "row " + std::to_string(i / n) + ", column " + std::to_string(i % n);
  };
  c.known_mistakes = std::move(mistakes);
  Call call;
  call.input("a", upper_halves(inputs.a), {ElementType::bf16})
      .input("b", upper_halves(inputs.b), {ElementType::bf16})
      .output("c", std::move(c));
  call.scalar("m", shape.m).scalar("n", shape.n).scalar("k", shape.k).stream();
  return call;
}

Call make_call(Shape shape, Matrices made, Floats expected, Tolerance tolerance) {
  const auto inputs = std::make_shared<const Matrices>(std::move(made));
  const auto right = std::make_shared<const Floats>(std::move(expected));
  return make_call(shape, *inputs, *right, tolerance, [=] { return known_mistakes(*inputs, *right, shape); });
}

/// The name gives m, n and k. The ceiling is that of bytes alone. `calibrate` measures no tensor cores: it
/// could by mma.sync, but on compute capability 9.0 wgmma makes more products than that.
Case make_case(Shape shape, std::string purpose) {
  const auto [m, n, k] = shape;
  Case made;
  made.name = std::to_string(m) + " x " + std::to_string(n) + " x " + std::to_string(k);
  made.purpose = std::move(purpose);
  const double elements = static_cast<double>(m) * k + static_cast<double>(k) * n;
  const double results = static_cast<double>(m) * n;
  made.cost = {.elements = results * k, .global_bytes = 2 * elements + sizeof(float) * results};
  return made;
}

Case exact_case(Shape shape, std::string purpose, Matrices (*make)(Shape, Random&) = wide_times_narrow) {
  Case made = make_case(shape, std::move(purpose));
  made.prepare = [=](Random& random) {
    Matrices inputs = make(shape, random);
    Floats right = product(inputs.a, inputs.b, shape);
    return make_call(shape, std::move(inputs), std::move(right), {});
  };
  return made;
}

Case case_of_fractions(Shape shape, std::string purpose) {
  Case made = make_case(shape, std::move(purpose));
  made.prepare = [=](Random& random) {
    Matrices inputs = fractions(shape, random);
    Floats right = rounded_product(inputs, shape);
    return make_call(shape, std::move(inputs), std::move(right), {.relative = largest_error(shape.k)});
  };
  return made;
}

// --- timed cases: one product, from which those of all calls are made ---

// In a sum of 8192 products magnitudes add up to at most 255 · 8 · 8192, which is less than 2^24. Already
// what is shared has wide elements that need 8 bits and a sign.
constexpr Ingredients kTimed{
    .shared = {.wide = 191, .narrow = 6}, .added = {.wide = 64, .narrow = 2}, .max_exponent = kMaxExponent};

Case timed_case(Shape shape, std::string purpose) {
  return sharing(make_case(shape, std::move(purpose)), [shape](Random& random) {
    const auto shared = std::make_shared<const SharedProduct>(
        shared_product(shape, kTimed, emulator::usable_processors(), random));
    return [shape, shared](Random& own) {
      const Product other = changed(*shared, own);
      return make_call(shape, other.inputs, other.c, {}, {});
    };
  });
}

Problem make_problem() {
  Problem problem;
  problem.name = "tensor-cores";
  problem.title = "Multiply two matrices on tensor cores";
  problem.lesson =
      "one instruction of a warp makes 2048 products: what is left to do is to bring it its operands";
  problem.function = LOCKSTEP_SIGNATURE(tensor_cores);
  problem.cases = {
      exact_case({0, 8, 16}, "no rows: a grid without blocks cannot be launched"),
      exact_case({8, 0, 16}, "no columns: the same along the other dimension"),
      exact_case({5, 8, 0}, "nothing to add up: the elements are 0, which somebody has to write"),
      exact_case({1, 8, 8}, "one row, one chunk of B, and half of the 16 that an instruction takes along k"),
      exact_case({16, 16, 16}, "exactly one fragment of each matrix, where transposed operands fit too"),
      exact_case({15, 8, 24},
                 "one row less than a fragment has, half of the columns, one and a half along k"),
      exact_case({17, 24, 8}, "one row more than a fragment has, and one and a half along the columns"),
      exact_case({64, 64, 64}, "tiles of 64 x 64: one block of them"),
      exact_case({56, 72, 40}, "8 rows less, 8 columns more"),
      exact_case({72, 56, 72}, "8 rows more, 8 columns less, and 8 products more"),
      exact_case({1, 512, 128}, "a row times a matrix"),
      exact_case({131, 8, 1000}, "a single chunk of columns, and many products"),
      exact_case({61, 40, 2056}, "a long k, and a prime number of rows"),
      exact_case({48, 80, 96}, "operands that exceed half precision", far_apart),
      exact_case({127, 264, 136}, "one row less than tiles have, and 8 columns more"),
      exact_case({393, 4104, 72}, "hundreds of tiles"),
      case_of_fractions({67, 88, 264}, "fractions, of which no sum is exact"),
      measured(
          exact_case({251, 504, 376}, "tiles at all edges, and rows that begin between sectors", far_apart)),
      wide(measured(exact_case({384, 512, 512}, "many tiles along all three dimensions", far_apart))),
  };
  problem.gpu_cases = {
      exact_case({1021, 1000, 304}, "many tiles, whatever their size"),
      exact_case({2048, 1096, 776}, "the same with operands that exceed half precision", far_apart),
  };
  problem.speed = {
      .sizes = {timed_case({256, 256, 256}, "16 tiles of 64 x 64: an eighth of the multiprocessors"),
                timed_case({512, 512, 512}, "64 tiles of 64 x 64"),
                timed_case({1024, 1024, 1024}, "64 tiles of 128 x 128"),
                timed_case({2048, 2048, 2048}, "256 tiles of 128 x 128: two for each multiprocessor"),
                timed_case({4096, 4096, 4096}, "enough tiles for any size of them")},
      .larger = {timed_case({8192, 8192, 8192}, "operands that no cache holds")},
      .variations = {timed_case({4093, 4104, 4088}, "lengths that are no multiples of a tile"),
                     timed_case({1023, 1032, 1016}, "the same, with few tiles"),
                     timed_case({16384, 512, 2048}, "many rows and few columns")},
      .reference = {.first_ratio = 0.042},
      // By events `padded_rows` has 0.35 of the reference's speed on an H200, and holds all that has to be
      // learned here.
      .pass_ratio = 0.3};
  problem.gates = {
      lane_instructions_gate(
          0.7,
          "Let warps multiply by wmma::mma_sync or mma.sync: one such instruction makes 64 "
          "products for each of its lanes, a multiply-add one."),
      bytes_per_element_gate(
          0.15,
          {.scattered = "Let neighbouring lanes load neighbouring 16 bytes of a row.",
           .again =
               "Let the warps of a block load a tile of A and a tile of B into shared memory, each element "
               "once, and use each as often as the tile has rows or columns."},
          "product"),
      shared_passes_gate(5, "x 64 products", 1.0 / 64,
                         "Let each warp have several tiles of C in registers, such as 32 x 32 elements or "
                         "more: then a fragment that it has loaded from shared memory serves several "
                         "instructions."),
      parallelism_gate(3, "Let blocks share out the elements of C along both dimensions."),
  };
  problem.hints = {
      "Let a warp have 16 x 16 elements of C. It goes along k in steps of 16: it loads a fragment of A and "
      "one "
      "of B, and multiplies them by wmma::mma_sync, which adds to a fragment of C. Where a fragment hangs "
      "over "
      "an edge, copy what there is of it into shared memory, with zeros besides, and load it from there.",
      "Every fragment of A is loaded by as many warps as C has columns of tiles. Let a block of several "
      "warps "
      "copy tiles of 64 rows of A and 64 columns of B into shared memory, 16 bytes per thread and copy.",
      "Fragments are loaded from eight rows at once. If the rows of a tile are 64 or 128 bytes long, these "
      "are "
      "in the same banks: make each row 16 bytes longer, or let chunk j of row r lie at place j ^ (r % 8).",
      "A warp with 16 x 16 elements loads two fragments for one product of fragments. With 2 x 2 of them it "
      "loads four for four, and with 4 x 4 eight for sixteen.",
  };
  return problem;
}

const Registration registration(make_problem, __FILE__);

}  // namespace
}  // namespace lockstep::tensor_cores_problem
