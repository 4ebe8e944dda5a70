// The masks that the judge of "flood" expects, compared with components that are joined by relabelling; and
// what its cases and its large maps must hold.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <set>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "problem_access.h"

namespace lockstep::test::flood_test {
namespace {

struct Prepared {
  int rows = 0, columns = 0, neighbourhood = 0;
  float level = 0;
  std::vector<float> heights;
  std::vector<int> sources;
  std::vector<unsigned char> mask;

  std::size_t cell(int row, int column) const {
    return static_cast<std::size_t>(row) * static_cast<std::size_t>(columns) +
           static_cast<std::size_t>(column);
  }
  bool is_wet(std::size_t at) const { return heights[at] < level; }
};

Prepared prepared(const course::Call& call) {
  Prepared made{.rows = scalar(call, "rows"),
                .columns = scalar(call, "columns"),
                .neighbourhood = scalar(call, "neighbourhood"),
                .heights = numbers<float>(argument(call, "heights").input),
                .sources = numbers<int>(argument(call, "sources").input),
                .mask = numbers<unsigned char>(argument(call, "mask").output.expected)};
  std::memcpy(&made.level, &argument(call, "level").scalar_bits, sizeof made.level);
  const std::size_t cells = made.cell(made.rows, 0);
  EXPECT_EQ(made.heights.size(), cells);
  EXPECT_EQ(made.mask.size(), cells);
  EXPECT_EQ(made.sources.size(), static_cast<std::size_t>(scalar(call, "source_count")));
  return made;
}

Prepared prepare(const course::Case& one) {
  SplitMix64 random(7);
  return prepared(one.prepare(random));
}

const std::vector<course::Case>& cases() { return problem("flood").cases; }

const course::Case& case_that_holds(const std::string& part) {
  for (const course::Case& one : cases()) {
    if (one.name.find(part) != std::string::npos) return one;
  }
  throw std::runtime_error("no case's name holds " + part);
}

/// A number for each cell that is the same in a component of wet cells: the smallest is handed on to and fro
/// until none changes. Another way than the judge's, which searches from the sources.
std::vector<std::size_t> components_of(const Prepared& made) {
  std::vector<std::size_t> labels(made.heights.size());
  std::iota(labels.begin(), labels.end(), 0U);
  const auto take = [&](std::size_t to, int row, int column) {
    if (row < 0 || row >= made.rows || column < 0 || column >= made.columns) return false;
    const std::size_t from = made.cell(row, column);
    if (!made.is_wet(from) || labels[from] >= labels[to]) return false;
    labels[to] = labels[from];
    return true;
  };
  for (bool changed = true; changed;) {
    changed = false;
    for (const int to_the_end : {1, 0}) {
      for (std::size_t i = 0; i < labels.size(); ++i) {
        const std::size_t at = to_the_end != 0 ? i : labels.size() - 1 - i;
        if (!made.is_wet(at)) continue;
        const auto row = static_cast<int>(at / static_cast<std::size_t>(made.columns));
        const auto column = static_cast<int>(at % static_cast<std::size_t>(made.columns));
        for (const auto& [down, right] : {std::pair(0, -1), {0, 1}, {-1, 0}, {1, 0}})
          changed |= take(at, row + down, column + right);
        for (const auto& [down, right] : {std::pair(-1, -1), {-1, 1}, {1, -1}, {1, 1}})
          changed |= made.neighbourhood == 8 && take(at, row + down, column + right);
      }
    }
  }
  return labels;
}

TEST(Flood, WaterStandsInTheComponentsOfWetSources) {
  for (const course::Case& one : cases()) {
    const Prepared made = prepare(one);
    const std::vector<std::size_t> labels = components_of(made);
    std::set<std::size_t> with_water;
    for (const int source : made.sources) {
      const auto at = static_cast<std::size_t>(source);
      ASSERT_LT(at, made.heights.size()) << one.name;
      if (made.is_wet(at)) with_water.insert(labels[at]);
    }
    for (std::size_t at = 0; at < labels.size(); ++at) {
      const bool water = made.is_wet(at) && with_water.contains(labels[at]);
      ASSERT_EQ(made.mask[at], water ? 1 : 0) << one.name << ", cell " << at;
    }
  }
}

TEST(Flood, CoversTheEdgeCases) {
  std::set<int> rows, columns;
  for (const course::Case& one : cases()) {
    const Prepared made = prepare(one);
    rows.insert(made.rows);
    columns.insert(made.columns);
    EXPECT_EQ(one.cost.elements, static_cast<double>(made.mask.size())) << one.name;
    EXPECT_EQ(one.cost.global_bytes, static_cast<double>(5 * made.mask.size())) << one.name;
  }
  for (const int side : {1, 31, 32, 33}) EXPECT_TRUE(rows.contains(side) && columns.contains(side)) << side;
  EXPECT_TRUE(rows.contains(0));
  for (const int prime : {997, 37, 101})
    EXPECT_TRUE(columns.contains(prime) || rows.contains(prime)) << prime;
  EXPECT_GT(*rows.rbegin(), 256);
  EXPECT_GT(*columns.rbegin(), 256);
}

TEST(Flood, HasLevelsThatCellsReachExactlyAndHeightsThatAreNoNumbers) {
  const auto count = [](const Prepared& made, auto what) {
    return std::count_if(made.heights.begin(), made.heights.end(), what);
  };
  for (const char* name : {"at the level", "in steps"}) {
    const Prepared made = prepare(case_that_holds(name));
    EXPECT_GT(count(made, [&](float height) { return height == made.level; }), 100) << name;
  }
  const Prepared unknown = prepare(case_that_holds("unknown heights"));
  EXPECT_GT(count(unknown, [](float height) { return std::isnan(height); }), 100);
  EXPECT_GT(count(unknown, [](float height) { return height == -std::numeric_limits<float>::infinity(); }),
            10);
  EXPECT_TRUE(std::isinf(prepare(case_that_holds("infinite level")).level));
}

TEST(Flood, DrySourcesAndNoneGiveNoWater) {
  for (const char* name : {"dry sources", "no source"}) {
    const Prepared made = prepare(case_that_holds(name));
    EXPECT_THAT(made.mask, testing::Each(0)) << name;
  }
  EXPECT_THAT(prepare(case_that_holds("no source")).sources, testing::IsEmpty());
  EXPECT_THAT(prepare(case_that_holds("dry sources")).sources, testing::SizeIs(5));
}

TEST(Flood, SomeSourcesAreInTheLastColumnAndSomeComeTwice) {
  const Prepared last = prepare(case_that_holds("the last column"));
  for (const int source : last.sources) EXPECT_EQ(source % last.columns, last.columns - 1);
  const Prepared many = prepare(case_that_holds("many sources"));
  const std::set<int> different(many.sources.begin(), many.sources.end());
  EXPECT_LT(different.size(), many.sources.size());
  EXPECT_GT(different.size(), 10U);
}

TEST(Flood, CheckerboardsHoldTogetherAtCornersAlone) {
  const Prepared sides = prepare(case_that_holds("64 x 65")), corners = prepare(case_that_holds("65 x 67"));
  EXPECT_EQ(std::count(sides.mask.begin(), sides.mask.end(), 1), 1);
  EXPECT_EQ(std::count(corners.mask.begin(), corners.mask.end(), 1), (65 * 67 + 1) / 2);
}

/// Steps from the source to the last cell that water reaches.
int longest_way(const Prepared& made) {
  std::vector<int> distances(made.mask.size(), -1);
  std::vector<std::size_t> reached;
  for (const int source : made.sources) {
    distances[static_cast<std::size_t>(source)] = 0;
    reached.push_back(static_cast<std::size_t>(source));
  }
  for (std::size_t next = 0; next < reached.size(); ++next) {
    const auto width = static_cast<std::size_t>(made.columns);
    const auto row = static_cast<int>(reached[next] / width),
               column = static_cast<int>(reached[next] % width);
    for (const auto& [down, right] : {std::pair(0, -1), {0, 1}, {-1, 0}, {1, 0}}) {
      const int y = row + down, x = column + right;
      if (y < 0 || y >= made.rows || x < 0 || x >= made.columns || !made.is_wet(made.cell(y, x))) continue;
      int& distance = distances[made.cell(y, x)];
      if (distance >= 0) continue;
      distance = distances[reached[next]] + 1;
      reached.push_back(made.cell(y, x));
    }
  }
  return *std::max_element(distances.begin(), distances.end());
}

TEST(Flood, WaterGoesThroughHalfOfTheMeasuredMapStepByStep) {
  for (const course::Case& one : cases()) {
    if (!one.measured || one.wide) continue;
    const Prepared made = prepare(one);
    EXPECT_GT(longest_way(made), static_cast<int>(made.mask.size()) * 45 / 100) << one.name;
  }
}

TEST(Flood, TheWideMapFitsIntoNoBlockAndNoFreeCopy) {
  constexpr std::size_t kMaxSharedBytes = 227 * 1024, kFreeBytes = 4096;
  int wide = 0;
  for (const course::Case& one : cases()) {
    if (!one.wide) continue;
    ++wide;
    const Prepared made = prepare(one);
    EXPECT_GT(made.mask.size(), kMaxSharedBytes) << "a byte per cell";
    EXPECT_GT(made.mask.size() / 8, kFreeBytes) << "a bit per cell";
    EXPECT_GT(longest_way(made), 30) << "steps cost more than the gate on bytes allows";
  }
  EXPECT_EQ(wide, 1);
}

TEST(Flood, TimedTerrainIsAnotherInEveryCall) {
  const course::Case& smallest = problem("flood").speed->sizes.front();
  SplitMix64 one(1), another(2);
  const Prepared first = prepared(smallest.prepare(one)), second = prepared(smallest.prepare(another));
  std::size_t same = 0;
  for (std::size_t at = 0; at < first.mask.size(); ++at) same += first.mask[at] == second.mask[at];
  EXPECT_LT(same, first.mask.size() * 9 / 10) << "who keeps the first mask has most of the second";
  for (const Prepared& made : {first, second}) {
    const std::vector<std::size_t> labels = components_of(made);
    std::set<std::size_t> with_source;
    for (const int source : made.sources) {
      const auto at = static_cast<std::size_t>(source);
      if (made.is_wet(at)) with_source.insert(labels[at]);
    }
    for (std::size_t at = 0; at < labels.size(); ++at)
      ASSERT_EQ(made.mask[at], made.is_wet(at) && with_source.contains(labels[at]) ? 1 : 0) << at;
    const auto water = static_cast<double>(std::count(made.mask.begin(), made.mask.end(), 1));
    EXPECT_GT(water, 0.2 * static_cast<double>(made.mask.size())) << "a puddle";
    EXPECT_LT(water, 0.9 * static_cast<double>(made.mask.size())) << "a sea";
  }
}

TEST(Flood, LargeMapsHaveNewHeightsInEveryCallAndKeepTheirPattern) {
  const auto& variations = problem("flood").speed->variations;
  const auto comb = std::find_if(variations.begin(), variations.end(),
                                 [](const course::Case& one) { return one.name == "comb"; });
  ASSERT_NE(comb, variations.end());
  SplitMix64 shared(7), one(1), another(2);
  const auto make = comb->prepare_many(shared);
  const Prepared first = prepared(make(one)), second = prepared(make(another));
  std::size_t same = 0;
  for (std::size_t at = 0; at < first.heights.size(); ++at) same += first.heights[at] == second.heights[at];
  EXPECT_LT(same, first.heights.size() / 1000);
  EXPECT_EQ(std::count(first.mask.begin(), first.mask.end(), 1),
            std::count(second.mask.begin(), second.mask.end(), 1));
}

TEST(Flood, AsksForTheWorkspaceWithTheSides) {
  const std::optional<course::WorkspaceQuery>& query = problem("flood").workspace;
  ASSERT_TRUE(query);
  const auto rounded = [](std::uint64_t side) { return (side + 127) / 128 * 128; };
  for (const course::Case& one : cases()) {
    SplitMix64 random(7);
    const course::Call call = one.prepare(random);
    const auto rows = static_cast<std::uint64_t>(scalar(call, "rows"));
    const auto columns = static_cast<std::uint64_t>(scalar(call, "columns"));
    EXPECT_THAT(query->arguments(call), testing::ElementsAre(rows, columns)) << one.name;
    EXPECT_EQ(query->limit_bytes(call), 8 * rounded(rows) * rounded(columns) + (4U << 20)) << one.name;
  }
}

}  // namespace
}  // namespace lockstep::test::flood_test
