// What the judge knows of "compaction-clip": numbers of triangles at the edges, what becomes none, one or two
// from all to nothing, cuts that are exact in float, and two gates.
//
// The counters below are worked out for what lies below solutions/11-compaction-clip, in the measured case,
// in which a triangle has one result on average. Bytes of global memory per triangle, in whole sectors; what
// is done once for each tile (totals, words, flags) adds less.
//
//   map_scan_scatter    x: 14; numbers: 4; a scan of them: 4 + 4, and 4 + 4 + 1 to add what lies before a
//                       tile; triangles and positions: 28 + 4; stores: 54                        121
//   count_then_scatter  x: 14; triangles: 28; stores: 55                                          97
//   reference           triangles: 28; stores: 30; words of 32 tiles for each: 1                  59
//
// The arrays hold three rows of n, which is odd: the second and the third begin anywhere, so a warp loads 5
// sectors there in place of 4: 24 bytes become 28. Stores side by side begin anywhere: 30. Where each lane
// stores its own results, a warp stores to 6 rows, to each first those of all lanes and then second ones, at
// 4.5 sectors each: 6 * 2 * 4.5 * 32 bytes for 32 triangles are 54.
//
// A limit of 116 lets pass who reads x and y in either pass (111), and fails who stores, scans and adds to a
// number for each triangle.
//
// A single block has a parallelism of 1.
//
// Work of the largest case: 262 147 triangles are 8193 warps, at 100 to 250 instructions each at most 2
// million warp-instructions per call.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <iterator>
#include <memory>
#include <numeric>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "compaction_clip.h"
#include "course/numbers.h"
#include "course/poison.h"
#include "course/problem.h"

namespace lockstep::compaction_clip_problem {
namespace {

using lockstep::Random;
using namespace lockstep::course;

using Coordinates = std::vector<float>;

struct Point {
  float x = 0, y = 0;
};
using Triangle = std::array<Point, 3>;
using Triangles = std::vector<Triangle>;

struct Input {
  Triangles triangles;
  float limit = 0;
};

// --- what is right ---

Point cut(Point a, Point b, float limit) { return {limit, a.y + (limit - a.x) * (b.y - a.y) / (b.x - a.x)}; }

/// Of one triangle: none, one or two. No memory is allocated for them, as there are millions.
struct Results {
  std::array<Triangle, 2> triangles{};
  std::size_t count = 0;

  bool empty() const { return count == 0; }
  std::size_t size() const { return count; }
  const Triangle* begin() const { return triangles.data(); }
  const Triangle* end() const { return triangles.data() + count; }
  const Triangle& operator[](std::size_t i) const { return triangles[i]; }
};

/// By going round the corners: those inside remain, and each edge that meets the line adds a point. What
/// results is a triangle, or a quadrilateral, which is cut from its first corner.
Results results_of(const Triangle& triangle, float limit, bool at_line_is_inside = true) {
  const auto is_inside = [=](Point point) { return at_line_is_inside ? point.x >= limit : point.x > limit; };
  const auto inside = std::ranges::count_if(triangle, is_inside);
  if (inside == 0) return {};
  std::size_t first = 0;  // the first corner inside behind one that is not
  if (inside < 3)
    while (!is_inside(triangle[first]) || is_inside(triangle[(first + 2) % 3])) ++first;
  std::array<Point, 4> remaining{};
  std::size_t count = 0;
  for (std::size_t k = 0; k < 3; ++k) {
    const Point from = triangle[(first + k) % 3], to = triangle[(first + k + 1) % 3];
    if (is_inside(from)) remaining[count++] = from;
    if (is_inside(from) != is_inside(to)) remaining[count++] = cut(from, to, limit);
  }
  return {{{{remaining[0], remaining[1], remaining[2]}, {remaining[0], remaining[2], remaining[3]}}},
          count - 2};
}

Triangles all_results(const Triangles& triangles, float limit, bool at_line_is_inside = true) {
  Triangles all;
  all.reserve(triangles.size());
  for (const Triangle& triangle : triangles)
    std::ranges::copy(results_of(triangle, limit, at_line_is_inside), std::back_inserter(all));
  return all;
}

// --- inputs ---

/// What lies of a triangle at or right of the line: its number of results is 0, 1, 1 or 2.
enum class Place : std::uint8_t { outside, inside, one_corner, two_corners };

/// A triangle at `place`, whose cuts are exact: an edge that meets the line is 16 or 32 long in x, so that
/// what part of it lies before the line is a number of 5 bits, and y are whole numbers of 12 bits.
Triangle make_triangle(Place place, float limit, Random& random) {
  const auto whole = [&random](int low, int high) { return static_cast<float>(random.integer(low, high)); };
  const float depth = whole(0, 15);  // how far inside a lone corner is; 0 is at the line
  const float width = whole(1, 16);  // how far outside one is
  Triangle made;
  for (Point& corner : made) corner.y = whole(-2047, 2047);
  switch (place) {
    case Place::outside:
      for (Point& corner : made) corner.x = limit - whole(1, 64);
      return made;
    case Place::inside:
      for (Point& corner : made) corner.x = limit + whole(0, 64);
      return made;
    case Place::one_corner:
      made[0].x = limit + depth;
      for (const std::size_t other : {1U, 2U})
        made[other].x = made[0].x - (random.integer(0, 1) == 0 ? 16.0F : 32.0F);
      break;
    case Place::two_corners:
      made[0].x = limit - width;
      for (const std::size_t other : {1U, 2U})
        made[other].x = made[0].x + (random.integer(0, 1) == 0 ? 16.0F : 32.0F);
      break;
  }
  std::rotate(made.begin(), made.begin() + random.integer(0, 2), made.end());
  return made;
}

using Values = Place (*)(std::size_t, std::size_t n, Random&);

Place any_place(std::size_t, std::size_t, Random& random) { return static_cast<Place>(random.integer(0, 3)); }
Place outside(std::size_t, std::size_t, Random&) { return Place::outside; }
Place inside(std::size_t, std::size_t, Random&) { return Place::inside; }
Place two_corners(std::size_t, std::size_t, Random&) { return Place::two_corners; }
Place last(std::size_t i, std::size_t n, Random&) { return i + 1 == n ? Place::two_corners : Place::outside; }
Place few(std::size_t, std::size_t, Random& random) {
  return random.integer(0, 99) == 0 ? any_place(0, 0, random) : Place::outside;
}
/// None and two in turns of 700: what a warp and most tiles have is the most or nothing.
Place in_runs(std::size_t i, std::size_t, Random&) {
  return i / 700 % 2 == 0 ? Place::outside : Place::two_corners;
}

Input make_input(std::size_t n, Values place, Random& random) {
  Input made;
  made.limit = static_cast<float>(random.integer(-500, 500));
  made.triangles.reserve(n);
  for (std::size_t i = 0; i < n; ++i)
    made.triangles.push_back(make_triangle(place(i, n, random), made.limit, random));
  return made;
}

/// One coordinate of all corners, those of the first corners first; each has room for `capacity` triangles.
Coordinates plane(const Triangles& triangles, float Point::*coordinate, std::size_t capacity) {
  Coordinates values(3 * capacity, never_written<float>());
  for (std::size_t i = 0; i < triangles.size(); ++i)
    for (std::size_t c = 0; c < 3; ++c) values[c * capacity + i] = triangles[i][c].*coordinate;
  return values;
}

// --- mistakes ---

/// Where blocks usually end.
constexpr std::array<std::size_t, 6> kPieces = {32, 64, 128, 256, 512, 1024};

std::vector<KnownMistake> mistakes_of_out(const Input& input, const Coordinates& expected,
                                          float Point::*coordinate) {
  const std::size_t capacity = expected.size() / 3;
  Mistakes mistakes(expected);
  // What does not fit would have been stored out of bounds.
  const auto add = [&](std::string sentence, Triangles results, std::string advice) {
    if (results.size() > capacity || results.empty()) return;
    const auto kept = std::make_shared<const Triangles>(std::move(results));
    const auto element = [kept, coordinate, capacity](std::size_t at) {
      const std::size_t i = at % capacity;
      return i < kept->size() ? (*kept)[i][at / capacity].*coordinate : never_written<float>();
    };
    mistakes.add_by_element(std::move(sentence), element, std::move(advice));
  };
  Triangles right, firsts, uncut, whole, opposite;
  for (const Triangle& triangle : input.triangles) {
    const Results results = results_of(triangle, input.limit);
    std::ranges::copy(results, std::back_inserter(right));
    if (results.empty()) continue;
    firsts.push_back(results[0]);
    uncut.push_back(triangle);
    if (std::ranges::all_of(triangle, [&input](Point corner) { return corner.x >= input.limit; }))
      whole.push_back(triangle);
  }
  for (const Triangle& triangle : input.triangles) {
    Triangle mirrored = triangle;
    for (Point& corner : mirrored) corner.x = 2 * input.limit - corner.x;
    for (Triangle result : results_of(mirrored, input.limit)) {
      for (Point& corner : result) corner.x = 2 * input.limit - corner.x;
      opposite.push_back(result);
    }
  }
  add("of two results of a triangle only the first was stored", std::move(firsts),
      "A triangle with two corners inside has two results, one behind the other: count 2.");
  add("triangles that the line cuts were stored as they are", std::move(uncut),
      "Where an edge meets the line, its cut takes the place of the corner outside.");
  add("triangles that the line cuts were left out", std::move(whole),
      "Keep what lies inside of them: one result where one corner is inside, two where two are.");
  add("what lies left of the line was kept", std::move(opposite), "Keep what has an x of at least limit.");
  add("corners at the line were taken as outside", all_results(input.triangles, input.limit, false),
      "A corner is inside if its x is at least limit: >= and not >.");
  Triangles late = std::move(right);
  if (!late.empty()) {
    late.insert(late.begin(), {{{never_written<float>(), never_written<float>()},
                                {never_written<float>(), never_written<float>()},
                                {never_written<float>(), never_written<float>()}}});
    add("every result is one place too far: the positions are inclusive", std::move(late),
        "The place of a result is the number of results before it, without itself.");
  }
  const auto in_place = [&input, coordinate, capacity](std::size_t at) {
    const std::size_t i = at % capacity;
    const Results results =
        i < input.triangles.size() ? results_of(input.triangles[i], input.limit) : Results();
    return results.empty() ? never_written<float>() : results[0][at / capacity].*coordinate;
  };
  mistakes.add_by_element("the results are stored at the numbers of their triangles", in_place,
                          "Store the results of a triangle behind those of all triangles before it.");
  const Triangles& all = input.triangles;
  for (const std::size_t piece : kPieces) {
    if (piece >= all.size()) break;
    const auto end = all.begin() + static_cast<std::ptrdiff_t>(piece);
    add(fmt::format("only the results of the first {} triangles were stored", piece),
        all_results({all.begin(), end}, input.limit),
        "Let there be enough blocks for all triangles, each storing behind what the blocks before it have.");
  }
  return mistakes.known();
}

/// That the results are the right ones in another order.
Remark remark_on(std::span<const std::byte> expected, std::span<const std::byte> found) {
  // The bits, as there may be a NaN among the floats.
  auto right = numbers_of<std::uint32_t>(expected), wrong = numbers_of<std::uint32_t>(found);
  // To add them up takes far less time than to sort them.
  const auto sum = [](const auto& values) { return std::accumulate(values.begin(), values.end(), 0U); };
  if (sum(right) != sum(wrong)) return {};
  std::ranges::sort(right);
  std::ranges::sort(wrong);
  if (right != wrong) return {};
  return {
      "these are the coordinates of the right results in another order",
      "The place of a result is the number of results before it. An atomic operation deals out places in the "
      "order in which threads come, and threads come in any order."};
}

std::vector<KnownMistake> mistakes_of_count(const Input& input, std::size_t right) {
  Mistakes<std::uint32_t> mistakes({static_cast<std::uint32_t>(right)});
  const auto add = [&mistakes](std::string sentence, std::size_t count, std::string advice) {
    mistakes.add(std::move(sentence), {static_cast<std::uint32_t>(count)}, std::move(advice));
  };
  const std::size_t n = input.triangles.size();
  const auto with_results = static_cast<std::size_t>(std::ranges::count_if(
      input.triangles, [&input](const Triangle& one) { return !results_of(one, input.limit).empty(); }));
  if (n == 0)
    mistakes.add("nothing wrote the count: where there are no triangles it is 0",
                 {never_written<std::uint32_t>()},
                 "Write *count in every call, also where no kernel is launched.");
  add("the count is that of the triangles that have results", with_results,
      "A triangle with two corners inside counts twice.");
  add("the count is that of all triangles", n, "Count results: none, one or two for each triangle.");
  if (n > 0) {
    const std::size_t of_last = results_of(input.triangles.back(), input.limit).size();
    add("the count lacks the results of the last triangle: their position was taken for the count",
        right - of_last,
        "Add the number of results of the last triangle to its position, which leaves them out.");
  }
  for (const std::size_t piece : kPieces) {
    if (piece >= n) break;
    const auto before_last = input.triangles.begin() + static_cast<std::ptrdiff_t>((n - 1) / piece * piece);
    add(fmt::format("the count is that of the last block alone, of up to {} triangles", piece),
        all_results({before_last, input.triangles.end()}, input.limit).size(),
        "Add what the blocks before it have.");
  }
  return mistakes.known();
}

// --- calls ---

/// For how many results `out` has room. For those that there are: a store behind them is out of bounds. Where
/// there is more room, it must remain as it is; `largest` is as large with any inputs.
enum class Room : std::uint8_t { none, spare, largest };

std::size_t capacity_of(Room room, std::size_t n, std::size_t results) {
  constexpr std::size_t kSpare = 40;
  if (room == Room::largest) return 2 * n;
  return room == Room::spare ? results + kSpare : results;
}

Call make_call(Input made, Room room) {
  const auto input = std::make_shared<const Input>(std::move(made));
  const std::size_t n = input->triangles.size();
  const Triangles right = all_results(input->triangles, input->limit);
  const std::size_t capacity = capacity_of(room, n, right.size());
  const auto out = [&](float Point::*coordinate) {
    const auto expected = std::make_shared<const Coordinates>(plane(right, coordinate, capacity));
    Output made_out;
    made_out.type = ElementType::f32;
    made_out.expected = bytes_of(*expected);
    made_out.position = [capacity, count = right.size()](std::size_t i) {
      const std::size_t result = i % capacity;
      return fmt::format("corner {} of result {}{}", i / capacity, result,
                         result < count ? "" : ", which is none");
    };
    made_out.remark = remark_on;
    made_out.known_mistakes = [=] { return mistakes_of_out(*input, *expected, coordinate); };
    return made_out;
  };
  Output count;
  count.type = ElementType::u32;
  count.expected = bytes_of(std::vector<std::uint32_t>{static_cast<std::uint32_t>(right.size())});
  count.position = [](std::size_t) { return std::string("*count"); };
  count.known_mistakes = [input, results = right.size()] { return mistakes_of_count(*input, results); };
  Call call;
  call.input("x", plane(input->triangles, &Point::x, n)).input("y", plane(input->triangles, &Point::y, n));
  call.scalar("limit", input->limit).output("out_x", out(&Point::x)).output("out_y", out(&Point::y));
  call.scalar("capacity", static_cast<int>(capacity)).output("count", std::move(count));
  call.scalar("n", static_cast<int>(n)).workspace("workspace").stream();
  return call;
}

Case make_case(int n, std::string purpose, Values place = any_place, Room room = Room::none) {
  Case made;
  made.name = fmt::format("n = {}", n);
  made.purpose = std::move(purpose);
  made.prepare = [n, place, room](Random& random) {
    return make_call(make_input(static_cast<std::size_t>(n), place, random), room);
  };
  // One result for each triangle on average, where it is asked for: in the measured case.
  constexpr double kTriangleBytes = 6 * sizeof(float);
  made.cost = {.elements = static_cast<double>(n),
               .global_bytes = n * 2 * kTriangleBytes + sizeof(std::uint32_t)};
  return made;
}

Problem make_problem() {
  Problem problem;
  problem.name = "compaction-clip";
  problem.title = "Clip triangles at a line";
  problem.lesson =
      "where elements have none, one or several results, a scan of their numbers says where those belong";
  problem.points = 7;
  problem.function = LOCKSTEP_SIGNATURE(compaction_clip);
  // Four words for each triangle, such as its number of results, its position and two flags.
  problem.workspace = workspace_of_length(LOCKSTEP_SIGNATURE(compaction_clip_workspace_bytes),
                                          [](std::uint64_t n) { return 16 * n + 65536; });
  problem.cases = {
      make_case(0, "no triangles: the count is 0, which somebody has to write", any_place, Room::spare),
      make_case(1, "a single triangle, which becomes two", two_corners, Room::spare),
      make_case(31, "one less than a warp", any_place, Room::spare),
      make_case(32, "exactly one warp", any_place, Room::spare),
      make_case(33, "one more than a warp", any_place, Room::spare),
      make_case(1023, "one less than a block of 1024; from here on out has no room to spare"),
      make_case(1024, "exactly one block of 1024"),
      make_case(1025, "one more: the second block has a single triangle"),
      make_case(7919, "a prime"),
      named("n = 2000, none inside",
            make_case(2000, "no triangle has a result: out has no element", outside)),
      named("n = 2000, all inside",
            make_case(2000, "every triangle remains as it is", inside, Room::largest)),
      named("n = 2000, two each",
            make_case(2000, "every triangle becomes two: the results are twice as many", two_corners)),
      named("n = 2000, the last alone",
            make_case(2000, "the last triangle alone has results, two of them", last)),
      named("n = 10000, one in 100", make_case(10000, "warps without a result", few)),
      named("n = 10000, in runs",
            make_case(10000, "runs without a result, and with two for each triangle", in_runs)),
      make_case(65537, "one more than 2^16"),
      wide(measured(make_case(262147, "a large prime: in blocks of 256 more than 1024 of them", any_place,
                              Room::largest))),
  };
  problem.gates = {
      bytes_per_element_gate(
          116,
          {.scattered = "Let neighbouring lanes take neighbouring triangles, and store neighbouring results: "
                        "gather those of a block in shared memory first.",
           .again = "Keep the number of results of a triangle, and where they begin, in registers: a ballot "
                    "for each of its two bits. Only what a block has need pass through global memory."}),
      // A single block is 1.
      parallelism_gate(
          3,
          "Give each block some hundred triangles, and let no single block or thread go over all of "
          "them: what the blocks pass on is one number each."),
  };
  problem.hints = {
      "First count: a triangle with no corner inside has no result, with two it has two, else one. An "
      "exclusive scan of "
      "these numbers says where the results of each triangle begin, and the last position plus the last "
      "number is "
      "the count. The geometry stands in the file already.",
      "You have compaction from the exercise before. There a flag was one bit, and a ballot held those of a "
      "warp. A "
      "number from 0 to 2 is two bits: one ballot for each, __ballot_sync(0xffffffff, results & 1) and "
      "(…, results & 2). What lies before a lane is __popc of the first, and twice that of the second, below "
      "its bit.",
      "To count takes x alone. A first kernel counts what each block has, a second one scans these counts, "
      "and a third "
      "clips and stores: 97 bytes per triangle. A single pass that looks back reads x and y once.",
      "Lanes that store their own results leave gaps for second ones, which come later, so most sectors are "
      "stored "
      "twice. Gathered in shared memory first, a tile's results are stored side by side.",
  };
  return problem;
}

const Registration registration(make_problem, __FILE__);

}  // namespace
}  // namespace lockstep::compaction_clip_problem
