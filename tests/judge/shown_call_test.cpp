// Calls in words: numbers of a type that C++ does not have are shown as what they are worth.
#include "judge/shown_call.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

namespace lockstep::judge {
namespace {

using testing::ElementsAre;

TEST(ShownCall, ShowsHalvesOfFloatsAsNumbers) {
  const std::vector<std::uint16_t> values = {0x3F80, 0xC000, 0x0000, 0x3E80, 0x7F80};
  course::Call call;
  call.input("a", values, {course::ElementType::bf16});
  const result::ShownCall shown = shown_call(call);
  ASSERT_EQ(shown.arguments.size(), 1U);
  EXPECT_EQ(shown.arguments[0].type, "bfloat16");
  EXPECT_EQ(shown.arguments[0].size, 5U);
  EXPECT_THAT(shown.arguments[0].values, ElementsAre("1", "-2", "0", "0.25", "inf"));
}

TEST(ShownCall, ShowsTheFirstOfManyNumbers) {
  const std::vector<std::uint16_t> many(1000, 0x4040);
  course::Call call;
  call.input("a", many, {course::ElementType::bf16});
  const result::ShownCall shown = shown_call(call);
  EXPECT_EQ(shown.arguments[0].size, 1000U);
  EXPECT_EQ(shown.arguments[0].values, std::vector<std::string>(16, "3"));
}

}  // namespace
}  // namespace lockstep::judge
