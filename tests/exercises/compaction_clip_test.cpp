// The values that the judge of "compaction-clip" expects, compared with clipping in another way, by area and
// by the places of corners; and what the cases promise.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <optional>
#include <set>
#include <vector>

#include "course/poison.h"
#include "problem_access.h"

namespace lockstep::test::compaction_clip_test {
namespace {

struct Point {
  double x, y;
};
using Triangle = std::array<Point, 3>;

/// The triangles of two planes of three rows each.
std::vector<Triangle> triangles_of(const std::vector<float>& x, const std::vector<float>& y,
                                   std::size_t count) {
  std::vector<Triangle> triangles(count);
  const std::size_t row = x.size() / 3;
  for (std::size_t i = 0; i < count; ++i) {
    for (std::size_t c = 0; c < 3; ++c) triangles[i][c] = {x[c * row + i], y[c * row + i]};
  }
  return triangles;
}

/// Twice the area, positive where the corners go round counterclockwise.
double area_of(const Triangle& t) {
  return (t[1].x - t[0].x) * (t[2].y - t[0].y) - (t[2].x - t[0].x) * (t[1].y - t[0].y);
}

/// Twice the area right of the line: of a triangle with one corner there, a part that is similar to the whole
/// in two directions; with two, the whole less that of the third.
double area_right_of(const Triangle& t, double limit) {
  const auto right = std::ranges::count_if(t, [limit](Point point) { return point.x >= limit; });
  if (right == 0) return 0;
  if (right == 3) return area_of(t);
  const auto lone = static_cast<std::size_t>(
      std::ranges::find_if(t, [&](Point point) { return (point.x >= limit) == (right == 1); }) - t.begin());
  const Point p = t[lone], q = t[(lone + 1) % 3], r = t[(lone + 2) % 3];
  const double part = area_of(t) * (limit - p.x) / (q.x - p.x) * (limit - p.x) / (r.x - p.x);
  return right == 1 ? part : area_of(t) - part;
}

/// A call of the case, and what it is of.
struct Prepared {
  explicit Prepared(const course::Case& one) {
    SplitMix64 random(7);
    call = one.prepare(random);
    n = static_cast<std::size_t>(scalar(call, "n"));
    limit = static_cast<double>(std::bit_cast<float>(scalar(call, "limit")));
    in = triangles_of(input<float>(call, "x"), input<float>(call, "y"), n);
    count = numbers<std::uint32_t>(argument(call, "count").output.expected).at(0);
    out_x = numbers<float>(argument(call, "out_x").output.expected);
    out_y = numbers<float>(argument(call, "out_y").output.expected);
    results = triangles_of(out_x, out_y, count);
  }

  course::Call call;
  std::size_t n = 0, count = 0;
  double limit = 0;
  std::vector<Triangle> in, results;
  std::vector<float> out_x, out_y;
};

/// How many of its corners are inside decides how many results a triangle has.
std::size_t results_of(const Triangle& triangle, double limit) {
  constexpr std::array<std::size_t, 4> kResults = {0, 1, 2, 1};
  return kResults.at(static_cast<std::size_t>(
      std::ranges::count_if(triangle, [limit](Point point) { return point.x >= limit; })));
}

TEST(CompactionClip, ResultsHaveTheAreaOfTheirTriangleThatLiesInside) {
  for (const course::Case& one : problem("compaction-clip").cases) {
    SCOPED_TRACE(one.name);
    const Prepared made(one);
    std::size_t at = 0;
    for (const Triangle& triangle : made.in) {
      double area = 0;
      for (std::size_t k = results_of(triangle, made.limit); k > 0; --k) {
        ASSERT_LT(at, made.count);
        const Triangle& result = made.results[at++];
        // None is turned over, and what is outside has none of it.
        ASSERT_GE(area_of(result) * area_of(triangle), 0);
        ASSERT_TRUE(std::ranges::all_of(result, [&](Point point) { return point.x >= made.limit; }));
        area += area_of(result);
      }
      // Coordinates are exact, and products of a few of them in double nearly so.
      ASSERT_NEAR(area, area_right_of(triangle, made.limit), 1e-9 * std::abs(area_of(triangle)));
    }
    EXPECT_EQ(at, made.count);
  }
}

/// The interface says with which corner a result begins, and that what is whole is not turned.
TEST(CompactionClip, ResultsBeginWithTheCornerThatTheInterfaceNames) {
  const auto same = [](Point a, Point b) { return a.x == b.x && a.y == b.y; };
  for (const course::Case& one : problem("compaction-clip").cases) {
    SCOPED_TRACE(one.name);
    const Prepared made(one);
    std::size_t at = 0;
    for (const Triangle& t : made.in) {
      std::array<bool, 3> in{};
      for (std::size_t c = 0; c < 3; ++c) in[c] = t[c].x >= made.limit;
      const auto inside = std::ranges::count(in, true);
      if (inside == 0) continue;
      const Triangle& first = made.results.at(at);
      if (inside == 3) {
        for (std::size_t c = 0; c < 3; ++c) ASSERT_TRUE(same(first[c], t[c]));
      } else {
        const std::size_t p = inside == 1 ? (in[0] ? 0 : in[1] ? 1 : 2) : (!in[0] ? 1 : !in[1] ? 2 : 0);
        ASSERT_TRUE(same(first[0], t[p]));
        if (inside == 2) {
          ASSERT_TRUE(same(first[1], t[(p + 1) % 3]));
          const Triangle& second = made.results.at(at + 1);
          ASSERT_TRUE(same(second[0], first[0]) && same(second[1], first[2]));
          ASSERT_EQ(second[2].x, made.limit);
        } else {
          ASSERT_EQ(first[1].x, made.limit);
        }
        ASSERT_EQ(first[2].x, made.limit);
      }
      at += results_of(t, made.limit);
    }
  }
}

/// So cuts are the same in whatever order they are calculated: the part of an edge before the line is a
/// multiple of 1/32, and y are small.
TEST(CompactionClip, CutsAreExactInFloat) {
  for (const course::Case& one : problem("compaction-clip").cases) {
    SCOPED_TRACE(one.name);
    const Prepared made(one);
    for (const Triangle& t : made.in) {
      for (std::size_t c = 0; c < 3; ++c) {
        const Point a = t[c], b = t[(c + 1) % 3];
        ASSERT_LT(std::abs(a.y), 2048);
        ASSERT_EQ(a.y, std::trunc(a.y));
        if ((a.x >= made.limit) == (b.x >= made.limit)) continue;
        const double length = std::abs(b.x - a.x);
        ASSERT_TRUE(length == 16 || length == 32) << length;
        ASSERT_EQ(a.x, std::trunc(a.x));
      }
    }
  }
}

TEST(CompactionClip, CoversTheEdgeCases) {
  std::set<std::size_t> sizes, most;
  std::size_t at_the_line = 0, full = 0;
  for (const course::Case& one : problem("compaction-clip").cases) {
    const Prepared made(one);
    sizes.insert(made.n);
    if (made.n > 1000) most.insert(made.count * 2 / made.n);
    at_the_line += static_cast<std::size_t>(std::ranges::count_if(
        made.in, [&made](const Triangle& t) { return t[0].x == made.limit || t[1].x == made.limit; }));
    full += made.out_x.size() == 3 * made.count ? 1 : 0;
    for (std::size_t i = 0; i < made.out_x.size(); ++i) {
      if (i % (made.out_x.size() / 3) < made.count) continue;
      ASSERT_EQ(std::bit_cast<std::uint32_t>(made.out_x[i]), course::never_written<std::uint32_t>());
      ASSERT_EQ(std::bit_cast<std::uint32_t>(made.out_y[i]), course::never_written<std::uint32_t>());
    }
  }
  for (const std::size_t size : {0, 1, 31, 32, 33, 1023, 1024, 1025, 7919})
    EXPECT_TRUE(sizes.contains(size)) << size;
  EXPECT_TRUE(most.contains(0) && most.contains(2) && most.contains(4)) << "none, one and two results each";
  EXPECT_GT(at_the_line, 100U);
  EXPECT_GE(full, 10U) << "in most calls there is no room to spare";
}

TEST(CompactionClip, AsksForTheWorkspaceWithTheLengthOfTheCall) {
  const std::optional<course::WorkspaceQuery>& query = problem("compaction-clip").workspace;
  ASSERT_TRUE(query);
  for (const course::Case& one : problem("compaction-clip").cases) {
    const Prepared made(one);
    EXPECT_THAT(query->arguments(made.call), testing::ElementsAre(made.n)) << one.name;
    EXPECT_EQ(query->limit_bytes(made.call), 16 * made.n + 65536) << one.name;
  }
}

}  // namespace
}  // namespace lockstep::test::compaction_clip_test
