// The values that the judge of "tpacf" expects, compared with angles in long double by another formula; and
// what its cases must hold.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <numbers>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "problem_access.h"

namespace lockstep::test::tpacf_test {
namespace {

using Real = long double;

struct Point {
  double alpha = 0, delta = 0;
};

struct Prepared {
  std::size_t n = 0, m = 0, sets = 0, bins = 0;
  double first = 0;
  int per_decade = 1;
  std::vector<double> data, randoms;
  std::vector<std::uint64_t> counts;
  std::vector<double> correlation;

  Point in_data(std::size_t i) const { return {data[2 * i], data[2 * i + 1]}; }
  Point in_set(std::size_t set, std::size_t i) const {
    return {randoms[2 * (set * m + i)], randoms[2 * (set * m + i) + 1]};
  }
  /// Squares of chords.
  std::vector<Real> edges() const {
    std::vector<Real> edges;
    for (std::size_t k = 0; k <= bins; ++k) {
      const Real degrees = first * std::exp(std::log(10.0L) * static_cast<Real>(k) / per_decade);
      edges.push_back(2 - 2 * std::cos(degrees * std::numbers::pi_v<Real> / 180));
    }
    return edges;
  }
  std::span<const std::uint64_t> kind(std::size_t which) const {
    return std::span(counts).subspan(which * bins, bins);
  }
};

Prepared prepared(const course::Call& call) {
  const auto size = [&](const char* name) { return static_cast<std::size_t>(scalar(call, name)); };
  Prepared made{.n = size("n"), .m = size("m"), .sets = size("sets"), .bins = size("bins")};
  const std::uint64_t bits = argument(call, "first").scalar_bits;
  std::memcpy(&made.first, &bits, sizeof bits);
  made.per_decade = scalar(call, "per_decade");
  made.data = numbers<double>(argument(call, "data").input);
  made.randoms = numbers<double>(argument(call, "randoms").input);
  made.counts = numbers<std::uint64_t>(argument(call, "counts").output.expected);
  made.correlation = numbers<double>(argument(call, "correlation").output.expected);
  EXPECT_EQ(made.data.size(), 2 * made.n);
  EXPECT_EQ(made.randoms.size(), 2 * made.m * made.sets);
  EXPECT_EQ(made.counts.size(), 3 * made.bins);
  EXPECT_EQ(made.correlation.size(), 2 * made.bins);
  return made;
}

Prepared prepare(const course::Case& one, std::uint64_t seed = 7) {
  SplitMix64 random(seed);
  return prepared(one.prepare(random));
}

const course::Case& case_with(const std::string& purpose) {
  for (const course::Case& one : problem("tpacf").cases) {
    if (one.purpose.find(purpose) != std::string::npos) return one;
  }
  throw std::runtime_error("no case is for " + purpose);
}

using Position = std::array<Real, 3>;

Position position(const Point& point) {
  constexpr Real kDegree = std::numbers::pi_v<Real> / 180;
  const Real alpha = point.alpha * kDegree, delta = point.delta * kDegree;
  return {std::cos(delta) * std::cos(alpha), std::cos(delta) * std::sin(alpha), std::sin(delta)};
}

/// The square of the chord of two points, by their cosine.
Real square(const Position& a, const Position& b) {
  return 2 - 2 * (a[0] * b[0] + a[1] * b[1] + a[2] * b[2]);
}

/// f(kind, a, b) for every pair: 0 for DD, 1 for DR, 2 for RR.
template <class F>
void for_pairs(const Prepared& made, const F& f) {
  std::vector<Position> data, randoms;
  for (std::size_t i = 0; i < made.n; ++i) data.push_back(position(made.in_data(i)));
  for (std::size_t i = 0; i < made.m * made.sets; ++i) randoms.push_back(position(made.in_set(0, i)));
  for (std::size_t j = 0; j < made.n; ++j) {
    for (std::size_t i = 0; i < j; ++i) f(0, data[i], data[j]);
  }
  for (std::size_t j = 0; j < randoms.size(); ++j) {
    for (std::size_t i = 0; i < made.n; ++i) f(1, data[i], randoms[j]);
    for (std::size_t i = j / made.m * made.m; i < j; ++i) f(2, randoms[i], randoms[j]);
  }
}

void expect_every_pair_in_its_bin(const Prepared& made, const std::string& name) {
  const std::vector<Real> edges = made.edges();
  std::vector<std::uint64_t> counts(3 * made.bins);
  Real nearest = 4;
  for_pairs(made, [&](std::size_t kind, const Position& a, const Position& b) {
    const Real chord = square(a, b);
    const auto above = std::upper_bound(edges.begin(), edges.end(), chord);
    if (above != edges.end()) nearest = std::min(nearest, *above - chord);
    if (above != edges.begin()) nearest = std::min(nearest, chord - *(above - 1));
    if (above != edges.begin() && above != edges.end())
      ++counts[kind * made.bins + static_cast<std::size_t>(above - edges.begin()) - 1];
  });
  EXPECT_EQ(made.counts, counts) << name;
  EXPECT_GE(nearest, 1e-13L) << name;
}

TEST(Tpacf, EveryPairIsInItsBinAndNoneIsTooCloseToAnEdge) {
  for (const course::Case& one : problem("tpacf").cases) expect_every_pair_in_its_bin(prepare(one), one.name);
}

/// What is remarked where the counts of the first case with many pairs are changed by `change`.
template <class Change>
std::string remark_on(const Change& change) {
  SplitMix64 random(7);
  const course::Output counts =
      argument(case_with("many small random sets").prepare(random), "counts").output;
  std::vector<std::uint64_t> found = numbers<std::uint64_t>(counts.expected);
  change(found);
  return counts.remark(counts.expected, std::as_bytes(std::span(found))).sentence;
}

TEST(Tpacf, OnlyPairsThatMovedToTheNextBinWereRounded) {
  using Counts = std::vector<std::uint64_t>;
  EXPECT_THAT(remark_on([](Counts& found) { --found.at(18), ++found.at(19); }), testing::HasSubstr("float"));
  EXPECT_EQ(remark_on([](Counts& found) { --found.at(19); }), "") << "an update may have been lost";
  EXPECT_EQ(remark_on([](Counts& found) { --found.at(0), --found.at(19); }), "");
}

TEST(Tpacf, TheEstimatorsAreThoseOfTheInterface) {
  for (const course::Case& one : problem("tpacf").cases) {
    const Prepared made = prepare(one);
    const auto n = static_cast<Real>(made.n), m = static_cast<Real>(made.m),
               sets = static_cast<Real>(made.sets);
    for (std::size_t k = 0; k < made.bins; ++k) {
      const auto data = static_cast<Real>(made.kind(0)[k]), both = static_cast<Real>(made.kind(1)[k]),
                 random = static_cast<Real>(made.kind(2)[k]);
      Real landy = 0, source = 0;
      if (random > 0) {
        const Real rr = random / (sets * m * (m - 1) / 2);
        const Real dd = made.n < 2 ? 0 : data / (n * (n - 1) / 2);
        const Real dr = made.n == 0 ? 0 : both / (n * m * sets);
        landy = dd / rr - 2 * dr / rr + 1;
        source = (sets * data - both) / random + 1;
      }
      ASSERT_NEAR(made.correlation[k], static_cast<double>(landy), 1e-11) << one.name << ", bin " << k;
      ASSERT_NEAR(made.correlation[made.bins + k], static_cast<double>(source), 1e-11) << one.name;
    }
  }
}

TEST(Tpacf, StatesThePairsThatAreCounted) {
  for (const course::Case& one : problem("tpacf").cases) {
    const Prepared made = prepare(one);
    double pairs = 0;
    for_pairs(made, [&](std::size_t, const Position&, const Position&) { ++pairs; });
    EXPECT_EQ(one.cost.elements, pairs) << one.name;
  }
}

TEST(Tpacf, CoversTheEdgeCases) {
  std::set<std::size_t> sizes, sets, bins;
  for (const course::Case& one : problem("tpacf").cases) {
    const Prepared made = prepare(one);
    sizes.insert({made.n, made.m});
    sets.insert(made.sets);
    bins.insert(made.bins);
  }
  for (const std::size_t n : {0, 1, 2, 31, 32, 33, 63, 65, 255, 256, 257, 499, 1023, 1025})
    EXPECT_TRUE(sizes.contains(n)) << n;
  EXPECT_TRUE(sets.contains(0) && sets.contains(1)) << "no random set, and a single one";
  EXPECT_GE(*sets.rbegin(), 64U);
  EXPECT_TRUE(bins.contains(1) && bins.contains(64)) << "a single bin, and as many as there may be";
}

TEST(Tpacf, CoordinatesAndBinsStayWhereTheInterfaceSays) {
  for (const course::Case& one : problem("tpacf").cases) {
    const Prepared made = prepare(one);
    for (const std::vector<double>& points : {made.data, made.randoms}) {
      for (std::size_t i = 0; i < points.size(); i += 2) {
        ASSERT_TRUE(points[i] >= 0 && points[i] < 360) << one.name;
        ASSERT_LE(std::abs(points[i + 1]), 90) << one.name;
      }
    }
    EXPECT_GE(made.first, 0.001) << one.name;
    EXPECT_LT(made.first * std::pow(10.0, static_cast<double>(made.bins) / made.per_decade), 180) << one.name;
    EXPECT_TRUE(made.per_decade >= 1 && made.per_decade <= 20) << one.name;
  }
}

/// w of Landy and Szalay, in standard deviations by Poisson's law.
double deviations(const Prepared& made, std::size_t k) {
  const double w = made.correlation[k];
  return w / ((1 + w) / std::sqrt(static_cast<double>(made.kind(0)[k])));
}

TEST(Tpacf, GalaxiesClusterAtSmallDistances) {
  const Prepared made = prepare(case_with("galaxies that cluster"));
  int looked_at = 0;
  for (std::size_t k = 0; k < made.bins; ++k) {
    const double end = made.first * std::pow(10.0, static_cast<double>(k + 1) / made.per_decade);
    if (made.kind(0)[k] < 50 || end > 6) continue;
    ++looked_at;
    EXPECT_GT(deviations(made, k), 4) << "bin " << k;
  }
  EXPECT_GE(looked_at, 2);
  EXPECT_GT(made.correlation[1], 3 * std::abs(made.correlation[made.bins - 2]))
      << "w falls with the distance";
}

TEST(Tpacf, PointsWithoutAPatternHaveNoCorrelation) {
  const Prepared made = prepare(case_with("tiles that end anywhere"));
  std::size_t looked_at = 0;
  for (std::size_t k = 0; k < made.bins; ++k) {
    if (made.kind(0)[k] < 30) continue;
    // With three random sets their own scatter is as large as half of that of the data.
    EXPECT_LT(std::abs(deviations(made, k)), 4.5) << "bin " << k;
    ++looked_at;
  }
  EXPECT_GE(looked_at, 6U);
}

/// Pairs whose bin is another by the formula, of positions in float.
std::size_t wrong_in_float(const Prepared& made,
                           const std::function<float(const float*, const float*)>& formula) {
  const std::vector<Real> edges = made.edges();
  const auto in_float = [](const Position& p) {
    return std::array{static_cast<float>(p[0]), static_cast<float>(p[1]), static_cast<float>(p[2])};
  };
  std::size_t wrong = 0;
  for_pairs(made, [&](std::size_t, const Position& a, const Position& b) {
    const auto x = in_float(a), y = in_float(b);
    const auto bin = [&](Real value) {
      return std::upper_bound(edges.begin(), edges.end(), value) - edges.begin();
    };
    wrong += bin(square(a, b)) != bin(formula(x.data(), y.data())) ? 1 : 0;
  });
  return wrong;
}

float chord_in_float(const float* x, const float* y) {
  float sum = 0;
  for (int i = 0; i < 3; ++i) sum += (x[i] - y[i]) * (x[i] - y[i]);
  return sum;
}

TEST(Tpacf, FloatAloneWouldMissPairsAtEdges) {
  EXPECT_GE(wrong_in_float(prepare(case_with("float cannot decide")), chord_in_float), 50U);
}

TEST(Tpacf, CosinesInFloatWouldMissACrowd) {
  const Prepared made = prepare(case_with("a crowd"));
  const auto by_cosine = [](const float* x, const float* y) {
    return 2 - 2 * (x[0] * y[0] + x[1] * y[1] + x[2] * y[2]);
  };
  const std::size_t wrong = wrong_in_float(made, by_cosine);
  EXPECT_GE(static_cast<double>(wrong), 0.1 * case_with("a crowd").cost.elements);
}

TEST(Tpacf, SomeCasesHavePairsOutsideOfAllBins) {
  std::size_t below = 0, beyond = 0;
  for (const char* purpose : {"coincide", "pairs beyond"}) {
    const Prepared made = prepare(case_with(purpose));
    const std::vector<Real> edges = made.edges();
    for_pairs(made, [&](std::size_t, const Position& a, const Position& b) {
      below += square(a, b) < edges.front() ? 1 : 0;
      beyond += square(a, b) > edges.back() ? 1 : 0;
    });
  }
  EXPECT_GE(below, 100U);
  EXPECT_GE(beyond, 20U);
}

TEST(Tpacf, CallsOfOneSurveyAreRightAndHaveNoCoordinateInCommon) {
  SplitMix64 shared(7), one(1), another(2);
  const auto make = case_with("turned").prepare_many(shared);
  const Prepared a = prepared(make(one)), b = prepared(make(another));
  std::set<double> seen(a.data.begin(), a.data.end());
  seen.insert(a.randoms.begin(), a.randoms.end());
  for (const double coordinate : b.data) EXPECT_FALSE(seen.contains(coordinate));
  for (const double coordinate : b.randoms) EXPECT_FALSE(seen.contains(coordinate));
  EXPECT_NE(a.counts, b.counts) << "some points have moved";
  expect_every_pair_in_its_bin(a, "the first call");
  expect_every_pair_in_its_bin(b, "the second call");
}

TEST(Tpacf, AsksForTheWorkspaceWithPointsSetsAndBins) {
  const std::optional<course::WorkspaceQuery>& query = problem("tpacf").workspace;
  ASSERT_TRUE(query);
  for (const course::Case& one : problem("tpacf").cases) {
    SplitMix64 random(7);
    const course::Call call = one.prepare(random);
    const auto size = [&](const char* name) { return static_cast<std::uint64_t>(scalar(call, name)); };
    EXPECT_THAT(query->arguments(call),
                testing::ElementsAre(size("n"), size("m"), size("sets"), size("bins")))
        << one.name;
    EXPECT_EQ(query->limit_bytes(call),
              128 * (size("n") + size("m") * size("sets")) + 8192 * (size("sets") + 1) + (4U << 20))
        << one.name;
  }
}

}  // namespace
}  // namespace lockstep::test::tpacf_test
