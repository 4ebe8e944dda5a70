// What the judge knows of "matrix-product": shapes at the edges, elements whose products are whole numbers
// and whose sums are exact in any order, three gates, and timed products that are made of one.
//
// The counters below are worked out for the rungs of solutions/07-matrix-product, per product of an element
// of A and one of B, without the edges of tiles. Behind them stand those of the worse of the two measured
// cases: for bytes 191 x 255 x 159, whose rows begin anywhere; for passes 320 x 288 x 352, except for
// `tiled`.
//
//                   bytes-per-product            shared-passes, for 32 products
//   naive           (32 + 128) / 32 = 5     5.9  none                                       0
//   tiled           2 · 4 / 32 = 0.25      0.34  two loads of a warp for 32, and stores   2.1
//   register_tiles  2 · 4 / 64 = 0.13      0.20  8 loads for 16 · 32, and stores         0.59
//   vectors         2 · 4 / 128 = 0.06     0.47  12 passes for 64 · 32, and stores       0.33
//   double_buffers  2 · 4 / 128 = 0.06     0.22  the same                                0.33
//   reference       96 · 4 / 2048 = 0.19   0.38  4 passes for 16 · 32, and stores        0.34
//
// `vectors` loads elements four apart where rows are not aligned, 17 sectors per request. Limits: 1 byte,
// where tiles of 16 x 16 elements have 0.76, and 1 pass, where blocks of 64 threads with 4 x 4 elements each
// have 0.83, tiles with conflicts of two lanes 0.87, and 2 x 2 elements 1.08. A thread with 8 x 4 elements,
// whose warp loads columns side by side from global memory, holds both limits with registers alone, as it
// may.
//
// Work of the largest case: 32.4 million products are 1 million steps of a warp, at 5.6 instructions each in
// `naive` 5.7 million warp-instructions per call.
#include <algorithm>
#include <cstddef>
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
#include "matrix_product.h"

namespace lockstep::matrix_product_problem {
namespace {

using lockstep::Random;
using namespace lockstep::course;
using namespace lockstep::matrix_products;

/// Magnitudes of 12 bits, so that formats with fewer show, times magnitudes of at most 4: products of 1024
/// elements add up to less than 2^24.
constexpr Largest kLargest{.wide = 4095, .narrow = 4};

Matrices wide_times_narrow(Shape shape, Random& random) { return whole_numbers(shape, kLargest, random); }

/// Neither operand fits into a format of fewer bits or of integers.
Matrices with_fractions(Shape shape, Random& random) { return scaled_numbers(shape, kLargest, 3, random); }

std::vector<KnownMistake> known_mistakes(const Matrices& inputs, const Floats& right, Shape shape) {
  const auto [m, n, k] = shape;
  if (k == 0) return {};
  Mistakes mistakes(right);
  const auto a = std::make_shared<const Floats>(inputs.a);
  const Floats& b = inputs.b;
  // Which tiles left them out is not known: several may end at the same place.
  std::set<int> ends, begins = {k - 1};
  for (const int tile : {8, 16, 32, 64}) {
    ends.insert({k / tile * tile, std::min(tile, k)});
    begins.insert((k - 1) / tile * tile);
  }
  for (const int end : ends) {
    mistakes.add_in_parts(
        end == 0 ? "no product was added"
                 : "the products with i from " + std::to_string(end) + " on are missing",
        rows_of_sums(a, b, shape, 0, end),
        "Let the loop go over all tiles along k, also over the last, which is not full: what lies behind the "
        "end of A's rows and of B's columns is 0 in the tiles.");
  }
  for (const int begin : begins) {
    mistakes.add_in_parts(
        "only the products with i from " + std::to_string(begin) + " on were added",
        rows_of_sums(a, b, shape, begin, k),
        "Set the sums to 0 once, before the first tile, and add to them in every one: sum += …, and "
        "not sum = ….");
  }
  add_transposed(mistakes, a, b, right, shape);
  for (const auto& [count, formats] : {std::pair{11, "half precision and TF32 have"}, {8, "bfloat16 has"}}) {
    const int bits = count;
    const std::string rounded = " rounded to " + std::to_string(bits) + " bits, as " + formats;
    const char* const keep = "Keep the elements as floats: they have up to 12 bits here.";
    const auto of_a = [&b, bits](const Floats& rows, Shape of) {
      return product(rounded_to(rows, bits), b, of);
    };
    const auto of_b = [&b, bits](const Floats& rows, Shape of) {
      return product(rows, rounded_to(b, bits), of);
    };
    const auto of_both = [&b, bits](const Floats& rows, Shape of) {
      return product(rounded_to(rows, bits), rounded_to(b, bits), of);
    };
    mistakes.add_in_parts("the elements of A were" + rounded, rows_of_product(a, shape, of_a), keep);
    mistakes.add_in_parts("the elements of B were" + rounded, rows_of_product(a, shape, of_b), keep);
    mistakes.add_in_parts("the elements were" + rounded, rows_of_product(a, shape, of_both), keep);
  }
  return mistakes.known();
}

using MakeInputs = Matrices (*)(Shape, Random&);

Call make_call(Shape shape, const Matrices& inputs, const Floats& right,
               std::function<std::vector<KnownMistake>()> mistakes) {
  Output c;
  c.type = ElementType::f32;
  c.expected = bytes_of(right);
  c.position = [n = static_cast<std::size_t>(shape.n)](std::size_t i) {
    return "row " + std::to_string(i / n) + ", column " + std::to_string(i % n);
  };
  c.known_mistakes = std::move(mistakes);
  Call call;
  call.input("a", inputs.a).input("b", inputs.b).output("c", std::move(c));
  call.scalar("m", shape.m).scalar("n", shape.n).scalar("k", shape.k).stream();
  return call;
}

Call make_call(Shape shape, Matrices made) {
  const auto inputs = std::make_shared<const Matrices>(std::move(made));
  const auto right = std::make_shared<const Floats>(product(inputs->a, inputs->b, shape));
  return make_call(shape, *inputs, *right, [=] { return known_mistakes(*inputs, *right, shape); });
}

/// The name gives m, n and k.
Case make_case(Shape shape, std::string purpose, MakeInputs inputs = wide_times_narrow) {
  const auto [m, n, k] = shape;
  Case made;
  made.name = std::to_string(m) + " x " + std::to_string(n) + " x " + std::to_string(k);
  made.purpose = std::move(purpose);
  made.prepare = [shape, inputs](Random& random) { return make_call(shape, inputs(shape, random)); };
  const double products = static_cast<double>(m) * n * k;
  const double elements =
      static_cast<double>(m) * k + static_cast<double>(k) * n + static_cast<double>(m) * n;
  made.cost = {
      .elements = products, .global_bytes = elements * sizeof(float), .fused_multiply_adds = products};
  return made;
}

// In a sum of 8192 products magnitudes add up to 10 million, 1200 each, which is 50 standard deviations below
// 2^24.
constexpr Ingredients kTimed{
    .shared = {.wide = 2047, .narrow = 1}, .added = {.wide = 2047, .narrow = 1}, .max_exponent = 3};

Case make_timed_case(Shape shape, std::string purpose) {
  return sharing(make_case(shape, std::move(purpose)), [shape](Random& random) {
    const auto shared = std::make_shared<const SharedProduct>(
        shared_product(shape, kTimed, emulator::usable_processors(), random));
    return [shape, shared](Random& own) {
      const Product other = changed(*shared, own);
      return make_call(shape, other.inputs, other.c, {});
    };
  });
}

Problem make_problem() {
  Problem problem;
  problem.name = "matrix-product";
  problem.title = "Multiply two matrices";
  problem.lesson =
      "each value is used many times: how often it is loaded decides, from memory and from shared memory";
  problem.function = LOCKSTEP_SIGNATURE(matrix_product);
  problem.cases = {
      make_case({0, 7, 5}, "no rows: a grid without blocks cannot be launched"),
      make_case({7, 0, 5}, "no columns: the same along the other dimension"),
      make_case({5, 7, 0}, "nothing to add up: the elements are 0, which somebody has to write"),
      make_case({1, 1, 1}, "a single product"),
      make_case({1, 1, 1000}, "a single element of many products"),
      make_case({1, 65, 33}, "a row times a matrix"),
      make_case({67, 1, 31}, "a matrix times a column"),
      make_case({32, 32, 32}, "exactly one tile of 32 x 32, where transposed operands fit too"),
      make_case({33, 31, 32}, "one row more and one column less than a tile"),
      make_case({64, 96, 33}, "whole tiles of C, and one product more than a tile has"),
      make_case({31, 127, 65}, "one less than tiles have, and one more"),
      make_case({100, 3, 257}, "three columns: most threads of a tile have none"),
      make_case({61, 67, 71}, "three primes: rows begin anywhere"),
      make_case({144, 80, 48}, "multiples of 16 that are no multiples of 64"),
      make_case({16, 48, 100}, "fractions, of which all products are whole numbers", with_fractions),
      make_case({125, 4284, 33}, "hundreds of tiles, and a third step of 16 along k"),
      make_case({253, 2131, 33}, "the same with rows that begin anywhere"),
      measured(make_case({191, 255, 159}, "odd lengths, with enough products that their traffic counts",
                         with_fractions)),
      wide(measured(make_case({320, 288, 352}, "many tiles along all three dimensions", with_fractions))),
  };
  problem.gpu_cases = {
      make_case({1021, 991, 307}, "many tiles, whatever their size, and rows that begin anywhere"),
      make_case({1000, 1020, 300}, "the same with whole vectors", with_fractions),
  };
  problem.speed = {
      .sizes = {make_timed_case({256, 256, 256}, "64 tiles of 32 x 32: half of the multiprocessors"),
                make_timed_case({512, 512, 512}, "64 tiles of 64 x 64"),
                make_timed_case({1024, 1024, 1024}, "64 tiles of 128 x 128"),
                make_timed_case({2048, 2048, 2048}, "256 tiles of 128 x 128: two for each multiprocessor"),
                make_timed_case({4096, 4096, 4096}, "enough tiles for any size of them")},
      .larger = {make_timed_case({8192, 8192, 8192}, "operands that no cache holds")},
      .variations = {make_timed_case({4095, 4097, 4093}, "odd lengths: rows begin anywhere"),
                     make_timed_case({1023, 1025, 1021}, "the same, with few tiles"),
                     make_timed_case({16384, 512, 2048}, "many rows and few columns")},
      .reference = {.first_ratio = 0.115}};
  problem.gates = {
      bytes_per_element_gate(
          1,
          {.scattered = "Let neighbouring lanes have neighbouring columns of C: threadIdx.x is for columns.",
           .again =
               "Let the threads of a block load a tile of A and a tile of B into shared memory, each element "
               "once, and use each as often as the tile has rows or columns."},
          "product"),
      shared_passes_gate(1, "products", 1,
                         "Let each thread have several elements of C, such as 4 x 4 of them: then what it "
                         "has loaded from the "
                         "tiles serves 4 products each, out of registers."),
      // `vectors` has 9 blocks there, and tiles of 256 x 256 are 4, some with less work.
      parallelism_gate(3, "Let blocks share out the elements of C along both dimensions."),
  };
  problem.hints = {
      "Which elements of A and of B does element (row, column) of C need? Let threadIdx.x and blockIdx.x say "
      "the "
      "column, threadIdx.y and blockIdx.y the row, and add up in a register.",
      "The 32 x 32 threads of a block need 32 rows of A and 32 columns of B, each of them 32 times. Go along "
      "k in steps "
      "of 32: load a tile of each into shared memory, wait, add up the 32 products per thread, wait, go on.",
      "What is behind the edge of a matrix is 0 in its tile, and adds nothing. Every thread loads and waits, "
      "those too "
      "that have no element of C.",
      "Two loads from shared memory per product are many. A thread with 4 x 4 elements loads 4 values of A "
      "and 4 of B for "
      "16 products. Let its columns lie 16 apart, or load float4, so that the lanes use all banks.",
  };
  return problem;
}

const Registration registration(make_problem, __FILE__);

}  // namespace
}  // namespace lockstep::matrix_product_problem
