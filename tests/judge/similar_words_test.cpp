// The nearest names to a misspelt one.
#include "course/similar_words.h"

#include <gmock/gmock.h>

namespace lockstep::course {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(SimilarWords, DistanceCountsSingleEdits) {
  EXPECT_EQ(edit_distance("", ""), 0U);
  EXPECT_EQ(edit_distance("scan", ""), 4U);
  EXPECT_EQ(edit_distance("", "scan"), 4U);
  EXPECT_EQ(edit_distance("scan", "scan"), 0U);
  EXPECT_EQ(edit_distance("scna", "scan"), 1U) << "two neighbours exchanged";
  EXPECT_EQ(edit_distance("garde", "grade"), 1U);
  EXPECT_EQ(edit_distance("ca", "abc"), 3U);
  EXPECT_EQ(edit_distance("transpos", "transpose"), 1U);
  EXPECT_EQ(edit_distance("kitten", "sitting"), 3U);
}

TEST(SimilarWords, NearestFirstAndNothingFarAway) {
  const std::vector<std::string> topics = {"transpose", "block-scan", "scan", "histogram"};
  EXPECT_THAT(similar_words("tranpsose", topics), ElementsAre("transpose"));
  EXPECT_THAT(similar_words("scann", topics), ElementsAre("scan"));
  EXPECT_THAT(similar_words("scan", topics), ElementsAre("scan", "block-scan"));
  EXPECT_THAT(similar_words("matmul", topics), IsEmpty());
  EXPECT_THAT(similar_words("", topics), IsEmpty());
}

}  // namespace
}  // namespace lockstep::course
