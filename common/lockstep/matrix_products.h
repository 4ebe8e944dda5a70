// Inputs for exercises about products of matrices, the products themselves on the host, and products for many
// calls that are made of one.
//
// The inputs are whole numbers, times powers of two, whose sums are exact in a float in any order: the
// magnitudes of what is added up come to less than 2^24.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <thread>
#include <utility>
#include <vector>

#include "lockstep/random.h"

namespace lockstep::matrix_products {

using Floats = std::vector<float>;

/// C has m rows and n columns; k products are added up for each element.
struct Shape {
  int m, n, k;
};

/// Stored row by row.
struct Matrices {
  Floats a, b;
};

inline std::size_t at(int row, int column, int row_length) {
  return static_cast<std::size_t>(row) * static_cast<std::size_t>(row_length) +
         static_cast<std::size_t>(column);
}
inline std::size_t count_of(int rows, int columns) { return at(rows, 0, columns); }

inline float whole_number(int largest, Random& random) {
  return static_cast<float>(random.integer(-largest, largest));
}

/// The largest magnitudes of an operand that needs many bits, and of the one it is multiplied by.
struct Largest {
  int wide, narrow;
};

/// All elements of A are wide.
inline Matrices whole_numbers(Shape shape, Largest largest, Random& random) {
  Matrices made{Floats(count_of(shape.m, shape.k)), Floats(count_of(shape.k, shape.n))};
  for (float& one : made.a) one = whole_number(largest.wide, random);
  for (float& one : made.b) one = whole_number(largest.narrow, random);
  return made;
}

/// For each i the column of A or the row of B is wide, and the column times a power of two, by which the row
/// is divided: both operands have elements of many bits and exponents, and the products are whole.
inline Matrices scaled_numbers(Shape shape, Largest largest, int max_exponent, Random& random) {
  Matrices made{Floats(count_of(shape.m, shape.k)), Floats(count_of(shape.k, shape.n))};
  for (int i = 0; i < shape.k; ++i) {
    const bool is_a_wide = random.integer(0, 1) == 1;
    const float scale = std::ldexp(1.0F, random.integer(-max_exponent, max_exponent));
    for (int row = 0; row < shape.m; ++row)
      made.a[at(row, i, shape.k)] = whole_number(is_a_wide ? largest.wide : largest.narrow, random) * scale;
    for (int column = 0; column < shape.n; ++column) {
      made.b[at(i, column, shape.n)] =
          whole_number(is_a_wide ? largest.narrow : largest.wide, random) / scale;
    }
  }
  return made;
}

struct Range {
  std::size_t begin = 0, end = 0;
};

/// Adds the products with i in a range to rows of C in another. A part of B that the caches hold is used for
/// all rows.
template <class T>
void add_products(std::vector<T>& c, const Floats& a, const Floats& b, Shape shape, Range rows, Range of_i) {
  constexpr std::size_t kHeld = 64, kAtOnce = 4;  // rows of B
  const auto n = static_cast<std::size_t>(shape.n), k = static_cast<std::size_t>(shape.k);
  for (std::size_t held = of_i.begin; held < of_i.end; held += kHeld) {
    const std::size_t end = std::min(held + kHeld, of_i.end);
    for (std::size_t row = rows.begin; row < rows.end; ++row) {
      T* const to = c.data() + row * n;
      std::size_t i = held;
      for (; i + kAtOnce <= end; i += kAtOnce) {
        const float *of_a = a.data() + row * k + i, *of_b = b.data() + i * n;
        for (std::size_t column = 0; column < n; ++column)
          to[column] += T{of_a[0]} * of_b[column] + T{of_a[1]} * of_b[column + n] +
                        T{of_a[2]} * of_b[column + 2 * n] + T{of_a[3]} * of_b[column + 3 * n];
      }
      for (; i < end; ++i) {
        for (std::size_t column = 0; column < n; ++column)
          to[column] += T{a[row * k + i]} * b[i * n + column];
      }
    }
  }
}

/// A times B, where i goes from `first` to `end`.
inline Floats product(const Floats& a, const Floats& b, Shape shape, int first, int end) {
  Floats c(count_of(shape.m, shape.n));
  add_products(c, a, b, shape, {0, static_cast<std::size_t>(shape.m)},
               {static_cast<std::size_t>(first), static_cast<std::size_t>(end)});
  return c;
}

inline Floats product(const Floats& a, const Floats& b, Shape shape) {
  return product(a, b, shape, 0, shape.k);
}

inline Floats transposed(const Floats& of, int rows, int columns) {
  Floats out(of.size());
  for (int row = 0; row < rows; ++row) {
    for (int column = 0; column < columns; ++column)
      out[at(column, row, rows)] = of[at(row, column, columns)];
  }
  return out;
}

/// Rounded to so many bits, half to even, as conversions to shorter formats do.
inline Floats rounded_to(Floats values, int bits) {
  constexpr int kBitsOfFloat = 24;
  const int dropped = kBitsOfFloat - bits;
  for (float& one : values) {
    auto word = std::bit_cast<std::uint32_t>(one);
    word += (1U << (dropped - 1)) - 1 + (word >> dropped & 1);
    one = std::bit_cast<float>(word >> dropped << dropped);
  }
  return values;
}

// --- one product, from which those of many calls are made ---

/// What the elements of many calls are made of.
struct Ingredients {
  Largest shared;    ///< of the product that is computed
  Largest added;     ///< of what a call adds to either operand
  int max_exponent;  ///< of the powers of two by which a call multiplies columns of A
};

struct SharedProduct {
  Shape shape;
  Ingredients of;
  std::vector<char>
      is_wide;  ///< for each i whether A's column is, and B's row narrow, or the other way round
  Matrices inputs;
  Floats c;

  int of_a(Largest largest, std::size_t i) const { return is_wide[i] != 0 ? largest.wide : largest.narrow; }
  int of_b(Largest largest, std::size_t i) const { return is_wide[i] != 0 ? largest.narrow : largest.wide; }
};

/// The product that all calls are made of, computed by up to so many threads where there is enough to do.
inline SharedProduct shared_product(Shape shape, Ingredients of, std::size_t most_threads, Random& random) {
  constexpr double kProductsOfThread = 1e8;
  const auto m = static_cast<std::size_t>(shape.m), n = static_cast<std::size_t>(shape.n),
             k = static_cast<std::size_t>(shape.k);
  SharedProduct made{.shape = shape,
                     .of = of,
                     .is_wide = std::vector<char>(k),
                     .inputs = {Floats(m * k), Floats(k * n)},
                     .c = Floats(m * n)};
  auto& [a, b] = made.inputs;
  for (char& one : made.is_wide) one = static_cast<char>(random.integer(0, 1));
  for (std::size_t j = 0; j < m * k; ++j) a[j] = whole_number(made.of_a(of.shared, j % k), random);
  for (std::size_t j = 0; j < k * n; ++j) b[j] = whole_number(made.of_b(of.shared, j / n), random);
  const auto most = static_cast<std::size_t>(1 + static_cast<double>(m * n) * shape.k / kProductsOfThread);
  const std::size_t threads = std::min(most_threads, most);
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

inline std::vector<std::size_t> permutation(std::size_t n, Random& random) {
  std::vector<std::size_t> order(n);
  std::iota(order.begin(), order.end(), 0);
  shuffle(order, random);
  return order;
}

inline Floats signs(std::size_t n, Random& random) {
  Floats made(n);
  for (float& one : made) one = random.integer(0, 1) == 1 ? 1.0F : -1.0F;
  return made;
}

/// Adds u · v to A, by which u · (v · B) is added to C. No element of u is 0: every row changes.
inline void change_a(SharedProduct& product, Random& random) {
  auto& [a, b] = product.inputs;
  const auto m = static_cast<std::size_t>(product.shape.m), n = static_cast<std::size_t>(product.shape.n),
             k = static_cast<std::size_t>(product.shape.k);
  const Floats u = signs(m, random);
  Floats v(k), added(n);
  for (std::size_t i = 0; i < k; ++i) {
    v[i] = whole_number(product.of_a(product.of.added, i), random);
    for (std::size_t column = 0; column < n; ++column) added[column] += v[i] * b[i * n + column];
  }
  for (std::size_t row = 0; row < m; ++row) {
    for (std::size_t i = 0; i < k; ++i) a[row * k + i] += u[row] * v[i];
    for (std::size_t column = 0; column < n; ++column) product.c[row * n + column] += u[row] * added[column];
  }
}

/// Adds x · y to B, by which (A · x) · y is added to C. No element of y is 0.
inline void change_b(SharedProduct& product, Random& random) {
  auto& [a, b] = product.inputs;
  const auto m = static_cast<std::size_t>(product.shape.m), n = static_cast<std::size_t>(product.shape.n),
             k = static_cast<std::size_t>(product.shape.k);
  const Floats y = signs(n, random);
  Floats x(k);
  for (std::size_t i = 0; i < k; ++i) {
    x[i] = whole_number(product.of_b(product.of.added, i), random);
    for (std::size_t column = 0; column < n; ++column) b[i * n + column] += x[i] * y[column];
  }
  for (std::size_t row = 0; row < m; ++row) {
    float of_row = 0;
    for (std::size_t i = 0; i < k; ++i) of_row += a[row * k + i] * x[i];
    for (std::size_t column = 0; column < n; ++column) product.c[row * n + column] += of_row * y[column];
  }
}

struct Product {
  Matrices inputs;
  Floats c;
};

/// Another product in a time that grows with the matrices and not with the products: a matrix of rank 1 is
/// added to A, and one to B; rows, columns and products change places; rows and columns change their signs;
/// and the column of A that belongs to an i is multiplied by a power of two, by which the row of B is
/// divided. `product` is a copy to be changed.
inline Product changed(SharedProduct product, Random& random) {
  const auto m = static_cast<std::size_t>(product.shape.m), n = static_cast<std::size_t>(product.shape.n),
             k = static_cast<std::size_t>(product.shape.k);
  change_a(product, random);
  change_b(product, random);
  const std::vector<std::size_t> rows = permutation(m, random), columns = permutation(n, random),
                                 order = permutation(k, random);
  const Floats row_signs = signs(m, random), column_signs = signs(n, random);
  const int max_exponent = product.of.max_exponent;
  Floats scales(k);
  for (float& one : scales) one = std::ldexp(1.0F, random.integer(-max_exponent, max_exponent));
  Product made{.inputs = {Floats(m * k), Floats(k * n)}, .c = Floats(m * n)};
  auto& [a, b] = made.inputs;
  for (std::size_t row = 0; row < m; ++row) {
    const float *of_a = product.inputs.a.data() + rows[row] * k, *of_c = product.c.data() + rows[row] * n;
    for (std::size_t i = 0; i < k; ++i) a[row * k + i] = row_signs[row] * scales[i] * of_a[order[i]];
    for (std::size_t column = 0; column < n; ++column)
      made.c[row * n + column] = row_signs[row] * column_signs[column] * of_c[columns[column]];
  }
  for (std::size_t i = 0; i < k; ++i) {
    const float* const of_b = product.inputs.b.data() + order[i] * n;
    for (std::size_t column = 0; column < n; ++column)
      b[i * n + column] = column_signs[column] / scales[i] * of_b[columns[column]];
  }
  return made;
}

}  // namespace lockstep::matrix_products
