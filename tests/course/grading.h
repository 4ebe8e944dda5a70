// Grades a submission with the built program, as a student would, and takes its text and its JSON.
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "remains.h"
#include "shell.h"

namespace lockstep::test {

struct Graded {
  int status = 0;
  std::string text;       ///< all that the terminal showed, standard error included
  nlohmann::json report;  ///< lockstep/result/v1; null when the program wrote none
};

/// The result of one exercise in a report. Throws when it is not there.
const nlohmann::json& exercise_of(const Graded& graded, const std::string& name);

/// The verdict of one exercise in a report.
std::string verdict_of(const Graded& graded, const std::string& name);

/// That a report has the keys of the design with their types; others may be there.
void expect_schema(const nlohmann::json& report);

/// `text` with every run of spaces and newlines as one space: where lines are broken does not matter then.
std::string unwrapped(const std::string& text);

/// Base class of tests that grade: fails when a process or a temporary file is left.
class GradingTest : public LeavesNothingBehind {
 protected:
  void TearDown() override;

  /// Runs `lockstep grade` on the emulated device; `arguments` as in a shell.
  Graded grade(const std::string& arguments);

  TemporaryFolder folder_;
};

/// An exercise of the course, or of the private one in LOCKSTEP_COURSE: a folder NN-topic with a problem.cpp.
struct ExerciseFolder {
  std::string topic;               ///< "block-scan"
  std::string file;                ///< "block_scan.cu", or "predictions.txt"
  std::filesystem::path starter;   ///< exercises/09-block-scan/block_scan.cu
  std::filesystem::path solution;  ///< solutions/09-block-scan
};

std::vector<ExerciseFolder> exercise_folders();

/// The .cu and .txt files of a folder, and the .patch files that make one, in the order of their names; none
/// when there is no such folder.
std::vector<std::filesystem::path> source_files(const std::filesystem::path& folder);

/// What follows "// `key`: " or "# `key`: " on each line of a file that begins so, as in "// expect: race".
std::vector<std::string> headings(const std::filesystem::path& file, const std::string& key);

/// `path` as the name of a test: letters, digits and underscores.
std::string name_for_test(std::string path);

}  // namespace lockstep::test
