// The seconds of one call of flood, by events. A size: the side of a square map, neighbours of a cell, what
// the map is, such as terrain, and whether the sources are few or many.
#include "event_time.h"

#include <cmath>
#include <map>
#include <numbers>
#include <random>
#include SOLUTION

using namespace event_time;

constexpr float kLevel = 100;

/// Waves in all directions, the shorter the lower.
struct Waves {
  static constexpr int kWaves = 12;
  float down[kWaves], right[kWaves], phase[kWaves], height[kWaves];

  Waves(int side, unsigned seed) {
    std::mt19937_64 engine(seed);
    std::uniform_real_distribution<double> turn(0, 2 * std::numbers::pi);
    double length = 0.6 * side, most = 0.4;
    for (int wave = 0; wave < kWaves; ++wave, length *= 0.71, most *= 0.68) {
      const double direction = turn(engine), steps = 2 * std::numbers::pi / length;
      down[wave] = static_cast<float>(steps * std::sin(direction));
      right[wave] = static_cast<float>(steps * std::cos(direction));
      phase[wave] = static_cast<float>(turn(engine));
      height[wave] = static_cast<float>(most);
    }
  }
  __device__ float operator()(int row, int column) const {
    float sum = 0;
    for (int wave = 0; wave < kWaves; ++wave)
      sum += height[wave] * sinf(phase[wave] + down[wave] * row + right[wave] * column);
    return sum;
  }
};

enum class Pattern { terrain, spiral, comb, serpentine, checkerboard, sides, corners, all_wet };

const std::map<std::string, Pattern> kPatterns = {{"terrain", Pattern::terrain},
                                                  {"spiral", Pattern::spiral},
                                                  {"comb", Pattern::comb},
                                                  {"serpentine", Pattern::serpentine},
                                                  {"checkerboard", Pattern::checkerboard},
                                                  {"percolation-of-sides", Pattern::sides},
                                                  {"percolation-of-corners", Pattern::corners},
                                                  {"all-wet", Pattern::all_wet}};

/// Heights below the level where a pattern is wet, above it elsewhere. A pattern is looked at from any of
/// four corners.
struct Heights {
  Pattern pattern;
  int side;
  unsigned seed;
  Waves waves;

  __host__ __device__ int turned_row(int row) const { return seed % 2 == 0 ? row : side - 1 - row; }
  __host__ __device__ int turned_column(int column) const {
    return seed / 2 % 2 == 0 ? column : side - 1 - column;
  }
  /// A river winds inwards from the first cell, with a dry cell between two windings: rings, each of which
  /// is cut where it would end in itself and joined to the next but one there.
  __device__ bool is_in_spiral(int row, int column) const {
    const int ring = min(min(row, side - 1 - row), min(column, side - 1 - column));
    const bool is_joint = row == column + 1 && column < side / 2;
    return (ring % 2 == 0) != is_joint;
  }
  __device__ bool is_wet(int row, int column, std::size_t cell) const {
    switch (pattern) {
      case Pattern::terrain:
        return waves(row, column) < 0.15F;
      case Pattern::spiral:
        return is_in_spiral(row, column);
      case Pattern::comb:
        return column % 2 == 0 || row == side - 1;
      case Pattern::serpentine:
        return row % 2 == 0 || column == (row % 4 == 1 ? side - 1 : 0);
      case Pattern::checkerboard:
        return (row + column) % 2 == 0;
      case Pattern::sides:  // about where water finds a way through a large map
        return random_share(cell, ~seed) < 0.593F;
      case Pattern::corners:
        return random_share(cell, ~seed) < 0.407F;
      case Pattern::all_wet:
        return true;
    }
    return false;
  }
  __device__ float operator()(std::size_t cell) const {
    const int row = static_cast<int>(cell / side), column = static_cast<int>(cell % side);
    const float distance = 50 * random_share(cell, seed);
    return is_wet(turned_row(row), turned_column(column), cell) ? kLevel - 1 - distance : kLevel + distance;
  }
};

/// Any cells, or the next wet ones after any.
struct AnyCells {
  const float* heights;
  int cells;
  unsigned seed;
  bool are_wet;
  __device__ int operator()(std::size_t i) const {
    auto cell = static_cast<int>(random_below(cells, i, ~seed));
    while (are_wet && !(heights[cell] < kLevel)) cell = (cell + 1) % cells;
    return cell;
  }
};

int few_sources(Pattern pattern, int cells) {
  const auto one_in = [cells](int some) { return (cells - 1) / some + 1; };
  if (pattern == Pattern::terrain) return one_in(1 << 18);
  if (pattern == Pattern::sides || pattern == Pattern::corners) return one_in(1 << 20);
  return 1;
}

Task task_of(const Size& size) {
  const int side = size.number(0), neighbourhood = size.number(1), cells = side * side;
  const Pattern pattern = kPatterns.at(size.word(2));
  const bool has_many = size.word(3) == "many";
  const bool is_river =
      pattern == Pattern::spiral || pattern == Pattern::comb || pattern == Pattern::serpentine;
  const int sources_of_map = has_many ? cells / 500 + 3 : few_sources(pattern, cells);
  const auto make_call = [=](unsigned seed) {
    const Heights make{pattern, side, seed, Waves(side, seed)};
    const auto* const heights = filled<float>(cells, make);
    // A river begins in the corner from which it is looked at.
    const int corner = make.turned_row(0) * side + make.turned_column(0);
    const auto* const sources = is_river
                                    ? copied(std::vector<int>{corner})
                                    : filled<int>(sources_of_map, AnyCells{heights, cells, seed, !has_many});
    auto* const mask = allocate<unsigned char>(cells);
    auto* const workspace = allocate<unsigned char>(flood_workspace_bytes(side, side));
    return [=](cudaStream_t stream) {
      flood(heights, sources, mask, side, side, sources_of_map, kLevel, neighbourhood, workspace, stream);
    };
  };
  return {{.bytes = 1.0 * cells * (sizeof(float) + 1)}, make_call};
}

int main(int count, char** words) { return time_sizes(count, words, task_of); }
