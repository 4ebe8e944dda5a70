// The colours in which height maps are drawn.
#include "19-flood/height_map.h"

#include <gtest/gtest.h>

#include <cmath>

namespace lockstep::test::height_map_test {
namespace {

TEST(Shading, WaterIsBlueAndWhatIsUnknownIsGrey) {
  const HeightMap map{.rows = 1, .columns = 4, .heights = {0, 50, 100, NAN}};
  const Shading shading(map, 60);
  const Colour shallow = shading.of(0, 1, true), deep = shading.of(0, 0, true);
  EXPECT_GT(shallow.blue, shallow.red);
  EXPECT_GT(shallow.red, deep.red);
  const Colour high = shading.of(0, 2, false), low = shading.of(0, 0, false);
  EXPECT_GT(high.red, low.red);
  EXPECT_GT(low.green, low.blue);
  EXPECT_EQ(shading.of(0, 3, false), (Colour{128, 128, 128}));
}

TEST(Shading, AFlatMapAndAnInfiniteOneHaveColoursToo) {
  const HeightMap flat{.rows = 1, .columns = 2, .heights = {5, 5}};
  EXPECT_EQ(Shading(flat, 9).of(0, 0, true), Shading(flat, 9).of(0, 1, true));
  const HeightMap infinite{.rows = 1, .columns = 2, .heights = {INFINITY, -INFINITY}};
  const Shading shading(infinite, INFINITY);
  const Colour water = shading.of(0, 1, true);
  EXPECT_GT(water.blue, water.red);
  EXPECT_NE(shading.of(0, 0, false), water);
}

}  // namespace
}  // namespace lockstep::test::height_map_test
