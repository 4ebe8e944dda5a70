// The matrix that the judge of "drmsd-matrix" expects, compared with hypotenuses in long double and with the
// order that SciPy's documentation states; and what its cases must hold.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

#include "problem_access.h"

namespace lockstep::test::drmsd_matrix_test {
namespace {

struct Prepared {
  std::size_t n = 0, frames = 0;
  std::vector<float> trajectory, expected;
  course::Tolerance tolerance;

  const float* position(std::size_t frame, std::size_t atom) const {
    return trajectory.data() + 3 * (frame * n + atom);
  }
};

Prepared prepare(const course::Case& one) {
  SplitMix64 random(7);
  const course::Call call = one.prepare(random);
  Prepared made{.n = static_cast<std::size_t>(scalar(call, "n")),
                .frames = static_cast<std::size_t>(scalar(call, "frames")),
                .trajectory = input<float>(call, "trajectory"),
                .expected = expected<float>(call),
                .tolerance = argument(call, "out").output.tolerance};
  EXPECT_EQ(made.trajectory.size(), 3 * made.n * made.frames);
  return made;
}

const std::vector<course::Case>& cases() { return problem("drmsd-matrix").cases; }

Prepared prepare(const std::string& name) {
  const auto one = std::ranges::find(cases(), name, &course::Case::name);
  if (one == cases().end()) throw std::runtime_error("no case is named " + name);
  return prepare(*one);
}

/// Cases with fewer elements are compared whole. Of the others some pairs of frames do: all are made by the
/// same code.
constexpr double kEnoughElements = 300'000;

template <class Real>
Real distance(const float* a, const float* b) {
  const auto difference = [&](int axis) { return static_cast<Real>(a[axis]) - static_cast<Real>(b[axis]); };
  return std::hypot(difference(0), difference(1), difference(2));
}

template <class Real>
Real drmsd_of(const Prepared& made, std::size_t f, std::size_t g) {
  Real sum = 0, pairs = 0;
  for (std::size_t j = made.n; j-- > 1;) {  // another order than the judge's
    for (std::size_t i = 0; i < j; ++i) {
      const auto difference = distance<Real>(made.position(f, i), made.position(f, j)) -
                              distance<Real>(made.position(g, i), made.position(g, j));
      sum += difference * difference;
      ++pairs;
    }
  }
  return pairs == 0 ? 0 : std::sqrt(sum / pairs);
}

/// "dist(X[i], X[j]) is stored in entry m * i + j - ((i + 2) * (i + 1)) // 2": the manual of
/// scipy.spatial.distance.pdist.
std::size_t entry(std::size_t i, std::size_t j, std::size_t m) { return m * i + j - (i + 2) * (i + 1) / 2; }

/// check(f, g) for pairs of frames: all of a small case, of others some that lie all over the matrix.
void for_frames(const Prepared& made, const std::function<void(std::size_t, std::size_t)>& check) {
  const double elements = static_cast<double>(made.n * made.n / 2 * made.expected.size());
  const auto step = static_cast<std::size_t>(elements / kEnoughElements) + 1;
  for (std::size_t g = 1, count = 0; g < made.frames; ++g) {
    for (std::size_t f = 0; f < g; ++f, ++count)
      if (count % step == 0) check(f, g);
  }
}

TEST(DrmsdMatrix, EveryPairOfFramesHasItsRootOfTheMeanSquareWhereSciPyHasIt) {
  for (const course::Case& one : cases()) {
    const Prepared made = prepare(one);
    ASSERT_EQ(made.expected.size(), made.frames < 2 ? 0 : made.frames * (made.frames - 1) / 2) << one.name;
    for_frames(made, [&](std::size_t f, std::size_t g) {
      const auto exact = drmsd_of<long double>(made, f, g);
      const auto found = static_cast<long double>(made.expected[entry(f, g, made.frames)]);
      // Half a unit in the last place of float, and some for the judge's own sums in double.
      ASSERT_LE(std::abs(found - exact), exact * 0x1.01p-24L) << one.name << ", frames " << f << ", " << g;
    });
  }
}

TEST(DrmsdMatrix, HasTheExampleOfItsTask) {
  Prepared made{.n = 3, .frames = 3};
  for (const float last : {2.0F, 3.0F, 4.0F})
    for (const float x : {0.0F, last == 4 ? 2.0F : 1.0F, last})
      made.trajectory.insert(made.trajectory.end(), {x, 0, 0});
  EXPECT_NEAR(drmsd_of<double>(made, 0, 1), 0.816, 5e-4);
  EXPECT_NEAR(drmsd_of<double>(made, 0, 2), 1.414, 5e-4);
  EXPECT_NEAR(drmsd_of<double>(made, 1, 2), 0.816, 5e-4);
}

TEST(DrmsdMatrix, StatesThePairsThatItCompares) {
  for (const course::Case& one : cases()) {
    const Prepared made = prepare(one);
    double pairs = 0;
    for (std::size_t i = 0; i < made.n; ++i) pairs += static_cast<double>(i * made.expected.size());
    EXPECT_EQ(one.cost.elements, pairs) << one.name;
    EXPECT_EQ(one.cost.global_bytes, 4.0 * static_cast<double>(made.trajectory.size() + made.expected.size()))
        << one.name;
  }
}

TEST(DrmsdMatrix, CoversTheEdgeCasesWithinItsInterface) {
  std::set<std::size_t> atoms, frames;
  for (const course::Case& one : cases()) {
    const Prepared made = prepare(one);
    atoms.insert(made.n);
    frames.insert(made.frames);
    for (const float coordinate : made.trajectory) ASSERT_LE(std::abs(coordinate), 10000) << one.name;
  }
  for (const std::size_t n : {0, 1, 2, 31, 32, 33, 97, 257}) EXPECT_TRUE(atoms.contains(n)) << n;
  for (const std::size_t count : {0, 1, 2, 31, 32, 33, 64, 65, 257})
    EXPECT_TRUE(frames.contains(count)) << count;
}

TEST(DrmsdMatrix, MirrorImagesHaveNoDifferenceAndAreAllowedNone) {
  const Prepared made = prepare("n = 64, frames = 5");
  EXPECT_THAT(made.expected, testing::Each(0.0F));
  EXPECT_EQ(made.tolerance.absolute, 0);
  for (std::size_t axis = 0; axis < 3; ++axis)
    EXPECT_EQ(made.position(axis + 1, 5)[axis], -made.position(0, 5)[axis]);
  EXPECT_THAT(std::vector<float>(made.position(4, 0), made.position(4, 0) + 192),
              testing::ElementsAreArray(made.position(0, 0), 192));
}

TEST(DrmsdMatrix, HasAtomsInOnePlaceInSomeFramesAndNotInOthers) {
  const Prepared made = prepare("n = 50, frames = 9");
  EXPECT_EQ(distance<double>(made.position(0, 0), made.position(0, 1)), 0);
  EXPECT_GT(distance<double>(made.position(1, 0), made.position(1, 1)), 0);
}

TEST(DrmsdMatrix, FramesOfOneShapeAreNearAndOfOthersFar) {
  const Prepared made = prepare("n = 97, frames = 63");
  const auto near = std::ranges::count_if(made.expected, [](float value) { return value < 1; });
  const auto far = std::ranges::count_if(made.expected, [](float value) { return value > 5; });
  EXPECT_EQ(static_cast<std::size_t>(near + far), made.expected.size());
  EXPECT_GT(near, 200);
  EXPECT_GT(far, 1000);
}

/// What float makes of frames f and g, by (a - b)² or by a² + b² - 2 a b.
double drmsd_in_float(const Prepared& made, std::size_t f, std::size_t g, bool is_expanded) {
  double sum = 0, pairs = 0;
  const auto length = [&](std::size_t frame, std::size_t i, std::size_t j) {
    float square = 0;
    for (int axis = 0; axis < 3; ++axis) {
      const float difference = made.position(frame, i)[axis] - made.position(frame, j)[axis];
      square += difference * difference;
    }
    return std::sqrt(square);
  };
  for (std::size_t i = 0; i < made.n; ++i) {
    for (std::size_t j = i + 1; j < made.n; ++j, ++pairs) {
      const float a = length(f, i, j), b = length(g, i, j);
      const float expanded = a * a + b * b - 2 * a * b, square = (a - b) * (a - b);
      sum += double{is_expanded ? expanded : square};
    }
  }
  return std::sqrt(std::max(0.0, sum) / pairs);
}

TEST(DrmsdMatrix, FramesThatHardlyDifferTellTheExpandedSquareFromTheDifference) {
  for (const char* name : {"n = 32, frames = 5", "n = 700, frames = 2"}) {
    const Prepared made = prepare(name);
    const auto exact = static_cast<double>(drmsd_of<long double>(made, 0, 1));
    const double allowed = made.tolerance.absolute + made.tolerance.relative * exact;
    EXPECT_LT(exact, 0.003) << name;
    EXPECT_LT(std::abs(drmsd_in_float(made, 0, 1, false) - exact), allowed / 2)
        << name << ": float cannot meet the tolerance";
    if (made.n < 100) {  // of many pairs even these errors cancel
      EXPECT_GT(std::abs(drmsd_in_float(made, 0, 1, true) - exact), 4 * allowed)
          << name << ": the expanded square would pass";
    }
  }
}

TEST(DrmsdMatrix, AllowsNoMoreThanTheInterface) {
  for (const course::Case& one : cases()) {
    const Prepared made = prepare(one);
    long double longest = 0;  // of any two atoms; a diagonal is at most √3 times as long
    for (std::size_t frame = 0; frame < std::min<std::size_t>(made.frames, 70); ++frame)
      for (std::size_t i = 0; i < made.n; ++i)
        for (std::size_t j = 0; j < i; ++j)
          longest =
              std::max(longest, distance<long double>(made.position(frame, i), made.position(frame, j)));
    EXPECT_EQ(made.tolerance.relative, 1e-5) << one.name;
    EXPECT_LE(made.tolerance.absolute, 0x1p-20L * std::sqrt(3.0L) * longest) << one.name;
  }
}

/// In the measured case hardly more than what sums are allowed.
TEST(DrmsdMatrix, OfManyPairsLittleIsAllowed) {
  const Prepared made = prepare("n = 97, frames = 63");
  const float least = *std::ranges::min_element(made.expected);
  EXPECT_LE(made.tolerance.absolute, 1e-5 * double{least});
}

TEST(DrmsdMatrix, NamesFramesAndNotElements) {
  SplitMix64 random(7);
  const auto one = std::ranges::find(cases(), "n = 31, frames = 4", &course::Case::name);
  ASSERT_NE(one, cases().end());
  const auto position = argument(one->prepare(random), "out").output.position;
  std::vector<std::string> names;
  for (std::size_t element = 0; element < 6; ++element) names.push_back(position(element));
  EXPECT_THAT(names, testing::ElementsAre("frames 0 and 1", "frames 0 and 2", "frames 0 and 3",
                                          "frames 1 and 2", "frames 1 and 3", "frames 2 and 3"));
}

/// Not "something is added twice": of equal frames a small number in place of 0 has one reason.
TEST(DrmsdMatrix, TellsLostDigitsOfEqualFrames) {
  SplitMix64 random(7);
  const auto one = std::ranges::find(cases(), "n = 64, frames = 5", &course::Case::name);
  ASSERT_NE(one, cases().end());
  const course::Output out = argument(one->prepare(random), "out").output;
  const auto remark_on = [&out](float value) {
    return out.remark(out.expected, course::bytes_of(std::vector<float>(10, value))).sentence;
  };
  EXPECT_THAT(remark_on(8e-5F), testing::HasSubstr("digits were lost"));
  EXPECT_EQ(remark_on(3), "");
  EXPECT_EQ(remark_on(NAN), "");
}

}  // namespace
}  // namespace lockstep::test::drmsd_matrix_test
