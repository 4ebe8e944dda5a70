// The program `lockstep`: reads the command line, runs one command, and turns every error into one sentence
// and an exit status.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <exception>
#include <iostream>
#include <string>
#include <vector>

#include "cli/command.h"
#include "cli/selection.h"
#include "device/device.h"
#include "report/printable.h"

namespace {

/// Throws WrongUse where the first word is no command.
void check_command(const CLI::App& app, int argc, char** argv) {
  if (argc < 2 || argv[1][0] == '-') return;
  std::vector<std::string> names;
  for (const CLI::App* command : app.get_subcommands({})) names.push_back(command->get_name());
  const std::string given = argv[1];
  if (std::find(names.begin(), names.end(), given) != names.end()) return;
  throw lockstep::cli::WrongUse("there is no command \"" + lockstep::report::printable(given) + "\"" +
                                lockstep::cli::suggestion(given, names, "--help"));
}

int run(int argc, char** argv) {
  using namespace lockstep::cli;
  CLI::App app{"Lockstep: a course in CUDA C++ that grades itself.\n"};
  app.name("lockstep");
  app.require_subcommand(1);
  app.set_version_flag("--version", "lockstep " LOCKSTEP_VERSION);
  app.footer(
      "\nStart with:  ./lockstep list\n"
      "Exit status: 0 everything passed, 1 something did not pass, 2 wrong use, 3 the grader or the machine "
      "failed.");
  int status = kPassed;
  add_list(app, status);
  add_grade(app, status);
  add_profile(app, status);
  add_hint(app, status);
  add_reset(app, status);
  add_bench(app, status);
  add_calibrate(app, status);
  add_doctor(app, status);
  add_emulate(app, status);
  add_test(app, status);
  try {
    check_command(app, argc, argv);
    app.parse(argc, argv);
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
  } catch (const device::DeviceUnavailable& error) {
    complain(error);
  } catch (const std::exception& error) {
    complain(error, "the grader failed, which is not your code's fault: ");
  }
  return cli::kFailed;
}
