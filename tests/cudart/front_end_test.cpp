// Programs compiled for any architecture: which of their PTX runs, and what the device says of itself then.
#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>
#include <string>
#include <vector>

#include "emulated_program.h"

namespace lockstep::emulator {
namespace {

/// Names such as compute_90 and compute_120a, as the programs were built for.
std::vector<std::string> front_ends() {
  std::vector<std::string> names;
  std::istringstream list(FRONT_ENDS);
  for (std::string name; std::getline(list, name, ',');) names.push_back(name);
  return names;
}

/// What the program prints when its code for compute_`architecture` ran and nothing is wrong.
std::string clean(int architecture) {
  const int capability = std::max(architecture, 90);
  std::ostringstream text;
  text << "compute_" << architecture << " on " << capability / 10 << '.' << capability % 10 << ", 0 wrong\n";
  return text.str();
}

class FrontEnd : public testing::TestWithParam<std::string> {};

TEST_P(FrontEnd, ProgramRunsAndTheDeviceFits) {
  const int architecture = std::stoi(GetParam().substr(std::string("compute_").size()));
  expect_clean("front_ends_" + GetParam(), clean(architecture));
}

INSTANTIATE_TEST_SUITE_P(Installed, FrontEnd, testing::ValuesIn(front_ends()),
                         [](const auto& name) { return name.param; });

TEST(FrontEnds, TheNewestThatTheDeviceHasRunsAndPlainBeforeSpecific) {
  expect_clean("architecture_several", clean(90));
}

TEST(FrontEnds, OfNewerOnesTheOldestRuns) {
  const std::vector<std::string> offered = front_ends();
  if (std::ranges::find(offered, "compute_120") == offered.end()) GTEST_SKIP() << "nvcc has no compute_120";
  expect_clean("architecture_newer", clean(100));
}

}  // namespace
}  // namespace lockstep::emulator
