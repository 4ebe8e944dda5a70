// The products that the judge of "matrix-product" expects, compared with sums of integers, and what its
// inputs show.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "problem_access.h"
#include "product_lines.h"

namespace lockstep::test::matrix_product_test {
namespace {

/// Elements are multiples of 1/8, and so are eight times as large here: products are multiples of 64.
constexpr std::int64_t kScale = 8;

course::Call any_call(const course::Case& one) {
  SplitMix64 random(7);
  return one.prepare(random);
}

/// One call of a case.
struct Matrices {
  explicit Matrices(const course::Case& one) : Matrices(any_call(one)) {}
  explicit Matrices(const course::Call& call) {
    m = static_cast<std::size_t>(scalar(call, "m"));
    n = static_cast<std::size_t>(scalar(call, "n"));
    k = static_cast<std::size_t>(scalar(call, "k"));
    a = whole(input<float>(call, "a"), kScale);
    b = whole(input<float>(call, "b"), kScale);
    c = whole(numbers<float>(argument(call, "c").output.expected), 1);
  }

  static std::vector<std::int64_t> whole(const std::vector<float>& values, std::int64_t scale) {
    std::vector<std::int64_t> numbers;
    std::size_t fractions = 0;
    for (const float one : values) {
      const double scaled = static_cast<double>(one) * static_cast<double>(scale);
      fractions += scaled == std::rint(scaled) ? 0 : 1;
      numbers.push_back(static_cast<std::int64_t>(scaled));
    }
    EXPECT_EQ(fractions, 0U);
    return numbers;
  }

  std::size_t m, n, k;
  std::vector<std::int64_t> a, b, c;
};

/// Those of a GPU alone and the first one that is timed, too; the others are made by the same code.
std::vector<course::Case> cases() {
  const course::Problem& matrix_product = problem("matrix-product");
  std::vector<course::Case> all = matrix_product.cases;
  all.insert(all.end(), matrix_product.gpu_cases.begin(), matrix_product.gpu_cases.end());
  all.push_back(matrix_product.speed->sizes.front());
  return all;
}

void expect_sums_of_products(const Matrices& of, const std::string& name) {
  ASSERT_EQ(of.a.size(), of.m * of.k) << name;
  ASSERT_EQ(of.b.size(), of.k * of.n) << name;
  ASSERT_EQ(of.c.size(), of.m * of.n) << name;
  std::size_t wrong = 0;
  for (std::size_t column = 0; column < of.n; ++column) {
    for (std::size_t row = 0; row < of.m; ++row) {
      std::int64_t sum = 0;
      for (std::size_t i = of.k; i-- > 0;) sum += of.b[i * of.n + column] * of.a[row * of.k + i];
      wrong += sum == kScale * kScale * of.c[row * of.n + column] ? 0 : 1;
    }
  }
  EXPECT_EQ(wrong, 0U) << name;
}

TEST(MatrixProduct, ExpectsTheSumOfTheProductsOfRowsAndColumns) {
  for (const course::Case& one : cases()) expect_sums_of_products(Matrices(one), one.name);
}

TEST(MatrixProduct, ProductsAreWholeAndSumsExactInAnyOrder) {
  for (const course::Case& one : cases()) {
    const Matrices of(one);
    std::int64_t sum = 0;
    for (std::size_t i = 0; i < of.k; ++i) {
      std::int64_t largest_of_a = 0, largest_of_b = 0;
      for (std::size_t row = 0; row < of.m; ++row)
        largest_of_a = std::max(largest_of_a, std::abs(of.a[row * of.k + i]));
      for (std::size_t column = 0; column < of.n; ++column) {
        const std::int64_t of_b = of.b[i * of.n + column];
        largest_of_b = std::max(largest_of_b, std::abs(of_b));
        if (of.m > 0) {
          EXPECT_EQ(of_b * of.a[i] % (kScale * kScale), 0) << one.name;
        }
      }
      sum += largest_of_a * largest_of_b;
    }
    EXPECT_LE(sum, kScale * kScale << 24) << one.name;
  }
}

std::int64_t without_powers_of_two(std::int64_t number) {
  std::int64_t odd = std::abs(number);
  while (odd != 0 && odd % 2 == 0) odd /= 2;
  return odd;
}

/// Whether a number needs 12 bits, more than half precision and TF32 have.
bool is_wide(std::int64_t eighths) { return without_powers_of_two(eighths) >= 1 << 11; }

TEST(MatrixProduct, ShowsShorterFormatsInEveryElementOfTheMeasuredAndTimedCases) {
  for (const course::Case& one : cases()) {
    if (!one.measured && !one.prepare_many) continue;
    const Matrices of(one);
    const auto is_fraction = [](std::int64_t eighths) { return eighths % kScale != 0; };
    EXPECT_TRUE(std::ranges::any_of(of.a, is_fraction)) << one.name;
    EXPECT_TRUE(std::ranges::any_of(of.b, is_fraction)) << one.name;
    expect_in_every_line(of, is_wide, one.name);
  }
}

TEST(MatrixProduct, TimedCallsMadeOfOneProductAreRightAndHaveNoRowOrColumnInCommon) {
  SplitMix64 shared(7), one(1), another(2);
  const auto make = problem("matrix-product").speed->sizes.front().prepare_many(shared);
  const Matrices a(make(one)), b(make(another));
  expect_sums_of_products(a, "the first call");
  expect_sums_of_products(b, "the second call");
  expect_no_line_in_common(a, b, without_powers_of_two);
}

TEST(MatrixProduct, MagnitudesOfTheLongestTimedSumsStayBelowWhatAFloatHoldsExactly) {
  constexpr std::size_t kLongest = 8192, kRows = 16;
  const course::Case& timed = problem("matrix-product").speed->sizes.at(2);
  const Matrices of(timed);
  ASSERT_EQ(of.k * 8, kLongest);
  std::int64_t largest = 0;
  for (std::size_t row = 0; row < kRows; ++row) {
    for (std::size_t column = 0; column < of.n; ++column) {
      std::int64_t sum = 0;
      for (std::size_t i = 0; i < of.k; ++i) sum += std::abs(of.a[row * of.k + i] * of.b[i * of.n + column]);
      largest = std::max(largest, sum);
    }
  }
  EXPECT_LT(largest * static_cast<std::int64_t>(kLongest / of.k), kScale * kScale << 24);
  EXPECT_EQ(problem("matrix-product").speed->larger.back().name, "8192 x 8192 x 8192") << "none is longer";
}

TEST(MatrixProduct, HasCasesInWhichAllThreeLengthsDifferAndAreOdd) {
  std::size_t odd = 0;
  for (const course::Case& one : cases()) {
    const Matrices of(one);
    if (of.m % 2 + of.n % 2 + of.k % 2 == 3 && std::set{of.m, of.n, of.k}.size() == 3) ++odd;
  }
  EXPECT_GE(odd, 3U);
}

}  // namespace
}  // namespace lockstep::test::matrix_product_test
