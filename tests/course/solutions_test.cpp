// Every exercise of the course, and every file below solutions/: starters fail with guidance (those of bug
// hunts as their tasks show it: tests/cli/readme_test.cpp), references pass, rungs are correct and fail the
// technique gates that their first lines name ("fails:", and "at:" for the line that the report must point
// at), mistakes get the verdict on their first line and the words that they name ("says:"), of those that are
// inefficient the gates that they name, and of predictions those that are wrong ("wrong:"); those that are
// kept as differences still apply to their solution; the compiler warns of nothing. Found in the folder tree,
// as the catalogue is: a new exercise or file needs no change here.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <ostream>

#include "grading.h"
#include "mistakes.h"

namespace lockstep::test {

namespace fs = std::filesystem;

struct CourseFile {
  std::string topic;
  fs::path path;
};

std::ostream& operator<<(std::ostream& stream, const CourseFile& file) { return stream << file.path; }

namespace {

std::vector<CourseFile> files_of(fs::path (*of)(const ExerciseFolder&)) {
  std::vector<CourseFile> files;
  for (const ExerciseFolder& exercise : exercise_folders()) files.push_back({exercise.topic, of(exercise)});
  return files;
}

std::vector<CourseFile> files_below_solutions(const char* kind) {
  std::vector<CourseFile> files;
  for (const ExerciseFolder& exercise : exercise_folders()) {
    for (const fs::path& path : source_files(exercise.solution / kind))
      files.push_back({exercise.topic, path});
  }
  return files;
}

std::string test_name(const testing::TestParamInfo<CourseFile>& info) {
  return name_for_test(info.param.topic + "_" + info.param.path.stem().string());
}

class EveryFile : public GradingTest, public testing::WithParamInterface<CourseFile> {
 protected:
  const std::string& topic() const { return GetParam().topic; }
  const fs::path& path() const { return GetParam().path; }
  /// What compiles does so without a warning.
  Graded graded() {
    const fs::path source = source_of(path(), folder_.path());
    Graded result = grade(topic() + " --submission '" + source.string() + "'");
    const auto& exercise = exercise_of(result, topic());
    if (exercise.at("verdict") != "compile-error") {
      EXPECT_EQ(exercise.at("compiler_output"), "");
    }
    return result;
  }
};

class Starter : public EveryFile {};
class Reference : public EveryFile {};
class Rung : public EveryFile {};
class Mistake : public EveryFile {};

TEST_P(Starter, FailsWithGuidance) {
  std::ifstream file(path());
  const std::string source{std::istreambuf_iterator<char>(file), {}};
  const bool is_open = path().extension() == ".txt" && source.find("= ?") != std::string::npos;
  if (source.find("// TODO:") == std::string::npos && !is_open)
    GTEST_SKIP() << path() << " has been solved in this clone";
  // A copy, so that it does not count as the student's progress.
  fs::copy_file(path(), folder_.path() / path().filename());
  const Graded result = grade(topic() + " --submission '" + folder_.path().string() + "'");
  EXPECT_EQ(result.status, 1) << result.text;
  const auto& exercise = exercise_of(result, topic());
  EXPECT_NE(exercise.at("verdict"), "passed");
  EXPECT_EQ(exercise.at("points"), 0) << "some of its cases may pass";
  EXPECT_NE(exercise.at("verdict"), "grader-error") << result.text;
  EXPECT_NE(exercise.at("verdict"), "compile-error") << result.text;
  EXPECT_NE(exercise.at("next_step"), "");
  EXPECT_THAT(result.text, testing::HasSubstr("\n  Next: "));
}

TEST_P(Reference, Passes) {
  const Graded result = graded();
  EXPECT_EQ(result.status, 0) << result.text;
  const auto& exercise = exercise_of(result, topic());
  EXPECT_EQ(exercise.at("verdict"), "passed") << result.text;
  EXPECT_EQ(exercise.at("points"), exercise.at("max_points"));
  expect_schema(result.report);
}

TEST_P(Rung, IsCorrectAndFailsTheGateThatItNames) {
  const Graded result = graded();
  const auto& exercise = exercise_of(result, topic());
  EXPECT_GE(exercise.at("correctness").at("cases").size(), 12U);
  for (const auto& one : exercise.at("correctness").at("cases"))
    EXPECT_EQ(one.at("verdict"), "passed") << one.at("name") << '\n' << result.text;

  const std::vector<std::string> fails = headings(path(), "fails"), at = headings(path(), "at");
  ASSERT_EQ(fails.size(), at.size()) << path();
  EXPECT_EQ(result.status, fails.empty() ? 0 : 1) << result.text;
  EXPECT_EQ(exercise.at("verdict"), fails.empty() ? "passed" : "inefficient") << result.text;
  const double share = exercise.at("points").get<double>() / exercise.at("max_points").get<double>();
  EXPECT_GT(share, 0.7);
  EXPECT_EQ(share == 1, fails.empty()) << share;
  const auto& gates = exercise.at("technique").at("gates");
  // A host program has to copy: host-copies is a gate of all others.
  EXPECT_GE(gates.size(), topic() == "host-program" ? 1U : 2U);
  std::vector<std::string> failed;
  for (const auto& gate : gates) {
    if (gate.at("verdict") == "passed") continue;
    EXPECT_EQ(gate.at("verdict"), "inefficient");
    if (gate.at("at_least")) {
      EXPECT_LT(gate.at("value"), gate.at("limit"));
    } else {
      EXPECT_GT(gate.at("value"), gate.at("limit"));
    }
    failed.push_back(gate.at("name"));
    ASSERT_LE(failed.size(), at.size()) << result.text;
    const std::string& line = at[failed.size() - 1];
    std::vector<std::string> blamed;  // several where no line alone is the cause
    for (const auto& place : gate.at("worst")) blamed.push_back(place.at("text"));
    EXPECT_THAT(blamed, testing::Contains(testing::HasSubstr(line)));
    // Of puzzles the report shows the first that is unsolved.
    const bool is_shown = failed.size() == 1 || !gate.contains("puzzle");
    if (is_shown) {
      EXPECT_THAT(result.text, testing::HasSubstr("| " + line));
    }
  }
  EXPECT_EQ(failed, fails) << result.text;
}

/// Of the points; in an exercise of puzzles, of those of the one puzzle that the mistake is in: all others
/// have theirs.
double share_of_what_is_wrong(const nlohmann::json& exercise) {
  const auto share = [](const nlohmann::json& any) {
    return any.at("points").get<double>() / any.at("max_points").get<double>();
  };
  if (!exercise.contains("puzzles")) return share(exercise);
  const nlohmann::json* wrong = nullptr;
  double points = 0, max_points = 0;
  for (const nlohmann::json& puzzle : exercise.at("puzzles")) {
    points += puzzle.at("points").get<double>();
    max_points += puzzle.at("max_points").get<double>();
    if (puzzle.at("verdict") == "passed") {
      EXPECT_EQ(share(puzzle), 1) << puzzle.at("name");
      continue;
    }
    EXPECT_EQ(wrong, nullptr) << puzzle.at("name") << " is wrong as well";
    EXPECT_EQ(puzzle.at("verdict"), exercise.at("verdict"));
    wrong = &puzzle;
  }
  EXPECT_DOUBLE_EQ(points, exercise.at("points").get<double>());
  EXPECT_DOUBLE_EQ(max_points, exercise.at("max_points").get<double>()) << "some puzzles were not graded";
  return wrong == nullptr ? 1 : share(*wrong);
}

/// Those that were not right, by their names.
std::vector<std::string> wrong_predictions(const nlohmann::json& exercise) {
  std::vector<std::string> wrong;
  for (const nlohmann::json& one : exercise.at("predictions"))
    if (one.at("verdict") != "passed") wrong.push_back(one.at("name"));
  return wrong;
}

TEST_P(Mistake, GetsItsVerdict) {
  const Graded result = graded();
  EXPECT_EQ(result.status, 1) << result.text;
  EXPECT_THAT(headings(path(), "expect"), testing::ElementsAre(verdict_of(result, topic()))) << result.text;
  for (const std::string& words : headings(path(), "says"))
    EXPECT_THAT(unwrapped(result.text), testing::HasSubstr(words));
  const auto& exercise = exercise_of(result, topic());
  if (exercise.contains("predictions")) {
    EXPECT_EQ(wrong_predictions(exercise), headings(path(), "wrong")) << result.text;
    return;
  }
  const double share = share_of_what_is_wrong(exercise);
  if (verdict_of(result, topic()) == "inefficient") {
    EXPECT_GT(share, 0.7);
  } else {
    EXPECT_LE(share, 0.2) << "it is wrong";
  }
  const std::vector<std::string> fails = headings(path(), "fails");
  if (fails.empty()) return;
  std::vector<std::string> failed;
  for (const auto& gate : exercise.at("technique").at("gates"))
    if (gate.at("verdict") == "inefficient") failed.push_back(gate.at("name"));
  EXPECT_EQ(failed, fails) << result.text;
}

std::vector<CourseFile> starters() {
  std::vector<CourseFile> files = files_of([](const ExerciseFolder& e) { return e.starter; });
  std::erase_if(files,
                [](const CourseFile& file) { return fs::exists(file.path.parent_path() / "broken.cu"); });
  return files;
}

INSTANTIATE_TEST_SUITE_P(Course, Starter, testing::ValuesIn(starters()), test_name);
INSTANTIATE_TEST_SUITE_P(Course, Reference, testing::ValuesIn(files_of([](const ExerciseFolder& e) {
                           return e.solution / e.file;
                         })),
                         test_name);
INSTANTIATE_TEST_SUITE_P(Course, Rung, testing::ValuesIn(files_below_solutions("rungs")), test_name);
INSTANTIATE_TEST_SUITE_P(Course, Mistake, testing::ValuesIn(files_below_solutions("wrong")), test_name);

}  // namespace
}  // namespace lockstep::test
