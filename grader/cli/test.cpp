// `lockstep test`: listed here, run by the launcher, which alone can build the tests.
#include "cli/command.h"

namespace lockstep::cli {

void add_test(CLI::App& app, int&) {
  CLI::App* command = app.add_subcommand("test", "[CTEST ARGUMENT...]: the project's own tests");
  command->prefix_command();
  command->footer("\nExample:  ./lockstep test -R transpose");
  command->callback([] { throw WrongUse("the tests are run by the launcher: ./lockstep test"); });
}

}  // namespace lockstep::cli
