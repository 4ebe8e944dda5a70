// The commands of `lockstep`. Each adds itself to the command line; when it is the one that the user typed,
// its callback runs and leaves the exit status.
#pragma once

#include <CLI/App.hpp>
#include <stdexcept>

namespace lockstep::cli {

/// What a shell or a script learns from a run.
enum ExitStatus : int {
  kPassed = 0,
  kNotPassed = 1,  ///< graded, and something did not pass
  kWrongUse = 2,
  kFailed = 3,  ///< the grader or the machine failed
};

/// The user asked for something that does not exist or makes no sense; what() says what would.
class WrongUse : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// The machine or the grader cannot do what was asked; what() says how to fix it.
class Failed : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

void add_list(CLI::App& app, int& status);
void add_grade(CLI::App& app, int& status);
void add_new(CLI::App& app, int& status);
void add_profile(CLI::App& app, int& status);
void add_hint(CLI::App& app, int& status);
void add_lectures(CLI::App& app, int& status);
void add_reset(CLI::App& app, int& status);
void add_bench(CLI::App& app, int& status);
void add_class(CLI::App& app, int& status);
void add_autograder(CLI::App& app, int& status);
void add_class_task(CLI::App& app, int& status);
void add_calibrate(CLI::App& app, int& status);
void add_doctor(CLI::App& app, int& status);
void add_emulate(CLI::App& app, int& status);
void add_study(CLI::App& app, int& status);
void add_completion(CLI::App& app, int& status);
void add_test(CLI::App& app, int& status);
void add_watch(CLI::App& app, int& status);

}  // namespace lockstep::cli
