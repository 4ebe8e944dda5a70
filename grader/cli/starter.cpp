#include "cli/starter.h"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>

#include "cli/command.h"
#include "cli/program.h"
#include "storage/files.h"

namespace lockstep::cli {
namespace {

constexpr const char* kStarterMarker = "// TODO:";  ///< every starter has one; a finished solution has none
constexpr const char* kOpenPrediction = " = ?";

bool is_starter(const course::Problem& problem, const std::string& text) {
  const auto is_open = [&text](const course::Prediction& one) {
    return text.find('\n' + one.name + kOpenPrediction) != std::string::npos;
  };
  return problem.predictions.empty() ? text.find(kStarterMarker) != std::string::npos
                                     : std::ranges::all_of(problem.predictions, is_open);
}

}  // namespace

std::string starter_of(const course::Exercise& exercise, bool is_course_pristine) {
  const std::string folder = exercise.folder.string(), file = exercise.starter.filename().string();
  const auto version_of = [&](const std::string& commit) -> std::string {
    const ProgramResult version =
        run_program({"git", "-C", folder, "show", commit + ":./" + file}, ErrorOutput::dropped);
    return version.status == 0 && is_starter(exercise.problem, version.output) ? version.output : "";
  };
  // As in most clones, and so one program less.
  if (std::string starter = version_of("HEAD"); !starter.empty()) return starter;
  const ProgramResult log = run_program({"git", "-C", folder, "log", "--format=%H", "--", file});
  if (log.status != 0 && !is_course_pristine) {
    throw Failed(
        fmt::format("the starter comes from the repository's history, and git cannot read it ({}). Clone the "
                    "course again, or copy {} from another clone.",
                    log.status == 127 ? "git is not installed" : log.output.substr(0, log.output.find('\n')),
                    exercise.starter.string()));
  }
  std::istringstream commits(log.status == 0 ? log.output : "");
  for (std::string commit; std::getline(commits, commit);)
    if (std::string starter = version_of(commit); !starter.empty()) return starter;
  if (is_course_pristine) return storage::read_file(exercise.folder / file);
  throw Failed(fmt::format(
      "no committed version of {} is a starter (has a line \"{}\"). In a shallow clone, git fetch "
      "--unshallow brings the history.",
      exercise.starter.string(), exercise.problem.predictions.empty() ? kStarterMarker : kOpenPrediction));
}

}  // namespace lockstep::cli
