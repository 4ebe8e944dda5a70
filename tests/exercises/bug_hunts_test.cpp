// Exercises in which a broken program is repaired: they ask what their topic asks, the starter is the broken
// program, and the reference repairs it within the limit that the task states.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "course/catalogue.h"
#include "judge/changed_lines.h"
#include "storage/files.h"

namespace lockstep::test::bug_hunts_test {
namespace {

using course::Exercise;

std::vector<const Exercise*> bug_hunts() {
  std::vector<const Exercise*> hunts;
  for (const Exercise& one : course::catalogue()) {
    if (one.problem.max_changed_lines) hunts.push_back(&one);
  }
  return hunts;
}

/// "transpose" of "transpose-bug".
const Exercise& topic_of(const Exercise& hunt) {
  const std::string& name = hunt.problem.name;
  return *course::find_exercise(name.substr(0, name.rfind('-')));
}

TEST(BugHunts, ANumberNamesItsTopicAndHasOneLecture) {
  ASSERT_FALSE(bug_hunts().empty());
  for (const Exercise* hunt : bug_hunts()) {
    const Exercise& topic = topic_of(*hunt);
    EXPECT_EQ(hunt->folder_name, topic.folder_name + "-bug");
    EXPECT_EQ(course::find_exercise(topic.folder_name.substr(0, 2)), &topic);
    EXPECT_EQ(course::find_exercise(hunt->problem.name), hunt);
    EXPECT_EQ(hunt->lecture, topic.lecture);
    EXPECT_TRUE(std::filesystem::exists(hunt->lecture)) << hunt->lecture;
  }
  EXPECT_EQ(course::find_exercise("5")->problem.name, "transpose");
}

TEST(BugHunts, AskWhatTheirTopicAsks) {
  for (const Exercise* hunt : bug_hunts()) {
    const course::Problem &asked = hunt->problem, &topic = topic_of(*hunt).problem;
    ASSERT_EQ(asked.cases.size(), topic.cases.size());
    for (std::size_t i = 0; i < asked.cases.size(); ++i) EXPECT_EQ(asked.cases[i].name, topic.cases[i].name);
    EXPECT_EQ(asked.function.parameters.size(), topic.function.parameters.size());
    EXPECT_FALSE(asked.speed || asked.picture || !asked.gpu_cases.empty());
    EXPECT_NE(asked.title, topic.title);
    EXPECT_NE(asked.lesson, topic.lesson);
    EXPECT_NE(asked.hints, topic.hints);
  }
}

TEST(BugHunts, TheStarterIsTheBrokenProgram) {
  for (const Exercise* hunt : bug_hunts()) {
    const std::string starter = storage::read_file(hunt->starter);
    if (starter.find("// TODO:") == std::string::npos) continue;  // repaired in this clone
    EXPECT_EQ(starter, storage::read_file(hunt->broken)) << hunt->folder_name;
  }
}

TEST(BugHunts, TheReferenceIsARepairWithOneLineToSpareAtMost) {
  for (const Exercise* hunt : bug_hunts()) {
    const std::size_t changed = judge::changed_lines(
        storage::read_file(hunt->broken), storage::read_file(hunt->solutions / hunt->starter.filename()));
    EXPECT_LE(changed, *hunt->problem.max_changed_lines) << hunt->folder_name;
    EXPECT_GE(changed + 1, *hunt->problem.max_changed_lines) << hunt->folder_name;
  }
}

TEST(BugHunts, TheTaskStatesHowManyLinesMayBeChanged) {
  for (const Exercise* hunt : bug_hunts()) {
    EXPECT_THAT(storage::read_file(hunt->folder / "README.md"),
                testing::HasSubstr("at most " + std::to_string(*hunt->problem.max_changed_lines) + " lines"));
  }
}

}  // namespace
}  // namespace lockstep::test::bug_hunts_test
