// The program `lockstep`: reads the command line, runs one command, and turns every error into one sentence
// and an exit status.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <exception>
#include <functional>
#include <iostream>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "build/submission_compiler.h"
#include "cli/command.h"
#include "cli/private_course.h"
#include "cli/selection.h"
#include "device/device.h"
#include "report/printable.h"
#include "sandbox/sandbox.h"
#include "storage/files.h"

namespace {

/// Other courses' names of a command.
const std::map<std::string, std::string> kOtherWords = {
    {"check", "grade"}, {"judge", "grade"},   {"run", "grade"},   {"submit", "grade"}, {"verify", "grade"},
    {"next", "list"},   {"progress", "list"}, {"status", "list"}, {"trace", "profile"}};

/// Throws WrongUse where the first word is no command.
void check_command(const CLI::App& app, const std::vector<std::string>& words) {
  const std::string& given = words.front();
  if (given.starts_with('-')) return;
  std::vector<std::string> names;
  for (const CLI::App* command : app.get_subcommands({})) {
    if (command->get_name() == given) return;
    if (!command->get_group().empty()) names.push_back(command->get_name());
  }
  const auto other = kOtherWords.find(given);
  const std::string& meant = other == kOtherWords.end() ? given : other->second;
  const auto begins = [&meant](const std::string& name) { return name.starts_with(meant); };
  // "grad" is grade rather than autograder.
  if (std::ranges::any_of(names, begins)) std::erase_if(names, std::not_fn(begins));
  throw lockstep::cli::WrongUse("there is no command \"" + lockstep::report::printable(given) + "\"" +
                                lockstep::cli::suggestion(meant, names, "--help"));
}

/// Whether the command looks at exercises, so that a private course must be there.
bool needs_exercises(const std::string& command) {
  static const std::set<std::string> others = {"calibrate", "doctor", "emulate"};
  return !command.starts_with('-') && !others.contains(command);
}

/// What the user typed, where that is nothing or asks for help by a word, in the program's own words.
std::vector<std::string> words_of(int argc, char** argv) {
  std::vector<std::string> words(argv + std::min(argc, 1), argv + argc);
  lockstep::cli::choose_course(words);
  if (words.empty()) return {"list"};
  if (words.front() == "help") {
    words.erase(words.begin());
    words.emplace_back("--help");
  }
  return words;
}

int run(int argc, char** argv) {
  using namespace lockstep::cli;
  CLI::App app{"Lockstep: a course in CUDA C++ that grades itself.\n"};
  app.name("lockstep");
  app.require_subcommand(1);
  app.set_version_flag("--version", "lockstep " LOCKSTEP_VERSION);
  std::string course;  // choose_course has taken it before
  app.add_option(
         "--course", course,
         "Adds the exercises of a folder of the same layout; LOCKSTEP_COURSE does it for all commands")
      ->type_name("FOLDER");
  app.footer(
      "\nStart with:  ./lockstep list\n"
      "Exit status: 0 everything passed, 1 something did not pass, 2 wrong use, 3 the grader or the machine "
      "failed.");
  int status = kPassed;
  add_list(app, status);
  add_grade(app, status);
  add_watch(app, status);
  add_profile(app, status);
  add_hint(app, status);
  add_lectures(app, status);
  add_reset(app, status);
  add_bench(app, status);
  add_new(app, status);
  add_class(app, status);
  add_autograder(app, status);
  add_class_task(app, status);
  add_calibrate(app, status);
  add_doctor(app, status);
  add_emulate(app, status);
  add_study(app, status);
  add_completion(app, status);
  add_test(app, status);
  try {
    std::vector<std::string> words = words_of(argc, argv);
    check_command(app, words);
    if (needs_exercises(words.front())) lockstep::cli::add_chosen_course();
    if (words.front() != "doctor")  // which looks for itself
      lockstep::sandbox::remember_isolation(lockstep::build::cache_folder().parent_path() /
                                            "lockstep-namespaces");
    std::reverse(words.begin(), words.end());  // as CLI11 takes them
    app.parse(std::move(words));
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? kPassed : kWrongUse;  // help and version arrive here too
  }
  return status;
}

/// What is wrong may name a file that somebody else has named.
void complain(const std::exception& error, const char* introduction = "") {
  std::cerr << "lockstep: " << introduction << lockstep::report::printable(error.what()) << '\n';
}

}  // namespace

int main(int argc, char** argv) {
  using namespace lockstep;
  try {
    const int status = run(argc, argv);
    std::cout.flush();
    if (!std::cout) throw cli::Failed("standard output could not be written: what it holds is not all");
    return status;
  } catch (const cli::WrongUse& error) {
    complain(error);
    return cli::kWrongUse;
  } catch (const cli::Failed& error) {
    complain(error);
  } catch (const storage::FileError& error) {
    complain(error);
  } catch (const device::DeviceUnavailable& error) {
    complain(error);
  } catch (const std::exception& error) {
    complain(error, "the grader failed, which is not your code's fault: ");
  }
  return cli::kFailed;
}
