#include "grading.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <stdexcept>

namespace lockstep::test {
namespace {

namespace fs = std::filesystem;

/// A program that hangs shall end as a failed test, with nothing of it left.
constexpr const char* kTimeLimit = "timeout --kill-after=10 120 ";

std::string contents(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

void expect_verdict(const nlohmann::json& holder) {
  static const std::vector<std::string> kVerdicts = {"passed",        "wrong-answer",       "race",
                                                     "out-of-bounds", "uninitialised-read", "bad-sync",
                                                     "launch-failed", "unchecked-error",    "leak",
                                                     "crashed",       "time-limit",         "memory-limit",
                                                     "compile-error", "too-many-changes",   "inefficient",
                                                     "too-slow",      "inconclusive",       "not-measured",
                                                     "review",        "grader-error"};
  ASSERT_TRUE(holder.at("verdict").is_string());
  EXPECT_THAT(kVerdicts, testing::Contains(holder.at("verdict").get<std::string>()));
}

std::vector<fs::path> sorted_entries(const fs::path& folder) {
  std::error_code missing;
  std::vector<fs::path> entries;
  for (const auto& entry : fs::directory_iterator(folder, missing)) entries.push_back(entry.path());
  std::sort(entries.begin(), entries.end());
  return entries;
}

}  // namespace

const nlohmann::json& exercise_of(const Graded& graded, const std::string& name) {
  for (const auto& exercise : graded.report.at("exercises")) {
    if (exercise.at("name") == name) return exercise;
  }
  throw std::out_of_range("the report has no exercise " + name);
}

std::string verdict_of(const Graded& graded, const std::string& name) {
  return exercise_of(graded, name).at("verdict");
}

void expect_schema(const nlohmann::json& report) {
  EXPECT_EQ(report.at("schema"), "lockstep/result/v1");
  EXPECT_EQ(report.at("device").at("kind"), "emulated");
  EXPECT_TRUE(report.at("device").at("name").is_string());
  ASSERT_TRUE(report.at("exercises").is_array());
  for (const nlohmann::json& exercise : report.at("exercises")) {
    EXPECT_TRUE(exercise.at("name").is_string());
    expect_verdict(exercise);
    EXPECT_TRUE(exercise.at("points").is_number());
    EXPECT_TRUE(exercise.at("max_points").is_number());
    for (const nlohmann::json& one : exercise.at("correctness").at("cases")) {
      EXPECT_TRUE(one.at("name").is_string());
      expect_verdict(one);
      EXPECT_TRUE(one.at("message").is_string());
    }
    for (const nlohmann::json& gate : exercise.at("technique").at("gates")) {
      EXPECT_TRUE(gate.at("name").is_string());
      EXPECT_TRUE(gate.at("value").is_number() || gate.at("verdict") == "not-measured");
      EXPECT_TRUE(gate.at("limit").is_number());
      expect_verdict(gate);
    }
    if (exercise.contains("repair")) {
      EXPECT_TRUE(exercise.at("repair").at("changed_lines").is_number());
      EXPECT_TRUE(exercise.at("repair").at("max_changed_lines").is_number());
      expect_verdict(exercise.at("repair"));
    }
    for (const nlohmann::json& one : exercise.value("predictions", nlohmann::json::array())) {
      for (const char* key : {"name", "question", "unit", "why"}) EXPECT_TRUE(one.at(key).is_string()) << key;
      for (const char* key : {"predicted", "measured"})
        EXPECT_TRUE(one.at(key).is_number() || one.at(key).is_null()) << key;
      EXPECT_TRUE(one.at("places").is_array());
      expect_verdict(one);
    }
    const nlohmann::json& speed = exercise.at("speed");
    EXPECT_EQ(speed.at("verdict"), "not-measured");
    EXPECT_TRUE(speed.at("counts").is_boolean());
    for (const char* key : {"ratio", "interval", "ceiling_share", "ceiling", "between"})
      EXPECT_TRUE(speed.at(key).is_null());
  }
}

std::string unwrapped(const std::string& text) {
  std::string result;
  for (const char c : text) {
    const bool space = c == ' ' || c == '\n';
    if (!space || (!result.empty() && result.back() != ' ')) result += space ? ' ' : c;
  }
  return result;
}

void GradingTest::TearDown() {
  LeavesNothingBehind::TearDown();
  for (const fs::path& entry : sorted_entries(fs::temp_directory_path())) {
    EXPECT_EQ(entry, folder_.path()) << "a temporary file was left";
  }
}

Graded GradingTest::grade(const std::string& arguments) {
  const fs::path file = folder_.path() / "report.json";
  const Ran ran = run(std::string(kTimeLimit) + "'" LOCKSTEP_EXECUTABLE "' grade --device emulated " +
                      "--format json --output '" + file.string() + "' " + arguments + " 2>&1");
  return {ran.status, ran.output, nlohmann::json::parse(contents(file), nullptr, false)};
}

std::vector<ExerciseFolder> exercise_folders() {
  const char* const course = std::getenv("LOCKSTEP_COURSE");
  const fs::path root = course == nullptr || *course == '\0' ? LOCKSTEP_SOURCE : course;
  std::vector<ExerciseFolder> exercises;
  for (const fs::path& folder : sorted_entries(root / "exercises")) {
    if (!fs::exists(folder / "problem.cpp")) continue;
    const std::string name = folder.filename();
    const std::string topic = name.substr(name.find('-') + 1);
    std::string file = topic + ".cu";
    std::replace(file.begin(), file.end(), '-', '_');
    const fs::path predictions = fs::path(file).replace_extension(".txt");
    if (fs::exists(folder / predictions)) file = predictions;
    exercises.push_back({topic, file, folder / file, root / "solutions" / name});
  }
  return exercises;
}

std::vector<fs::path> source_files(const fs::path& folder) {
  std::vector<fs::path> files = sorted_entries(folder);
  std::erase_if(files, [](const fs::path& file) {
    return file.extension() != ".cu" && file.extension() != ".txt" && file.extension() != ".patch";
  });
  return files;
}

std::vector<std::string> headings(const fs::path& file, const std::string& key) {
  std::ifstream stream(file);
  std::vector<std::string> found;
  for (std::string line; std::getline(stream, line);) {
    for (const std::string& start : {"// " + key + ": ", "# " + key + ": "})
      if (line.starts_with(start)) found.push_back(line.substr(start.size()));
  }
  return found;
}

std::string name_for_test(std::string path) {
  std::replace_if(
      path.begin(), path.end(), [](unsigned char c) { return std::isalnum(c) == 0; }, '_');
  return path;
}

}  // namespace lockstep::test
