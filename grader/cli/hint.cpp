// `lockstep hint`: one more hint each time, so that nobody reads more than is needed.
#include <fmt/format.h>

#include <algorithm>
#include <iostream>
#include <memory>
#include <optional>

#include "cli/command.h"
#include "cli/numbers.h"
#include "cli/progress.h"
#include "cli/selection.h"
#include "cli/terminal.h"
#include "storage/files.h"

namespace lockstep::cli {
namespace {

struct HintArguments {
  std::string exercise;
  bool all = false;
  std::optional<std::size_t> number;  ///< one that is wanted again
};

std::string show(const std::vector<std::string>& hints, std::size_t i) {
  return fmt::format("Hint {} of {}\n{}", i + 1, hints.size(), report::prose(output_style(), hints[i], 2));
}

int hint(const HintArguments& arguments) {
  const course::Exercise& exercise = select_exercise(arguments.exercise);
  const std::vector<std::string>& hints = exercise.problem.hints;
  if (arguments.number && *arguments.number - 1 >= hints.size()) {
    throw WrongUse(fmt::format("{} has {}, from 1 on: there is no hint {}.", exercise.problem.name,
                               text::counted(hints.size(), "hint"), *arguments.number));
  }
  std::string text;
  const auto next = [&](Progress& progress) {
    std::size_t& given = progress.of(exercise.problem.name).hints;
    if (arguments.all) {
      for (std::size_t i = 0; i < hints.size(); ++i) {
        if (i > 0) text += '\n';
        text += show(hints, i);
      }
      given = hints.size();
      return;
    }
    if (arguments.number) {
      text += show(hints, *arguments.number - 1);
      given = std::max(given, *arguments.number);
      return;
    }
    if (given >= hints.size()) {
      text += "You have seen every hint; here they come again from the first.\n\n";
      given = 0;
    }
    text += show(hints, given++);
    if (given < hints.size())
      text += fmt::format("\nOne further:  ./lockstep hint {}\n", exercise.problem.name);
  };
  try {
    Progress::update(next);
  } catch (const storage::FileError&) {  // a hint is one, though it will come again
    std::cout << text << std::flush;
    throw;
  }
  std::cout << text;
  return kPassed;
}

}  // namespace

void add_hint(CLI::App& app, int& status) {
  const auto arguments = std::make_shared<HintArguments>();
  CLI::App* command = app.add_subcommand("hint", "One more hint for an exercise each time you ask");
  command->add_option("exercise", arguments->exercise, "Topic, number or folder, such as transpose")
      ->required();
  CLI::Option* const all = command->add_flag("--all", arguments->all, "All hints at once");
  command->add_option("--number", arguments->number, "This one, as to read a former one again")
      ->check(whole_number())
      ->excludes(all)
      ->type_name("NUMBER");
  command->footer("\nExample:  ./lockstep hint transpose");
  command->callback([arguments, &status] { status = hint(*arguments); });
}

}  // namespace lockstep::cli
