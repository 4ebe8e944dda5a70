// `lockstep class`: grades what everybody of a class handed in, several at a time. It may be ended at any
// moment, and goes on with what is left when it is started again.
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <filesystem>
#include <iostream>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "build/toolkit.h"
#include "classroom/digests.h"
#include "classroom/outputs.h"
#include "classroom/roster.h"
#include "classroom/store.h"
#include "classroom/submissions.h"
#include "classroom/workers.h"
#include "cli/choice.h"
#include "cli/command.h"
#include "cli/numbers.h"
#include "cli/selection.h"
#include "cli/terminal.h"
#include "emulator/core/processors.h"
#include "report/printable.h"
#include "sandbox/file_descriptor.h"
#include "sandbox/sandbox.h"
#include "storage/date.h"
#include "storage/files.h"

namespace lockstep::cli {
namespace {

namespace fs = std::filesystem;
using classroom::ClassTable;
using classroom::GradingKey;
using classroom::Standing;
using classroom::Store;
using classroom::StudentRow;

/// What --regrade holds where it names no exercise.
constexpr const char* kRegradeAll = "true";

struct ClassArguments {
  fs::path submissions, results;
  std::optional<fs::path> roster;
  std::vector<std::string> exercises;
  std::optional<std::string> regrade;
  std::string device = "auto";
  unsigned workers = emulator::usable_processors();
};

void check_class(const ClassArguments& arguments) {
  std::error_code error;
  if (!fs::is_directory(arguments.submissions, error))
    throw WrongUse("SUBMISSIONS is a folder with an entry for each student: \"" +
                   report::printable(arguments.submissions.string()) + "\" is none.");
  if (fs::exists(arguments.results, error) && !fs::is_directory(arguments.results, error))
    throw WrongUse("--results is a folder: \"" + report::printable(arguments.results.string()) +
                   "\" is none.");
  if (is_below(fs::weakly_canonical(arguments.results, error), arguments.submissions))
    throw WrongUse(
        "--results lies in the folder of submissions, where it would be a student's: name another.");
}

/// Makes the folder, for its user alone, and keeps every other run out of it.
sandbox::FileDescriptor lock_results(const fs::path& folder) {
  std::error_code error;
  if (fs::create_directories(folder, error)) fs::permissions(folder, fs::perms::owner_all, error);
  const fs::path file = folder / "class.lock";
  sandbox::FileDescriptor lock(open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600));
  if (!lock) throw Failed("cannot write " + file.string() + ": the results need a folder of yours.");
  if (flock(lock.get(), LOCK_EX | LOCK_NB) != 0)
    throw Failed("another ./lockstep class is at work in " + folder.string() + ": wait until it is done.");
  return lock;
}

std::vector<classroom::Student> roster_of(const ClassArguments& arguments) {
  if (!arguments.roster) return {};
  try {
    return classroom::read_roster(storage::read_file(*arguments.roster));
  } catch (const classroom::RosterError& error) {
    throw WrongUse(report::printable(arguments.roster->string()) + ": " + error.what() + ".");
  }
}

/// Rows of the roster's students in its order, then of those who are not in it.
class Rows {
 public:
  explicit Rows(const std::vector<classroom::Student>& roster) {
    for (const classroom::Student& student : roster)
      rows_.push_back({.id = student.id, .name = student.name, .has_entry = false});
  }
  StudentRow& of(const std::string& id) {
    const auto is_it = [&id](const StudentRow& row) { return row.id == id; };
    const auto found = std::find_if(rows_.begin(), rows_.end(), is_it);
    StudentRow& row =
        found != rows_.end() ? *found : rows_.emplace_back(StudentRow{.id = id, .is_in_roster = false});
    row.has_entry = true;
    return row;
  }
  std::vector<StudentRow> take() && { return std::move(rows_); }

 private:
  std::vector<StudentRow> rows_;
};

/// Reads every entry, keeps its files, and says what is to be done with each exercise of each student.
ClassTable read_class(const ClassArguments& arguments, const std::vector<const course::Exercise*>& exercises,
                      Store& store) {
  ClassTable table;
  table.has_roster = arguments.roster.has_value();
  for (const course::Exercise* exercise : exercises) table.exercises.push_back(exercise->problem.name);
  Rows rows(roster_of(arguments));
  const classroom::FileNames names = classroom::file_names(exercises);
  classroom::Found found = classroom::find_entries(arguments.submissions);
  table.problems = std::move(found.problems);
  std::set<std::string> unknown;
  ProgressLine line;
  for (const classroom::EntryPath& path : found.entries) {
    line.show("reading what " + path.student + " handed in");
    const classroom::Entry entry = classroom::read_entry(path, names);
    StudentRow& row = rows.of(entry.student);
    row.problems = entry.problems;
    unknown.insert(entry.unknown.begin(), entry.unknown.end());
    for (const std::string& exercise : table.exercises) {
      Standing& standing = row.standings[exercise];
      if (const auto file = entry.files.find(exercise); file != entry.files.end()) {
        standing.key = {.student = entry.student,
                        .exercise = exercise,
                        .sha256 = classroom::sha256_of(file->second),
                        .secret = classroom::grading_secret(store.secret(), entry.student, exercise),
                        .lockstep = LOCKSTEP_VERSION};
        store.keep_file(standing.key.sha256, file->second);
        standing.kind = Standing::Kind::due;
      } else if (const auto refused = entry.refused.find(exercise); refused != entry.refused.end()) {
        standing.kind = Standing::Kind::refused;
        standing.why = refused->second;
      } else if (!entry.problems.empty()) {
        standing.kind = Standing::Kind::refused;
        standing.why = entry.problems.front();
      }
    }
  }
  if (!unknown.empty())
    table.problems.push_back(fmt::format("files that no exercise has, as {}: {} in all",
                                         report::cut(*unknown.begin(), 60), unknown.size()));
  table.rows = std::move(rows).take();
  return table;
}

/// How far the gradings are: one line on a terminal, and elsewhere one in a minute.
class ClassProgress {
 public:
  explicit ClassProgress(std::size_t all) : all_(all) {}

  void show(std::size_t done, std::size_t workers) {
    constexpr std::chrono::minutes kPause{1};
    const auto now = std::chrono::steady_clock::now();
    const std::string text =
        fmt::format("{} of {} graded, {} at work{}", done, all_, workers,
                    time_left(done, std::chrono::duration<double>(now - start_).count()));
    line_.show(text);
    if (isatty(STDERR_FILENO) == 1 || now - told_ < kPause) return;
    std::cerr << "lockstep: " << text << '\n';
    told_ = now;
  }

 private:
  std::string time_left(std::size_t done, double seconds) const {
    if (done == 0) return "";
    const double left = seconds / static_cast<double>(done) * static_cast<double>(all_ - done);
    if (left < 90) return fmt::format(", {:.0f} s left", left);
    return left < 5400 ? fmt::format(", {:.0f} min left", left / 60)
                       : fmt::format(", {:.1f} h left", left / 3600);
  }

  using Time = std::chrono::steady_clock::time_point;
  std::size_t all_;
  Time start_ = std::chrono::steady_clock::now(), told_ = start_;
  ProgressLine line_;
};

/// Grades what is due. Returns false where a signal has ended it.
bool grade_class(const ClassArguments& arguments, const ClassTable& table, Store& store) {
  std::vector<const GradingKey*> due;
  for (const StudentRow& row : table.rows)
    for (const std::string& exercise : table.exercises) {
      const auto standing = row.standings.find(exercise);
      if (standing == row.standings.end() || standing->second.kind != Standing::Kind::due) continue;
      if (store.is_due(standing->second.key)) due.push_back(&standing->second.key);
    }
  if (due.empty()) return true;
  const std::string toolkit = build::find_toolkit().version;
  ClassProgress progress(due.size());
  std::size_t finished = 0;
  const classroom::WorkerOptions options = {.program = fs::read_symlink("/proc/self/exe"),
                                            .folder = fs::absolute(arguments.results) / "work",
                                            .arguments = {"--device", arguments.device},
                                            .workers = arguments.workers};
  return classroom::run_jobs(
      due.size(), options,
      [&](std::size_t number) {
        const GradingKey& key = *due[number];
        const course::Exercise& exercise = *course::find_exercise(key.exercise);
        return classroom::Job{.exercise = key.exercise,
                              .file_name = exercise.starter.filename().string(),
                              .secret = key.secret,
                              .text = store.file(key.sha256)};
      },
      [&](std::size_t number, const classroom::Outcome& outcome) {
        store.add({.key = *due[number],
                   .toolkit = toolkit,
                   .device = outcome.device,
                   .time = storage::now_in_utc(),
                   .verdict = outcome.verdict,
                   .points = outcome.points,
                   .max_points = outcome.max_points,
                   .report = outcome.report,
                   .text = outcome.text,
                   .complaint = outcome.complaint});
        ++finished;
      },
      [&](std::size_t running) { progress.show(finished, running); });
}

/// Puts the newest gradings into the table. Returns whether one of them is a `grader-error`.
bool take_results(ClassTable& table, const Store& store) {
  bool has_failed = false;
  for (StudentRow& row : table.rows)
    for (auto& [exercise, standing] : row.standings) {
      if (standing.kind != Standing::Kind::due || store.is_marked(standing.key)) continue;
      const auto grading = store.newest(standing.key);
      if (!grading) continue;
      standing.kind = Standing::Kind::graded;
      standing.verdict = grading->verdict;
      standing.complaint = grading->complaint;
      standing.is_judged = grading->verdict != result::Verdict::grader_error;
      if (standing.is_judged) standing.points = grading->points;
      has_failed = has_failed || !standing.is_judged;
    }
  return has_failed;
}

/// Exercises that --regrade means.
std::vector<std::string> regraded(const ClassArguments& arguments, const ClassTable& table) {
  if (!arguments.regrade) return {};
  if (*arguments.regrade == kRegradeAll) return table.exercises;
  const std::string name = select_exercise(*arguments.regrade).problem.name;
  if (std::find(table.exercises.begin(), table.exercises.end(), name) == table.exercises.end())
    throw WrongUse("--regrade=" + name + ": this exercise is not among --exercises.");
  return {name};
}

int run_class(const ClassArguments& arguments) {
  check_class(arguments);
  const std::vector<const course::Exercise*> exercises = select_exercises(arguments.exercises);
  const sandbox::FileDescriptor lock = lock_results(arguments.results);
  if (!sandbox::isolation().namespaces)
    std::cerr << "lockstep: submissions are not isolated on this machine: grade no stranger's code here ("
              << sandbox::isolation().reason << "); ./lockstep doctor says how to fix it\n";
  try {
    Store store(arguments.results / "class.sqlite");
    ClassTable table = read_class(arguments, exercises, store);
    store.mark_for_regrading(regraded(arguments, table));
    const bool is_whole = grade_class(arguments, table, store);
    const bool has_failed = take_results(table, store);
    classroom::write_outputs(table, store, arguments.results);
    std::cout << classroom::table_text(table, output_style().width);
    if (const std::string remarks = classroom::remarks_text(table); !remarks.empty())
      std::cout << "\nTo be looked at\n" << remarks;
    std::cout << fmt::format("\nIn {}: points.csv, gradings.json, reports/\n",
                             report::printable(arguments.results.string()));
    if (!is_whole)
      throw Failed("a signal has ended it: what was graded is kept, and the same command goes on.");
    return has_failed ? kFailed : kPassed;
  } catch (const classroom::StoreError& error) {
    throw Failed(error.what());
  }
}

}  // namespace

void add_class(CLI::App& app, int& status) {
  const auto arguments = std::make_shared<ClassArguments>();
  CLI::App* command =
      app.add_subcommand("class", "Grades everybody's work; ended at any time, the same command goes on");
  command
      ->add_option("submissions", arguments->submissions,
                   "Folder with an entry for each student: a folder, or a zip or tar archive, called by the "
                   "student's id")
      ->required()
      ->type_name("SUBMISSIONS");
  command
      ->add_option("--results", arguments->results,
                   "Folder of your own for what comes out, and for all gradings (class.sqlite)")
      ->required()
      ->type_name("FOLDER");
  command
      ->add_option("--roster", arguments->roster,
                   "Table with the columns id and name (CSV), which joins names")
      ->type_name("FILE");
  command
      ->add_option("--exercises", arguments->exercises, "Some exercises in place of all; topics or numbers")
      ->type_name("NAME");
  command->add_option("--workers", arguments->workers, "How many are graded at a time; as many as processors")
      ->check(whole_number())
      ->check(CLI::Range(1U, 1024U))
      ->type_name("N");
  command->add_option("--device", arguments->device, "auto (the GPU if there is one), gpu, or emulated")
      ->check(word_of({"auto", "gpu", "emulated"}))
      ->type_name("KIND");
  command->add_flag("--regrade", arguments->regrade,
                    "Grade once more what is graded; --regrade=EXERCISE, of one exercise alone");
  command->footer(
      "\nExit status: 0 everything is graded, whatever came out, 2 wrong use, 3 some grading failed or it "
      "was ended.\n"
      "Example:  ./lockstep class handed-in --results results --roster roster.csv --exercises transpose "
      "scan");
  command->callback([arguments, &status] { status = run_class(*arguments); });
}

}  // namespace lockstep::cli
