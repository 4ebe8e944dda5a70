// The two rungs that a submission stands between.
#include "judge/standing.h"

#include <gmock/gmock.h>

#include <cmath>
#include <limits>

namespace lockstep::judge {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

const std::map<std::string, double> kLadder = {{"naive", 0.2}, {"tiled", 0.5}, {"padded", 0.8}};

TEST(Standing, IsBetweenTheNearestRungs) {
  EXPECT_THAT(standing_of(kLadder, 0.3).between(), ElementsAre("naive", "tiled"));
  EXPECT_THAT(standing_of(kLadder, 0.7).between(), ElementsAre("tiled", "padded"));
  EXPECT_THAT(standing_of(kLadder, 0.9).between(), ElementsAre("padded", "reference"));
}

TEST(Standing, TheLadderHasTheReferenceAndGoesUp) {
  const Standing standing = standing_of(kLadder, 0.9, "tiled");
  std::vector<std::string> names;
  for (const result::Rung& rung : standing.ladder) names.push_back(rung.name);
  EXPECT_THAT(names, ElementsAre("naive", "tiled", "padded", "reference"));
  EXPECT_EQ(standing.ladder[1].speed, 0.5);
  EXPECT_EQ(standing.speed, 0.45);
  EXPECT_THAT(standing_of({}, 0.5).ladder, IsEmpty()) << "the reference alone is no ladder";
}

TEST(Standing, BelowTheSlowestHasOnlyANextIdea) {
  const Standing standing = standing_of(kLadder, 0.1);
  EXPECT_FALSE(standing.slower);
  EXPECT_EQ(standing.faster, "naive");
  EXPECT_THAT(standing.between(), IsEmpty());
}

TEST(Standing, AboveEveryRungHasNoNextIdea) {
  const Standing standing = standing_of(kLadder, 1.3);
  EXPECT_EQ(standing.slower, "reference");
  EXPECT_FALSE(standing.faster);
  EXPECT_THAT(standing.between(), IsEmpty());
}

TEST(Standing, BesideARungIsFoundByTheReferencesSpeed) {
  EXPECT_THAT(standing_of(kLadder, 0.9, "tiled").between(), ElementsAre("naive", "tiled")) << "0.45";
  EXPECT_THAT(standing_of(kLadder, 1.2, "tiled").between(), ElementsAre("tiled", "padded")) << "0.6";
  EXPECT_THAT(standing_of(kLadder, 0.9, "unknown").between(), IsEmpty());
}

TEST(Standing, RungsMayBeFasterThanTheReference) {
  std::map<std::string, double> ladder = kLadder;
  ladder["look_back"] = 1.2;
  EXPECT_THAT(standing_of(ladder, 1.1).between(), ElementsAre("reference", "look_back"));
}

TEST(Standing, JustAsFastAsARungIsAboveIt) {
  EXPECT_THAT(standing_of(kLadder, 0.5).between(), ElementsAre("tiled", "padded"));
  EXPECT_EQ(standing_of(kLadder, 1).slower, "reference");
}

TEST(Standing, OfEqualRungsTheReferenceIsNamedElseTheFirst) {
  const std::map<std::string, double> ladder = {{"b", 0.5}, {"a", 0.5}, {"as_good", 1}};
  EXPECT_THAT(standing_of(ladder, 0.6).between(), ElementsAre("a", "reference"));
  EXPECT_THAT(standing_of(ladder, 0.4).faster, "a");
  EXPECT_EQ(standing_of(ladder, 1.1).slower, "reference");
}

TEST(Standing, TheReferenceIsAtOneWhateverWasRecorded) {
  EXPECT_THAT(standing_of({{"reference", 0.5}, {"naive", 0.1}}, 0.7).between(),
              ElementsAre("naive", "reference"));
}

TEST(Standing, RungsWithoutASpeedArePassedOver) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const double infinity = std::numeric_limits<double>::infinity();
  EXPECT_THAT(standing_of({{"a", nan}, {"b", 0}, {"c", -1}, {"d", infinity}, {"naive", 0.2}}, 0.5).between(),
              ElementsAre("naive", "reference"));
}

TEST(Standing, ASubmissionWithoutASpeedHasNone) {
  for (const double ratio : {std::nan(""), 0.0, -1.0, std::numeric_limits<double>::infinity()}) {
    const Standing standing = standing_of(kLadder, ratio);
    EXPECT_FALSE(standing.slower || standing.faster) << ratio;
  }
}

TEST(Standing, WithoutRungsThereIsTheReference) {
  EXPECT_EQ(standing_of({}, 0.5).faster, "reference");
  EXPECT_EQ(standing_of({}, 1.5).slower, "reference");
}

TEST(Standing, OnTheLadderOfAnotherGpuThereIsNoPlace) {
  result::Speed speed;
  speed.ratio = 0.5;
  speed.on_ladder = 0.5;
  take_ladder_of("NVIDIA H200", "n = 20", {}, speed);
  EXPECT_EQ(speed.on_ladder, 0.5) << "there is no record";
  take_ladder_of("NVIDIA H200", "n = 20", {{"naive", 0.25}}, speed);
  ASSERT_EQ(speed.ladder.size(), 2U);
  EXPECT_EQ(speed.ladder[0].name, "naive");
  EXPECT_EQ(speed.ladder[1].name, result::kReference);
  EXPECT_EQ(speed.on_ladder, std::nullopt);
  EXPECT_EQ(speed.ladder_gpu, "NVIDIA H200");
  EXPECT_EQ(speed.ladder_size, "n = 20");
}

}  // namespace
}  // namespace lockstep::judge
