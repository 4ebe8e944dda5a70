// The transpose of bytes that the judge expects, compared with the task's own sentence byte by byte.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <vector>

#include "course/poison.h"
#include "problem_access.h"

namespace lockstep::test::transpose_bytes_test {
namespace {

using Values = std::vector<unsigned char>;

TEST(TransposeBytes, EveryByteIsWhereTheTaskSays) {
  for (const course::Case& one : problem("transpose-bytes").cases) {
    SCOPED_TRACE(one.name);
    SplitMix64 random(7);
    const course::Call call = one.prepare(random);
    const Values in = input<unsigned char>(call, "in"), out = expected<unsigned char>(call);
    const auto rows = static_cast<std::size_t>(scalar(call, "rows"));
    const auto columns = static_cast<std::size_t>(scalar(call, "columns"));
    ASSERT_EQ(in.size(), rows * columns);
    ASSERT_EQ(out.size(), in.size());
    ASSERT_EQ(one.cost.elements, static_cast<double>(out.size()));
    for (std::size_t i = 0; i < in.size(); ++i)
      ASSERT_EQ(out[i % columns * rows + i / columns], in[i]) << "byte " << i;
  }
}

TEST(TransposeBytes, HasEveryByteExceptTheOneThatSaysNeverWritten) {
  for (const course::Case& one : problem("transpose-bytes").cases) {
    if (!one.measured) continue;
    SplitMix64 random(7);
    const Values in = input<unsigned char>(one.prepare(random), "in");
    const std::set<unsigned char> values(in.begin(), in.end());
    EXPECT_EQ(values.size(), 255U) << one.name;
    EXPECT_FALSE(values.contains(course::never_written<unsigned char>())) << one.name;
  }
}

TEST(TransposeBytes, EveryRowOfAMeasuredCaseStartsAtASector) {
  for (const course::Case& one : problem("transpose-bytes").cases) {
    if (!one.measured) continue;
    SplitMix64 random(7);
    const course::Call call = one.prepare(random);
    EXPECT_EQ(scalar(call, "rows") % 32, 0) << one.name;
    EXPECT_EQ(scalar(call, "columns") % 32, 0) << one.name;
  }
}

TEST(TransposeBytes, ReportsPositionsInTermsOfTheOutput) {
  for (const course::Case& one : problem("transpose-bytes").cases) {
    if (one.name != "3 x 5") continue;
    SplitMix64 random(7);
    const course::Call call = one.prepare(random);
    // `out` has 5 rows of 3 bytes.
    EXPECT_EQ(argument(call, "out").output.position(3), "row 1, column 0");
    EXPECT_EQ(argument(call, "out").output.position(14), "row 4, column 2");
    return;
  }
  FAIL() << "there is no case 3 x 5";
}

}  // namespace
}  // namespace lockstep::test::transpose_bytes_test
