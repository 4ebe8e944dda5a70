// `lockstep autograder`: an archive for Gradescope, which builds an image of it once and then has it grade
// each submission. Source: https://gradescope-autograders.readthedocs.io/en/latest/specs/
//
// What runs there is in classroom/gradescope/. Beside it the archive has the package, or where that is to be
// fetched from, the names of the exercises, and an empty store of gradings, whose secret gives the seeds: the
// same file gets the same inputs each time, and no student knows them.
#include <fmt/format.h>

#include <filesystem>
#include <iostream>
#include <memory>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "classroom/store.h"
#include "cli/command.h"
#include "cli/program.h"
#include "cli/selection.h"
#include "course/catalogue.h"
#include "device/installation.h"
#include "report/printable.h"
#include "sandbox/temporary_folder.h"
#include "storage/files.h"

namespace lockstep::cli {
namespace {

namespace fs = std::filesystem;

struct AutograderArguments {
  std::vector<std::string> exercises;
  std::string package;
  fs::path output = "autograder.zip";
};

bool is_address(const std::string& package) { return package.find("://") != std::string::npos; }

/// Throws WrongUse where no package of Lockstep can be had from there.
void check_package(const std::string& package) {
  const std::string remedy =
      "--package is what `cmake --preset package && cmake --build --preset package` makes, a file "
      "build/package/lockstep-*.tar.gz, or its address";
  if (is_address(package)) {
    constexpr std::string_view kForbidden = " \t\r\n\"'\\";
    if (!package.starts_with("https://") || package.find_first_of(kForbidden) != std::string::npos)
      throw WrongUse(remedy + " that begins with https://: \"" + report::printable(package) + "\" is none.");
    return;
  }
  const ProgramResult listed = run_program({"tar", "--list", "--gzip", "--wildcards", "--occurrence=1",
                                            "--file", fs::absolute(package), "*/bin/lockstep"});
  if (listed.status != 0) throw WrongUse(remedy + ": \"" + report::printable(package) + "\" is none.");
}

void add_copy(const fs::path& from, const fs::path& to) {
  std::error_code error;
  if (!fs::copy_file(from, to, error))
    throw Failed(fmt::format("cannot copy {} to {}: {}", from.string(), to.string(), error.message()));
}

/// Those of the tree: a package has no others. Throws WrongUse where one that is named is of a private
/// course.
std::vector<const course::Exercise*> packaged_exercises(const std::vector<std::string>& names) {
  std::vector<const course::Exercise*> exercises = select_exercises(names);
  std::erase_if(exercises, [&names](const course::Exercise* exercise) {
    const bool is_private = exercise->root != course::course_root();
    if (is_private && !names.empty())
      throw WrongUse(exercise->problem.name +
                     " is of a private course, which no package has: grade it by `./lockstep class`");
    return is_private;
  });
  return exercises;
}

int autograder(const AutograderArguments& arguments) {
  const std::vector<const course::Exercise*> exercises = packaged_exercises(arguments.exercises);
  check_package(arguments.package);
  if (std::error_code missing; fs::exists(arguments.output, missing))
    throw WrongUse(fmt::format(
        "{} is there, and may hold the secret of an assignment: name another by --output, or remove it",
        report::printable(arguments.output.string())));
  const sandbox::TemporaryFolder folder(fs::temp_directory_path(), "lockstep-autograder-");
  for (const char* script : {"setup.sh", "run_autograder"})
    add_copy(course::course_root() / "classroom/gradescope" / script, folder.path() / script);
  std::string names;
  for (const course::Exercise* exercise : exercises) names += exercise->problem.name + '\n';
  storage::write_file(folder.path() / "exercises", names);
  if (is_address(arguments.package)) {
    storage::write_file(folder.path() / "package-address", arguments.package + '\n');
  } else {
    add_copy(arguments.package, folder.path() / "lockstep.tar.gz");
  }
  try {
    const classroom::Store store(folder.path() / "class.sqlite");
  } catch (const classroom::StoreError& error) {
    throw Failed(error.what());
  }
  // It holds the secret, and is there whole or not at all.
  const fs::path made = arguments.output.string() + ".new";
  storage::write_file(made, "");
  fs::permissions(made, fs::perms::owner_read | fs::perms::owner_write);
  const ProgramResult packed =
      run_program({device::installed_program("lockstep-packer"), folder.path(), fs::absolute(made)});
  if (packed.status != 0) {
    fs::remove(made);
    throw Failed(packed.output);
  }
  fs::rename(made, arguments.output);
  std::cout << fmt::format(
      "{}: upload it to Gradescope as the autograder of a programming assignment. Students get neither this "
      "file nor its class.sqlite, which holds the secret of their inputs.\n",
      report::printable(arguments.output.string()));
  return kPassed;
}

}  // namespace

void add_autograder(CLI::App& app, int& status) {
  const auto arguments = std::make_shared<AutograderArguments>();
  CLI::App* command =
      app.add_subcommand("autograder", "Makes an archive by which Gradescope grades some exercises");
  command
      ->add_option("--exercises", arguments->exercises,
                   "What it grades, such as transpose scan; all of them when not given")
      ->type_name("NAME");
  command
      ->add_option(
          "--package", arguments->package,
          "The package that it brings, a file, or the address (https) that Gradescope fetches it from")
      ->required()
      ->type_name("FILE");
  command->add_option("--output", arguments->output, "The archive; autograder.zip when not given")
      ->type_name("FILE");
  command->footer(
      "\nExample:  ./lockstep autograder --exercises transpose scan \\\n"
      "              --package build/package/lockstep-*.tar.gz --output autograder.zip\n"
      "docs/instructors.md says what Gradescope needs for it.");
  command->callback([arguments, &status] { status = autograder(*arguments); });
}

}  // namespace lockstep::cli
