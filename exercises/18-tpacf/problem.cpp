// What the judge knows of "tpacf": galaxies that cluster, points that float cannot separate from an edge, and
// three gates.
//
// Expected counts come from all pairs in double precision, and are exact: double is off by some 10^-15, and
// a point that has a pair within 1.5·10^-13 of an edge is moved. tpacf.h promises 10^-13.
//
// The timed cases have up to 1.6·10^10 pairs, which take a minute of one processor. So each is counted once,
// by all processors, for all calls. Every call then gets these points with some of each set moved, whose
// pairs alone are counted again, all turned as a whole, which changes every coordinate and no distance, in
// another order of sets and of points.
//
// The counters below are those of the rungs of solutions/18-tpacf on the measured case. An element is a pair
// of points. Units: bytes of global memory in whole sectors, and passes through shared memory for every 32
// pairs.
//
//   global_atomics  each lane reads some five edges anywhere among 21, a point that its warp shares or has
//                   in a row, and adds to one of few counts: 40 bytes per pair
//   tiles           points and counts of a block are 1.2 bytes per pair; a pair reads three words of 8 bytes
//                   and some five edges, and adds to a count; within sets every pair comes twice: 15.3
//                   passes
//   one_launch      the same, every pair once: 1.0 bytes, 11.5 passes
//   lane_columns    a point of 16 bytes, two passes, serves four rows; two words of the table anywhere are
//                   four passes, and the count is one: 5.9 passes; fewer blocks read points, 0.3 bytes
//   sorted_tiles    points are written and read in sorting: 0.8 bytes; a lane has one row, so a point serves
//                   fewer pairs, but rows that are neighbours meet the same cells: 6.0 passes
//   few_edges       the same; a tile of one to three edges reads points alone: 5.2 passes, most of them by
//                   tiles that meet many edges, as 600 points all over the sky are far apart
//   reference       points are written and read in sorting: 1.3 bytes; 4.4 passes, for the same reason
//
// A limit of 2 bytes asks for tiles and counts in shared memory, one of 8 passes for a table in place of the
// search.
//
// Work of the largest case: 2.1 million pairs are 66 000 for each lane of a warp, times 60 to 150
// instructions, at most 10 million warp-instructions per call.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <cstring>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "course/plot.h"
#include "course/problem.h"
#include "emulator/core/processors.h"
#include "lockstep/sky.h"
#include "tpacf.h"

namespace lockstep::tpacf_problem {
namespace {

using lockstep::Random;
using namespace lockstep::course;
using namespace lockstep::sky;

/// What a case asks for.
struct Shape {
  std::size_t n = 0, m = 0, sets = 0;
  double first = 1.0 / 60;  ///< degrees; the source's bins go from 1 to 10^4 minutes of arc
  int per_decade = 5, bins = 20;

  Bins all_bins() const { return {.first = first, .per_decade = per_decade, .bins = bins}; }
};

// --- the oracle ---

enum Kind : std::uint8_t { kDD, kDR, kRR };
constexpr std::array<const char*, 3> kKindNames = {"DD", "DR", "RR"};

/// Pairs by their kind and by how many edges are not above them: the first and the last are in no bin.
struct Tally {
  using OfKind = std::array<std::uint64_t, kMostBins + 2>;
  std::array<OfKind, 3> pairs{};

  /// Numbers below 0 are taken modulo 2^64, which does no harm.
  void add(const Tally& more, std::uint64_t factor = 1) {
    for (std::size_t kind = 0; kind < pairs.size(); ++kind) {
      for (std::size_t i = 0; i < pairs[kind].size(); ++i) pairs[kind][i] += factor * more.pairs[kind][i];
    }
  }
};

/// Data and random sets with the counts of their pairs. No pair is too close to an edge.
class Survey {
 public:
  /// The data come first. Moves points by a millionth of a degree where their pairs are too close to an edge.
  Survey(const Shape& shape, const std::vector<Points>& sets, unsigned threads, Random& random)
      : edges_(shape.all_bins()), sets_(sets.size()) {
    for (std::size_t set = 0; set < sets.size(); ++set) {
      for (const Point& point : sets[set]) sets_[set].push_back(vector_of(point));
    }
    points_ = sets;
    constexpr double kLittle = 1e-6;
    for (const PointIndex& point : count_all(threads)) move(point, kLittle, random);
  }

  const std::vector<Points>& points() const { return points_; }
  const Tally& tally() const { return tally_; }
  const Edges& edges() const { return edges_; }

  /// Moves a point to any place within `radius` degrees, and counts its pairs again.
  void move(std::size_t set, std::size_t index, double radius, Random& random) {
    move({set, index}, radius, random);
  }

 private:
  struct PointIndex {
    std::size_t set = 0, index = 0;
    auto operator<=>(const PointIndex&) const = default;
  };

  struct Positions {
    std::vector<double> x, y, z;
    std::size_t size() const { return x.size(); }
    Vector3 at(std::size_t i) const { return {x[i], y[i], z[i]}; }
    void push_back(const Vector3& v) {
      x.push_back(v[0]);
      y.push_back(v[1]);
      z.push_back(v[2]);
    }
    void put(std::size_t i, const Vector3& v) {
      x[i] = v[0];
      y[i] = v[1];
      z[i] = v[2];
    }
  };

  /// Counts the pairs of a position with those from `begin` to `end`; reports which of them are too close to
  /// an edge.
  template <class TooClose>
  void count(const Vector3& from, const Positions& others, std::size_t begin, std::size_t end,
             Tally::OfKind& pairs, const TooClose& too_close) const {
    constexpr std::size_t kAtATime = 256;
    std::array<double, kAtATime> squares{};
    for (std::size_t first = begin; first < end; first += kAtATime) {
      const std::size_t size = std::min(kAtATime, end - first);
      for (std::size_t i = 0; i < size; ++i) {
        const double x = from[0] - others.x[first + i], y = from[1] - others.y[first + i],
                     z = from[2] - others.z[first + i];
        squares[i] = x * x + y * y + z * z;
      }
      for (std::size_t i = 0; i < size; ++i) ++pairs[edges_.up_to(squares[i], [&] { too_close(first + i); })];
    }
  }

  /// Points of a set against a set, all of them or those behind each.
  struct Task {
    Kind kind = kDD;
    std::size_t row_set = 0, column_set = 0, begin = 0, end = 0;
  };

  std::vector<Task> tasks() const {
    constexpr std::size_t kRows = 512;
    std::vector<Task> tasks;
    const auto add = [&](Kind kind, std::size_t row_set, std::size_t column_set) {
      const std::size_t rows = sets_[row_set].size();
      for (std::size_t begin = 0; begin < rows; begin += kRows)
        tasks.push_back({kind, row_set, column_set, begin, std::min(begin + kRows, rows)});
    };
    for (std::size_t set = 0; set < sets_.size(); ++set) {
      if (set > 0) add(kDR, 0, set);
      add(set == 0 ? kDD : kRR, set, set);
    }
    return tasks;
  }

  /// Returns one point of each pair that is too close to an edge.
  std::vector<PointIndex> count_all(unsigned threads) {
    const std::vector<Task> all = tasks();
    std::atomic<std::size_t> next{0};
    std::mutex mutex;
    std::vector<PointIndex> too_close;
    const auto work = [&] {
      Tally tally;
      std::vector<PointIndex> found;
      for (std::size_t number = next++; number < all.size(); number = next++) {
        const Task& task = all[number];
        const Positions &rows = sets_[task.row_set], &columns = sets_[task.column_set];
        for (std::size_t i = task.begin; i < task.end; ++i) {
          count(rows.at(i), columns, task.row_set == task.column_set ? i + 1 : 0, columns.size(),
                tally.pairs[task.kind], [&](std::size_t j) {
                  found.push_back({task.column_set, j});
                });
        }
      }
      const std::scoped_lock lock(mutex);
      tally_.add(tally);
      too_close.insert(too_close.end(), found.begin(), found.end());
    };
    std::vector<std::thread> others;
    for (unsigned i = 1; i < threads; ++i) others.emplace_back(work);
    work();
    for (std::thread& other : others) other.join();
    std::sort(too_close.begin(), too_close.end());  // so that the same seed gives the same points
    too_close.erase(std::unique(too_close.begin(), too_close.end()), too_close.end());
    return too_close;
  }

  /// All pairs that a point would have at another position, and whether one is too close to an edge.
  std::pair<Tally, bool> pairs_of(PointIndex point, const Vector3& position) const {
    Tally tally;
    bool is_too_close = false;
    for (std::size_t set = 0; set < sets_.size(); ++set) {
      if (point.set != 0 && set != 0 && set != point.set) continue;
      const Kind kind = set != point.set ? kDR : set == 0 ? kDD : kRR;
      const std::size_t without = set == point.set ? point.index : sets_[set].size();
      const auto too_close = [&](std::size_t) { is_too_close = true; };
      count(position, sets_[set], 0, without, tally.pairs[kind], too_close);
      count(position, sets_[set], without + 1, sets_[set].size(), tally.pairs[kind], too_close);
    }
    return {tally, is_too_close};
  }

  void move(PointIndex moved, double radius, Random& random) {
    const Vector3 before = sets_[moved.set].at(moved.index);
    tally_.add(pairs_of(moved, before).first, ~std::uint64_t{0});
    for (;;) {
      const Point point = point_of(within(before, radius, random));
      const auto [tally, is_too_close] = pairs_of(moved, vector_of(point));
      if (is_too_close) continue;
      tally_.add(tally);
      points_[moved.set][moved.index] = point;
      return sets_[moved.set].put(moved.index, vector_of(point));
    }
  }

  Edges edges_;
  std::vector<Positions> sets_;
  std::vector<Points> points_;
  Tally tally_;
};

double share(double count, double pairs) { return pairs == 0 ? 0 : count / pairs; }

struct Expected {
  std::vector<unsigned long long> counts;
  std::vector<double> correlation;
};

double pairs_within(std::size_t points) {
  const auto count = static_cast<double>(points);
  return count * (count - 1) / 2;
}
double pairs_between(const Shape& shape) {
  return static_cast<double>(shape.n) * static_cast<double>(shape.m) * static_cast<double>(shape.sets);
}

std::vector<double> correlation_of(const std::vector<unsigned long long>& counts, const Shape& shape) {
  const auto bins = static_cast<std::size_t>(shape.bins);
  const auto sets = static_cast<double>(shape.sets);
  std::vector<double> correlation(2 * bins);
  for (std::size_t k = 0; k < bins; ++k) {
    const auto data = static_cast<double>(counts[k]), both = static_cast<double>(counts[bins + k]),
               random = static_cast<double>(counts[2 * bins + k]);
    if (random == 0) continue;
    const double dd = share(data, pairs_within(shape.n)), dr = share(both, pairs_between(shape)),
                 rr = share(random, sets * pairs_within(shape.m));
    correlation[k] = (dd - 2 * dr + rr) / rr;
    correlation[bins + k] = (sets * data - both) / random + 1;
  }
  return correlation;
}

Expected expected_of(const Tally& tally, const Shape& shape) {
  Expected expected;
  for (const Tally::OfKind& pairs : tally.pairs) {
    for (std::size_t k = 1; k <= static_cast<std::size_t>(shape.bins); ++k)
      expected.counts.push_back(pairs[k]);
  }
  expected.correlation = correlation_of(expected.counts, shape);
  return expected;
}

// --- skies ---

/// The data and the random sets of a case.
using Make = std::vector<Points> (*)(const Shape& shape, Random& random);

/// As many sets as a shape has, of points that `any` makes.
template <class Any>
std::vector<Points> sets_of(const Shape& shape, Random& random, const Any& any) {
  std::vector<Points> sets(shape.sets + 1);
  for (std::size_t set = 0; set < sets.size(); ++set) {
    for (std::size_t i = 0; i < (set == 0 ? shape.n : shape.m); ++i)
      sets[set].push_back(point_of(any(random)));
  }
  return sets;
}

/// Points that cluster within clusters, after Soneira and Peebles: a ball has three balls in it of a little
/// more than half its size, these have three each, and so on; the last are points. A third of all belong to
/// no cluster.
template <class Any>
Points clustered(std::size_t n, double radius, Random& random, const Any& any) {
  constexpr int kLevels = 5;
  constexpr std::size_t kChildren = 3;
  constexpr double kSmaller = 0.55;
  Points points;
  while (points.size() < n) {
    std::vector<Vector3> balls = {any(random)};
    double size = radius;
    for (int level = 0; level < kLevels; ++level, size *= kSmaller) {
      std::vector<Vector3> smaller;
      for (const Vector3& ball : balls) {
        for (std::size_t child = 0; child < kChildren; ++child) smaller.push_back(within(ball, size, random));
      }
      balls = std::move(smaller);
    }
    for (const Vector3& ball : balls) points.push_back(point_of(ball));
    for (std::size_t i = 0; i < balls.size() / 2; ++i) points.push_back(point_of(any(random)));
  }
  for (std::size_t i = n; i < points.size(); ++i) std::swap(points[random.bits() % n], points[i]);
  points.resize(n);
  return points;
}

/// Galaxies that cluster, and points without a pattern, all over the sky.
std::vector<Points> galaxies(const Shape& shape, Random& random) {
  constexpr double kRadius = 12;  // degrees
  std::vector<Points> sets = sets_of(shape, random, direction);
  sets[0] = clustered(shape.n, kRadius, random, direction);
  return sets;
}

/// Data that are no different from the random sets.
std::vector<Points> no_pattern(const Shape& shape, Random& random) {
  return sets_of(shape, random, direction);
}

/// A survey of a field of ten degrees that lies across α = 0.
std::vector<Points> field(const Shape& shape, Random& random) {
  constexpr double kRadius = 5;
  const Vector3 centre = vector_of({.alpha = 360 * (1 - uniform(random) / 200), .delta = 40});
  const auto any = [&](Random& r) { return within(centre, kRadius, r); };
  std::vector<Points> sets = sets_of(shape, random, any);
  sets[0] = clustered(shape.n, kRadius / 10, random, any);
  return sets;
}

/// Within three degrees of either pole.
std::vector<Points> poles(const Shape& shape, Random& random) {
  return sets_of(shape, random, [](Random& r) {
    const double side = r.integer(0, 1) == 0 ? -1 : 1;
    return within({0, 0, side}, 3, r);
  });
}

/// A crowd within a twentieth of a degree, where the cosine of a distance is 1 except for its last digits.
std::vector<Points> crowded(const Shape& shape, Random& random) {
  const Vector3 centre = direction(random);
  return sets_of(shape, random, [&](Random& r) { return within(centre, 0.05, r); });
}

/// Few directions, each of many points: pairs at distance 0, within a set and from set to set.
std::vector<Points> coinciding(const Shape& shape, Random& random) {
  std::vector<Vector3> directions(std::max<std::size_t>(shape.n / 5, 1));
  for (Vector3& one : directions) one = direction(random);
  return sets_of(shape, random, [&](Random& r) { return directions[r.bits() % directions.size()]; });
}

/// Every other point is nearly opposite to the one before: beyond the last bin.
std::vector<Points> opposite(const Shape& shape, Random& random) {
  Vector3 before{};
  bool is_second = false;
  return sets_of(shape, random, [&](Random& r) {
    before = is_second ? within({-before[0], -before[1], -before[2]}, 1, r) : direction(r);
    is_second = !is_second;
    return before;
  });
}

/// Every other point is within 10^-12 to 10^-9 of the square of the chord at an edge from the one before.
std::vector<Points> at_edges(const Shape& shape, Random& random) {
  const std::vector<double> squares = Edges(shape.all_bins()).squares();
  Vector3 before{};
  bool is_second = false;
  return sets_of(shape, random, [&](Random& r) {
    const double side = r.integer(0, 1) == 0 ? -1 : 1;
    const double offset = side * std::pow(10, -12 + 3 * uniform(r));
    const double half_chord = std::sqrt(squares[r.bits() % squares.size()] + offset) / 2;
    before = is_second ? at_angle(before, 2 * std::asin(half_chord) / kDegree, r) : direction(r);
    is_second = !is_second;
    return before;
  });
}

// --- calls ---

std::vector<KnownMistake> known_counts(const Tally& tally, const Shape& shape) {
  const Expected expected = expected_of(tally, shape);
  const auto bins = static_cast<std::size_t>(shape.bins);
  Mistakes mistakes(expected.counts);
  auto twice = expected.counts, both_ways = expected.counts, shifted = expected.counts,
       clamped = expected.counts;
  for (std::size_t i = 0; i < twice.size(); ++i) {
    twice[i] *= 2;
    both_ways[i] *= i / bins == kDR ? 1 : 2;
    shifted[i] = tally.pairs[i / bins][i % bins];
    const bool is_first = i % bins == 0, is_last = i % bins == bins - 1;
    clamped[i] +=
        (is_first ? tally.pairs[i / bins].front() : 0) + (is_last ? tally.pairs[i / bins][bins + 1] : 0);
  }
  mistakes.add("all counts are 0: nothing has been counted", std::vector<unsigned long long>(3 * bins),
               "Add what the blocks have counted to `counts`.");
  mistakes.add("DD and RR are twice what they should be: each pair was counted from either end", both_ways,
               "Count pairs within a set from one end alone, for j > i.");
  mistakes.add("every count is twice what it should be", twice, "Count each pair of points once.");
  mistakes.add("counts are one bin too high: bin 0 begins at the first edge, not before it", shifted,
               "The bin of a pair is the number of edges that are not above it, less 1.");
  mistakes.add("pairs closer than the first edge, or beyond the last, were counted into the bins at the ends",
               clamped, "Leave out the pairs that lie before the first edge, or not before the last.");
  return mistakes.known();
}

/// Whether a few pairs are in the bin beside their own, or beyond the first or the last. Some bins have more
/// then and some less: where all have less, updates were lost.
Remark remark_on_edges(std::span<const std::byte> right, std::span<const std::byte> found, std::size_t bins) {
  constexpr double kFew = 0.01;
  const auto count = [](std::span<const std::byte> bytes, std::size_t i) {
    long long value = 0;
    std::memcpy(&value, bytes.data() + i * sizeof value, sizeof value);
    return static_cast<double>(value);
  };
  const auto surplus = [&](std::size_t i) { return count(found, i) - count(right, i); };
  double moved = 0, pairs = 0;
  bool has_more = false, has_less = false;
  for (std::size_t i = 0; i < found.size() / sizeof(long long); ++i) {
    moved += std::abs(surplus(i));
    has_more = has_more || surplus(i) > 0;
    has_less = has_less || surplus(i) < 0;
    pairs += count(right, i);
    const bool is_at_end = i % bins == 0 || i % bins == bins - 1;
    if (surplus(i) != 0 && !is_at_end && surplus(i) * surplus(i - 1) >= 0 && surplus(i) * surplus(i + 1) >= 0)
      return {};
  }
  if (!has_more || !has_less || moved > kFew * pairs) return {};
  return {
      "some pairs are in the bin beside their own: their distance, or the edge between the bins, was "
      "rounded. Has float enough digits for every pair?",
      "Keep coordinates, squares of chords and edges in double, at least for pairs that lie near an edge."};
}

std::vector<KnownMistake> known_correlations(const Expected& expected, const Shape& shape) {
  const auto bins = static_cast<std::size_t>(shape.bins);
  Mistakes mistakes(expected.correlation);
  auto raw = expected.correlation, swapped = expected.correlation, once = expected.correlation;
  for (std::size_t k = 0; k < bins; ++k) {
    const auto data = static_cast<double>(expected.counts[k]),
               both = static_cast<double>(expected.counts[bins + k]),
               random = static_cast<double>(expected.counts[2 * bins + k]);
    swapped[k] = expected.correlation[bins + k];
    swapped[bins + k] = expected.correlation[k];
    if (random == 0) continue;
    raw[k] = (data - 2 * both + random) / random;
    once[bins + k] = (data - both) / random + 1;
  }
  mistakes.add("all are 0: nothing has been worked out", std::vector<double>(2 * bins),
               "Work out the estimators when all pairs have been counted.");
  mistakes.add("the first half was made of the counts themselves: dd, dr and rr are shares of all pairs", raw,
               "Divide each count by the number of all pairs of its kind.");
  mistakes.add("the two estimators have changed places", swapped,
               "That of Landy and Szalay is the first half, the source's the second.");
  mistakes.add("the second half lacks the factor `sets` of DD", once, "Multiply DD by `sets` there.");
  return mistakes.known();
}

/// "DR, bin 3 (0.067 to 0.11 degrees)"
std::string bin_name(std::size_t bin, const Shape& shape) {
  const Bins bins = shape.all_bins();
  return fmt::format("bin {} ({:.3g} to {:.3g} degrees)", bin, bins.begin(bin), bins.begin(bin + 1));
}

std::vector<double> coordinates(const std::vector<Points>& sets, std::size_t begin, std::size_t end) {
  std::vector<double> values;
  for (std::size_t set = begin; set < end; ++set) {
    for (const Point& point : sets[set]) {
      values.push_back(point.alpha);
      values.push_back(point.delta);
    }
  }
  return values;
}

Call make_call(const Shape& shape, const std::vector<Points>& sets, const Tally& tally) {
  const Expected expected = expected_of(tally, shape);
  const auto bins = static_cast<std::size_t>(shape.bins);
  Output counts, correlation;
  counts.type = ElementType::u64;
  counts.expected = bytes_of(expected.counts);
  counts.position = [shape, bins](std::size_t i) {
    return fmt::format("{}, {}", kKindNames.at(i / bins), bin_name(i % bins, shape));
  };
  counts.known_mistakes = [tally, shape] { return known_counts(tally, shape); };
  counts.remark = [bins](std::span<const std::byte> right, std::span<const std::byte> found) {
    return remark_on_edges(right, found, bins);
  };
  correlation.type = ElementType::f64;
  correlation.expected = bytes_of(expected.correlation);
  correlation.tolerance = {.absolute = 1e-9, .relative = 1e-9};
  correlation.position = [shape, bins](std::size_t i) {
    return fmt::format("{}, {}", i < bins ? "Landy and Szalay" : "the source's", bin_name(i % bins, shape));
  };
  correlation.known_mistakes = [expected, shape] { return known_correlations(expected, shape); };
  Call call;
  call.input("data", coordinates(sets, 0, 1)).input("randoms", coordinates(sets, 1, sets.size()));
  call.scalar("n", static_cast<int>(shape.n)).scalar("m", static_cast<int>(shape.m));
  call.scalar("sets", static_cast<int>(shape.sets)).scalar("first", shape.first);
  call.scalar("per_decade", shape.per_decade).scalar("bins", shape.bins);
  call.output("counts", std::move(counts)).output("correlation", std::move(correlation));
  call.workspace("workspace").stream();
  return call;
}

double pairs_of(const Shape& shape) {
  return pairs_within(shape.n) + pairs_between(shape) +
         static_cast<double>(shape.sets) * pairs_within(shape.m);
}

Case make_case(const Shape& shape, std::string purpose, Make make = no_pattern) {
  Case made;
  made.name = fmt::format("n = {}, m = {}, sets = {}", shape.n, shape.m, shape.sets);
  made.purpose = std::move(purpose);
  made.prepare = [shape, make](Random& random) {
    const Survey survey(shape, make(shape, random), 1, random);
    return make_call(shape, survey.points(), survey.tally());
  };
  const double points = static_cast<double>(shape.n) + static_cast<double>(shape.sets * shape.m);
  // How many pairs need no look of their own depends on how far a solution goes in sorting them; with so few
  // points as the timed cases have, an instruction a pair is less than any needs.
  made.cost = {.elements = pairs_of(shape),
               .global_bytes = 2 * points * sizeof(double) + 3.0 * shape.bins * sizeof(std::uint64_t),
               .fused_multiply_adds = pairs_of(shape)};
  return made;
}

// --- timed cases: one survey, counted once ---

/// Three directions at right angles to each other.
std::array<Vector3, 3> any_frame(Random& random) {
  const Vector3 x = direction(random), y = at_angle(x, 90, random);
  return {x, y, {x[1] * y[2] - x[2] * y[1], x[2] * y[0] - x[0] * y[2], x[0] * y[1] - x[1] * y[0]}};
}

Call make_turned_call(const Shape& shape, Survey survey, Random& random) {
  constexpr std::size_t kMovedOfData = 4, kMovedOfRandoms = 2;
  constexpr double kRadius = 1;  // degrees
  for (std::size_t set = 0; set <= shape.sets; ++set) {
    const std::size_t size = survey.points()[set].size();
    for (std::size_t i = 0; i < (set == 0 ? kMovedOfData : kMovedOfRandoms) && size > 0; ++i)
      survey.move(set, random.bits() % size, kRadius, random);
  }
  std::vector<Points> sets = survey.points();
  const std::array<Vector3, 3> frame = any_frame(random);
  for (Points& set : sets) {
    for (Point& point : set) {
      const Vector3 v = vector_of(point);
      point = point_of({product(frame[0], v), product(frame[1], v), product(frame[2], v)});
    }
    shuffle(set, random);
  }
  for (std::size_t i = shape.sets; i > 1; --i) std::swap(sets[i], sets[1 + random.bits() % i]);
  return make_call(shape, sets, survey.tally());
}

Case make_turned_case(const Shape& shape, std::string purpose, Make make = galaxies) {
  return sharing(make_case(shape, std::move(purpose)), [shape, make](Random& random) {
    constexpr double kPairsOfThread = 1e7;
    const auto most = static_cast<unsigned>(1 + pairs_of(shape) / kPairsOfThread);
    const unsigned threads = std::min(emulator::usable_processors(), most);
    const auto survey = std::make_shared<const Survey>(shape, make(shape, random), threads, random);
    return [shape, survey](Random& own) { return make_turned_call(shape, *survey, own); };
  });
}

// --- the picture ---

/// 1 + w, which is positive, of the submission's counts, with the error that Poisson's law gives DD.
std::string draw_correlation(const Shown& shown) {
  const auto counts = shown.numbers<unsigned long long>("counts");
  const auto correlation = shown.numbers<double>("correlation");
  const auto bins = static_cast<std::size_t>(shown.scalar<int>("bins"));
  PlotSeries landy{.name = "Landy and Szalay"}, source{.name = "the source's estimator"},
      none{.name = "no clustering", .is_curve = true};
  for (std::size_t k = 0; k < bins; ++k) {
    const double middle = shown.scalar<double>("first") *
                          std::pow(10.0, (static_cast<double>(k) + 0.5) / shown.scalar<int>("per_decade"));
    none.points.push_back({.x = middle, .y = 1});
    if (counts[k] == 0 || counts[2 * bins + k] == 0) continue;
    const double landy_value = 1 + correlation[k], source_value = 1 + correlation[bins + k];
    landy.points.push_back(
        {.x = middle, .y = landy_value, .error = landy_value / std::sqrt(static_cast<double>(counts[k]))});
    source.points.push_back({.x = middle * 1.04, .y = source_value});
  }
  return plot_svg({.title = "Galaxies at a distance, over what chance would give",
                   .x = {.label = "distance in degrees", .is_logarithmic = true},
                   .y = {.label = "1 + w", .is_logarithmic = true},
                   .series = {landy, source, none}});
}

// --- gates ---

Problem make_problem() {
  Problem problem;
  problem.name = "tpacf";
  problem.title = "Count pairs of points on the sky by their distance";
  problem.lesson =
      "a histogram of pairs: what decides a bin costs more than the pair, and most can be decided at once";
  problem.function = LOCKSTEP_SIGNATURE(tpacf);
  WorkspaceQuery workspace;
  workspace.function = LOCKSTEP_SIGNATURE(tpacf_workspace_bytes);
  workspace.arguments = [](const Call& call) {
    const auto& arguments = call.arguments();  // data, randoms, n, m, sets, first, per_decade, bins
    return std::vector<std::uint64_t>{arguments[2].scalar_bits, arguments[3].scalar_bits,
                                      arguments[4].scalar_bits, arguments[7].scalar_bits};
  };
  workspace.limit_bytes = [](const Call& call) {
    const auto& arguments = call.arguments();
    const std::uint64_t n = arguments[2].scalar_bits, m = arguments[3].scalar_bits,
                        sets = arguments[4].scalar_bits;
    return 128 * (n + m * sets) + 8192 * (sets + 1) + (4 << 20);
  };
  problem.workspace = workspace;
  problem.cases = {
      make_case({0, 0, 0}, "no points: all counts are 0"),
      make_case({1, 1, 1}, "one point each: a single pair, of both kinds"),
      make_case({2, 3, 1}, "few enough pairs to work out by hand"),
      make_case({0, 40, 2}, "no data: the random sets have pairs all the same"),
      make_case({40, 0, 3}, "random sets without points: there is nothing to compare with"),
      make_case({31, 33, 3}, "one less than a warp, and one more"),
      make_case({32, 32, 2}, "exactly one warp each"),
      make_case({65, 63, 4}, "one more than two warps, and one less"),
      make_case({50, 40, 70}, "many small random sets: pairs of different ones do not count"),
      make_case({255, 257, 2}, "one less than a block of 256, and one more"),
      make_case({256, 256, 2}, "whole tiles of every usual size"),
      make_case({499, 251, 2}, "primes; the shares are of different numbers of pairs", galaxies),
      make_case({300, 200, 2}, "points that coincide: their pairs are in no bin", coinciding),
      make_case({400, 300, 2}, "pairs within 10^-12 to 10^-9 of an edge: float cannot decide", at_edges),
      make_case({350, 250, 2, 0.001, 10, 20},
                "a crowd within 0.1 degrees: cosines are 1 except for their last digits", crowded),
      make_case({333, 222, 2}, "round the poles, where α says little", poles),
      make_case({350, 300, 2}, "a field that lies across α = 0", field),
      make_case({260, 130, 3, 17.9, 20, 20}, "narrow bins up to 179 degrees, and pairs beyond", opposite),
      make_case({200, 210, 2, 0.05, 18, 64}, "as many bins as there may be"),
      make_case({150, 160, 2, 5, 1, 1}, "a single bin, from 5 to 50 degrees"),
      make_turned_case({280, 270, 3}, "galaxies, turned as those that speed is measured with"),
      once(make_case({1025, 1023, 1}, "one more than 1024, and one less")),
      once(make_case({500, 500, 4, 0.5, 5, 12}, "galaxies that cluster; this case can be drawn", galaxies)),
      measured(make_case({601, 509, 3}, "many pairs, and tiles that end anywhere")),
      wide(measured(once(make_case({2003, 1511, 1}, "larger sets: work for many blocks")))),
  };
  problem.speed = {
      .sizes = {make_turned_case({487, 487, 100}, "small sets, as a widespread benchmark has them"),
                make_turned_case({4096, 4096, 100}, "its sets of middle size"),
                make_turned_case({10391, 10391, 100}, "its large ones, as many as the source has")},
      .variations = {named("no clustering",
                           make_turned_case({10391, 10391, 20}, "data without a pattern", no_pattern)),
                     named("a field of ten degrees",
                           make_turned_case({10391, 10391, 20}, "all pairs are close", field)),
                     named("50 000 points, one set",
                           make_turned_case({50000, 50000, 1}, "large tiles of neighbours"))},
      .reference = {.first_ratio = 0.0014}};
  problem.picture =
      Picture{.case_name = "n = 500, m = 500, sets = 4", .ending = "svg", .draw = draw_correlation};
  problem.gates = {
      bytes_per_element_gate(
          2,
          {.scattered = "Let neighbouring lanes take neighbouring points.",
           .again = "Let a block bring what many of its pairs need to shared memory once. Rows need the same "
                    "points, and all pairs the same edges of the bins.",
           .atomics = "Let a block count its pairs in shared memory, and add its counts to the result once. "
                      "Pairs fall into few bins.",
           .merging = "Let a block take more pairs before it adds its counts to the result."}),
      shared_passes_gate(
          8, "pairs", 1,
          "Give each lane several rows, and look a pair's bin up in a table instead of searching for it. A "
          "point read from shared memory serves as many pairs as the lane has rows. The leading bits of the "
          "squared chord number cells with at most one edge each, so one look at a table of them leaves one "
          "edge to compare with."),
      // The reference starts as many blocks as there are multiprocessors: 4 here. A single block is 1.
      parallelism_gate(
          3,
          "Cut the sets into tiles, and give pairs of tiles to many blocks. Pairs do not need each other."),
  };
  problem.hints = {
      "One thread for each row i: it goes through all points j of the other set, or those behind its own "
      "point of the same set, finds the bin by halving the list of edges, and adds 1 to its count with "
      "atomicAdd. Compare squares of chords: no root, no arc cosine.",
      "Most pairs fall into a handful of bins, so all threads wait for the same counters in global "
      "memory. Let a block keep counters in shared memory: clear, wait, count, wait, add to the result. "
      "Let it also read a tile of points there, for all its rows.",
      "Let positions be floats, and ask double only where float cannot decide: a position is off by at most "
      "2^-24, so a chord c by some 2^-23 and its square by c times 2^-22 and a little. Only a pair that is "
      "so close to an edge needs its exact positions.",
      "The bits of a positive float grow with it. Shifted by 21 they number cells, four in each factor of "
      "two, and no cell has two edges of bins as wide as these. A table says for each cell how many edges "
      "lie below it and where in it the next one is.",
      "Sort the points so that neighbours are close, and put a cone round each group of 32. The angle "
      "between two axes and the two radii show which edges the pairs of two groups can meet. Often it is "
      "none, and 1024 pairs are one addition; nearly always it is one or two, and then a pair is some "
      "comparisons and no table.",
  };
  return problem;
}

const Registration registration(make_problem, __FILE__);

}  // namespace
}  // namespace lockstep::tpacf_problem
