// `lockstep test`: listed here, run by the launcher, which alone can build the tests.
#include "cli/command.h"

namespace lockstep::cli {

void add_test(CLI::App& app, int&) {
  CLI::App* command = app.add_subcommand(
      "test", "[ARGUMENT...]: the project's own tests, by ctest; in a package those that need a GPU");
  command->prefix_command();
  command->footer("\nExample:  ./lockstep test -R red_team");
  command->callback(
      [] { throw WrongUse("the tests are run by ./lockstep, the launcher, and not by this program"); });
}

}  // namespace lockstep::cli
