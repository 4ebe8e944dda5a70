// `lockstep reset`: puts an exercise's starter back. The student's file is kept as a backup, so nothing is
// lost.
#include <fmt/format.h>

#include <ctime>
#include <iostream>
#include <memory>

#include "cli/command.h"
#include "cli/selection.h"
#include "cli/starter.h"
#include "course/catalogue.h"
#include "storage/files.h"

namespace lockstep::cli {
namespace {

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
  const std::string starter = starter_of(exercise, exercise.own_folder != exercise.folder);
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
