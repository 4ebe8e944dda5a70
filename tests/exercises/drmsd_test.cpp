// The values that the judge of "drmsd" expects, compared with hypotenuses in long double; and what its cases
// must hold.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>
#include <vector>

#include "problem_access.h"

namespace lockstep::test::drmsd_test {
namespace {

struct Prepared {
  std::size_t n = 0, frames = 0;
  std::vector<float> reference, trajectory, expected;

  /// Position of an atom in the reference, or in a frame.
  const float* in_reference(std::size_t i) const { return &reference[3 * i]; }
  const float* in_frame(std::size_t frame, std::size_t i) const { return &trajectory[3 * (frame * n + i)]; }
};

Prepared prepared(const course::Call& call) {
  Prepared made{.n = static_cast<std::size_t>(scalar(call, "n")),
                .frames = static_cast<std::size_t>(scalar(call, "frames")),
                .reference = numbers<float>(argument(call, "reference").input),
                .trajectory = numbers<float>(argument(call, "trajectory").input),
                .expected = numbers<float>(argument(call, "out").output.expected)};
  EXPECT_EQ(made.reference.size(), 3 * made.n);
  EXPECT_EQ(made.trajectory.size(), 3 * made.n * made.frames);
  EXPECT_EQ(made.expected.size(), made.frames);
  return made;
}

Prepared prepare(const course::Case& one) {
  SplitMix64 random(7);
  return prepared(one.prepare(random));
}

const course::Case& case_named(const std::string& name) {
  for (const course::Case& one : problem("drmsd").cases) {
    if (one.name == name) return one;
  }
  throw std::runtime_error("no case is named " + name);
}

template <class Real>
Real distance(const float* a, const float* b) {
  const auto difference = [&](int axis) { return static_cast<Real>(a[axis]) - static_cast<Real>(b[axis]); };
  return std::hypot(difference(0), difference(1), difference(2));
}

/// f(i, j) for every pair i < j, longest first index first: another order than the judge's.
template <class F>
void for_pairs(std::size_t n, F f) {
  for (std::size_t j = n; j-- > 1;) {
    for (std::size_t i = 0; i < j; ++i) f(i, j);
  }
}

template <class Real>
Real drmsd_of(const Prepared& made, std::size_t frame) {
  Real sum = 0;
  std::size_t pairs = 0;
  for_pairs(made.n, [&](std::size_t i, std::size_t j) {
    const auto a = distance<Real>(made.in_reference(i), made.in_reference(j));
    const auto b = distance<Real>(made.in_frame(frame, i), made.in_frame(frame, j));
    sum += (a - b) * (a - b);
    ++pairs;
  });
  return pairs == 0 ? 0 : std::sqrt(sum / static_cast<Real>(pairs));
}

TEST(Drmsd, EveryFrameHasTheRootOfTheMeanSquareOverItsPairs) {
  for (const course::Case& one : problem("drmsd").cases) {
    const Prepared made = prepare(one);
    for (std::size_t frame = 0; frame < made.frames; ++frame) {
      const auto exact = drmsd_of<long double>(made, frame);
      // Half a unit in the last place of float, and some for the judge's own sums in double.
      ASSERT_LE(std::abs(static_cast<long double>(made.expected[frame]) - exact), exact * 0x1.01p-24L)
          << one.name << ", frame " << frame;
    }
  }
}

TEST(Drmsd, StatesThePairsThatItCompares) {
  for (const course::Case& one : problem("drmsd").cases) {
    const Prepared made = prepare(one);
    double pairs = 0;
    for (std::size_t i = 0; i < made.n; ++i) pairs += static_cast<double>(i * made.frames);
    EXPECT_EQ(one.cost.elements, pairs) << one.name;
  }
}

TEST(Drmsd, CoversTheEdgeCases) {
  std::set<std::size_t> sizes, frames;
  for (const course::Case& one : problem("drmsd").cases) {
    const Prepared made = prepare(one);
    sizes.insert(made.n);
    frames.insert(made.frames);
  }
  for (const std::size_t n : {0, 1, 2, 31, 32, 33, 255, 256, 257, 997, 1024, 1025})
    EXPECT_TRUE(sizes.contains(n)) << n;
  EXPECT_TRUE(frames.contains(0) && frames.contains(1)) << "none, and two structures";
  EXPECT_GE(*frames.rbegin(), 50U);
}

TEST(Drmsd, PositionsStayWhereTheInterfaceSays) {
  for (const course::Case& one : problem("drmsd").cases) {
    const Prepared made = prepare(one);
    for (const std::vector<float>& positions : {made.reference, made.trajectory}) {
      for (const float coordinate : positions) ASSERT_LE(std::abs(coordinate), 10000) << one.name;
    }
  }
}

TEST(Drmsd, MirrorImagesHaveNoDifference) {
  const Prepared made = prepare(case_named("n = 64, frames = 3"));
  EXPECT_THAT(made.expected, testing::Each(0.0F));
  EXPECT_NE(made.in_frame(1, 5)[0], made.in_reference(5)[0]);
}

TEST(Drmsd, HasAtomsInOnePlaceInEitherStructureAndInBoth) {
  const Prepared made = prepare(case_named("n = 250, frames = 4"));
  bool only_in_frame = false, in_both = false;
  for_pairs(made.n, [&](std::size_t i, std::size_t j) {
    const bool in_reference = distance<double>(made.in_reference(i), made.in_reference(j)) == 0;
    const bool in_frame = distance<double>(made.in_frame(0, i), made.in_frame(0, j)) == 0;
    only_in_frame = only_in_frame || (in_frame && !in_reference);
    in_both = in_both || (in_frame && in_reference);
  });
  EXPECT_TRUE(only_in_frame && in_both);
}

/// Errors of a sum in float, by the difference of two roots and by the identity with one.
std::pair<double, double> errors_in_float(const Prepared& made, std::size_t frame) {
  double two_roots = 0, one_root = 0;
  for_pairs(made.n, [&](std::size_t i, std::size_t j) {
    float a = 0, b = 0;
    for (int axis = 0; axis < 3; ++axis) {
      const float in_reference = made.in_reference(i)[axis] - made.in_reference(j)[axis];
      const float in_frame = made.in_frame(frame, i)[axis] - made.in_frame(frame, j)[axis];
      a += in_reference * in_reference;
      b += in_frame * in_frame;
    }
    const float difference = std::sqrt(a) - std::sqrt(b);
    two_roots += double{difference * difference};
    one_root += double{a + b - 2 * std::sqrt(a * b)};
  });
  const auto exact = static_cast<double>(drmsd_of<long double>(made, frame));
  const double pairs = static_cast<double>(made.n) * static_cast<double>(made.n - 1) / 2;
  const auto error = [&](double sum) { return std::abs(std::sqrt(std::max(0.0, sum) / pairs) - exact); };
  return {error(two_roots), error(one_root)};
}

TEST(Drmsd, CallsMadeFromOneComparisonAreRight) {
  const std::vector<course::Case>& sizes = problem("drmsd").speed->sizes;
  const auto one =
      std::find_if(sizes.begin(), sizes.end(), [](const course::Case& size) { return size.prepare_many; });
  ASSERT_NE(one, sizes.end());  // larger ones are made by the same code
  SplitMix64 shared(11), own(12);
  const Prepared made = prepared(one->prepare_many(shared)(own));
  // In double: in long double these pairs take ten seconds, and the bound is that of the answer, a float.
  EXPECT_NEAR(made.expected.front() / drmsd_of<double>(made, 0), 1, 1e-7) << one->name;
}

TEST(Drmsd, StructuresThatHardlyDifferTellTheIdentityFromTheDifference) {
  for (const char* name : {"n = 32, frames = 2", "n = 1500, frames = 2"}) {
    SplitMix64 random(7);
    const course::Call call = case_named(name).prepare(random);
    const Prepared made = prepared(call);
    const course::Tolerance& tolerance = argument(call, "out").output.tolerance;
    for (std::size_t frame = 0; frame < made.frames; ++frame) {
      const double allowed = tolerance.absolute + tolerance.relative * double{made.expected[frame]};
      const auto [two_roots, one_root] = errors_in_float(made, frame);
      EXPECT_LT(two_roots, allowed / 4) << name << ": float cannot meet the tolerance";
      // Of a million pairs even these errors cancel, down to what is allowed.
      if (made.n < 100) {
        EXPECT_GT(one_root, 4 * allowed) << name << ": the identity would pass";
      }
    }
  }
}

TEST(Drmsd, AllowsNoMoreThanTheInterface) {
  for (const course::Case& one : problem("drmsd").cases) {
    SplitMix64 random(7);
    const course::Call call = one.prepare(random);
    const Prepared made = prepared(call);
    long double longest = 0;  // a diagonal is at most √3 times as long
    for_pairs(made.n, [&](std::size_t i, std::size_t j) {
      longest = std::max(longest, distance<long double>(made.in_reference(i), made.in_reference(j)));
      for (std::size_t frame = 0; frame < made.frames; ++frame)
        longest = std::max(longest, distance<long double>(made.in_frame(frame, i), made.in_frame(frame, j)));
    });
    const course::Tolerance& tolerance = argument(call, "out").output.tolerance;
    EXPECT_EQ(tolerance.relative, 1e-5) << one.name;
    EXPECT_LE(tolerance.absolute, 0x1p-20L * std::sqrt(3.0L) * longest) << one.name;
  }
}

TEST(Drmsd, OfManyPairsLittleIsAllowed) {
  for (const char* name : {"n = 500, frames = 3", "n = 1801, frames = 2"}) {
    SplitMix64 random(7);
    const course::Call call = case_named(name).prepare(random);
    const double result = double{prepared(call).expected.front()};
    EXPECT_LE(argument(call, "out").output.tolerance.absolute, 2e-6 * result) << name;
  }
}

TEST(Drmsd, AFrameThatIsTheReferenceHasExactlyNothing) {
  SplitMix64 random(7);
  const course::Call call = case_named("n = 64, frames = 3").prepare(random);
  EXPECT_EQ(argument(call, "out").output.tolerance.absolute, 0);
}

TEST(Drmsd, AsksForTheWorkspaceWithAtomsAndFrames) {
  const std::optional<course::WorkspaceQuery>& query = problem("drmsd").workspace;
  ASSERT_TRUE(query);
  for (const course::Case& one : problem("drmsd").cases) {
    SplitMix64 random(7);
    const course::Call call = one.prepare(random);
    const auto n = static_cast<std::uint64_t>(scalar(call, "n"));
    const auto frames = static_cast<std::uint64_t>(scalar(call, "frames"));
    EXPECT_THAT(query->arguments(call), testing::ElementsAre(n, frames)) << one.name;
    EXPECT_EQ(query->limit_bytes(call), 32 * n * (frames + 1) + (4U << 20)) << one.name;
  }
}

}  // namespace
}  // namespace lockstep::test::drmsd_test
