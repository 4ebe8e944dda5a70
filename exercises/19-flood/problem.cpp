// What the judge knows of "flood": maps on which water goes long ways, and three gates.
//
// Expected masks come from a search in breadth, cell after cell, from the definition in flood.h.
//
// The counters below are those of the rungs of solutions/19-flood on the measured case, a spiral one cell
// wide of 49 x 85 cells, some 2050 of them wet, which winds otherwise with every seed. An element is a cell.
// Units: bytes of global memory in whole sectors, and atomics on words of global memory, one for each lane.
//
//   until_stable   each of 1950 launches reads a byte of every cell and, where it is dry, its height:
//                  16 400 to 17 900 bytes
//   moving_line    four passes for each of 12 windings, some 6 bytes per cell each: 280 to 300; where the
//   river
//                  begins by flowing the other way, 770
//   active_tiles   six tiles, each in its turn for every winding that enters it, 10 bytes per cell: 160 to
//   190
//                  bytes, and 0.05 atomics for the list
//   union_find     heights of a cell and two neighbours, and parents on the way to a root, some of them a
//                  sector each: 95 bytes; and an atomic for each wet cell, 0.5 per cell
//   tiles          12 tiles of 32 x 16 cells, and walks to a root from each wet cell: 40 to 60 bytes; atomics
//                  for cells at the borders of tiles alone, 0.02 per cell at most
//   runs           the same, and a look at neighbours before seams are joined: 42 to 60
//   words          one tile of 64 x 128 cells: less than on the large map, where it is 17 bytes, since its
//                  rows begin anywhere. No seams
//   reference      one tile of 128 x 128 cells, of which a quarter is on the map: 19 bytes. It has no
//                  seams, and no atomic but that of the source
//
// A limit of 150 bytes asks for a number of passes that does not grow with the way, one of 0.25 atomics for
// joining something larger than cells. Both lie between two rungs, whatever the seed.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstring>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <numbers>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "course/problem.h"
#include "flood.h"
#include "height_map.h"

namespace lockstep::flood_problem {
namespace {

using lockstep::Random;
using namespace lockstep::course;

using Cells = std::vector<unsigned char>;  ///< a byte for each cell, row after row

constexpr float kLevel = 100;

struct Shape {
  int rows = 0, columns = 0;
  std::size_t cells() const { return static_cast<std::size_t>(rows) * static_cast<std::size_t>(columns); }
  int cell(int row, int column) const { return row * columns + column; }
};

/// What a call is given.
struct Flooding {
  Shape shape;
  std::vector<float> heights;
  std::vector<int> sources;
  float level = kLevel;
  int neighbourhood = 4;
};

// --- the oracle ---

/// As flood.h says; other rules are mistakes.
struct Rules {
  int neighbourhood = 4;
  bool to_the_level = false;     ///< a cell as high as the level is wet
  bool unknown_is_wet = false;   ///< NaN
  bool round_the_edges = false;  ///< the last cell of a row and the first of the next are neighbours
  bool from_dry_sources = false;
};

bool is_wet(float height, float level, const Rules& rules) {
  return height < level || (rules.to_the_level && height == level) ||
         (rules.unknown_is_wet && std::isnan(height));
}

Cells search(const Flooding& given, const Rules& rules) {
  const Shape& shape = given.shape;
  Cells water(shape.cells());
  std::vector<int> reached;
  reached.reserve(shape.cells());
  const auto reach = [&](int cell, bool is_source) {
    const auto index = static_cast<std::size_t>(cell);
    if (water[index] != 0) return;
    const bool poured = is_source && rules.from_dry_sources;
    if (!is_wet(given.heights[index], given.level, rules) && !poured) return;
    water[index] = 1;
    reached.push_back(cell);
  };
  for (const int source : given.sources) reach(source, true);
  for (std::size_t next = 0; next < reached.size(); ++next) {
    const int row = reached[next] / shape.columns, column = reached[next] % shape.columns;
    for (int down = -1; down <= 1; ++down) {
      for (int right = -1; right <= 1; ++right) {
        if (rules.neighbourhood == 4 && down != 0 && right != 0) continue;
        const bool leaves = column + right < 0 || column + right >= shape.columns;
        if (row + down < 0 || row + down >= shape.rows || (leaves && !rules.round_the_edges)) continue;
        const int cell = shape.cell(row + down, column + right);
        if (cell >= 0 && static_cast<std::size_t>(cell) < shape.cells()) reach(cell, false);
      }
    }
  }
  return water;
}

// --- which cells are wet ---

/// Wet cells, and where the water comes from.
struct Pattern {
  Shape shape;
  Cells wet;
  std::vector<int> sources;

  explicit Pattern(Shape of) : shape(of), wet(of.cells()) {}
  unsigned char& at(int row, int column) { return wet[static_cast<std::size_t>(shape.cell(row, column))]; }
};

using Draw = Pattern (*)(Shape shape, Random& random);

/// Some wet cell.
template <class IsWet>
int any_wet(Shape shape, IsWet is_wet, Random& random) {
  const auto cells = static_cast<int>(shape.cells());
  int cell = random.integer(0, cells - 1);
  for (int tries = 0; tries < cells && !is_wet(cell); ++tries) cell = (cell + 1) % cells;
  return cell;
}

int any_wet(const Pattern& pattern, Random& random) {
  const auto is_wet = [&pattern](int cell) { return pattern.wet[static_cast<std::size_t>(cell)] != 0; };
  return any_wet(pattern.shape, is_wet, random);
}

Pattern random_cells(Shape shape, Random& random, double share) {
  Pattern pattern(shape);
  for (unsigned char& cell : pattern.wet) cell = double{random.uniform()} < share ? 1 : 0;
  // In a large map most components are small: some sources are in a large one.
  for (std::size_t first = 0; first < shape.cells(); first += 1 << 20)
    pattern.sources.push_back(any_wet(pattern, random));
  return pattern;
}

/// Near the share at which water finds a way through a large map: ways are as winding as they can be.
Pattern percolation_of_sides(Shape shape, Random& random) { return random_cells(shape, random, 0.593); }
Pattern percolation_of_corners(Shape shape, Random& random) { return random_cells(shape, random, 0.407); }
Pattern mostly_wet(Shape shape, Random& random) { return random_cells(shape, random, 0.8); }
/// Lakes of some dozen cells, if sides hold them together.
Pattern half_wet(Shape shape, Random& random) { return random_cells(shape, random, 0.45); }

/// Waves in all directions, the shorter the lower; from -1 to 1.
class Waves {
 public:
  Waves(double longest, Random& random) {
    double length = longest, height = 0.4;
    for (Wave& wave : waves_) {
      const double direction = 2 * std::numbers::pi * double{random.uniform()};
      const double steps = 2 * std::numbers::pi / length;
      wave = {.down = steps * std::sin(direction),
              .right = steps * std::cos(direction),
              .phase = 2 * std::numbers::pi * double{random.uniform()},
              .height = height};
      length *= 0.71;
      height *= 0.68;
    }
  }

  /// The heights of a row. A wave goes on by turning vectors, one for each of kTogether neighbouring cells:
  /// these do not depend on each other, so that the host turns several at once.
  void row(int row, std::span<float> heights) const {
    constexpr std::size_t kTogether = 64;
    std::fill(heights.begin(), heights.end(), 0.0F);
    for (const Wave& wave : waves_) {
      std::array<float, kTogether> sines{}, cosines{};
      for (std::size_t i = 0; i < kTogether; ++i) {
        const double begin = wave.phase + wave.down * row + wave.right * static_cast<double>(i);
        sines[i] = static_cast<float>(wave.height * std::sin(begin));
        cosines[i] = static_cast<float>(wave.height * std::cos(begin));
      }
      const auto turn_sine = static_cast<float>(std::sin(kTogether * wave.right)),
                 turn_cosine = static_cast<float>(std::cos(kTogether * wave.right));
      for (std::size_t first = 0; first < heights.size(); first += kTogether) {
        const std::size_t n = std::min(kTogether, heights.size() - first);
        for (std::size_t i = 0; i < n; ++i) heights[first + i] += sines[i];
        for (std::size_t i = 0; i < kTogether; ++i) {
          const float next = sines[i] * turn_cosine + cosines[i] * turn_sine;
          cosines[i] = cosines[i] * turn_cosine - sines[i] * turn_sine;
          sines[i] = next;
        }
      }
    }
  }

 private:
  struct Wave {
    double down = 0, right = 0, phase = 0, height = 0;
  };
  std::array<Wave, 12> waves_;
};

/// Lakes, bays and islands of all sizes, a row at a time.
class Terrain {
 public:
  Terrain(Shape shape, Random& random)
      : shape_(shape),
        waves_(0.6 * std::max(shape.rows, shape.columns), random),
        heights_(static_cast<std::size_t>(shape.columns)) {}

  static bool is_wet(float height) { return height < 0.15F; }

  /// By column; valid until another is asked for.
  std::span<const float> row(int row) {
    if (row != row_) waves_.row(row, heights_);
    row_ = row;
    return heights_;
  }

  /// One for 512 x 512 cells.
  std::vector<int> springs(Random& random) {
    const auto is_wet_cell = [this](int cell) {
      return is_wet(row(cell / shape_.columns)[static_cast<std::size_t>(cell % shape_.columns)]);
    };
    std::vector<int> cells;
    for (std::size_t first = 0; first < shape_.cells(); first += 1 << 18)
      cells.push_back(any_wet(shape_, is_wet_cell, random));
    return cells;
  }

 private:
  Shape shape_;
  Waves waves_;
  std::vector<float> heights_;
  int row_ = -1;  ///< whose heights these are
};

Pattern terrain(Shape shape, Random& random) {
  Pattern pattern(shape);
  Terrain made(shape, random);
  for (int row = 0; row < shape.rows; ++row) {
    const std::span<const float> heights = made.row(row);
    for (int column = 0; column < shape.columns; ++column)
      pattern.at(row, column) = Terrain::is_wet(heights[static_cast<std::size_t>(column)]) ? 1 : 0;
  }
  pattern.sources = made.springs(random);
  return pattern;
}

/// A river one cell wide that winds inwards, from the first cell. Between two windings is a dry cell.
Pattern spiral(Shape shape, Random&) {
  Pattern pattern(shape);
  int top = 0, left = 0, bottom = shape.rows - 1, right = shape.columns - 1;
  int row = 0, column = 0;
  const auto go_to = [&](int to_row, int to_column) {
    while (row != to_row || column != to_column) {
      pattern.at(row, column) = 1;
      row += (to_row > row) - (to_row < row);
      column += (to_column > column) - (to_column < column);
    }
    pattern.at(row, column) = 1;
  };
  while (true) {
    if (column >= right) break;
    go_to(row, right);
    if (row >= bottom) break;
    go_to(bottom, column);
    if (column <= left) break;
    go_to(row, left);
    top += 2, right -= 2, bottom -= 2;
    if (row <= top) break;
    go_to(top, column);
    left += 2;
  }
  pattern.sources = {0};
  return pattern;
}

/// A spiral that nobody knows: it begins near any corner, and on one side either way one of the first
/// windings leaves more dry cells to the next, so that all that follow lie elsewhere. Two ponds lie in the
/// wider gap, and one of them is joined to the river.
Pattern secret_spiral(Shape shape, Random& random) {
  constexpr int kWindings = 4;
  constexpr int kShore = 5;  // cells between a pond and the river's bends
  enum Side : std::size_t { top, right, bottom, left, kSides };
  constexpr std::array<int, kSides> kAhead = {1, 1, -1, -1}, kInwards = {1, -1, -1, 1};
  const auto any_of = [&random](int choices) { return random.integer(0, choices - 1); };
  Pattern pattern(shape);
  const bool turned_down = any_of(2) == 1, turned_right = any_of(2) == 1;
  // Places of the winding's sides: rows of top and bottom, columns of the others.
  std::array<int, kSides> sides = {any_of(2), shape.columns - 1, shape.rows - 1, any_of(2)};
  std::array<int, kSides> wide = {-1, -1, -1, -1};
  wide[any_of(2) == 0 ? top : bottom] = any_of(kWindings);
  wide[any_of(2) == 0 ? left : right] = any_of(kWindings);
  const auto wet = [&](int row, int column) {
    const int cell = shape.cell(turned_down ? shape.rows - 1 - row : row,
                                turned_right ? shape.columns - 1 - column : column);
    pattern.wet[static_cast<std::size_t>(cell)] = 1;
    return cell;
  };
  pattern.sources = {wet(sides[top], sides[left])};
  int at = sides[left];  // along the side
  for (int leg = 0;; ++leg) {
    const auto side = static_cast<std::size_t>(leg) % kSides;
    const int begin = at, end = sides[(side + 1) % kSides], ahead = kAhead[side], inwards = kInwards[side];
    if ((end - begin) * ahead <= 0) return pattern;
    const auto wet_beside = [&](int along, int distance) {
      const int across = sides[side] + distance * inwards;
      side % 2 == 0 ? wet(across, along) : wet(along, across);
    };
    while (at != end) wet_beside(at += ahead, 0);
    const bool is_upright = side % 2 == 1, is_wide = leg / static_cast<int>(kSides) == wide[side];
    if (is_wide && is_upright) {
      const int length = (end - begin) * ahead + 1 - 2 * kShore, first = begin + kShore * ahead;
      const int dam = 1 + any_of(length - 2);
      for (int i = 0; i < length; ++i) {
        if (i != dam) wet_beside(first + i * ahead, 2);
      }
      const int inlet = any_of(length - 1);
      wet_beside(first + (inlet < dam ? inlet : inlet + 1) * ahead, 1);
    }
    const int more = !is_wide ? 0 : is_upright ? 3 : 1;  // few are lost of rows, of which there are fewer
    at = sides[side];
    sides[side] += (2 + more) * inwards;
  }
}

/// Every second column, joined along the last row; the source is at the first tooth's end.
Pattern comb(Shape shape, Random&) {
  Pattern pattern(shape);
  for (int row = 0; row < shape.rows; ++row) {
    for (int column = 0; column < shape.columns; ++column)
      pattern.at(row, column) = column % 2 == 0 || row == shape.rows - 1 ? 1 : 0;
  }
  pattern.sources = {0};
  return pattern;
}

/// Every second row, each joined to the next at one of its ends in turn.
Pattern serpentine(Shape shape, Random&) {
  Pattern pattern(shape);
  for (int row = 0; row < shape.rows; ++row) {
    const int joined = row % 4 == 1 ? shape.columns - 1 : 0;
    for (int column = 0; column < shape.columns; ++column)
      pattern.at(row, column) = row % 2 == 0 || column == joined ? 1 : 0;
  }
  pattern.sources = {0};
  return pattern;
}

Pattern checkerboard(Shape shape, Random& random) {
  Pattern pattern(shape);
  for (int row = 0; row < shape.rows; ++row) {
    for (int column = 0; column < shape.columns; ++column)
      pattern.at(row, column) = static_cast<unsigned char>((row + column + 1) % 2);
  }
  pattern.sources = {any_wet(pattern, random)};
  return pattern;
}

/// Squares of 16 cells that meet at corners alone, along both diagonals.
Pattern squares_at_corners(Shape shape, Random& random) {
  Pattern pattern(shape);
  constexpr int kSide = 16;
  for (int row = 0; row < shape.rows; ++row) {
    for (int column = 0; column < shape.columns; ++column) {
      const int square = row / kSide, across = column / kSide;
      pattern.at(row, column) = square == across || square + across == 8 ? 1 : 0;
    }
  }
  pattern.sources = {any_wet(pattern, random)};
  return pattern;
}

Pattern all_wet(Shape shape, Random& random) {
  Pattern pattern(shape);
  std::fill(pattern.wet.begin(), pattern.wet.end(), static_cast<unsigned char>(1));
  if (shape.cells() > 0) pattern.sources = {random.integer(0, static_cast<int>(shape.cells()) - 1)};
  return pattern;
}

/// Rivers along the edges of the map and of its 128 x 128 tiles, where a dry cell is rare.
Pattern edges(Shape shape, Random& random) {
  Pattern pattern = random_cells(shape, random, 0.35);
  for (int row = 0; row < shape.rows; ++row) {
    for (int column = 0; column < shape.columns; ++column) {
      const bool is_edge = row % 128 >= 126 || column % 128 >= 126;
      if (is_edge && random.uniform() < 0.9F) pattern.at(row, column) = 1;
    }
  }
  pattern.sources = {any_wet(pattern, random)};
  return pattern;
}

// --- heights ---

/// Random heights below the level where the pattern is wet; at the level or above elsewhere.
float height_of(bool is_wet, Random& random) {
  const float distance = 50 * random.uniform();
  return is_wet ? kLevel - 1 - distance : kLevel + distance;
}

Flooding heights_of(const Pattern& pattern, int neighbourhood, Random& random) {
  Flooding made{.shape = pattern.shape, .sources = pattern.sources, .neighbourhood = neighbourhood};
  made.heights.reserve(pattern.wet.size());
  for (const unsigned char wet : pattern.wet) made.heights.push_back(height_of(wet != 0, random));
  return made;
}

/// What it makes of a terrain, which is kept nowhere.
course::Draw draw_of_heights(Shape shape, const std::shared_ptr<Terrain>& terrain, Random& random) {
  const auto columns = static_cast<std::size_t>(shape.columns);
  return [columns, terrain, &random, cell = std::size_t{0}](std::span<std::byte> part) mutable {
    while (!part.empty()) {
      const auto row = terrain->row(static_cast<int>(cell / columns)).subspan(cell % columns);
      const std::size_t n = std::min(row.size(), part.size() / sizeof(float));
      for (std::size_t i = 0; i < n; ++i) {
        const float height = height_of(Terrain::is_wet(row[i]), random);
        std::memcpy(part.data() + i * sizeof height, &height, sizeof height);
      }
      part = part.subspan(n * sizeof(float));
      cell += n;
    }
  };
}

using Change = void (*)(Flooding& made, Random& random);

void unchanged(Flooding&, Random&) {}

/// Half of the dry cells lie at the level.
void at_the_level(Flooding& made, Random& random) {
  for (float& height : made.heights) {
    if (!(height < made.level) && random.uniform() < 0.5F) height = made.level;
  }
}

/// Heights in whole numbers, as surveys have them: many cells lie at the level.
void in_steps(Flooding& made, Random&) {
  for (float& height : made.heights) height = kLevel + std::trunc((height - kLevel) / 8);
}

/// NaN for most of the dry cells, and infinities; NaN for some wet cells, which are dry then.
void with_unknown(Flooding& made, Random& random) {
  for (float& height : made.heights) {
    const float chance = random.uniform();
    const bool is_dry = !(height < made.level);
    if (is_dry)
      height = chance < 0.7F ? NAN : chance < 0.85F ? std::numeric_limits<float>::infinity() : height;
    if (!is_dry && chance < 0.3F) height = -std::numeric_limits<float>::infinity();
    if (!is_dry && chance > 0.98F) height = std::numeric_limits<float>::quiet_NaN();
  }
}

/// Infinite level: everything is below it but infinity and NaN.
void below_infinity(Flooding& made, Random&) {
  for (float& height : made.heights) {
    if (!(height < made.level))
      height = height < made.level + 25 ? NAN : std::numeric_limits<float>::infinity();
  }
  made.level = std::numeric_limits<float>::infinity();
}

void from_dry_land(Flooding& made, Random& random) {
  made.sources.clear();
  for (int i = 0; i < 5; ++i) {
    const auto cells = static_cast<int>(made.shape.cells());
    int cell = random.integer(0, cells - 1);
    while (made.heights[static_cast<std::size_t>(cell)] < made.level) cell = (cell + 1) % cells;
    made.sources.push_back(cell);
  }
}

void from_nowhere(Flooding& made, Random&) { made.sources.clear(); }

/// Sources in the last column alone, of which some are wet.
void from_the_last_column(Flooding& made, Random&) {
  made.sources.clear();
  for (int row = 0; row < made.shape.rows; row += 7)
    made.sources.push_back(made.shape.cell(row, made.shape.columns - 1));
}

/// Many sources, wet and dry, some of them twice.
void from_many(Flooding& made, Random& random) {
  const auto cells = static_cast<int>(made.shape.cells());
  for (int i = 0; i < 1 + cells / 500; ++i) made.sources.push_back(random.integer(0, cells - 1));
  made.sources.push_back(made.sources.front());
  made.sources.push_back(made.sources.back());
}

// --- calls ---

std::vector<KnownMistake> known_mistakes(const Flooding& given, const Cells& expected) {
  Mistakes mistakes(expected);
  const int own = given.neighbourhood, other = 12 - own;
  Cells wet(expected.size());
  for (std::size_t i = 0; i < wet.size(); ++i) wet[i] = given.heights[i] < given.level ? 1 : 0;
  mistakes.add("no cell has water", Cells(expected.size()),
               "Let the water begin in the sources that are below the level.");
  mistakes.add("all cells below the level have water: which of them does it reach from a source?", wet,
               "Begin with the sources, and go only from a cell with water to its neighbours.");
  mistakes.add(fmt::format("it is the water of {} neighbours per cell: the call asks for {}", other, own),
               search(given, {.neighbourhood = other}), "Go to the corners only where `neighbourhood` is 8.");
  mistakes.add("cells as high as the level have water: they are dry",
               search(given, {.neighbourhood = own, .to_the_level = true}), "Ask whether height < level.");
  mistakes.add(
      "water stands where the height is NaN: no comparison with NaN is true, so that its negation is",
      search(given, {.neighbourhood = own, .unknown_is_wet = true}),
      "Ask everywhere whether height < level: for NaN that is false, and !(height >= level) is true.");
  mistakes.add("water flows from the end of a row to the beginning of the next",
               search(given, {.neighbourhood = own, .round_the_edges = true}),
               "Look at the column before you go to a neighbour: a cell has one on the left only where its "
               "column is above 0, and on the right only where it is not the last.");
  mistakes.add("a source above the level gives water: it must itself be below it",
               search(given, {.neighbourhood = own, .from_dry_sources = true}),
               "Let water begin only in sources whose height < level.");
  return mistakes.known();
}

/// Whether water is missing, or stands where none comes.
Remark remark_on_water(std::span<const std::byte> expected, std::span<const std::byte> found) {
  std::size_t missing = 0, surplus = 0;
  for (std::size_t cell = 0; cell < expected.size(); ++cell) {
    const auto value = std::to_integer<int>(found[cell]), right = std::to_integer<int>(expected[cell]);
    if (value > 1) return {fmt::format("the mask holds {}: a cell is 1 or 0", value)};
    missing += value < right ? 1 : 0;
    surplus += value > right ? 1 : 0;
  }
  if (surplus == 0) {
    return {fmt::format("water is missing in {} cell{} that it reaches, and stands nowhere else: was a "
                        "neighbour left out, did the flood end too early, or was a join lost?",
                        missing, missing == 1 ? "" : "s"),
            "Where water spreads, go on until a whole pass changes nothing. Where cells are joined, another "
            "thread may join the same root meanwhile: look at what the atomic operation returns, and where "
            "that is not the root, begin again with the roots as they are then."};
  }
  if (missing == 0) {
    return {fmt::format("water stands in {} cell{} that it does not reach, and is missing nowhere: were "
                        "cells joined that are no neighbours, or dry?",
                        surplus, surplus == 1 ? "" : "s"),
            "Ask of both cells whether they are on the map and below the level, and for corners whether "
            "`neighbourhood` is 8."};
  }
  return {};
}

/// `call` has the heights, which may be left out of `given`.
Call with_output(Call call, const Flooding& given, Output mask) {
  mask.type = ElementType::u8;
  call.input("sources", given.sources).output("mask", std::move(mask));
  call.scalar("rows", given.shape.rows).scalar("columns", given.shape.columns);
  call.scalar("source_count", static_cast<int>(given.sources.size())).scalar("level", given.level);
  call.scalar("neighbourhood", given.neighbourhood).workspace("workspace").stream();
  return call;
}

Call call_of(const Flooding& given, const Cells& expected,
             std::function<std::vector<KnownMistake>()> mistakes) {
  Output mask;
  mask.expected = bytes_of(expected);
  mask.position = [columns = given.shape.columns](std::size_t cell) {
    const auto width = static_cast<std::size_t>(columns);
    return fmt::format("row {}, column {}", cell / width, cell % width);
  };
  mask.known_mistakes = std::move(mistakes);
  mask.remark = remark_on_water;
  Call call;
  call.input("heights", given.heights);
  return with_output(std::move(call), given, std::move(mask));
}

Call make_call(const Flooding& given) {
  const auto kept = std::make_shared<const std::pair<Flooding, Cells>>(
      given, search(given, {.neighbourhood = given.neighbourhood}));
  return call_of(kept->first, kept->second, [kept] { return known_mistakes(kept->first, kept->second); });
}

/// Each byte of heights and mask once.
Cost cost_of(Shape shape) {
  const auto cells = static_cast<double>(shape.cells());
  return {.elements = cells, .global_bytes = cells * (sizeof(float) + 1)};
}

Case make_case(Shape shape, int neighbourhood, std::string name, std::string purpose, Draw draw,
               Change change = unchanged) {
  Case made;
  made.name = fmt::format("{} x {}, {} neighbours: {}", shape.rows, shape.columns, neighbourhood, name);
  made.purpose = std::move(purpose);
  made.prepare = [=](Random& random) {
    Flooding given = heights_of(draw(shape, random), neighbourhood, random);
    change(given, random);
    return make_call(given);
  };
  made.cost = cost_of(shape);
  return made;
}

// --- large maps, for speed ---

/// Another terrain for every call: a submission that keeps what it found in one has nothing for the next.
Case terrain_case(int side, std::string purpose) {
  Case made;
  made.name = fmt::format("{} x {}", side, side);
  made.purpose = std::move(purpose);
  made.prepare = [side](Random& random) {
    const Flooding given = heights_of(terrain({side, side}, random), 4, random);
    return call_of(given, search(given, {.neighbourhood = 4}), {});
  };
  made.prepare_inputs = [side](Random& random) {
    const auto drawn = std::make_shared<Terrain>(Shape{side, side}, random);
    const Flooding given{.shape = {side, side}, .sources = drawn->springs(random), .neighbourhood = 4};
    Call call;
    call.drawn_input("heights", draw_of_heights(given.shape, drawn, random));
    return with_output(std::move(call), given, {});
  };
  made.cost = cost_of({side, side});
  return made;
}

/// A square map whose pattern and mask are made once for many calls, since searching it takes seconds. Calls
/// differ in all heights and in the direction that it is looked at from: enough for solutions that are
/// trusted, as `bench` does.
class LargeMap {
 public:
  LargeMap(int side, int neighbourhood, Draw draw, Change change, Random& random)
      : side_(side), neighbourhood_(neighbourhood) {
    Flooding given = heights_of(draw({side, side}, random), neighbourhood, random);
    change(given, random);
    cells_ = search(given, {.neighbourhood = neighbourhood});
    sources_ = given.sources;
    for (std::size_t i = 0; i < cells_.size(); ++i)
      cells_[i] = static_cast<unsigned char>(cells_[i] << 1 | (given.heights[i] < kLevel ? 1 : 0));
  }

  Call call(Random& random) const {
    const bool turned_down = random.bits() % 2 == 1, turned_right = random.bits() % 2 == 1;
    const auto width = static_cast<std::size_t>(side_);
    const auto index_of = [&](std::size_t row, std::size_t column) {
      return (turned_down ? width - 1 - row : row) * width + (turned_right ? width - 1 - column : column);
    };
    Flooding given{.shape = {side_, side_}, .neighbourhood = neighbourhood_};
    given.heights.resize(given.shape.cells());
    Cells water(given.shape.cells());
    for (std::size_t row = 0; row < width; ++row) {
      std::uint64_t state = random.bits() | 1;
      for (std::size_t column = 0; column < width; ++column) {
        const unsigned char cell = cells_[index_of(row, column)];
        // A generator of a step a value: these heights are only to be new, below the level or not.
        state = state * 0xD1342543DE82EF95 + 1;
        const float distance = static_cast<float>(state >> 40) * 0x32p-24F;
        given.heights[row * width + column] = cell != 0 ? kLevel - 1 - distance : kLevel + distance;
        water[row * width + column] = cell >> 1;
      }
    }
    for (const int source : sources_) {
      const auto cell = static_cast<std::size_t>(source);
      given.sources.push_back(static_cast<int>(index_of(cell / width, cell % width)));
    }
    return call_of(given, water, {});
  }

 private:
  int side_, neighbourhood_;
  Cells cells_;  ///< 1: wet, 2: and with water
  std::vector<int> sources_;
};

Case large_case(int side, int neighbourhood, std::string name, std::string purpose, Draw draw,
                Change change = unchanged) {
  Case made;
  made.name = std::move(name);
  made.purpose = std::move(purpose);
  made.cost = cost_of({side, side});
  return sharing(std::move(made), [=](Random& random) {
    const auto map = std::make_shared<const LargeMap>(side, neighbourhood, draw, change, random);
    return [map](Random& own) { return map->call(own); };
  });
}

// --- the picture ---

constexpr Shape kDrawn{160, 240};

/// Terrain with its heights, not only wet and dry.
Call make_drawn_call(Random& random) {
  Flooding given{.shape = kDrawn, .neighbourhood = 4};
  given.heights.resize(kDrawn.cells());
  const Waves waves(110, random);
  for (int row = 0; row < kDrawn.rows; ++row) {
    const auto first = static_cast<std::size_t>(kDrawn.cell(row, 0));
    const auto heights = std::span(given.heights).subspan(first, static_cast<std::size_t>(kDrawn.columns));
    waves.row(row, heights);
    for (float& height : heights) height = kLevel + 5 + 40 * height;
  }
  int lowest = 0;
  for (int cell = 0; cell < static_cast<int>(kDrawn.cells()); ++cell) {
    if (given.heights[static_cast<std::size_t>(cell)] < given.heights[static_cast<std::size_t>(lowest)])
      lowest = cell;
  }
  given.sources = {lowest};
  return make_call(given);
}

Case drawn_case() {
  Case made;
  made.name = "terrain";
  made.purpose = "lakes among hills; this case can be drawn";
  made.prepare = make_drawn_call;
  made.cost = cost_of(kDrawn);
  made.calls = 1;
  return made;
}

/// A path for each shade, with a stroke for each run of cells that have it.
std::string draw_map(const Shown& shown) {
  constexpr int kScale = 4, kShades = 10;
  const lockstep::HeightMap map{.rows = shown.scalar<int>("rows"),
                                .columns = shown.scalar<int>("columns"),
                                .heights = shown.numbers<float>("heights")};
  const auto mask = shown.numbers<unsigned char>("mask");
  const lockstep::Shading shading(map, shown.scalar<float>("level"), kShades);
  std::map<std::string, std::string> paths;
  for (int row = 0; row < map.rows; ++row) {
    const auto colour = [&](int column) {
      const auto cell = static_cast<std::size_t>(row) * static_cast<std::size_t>(map.columns) +
                        static_cast<std::size_t>(column);
      const lockstep::Colour of = shading.of(row, column, mask[cell] == 1);
      return fmt::format("#{:02x}{:02x}{:02x}", of.red, of.green, of.blue);
    };
    for (int first = 0, end = 0; first < map.columns; first = end) {
      const std::string of_run = colour(first);
      for (end = first + 1; end < map.columns && colour(end) == of_run;) ++end;
      paths[of_run] += fmt::format("M{} {}h{}", first, row, end - first);
    }
  }
  std::string drawn = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 -0.5 {} {}\" width=\"{}\" height=\"{}\" "
      "role=\"img\" shape-rendering=\"crispEdges\">\n<title>A flooded map</title>\n",
      map.columns, map.rows, kScale * map.columns, kScale * map.rows);
  for (const auto& [colour, path] : paths)
    drawn += fmt::format("<path stroke=\"{}\" d=\"{}\"/>\n", colour, path);
  return drawn + "</svg>\n";
}

// --- gates ---

/// Atomics on global memory, one for each lane, over cells.
Gate global_atomics_gate(double limit, std::string advice) {
  using lockstep::emulator::LineCounters;
  const auto atomics = [](const LineCounters& line) {
    return static_cast<double>(line.global_atomic.bytes) / sizeof(unsigned);
  };
  const auto for_each_cell = [](double count, const Measurement& measurement) {
    return count / (measurement.cost.elements * measurement.calls);
  };
  return {
      .name = "atomics-per-cell",
      .description = "Atomics on words of global memory, one for each lane, for each cell.",
      .limit = limit,
      .value =
          [=](const Measurement& measurement) {
            double sum = 0;
            for (const LineCounters& line : measurement.observations.lines) sum += atomics(line);
            return for_each_cell(sum, measurement);
          },
      .cause = [=, advice = std::move(advice)](const Measurement& measurement) -> Cause {
        return {atomics,
                [=](const LineCounters& line) {
                  return fmt::format("{:.2f} atomics per cell, the most of all lines",
                                     for_each_cell(atomics(line), measurement));
                },
                advice};
      },
  };
}

/// Bytes for each cell. Water that flows step by step shows in the number of launches.
Gate flood_traffic_gate(double limit) {
  using lockstep::emulator::LineCounters;
  constexpr std::uint64_t kFewLaunches = 16;
  const std::string tiles = "Let a block do as much as it can for a tile of the map in shared memory.";
  Gate gate =
      bytes_per_element_gate(limit, {.scattered = tiles, .again = tiles, .atomics = tiles, .merging = tiles});
  gate.cause = [of_traffic = gate.cause](const Measurement& measurement) -> Cause {
    Cause cause = of_traffic(measurement);
    const std::uint64_t launches =
        measurement.observations.launches / static_cast<std::uint64_t>(measurement.calls);
    if (launches <= kFewLaunches) return cause;
    const double cells = measurement.cost.elements * measurement.calls;
    return {
        global_bytes,
        [=](const LineCounters& line) {
          return fmt::format("{} bytes per cell, the most of all lines", figure(global_bytes(line) / cells));
        },
        fmt::format(
            "Find the components of the wet cells instead of letting water flow: joining trees takes a "
            "number of passes that no map changes. A call makes {} launches. A pass over the map for every "
            "step of the water takes as many passes as its way is long.",
            launches),
        cause.besides};
  };
  return gate;
}

Problem make_problem() {
  Problem problem;
  problem.name = "flood";
  problem.title = "Flood a height map";
  problem.lesson =
      "water that flows step by step becomes components, joined in a number of passes that no map changes";
  problem.function = LOCKSTEP_SIGNATURE(flood);
  WorkspaceQuery workspace;
  workspace.function = LOCKSTEP_SIGNATURE(flood_workspace_bytes);
  workspace.arguments = [](const Call& call) {
    return std::vector<std::uint64_t>{call.arguments()[3].scalar_bits, call.arguments()[4].scalar_bits};
  };
  workspace.limit_bytes = [](const Call& call) {
    const auto rounded = [&](std::size_t argument) {
      return (call.arguments()[argument].scalar_bits + 127) / 128 * 128;
    };
    return 8 * rounded(3) * rounded(4) + (4 << 20);
  };
  problem.workspace = workspace;
  problem.cases = {
      make_case({0, 7}, 4, "no rows", "an empty map: a grid without blocks cannot be launched", all_wet),
      make_case({1, 1}, 8, "one cell", "one cell that is a source", all_wet),
      make_case({1, 997}, 4, "a row", "a single row of prime length, with no row above or below", mostly_wet),
      make_case({1009, 1}, 8, "a column", "a single column: every cell is at both ends of its row",
                mostly_wet),
      make_case({31, 31}, 4, "random", "one less than a warp, either way", percolation_of_sides),
      make_case({32, 32}, 8, "random", "exactly one warp, and corners", percolation_of_corners),
      make_case({33, 33}, 4, "random", "one more than a warp", percolation_of_sides),
      make_case({64, 65}, 4, "checkerboard",
                "wet cells that meet at corners alone: only the source has water", checkerboard),
      make_case({65, 67}, 8, "checkerboard", "the same with corners: every wet cell has water", checkerboard),
      once(make_case({35, 37}, 8, "spiral",
                     "a river that winds inwards, and must not leap to the next winding", spiral)),
      once(make_case({24, 89}, 4, "serpentine", "to and fro: water must also flow up and to the left",
                     serpentine, [](Flooding& made, Random&) { made.sources = {made.shape.cell(22, 1)}; })),
      make_case({67, 101}, 4, "comb", "teeth that join at the far end", comb),
      make_case({50, 70}, 4, "at the level", "dry cells exactly as high as the level", mostly_wet,
                at_the_level),
      make_case({70, 50}, 8, "in steps", "heights in whole numbers, many of them the level",
                percolation_of_corners, in_steps),
      make_case({47, 83}, 4, "unknown heights", "NaN and infinities: NaN is dry", mostly_wet, with_unknown),
      make_case({45, 35}, 8, "infinite level", "everything is below infinity, except infinity and NaN",
                mostly_wet, below_infinity),
      make_case({37, 41}, 4, "dry sources", "sources above the level give no water", mostly_wet,
                from_dry_land),
      make_case({29, 43}, 8, "no source", "water from nowhere: everything stays dry", mostly_wet,
                from_nowhere),
      make_case({103, 97}, 4, "the last column", "rows end where they end: no water comes round the edges",
                percolation_of_sides, from_the_last_column),
      make_case({127, 113}, 8, "many sources", "wet and dry sources, some of them twice",
                percolation_of_corners, from_many),
      once(make_case({256, 144}, 8, "squares", "squares that meet at corners, also at those of tiles",
                     squares_at_corners)),
      once(make_case({135, 261}, 4, "edges", "rivers along the edges of tiles, at multiples of 128", edges)),
      once(make_case({257, 127}, 8, "edges", "the same with corners, in a narrow map", edges)),
      once(make_case({130, 258}, 4, "all wet", "one lake over whole tiles", all_wet)),
      drawn_case(),
      measured(
          once(make_case({49, 85}, 4, "spiral",
                         "a river through nearly half of all cells, and ponds beside it", secret_spiral))),
      wide(
          measured(once(make_case({487, 479}, 4, "large", "more cells than a block has bytes, and many lakes",
                                  half_wet, from_many)))),
  };
  constexpr int kSide = 8192;
  problem.speed = {.sizes = {terrain_case(1024, "a million cells: launches take longer than bytes"),
                             terrain_case(2048, "as much as the caches hold"),
                             terrain_case(4096, "a survey of 4 km in steps of a metre")},
                   .larger = {terrain_case(kSide, "of 8 km")},
                   .variations = {large_case(kSide, 4, "spiral", "one river of 34 million cells", spiral),
                                  large_case(kSide, 4, "comb", "4096 teeth, joined at the far end", comb),
                                  large_case(kSide, 4, "serpentine", "4096 rows, to and fro", serpentine),
                                  large_case(kSide, 4, "checkerboard, 4 neighbours", "34 million components",
                                             checkerboard),
                                  large_case(kSide, 8, "checkerboard, 8 neighbours",
                                             "one component that only corners hold together", checkerboard),
                                  large_case(kSide, 4, "percolation, 4 neighbours",
                                             "0.593 of all cells are wet", percolation_of_sides),
                                  large_case(kSide, 8, "percolation, 8 neighbours",
                                             "0.407 of all cells are wet", percolation_of_corners),
                                  large_case(kSide, 8, "terrain, 8 neighbours, many sources",
                                             "a source in every 500 cells", terrain, from_many),
                                  large_case(kSide, 4, "all wet", "one lake", all_wet),
                                  terrain_case(4093, "a prime: rows that start anywhere")},
                   .reference = {.first_ratio = 0.0005}};
  problem.gates = {
      flood_traffic_gate(150),
      global_atomics_gate(0.25,
                          "Let a block find the components of a tile in shared memory. Then only cells at "
                          "the borders of tiles need to be joined in global memory."),
      // moving_line has 4.5, as a line is a block; the others 15 and more, and a single block 1.
      parallelism_gate(
          3,
          "Give each block a tile of the map. What one block does alone, such as going round until "
          "nothing changes, keeps all others idle."),
  };
  problem.picture = Picture{.case_name = drawn_case().name, .ending = "svg", .draw = draw_map};
  problem.hints = {
      "First make it right: a kernel gives water to every wet cell that has a neighbour with water, and "
      "records in a word of device memory that it did so. Launch it until a pass changes nothing; look at "
      "the word after every 16 launches only, since looking waits for the device.",
      "The steps of the water need not be followed: of two wet neighbours both get water, or neither "
      "does. So join all such pairs, wherever the source is: a forest with a parent for each cell, where "
      "a root is its own parent. To join two cells, find both roots and hang the larger below the smaller "
      "by atomicCAS; if that fails, another thread has changed the parent: find the roots again. At the "
      "end a cell has water if its root is that of a source.",
      "Most of this can be done in shared memory. A block takes a tile and joins its cells there; "
      "afterwards only neighbours on either side of a border between tiles are joined in global memory. Of "
      "a component that does not touch its tile's border, it is known at once whether it has water.",
      "A warp compares 32 heights with the level and keeps the answer in one word, by __ballot_sync. Then "
      "join runs of ones instead of cells: word & ~(word << 1) has a one where each run begins, __popc "
      "counts them, and two runs of neighbouring rows touch where the AND of their words is not 0.",
      "A tile need not keep a parent for each cell in global memory: a byte for each run says to which of "
      "at most 254 components of the tile's border it belongs. The mask is made of these bytes, the words, "
      "and the roots of the tile's components.",
  };
  return problem;
}

const Registration registration(make_problem, __FILE__);

}  // namespace
}  // namespace lockstep::flood_problem
