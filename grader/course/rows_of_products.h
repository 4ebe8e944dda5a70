// What known mistakes leave of a product of matrices, row by row: most of it differs in the first row from
// what was found, and the rest is not computed.
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <span>
#include <utility>

#include "course/problem.h"
#include "lockstep/matrix_products.h"

namespace lockstep::course {

/// The first row of C alone, then twice as many rows at a time: `product_of(rows, shape)` gives those that
/// belong to some rows of A, where `shape` has as many rows as these.
template <class ProductOf>
MakeParts rows_of_product(std::shared_ptr<const matrix_products::Floats> a, matrix_products::Shape shape,
                          ProductOf product_of) {
  return [a = std::move(a), shape, product_of](const TakePart& take) {
    int rows = 1;
    for (int first = 0; first < shape.m; first += rows, rows *= 2) {
      rows = std::min(rows, shape.m - first);
      const auto begin = a->begin() + static_cast<std::ptrdiff_t>(matrix_products::at(first, 0, shape.k));
      const auto end = begin + static_cast<std::ptrdiff_t>(matrix_products::count_of(rows, shape.k));
      const matrix_products::Floats part =
          product_of(matrix_products::Floats(begin, end), matrix_products::Shape{rows, shape.n, shape.k});
      if (!take(std::as_bytes(std::span(part)))) return;
    }
  };
}

/// Of the products that are added up those with i from `first` to `end` - 1. `b` lives as long as the call.
inline MakeParts rows_of_sums(const std::shared_ptr<const matrix_products::Floats>& a,
                              const matrix_products::Floats& b, matrix_products::Shape shape, int first,
                              int end) {
  return rows_of_product(a, shape,
                         [&b, first, end](const matrix_products::Floats& rows, matrix_products::Shape of) {
                           return matrix_products::product(rows, b, of, first, end);
                         });
}

/// One of the matrices was taken as if it lay in memory column by column.
inline void add_transposed(Mistakes<float>& mistakes, const std::shared_ptr<const matrix_products::Floats>& a,
                           const matrix_products::Floats& b, const matrix_products::Floats& right,
                           matrix_products::Shape shape) {
  using matrix_products::Floats;
  const auto [m, n, k] = shape;
  mistakes.add_in_parts(
      "A was read as if it were transposed",
      rows_of_sums(std::make_shared<const Floats>(matrix_products::transposed(*a, k, m)), b, shape, 0, k),
      "Element (row, i) of A is a[row * k + i].");
  mistakes.add_in_parts("B was read as if it were transposed",
                        rows_of_product(a, shape,
                                        [&b, shape](const Floats& rows, matrix_products::Shape of) {
                                          return matrix_products::product(
                                              rows, matrix_products::transposed(b, shape.n, shape.k), of);
                                        }),
                        "Element (i, column) of B is b[i * n + column].");
  mistakes.add("C was written as if it were transposed", matrix_products::transposed(right, m, n),
               "Element (row, column) of C is c[row * n + column].");
}

}  // namespace lockstep::course
