// What the README shows of the program, and the tasks of bug hunts, is what the program prints.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <regex>
#include <sstream>
#include <vector>

#include "shell.h"

namespace lockstep::test {
namespace {

/// Seconds that something took are others every time.
/// A report tells seconds from a tenth on alone, so whether it does depends on the machine.
std::string without_times(const std::string& text) {
  return std::regex_replace(text, std::regex(" in [0-9.]+ s\\b"), "");
}

/// A report however its lines are broken, and whichever of the threads that race come first.
std::string without_who_came_first(const std::string& text) {
  std::string same =
      std::regex_replace(without_times(text), std::regex("\\b(byte|warp|thread|the) [0-9]+"), "$1 N");
  same = std::regex_replace(same, std::regex("\\([0-9]+, [0-9]+, [0-9]+\\)"), "(N)");
  return std::regex_replace(same, std::regex("\\s+"), " ");
}

/// The indented lines that follow `command` on a page.
std::string shown_after(const std::string& command, const std::string& page) {
  const std::size_t place = page.find(command);
  if (place == std::string::npos) return "";
  std::istringstream rest(page.substr(place));
  std::string shown;
  for (std::string line; std::getline(rest, line);) {
    const bool is_shown = line.starts_with("    ");
    if (is_shown) shown += line + '\n';
    if (!is_shown && !line.empty() && !shown.empty()) break;
  }
  return shown;
}

class Readme : public testing::Test {
 protected:
  Readme() { link_course(LOCKSTEP_SOURCE, clone_.path()); }

  /// Runs a command of the README, which begins with "./lockstep ", as on a machine without a GPU.
  Ran run_as_typed(const std::string& command) {
    const std::string arguments = command.substr(std::string("./lockstep ").size());
    return run("cd '" + clone_.path().string() + "' && LOCKSTEP_ROOT=\"$PWD\" CUDA_VISIBLE_DEVICES= '" +
               LOCKSTEP_EXECUTABLE "' " + arguments + " 2>&1");
  }

  /// That the indented lines which follow `command` in the README are in `output` in this order; "…" stands
  /// for what was left out.
  void expect_shown(const std::string& command, const std::string& output) {
    const std::size_t place = readme_.find(command);
    ASSERT_NE(place, std::string::npos);
    std::istringstream readme(readme_.substr(place));
    std::istringstream printed(without_times(output));
    std::string line;
    while (std::getline(readme, line) && !line.starts_with("    ")) {
    }
    int shown = 0;
    for (bool more = true; more && (line.empty() || line.starts_with("    "));
         more = static_cast<bool>(std::getline(readme, line))) {
      if (line.empty() || line == "    …") continue;
      const std::string wanted = without_times(line.substr(4));
      std::string candidate;
      while (std::getline(printed, candidate) && candidate != wanted) {
      }
      ASSERT_TRUE(printed) << "not printed, or not in this order: " << line << '\n' << output;
      ++shown;
    }
    EXPECT_GT(shown, 10);
  }

  TemporaryFolder clone_;
  const std::string readme_ = contents_of(LOCKSTEP_SOURCE "/README.md");
};

TEST_F(Readme, ShowsAStarter) {
  if (contents_of(LOCKSTEP_SOURCE "/exercises/05-transpose/transpose.cu").find("TODO:") == std::string::npos)
    GTEST_SKIP() << "exercises/05-transpose has been solved in this clone";
  const std::string command = "./lockstep grade transpose --seed 1";
  const Ran ran = run_as_typed(command);
  EXPECT_EQ(ran.status, 1);
  expect_shown(command, ran.output);
}

class TaskOfABugHunt : public Readme, public testing::WithParamInterface<std::filesystem::path> {};

TEST_P(TaskOfABugHunt, ShowsTheStarter) {
  const std::string name = GetParam().filename().string().substr(3);
  std::string file = name + ".cu";
  std::replace(file.begin(), file.end(), '-', '_');
  // The program as it was, whatever has become of the starter.
  const std::filesystem::path exercises = clone_.path() / "exercises";
  std::filesystem::remove(exercises);
  std::filesystem::create_directory(exercises);
  const std::filesystem::path folder = exercises / GetParam().filename();
  std::filesystem::copy(GetParam(), folder);
  std::filesystem::copy_file(GetParam() / "broken.cu", folder / file,
                             std::filesystem::copy_options::overwrite_existing);
  const std::string command = "./lockstep grade " + name + " --seed 1";
  const Ran ran = run_as_typed(command);
  EXPECT_EQ(ran.status, 1);
  const std::string shown =
      without_who_came_first(shown_after(command, contents_of(GetParam() / "README.md")));
  EXPECT_GT(shown.size(), 500U);
  EXPECT_NE(without_who_came_first(ran.output).find(shown), std::string::npos) << ran.output;
}

std::vector<std::filesystem::path> bug_hunts() {
  std::vector<std::filesystem::path> folders;
  for (const auto& folder : std::filesystem::directory_iterator(LOCKSTEP_SOURCE "/exercises"))
    if (std::filesystem::exists(folder.path() / "broken.cu")) folders.push_back(folder.path());
  std::sort(folders.begin(), folders.end());
  return folders;
}

INSTANTIATE_TEST_SUITE_P(Course, TaskOfABugHunt, testing::ValuesIn(bug_hunts()));

TEST_F(Readme, ShowsAFullPass) {
  const std::string command = "./lockstep grade coalescing transpose --submission solutions";
  const Ran ran = run_as_typed(command);
  EXPECT_EQ(ran.status, 0);
  expect_shown(command, ran.output);
}

TEST_F(Readme, ShowsWhatALineCosts) {
  const std::string command =
      "./lockstep profile transpose --submission solutions/05-transpose/rungs/tiled.cu";
  const Ran ran = run_as_typed(command);
  EXPECT_EQ(ran.status, 1) << "the rung misses a gate";
  expect_shown(command, ran.output);

  std::smatch options;
  ASSERT_TRUE(std::regex_search(readme_, options, std::regex("(--trace [^`]* --svg )(docs/[^`]*)`")));
  run_as_typed(command + ' ' + options.str(1) + "drawn.svg");
  EXPECT_EQ(contents_of(clone_.path() / "drawn.svg"), contents_of(LOCKSTEP_SOURCE "/" + options.str(2)));
}

TEST_F(Readme, GradesAClass) {
  std::smatch command;
  ASSERT_TRUE(std::regex_search(readme_, command, std::regex("\n    (\\./lockstep class .*)\n")));
  const std::string solutions = LOCKSTEP_SOURCE "/solutions/";
  clone_.write("handed-in/anna/05-transpose/transpose.cu",
               contents_of(solutions + "05-transpose/transpose.cu"));
  clone_.write("handed-in/anna/10-scan/scan.cu", contents_of(solutions + "10-scan/scan.cu"));
  clone_.write("handed-in/b en/transpose.cu", contents_of(solutions + "05-transpose/rungs/tiled.cu"));
  clone_.write("roster.csv", "id,name\nb en,Ben\nanna,Anna\n");
  const Ran ran = run_as_typed(command.str(1));
  EXPECT_EQ(ran.status, 0) << ran.output;
  const std::string points = contents_of(clone_.path() / "results/points.csv");
  EXPECT_TRUE(std::regex_match(points, std::regex("id,name,transpose,scan,total\r\n"
                                                  "b en,Ben,7\\.[0-9]+,0\\.0,7\\.[0-9]+\r\n"
                                                  "anna,Anna,10\\.0,10\\.0,20\\.0\r\n")))
      << points;
}

TEST_F(Readme, ShowsAProgramsProfile) {
  const Ran ran = run("cd '" LOCKSTEP_SOURCE "' && '" LOCKSTEP_EXECUTABLE
                      "' emulate --profile '" PROGRAMS_FOLDER "/profiled' 2>&1");
  expect_shown("./lockstep emulate --profile ./profiled", ran.output);
}

}  // namespace
}  // namespace lockstep::test
