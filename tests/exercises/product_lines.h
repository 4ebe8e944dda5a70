// What the inputs of a product of matrices show line by line: rows of A and columns of B.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace lockstep::test {

/// Whether `holds` for an element of each row of A, m x k, and of each column of B, k x n.
template <class Matrices, class Predicate>
void expect_in_every_line(const Matrices& of, Predicate holds, const std::string& name) {
  for (std::size_t row = 0; row < of.m; ++row) {
    const auto begin = of.a.begin() + static_cast<std::ptrdiff_t>(row * of.k);
    EXPECT_TRUE(std::any_of(begin, begin + static_cast<std::ptrdiff_t>(of.k), holds)) << name;
  }
  for (std::size_t column = 0; column < of.n; ++column) {
    bool found = false;
    for (std::size_t i = 0; i < of.k; ++i) found = found || holds(of.b[i * of.n + column]);
    EXPECT_TRUE(found) << name;
  }
}

/// Rows or columns of a matrix, each with what a call changes in all its elements alike, which `bare`
/// removes, and in their order, left out.
template <class Number, class Bare>
std::set<std::vector<Number>> lines_of(const std::vector<Number>& values, std::size_t lines,
                                       std::size_t length, std::size_t to_next_line,
                                       std::size_t to_next_value, Bare bare) {
  std::set<std::vector<Number>> all;
  for (std::size_t line = 0; line < lines; ++line) {
    std::vector<Number> one(length);
    for (std::size_t i = 0; i < length; ++i) one[i] = bare(values[line * to_next_line + i * to_next_value]);
    std::ranges::sort(one);
    all.insert(std::move(one));
  }
  return all;
}

/// That two calls, one m x k by k x n product each, have no row of A and no column of B in common.
template <class Matrices, class Bare>
void expect_no_line_in_common(const Matrices& x, const Matrices& y, Bare bare) {
  const auto rows_of = [bare](const Matrices& of) { return lines_of(of.a, of.m, of.k, of.k, 1, bare); };
  const auto columns_of = [bare](const Matrices& of) { return lines_of(of.b, of.n, of.k, 1, of.n, bare); };
  const auto rows = rows_of(x), columns = columns_of(x);
  for (const auto& row : rows_of(y)) EXPECT_FALSE(rows.contains(row));
  for (const auto& column : columns_of(y)) EXPECT_FALSE(columns.contains(column));
}

}  // namespace lockstep::test
