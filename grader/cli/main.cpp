// The program `lockstep`: reads the command line, runs one command, and turns every error into one sentence
// and an exit status.
#include <CLI/CLI.hpp>
#include <exception>
#include <iostream>

#include "cli/command.h"
#include "device/device.h"

namespace {

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
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? kPassed : kWrongUse;  // help and version arrive here too
  }
  return status;
}

}  // namespace

int main(int argc, char** argv) {
  using namespace lockstep;
  try {
    return run(argc, argv);
  } catch (const cli::WrongUse& error) {
    std::cerr << "lockstep: " << error.what() << '\n';
    return cli::kWrongUse;
  } catch (const cli::Failed& error) {
    std::cerr << "lockstep: " << error.what() << '\n';
  } catch (const device::DeviceUnavailable& error) {
    std::cerr << "lockstep: " << error.what() << '\n';
  } catch (const std::exception& error) {
    std::cerr << "lockstep: the grader failed, which is not your code's fault: " << error.what() << '\n';
  }
  return cli::kFailed;
}
