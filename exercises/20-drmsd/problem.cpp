// What the judge knows of "drmsd": chains of atoms that move, some of them hardly, and three gates.
//
// The counters below are those of the rungs of solutions/20-drmsd on the measured case, two frames of 1801
// atoms. An element is a pair of atoms in one frame. Units: bytes of global memory in whole sectors, and
// passes through shared memory for every 32 pairs.
//
//   one_row        each lane is at an atom of its own, three words apart: six requests of some 12 sectors for
//                  32 pairs, 54 bytes per pair
//   shared_tiles   an atom is read once for 256 rows, 0.41 bytes per pair; yet for every 32 pairs six words
//   of
//                  it are read from shared memory, 7 passes
//   register_tile  four rows per lane, 2 passes; so has fast_root
//   the others     eight rows per lane, 1 pass or less; a warp that shares with no other reads 0.77 bytes
//
// A limit of 2 bytes asks for tiles, one of 3 passes for more than one row per lane.
//
// Work of the largest case: 5.4 million pairs are 0.17 million for each lane of a warp, times 20 to 60
// instructions, at most 10 million warp-instructions per call.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <future>
#include <memory>
#include <numbers>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "course/plot.h"
#include "course/problem.h"
#include "drmsd.h"
#include "emulator/core/processors.h"

namespace lockstep::drmsd_problem {
namespace {

using lockstep::Random;
using namespace lockstep::course;

using Positions = std::vector<float>;  ///< x, y, z of one atom after the other

/// Largest distance from the origin along an axis, in the units of the positions.
constexpr float kFarthest = 10000;

// --- the oracle ---

double distance(std::span<const float> positions, std::size_t i, std::size_t j) {
  double square = 0;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const double difference = double{positions[3 * i + axis]} - double{positions[3 * j + axis]};
    square += difference * difference;
  }
  return std::sqrt(square);
}

/// Sum over the pairs of atom i with those from `begin` up to `end`: squared differences of distances.
double sum_of_row(std::span<const float> reference, std::span<const float> frame, std::size_t i,
                  std::size_t begin, std::size_t end) {
  double row = 0;
  for (std::size_t j = begin; j < end; ++j) {
    const double difference = distance(reference, i, j) - distance(frame, i, j);
    row += difference * difference;
  }
  return row;
}

double root_mean(double sum, std::size_t n) {
  return std::sqrt(sum / (static_cast<double>(n) * static_cast<double>(n - 1) / 2));
}

/// Row sums, so that no sum has more than n terms.
double drmsd_of(std::span<const float> reference, std::span<const float> frame) {
  const std::size_t n = reference.size() / 3;
  if (n < 2) return 0;
  double sum = 0;
  for (std::size_t i = 0; i < n; ++i) sum += sum_of_row(reference, frame, i, i + 1, n);
  return root_mean(sum, n);
}

// --- structures ---

/// A chain of atoms 3.8 apart, the distance in ångström between neighbouring Cα atoms of a protein, that is
/// as compact as one: a step that would leave the ball is taken the other way.
Positions chain(std::size_t n, Random& random) {
  constexpr double kStep = 3.8;
  const double ball = 3 * std::cbrt(static_cast<double>(n));
  Positions positions;
  std::array<double, 3> at{};
  for (std::size_t i = 0; i < n; ++i) {
    const double z = 2 * double{random.uniform()} - 1,
                 angle = 2 * std::numbers::pi * double{random.uniform()};
    const double radius = std::sqrt(1 - z * z);
    const std::array<double, 3> step = {kStep * radius * std::cos(angle), kStep * radius * std::sin(angle),
                                        kStep * z};
    const bool leaves = std::hypot(at[0] + step[0], at[1] + step[1], at[2] + step[2]) > ball;
    for (std::size_t axis = 0; axis < 3; ++axis) {
      at[axis] += leaves ? -step[axis] : step[axis];
      positions.push_back(static_cast<float>(at[axis]));
    }
  }
  return positions;
}

/// Every coordinate moved by up to `amplitude` either way.
Positions moved(Positions positions, float amplitude, Random& random) {
  for (float& coordinate : positions) coordinate += amplitude * (2 * random.uniform() - 1);
  return positions;
}

/// What a case asks for: a reference, and frames that each differ from it.
struct Trajectory {
  Positions reference;
  std::vector<Positions> frames;
};

using Make = Trajectory (*)(std::size_t n, std::size_t frames, Random& random);

/// The atoms wander off, a little more in every frame.
Trajectory wandering(std::size_t n, std::size_t frames, Random& random) {
  Trajectory made{.reference = chain(n, random)};
  Positions now = made.reference;
  for (std::size_t frame = 0; frame < frames; ++frame) {
    now = moved(std::move(now), 0.5F, random);
    made.frames.push_back(now);
  }
  return made;
}

/// A molecule that trembles for the first half, then opens.
Trajectory opening(std::size_t n, std::size_t frames, Random& random) {
  constexpr float kOpening = 0.02F;  // of every distance, from frame to frame
  Trajectory made{.reference = chain(n, random)};
  for (std::size_t frame = 0; frame < frames; ++frame) {
    Positions positions = moved(made.reference, 0.8F, random);
    const std::size_t trembling = frames / 2, steps = frame < trembling ? 0 : frame - trembling + 1;
    for (float& coordinate : positions) coordinate *= 1 + kOpening * static_cast<float>(steps);
    made.frames.push_back(std::move(positions));
  }
  return made;
}

/// Every distance a quarter longer. With few atoms the others may hardly change a distance by chance, and
/// what float loses of the two distances is then much of their difference.
Trajectory stretched(std::size_t n, std::size_t frames, Random& random) {
  Trajectory made{.reference = chain(n, random)};
  for (std::size_t frame = 0; frame < frames; ++frame) {
    Positions positions = moved(made.reference, 0.1F, random);
    for (float& coordinate : positions) coordinate *= 1.25F;
    made.frames.push_back(std::move(positions));
  }
  return made;
}

/// Frames that hardly differ from the reference.
Trajectory nearly_the_same(std::size_t n, std::size_t frames, Random& random) {
  Trajectory made{.reference = chain(n, random)};
  for (std::size_t frame = 0; frame < frames; ++frame)
    made.frames.push_back(moved(made.reference, 0.002F, random));
  return made;
}

/// Atoms that move by a ten thousandth of what lies between them.
Trajectory far_apart(std::size_t n, std::size_t frames, Random& random) {
  Trajectory made{.reference = moved(Positions(3 * n), 0.05F * kFarthest, random)};
  for (std::size_t frame = 0; frame < frames; ++frame)
    made.frames.push_back(moved(made.reference, 0.05F, random));
  return made;
}

/// The reference itself, and mirror images of it.
Trajectory mirrored(std::size_t n, std::size_t frames, Random& random) {
  Trajectory made{.reference = chain(n, random)};
  for (std::size_t frame = 0; frame < frames; ++frame) {
    Positions image = made.reference;
    for (std::size_t i = 0; frame > 0 && i < image.size(); i += 3) image[i] = -image[i];
    made.frames.push_back(std::move(image));
  }
  return made;
}

/// Every third atom lies where the one before it lies: in the reference, in the frames, or in both.
Trajectory coinciding(std::size_t n, std::size_t frames, Random& random) {
  Trajectory made = wandering(n, frames, random);
  const auto collapse = [n](Positions& positions, std::size_t first) {
    for (std::size_t i = first; i < n; i += 6) std::copy_n(&positions[3 * (i - 1)], 3, &positions[3 * i]);
  };
  collapse(made.reference, 1);
  for (Positions& frame : made.frames) {
    collapse(frame, 1);
    collapse(frame, 4);
  }
  return made;
}

/// Far from the origin, where squares of coordinates have no digits left for distances.
Trajectory far_away(std::size_t n, std::size_t frames, Random& random) {
  Trajectory made = wandering(n, frames, random);
  const auto shift = [](Positions& positions) {
    for (float& coordinate : positions) coordinate += 0.8F * kFarthest;
  };
  shift(made.reference);
  for (Positions& frame : made.frames) shift(frame);
  return made;
}

// --- what float can promise ---

/// Of the box along the axes that holds all atoms.
double diagonal(std::span<const float> positions) {
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

/// How far a result may lie from `exact` beside 1e-5 of itself. A pair may be off by E, 2^-20 of the
/// diagonal: with u = 2^-24 the square of a distance is off by 2 u for its differences and 3 u for a product
/// and two sums, its root by the half, and making a root by up to 3.2 u, x * rsqrtf(x): less than 6 u. A pair
/// has two distances, together less than 12 u, and 16 u are allowed. So far drmsd.h, for any call. The
/// structures of the cases are random, so the errors of their pairs are independent: the mean keeps E /
/// sqrt(pairs) of them, and their squares add E^2 to that of the result. Distances that are equal are rounded
/// alike.
double allowance(double exact, double diagonal, std::size_t n) {
  if (exact == 0) return 0;
  const double of_pair = 0x1p-20 * diagonal;
  const double pairs = static_cast<double>(n) * static_cast<double>(n - 1) / 2;
  return std::min(of_pair, of_pair / std::sqrt(pairs) + of_pair * of_pair / (2 * exact));
}

// --- calls ---

std::vector<KnownMistake> known_mistakes(const std::vector<float>& expected, std::size_t n) {
  std::vector<KnownMistake> mistakes;
  if (n < 2 || expected.empty() || expected.front() == 0) return mistakes;
  const auto scaled = [&expected](double factor) {
    std::vector<float> values = expected;
    for (float& value : values) value = static_cast<float>(factor * double{value});
    return [values] { return bytes_of(values); };
  };
  const auto atoms = static_cast<double>(n);
  mistakes.push_back({"each is √2 times what it should be: every pair was counted twice",
                      scaled(std::sqrt(2.0)), "Take pairs with j > i alone, or divide by n (n − 1)."});
  mistakes.push_back({"each is too small by √2: there are n (n − 1) / 2 pairs", scaled(std::sqrt(0.5)),
                      "Divide the sum over the pairs with j > i by n (n − 1) / 2."});
  if (n > 5) {  // with 5 atoms it is √2, as above
    mistakes.push_back({"the sum was divided by n, not by the number of pairs, n (n − 1) / 2",
                        scaled(std::sqrt((atoms - 1) / 2)), "Divide by n (n − 1) / 2."});
  }
  mistakes.push_back({"all are 0: nothing has been added up", scaled(0),
                      "Add the squares of all pairs to the sum of their frame."});
  if (expected.size() > 1) {
    mistakes.push_back(
        {"every frame has the value of the first",
         [expected] { return bytes_of(std::vector<float>(expected.size(), expected.front())); },
         "Let frame f begin at trajectory + 3 * n * f, and give each frame a sum of its own."});
  }
  return mistakes;
}

Call make_call(const Positions& reference, const std::vector<float>& trajectory,
               const std::vector<float>& expected) {
  const std::size_t n = reference.size() / 3;
  Output out;
  out.type = ElementType::f32;
  out.expected = bytes_of(expected);
  out.tolerance = {.relative = 1e-5};
  for (std::size_t frame = 0; frame < expected.size(); ++frame) {
    const auto positions = std::span(trajectory).subspan(frame * reference.size(), reference.size());
    const double longer = std::max(diagonal(reference), diagonal(positions));
    out.tolerance.absolute = std::max(out.tolerance.absolute, allowance(double{expected[frame]}, longer, n));
  }
  out.position = [](std::size_t frame) { return "frame " + std::to_string(frame); };
  out.known_mistakes = [expected, n] { return known_mistakes(expected, n); };
  Call call;
  call.input("reference", reference).input("trajectory", trajectory).output("out", std::move(out));
  call.scalar("n", static_cast<int>(n)).scalar("frames", static_cast<int>(expected.size()));
  call.workspace("workspace").stream();
  return call;
}

Call make_call(const Trajectory& made) {
  std::vector<float> expected, trajectory;
  for (const Positions& frame : made.frames) {
    expected.push_back(static_cast<float>(drmsd_of(made.reference, frame)));
    trajectory.insert(trajectory.end(), frame.begin(), frame.end());
  }
  return make_call(made.reference, trajectory, expected);
}

// --- calls by the dozen ---
//
// All pairs of 50 000 atoms take the oracle seconds. Calls that are timed share one pair of structures that
// no other judgement sees. Each call has some of its atoms elsewhere, the sum follows them row by row, and
// then every atom in another place of memory and space: an answer to one call says nothing about the next.

/// A reference, a frame, and the sum over all of their pairs.
struct Compared {
  Positions reference, frame;
  double sum = 0;
};

Compared compared(std::size_t n, Random& random) {
  const Trajectory made = wandering(n, 1, random);
  Compared result{.reference = made.reference, .frame = made.frames.front()};
  const std::size_t parts = emulator::usable_processors();
  std::vector<std::future<double>> sums;
  for (std::size_t part = 0; part < parts; ++part) {
    sums.push_back(std::async(std::launch::async, [&result, n, part, parts] {
      double sum = 0;
      for (std::size_t i = part; i < n; i += parts)
        sum += sum_of_row(result.reference, result.frame, i, i + 1, n);
      return sum;
    }));
  }
  for (std::future<double>& sum : sums) result.sum += sum.get();
  return result;
}

void move_atom(Compared& structures, std::size_t i, Random& random) {
  const std::size_t n = structures.reference.size() / 3;
  const auto sum_of_pairs = [&structures, i, n] {
    return sum_of_row(structures.reference, structures.frame, i, 0, i) +
           sum_of_row(structures.reference, structures.frame, i, i + 1, n);
  };
  structures.sum -= sum_of_pairs();
  for (std::size_t at = 3 * i; at < 3 * i + 3; ++at) {
    structures.reference[at] += 2 * random.uniform() - 1;
    structures.frame[at] += 2 * random.uniform() - 1;
  }
  structures.sum += sum_of_pairs();
}

/// The same atoms in another order, turned or mirrored by other names of the axes: no digit changes.
void rearrange(Positions& reference, Positions& frame, Random& random) {
  const auto up_to = [&random](std::size_t last) {
    return static_cast<std::size_t>(random.integer(0, static_cast<std::int32_t>(last)));
  };
  for (std::size_t i = reference.size() / 3; i-- > 1;) {
    const std::size_t j = up_to(i);
    for (Positions* positions : {&reference, &frame})
      std::swap_ranges(&(*positions)[3 * i], &(*positions)[3 * i] + 3, &(*positions)[3 * j]);
  }
  const std::size_t first = up_to(2), second = (first + 1 + up_to(1)) % 3;
  const std::array<std::size_t, 3> axes = {first, second, 3 - first - second};
  const std::array<float, 3> signs = {up_to(1) == 0 ? 1.0F : -1.0F, up_to(1) == 0 ? 1.0F : -1.0F, 1.0F};
  for (Positions* positions : {&reference, &frame}) {
    for (std::size_t at = 0; at < positions->size(); at += 3) {
      const std::array<float, 3> before = {(*positions)[at], (*positions)[at + 1], (*positions)[at + 2]};
      for (std::size_t axis = 0; axis < 3; ++axis) (*positions)[at + axis] = signs[axis] * before[axes[axis]];
    }
  }
}

Call make_variation(Compared structures, Random& random) {
  constexpr std::size_t kMoved = 64;
  const std::size_t n = structures.reference.size() / 3;
  for (std::size_t k = 0; k < kMoved; ++k)
    move_atom(structures, static_cast<std::size_t>(random.integer(0, static_cast<std::int32_t>(n - 1))),
              random);
  rearrange(structures.reference, structures.frame, random);
  return make_call(structures.reference, structures.frame,
                   {static_cast<float>(root_mean(structures.sum, n))});
}

Case make_case(std::size_t n, std::size_t frames, std::string purpose, Make make = wandering) {
  Case made;
  made.name = "n = " + std::to_string(n) + ", frames = " + std::to_string(frames);
  made.purpose = std::move(purpose);
  made.prepare = [n, frames, make](Random& random) { return make_call(make(n, frames, random)); };
  const auto atoms = static_cast<double>(n), count = static_cast<double>(frames);
  const double pairs = n < 2 ? 0 : atoms * (atoms - 1) / 2 * count;
  // Of two distances 3 differences, a product and 2 fused additions each, and for the pair a difference and
  // a fused addition. The reference's distances are needed once for all frames.
  const double distances = pairs + (frames == 0 ? 0 : pairs / count);
  made.cost = {.elements = pairs,
               .global_bytes = (3 * atoms * (count + 1) + count) * sizeof(float),
               .fused_multiply_adds = 6 * distances + 2 * pairs,
               .special_functions = distances};
  return made;
}

/// Two structures that are wanted many times.
Case make_timed(std::size_t n, std::string purpose) {
  Case made = make_case(n, 1, std::move(purpose));
  made.prepare_many = [n](Random& random) {
    const auto structures = std::make_shared<const Compared>(compared(n, random));
    return [structures](Random& own) { return make_variation(*structures, own); };
  };
  return made;
}

// --- the picture ---

/// What the submission left, and the oracle's values of the same frames.
std::string draw_trajectory(const Shown& shown) {
  const auto reference = shown.numbers<float>("reference"), trajectory = shown.numbers<float>("trajectory");
  const auto found = shown.numbers<float>("out");
  PlotSeries exact{.name = "in double precision", .is_curve = true}, yours{.name = "yours"};
  for (std::size_t frame = 0; frame < found.size(); ++frame) {
    const auto number = static_cast<double>(frame + 1);
    const auto positions = std::span(trajectory).subspan(frame * reference.size(), reference.size());
    exact.points.push_back({.x = number, .y = drmsd_of(reference, positions)});
    yours.points.push_back({.x = number, .y = double{found[frame]}});
  }
  return plot_svg({.title = "dRMSD over a trajectory: a molecule trembles, then opens",
                   .x = {.label = "frame"},
                   .y = {.label = "dRMSD in ångström"},
                   .series = {exact, yours}});
}

// --- gates ---

Problem make_problem() {
  Problem problem;
  problem.name = "drmsd";
  problem.title = "Compare the distances within two structures";
  problem.lesson = "a kernel bound by instructions: every one that a pair does not need is time";
  problem.function = LOCKSTEP_SIGNATURE(drmsd);
  WorkspaceQuery workspace;
  workspace.function = LOCKSTEP_SIGNATURE(drmsd_workspace_bytes);
  workspace.arguments = [](const Call& call) {
    std::vector<std::uint64_t> scalars;
    for (const Argument& argument : call.arguments()) {
      if (argument.kind == Argument::Kind::scalar) scalars.push_back(argument.scalar_bits);
    }
    return scalars;
  };
  workspace.limit_bytes = [](const Call& call) {
    std::uint64_t floats = 0;
    for (const Argument& argument : call.arguments()) floats += argument.input.size() / sizeof(float);
    return 32 * floats / 3 + (4 << 20);
  };
  problem.workspace = workspace;
  problem.cases = {
      make_case(0, 3, "no atoms: every frame has 0"),
      make_case(1, 2, "one atom has no distances"),
      make_case(2, 5, "a single pair a frame", stretched),
      make_case(2, 7, "a pair that hardly moves: of one distance float has a few digits less",
                nearly_the_same),
      make_case(2, 9, "a pair some 500 apart that hardly moves", far_apart),
      make_case(5, 4, "a few pairs", stretched),
      make_case(3, 0, "no frames: a grid without blocks cannot be launched"),
      make_case(31, 3, "one less than a warp"),
      make_case(32, 2, "exactly one warp, nearly the same: √(a² b²) in float loses the difference",
                nearly_the_same),
      make_case(33, 3, "one more than a warp"),
      make_case(64, 3, "the reference itself and its mirror images: exactly 0", mirrored),
      make_case(100, 60, "few atoms and many frames; this case can be drawn", opening),
      make_case(250, 4, "atoms in one place: a reciprocal root of 0 is infinite", coinciding),
      make_case(255, 2, "one less than a block of 256"),
      make_case(256, 2, "exactly one block of 256"),
      make_case(257, 3, "one more: the second block has a single row"),
      make_case(500, 3, "far from the origin: |a|² + |b|² − 2 a·b has no digits left", far_away),
      make_case(997, 2, "a prime"),
      make_case(1024, 1, "whole tiles of every usual size"),
      make_case(1025, 2, "one atom more than whole tiles"),
      make_case(1500, 2, "structures that hardly differ, and many pairs: few digits are lost",
                nearly_the_same),
      measured(make_case(1801, 2, "many pairs, and tiles that end anywhere")),
      wide(measured(once(make_case(3301, 1, "a single frame, whose pairs are work for many blocks")))),
  };
  problem.speed = {
      .sizes = {make_case(1000, 1, "fewer pairs than the device has lanes in a millisecond"),
                make_case(5000, 1, "a large protein"),
                make_timed(20000, "a ribosome, without its hydrogens a fifth of it"),
                make_timed(50000, "as large as the source's largest")},
      .variations = {named("100 atoms, 4000 frames", make_case(100, 4000, "a small protein's trajectory")),
                     named("500 atoms, 1000 frames", make_case(500, 1000, "a protein's trajectory")),
                     named("5000 atoms, 20 frames", make_case(5000, 20, "a few frames of a large one")),
                     named("4999 atoms, 20 frames", make_case(4999, 20, "frames that start anywhere"))},
      .reference = {.first_ratio = 0.08}};
  problem.picture = Picture{.case_name = "n = 100, frames = 60", .ending = "svg", .draw = draw_trajectory};
  problem.gates = {
      bytes_per_element_gate(
          2, {.scattered = "Let neighbouring lanes take neighbouring atoms.",
              .again = "Let a block read a tile of atoms into shared memory once, for all of its rows. "
                       "Neighbouring rows need the same atoms."}),
      shared_passes_gate(3, "pairs", 1,
                         "Keep the positions of four rows or more in registers. A value read from shared "
                         "memory serves as many pairs as the lane has rows."),
      // The reference starts as many blocks as there are multiprocessors: 4 here. A single block, or one for
      // the only frame, is 1.
      parallelism_gate(3,
                       "Cut the triangle of pairs into tiles, and give these to many blocks, whatever the "
                       "number of frames. Pairs do not need each other."),
  };
  problem.hints = {
      "One thread for each row i: it adds up all pairs with j > i in a register, and adds that to the "
      "frame's sum at the end, with one atomicAdd. A second kernel makes the root of each sum. The sums must "
      "be 0 before the first kernel starts.",
      "All threads of a block need the same atoms j, one after the other. Let the block read 256 of them "
      "into shared memory, wait, use them, wait again. Threads without a row must wait with the others.",
      "Then the loop is bound by instructions, and those that read shared memory are the ones to save: give "
      "each thread four rows, whose positions stay in registers. Each atom read serves four pairs.",
      "sqrtf is some ten instructions, as it rounds correctly. rsqrtf is one, and x * rsqrtf(x) is a root, "
      "but not at 0, where it is 0 times infinity: two atoms in one place. Adding 1e-30 to the square costs "
      "nothing where it is the addend of a fused multiply-add.",
      "Rows of the triangle differ in length. Cut it into tiles of equal size and give all blocks as many. A "
      "tile on the diagonal may be computed in full and count half: an atom's distance to itself is 0.",
  };
  return problem;
}

const Registration registration(make_problem, __FILE__);

}  // namespace
}  // namespace lockstep::drmsd_problem
