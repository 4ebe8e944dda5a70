// The values that the judge of "tpacf-jackknife" expects, compared with pairs that are counted anew for each
// region; what its cases must hold; and the covariance that the exercise makes of counts.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <numbers>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "18-tpacf-jackknife/covariance.h"
#include "problem_access.h"

namespace lockstep::test::tpacf_jackknife_test {
namespace {

using Real = long double;
using Counts = std::vector<std::uint64_t>;
using Position = std::array<Real, 3>;

struct Prepared {
  std::string name;
  std::size_t n = 0, regions = 0, bins = 0;
  double first = 0;
  int per_decade = 1;
  std::vector<double> points;
  std::vector<int> region_of;  ///< with what lies behind
  Counts counts;

  std::uint64_t all(std::size_t k) const { return counts[k]; }
  std::uint64_t without(std::size_t region, std::size_t k) const { return counts[(1 + region) * bins + k]; }
};

Prepared prepare(const course::Case& one, std::uint64_t seed = 7) {
  SplitMix64 random(seed);
  const course::Call call = one.prepare(random);
  const auto size = [&](const char* name) { return static_cast<std::size_t>(scalar(call, name)); };
  Prepared made{.name = one.name, .n = size("n"), .regions = size("regions"), .bins = size("bins")};
  std::memcpy(&made.first, &argument(call, "first").scalar_bits, sizeof made.first);
  made.per_decade = scalar(call, "per_decade");
  made.points = input<double>(call, "points");
  made.region_of = input<int>(call, "region_of");
  made.counts = numbers<std::uint64_t>(argument(call, "counts").output.expected);
  return made;
}

const std::vector<Prepared>& all_prepared() {
  static const std::vector<Prepared> all = [] {
    std::vector<Prepared> made;
    for (const course::Case& one : problem("tpacf-jackknife").cases) made.push_back(prepare(one));
    return made;
  }();
  return all;
}

constexpr Real kDegree = std::numbers::pi_v<Real> / 180;

/// For each pair i < j, in this order, by the cosine of its angle: how many edges are not above it. Also the
/// least distance of any from an edge, as squares of chords.
struct Sorted {
  std::vector<std::size_t> edges_up_to;
  Real nearest = 4;
};

Sorted sorted_pairs(const Prepared& made) {
  std::vector<Real> edges;  // squares of chords
  for (std::size_t k = 0; k <= made.bins; ++k) {
    const Real degrees = made.first * std::exp(std::log(10.0L) * static_cast<Real>(k) / made.per_decade);
    edges.push_back(2 - 2 * std::cos(degrees * kDegree));
  }
  std::vector<Position> at;
  for (std::size_t i = 0; i < made.n; ++i) {
    const Real alpha = made.points[2 * i] * kDegree, delta = made.points[2 * i + 1] * kDegree;
    at.push_back({std::cos(delta) * std::cos(alpha), std::cos(delta) * std::sin(alpha), std::sin(delta)});
  }
  Sorted sorted;
  for (std::size_t i = 0; i < made.n; ++i) {
    for (std::size_t j = i + 1; j < made.n; ++j) {
      const Real square = 2 - 2 * (at[i][0] * at[j][0] + at[i][1] * at[j][1] + at[i][2] * at[j][2]);
      const auto above = std::upper_bound(edges.begin(), edges.end(), square);
      if (above != edges.end()) sorted.nearest = std::min(sorted.nearest, *above - square);
      if (above != edges.begin()) sorted.nearest = std::min(sorted.nearest, square - *(above - 1));
      sorted.edges_up_to.push_back(static_cast<std::size_t>(above - edges.begin()));
    }
  }
  return sorted;
}

/// Pairs of each bin of which neither point lies in `left_out`; -1 leaves out none.
Counts counted(const Prepared& made, const Sorted& sorted, int left_out) {
  Counts counts(made.bins);
  std::size_t pair = 0;
  for (std::size_t i = 0; i < made.n; ++i) {
    for (std::size_t j = i + 1; j < made.n; ++j) {
      const std::size_t below = sorted.edges_up_to[pair++];
      if (made.region_of[i] == left_out || made.region_of[j] == left_out) continue;
      if (below > 0 && below <= made.bins) ++counts[below - 1];
    }
  }
  return counts;
}

TEST(TpacfJackknife, CountsAreThoseOfThePointsThatAreLeft) {
  for (const Prepared& made : all_prepared()) {
    const Sorted sorted = sorted_pairs(made);
    EXPECT_GE(sorted.nearest, 1e-13L) << made.name;
    Counts counts;
    for (int left_out = -1; left_out < static_cast<int>(made.regions); ++left_out) {
      const Counts row = counted(made, sorted, left_out);
      counts.insert(counts.end(), row.begin(), row.end());
    }
    EXPECT_EQ(made.counts, counts) << made.name;
  }
}

TEST(TpacfJackknife, StatesThePairsAndTheBytes) {
  for (const course::Case& one : problem("tpacf-jackknife").cases) {
    const Prepared made = prepare(one);
    EXPECT_EQ(one.cost.elements, static_cast<double>(sorted_pairs(made).edges_up_to.size())) << one.name;
    EXPECT_EQ(one.cost.global_bytes, static_cast<double>(20 * made.n + 8 * made.counts.size())) << one.name;
  }
}

TEST(TpacfJackknife, StaysWithinItsInterface) {
  for (const Prepared& made : all_prepared()) {
    ASSERT_EQ(made.points.size(), 2 * made.n) << made.name;
    ASSERT_GE(made.region_of.size(), made.n) << made.name;
    ASSERT_EQ(made.counts.size(), (1 + made.regions) * made.bins) << made.name;
    for (std::size_t i = 0; i < made.n; ++i) {
      ASSERT_TRUE(made.points[2 * i] >= 0 && made.points[2 * i] < 360) << made.name;
      ASSERT_LE(std::abs(made.points[2 * i + 1]), 90) << made.name;
      ASSERT_TRUE(made.region_of[i] >= 0 && made.region_of[i] < static_cast<int>(made.regions)) << made.name;
    }
    EXPECT_TRUE(made.bins >= 1 && made.bins <= 64 && made.regions >= 1 && made.regions <= 64) << made.name;
    EXPECT_TRUE(made.per_decade >= 1 && made.per_decade <= 20) << made.name;
    EXPECT_GE(made.first, 0.001) << made.name;
    EXPECT_LT(made.first * std::pow(10.0, static_cast<double>(made.bins) / made.per_decade), 180);
  }
}

/// How many points each region has.
std::vector<std::size_t> sizes_of(const Prepared& made) {
  std::vector<std::size_t> sizes(made.regions);
  for (std::size_t i = 0; i < made.n; ++i) ++sizes[static_cast<std::size_t>(made.region_of[i])];
  return sizes;
}

TEST(TpacfJackknife, CoversTheEdgeCases) {
  std::set<std::size_t> lengths, regions, bins;
  bool has_fewer_points = false, all_in_one = false, goes_on = false, ends_with_its_buffer = false;
  for (const Prepared& made : all_prepared()) {
    lengths.insert(made.n);
    regions.insert(made.regions);
    bins.insert(made.bins);
    has_fewer_points = has_fewer_points || (made.n > 1 && made.n < made.regions);
    const std::vector<std::size_t> sizes = sizes_of(made);
    all_in_one = all_in_one || (made.n > 100 && made.regions > 1 &&
                                *std::max_element(sizes.begin(), sizes.end()) == made.n);
    goes_on = goes_on || made.region_of.size() > made.n;
    ends_with_its_buffer = ends_with_its_buffer || (made.n % 128 != 0 && made.region_of.size() == made.n);
  }
  for (const std::size_t n : {0, 1, 2, 31, 32, 33, 499, 1023, 1024, 1025})
    EXPECT_TRUE(lengths.contains(n)) << n;
  EXPECT_TRUE(regions.contains(1) && regions.contains(64));
  EXPECT_TRUE(bins.contains(1) && bins.contains(64));
  EXPECT_TRUE(has_fewer_points && all_in_one && goes_on && ends_with_its_buffer);
}

TEST(TpacfJackknife, RegionsHaveEquallyManyPointsWhereItIsMeasured) {
  for (const course::Case& one : problem("tpacf-jackknife").cases) {
    if (!one.measured) continue;
    const std::vector<std::size_t> sizes = sizes_of(prepare(one));
    const auto [least, most] = std::minmax_element(sizes.begin(), sizes.end());
    EXPECT_LE(*most - *least, 1U) << one.name;
  }
}

TEST(TpacfJackknife, SomePairsLieBeforeTheFirstBinAndSomeBeyondTheLast) {
  std::size_t before = 0, beyond = 0;
  for (const Prepared& made : all_prepared()) {
    for (const std::size_t below : sorted_pairs(made).edges_up_to) {
      before += below == 0 ? 1 : 0;
      beyond += below > made.bins ? 1 : 0;
    }
  }
  EXPECT_GE(before, 100U);
  EXPECT_GE(beyond, 100U);
}

TEST(TpacfJackknife, RemarksOnRowsAloneWhereAllPairsAreRight) {
  SplitMix64 random(7);
  const course::Output counts =
      argument(problem("tpacf-jackknife").cases.back().prepare(random), "counts").output;
  const auto remark_on = [&](const auto& change) {
    Counts found = numbers<std::uint64_t>(counts.expected);
    change(found);
    return counts.remark(counts.expected, std::as_bytes(std::span(found))).sentence;
  };
  EXPECT_THAT(remark_on([](Counts& found) { --found.at(25); }), testing::HasSubstr("of 3 regions"));
  EXPECT_THAT(remark_on([](Counts& found) { --found.at(25), --found.at(45); }), testing::HasSubstr("2 have"));
  EXPECT_EQ(remark_on([](Counts& found) { --found.at(19), --found.at(25); }), "");
}

TEST(TpacfJackknife, AsksForTheWorkspaceWithPointsRegionsAndBins) {
  const std::optional<course::WorkspaceQuery>& query = problem("tpacf-jackknife").workspace;
  ASSERT_TRUE(query);
  for (const course::Case& one : problem("tpacf-jackknife").cases) {
    SplitMix64 random(7);
    const course::Call call = one.prepare(random);
    const auto size = [&](const char* name) { return static_cast<std::uint64_t>(scalar(call, name)); };
    EXPECT_THAT(query->arguments(call), testing::ElementsAre(size("n"), size("regions"), size("bins")))
        << one.name;
    EXPECT_EQ(query->limit_bytes(call), 128 * size("n") + (4U << 20)) << one.name;
  }
}

// --- covariance.h ---

TEST(JackknifeCovariance, OfMeansWithoutOneValueIsThatOfTheMean) {
  // The delete-one jackknife of a mean is the variance of the sample over its size, exactly.
  const std::vector<double> x = {3, -1, 4, 1, -5, 9, 2, 6}, y = {2, 7, 1, 8, 2, -8, 1, 8};
  const auto n = static_cast<double>(x.size());
  const auto sum = [](const std::vector<double>& values) {
    double all = 0;
    for (const double value : values) all += value;
    return all;
  };
  std::vector<std::vector<double>> means;
  for (std::size_t i = 0; i < x.size(); ++i)
    means.push_back({(sum(x) - x[i]) / (n - 1), (sum(y) - y[i]) / (n - 1)});
  double xx = 0, xy = 0, yy = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double dx = x[i] - sum(x) / n, dy = y[i] - sum(y) / n;
    xx += dx * dx / (n - 1) / n;
    xy += dx * dy / (n - 1) / n;
    yy += dy * dy / (n - 1) / n;
  }
  const std::vector<double> found = jackknife_covariance(means);
  ASSERT_EQ(found.size(), 4U);
  EXPECT_NEAR(found[0], xx, 1e-12);
  EXPECT_NEAR(found[1], xy, 1e-12);
  EXPECT_NEAR(found[2], xy, 1e-12);
  EXPECT_NEAR(found[3], yy, 1e-12);
}

TEST(JackknifeCovariance, OfOneRegionIsNothing) {
  EXPECT_EQ(jackknife_covariance({{0.5, 0.25}}), std::vector<double>(4));
  EXPECT_TRUE(jackknife_covariance({}).empty());
}

/// Counts by region of points on a line, where a pair's bin is its distance: the rows of the interface.
LeftOutCounts on_a_line(const std::vector<int>& at, const std::vector<int>& region_of, std::size_t regions,
                        std::size_t bins) {
  LeftOutCounts made{.bins = bins, .points = std::vector<std::size_t>(regions), .counts = {}};
  for (const int region : region_of) ++made.points[static_cast<std::size_t>(region)];
  for (int left_out = -1; left_out < static_cast<int>(regions); ++left_out) {
    std::vector<unsigned long long> row(bins);
    for (std::size_t i = 0; i < at.size(); ++i) {
      for (std::size_t j = 0; j < i; ++j) {
        const auto bin = static_cast<std::size_t>(std::abs(at[i] - at[j]));
        if (region_of[i] != left_out && region_of[j] != left_out && bin < bins) ++row[bin];
      }
    }
    made.counts.insert(made.counts.end(), row.begin(), row.end());
  }
  return made;
}

TEST(JackknifeCovariance, CorrelationsAreThoseOfThePointsThatAreLeft) {
  const std::vector<int> data = {0, 1, 1, 4, 5, 9}, data_regions = {0, 0, 0, 1, 1, 2},
                         randoms = {0, 2, 3, 4, 6, 7, 8, 9}, randoms_regions = {0, 0, 1, 1, 1, 2, 2, 2};
  constexpr std::size_t kRegions = 3, kBins = 4;
  std::vector<int> both = data, both_regions = data_regions;
  both.insert(both.end(), randoms.begin(), randoms.end());
  both_regions.insert(both_regions.end(), randoms_regions.begin(), randoms_regions.end());
  const auto w = left_out_correlations(on_a_line(data, data_regions, kRegions, kBins),
                                       on_a_line(randoms, randoms_regions, kRegions, kBins),
                                       on_a_line(both, both_regions, kRegions, kBins));
  ASSERT_EQ(w.size(), kRegions);
  for (int left_out = 0; left_out < static_cast<int>(kRegions); ++left_out) {
    const auto left = [&](const std::vector<int>& at, const std::vector<int>& region_of) {
      std::vector<int> kept;
      for (std::size_t i = 0; i < at.size(); ++i)
        if (region_of[i] != left_out) kept.push_back(at[i]);
      return kept;
    };
    const std::vector<int> galaxies = left(data, data_regions), others = left(randoms, randoms_regions);
    for (std::size_t k = 0; k < kBins; ++k) {
      double DD = 0, DR = 0, RR = 0;  // ordered pairs, points with themselves left out
      const auto is_in_bin = [k](int a, int b) { return std::abs(a - b) == static_cast<int>(k) ? 1 : 0; };
      for (std::size_t i = 0; i < galaxies.size(); ++i)
        for (std::size_t j = 0; j < galaxies.size(); ++j)
          DD += i == j ? 0 : is_in_bin(galaxies[i], galaxies[j]);
      for (std::size_t i = 0; i < others.size(); ++i)
        for (std::size_t j = 0; j < others.size(); ++j) RR += i == j ? 0 : is_in_bin(others[i], others[j]);
      for (const int galaxy : galaxies)
        for (const int other : others) DR += is_in_bin(galaxy, other);
      const auto n = static_cast<double>(galaxies.size()), m = static_cast<double>(others.size());
      const double rr = RR / (m * (m - 1));
      const double expected = RR == 0 ? 0 : (DD / (n * (n - 1)) - 2 * DR / (n * m) + rr) / rr;
      EXPECT_NEAR(w[static_cast<std::size_t>(left_out)][k], expected, 1e-12) << left_out << ", " << k;
    }
  }
}

}  // namespace
}  // namespace lockstep::test::tpacf_jackknife_test
