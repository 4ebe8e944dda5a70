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
#include <bit>
#include <cmath>
#include <cstdint>
#include <functional>
#include <memory>
#include <numeric>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "course/problem.h"
#include "emulator/core/processors.h"
#include "matrix_product.h"

namespace lockstep::matrix_product_problem {
namespace {

using lockstep::Random;
using namespace lockstep::course;

using Floats = std::vector<float>;

struct Shape {
  int m, n, k;
};

std::size_t at(int row, int column, int row_length) {
  return static_cast<std::size_t>(row) * static_cast<std::size_t>(row_length) +
         static_cast<std::size_t>(column);
}
std::size_t count_of(int rows, int columns) { return at(rows, 0, columns); }

/// Magnitudes of 12 bits, so that formats with fewer show, times magnitudes of at most 4: products of 1024
/// elements add up to less than 2^24.
constexpr int kWide = 4095, kNarrow = 4;

struct Matrices {
  Floats a, b;
};

float whole_number(int largest, Random& random) {
  return static_cast<float>(random.integer(-largest, largest));
}

/// Whole numbers, those of A wide.
Matrices whole_numbers(Shape shape, Random& random) {
  Matrices made{Floats(count_of(shape.m, shape.k)), Floats(count_of(shape.k, shape.n))};
  for (float& one : made.a) one = whole_number(kWide, random);
  for (float& one : made.b) one = whole_number(kNarrow, random);
  return made;
}

/// For each i the column of A or the row of B is wide, and the column times a power of two, by which the row
/// is divided: neither operand fits into a format of fewer bits or of integers, and the products are whole.
Matrices scaled_numbers(Shape shape, Random& random) {
  constexpr int kMaxExponent = 3;
  Matrices made{Floats(count_of(shape.m, shape.k)), Floats(count_of(shape.k, shape.n))};
  for (int i = 0; i < shape.k; ++i) {
    const bool is_a_wide = random.integer(0, 1) == 1;
    const float scale = std::ldexp(1.0F, random.integer(-kMaxExponent, kMaxExponent));
    for (int row = 0; row < shape.m; ++row)
      made.a[at(row, i, shape.k)] = whole_number(is_a_wide ? kWide : kNarrow, random) * scale;
    for (int column = 0; column < shape.n; ++column)
      made.b[at(i, column, shape.n)] = whole_number(is_a_wide ? kNarrow : kWide, random) / scale;
  }
  return made;
}

struct Range {
  std::size_t begin = 0, end = 0;
};

/// Adds the products with i in a range to rows of C in another. A part of B that the caches hold is used for
/// all rows.
void add_products(Floats& c, const Floats& a, const Floats& b, Shape shape, Range rows, Range of_i) {
  constexpr std::size_t kHeld = 64, kAtOnce = 4;  // rows of B
  const auto n = static_cast<std::size_t>(shape.n), k = static_cast<std::size_t>(shape.k);
  for (std::size_t held = of_i.begin; held < of_i.end; held += kHeld) {
    const std::size_t end = std::min(held + kHeld, of_i.end);
    for (std::size_t row = rows.begin; row < rows.end; ++row) {
      float* const to = c.data() + row * n;
      std::size_t i = held;
      for (; i + kAtOnce <= end; i += kAtOnce) {
        const float *of_a = a.data() + row * k + i, *of_b = b.data() + i * n;
        for (std::size_t column = 0; column < n; ++column)
          to[column] += of_a[0] * of_b[column] + of_a[1] * of_b[column + n] + of_a[2] * of_b[column + 2 * n] +
                        of_a[3] * of_b[column + 3 * n];
      }
      for (; i < end; ++i) {
        for (std::size_t column = 0; column < n; ++column) to[column] += a[row * k + i] * b[i * n + column];
      }
    }
  }
}

/// A times B, where i goes from `first` to `end`.
Floats product(const Floats& a, const Floats& b, Shape shape, int first, int end) {
  Floats c(count_of(shape.m, shape.n));
  add_products(c, a, b, shape, {0, static_cast<std::size_t>(shape.m)},
               {static_cast<std::size_t>(first), static_cast<std::size_t>(end)});
  return c;
}

Floats product(const Floats& a, const Floats& b, Shape shape) { return product(a, b, shape, 0, shape.k); }

Floats transposed(const Floats& of, int rows, int columns) {
  Floats out(of.size());
  for (int row = 0; row < rows; ++row) {
    for (int column = 0; column < columns; ++column)
      out[at(column, row, rows)] = of[at(row, column, columns)];
  }
  return out;
}

/// Rounded to so many bits, half to even, as conversions to shorter formats do.
Floats rounded_to(Floats values, int bits) {
  constexpr int kBitsOfFloat = 24;
  const int dropped = kBitsOfFloat - bits;
  for (float& one : values) {
    auto word = std::bit_cast<std::uint32_t>(one);
    word += (1U << (dropped - 1)) - 1 + (word >> dropped & 1);
    one = std::bit_cast<float>(word >> dropped << dropped);
  }
  return values;
}

std::vector<KnownMistake> known_mistakes(const Matrices& inputs, Shape shape) {
  const auto& [a, b] = inputs;
  const auto [m, n, k] = shape;
  if (k == 0) return {};
  const Floats right = product(a, b, shape);
  Mistakes mistakes(right);
  // Which tiles left them out is not known: several may end at the same place.
  std::set<int> ends, begins = {k - 1};
  for (const int tile : {8, 16, 32, 64}) {
    ends.insert({k / tile * tile, std::min(tile, k)});
    begins.insert((k - 1) / tile * tile);
  }
  for (const int end : ends) {
    mistakes.add(
        end == 0 ? "no product was added"
                 : "the products with i from " + std::to_string(end) + " on are missing",
        product(a, b, shape, 0, end),
        "Let the loop go over all tiles along k, also over the last, which is not full: what lies behind the "
        "end of A's rows and of B's columns is 0 in the tiles.");
  }
  for (const int begin : begins) {
    mistakes.add("only the products with i from " + std::to_string(begin) + " on were added",
                 product(a, b, shape, begin, k),
                 "Set the sums to 0 once, before the first tile, and add to them in every one: sum += …, and "
                 "not sum = ….");
  }
  mistakes.add("A was read as if it were transposed", product(transposed(a, k, m), b, shape),
               "Element (row, i) of A is a[row * k + i].");
  mistakes.add("B was read as if it were transposed", product(a, transposed(b, n, k), shape),
               "Element (i, column) of B is b[i * n + column].");
  mistakes.add("C was written as if it were transposed", transposed(right, m, n),
               "Element (row, column) of C is c[row * n + column].");
  for (const auto& [bits, formats] : {std::pair{11, "half precision and TF32 have"}, {8, "bfloat16 has"}}) {
    const std::string rounded = " rounded to " + std::to_string(bits) + " bits, as " + formats;
    const char* const keep = "Keep the elements as floats: they have up to 12 bits here.";
    const Floats of_a = rounded_to(a, bits), of_b = rounded_to(b, bits);
    mistakes.add("the elements of A were" + rounded, product(of_a, b, shape), keep);
    mistakes.add("the elements of B were" + rounded, product(a, of_b, shape), keep);
    mistakes.add("the elements were" + rounded, product(of_a, of_b, shape), keep);
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
  return call.scalar("m", shape.m).scalar("n", shape.n).scalar("k", shape.k).stream();
}

Call make_call(Shape shape, const Matrices& inputs) {
  return make_call(shape, inputs, product(inputs.a, inputs.b, shape),
                   [inputs, shape] { return known_mistakes(inputs, shape); });
}

/// The name gives m, n and k.
Case make_case(Shape shape, std::string purpose, MakeInputs inputs = whole_numbers) {
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

// --- timed cases: one product, from which those of all calls are made ---

// What is wide, and what is narrow; a call adds as much again. In a sum of 8192 products magnitudes add up to
// 10 million, 1200 each, which is 50 standard deviations below 2^24.
constexpr int kTimedWide = 2047, kTimedNarrow = 1;

struct Product {
  std::vector<char>
      is_wide;  ///< for each i whether A's column is, and B's row narrow, or the other way round
  Matrices inputs;
  Floats c;

  int largest_of_a(std::size_t i) const { return is_wide[i] != 0 ? kTimedWide : kTimedNarrow; }
  int largest_of_b(std::size_t i) const { return is_wide[i] != 0 ? kTimedNarrow : kTimedWide; }
};

/// The product that all calls are made of, computed by all processors where there is enough to do.
Product shared_product(Shape shape, Random& random) {
  constexpr double kProductsOfThread = 1e8;
  const auto m = static_cast<std::size_t>(shape.m), n = static_cast<std::size_t>(shape.n),
             k = static_cast<std::size_t>(shape.k);
  Product made{.is_wide = std::vector<char>(k), .inputs = {Floats(m * k), Floats(k * n)}, .c = Floats(m * n)};
  for (char& one : made.is_wide) one = static_cast<char>(random.integer(0, 1));
  for (std::size_t j = 0; j < m * k; ++j) made.inputs.a[j] = whole_number(made.largest_of_a(j % k), random);
  for (std::size_t j = 0; j < k * n; ++j) made.inputs.b[j] = whole_number(made.largest_of_b(j / n), random);
  const auto most = static_cast<std::size_t>(1 + static_cast<double>(m * n) * shape.k / kProductsOfThread);
  const std::size_t threads = std::min<std::size_t>(emulator::usable_processors(), most);
  std::vector<std::thread> workers;
  for (std::size_t t = 0; t < threads; ++t) {
    workers.emplace_back([&, t] {
      add_products(made.c, made.inputs.a, made.inputs.b, shape, {m * t / threads, m * (t + 1) / threads},
                   {0, k});
    });
  }
  for (std::thread& worker : workers) worker.join();
  return made;
}

std::vector<std::size_t> permutation(std::size_t n, Random& random) {
  std::vector<std::size_t> order(n);
  std::iota(order.begin(), order.end(), 0);
  shuffle(order, random);
  return order;
}

Floats signs(std::size_t n, Random& random) {
  Floats made(n);
  for (float& one : made) one = random.integer(0, 1) == 1 ? 1.0F : -1.0F;
  return made;
}

/// Adds u · v to A, by which u · (v · B) is added to C. No element of u is 0: every row changes.
void change_a(Product& product, std::size_t n, Random& random) {
  auto& [is_wide, inputs, c] = product;
  const std::size_t k = is_wide.size(), m = c.size() / n;
  const Floats u = signs(m, random);
  Floats v(k), added(n);
  for (std::size_t i = 0; i < k; ++i) {
    v[i] = whole_number(product.largest_of_a(i), random);
    for (std::size_t column = 0; column < n; ++column) added[column] += v[i] * inputs.b[i * n + column];
  }
  for (std::size_t row = 0; row < m; ++row) {
    for (std::size_t i = 0; i < k; ++i) inputs.a[row * k + i] += u[row] * v[i];
    for (std::size_t column = 0; column < n; ++column) c[row * n + column] += u[row] * added[column];
  }
}

/// Adds x · y to B, by which (A · x) · y is added to C. No element of y is 0.
void change_b(Product& product, std::size_t n, Random& random) {
  auto& [is_wide, inputs, c] = product;
  const std::size_t k = is_wide.size(), m = c.size() / n;
  const Floats y = signs(n, random);
  Floats x(k);
  for (std::size_t i = 0; i < k; ++i) {
    x[i] = whole_number(product.largest_of_b(i), random);
    for (std::size_t column = 0; column < n; ++column) inputs.b[i * n + column] += x[i] * y[column];
  }
  for (std::size_t row = 0; row < m; ++row) {
    float of_row = 0;
    for (std::size_t i = 0; i < k; ++i) of_row += inputs.a[row * k + i] * x[i];
    for (std::size_t column = 0; column < n; ++column) c[row * n + column] += of_row * y[column];
  }
}

/// Another product in a time that grows with the matrices and not with the products: a matrix of rank 1 is
/// added to A, and one to B; rows, columns and products change places; rows and columns change their signs;
/// and the column of A that belongs to an i is multiplied by a power of two, by which the row of B is
/// divided. `product` is a copy to be changed.
Call make_changed_call(Shape shape, Product product, Random& random) {
  constexpr int kMaxExponent = 3;
  const auto m = static_cast<std::size_t>(shape.m), n = static_cast<std::size_t>(shape.n),
             k = static_cast<std::size_t>(shape.k);
  change_a(product, n, random);
  change_b(product, n, random);
  const std::vector<std::size_t> rows = permutation(m, random), columns = permutation(n, random),
                                 order = permutation(k, random);
  const Floats row_signs = signs(m, random), column_signs = signs(n, random);
  Floats scales(k);
  for (float& one : scales) one = std::ldexp(1.0F, random.integer(-kMaxExponent, kMaxExponent));
  Matrices inputs{Floats(m * k), Floats(k * n)};
  Floats c(m * n);
  for (std::size_t row = 0; row < m; ++row) {
    const float *of_a = product.inputs.a.data() + rows[row] * k, *of_c = product.c.data() + rows[row] * n;
    for (std::size_t i = 0; i < k; ++i) inputs.a[row * k + i] = row_signs[row] * scales[i] * of_a[order[i]];
    for (std::size_t column = 0; column < n; ++column)
      c[row * n + column] = row_signs[row] * column_signs[column] * of_c[columns[column]];
  }
  for (std::size_t i = 0; i < k; ++i) {
    const float* const of_b = product.inputs.b.data() + order[i] * n;
    for (std::size_t column = 0; column < n; ++column)
      inputs.b[i * n + column] = column_signs[column] / scales[i] * of_b[columns[column]];
  }
  return make_call(shape, inputs, c, {});
}

Case make_timed_case(Shape shape, std::string purpose) {
  Case made = make_case(shape, std::move(purpose));
  made.prepare_many = [shape](Random& random) {
    const auto shared = std::make_shared<const Product>(shared_product(shape, random));
    return [shape, shared](Random& own) { return make_changed_call(shape, *shared, own); };
  };
  made.prepare = [many = made.prepare_many](Random& random) { return many(random)(random); };
  return made;
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
      make_case({16, 48, 100}, "fractions, of which all products are whole numbers", scaled_numbers),
      make_case({125, 4284, 33}, "hundreds of tiles, and a third step of 16 along k"),
      make_case({253, 2131, 33}, "the same with rows that begin anywhere"),
      measured(make_case({191, 255, 159}, "odd lengths, with enough products that their traffic counts",
                         scaled_numbers)),
      wide(measured(make_case({320, 288, 352}, "many tiles along all three dimensions", scaled_numbers))),
  };
  problem.gpu_cases = {
      make_case({1021, 991, 307}, "many tiles, whatever their size, and rows that begin anywhere"),
      make_case({1000, 1020, 300}, "the same with whole vectors", scaled_numbers),
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
