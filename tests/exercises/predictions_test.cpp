// The starter of "predictions" asks what the judge asks, and its task tells how many there are.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <string>

#include "course/catalogue.h"

namespace lockstep::test::predictions_test {
namespace {

using testing::HasSubstr;

/// With comments and their line breaks as plain text.
std::string text_of_comments(const std::filesystem::path& path) {
  std::ifstream file(path);
  std::string text;
  for (std::string line; std::getline(file, line);) {
    const bool is_comment = line.starts_with("# ");
    if (is_comment && text.ends_with('\n') && !text.ends_with("\n\n")) text.back() = ' ';
    text += is_comment && text.ends_with(' ') ? line.substr(2) : line;
    text += '\n';
  }
  return text;
}

/// Questions stand before the names, whatever a student has written behind these.
TEST(Predictions, TheStarterAsksWhatTheJudgeAsks) {
  const course::Exercise* const exercise = course::find_exercise("predictions");
  ASSERT_NE(exercise, nullptr);
  const std::string starter = text_of_comments(exercise->starter);
  for (const course::Prediction& one : exercise->problem.predictions)
    EXPECT_THAT(starter, HasSubstr("# " + one.question + "\n" + one.name + " = "));
}

TEST(Predictions, TheTaskTellsHowManyThereAre) {
  const course::Exercise* const exercise = course::find_exercise("predictions");
  ASSERT_NE(exercise, nullptr);
  EXPECT_THAT(
      text_of_comments(exercise->folder / "README.md"),
      HasSubstr("Each of the " + std::to_string(exercise->problem.predictions.size()) + " predictions"));
}

TEST(Predictions, WithholdSome) {
  std::size_t withheld = 0;
  for (const course::Prediction& one : course::find_exercise("predictions")->problem.predictions)
    withheld += one.is_withheld ? 1 : 0;
  EXPECT_GE(withheld, 2U) << "what the report does not repeat";
}

TEST(Predictions, ReadTheLectureOfTheirNumber) {
  const course::Exercise* const exercise = course::find_exercise("predictions");
  EXPECT_TRUE(std::filesystem::exists(exercise->lecture)) << exercise->lecture;
  EXPECT_EQ(course::find_exercise("3")->problem.name, "execution") << "a number stands for the first";
}

}  // namespace
}  // namespace lockstep::test::predictions_test
