// What the judge of "first-kernels" expects, compared with the interface's own sentences, element by element.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <set>
#include <vector>

#include "problem_access.h"

namespace lockstep::test::first_kernels_test {
namespace {

using course::Call;

std::size_t elements(const Call& call) { return static_cast<std::size_t>(scalar(call, "n")); }

TEST(FirstKernels, LimitKeepsWhatLiesBetweenAndMovesTheRestToTheNearerBound) {
  for_each_call("first-kernels", "limit", [](const Call& call) {
    const std::vector<int> in = input<int>(call, "in"), out = expected<int>(call);
    const int low = scalar(call, "low"), high = scalar(call, "high");
    ASSERT_LE(low, high);
    ASSERT_EQ(in.size(), elements(call));
    ASSERT_EQ(out.size(), in.size());
    for (std::size_t i = 0; i < in.size(); ++i) {
      const int nearest = in[i] < low ? low : (in[i] > high ? high : in[i]);
      ASSERT_EQ(out[i], nearest) << "element " << i;
    }
  });
}

/// A product or a sum that is not rounded has the same value in double.
TEST(FirstKernels, BlendIsExact) {
  for_each_call("first-kernels", "blend", [](const Call& call) {
    const std::vector<float> a = input<float>(call, "a"), b = input<float>(call, "b"),
                             out = expected<float>(call);
    float weight = 0;
    std::memcpy(&weight, &argument(call, "weight").scalar_bits, sizeof weight);
    ASSERT_TRUE(weight > 0 && weight < 0.5F) << weight;
    ASSERT_EQ(out.size(), elements(call));
    for (std::size_t i = 0; i < out.size(); ++i) {
      const double exact = (1.0 - weight) * a.at(i) + static_cast<double>(weight) * b.at(i);
      ASSERT_EQ(static_cast<double>(out[i]), exact) << "element " << i;
    }
  });
}

TEST(FirstKernels, LookUpHasIndicesOnBothSidesOfTheTable) {
  for_each_call("first-kernels", "look_up", [](const Call& call) {
    const std::vector<int> table = input<int>(call, "table"), index = input<int>(call, "index"),
                           out = expected<int>(call);
    ASSERT_EQ(table.size(), static_cast<std::size_t>(scalar(call, "entries")));
    ASSERT_EQ(out.size(), elements(call));
    std::set<int> outside;
    for (std::size_t i = 0; i < out.size(); ++i) {
      const bool is_inside = index.at(i) >= 0 && static_cast<std::size_t>(index[i]) < table.size();
      if (!is_inside) outside.insert(index[i]);
      ASSERT_EQ(out[i], is_inside ? table[static_cast<std::size_t>(index[i])] : -1) << "element " << i;
    }
    if (out.size() < 1000) return;
    EXPECT_TRUE(outside.contains(-1));
    EXPECT_TRUE(outside.contains(static_cast<int>(table.size())));
  });
}

TEST(FirstKernels, InverseUndoesThePermutation) {
  for_each_call("first-kernels", "inverse", [](const Call& call) {
    const std::vector<int> to = input<int>(call, "to"), out = expected<int>(call);
    ASSERT_EQ(to.size(), elements(call));
    EXPECT_EQ(std::set<int>(to.begin(), to.end()).size(), to.size()) << "an index comes twice";
    for (std::size_t i = 0; i < to.size(); ++i)
      ASSERT_EQ(out.at(static_cast<std::size_t>(to[i])), static_cast<int>(i));
  });
}

TEST(FirstKernels, SlopeTakesTheElementItselfWhereANeighbourIsMissing) {
  for_each_call("first-kernels", "slope", [](const Call& call) {
    std::vector<int> in = input<int>(call, "in");
    const std::vector<int> out = expected<int>(call);
    ASSERT_EQ(out.size(), elements(call));
    if (in.empty()) return;
    in.insert(in.begin(), in.front());
    in.push_back(in.back());
    for (std::size_t i = 0; i < out.size(); ++i) ASSERT_EQ(out[i], in[i + 2] - in[i]) << "element " << i;
  });
}

TEST(FirstKernels, MirrorReversesEachRowWithoutItsPadding) {
  bool any_padding = false, any_without = false;
  for_each_call("first-kernels", "mirror", [&](const Call& call) {
    using Pixels = std::vector<unsigned char>;
    const Pixels in = input<unsigned char>(call, "in"), out = expected<unsigned char>(call);
    const int rows = scalar(call, "rows"), columns = scalar(call, "columns"), pitch = scalar(call, "pitch");
    ASSERT_GE(pitch, columns);
    ASSERT_EQ(in.size(), static_cast<std::size_t>(rows) * static_cast<std::size_t>(pitch));
    (pitch > columns ? any_padding : any_without) = true;
    Pixels mirrored;
    for (int row = 0; row < rows; ++row) {
      const auto begin = in.begin() + static_cast<std::ptrdiff_t>(row) * pitch;
      Pixels pixels(begin, begin + columns);
      mirrored.insert(mirrored.end(), pixels.rbegin(), pixels.rend());
    }
    EXPECT_EQ(out, mirrored);
  });
  EXPECT_TRUE(any_padding && any_without);
}

}  // namespace
}  // namespace lockstep::test::first_kernels_test
