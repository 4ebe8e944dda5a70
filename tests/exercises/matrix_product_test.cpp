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

namespace lockstep::test {
namespace {

/// One call of a case, with its matrices as whole numbers.
struct Matrices {
  explicit Matrices(const course::Case& one) {
    SplitMix64 random(7);
    const course::Call call = one.prepare(random);
    m = static_cast<std::size_t>(scalar(call, "m"));
    n = static_cast<std::size_t>(scalar(call, "n"));
    k = static_cast<std::size_t>(scalar(call, "k"));
    a = whole(input<float>(call, "a"));
    b = whole(input<float>(call, "b"));
    c = whole(numbers<float>(argument(call, "c").output.expected));
  }

  static std::vector<std::int64_t> whole(const std::vector<float>& values) {
    std::vector<std::int64_t> numbers;
    for (const float one : values) {
      EXPECT_EQ(one, std::rint(one));
      numbers.push_back(static_cast<std::int64_t>(one));
    }
    return numbers;
  }

  std::size_t m, n, k;
  std::vector<std::int64_t> a, b, c;
};

TEST(MatrixProduct, ExpectsTheSumOfTheProductsOfRowsAndColumns) {
  for (const course::Case& one : problem("matrix-product").cases) {
    const Matrices of(one);
    ASSERT_EQ(of.a.size(), of.m * of.k) << one.name;
    ASSERT_EQ(of.b.size(), of.k * of.n) << one.name;
    ASSERT_EQ(of.c.size(), of.m * of.n) << one.name;
    std::size_t wrong = 0;
    for (std::size_t column = 0; column < of.n; ++column) {
      for (std::size_t row = 0; row < of.m; ++row) {
        std::int64_t sum = 0;
        for (std::size_t i = of.k; i-- > 0;) sum += of.b[i * of.n + column] * of.a[row * of.k + i];
        wrong += sum == of.c[row * of.n + column] ? 0 : 1;
      }
    }
    EXPECT_EQ(wrong, 0U) << one.name;
  }
}

TEST(MatrixProduct, SumsAreExactInAnyOrder) {
  for (const course::Case& one : problem("matrix-product").cases) {
    const Matrices of(one);
    const auto largest = [](const std::vector<std::int64_t>& values) {
      std::int64_t found = 0;
      for (const std::int64_t value : values) found = std::max(found, std::abs(value));
      return found;
    };
    EXPECT_LE(static_cast<std::int64_t>(of.k) * largest(of.a) * largest(of.b), 1 << 24) << one.name;
  }
}

// A format of 11 bits, such as half precision, cannot hold an odd number of 12.
TEST(MatrixProduct, ShowsShorterFormatsInEveryMeasuredCase) {
  for (const course::Case& one : problem("matrix-product").cases) {
    if (!one.measured) continue;
    const Matrices of(one);
    const auto needs_12_bits = [](std::int64_t value) { return std::abs(value) > 2048 && value % 2 != 0; };
    for (std::size_t row = 0; row < of.m; ++row) {
      const auto begin = of.a.begin() + static_cast<std::ptrdiff_t>(row * of.k);
      EXPECT_TRUE(std::any_of(begin, begin + static_cast<std::ptrdiff_t>(of.k), needs_12_bits)) << one.name;
    }
  }
}

TEST(MatrixProduct, HasCasesInWhichAllThreeLengthsDifferAndAreOdd) {
  std::size_t odd = 0;
  for (const course::Case& one : problem("matrix-product").cases) {
    const Matrices of(one);
    if (of.m % 2 + of.n % 2 + of.k % 2 == 3 && std::set{of.m, of.n, of.k}.size() == 3) ++odd;
  }
  EXPECT_GE(odd, 3U);
}

}  // namespace
}  // namespace lockstep::test
