// The pairs that the judge of "reduction-arg-max" expects, compared with a loop; and what its inputs show.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <vector>

#include "problem_access.h"

namespace lockstep::test::reduction_arg_max_test {
namespace {

TEST(ReductionArgMax, ExpectsTheFirstOfTheLargest) {
  std::size_t several = 0, negative = 0;
  for (const course::Case& one : problem("reduction-arg-max").cases) {
    SplitMix64 random(7);
    const course::Call call = one.prepare(random);
    const std::vector<float> in = input<float>(call, "in");
    ASSERT_EQ(in.size(), static_cast<std::size_t>(scalar(call, "n"))) << one.name;
    int place = -1;
    std::size_t copies = 0;
    for (std::size_t i = in.size(); i-- > 0;) {  // from the end, so that the first of equal ones comes last
      if (place < 0 || in[i] > in[static_cast<std::size_t>(place)]) copies = 0;
      if (place >= 0 && in[i] < in[static_cast<std::size_t>(place)]) continue;
      place = static_cast<int>(i);
      ++copies;
    }
    const float value =
        place < 0 ? -std::numeric_limits<float>::infinity() : in[static_cast<std::size_t>(place)];
    EXPECT_EQ(numbers<float>(argument(call, "largest").output.expected), std::vector<float>{value})
        << one.name;
    EXPECT_EQ(numbers<int>(argument(call, "place").output.expected), std::vector<int>{place}) << one.name;
    several += copies > 1 ? 1 : 0;
    negative += in.size() >= 1000 && value < 0 ? 1 : 0;
  }
  EXPECT_GE(several, 3U) << "cases in which several elements are the largest";
  EXPECT_GE(negative, 2U) << "cases in which all elements are negative";
}

}  // namespace
}  // namespace lockstep::test::reduction_arg_max_test
