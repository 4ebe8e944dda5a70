// Secret inputs differ with every call, a seed gives the same on every machine, and what a submission can
// learn of one part tells nothing of another.
#include "judge/seeds.h"

#include <gtest/gtest.h>

#include <set>

#include "lockstep/random.h"

namespace lockstep::judge {
namespace {

TEST(Seeds, EveryPartMatters) {
  std::set<std::uint64_t> seeds;
  for (const std::uint64_t seed : {0, 1, 2}) {
    for (const char* name : {"", "a", "b", "ab", "ba"}) {
      for (const char* call : {"call 0", "call 1"})
        seeds.insert(derived_seed(derived_seed(seed, name), call));
    }
  }
  EXPECT_EQ(seeds.size(), 30U);
}

TEST(Seeds, AreTheSameOnEveryMachine) { EXPECT_EQ(derived_seed(0, "device"), 0xFC91D2FAF1D4EDD8U); }

/// The state before a step of the generator that gave `bits`: every step can be undone.
std::uint64_t undone(std::uint64_t bits) {
  const auto unshifted = [](std::uint64_t z, int shift) {
    std::uint64_t value = z;
    for (int known = shift; known < 64; known += shift) value = z ^ (value >> shift);
    return value;
  };
  const auto inverse = [](std::uint64_t odd) {
    std::uint64_t value = 1;
    for (int i = 0; i < 6; ++i) value *= 2 - odd * value;
    return value;
  };
  std::uint64_t z = unshifted(bits, 31) * inverse(0x94D049BB133111EB);
  z = unshifted(z, 27) * inverse(0xBF58476D1CE4E5B9);
  return unshifted(z, 30) - 0x9E3779B97F4A7C15;
}

TEST(Seeds, APartTellsNothingOfTheWhole) {
  const std::uint64_t whole = 42;
  ASSERT_EQ(undone(Random(whole).bits()), whole);
  // A chain of generators, one for each letter of the label and one for its length, would be undone so.
  const std::uint64_t before_length = undone(undone(derived_seed(whole, "a")) ^ 1);
  EXPECT_NE(undone(undone(before_length) ^ 'a'), whole);
}

}  // namespace
}  // namespace lockstep::judge
