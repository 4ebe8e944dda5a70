// The products that the judge of "tensor-cores" expects, compared with sums in double precision, what its
// inputs show, and the tolerance of its fractions.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <set>
#include <string>
#include <vector>

#include "problem_access.h"
#include "product_lines.h"

namespace lockstep::test::tensor_cores_test {
namespace {

constexpr double kMaxExact = 1 << 24;  // whole numbers up to there are floats

course::Call any_call(const course::Case& one) {
  SplitMix64 random(7);
  return one.prepare(random);
}

/// One call of a case, with elements as numbers: products of two are exact in double precision.
struct Matrices {
  explicit Matrices(const course::Case& one) : Matrices(any_call(one)) {}
  explicit Matrices(const course::Call& call) {
    m = static_cast<std::size_t>(scalar(call, "m"));
    n = static_cast<std::size_t>(scalar(call, "n"));
    k = static_cast<std::size_t>(scalar(call, "k"));
    a = widened(input<std::uint16_t>(call, "a"));
    b = widened(input<std::uint16_t>(call, "b"));
    c = numbers<float>(argument(call, "c").output.expected);
    tolerance = argument(call, "c").output.tolerance;
  }

  static std::vector<double> widened(const std::vector<std::uint16_t>& halves) {
    std::vector<double> values;
    for (const std::uint16_t half : halves)
      values.push_back(static_cast<double>(std::bit_cast<float>(std::uint32_t{half} << 16)));
    return values;
  }

  /// The products whose sum is an element of C, in the order of i.
  std::vector<double> products(std::size_t row, std::size_t column) const {
    std::vector<double> values(k);
    for (std::size_t i = 0; i < k; ++i) values[i] = a[row * k + i] * b[i * n + column];
    return values;
  }
  bool is_exact() const { return tolerance.absolute == 0 && tolerance.relative == 0; }

  std::size_t m = 0, n = 0, k = 0;
  std::vector<double> a, b;
  std::vector<float> c;
  course::Tolerance tolerance;
};

/// The first ones of a GPU alone and of those that are timed, too; the others are made by the same code, and
/// their sums take long here.
std::vector<course::Case> cases() {
  const course::Problem& tensor_cores = problem("tensor-cores");
  std::vector<course::Case> all = tensor_cores.cases;
  all.push_back(tensor_cores.gpu_cases.front());
  all.push_back(tensor_cores.speed->sizes.front());
  return all;
}

void expect_sums_of_products(const Matrices& of, const std::string& name) {
  ASSERT_EQ(of.a.size(), of.m * of.k) << name;
  ASSERT_EQ(of.b.size(), of.k * of.n) << name;
  ASSERT_EQ(of.c.size(), of.m * of.n) << name;
  std::size_t wrong = 0;
  std::vector<double> sums(of.n);
  for (std::size_t row = 0; row < of.m; ++row) {
    std::fill(sums.begin(), sums.end(), 0);
    for (std::size_t i = of.k; i-- > 0;) {
      for (std::size_t column = 0; column < of.n; ++column)
        sums[column] += of.a[row * of.k + i] * of.b[i * of.n + column];
    }
    for (std::size_t column = 0; column < of.n; ++column)
      wrong += static_cast<float>(sums[column]) == of.c[row * of.n + column] ? 0 : 1;
  }
  EXPECT_EQ(wrong, 0U) << name;
}

TEST(TensorCores, ExpectsTheSumOfTheProductsOfRowsAndColumns) {
  for (const course::Case& one : cases()) expect_sums_of_products(Matrices(one), one.name);
}

TEST(TensorCores, ProductsAreWholeAndSumsExactInAnyOrderWhereNoToleranceIsGiven) {
  std::size_t with_tolerance = 0;
  for (const course::Case& one : cases()) {
    const Matrices of(one);
    if (!of.is_exact()) {
      ++with_tolerance;
      continue;
    }
    double sum = 0;
    for (std::size_t i = 0; i < of.k; ++i) {
      double largest_of_a = 0, largest_of_b = 0;
      for (std::size_t row = 0; row < of.m; ++row)
        largest_of_a = std::max(largest_of_a, std::abs(of.a[row * of.k + i]));
      for (std::size_t column = 0; column < of.n; ++column) {
        const double of_b = of.b[i * of.n + column];
        largest_of_b = std::max(largest_of_b, std::abs(of_b));
        if (of.m > 0) {
          const double any = of_b * of.a[i];
          EXPECT_EQ(any, std::rint(any)) << one.name;
        }
      }
      sum += largest_of_a * largest_of_b;
    }
    EXPECT_LE(sum, kMaxExact) << one.name;
  }
  EXPECT_EQ(with_tolerance, 1U);
}

/// Whether a number needs all 8 bits.
bool is_wide(double number) {
  int exponent = 0;
  const double bits = std::ldexp(std::frexp(number, &exponent), 7);
  return bits != std::rint(bits);
}

TEST(TensorCores, ShowsShorterAndNarrowerFormatsInTheMeasuredAndTimedCases) {
  constexpr double kLargestHalf = 65504;
  for (const course::Case& one : cases()) {
    if (!one.measured && !one.prepare_many) continue;
    const Matrices of(one);
    const auto exceeds = [](double value) { return std::abs(value) > kLargestHalf; };
    EXPECT_TRUE(std::ranges::any_of(of.a, exceeds)) << one.name;
    EXPECT_TRUE(std::ranges::any_of(of.b, exceeds)) << one.name;
    expect_in_every_line(of, is_wide, one.name);
  }
}

/// Without sign and power of two.
double fraction_of(double number) {
  int exponent = 0;
  return std::abs(std::frexp(number, &exponent));
}

TEST(TensorCores, TimedCallsMadeOfOneProductAreRightAndHaveNoRowOrColumnInCommon) {
  SplitMix64 shared(7), one(1), another(2);
  const auto make = problem("tensor-cores").speed->sizes.front().prepare_many(shared);
  const Matrices a(make(one)), b(make(another));
  expect_sums_of_products(a, "the first call");
  expect_sums_of_products(b, "the second call");
  expect_no_line_in_common(a, b, fraction_of);
}

TEST(TensorCores, MagnitudesOfTheLongestTimedSumsStayBelowWhatAFloatHoldsExactly) {
  constexpr double kLongest = 8192, kLargest = 255.0 * 8;  // whole numbers of 8 bits, times smaller ones
  const Matrices of(problem("tensor-cores").speed->sizes.front());
  double largest = 0;
  for (std::size_t i = 0; i < of.k; ++i) {
    double of_a = 0, of_b = 0;
    for (std::size_t row = 0; row < of.m; ++row) of_a = std::max(of_a, std::abs(of.a[row * of.k + i]));
    for (std::size_t column = 0; column < of.n; ++column)
      of_b = std::max(of_b, std::abs(of.b[i * of.n + column]));
    largest = std::max(largest, of_a * of_b);
  }
  EXPECT_LE(largest, kLargest);
  EXPECT_GT(largest, 0.9 * kLargest);
  EXPECT_LT(kLargest * kLongest, kMaxExact);
  EXPECT_EQ(problem("tensor-cores").speed->larger.back().name, "8192 x 8192 x 8192") << "none is longer";
}

/// Whatever power of two a column of A is divided by: half of the columns are wide, with magnitudes of more
/// than 127 times the smallest one.
TEST(TensorCores, ElementsOfTimedCallsNeedMoreThanIntegersOf8Bits) {
  constexpr double kLargestInteger = 127;
  const Matrices of(problem("tensor-cores").speed->sizes.front());
  std::size_t wide = 0;
  for (std::size_t i = 0; i < of.k; ++i) {
    double smallest = HUGE_VAL, largest = 0;
    for (std::size_t row = 0; row < of.m; ++row) {
      const double one = std::abs(of.a[row * of.k + i]);
      largest = std::max(largest, one);
      if (one != 0) smallest = std::min(smallest, one);
    }
    wide += largest > kLargestInteger * smallest ? 1 : 0;
  }
  EXPECT_GT(wide, of.k / 3);
  EXPECT_LT(wide, of.k * 2 / 3);
}

TEST(TensorCores, RowsBeginAtMultiplesOf16Bytes) {
  const course::SpeedTask& speed = *problem("tensor-cores").speed;
  std::vector<std::string> names;
  for (const auto* timed : {&speed.sizes, &speed.larger, &speed.variations}) {
    for (const course::Case& one : *timed) names.push_back(one.name);
  }
  for (const course::Case& one : cases()) names.push_back(one.name);
  for (const std::string& name : names) {
    int m = 0, n = 0, k = 0;
    ASSERT_EQ(std::sscanf(name.c_str(), "%d x %d x %d", &m, &n, &k), 3) << name;
    EXPECT_EQ(n % 8, 0) << name;
    EXPECT_EQ(k % 8, 0) << name;
  }
}

TEST(TensorCores, HasCasesInWhichAllThreeLengthsDifferAndNoneIsAMultipleOf16) {
  std::size_t found = 0;
  for (const course::Case& one : cases()) {
    const Matrices of(one);
    if (of.m % 16 != 0 && of.n % 16 != 0 && of.k % 16 != 0 && std::set{of.m, of.n, of.k}.size() == 3) ++found;
  }
  EXPECT_GE(found, 3U);
}

/// Adds `count` products at a time to a sum as tensor cores do: all are shifted to the largest exponent, and
/// what lies below 24 bits is cut off, of the result too.
double sum_of_cut_products(const std::vector<double>& products, std::size_t count) {
  double sum = 0;
  for (std::size_t first = 0; first < products.size(); first += count) {
    std::vector<double> addends = {sum};
    for (std::size_t i = first; i < std::min(first + count, products.size()); ++i)
      addends.push_back(products[i]);
    const auto cut = [](double value, int exponent) {
      return std::ldexp(std::trunc(std::ldexp(value, 24 - exponent)), exponent - 24);
    };
    int largest = 0, exponent = 0;
    for (const double one : addends) {
      std::frexp(one, &exponent);
      largest = std::max(largest, exponent);
    }
    sum = 0;
    for (const double one : addends) sum += cut(one, largest);
    std::frexp(sum, &exponent);
    sum = cut(sum, exponent);
  }
  return sum;
}

TEST(TensorCores, TheToleranceOfFractionsAllowsCutSumsAndNoSumsOf8Bits) {
  const auto& all = problem("tensor-cores").cases;
  const auto one = std::ranges::find_if(all, [](const auto& any) { return !Matrices(any).is_exact(); });
  ASSERT_NE(one, all.end());
  const Matrices of(*one);
  std::size_t close_of_8_bits = 0;
  for (std::size_t row = 0; row < of.m; ++row) {
    for (std::size_t column = 0; column < of.n; ++column) {
      const double expected = of.c[row * of.n + column], allowed = of.tolerance.relative * expected;
      const std::vector<double> products = of.products(row, column);
      for (const std::size_t count : {1, 4, 8, 16})
        EXPECT_LE(std::abs(sum_of_cut_products(products, count) - expected), allowed);
      int exponent = 0;
      std::frexp(expected, &exponent);
      const double short_sum = std::ldexp(std::rint(std::ldexp(expected, 8 - exponent)), exponent - 8);
      close_of_8_bits += std::abs(short_sum - expected) <= allowed ? 1 : 0;
    }
  }
  EXPECT_LT(close_of_8_bits, of.c.size() / 10);
}

}  // namespace
}  // namespace lockstep::test::tensor_cores_test
