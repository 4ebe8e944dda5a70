#include "cli/selection.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>
#include <system_error>

#include "cli/command.h"
#include "course/problem_rules.h"
#include "course/similar_words.h"
#include "report/printable.h"

namespace lockstep::cli {

std::string suggestion(const std::string& given, const std::vector<std::string>& names,
                       const std::string& shows_all) {
  const std::vector<std::string> similar = course::similar_words(given, names);
  if (similar.empty()) return ". ./lockstep " + shows_all + " shows them all.";
  std::string words;
  for (const std::string& one : similar) words += (words.empty() ? "; did you mean " : " or ") + one;
  return words + "?";
}

bool is_below(const std::filesystem::path& path, const std::filesystem::path& folder) {
  std::error_code error;
  const auto relative = std::filesystem::relative(path, folder, error);  // follows links
  return !relative.empty() && *relative.begin() != "..";
}

void check_submission(const std::filesystem::path& path) {
  const std::string name = path.string();
  const auto is_control = [](unsigned char c) { return c < 0x20 || c == 0x7f; };
  if (std::any_of(name.begin(), name.end(), is_control))
    throw WrongUse("--submission has a control character, such as a line break, in its name: rename it.");
  std::error_code unknown;  // a link to nothing is there: whoever reads it says that it is one
  if (std::filesystem::symlink_status(path, unknown).type() == std::filesystem::file_type::not_found)
    throw WrongUse("--submission: \"" + report::printable(name) + "\" does not exist.");
}

const course::Exercise& select_exercise(const std::string& name) {
  if (const course::Exercise* exercise = course::find_exercise(name)) return *exercise;
  for (const course::Exercise& exercise : course::catalogue()) {
    std::error_code missing;
    for (const std::filesystem::path& own : {exercise.folder, exercise.own_folder, exercise.starter})
      if (std::filesystem::equivalent(name, own, missing)) return exercise;
  }
  std::vector<std::string> topics;
  for (const course::Exercise& exercise : course::catalogue()) topics.push_back(exercise.problem.name);
  const std::filesystem::path path(name.ends_with('/') ? name.substr(0, name.size() - 1) : name);
  const std::string last = path.filename().string(), topic(course::topic_of(last));
  throw WrongUse("there is no exercise \"" + report::printable(name) + "\"" +
                 suggestion(topic.empty() ? last : topic, topics, "list") +
                 (name.ends_with(".cu") ? " A file elsewhere is graded by grade --submission." : ""));
}

std::vector<const course::Exercise*> select_exercises(const std::vector<std::string>& names) {
  std::set<const course::Exercise*> wanted;
  for (const std::string& name : names) wanted.insert(&select_exercise(name));
  std::vector<const course::Exercise*> selected;
  for (const course::Exercise& exercise : course::catalogue()) {
    if (names.empty() || wanted.contains(&exercise)) selected.push_back(&exercise);
  }
  return selected;
}

std::vector<const course::Exercise*> exercises_with_study() {
  std::vector<const course::Exercise*> found;
  for (const course::Exercise& exercise : course::catalogue())
    if (std::filesystem::is_directory(exercise.folder / "study")) found.push_back(&exercise);
  return found;
}

std::string select_case(const course::Exercise& exercise, const std::string& name, bool has_gpu) {
  if (!exercise.problem.predictions.empty())
    throw WrongUse(exercise.problem.name + " asks for predictions and has no case to run: leave --case out.");
  std::vector<std::string> names, fitting;
  for (const course::Case& one : exercise.problem.cases) names.push_back(one.name);
  for (const course::Case& one : exercise.problem.gpu_cases) {
    if (has_gpu) names.push_back(one.name);
    if (!has_gpu && one.name == name)
      throw WrongUse("case " + name + " is too large to be emulated: it needs a GPU");
  }
  for (const std::string& one : names) {
    if (one == name) return one;
    if (one.find(name) != std::string::npos) fitting.push_back(one);
  }
  if (fitting.size() == 1) return fitting.front();
  const std::string given = "\"" + report::printable(name) + "\"", topic = exercise.problem.name;
  if (!fitting.empty())
    throw WrongUse(
        fmt::format("{} is a part of several cases of {}: {}", given, topic, fmt::join(fitting, ", ")));
  const std::vector<std::string> similar = course::similar_words(name, names);
  throw WrongUse(
      similar.empty()
          ? fmt::format("{} has no case {}: there are {}", topic, given, fmt::join(names, ", "))
          : fmt::format("{} has no case {}; did you mean {}?", topic, given, fmt::join(similar, " or ")));
}

std::string select_measured_case(const course::Exercise& exercise, const std::string& name) {
  std::string selected = select_case(exercise, name, false);
  std::vector<std::string> measured;
  for (const course::Case& one : exercise.problem.cases) {
    if (!one.measured && !one.wide) continue;
    if (one.name == selected) return selected;
    measured.push_back(one.name);
  }
  throw WrongUse(fmt::format("case {} of {} is not measured; these are: {}", selected, exercise.problem.name,
                             fmt::join(measured, "; ")));
}

const course::Exercise* exercise_here() {
  std::error_code error;
  const std::filesystem::path here = std::filesystem::current_path(error);
  for (const course::Exercise& exercise : course::catalogue())
    if (!error && (is_below(here, exercise.own_folder) || is_below(here, exercise.folder))) return &exercise;
  return nullptr;
}

}  // namespace lockstep::cli
