// `lockstep list`: the exercises, what the student has reached, and what comes next.
#include <fmt/format.h>

#include <algorithm>
#include <iostream>

#include "cli/command.h"
#include "cli/progress.h"
#include "cli/terminal.h"
#include "course/catalogue.h"

namespace lockstep::cli {
namespace {

int list() {
  using report::Colour;
  const report::TextStyle style = output_style();
  Progress progress = Progress::load();
  const course::Exercise* next = nullptr;
  std::size_t width = 8;
  for (const course::Exercise& exercise : course::catalogue())
    width = std::max(width, exercise.problem.name.size());
  std::cout << paint(
      style, Colour::faint,
      fmt::format("    {:<{}}  {:>9}  {:<14}  {}\n", "exercise", width, "points", "best so far", "task"));
  for (const course::Exercise& exercise : course::catalogue()) {
    const ExerciseProgress& reached = progress.of(exercise.problem.name);
    const bool passed = reached.best == result::Verdict::passed;
    if (!passed && next == nullptr) next = &exercise;
    const std::string best = fmt::format("{:<14}", reached.best ? name_of(*reached.best) : "not graded");
    std::cout << fmt::format("{} {}  {:<{}}  {:>4.1f}/{:>4.1f}  {}  {}\n", next == &exercise ? ">" : " ",
                             exercise.folder_name.substr(0, 2), exercise.problem.name, width, reached.points,
                             exercise.problem.points,
                             reached.best ? paint(style, report::colour_of(*reached.best), best) : best,
                             exercise.problem.title);
  }
  if (next == nullptr) {
    std::cout << "\nEverything passed. ./lockstep profile EXERCISE shows where the time goes.\n";
    return kPassed;
  }
  std::cout << fmt::format("\nNext: {}.\n  read   {}\n  edit   {}\n  check  ./lockstep grade {}\n",
                           next->problem.title, course::path_to_type(next->lecture),
                           course::path_to_type(next->starter), next->problem.name);
  return kPassed;
}

}  // namespace

void add_list(CLI::App& app, int& status) {
  CLI::App* command = app.add_subcommand("list", "The exercises, your progress, and what comes next");
  command->footer("\nExample:  ./lockstep list");
  command->callback([&status] { status = list(); });
}

}  // namespace lockstep::cli
