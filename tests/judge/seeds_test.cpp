// Secret inputs differ with every call, and a seed gives the same on every machine.
#include "judge/seeds.h"

#include <gtest/gtest.h>

#include <set>

namespace lockstep::judge {
namespace {

TEST(Seeds, EveryPartMatters) {
  std::set<std::uint64_t> seeds;
  for (const std::uint64_t seed : {0, 1, 2}) {
    for (const char* name : {"", "a", "b", "ab", "ba"}) {
      for (const std::uint64_t call : {0, 1}) seeds.insert(mixed(mixed(seed, std::string_view(name)), call));
    }
  }
  EXPECT_EQ(seeds.size(), 30U);
}

TEST(Seeds, AreTheSameOnEveryMachine) {
  EXPECT_EQ(mixed(1, std::uint64_t{2}), mixed(1, std::uint64_t{2}));
  EXPECT_EQ(mixed(0, std::uint64_t{0}), 0xA706DD2F4D197E6FU);
}

}  // namespace
}  // namespace lockstep::judge
