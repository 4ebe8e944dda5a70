// Grades several submissions on a cluster, as job arrays of Slurm: the second way besides workers.h.
//
// Theory of operation. All passes through one folder, which the nodes see, too. Of each array it has a list
// of what each task grades (its share); a task runs `lockstep class-task` on a node, which grades its share
// with run_jobs and leaves a file for each outcome, renamed into place, called by the grading's id. Whoever
// runs the arrays takes the files as they come, asks squeue about the tasks, and hands what a task has lost
// to another, alone, as often as kMaxLosses says. Before an array is submitted its name is written down: a
// later run finds by it what a run that was killed has left, ends that, and takes the outcomes that are
// there.
#pragma once

#include <chrono>
#include <cstddef>
#include <filesystem>
#include <functional>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "classroom/store.h"
#include "classroom/workers.h"

namespace lockstep::classroom {

/// How a command of Slurm ended, as a shell has it, and what it printed, standard error too.
struct CommandEnd {
  int status = 0;
  std::string output;
};

/// Runs a program of PATH and waits for it.
using RunCommand = std::function<CommandEnd(const std::vector<std::string>&)>;

/// Slurm is not there, or does not do what it was asked; what() has its words.
class SlurmError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// So often tasks may be lost with a grading before it ends in `grader-error`.
inline constexpr unsigned kMaxLosses = 3;

struct SlurmOptions {
  std::filesystem::path program;             ///< lockstep itself, at the same path on the nodes
  std::filesystem::path folder;              ///< absolute; end_left_arrays has seen it
  std::vector<std::string> arguments;        ///< further ones of `grade`
  std::vector<std::string> sbatch;           ///< further ones of sbatch, over the defaults
  std::optional<unsigned> tasks;             ///< at a time; as many as Slurm lets run where not given
  std::optional<unsigned> gradings_of_task;  ///< share_of where not given
  /// Slurm's controller serves the whole cluster: it is not asked more often.
  std::chrono::milliseconds between_questions{3000};
};

/// How many gradings a task has where there are so many: one up to a hundred, eight at most.
unsigned share_of(std::size_t gradings);

/// The name of the grading's outcome: 64 hexadecimal digits.
std::string grading_id(const GradingKey& key);

/// Runs jobs, each with an id, as run_jobs does, but on the cluster. `wait` learns how many tasks run, and
/// what else there is to say of the cluster, such as how many wait. SIGINT, SIGTERM and SIGHUP cancel the
/// arrays, and so does an exception. Throws SlurmError where no array can be submitted, and
/// storage::FileError.
bool run_on_slurm(std::size_t jobs, const SlurmOptions& options, const RunCommand& run,
                  const std::function<Job(std::size_t)>& job,
                  const std::function<void(std::size_t, const Outcome&)>& done,
                  const std::function<void(std::size_t, const std::string&)>& wait);

/// Cancels the arrays that a run has left in the folder, and waits until no task of them runs: what is in the
/// folder then is all that there will be. Throws SlurmError where that cannot be done.
void end_left_arrays(const std::filesystem::path& folder, const RunCommand& run);

/// Takes an outcome out of the folder; nothing where there is none that is whole. `keep` is called before the
/// file is removed, so that an outcome is never lost.
void take_left_outcome(const std::filesystem::path& folder, const std::string& id,
                       const std::function<void(const Outcome&)>& keep);

/// Removes everything in the folder but outcomes, and the folder itself where there are none.
void clear_left(const std::filesystem::path& folder);

/// On a node: grades a task's share of the array whose list that is. Returns false where a signal has ended
/// it. `toolkit` is nvcc's version here. Throws SlurmError where the list has no such task, and
/// storage::FileError.
bool grade_share(const std::filesystem::path& list, std::size_t task, const std::filesystem::path& program,
                 const std::string& toolkit);

}  // namespace lockstep::classroom
