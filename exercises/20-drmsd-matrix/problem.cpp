// What the judge knows of "drmsd-matrix": molecules that visit a few shapes, some of whose frames hardly
// differ, and three gates.
//
// An element is a pair of atoms in a pair of frames. The bytes below, of global memory in whole sectors, are
// worked out for the rungs of solutions/20-drmsd-matrix on the measured case, 63 frames of 97 atoms; the
// instructions, as PTX has them, are counted.
//
//                 bytes  instructions
//   one_pair         58    25.5  a warp has 2 frames f and 16 frames g: 3 requests of 2 sectors and 3 of 16
//                                for 32 elements, 54 bytes each; fewer elements in tiles on the diagonal
//   shared_atoms    3.6    27.0  rows and tiles of atoms, 522 sectors for 4656 elements
//   frame_tiles     1.0     9.4  4 times the atoms for 16 times the elements, and a tenth more for tiles on
//                                the diagonal; 8 distances of 7 instructions, 24 loads, 16 terms of 2
//   the reference   2.6     6.6  40 sectors for 32 distances, which three tiles compute for 126 frames; of
//                                the 3072 pairs of frames in these tiles 1953 are wanted
//
// Four frames against four in registers, read from global memory by lanes that each begin behind a row of
// their own, move 13 bytes, and eight against eight 7: twice the atoms for four times the elements. The limit
// of 6 asks for atoms or distances that a warp or a block shares.
//
// Two distances by differences, and a term, are 16 instructions of arithmetic, so a pair of frames that
// computes its own so takes more: 18.6 in the reference of 20-drmsd. Two frames against two take 15.2. The
// limit of 16 lies between.
//
// Work of the largest case: 9.1 million elements are 0.28 million for each lane of a warp, times 27
// instructions, 8 million warp-instructions per call.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <numbers>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "course/numbers.h"
#include "course/problem.h"
#include "drmsd_matrix.h"

namespace lockstep::drmsd_matrix_problem {
namespace {

using lockstep::Random;
using namespace lockstep::course;

using Positions = std::vector<float>;       ///< x, y, z of one atom after the other
using Trajectory = std::vector<Positions>;  ///< a frame after the other

/// Largest distance from the origin along an axis, in the units of the positions.
constexpr float kFarthest = 10000;

constexpr std::size_t pairs_of(std::size_t n) { return n < 2 ? 0 : n * (n - 1) / 2; }

// --- the oracle ---

/// Of all pairs of atoms of one frame.
std::vector<double> distances_of(const Positions& positions) {
  std::vector<double> distances;
  const std::size_t n = positions.size() / 3;
  distances.reserve(pairs_of(n));
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = i + 1; j < n; ++j) {
      double square = 0;
      for (std::size_t axis = 0; axis < 3; ++axis) {
        const double difference = double{positions[3 * i + axis]} - double{positions[3 * j + axis]};
        square += difference * difference;
      }
      distances.push_back(std::sqrt(square));
    }
  }
  return distances;
}

/// In several sums, as a single chain of additions would take most of the oracle's time.
double sum_of_squares(const std::vector<double>& one, const std::vector<double>& other) {
  constexpr std::size_t kSums = 8;
  std::array<double, kSums> sums{};
  for (std::size_t begin = 0; begin < one.size(); begin += kSums) {
    const std::size_t count = std::min(kSums, one.size() - begin);
    for (std::size_t k = 0; k < count; ++k) {
      const double difference = one[begin + k] - other[begin + k];
      sums[k] += difference * difference;
    }
  }
  double sum = 0;
  for (const double part : sums) sum += part;
  return sum;
}

/// The condensed matrix.
std::vector<double> matrix_of(const Trajectory& trajectory) {
  std::vector<std::vector<double>> distances;
  distances.reserve(trajectory.size());
  for (const Positions& frame : trajectory) distances.push_back(distances_of(frame));
  std::vector<double> matrix;
  matrix.reserve(pairs_of(trajectory.size()));
  for (std::size_t f = 0; f < trajectory.size(); ++f) {
    for (std::size_t g = f + 1; g < trajectory.size(); ++g) {
      const auto pairs = static_cast<double>(distances[f].size());
      matrix.push_back(pairs == 0 ? 0 : std::sqrt(sum_of_squares(distances[f], distances[g]) / pairs));
    }
  }
  return matrix;
}

// --- trajectories ---

/// What a case asks for.
using Make = Trajectory (*)(std::size_t n, std::size_t frames, Random& random);

/// Atoms anywhere in a cube that is as large as a protein of as many Cα atoms, in ångström.
Positions shape(std::size_t n, Random& random) {
  const auto half = static_cast<float>(3 * std::cbrt(static_cast<double>(n)));
  return random.floats(3 * n, -half, half);
}

/// Every coordinate moved by up to `amplitude` either way.
Positions moved(Positions positions, float amplitude, Random& random) {
  for (float& coordinate : positions) coordinate += amplitude * (2 * random.uniform() - 1);
  return positions;
}

/// Rotated by two angles about the origin: distances stay, but for the rounding of positions.
Positions rotated(Positions positions, Random& random) {
  const auto rotate = [&positions](std::size_t first, std::size_t second, double angle) {
    for (std::size_t at = 0; at < positions.size(); at += 3) {
      const double a = double{positions[at + first]}, b = double{positions[at + second]};
      positions[at + first] = static_cast<float>(a * std::cos(angle) - b * std::sin(angle));
      positions[at + second] = static_cast<float>(a * std::sin(angle) + b * std::cos(angle));
    }
  };
  rotate(0, 1, 2 * std::numbers::pi * double{random.uniform()});
  rotate(1, 2, 2 * std::numbers::pi * double{random.uniform()});
  return positions;
}

/// A molecule that tumbles, trembles, and visits a few shapes of different size.
Trajectory visiting(std::size_t n, std::size_t frames, Random& random) {
  constexpr int kShapes = 4;
  constexpr float kLarger = 0.1F;
  std::vector<Positions> shapes;
  for (int k = 0; k < kShapes; ++k) {
    shapes.push_back(shape(n, random));
    for (float& coordinate : shapes.back()) coordinate *= 1 + kLarger * static_cast<float>(k);
  }
  Trajectory made;
  for (std::size_t frame = 0; frame < frames; ++frame) {
    const auto k = static_cast<std::size_t>(random.integer(0, kShapes - 1));
    made.push_back(rotated(moved(shapes[k], 0.4F, random), random));
  }
  return made;
}

/// A molecule that grows from frame to frame by an eighth: with few atoms two shapes may have nearly the same
/// distances by chance, and what float loses of two distances is then much of their difference.
Trajectory growing(std::size_t n, std::size_t frames, Random& random) {
  const Positions first = shape(n, random);
  Trajectory made;
  for (std::size_t frame = 0; frame < frames; ++frame) {
    made.push_back(moved(first, 0.02F, random));
    for (float& coordinate : made.back()) coordinate *= 1 + 0.125F * static_cast<float>(frame);
  }
  return made;
}

/// Frames that hardly differ from each other, though the molecule tumbles.
Trajectory nearly_the_same(std::size_t n, std::size_t frames, Random& random) {
  const Positions first = shape(n, random);
  Trajectory made;
  for (std::size_t frame = 0; frame < frames; ++frame)
    made.push_back(rotated(moved(first, 0.002F, random), random));
  return made;
}

/// Atoms that move by a ten thousandth of what lies between them.
Trajectory far_apart(std::size_t n, std::size_t frames, Random& random) {
  const Positions first = random.floats(3 * n, -0.05F * kFarthest, 0.05F * kFarthest);
  Trajectory made;
  for (std::size_t frame = 0; frame < frames; ++frame) made.push_back(moved(first, 0.05F, random));
  return made;
}

/// One shape, and its mirror images along each axis.
Trajectory mirrored(std::size_t n, std::size_t frames, Random& random) {
  const Positions first = shape(n, random);
  Trajectory made;
  for (std::size_t frame = 0; frame < frames; ++frame) {
    made.push_back(first);
    for (std::size_t at = frame % 4; frame % 4 > 0 && at <= 3 * n; at += 3) made.back()[at - 1] *= -1;
  }
  return made;
}

/// Every third atom lies where the one before it lies, in every other frame.
Trajectory coinciding(std::size_t n, std::size_t frames, Random& random) {
  Trajectory made = visiting(n, frames, random);
  for (std::size_t frame = 0; frame < frames; frame += 2) {
    Positions& positions = made[frame];
    for (std::size_t i = 1; i < n; i += 3) std::copy_n(&positions[3 * (i - 1)], 3, &positions[3 * i]);
  }
  return made;
}

/// Far from the origin, where squares of coordinates have no digits left for distances.
Trajectory far_away(std::size_t n, std::size_t frames, Random& random) {
  Trajectory made = visiting(n, frames, random);
  for (Positions& positions : made)
    for (float& coordinate : positions) coordinate += 0.8F * kFarthest;
  return made;
}

// --- what float can promise ---

/// Of the box along the axes that holds all atoms.
double diagonal(const Positions& positions) {
  double square = 0;
  for (std::size_t axis = 0; axis < 3 && !positions.empty(); ++axis) {
    double least = double{positions[axis]}, most = least;
    for (std::size_t at = axis; at < positions.size(); at += 3) {
      least = std::min(least, double{positions[at]});
      most = std::max(most, double{positions[at]});
    }
    square += (most - least) * (most - least);
  }
  return std::sqrt(square);
}

/// How far a result may lie from `exact` beside 1e-5 of itself. A distance in float is off by less than 6 u
/// of itself, u = 2^-24, as exercises/20-drmsd/problem.cpp derives, a difference of two by less than 12 u of
/// the longer, and E, 16 u of the longest that is possible, is allowed for any call. Atoms of the cases lie
/// anywhere, so errors of pairs are independent: the mean keeps E / sqrt(pairs) of them, and their squares
/// add E^2 to that of the result. Distances that are equal are rounded alike.
double allowance(double exact, double diagonal, std::size_t pairs) {
  if (exact == 0) return 0;
  const double of_pair = 0x1p-20 * diagonal;
  return std::min(of_pair, of_pair / std::sqrt(static_cast<double>(pairs)) + of_pair * of_pair / (2 * exact));
}

/// The most that any element of the matrix is allowed.
double allowance(const Trajectory& trajectory, const std::vector<double>& matrix) {
  std::vector<double> diagonals;
  for (const Positions& frame : trajectory) diagonals.push_back(diagonal(frame));
  double most = 0;
  std::size_t at = 0;
  for (std::size_t f = 0; f < trajectory.size(); ++f) {
    for (std::size_t g = f + 1; g < trajectory.size(); ++g) {
      const double longer = std::max(diagonals[f], diagonals[g]);
      most = std::max(most, allowance(matrix[at++], longer, pairs_of(trajectory[f].size() / 3)));
    }
  }
  return most;
}

// --- calls ---

/// Frames f < g of an element.
std::pair<std::size_t, std::size_t> frames_of(std::size_t element, std::size_t frames) {
  std::size_t f = 0;
  for (std::size_t length = frames - 1; element >= length; --length, ++f) element -= length;
  return {f, f + 1 + element};
}

std::vector<KnownMistake> known_mistakes(const std::vector<float>& right, std::size_t n, std::size_t frames) {
  Mistakes mistakes(right);
  if (n < 2 || right.empty()) return mistakes.known();
  const auto each = [&right](auto function) {
    std::vector<float> values;
    for (const float value : right) values.push_back(static_cast<float>(function(double{value})));
    return values;
  };
  const auto at = [&right, frames](std::size_t f, std::size_t g) {
    return right[f * (2 * frames - f - 1) / 2 + g - f - 1];
  };
  std::vector<float> by_columns, against_first;
  for (std::size_t g = 0; g < frames; ++g)
    for (std::size_t f = 0; f < g; ++f) by_columns.push_back(at(f, g));
  for (std::size_t f = 0; f < frames; ++f)
    for (std::size_t g = f + 1; g < frames; ++g) against_first.push_back(at(0, g));
  const auto pairs = static_cast<double>(pairs_of(n)), atoms = static_cast<double>(n);
  mistakes.add("all are 0: nothing has been added up", each([](double) { return 0.0; }),
               "Add the squares for all pairs of atoms to the sum of their two frames.");
  mistakes.add("the elements stand column by column: those of frames 0 and 1, 0 and 2, 1 and 2, 0 and 3, …",
               std::move(by_columns),
               "Write row by row: row f begins behind f (2 frames − f − 1) / 2 elements, with frame f + 1.");
  mistakes.add("every frame was compared with frame 0, in whatever row it stands", std::move(against_first),
               "In row f, compare frame g with frame f.");
  mistakes.add("each is the square of what it should be: the root of the mean is missing",
               each([](double value) { return value * value; }), "Take the root of the mean at the end.");
  mistakes.add("each is √2 times what it should be: every pair of atoms was counted twice",
               each([](double value) { return std::sqrt(2.0) * value; }),
               "Take pairs with j > i alone, or divide by n (n − 1).");
  mistakes.add("each is too small by √2: there are n (n − 1) / 2 pairs of atoms",
               each([](double value) { return std::sqrt(0.5) * value; }),
               "Divide the sum over the pairs with j > i by n (n − 1) / 2.");
  mistakes.add("the sum was not divided by the number of pairs of atoms, n (n − 1) / 2",
               each([pairs](double value) { return std::sqrt(pairs) * value; }),
               "Divide by n (n − 1) / 2 before you take the root.");
  mistakes.add("the sum was divided by n, not by the number of pairs of atoms, n (n − 1) / 2",
               each([atoms](double value) { return std::sqrt((atoms - 1) / 2) * value; }),
               "Divide by n (n − 1) / 2.");
  return mistakes.known();
}

/// Where all frames are equal or mirror images, small numbers in place of 0.
Remark remark_on_rounding(const std::vector<float>& right, std::span<const std::byte> found_bytes) {
  constexpr float kSmall = 0.01F;
  const std::vector<float> found = numbers_of<float>(found_bytes);
  const auto is_zero = [](float value) { return value == 0; };
  const auto is_small = [](float value) { return std::abs(value) <= kSmall; };
  if (!std::ranges::all_of(right, is_zero) || !std::ranges::all_of(found, is_small)) return {};
  return {
      "frames that are equal, or mirror images, differ by a little: digits were lost where large numbers "
      "that nearly agree were subtracted",
      "Take the difference of two distances and square that: in float, a² + b² − 2 a b loses it. Compute "
      "both distances by the same operations."};
}

Call make_call(std::size_t n, const Trajectory& made) {
  const std::size_t frames = made.size();
  const std::vector<double> exact = matrix_of(made);
  std::vector<float> trajectory, expected;
  for (const Positions& frame : made) trajectory.insert(trajectory.end(), frame.begin(), frame.end());
  for (const double value : exact) expected.push_back(static_cast<float>(value));
  Output out;
  out.type = ElementType::f32;
  out.expected = bytes_of(expected);
  out.tolerance = {.absolute = allowance(made, exact), .relative = 1e-5};
  out.position = [frames](std::size_t element) {
    const auto [f, g] = frames_of(element, frames);
    return fmt::format("frames {} and {}", f, g);
  };
  out.known_mistakes = [expected, n, frames] { return known_mistakes(expected, n, frames); };
  out.remark = [expected, n](std::span<const std::byte>, std::span<const std::byte> found) {
    return n < 2 ? Remark{} : remark_on_rounding(expected, found);
  };
  Call call;
  call.input("trajectory", trajectory).output("out", std::move(out));
  call.scalar("n", static_cast<int>(n)).scalar("frames", static_cast<int>(frames));
  call.stream();
  return call;
}

Case make_case(std::size_t n, std::size_t frames, std::string purpose, Make make = visiting) {
  Case made;
  made.name = fmt::format("n = {}, frames = {}", n, frames);
  made.purpose = std::move(purpose);
  made.prepare = [n, frames, make](Random& random) { return make_call(n, make(n, frames, random)); };
  const auto distances = static_cast<double>(pairs_of(frames));
  const double elements = static_cast<double>(pairs_of(n)) * distances;
  made.cost = {.elements = elements,
               .global_bytes = (3 * static_cast<double>(n * frames) + distances) * sizeof(float),
               // Of each distance 3 differences, a product and 2 fused additions, once per frame; then 2.
               .fused_multiply_adds = 6 * static_cast<double>(pairs_of(n) * frames) + 2 * elements,
               .special_functions = static_cast<double>(pairs_of(n) * frames)};
  return made;
}

// --- gates ---

Problem make_problem() {
  Problem problem;
  problem.name = "drmsd-matrix";
  problem.title = "Compare all frames of a trajectory with each other";
  problem.lesson = "what two results share is computed once: tiles of frames, and their distances in them";
  problem.points = 7;
  problem.function = LOCKSTEP_SIGNATURE(drmsd_matrix);
  problem.cases = {
      make_case(3, 0, "no frames: a grid without blocks cannot be launched"),
      make_case(29, 1, "one frame, which is compared with nothing"),
      make_case(0, 3, "no atoms: all are 0"),
      make_case(1, 5, "one atom has no distances"),
      make_case(2, 2, "one pair of frames of one pair of atoms", growing),
      make_case(3, 31, "one frame less than a warp has lanes", growing),
      make_case(5, 32, "as many frames as a warp has lanes"),
      make_case(7, 33, "one frame more"),
      make_case(31, 4, "one atom less than a warp has lanes"),
      make_case(32, 5, "frames that hardly differ: a² + b² − 2 a b in float loses the difference",
                nearly_the_same),
      make_case(33, 3, "one atom more than a warp has lanes"),
      make_case(13, 64, "whole tiles of every usual number of frames"),
      make_case(11, 65, "one frame more than whole tiles"),
      make_case(64, 5, "one molecule and its mirror images: exactly 0", mirrored),
      // Products of coordinates always fail the first of these three, and the others now and then.
      make_case(101, 6, "far from the origin: |a|² + |b|² − 2 a·b has no digits left", far_away),
      make_case(50, 9, "atoms in one place: a reciprocal root of 0 is infinite", coinciding),
      make_case(2, 11, "a pair some 500 apart that hardly moves", far_apart),
      make_case(257, 3, "few frames of many atoms, one more than a block of 256"),
      make_case(700, 2, "frames that hardly differ, and many pairs of atoms: few digits are lost",
                nearly_the_same),
      measured(make_case(97, 63, "a prime of atoms, and one frame less than whole tiles")),
      wide(once(make_case(17, 257, "many frames, whose pairs are work for many blocks"))),
  };
  const std::string share =
      "Let a block read the atoms of several frames once, into shared memory or as distances, and compare "
      "all of these frames with each other. The more frames a tile has on either side, the less is read. ";
  problem.gates = {
      bytes_per_element_gate(
          6,
          {.scattered = share + "Lanes that take neighbouring frames read places that lie far apart; let "
                                "them take neighbouring atoms.",
           .again = share + "Every frame is needed for as many pairs as there are frames.",
           .atomics = "Let a thread keep the sum of a pair of frames in a register, and let a block add up "
                      "the sums of its threads in shared memory.",
           .merging = "Let a block take more pairs of atoms before it adds its sums to the result."}),
      lane_instructions_gate(
          16,
          "Compute the distance of two atoms once for several frames, not once for each pair of frames. Of "
          "four frames against four others, eight distances make sixteen differences: a tile of registers, "
          "whose factors are distances."),
      parallelism_gate(3,
                       "Cut the matrix into tiles of frames, and give each to a block of its own. Tiles do "
                       "not need each other."),
  };
  problem.hints = {
      "One thread for each pair of frames f < g: two loops over the atoms, i < j, and one sum. Row f of the "
      "condensed matrix has frames − 1 − f elements, so f (2 frames − f − 1) / 2 lie before it.",
      "A pair of frames needs two distances for each pair of atoms, of seven instructions each, and two more "
      "to add the square of their difference. Who else needs these two distances?",
      "Let a thread compare four frames with four others. For each pair of atoms it computes eight "
      "distances, and from them sixteen differences into sixteen sums: a tile in registers, as in the matrix "
      "product.",
      "Let the lanes take different pairs of atoms of the same frames, and read the atoms of all frames of a "
      "tile from shared memory, as in drmsd. At the end the block adds up each of the sums.",
      "Or let the block write distances to shared memory: a row for each pair of atoms, a column for each "
      "frame of a tile. Each is computed once for 32 frames, and what remains is a matrix product with "
      "(a − b)² in place of a b. Do not expand that square: frames that hardly differ would lose all digits.",
  };
  return problem;
}

const Registration registration(make_problem, __FILE__);

}  // namespace
}  // namespace lockstep::drmsd_matrix_problem
