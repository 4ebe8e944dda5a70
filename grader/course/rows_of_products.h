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

}  // namespace lockstep::course
