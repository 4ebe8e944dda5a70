// `lockstep reset`: puts an exercise's starter back. The student's file is kept as a backup, so nothing is
// lost.
//
// The starter is the newest committed version of the file that still has its marker: the repository's history
// knows it, also after the student has committed a solution. That of predictions has each of them open.
#include <fmt/format.h>

#include <algorithm>
#include <ctime>
#include <iostream>
#include <memory>
#include <sstream>

#include "cli/command.h"
#include "cli/program.h"
#include "cli/selection.h"
#include "course/catalogue.h"
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

std::string starter_of(const course::Exercise& exercise) {
  const std::string folder = exercise.folder.string(), file = exercise.starter.filename().string();
  const ProgramResult log = run_program({"git", "-C", folder, "log", "--format=%H", "--", file});
  if (log.status != 0) {
    throw Failed(
        fmt::format("the starter comes from the repository's history, and git cannot read it ({}). Clone the "
                    "course again, or copy {} from another clone.",
                    log.status == 127 ? "git is not installed" : log.output.substr(0, log.output.find('\n')),
                    exercise.starter.string()));
  }
  std::istringstream commits(log.output);
  for (std::string commit; std::getline(commits, commit);) {
    const ProgramResult version =
        run_program({"git", "-C", folder, "show", commit + ":./" + file}, ErrorOutput::dropped);
    if (version.status == 0 && is_starter(exercise.problem, version.output)) return version.output;
  }
  throw Failed(fmt::format(
      "no committed version of {} is a starter (has a line \"{}\"). In a shallow clone, git fetch "
      "--unshallow brings the history.",
      exercise.starter.string(), exercise.problem.predictions.empty() ? kStarterMarker : kOpenPrediction));
}

std::filesystem::path backup_path(const std::string& topic, const std::string& extension) {
  const std::time_t now = std::time(nullptr);
  std::tm local{};
  localtime_r(&now, &local);
  char date[32];
  std::strftime(date, sizeof date, "%Y-%m-%d-%H%M%S", &local);
  const std::filesystem::path folder = course::state_folder() / "backup";
  std::filesystem::path path = folder / fmt::format("{}-{}{}", topic, date, extension);
  for (int again = 2; std::filesystem::exists(path); ++again)
    path = folder / fmt::format("{}-{}-{}{}", topic, date, again, extension);
  return path;
}

int reset(const std::string& name) {
  const course::Exercise& exercise = select_exercise(name);
  const std::string starter = starter_of(exercise);
  if (const auto there = std::filesystem::status(exercise.starter); std::filesystem::exists(there)) {
    const bool is_file = std::filesystem::is_regular_file(there);
    const std::filesystem::path backup =
        backup_path(exercise.problem.name, is_file ? exercise.starter.extension() : "");
    if (is_file) {
      const std::string contents = storage::read_file(exercise.starter);
      if (contents == starter) {
        std::cout << exercise.starter.string() << " is the starter already.\n";
        return kPassed;
      }
      storage::write_file(backup, contents);
    } else {  // a folder or a pipe, which nobody should read
      std::filesystem::create_directories(backup.parent_path());
      std::error_code error;
      std::filesystem::rename(exercise.starter, backup, error);
      if (error) {
        throw Failed(fmt::format("{} is no file, and cannot be moved to {} ({}): move it away yourself",
                                 exercise.starter.string(), backup.string(), error.message()));
      }
    }
    std::cout << "What you had is kept as " << backup.string() << ".\n";
  }
  storage::write_file(exercise.starter, starter);
  std::cout << exercise.starter.string() << " is the starter again.\n";
  return kPassed;
}

}  // namespace

void add_reset(CLI::App& app, int& status) {
  const auto exercise = std::make_shared<std::string>();
  CLI::App* command =
      app.add_subcommand("reset", "Puts an exercise's starter back, and keeps your file as a backup");
  command->add_option("exercise", *exercise, "Topic, number or folder, such as transpose")->required();
  command->footer("\nExample:  ./lockstep reset transpose");
  command->callback([exercise, &status] { status = reset(*exercise); });
}

}  // namespace lockstep::cli
