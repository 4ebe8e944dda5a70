// What the judge of "execution" expects, compared with the functions of the interface in shifts, as the
// header states them, and with the tasks' own sentences.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <vector>

#include "problem_access.h"

namespace lockstep::test::execution_test {
namespace {

using Words = std::vector<std::uint32_t>;

std::uint32_t of_kind(int kind, std::uint32_t value) {
  for (int step = 0; step < 24; ++step) {
    switch (kind) {
      case 0:
        value ^= value << 13;
        value ^= value >> 17;
        value ^= value << 5;
        break;
      case 1:
        value = (value ^ value >> 16) * 0x7FEB352DU;
        value = (value ^ value >> 15) * 0x846CA68BU;
        break;
      default:
        value = std::rotl(value, 7) + 0x9E3779B9U;
        value ^= value >> 11;
    }
  }
  return value;
}

TEST(Execution, InTurnsTakesTheFunctionsOneAfterTheOther) {
  for_each_call("execution", "in_turns", [](const course::Call& call) {
    const Words in = input<std::uint32_t>(call, "in"), out = expected<std::uint32_t>(call);
    ASSERT_EQ(in.size(), static_cast<std::size_t>(scalar(call, "n")));
    ASSERT_EQ(out.size(), in.size());
    for (std::size_t i = 0; i < in.size(); ++i)
      ASSERT_EQ(out[i], of_kind(static_cast<int>(i % 3), in[i])) << "element " << i;
  });
}

TEST(Execution, ByKindHasAListOrderedByKind) {
  for_each_call("execution", "by_kind", [](const course::Call& call) {
    const Words in = input<std::uint32_t>(call, "in"), out = expected<std::uint32_t>(call);
    const std::vector<int> kind = input<int>(call, "kind");
    std::vector<int> order = input<int>(call, "order");
    ASSERT_EQ(out.size(), static_cast<std::size_t>(scalar(call, "n")));
    for (std::size_t i = 0; i < in.size(); ++i)
      ASSERT_EQ(out[i], of_kind(kind.at(i), in[i])) << "element " << i;
    EXPECT_TRUE(
        std::ranges::is_sorted(order, {}, [&kind](int i) { return kind.at(static_cast<std::size_t>(i)); }));
    std::ranges::sort(order);
    for (std::size_t i = 0; i < order.size(); ++i) ASSERT_EQ(order[i], static_cast<int>(i));
    EXPECT_EQ(order.size(), in.size());
    EXPECT_TRUE(std::ranges::all_of(kind, [](int one) { return one >= 0 && one <= 2; }));
  });
}

TEST(Execution, ShortRowsCombineEachElementWithTheKeyOfItsRow) {
  for_each_call("execution", "short_rows", [](const course::Call& call) {
    const Words in = input<std::uint32_t>(call, "in"), key = input<std::uint32_t>(call, "key"),
                out = expected<std::uint32_t>(call);
    const auto rows = static_cast<std::size_t>(scalar(call, "rows"));
    const auto columns = static_cast<std::size_t>(scalar(call, "columns"));
    EXPECT_TRUE(columns == 0 || columns % 32 != 0) << "the rows leave no lane idle";
    ASSERT_EQ(key.size(), rows);
    ASSERT_EQ(out.size(), rows * columns);
    for (std::size_t row = 0; row < rows; ++row) {
      for (std::size_t i = row * columns; i < (row + 1) * columns; ++i)
        ASSERT_EQ(out[i], of_kind(0, in[i] ^ key[row])) << "element " << i;
    }
  });
}

}  // namespace
}  // namespace lockstep::test::execution_test
