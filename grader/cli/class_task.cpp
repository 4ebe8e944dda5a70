// `lockstep class-task`: what a job of `lockstep class --executor slurm` runs on a cluster's node. Nobody
// types it, so that no help names it.
#include <cstddef>
#include <filesystem>
#include <memory>
#include <string>

#include "build/toolkit.h"
#include "classroom/slurm.h"
#include "cli/command.h"
#include "cli/numbers.h"

namespace lockstep::cli {

void add_class_task(CLI::App& app, int& status) {
  struct Arguments {
    std::filesystem::path list;
    std::size_t task = 0;
  };
  const auto arguments = std::make_shared<Arguments>();
  CLI::App* command = app.add_subcommand("class-task", "Grades a share of a class on a cluster's node");
  command->group("");
  command->add_option("list", arguments->list, "What the tasks of the job's array grade")->required();
  command->add_option("task", arguments->task, "Number of the task in it")->required()->check(whole_number());
  command->callback([arguments, &status] {
    try {
      const bool is_whole = classroom::grade_share(
          std::filesystem::absolute(arguments->list), arguments->task,
          std::filesystem::read_symlink("/proc/self/exe"), build::find_toolkit().version);
      status = is_whole ? kPassed : kFailed;
    } catch (const classroom::SlurmError& error) {
      throw Failed(error.what());
    }
  });
}

}  // namespace lockstep::cli
