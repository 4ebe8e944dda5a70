// What the judge knows of "tpacf-jackknife": skies that are cut into regions, pairs that float cannot tell
// from an edge, and four gates.
//
// Points and bins are made as those of tpacf (lockstep/sky.h): expected counts come from all pairs in double
// precision, and a point that has a pair within 1.5·10^-13 of an edge is moved. The interface promises
// 10^-13.
//
// The counters below are those of the rungs of solutions/18-tpacf-jackknife on the measured case with 60
// regions, for each pair; passes through shared memory for every 32 pairs.
//
//                    bytes  passes  instructions
//   global_atomics     140       0      95   three additions, two of them to rows that differ from lane to
//                                            lane: some 25 sectors for 32 pairs each; as many for a point
//   pass_per_region     66     805    5580   61 passes of 13 for 32 pairs and 91 instructions each
//   every_region       1.8     152     783   58 additions of a pair, 2.4 passes and some 12 instructions each
//   block_private      1.9    18.4     101   a point and its region are 4 passes, some five edges 7.5; all
//                                            pairs 1, the row's region 3.3, the column's 1.6
//   reference          2.3    17.8     100   the same, but none for all pairs; two counters of a region
//
// A tile of points with additions in global memory moves 36 bytes; blocks of 64 × 64 pairs, each of which
// adds 1200 counts to the result, 5.5. The limit of 12 lies between. Each pair from either end, with an
// addition for its row alone, is a sound way too: 29 passes and 184 instructions. The limits of 48 and 300
// lie between this and a pass, or an addition, for every region, and leave room for another compiler. A
// single block is a parallelism of 1, blocks of 256 rows are 4.2 on the case of 2003 points, the
// reference 8.1.
//
// Work of the largest case: two million pairs are 63 000 warps of 32, at 110 to 130 instructions each 7 to 8
// million warp-instructions per call; in four passes 23 million.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <numeric>
#include <span>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "course/numbers.h"
#include "course/problem.h"
#include "lockstep/sky.h"
#include "tpacf_jackknife.h"

namespace lockstep::tpacf_jackknife_problem {
namespace {

using lockstep::Random;
using namespace lockstep::course;
using namespace lockstep::sky;

using Counts = std::vector<unsigned long long>;

/// What a case asks for. `after` numbers that are no regions follow the regions of the points.
struct Shape {
  int n = 0, regions = 1;
  Bins bins = {.first = 1.0 / 60, .per_decade = 5, .bins = 20};  // those of tpacf
  int after = 0;

  std::size_t row() const { return static_cast<std::size_t>(bins.bins); }
  std::size_t rows() const { return 1 + static_cast<std::size_t>(regions); }
};

// --- points and regions ---

using Make = Points (*)(const Shape& shape, Random& random);

/// As many points as a shape has, of directions that `any` makes.
template <class Any>
Points points_of(const Shape& shape, Random& random, const Any& any) {
  Points points(static_cast<std::size_t>(shape.n));
  for (Point& point : points) point = point_of(any(random));
  return points;
}

/// All over the sky.
Points no_pattern(const Shape& shape, Random& random) { return points_of(shape, random, direction); }

/// Half of them within three degrees of one of ten places.
Points clumps(const Shape& shape, Random& random) {
  std::vector<Vector3> centres(10);
  for (Vector3& centre : centres) centre = direction(random);
  return points_of(shape, random, [&](Random& r) {
    return r.integer(0, 1) == 0 ? direction(r) : within(centres[r.bits() % centres.size()], 3, r);
  });
}

/// Within a twentieth of a degree, where the cosine of a distance is 1 except for its last digits.
Points crowded(const Shape& shape, Random& random) {
  const Vector3 centre = direction(random);
  return points_of(shape, random, [&](Random& r) { return within(centre, 0.05, r); });
}

/// Few directions, each of many points.
Points coinciding(const Shape& shape, Random& random) {
  std::vector<Vector3> directions(40);
  for (Vector3& one : directions) one = direction(random);
  return points_of(shape, random, [&](Random& r) { return directions[r.bits() % directions.size()]; });
}

/// Every other point is made by `second` of the one before.
template <class Second>
Points in_twos(const Shape& shape, Random& random, const Second& second) {
  Vector3 before{};
  bool is_second = false;
  return points_of(shape, random, [&](Random& r) {
    before = is_second ? second(before, r) : direction(r);
    is_second = !is_second;
    return before;
  });
}

/// Nearly opposite to the one before: beyond the last bin.
Points opposite(const Shape& shape, Random& random) {
  return in_twos(shape, random, [](const Vector3& before, Random& r) {
    return within({-before[0], -before[1], -before[2]}, 1, r);
  });
}

/// Within 10^-12 to 10^-9 of the square of the chord at an edge from the one before.
Points at_edges(const Shape& shape, Random& random) {
  const std::vector<double> squares = Edges(shape.bins).squares();
  return in_twos(shape, random, [&](const Vector3& before, Random& r) {
    const double side = r.integer(0, 1) == 0 ? -1 : 1;
    const double offset = side * std::pow(10, -12 + 3 * uniform(r));
    const double half_chord = std::sqrt(squares[r.bits() % squares.size()] + offset) / 2;
    return at_angle(before, 2 * std::asin(half_chord) / kDegree, r);
  });
}

using Regions = std::vector<int>;
using Divide = Regions (*)(const Points& points, int regions, Random& random);

/// Bands of declination with equally many points, each cut along the right ascension into regions with
/// equally many, as surveys do it. A region may end one band and begin the next. Of fewer points than regions
/// some regions, any, have one.
Regions by_counts(const Points& points, int regions, Random& random) {
  const std::size_t n = points.size(), count = static_cast<std::size_t>(regions);
  const auto bands = static_cast<std::size_t>(std::sqrt(static_cast<double>(regions)));
  std::vector<std::size_t> order(n), band(n), name(count);
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return std::tie(points[a].delta, a) < std::tie(points[b].delta, b);
  });
  for (std::size_t rank = 0; rank < n; ++rank) band[order[rank]] = rank * bands / n;
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return std::tie(band[a], points[a].alpha, a) < std::tie(band[b], points[b].alpha, b);
  });
  std::iota(name.begin(), name.end(), 0);
  shuffle(name, random);
  Regions region_of(n);
  for (std::size_t rank = 0; rank < n; ++rank)
    region_of[order[rank]] = static_cast<int>(name[rank * count / n]);
  return region_of;
}

Regions all_in_one(const Points& points, int regions, Random& random) {
  return Regions(points.size(), random.integer(0, regions - 1));
}

// --- the oracle ---

/// Pairs by region and by how many edges are not above them: the first and the last are in no bin.
struct Pairs {
  std::size_t row = 0;  ///< bins and the two
  Counts all;           ///< a row
  /// A row for each region: pairs whose first point lies there, whose second does, of which both do.
  Counts first, second, within;
};

struct Sky {
  Shape shape;
  Points points;
  Regions region_of;
  Pairs pairs;
};

/// Counts all pairs i < j; reports the j of those that are too close to an edge.
template <class TooClose>
Pairs count(const Sky& sky, const Edges& edges, const TooClose& too_close) {
  std::vector<Vector3> positions;
  for (const Point& point : sky.points) positions.push_back(vector_of(point));
  Pairs pairs;
  pairs.row = edges.squares().size() + 1;
  pairs.all.resize(pairs.row);
  for (Counts* counts : {&pairs.first, &pairs.second, &pairs.within})
    counts->resize(pairs.row * static_cast<std::size_t>(sky.shape.regions));
  for (std::size_t i = 0; i < positions.size(); ++i) {
    const auto region = static_cast<std::size_t>(sky.region_of[i]);
    for (std::size_t j = i + 1; j < positions.size(); ++j) {
      const Vector3 between = sum(positions[i], -1, positions[j]);
      const std::size_t below = edges.up_to(product(between, between), [&] { too_close(j); });
      const auto other = static_cast<std::size_t>(sky.region_of[j]);
      ++pairs.all[below];
      ++pairs.first[region * pairs.row + below];
      ++pairs.second[other * pairs.row + below];
      if (region == other) ++pairs.within[region * pairs.row + below];
    }
  }
  return pairs;
}

/// Moves points by a millionth of a degree where their pairs are too close to an edge.
Sky make_sky(const Shape& shape, Make make, Divide divide, Random& random) {
  constexpr double kLittle = 1e-6;
  const Edges edges(shape.bins);
  Sky sky{.shape = shape, .points = make(shape, random), .region_of = {}, .pairs = {}};
  sky.region_of = divide(sky.points, shape.regions, random);
  for (;;) {
    std::vector<std::size_t> moved;
    sky.pairs = count(sky, edges, [&](std::size_t j) { moved.push_back(j); });
    if (moved.empty()) return sky;
    for (const std::size_t j : moved)
      sky.points[j] = point_of(within(vector_of(sky.points[j]), kLittle, random));
  }
}

/// The rows of the output, where `taken(at)` pairs of `pairs.all` have a point in a region; `at` numbers the
/// counts of `pairs.first`. Each bin's count is that of pairs with `bin + shift` edges not above them.
template <class Taken>
Counts rows_of(const Sky& sky, const Taken& taken, std::size_t shift = 1) {
  const Pairs& pairs = sky.pairs;
  Counts counts;
  for (std::size_t k = 0; k < sky.shape.row(); ++k) counts.push_back(pairs.all[k + shift]);
  for (std::size_t region = 0; region + 1 < sky.shape.rows(); ++region)
    for (std::size_t k = 0; k < sky.shape.row(); ++k)
      counts.push_back(pairs.all[k + shift] - taken(region * pairs.row + k + shift));
  return counts;
}

Counts right_counts(const Sky& sky, std::size_t shift = 1) {
  const Pairs& pairs = sky.pairs;
  return rows_of(
      sky, [&](std::size_t at) { return pairs.first[at] + pairs.second[at] - pairs.within[at]; }, shift);
}

/// As if pairs before the first edge were in the first bin, and those not before the last in the last.
Counts with_ends_in_bins(const Sky& sky) {
  Sky changed = sky;
  const auto fold = [&](Counts& counts) {
    for (std::size_t begin = 0; begin < counts.size(); begin += sky.pairs.row) {
      counts[begin + 1] += counts[begin];
      counts[begin + sky.pairs.row - 2] += counts[begin + sky.pairs.row - 1];
    }
  };
  for (Counts* counts :
       {&changed.pairs.all, &changed.pairs.first, &changed.pairs.second, &changed.pairs.within})
    fold(*counts);
  return right_counts(changed);
}

std::vector<KnownMistake> known_mistakes(const Sky& sky) {
  const Pairs& pairs = sky.pairs;
  const std::size_t row = sky.shape.row();
  const Counts right = right_counts(sky);
  Mistakes mistakes(right);
  mistakes.add("all counts are 0: nothing has been counted", Counts(right.size()),
               "Add what the blocks have counted to `counts`.");
  mistakes.add("a pair within a region is taken away from its row twice, once for each of its points",
               rows_of(sky, [&](std::size_t at) { return pairs.first[at] + pairs.second[at]; }),
               "Take a pair whose points lie in one region away from that region's row once.");
  for (const Counts* one : {&pairs.first, &pairs.second})
    mistakes.add("a pair is taken away from the row of one of its points' regions, and not from the other's",
                 rows_of(sky, [&](std::size_t at) { return (*one)[at]; }),
                 "A pair is missing where the region of its first point is left out, and where that of its "
                 "second one is.");
  mistakes.add("only pairs within a region are missing in its row",
               rows_of(sky, [&](std::size_t at) { return pairs.within[at]; }),
               "Leave out each pair that has a point in the region, wherever its other point is.");
  Counts taken = right, twice = right, nothing_taken = right, shifted = right, only_with_points = right;
  for (std::size_t i = 0; i < right.size(); ++i) {
    taken[i] = i < row ? right[i] : right[i % row] - right[i];
    twice[i] *= 2;
    nothing_taken[i] = right[i % row];
    shifted[i] = right[(i + row) % right.size()];
    const auto of_region = [&](int region) { return static_cast<std::size_t>(region) + 1 == i / row; };
    const bool has_points = std::any_of(sky.region_of.begin(), sky.region_of.end(), of_region);
    if (i >= row && !has_points) only_with_points[i] = 0;
  }
  mistakes.add("the rows of the regions hold the pairs with a point in the region, and not those without",
               taken, "Subtract them from the pairs of the first row.");
  mistakes.add("every row has all pairs: nothing was left out", nothing_taken,
               "In row 1 + r, count the pairs without any point of region r.");
  mistakes.add("every count is twice what it should be: each pair was counted from either end", twice,
               "Count a pair from one end alone, for j > i.");
  mistakes.add("the rows are one too early: region r is left out in row r, and all pairs come last", shifted,
               "All pairs are row 0. Region r is left out in row 1 + r.");
  mistakes.add("the rows of regions without points are 0", only_with_points,
               "A region without points leaves nothing out: its row holds all pairs.");
  mistakes.add("counts are one bin too high: bin 0 begins at the first edge, not before it",
               right_counts(sky, 0),
               "The bin of a pair is the number of edges that are not above it, less 1.");
  mistakes.add("pairs closer than the first edge, or beyond the last, were counted into the bins at the ends",
               with_ends_in_bins(sky),
               "Leave out the pairs that lie before the first edge, or not before the last.");
  return mistakes.known();
}

/// Whether the first row is right, and which of the others are not.
Remark remark_on_rows(const Shape& shape, std::span<const std::byte> right_bytes,
                      std::span<const std::byte> found_bytes) {
  const Counts right = numbers_of<Counts::value_type>(right_bytes),
               found = numbers_of<Counts::value_type>(found_bytes);
  if (right.size() != found.size()) return {};
  std::size_t wrong = 0;
  for (std::size_t at = 0; at < right.size(); at += shape.row()) {
    const auto begin = static_cast<std::ptrdiff_t>(at), end = static_cast<std::ptrdiff_t>(at + shape.row());
    if (std::equal(right.begin() + begin, right.begin() + end, found.begin() + begin)) continue;
    if (at == 0) return {};
    ++wrong;
  }
  if (wrong == 0) return {};
  return {
      fmt::format("all pairs are counted right, and of {} {} left out {} {} wrong counts", shape.regions,
                  shape.regions == 1 ? "region that is" : "regions that are", wrong,
                  wrong == 1 ? "has" : "have"),
      "Take a pair away from the row of each region that it has a point in: from two rows where its points "
      "lie in two regions, and from one row, once, where they lie in one."};
}

// --- calls ---

/// "without region 4, bin 3 (0.067 to 0.11 degrees)"
std::string position_name(std::size_t i, const Shape& shape) {
  const std::size_t bin = i % shape.row(), row = i / shape.row();
  const std::string which = row == 0 ? "all points" : fmt::format("without region {}", row - 1);
  return fmt::format("{}, bin {} ({:.3g} to {:.3g} degrees)", which, bin, shape.bins.begin(bin),
                     shape.bins.begin(bin + 1));
}

Call make_call(Sky made, Random& random) {
  const auto sky = std::make_shared<const Sky>(std::move(made));  // known mistakes need it too
  const Shape& shape = sky->shape;
  std::vector<double> coordinates;
  for (const Point& point : sky->points) coordinates.insert(coordinates.end(), {point.alpha, point.delta});
  Regions region_of = sky->region_of;
  for (int i = 0; i < shape.after; ++i) region_of.push_back(static_cast<int>(random.word()));
  Output counts;
  counts.type = ElementType::u64;
  counts.expected = bytes_of(right_counts(*sky));
  counts.position = [shape](std::size_t i) { return position_name(i, shape); };
  counts.known_mistakes = [sky] { return known_mistakes(*sky); };
  counts.remark = [shape](std::span<const std::byte> right, std::span<const std::byte> found) {
    return remark_on_rows(shape, right, found);
  };
  Call call;
  call.input("points", coordinates).input("region_of", region_of);
  call.scalar("n", shape.n).scalar("regions", shape.regions).scalar("first", shape.bins.first);
  call.scalar("per_decade", shape.bins.per_decade).scalar("bins", shape.bins.bins);
  call.output("counts", std::move(counts)).workspace("workspace").stream();
  return call;
}

Case make_case(const Shape& shape, std::string purpose, Make make = no_pattern, Divide divide = by_counts) {
  const double n = shape.n;
  Case made;
  made.name = fmt::format("n = {}, regions = {}", shape.n, shape.regions);
  made.purpose = std::move(purpose);
  made.prepare = [shape, make, divide](Random& random) {
    return make_call(make_sky(shape, make, divide, random), random);
  };
  const double counts = static_cast<double>(shape.rows() * shape.row());
  made.cost = {.elements = n < 2 ? 0 : n * (n - 1) / 2,
               .global_bytes = n * (2 * sizeof(double) + sizeof(int)) + counts * sizeof(std::uint64_t)};
  return made;
}

Problem make_problem() {
  Problem problem;
  problem.name = "tpacf-jackknife";
  problem.title = "Count pairs with each region left out once";
  problem.lesson =
      "a pair is in all counts but one or two: count what is missing, and go over the pairs once";
  problem.points = 7;
  problem.function = LOCKSTEP_SIGNATURE(tpacf_jackknife);
  WorkspaceQuery workspace;
  workspace.function = LOCKSTEP_SIGNATURE(tpacf_jackknife_workspace_bytes);
  workspace.arguments = [](const Call& call) {
    const auto& arguments = call.arguments();  // points, region_of, n, regions, first, per_decade, bins
    return std::vector<std::uint64_t>{arguments[2].scalar_bits, arguments[3].scalar_bits,
                                      arguments[6].scalar_bits};
  };
  workspace.limit_bytes = [](const Call& call) {
    return 128 * call.arguments()[2].scalar_bits + (std::uint64_t{4} << 20);
  };
  problem.workspace = workspace;
  const Bins narrow = {.first = 17.9, .per_decade = 20, .bins = 20}, small = {0.001, 10, 20},
             most = {.first = 0.05, .per_decade = 18, .bins = kMaxAngularBins}, single = {5, 1, 1};
  problem.cases = {
      make_case({.n = 0, .regions = 3}, "no points: all counts are 0"),
      make_case({.n = 1}, "one point, which has no pair"),
      make_case({.n = 2, .regions = 2}, "one pair, which is missing whichever region is left out"),
      make_case({.n = 31, .regions = 4}, "one less than a warp"),
      make_case({.n = 32, .regions = 1, .after = 9}, "one region: without it there is no pair"),
      make_case({.n = 33, .regions = 64}, "more regions than points: those without points leave nothing out"),
      make_case({.n = 127, .regions = 5}, "one less than a block of 128"),
      make_case({.n = 129, .regions = 50}, "two or three points in each region"),
      make_case({.n = 256, .regions = 7, .after = 20},
                "all points in one of seven regions: a pair is missing once, not twice", no_pattern,
                all_in_one),
      make_case({.n = 300, .regions = 6}, "points that coincide: their pairs are in no bin", coinciding),
      make_case({.n = 400, .regions = 9}, "pairs within 10^-12 to 10^-9 of an edge: float cannot decide",
                at_edges),
      make_case({.n = 350, .regions = 10, .bins = small},
                "a crowd within 0.1 degrees: cosines are 1 except for their last digits", crowded),
      make_case({.n = 260, .regions = 8, .bins = narrow}, "narrow bins up to 179 degrees, and pairs beyond",
                opposite),
      make_case({.n = 211, .regions = kMaxRegions, .bins = most}, "as many bins and regions as there may be"),
      make_case({.n = 499, .regions = 11, .bins = single}, "primes, and a single bin from 5 to 50 degrees"),
      make_case({.n = 640, .regions = 16}, "clumps: regions of very different area", clumps),
      once(make_case({.n = 1023, .regions = 2}, "one less than 1024")),
      once(make_case({.n = 1024, .regions = 3}, "whole tiles of every usual size")),
      once(make_case({.n = 1025, .regions = 4}, "one more than 1024")),
      measured(once(
          make_case({.n = 509, .regions = 60}, "a prime, and many regions: a pass for each would be 60"))),
      wide(measured(once(make_case({.n = 2003, .regions = 3}, "more points: work for many blocks")))),
  };
  const std::string once_each =
      "Go over the pairs once for all regions. A pair is in every count but those of the one or two regions "
      "that its points lie in, so count all pairs, and for each region the pairs with a point in it: what is "
      "left without the region is the difference.";
  problem.gates = {
      bytes_per_element_gate(
          12,
          {.scattered = "Let neighbouring lanes take neighbouring points.",
           .again = "Let a block bring what many of its pairs need to shared memory once: a tile of points "
                    "with their regions, and the edges of the bins.",
           .atomics = "Let a block count its pairs in shared memory, in a row of bins for each region, and "
                      "add its counts to the result once.",
           .merging = "Let a block take more pairs before it adds its counts to the result."}),
      shared_passes_gate(48, "pairs", 1, once_each),
      lane_instructions_gate(300, once_each),
      // Tiles of 128 rows are 16 blocks: the longest takes an eighth of all pairs.
      parallelism_gate(3, "Cut the points into tiles, and give rows, or pairs of tiles, to many blocks."),
  };
  problem.hints = {
      "One thread for each row i: it goes through the points j behind its own, finds the bin, and adds 1 to "
      "that bin of all pairs. In how many rows of regions is the pair not? At most in two.",
      "Count for each region the pairs with a point in it, in place of the pairs without: with regions a and "
      "b of the two points, add 1 in row a, and 1 in row b only where b is another region than a. A small "
      "kernel then subtracts each row from all pairs.",
      "Most pairs fall into a handful of bins, so threads wait for the same counters in global memory. Let a "
      "block keep a row of bins for each region in shared memory: clear, wait, count, wait, add to the "
      "result. 65 rows of 64 counts of 4 bytes are 16 640 bytes.",
      "Let the block also read a tile of points there, with their regions, for all its rows. The tile on the "
      "diagonal begins behind the row's own point.",
      "All pairs need no counter of their own: each pair has two ends, so the ends in all regions are twice "
      "the pairs. Count ends for each region, and pairs within a region, which have two ends there.",
  };
  return problem;
}

const Registration registration(make_problem, __FILE__);

}  // namespace
}  // namespace lockstep::tpacf_jackknife_problem
