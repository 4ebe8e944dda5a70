// `lockstep class`: grades what everybody of a class handed in, several at a time. It may be ended at any
// moment, and goes on with what is left when it is started again.
#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <pwd.h>
#include <sys/file.h>
#include <unistd.h>
#include <wordexp.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <iostream>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "build/toolkit.h"
#include "classroom/course_systems.h"
#include "classroom/digests.h"
#include "classroom/outputs.h"
#include "classroom/people.h"
#include "classroom/policy.h"
#include "classroom/roster.h"
#include "classroom/rules.h"
#include "classroom/slurm.h"
#include "classroom/store.h"
#include "classroom/submissions.h"
#include "classroom/workers.h"
#include "cli/choice.h"
#include "cli/command.h"
#include "cli/numbers.h"
#include "cli/program.h"
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
  std::optional<fs::path> roster, policy;
  std::string from = "auto";
  std::vector<std::string> exercises;
  std::vector<std::string> accepted, overruled, withdrawn;  ///< STUDENT/EXERCISE, of overruled with =POINTS
  std::string reason, who;
  std::optional<std::string> regrade;
  std::string device = "auto";
  std::optional<unsigned> workers;
  std::string executor = "local";
  std::vector<std::string> slurm_options;  ///< as a shell splits them
  std::optional<unsigned> per_task;
  bool is_on_slurm() const { return executor == "slurm"; }
};

void check_class(const ClassArguments& arguments) {
  std::error_code error;
  if (!fs::exists(arguments.submissions, error))
    throw WrongUse("SUBMISSIONS is what the class handed in: there is no \"" +
                   report::printable(arguments.submissions.string()) + "\".");
  if (fs::exists(arguments.results, error) && !fs::is_directory(arguments.results, error))
    throw WrongUse("--results is a folder: \"" + report::printable(arguments.results.string()) +
                   "\" is none.");
  if (is_below(fs::weakly_canonical(arguments.results, error), arguments.submissions))
    throw WrongUse(
        "--results lies in the folder of submissions, where it would be a student's: name another.");
  const bool has_decisions =
      !arguments.accepted.empty() || !arguments.overruled.empty() || !arguments.withdrawn.empty();
  if (has_decisions && arguments.reason.find_first_not_of(" \t\n") == std::string::npos)
    throw WrongUse("A decision needs a --reason, which stays on record.");
  if (!has_decisions && !arguments.reason.empty())
    throw WrongUse("--reason belongs to --accept, --overrule or --withdraw.");
  if (!arguments.is_on_slurm() && (!arguments.slurm_options.empty() || arguments.per_task))
    throw WrongUse("--slurm-options and --per-task belong to --executor slurm.");
}

classroom::Policy policy_of(const ClassArguments& arguments) {
  if (!arguments.policy) return {};
  std::vector<std::string> names;
  for (const course::Exercise& exercise : course::catalogue()) names.push_back(exercise.problem.name);
  try {
    return classroom::read_policy(storage::read_file(*arguments.policy), names);
  } catch (const classroom::PolicyError& error) {
    throw WrongUse(report::printable(arguments.policy->string()) + ": " + error.what() + ".");
  }
}

/// Nothing where names decide.
std::optional<classroom::System> system_of(const ClassArguments& arguments) {
  using classroom::System;
  const std::map<std::string, System> systems = {{"entries", System::entries},
                                                 {"gradescope", System::gradescope},
                                                 {"moodle", System::moodle},
                                                 {"canvas", System::canvas},
                                                 {"git", System::git}};
  const auto found = systems.find(arguments.from);
  return found == systems.end() ? std::nullopt : std::optional(found->second);
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
  StudentRow& of(const classroom::Joined& joined) {
    const auto is_it = [&joined](const StudentRow& row) { return row.id == joined.id; };
    const auto found = std::find_if(rows_.begin(), rows_.end(), is_it);
    StudentRow& row =
        found != rows_.end()
            ? *found
            : rows_.emplace_back(StudentRow{.id = joined.id, .name = joined.name, .is_in_roster = false});
    row.has_entry = true;
    return row;
  }
  std::vector<StudentRow> take() && { return std::move(rows_); }

 private:
  std::vector<StudentRow> rows_;
};

/// Who has handed in which work.
struct Owner {
  classroom::Joined joined;
  std::size_t work = 0;
};

struct Owners {
  std::vector<Owner> known;                    ///< in the order of the works
  std::map<std::string, std::string> unclear;  ///< id of whom something may be, to why it is not graded
};

/// Finds whose the works are. Who may be several has none that counts, and neither has who handed in twice.
Owners owners_of(const classroom::ClassWork& work, const std::vector<classroom::Student>& roster,
                 ClassTable& table) {
  Owners owners;
  std::map<std::string, std::set<std::size_t>> works;  // by id
  const auto place_of = [&work](std::size_t number) {
    return report::cut(report::printable(work.works[number].place), 80);
  };
  for (std::size_t i = 0; i < work.works.size(); ++i)
    for (const classroom::Person& person : work.works[i].people) {
      classroom::Joined joined = classroom::join(person, roster);
      if (!joined.problem.empty()) {
        const std::string why = fmt::format("{} of {} {}", place_of(i), person.shown(), joined.problem);
        table.problems.push_back(why + ": it is not graded");
        for (const std::string& id : joined.candidates) owners.unclear[id] = why;
      } else if (works[joined.id].insert(i).second) {
        owners.known.push_back({std::move(joined), i});
      }
    }
  for (const auto& [id, numbers] : works) {
    if (numbers.size() == 1) continue;
    const std::string twice =
        fmt::format("handed in twice, {} and {}", place_of(*numbers.begin()), place_of(*numbers.rbegin()));
    table.problems.push_back(
        fmt::format("{} has {}: none of it is graded", report::cut(report::printable(id), 80), twice));
    owners.unclear[id] = twice;
  }
  std::erase_if(owners.known, [&works](const Owner& owner) { return works[owner.joined.id].size() > 1; });
  return owners;
}

/// What a grading depends on besides the file: Lockstep, and of a private course its files.
std::string version_for(const std::string& exercise) {
  const std::string& course = course::find_exercise(exercise)->course_version;
  return course.empty() ? LOCKSTEP_VERSION : LOCKSTEP_VERSION "+course." + course;
}

/// What a judge has left, unless it graded by another state of a private course than this process has read.
classroom::Outcome by_this_version(const classroom::Outcome& outcome, const std::string& exercise) {
  if (outcome.report.empty() || outcome.course_version == course::find_exercise(exercise)->course_version)
    return outcome;
  return {.complaint = "the private course was changed meanwhile: type the command again"};
}

/// Puts what a student handed in for an exercise into the table and the store.
void take_entry(const classroom::Entry& entry, const std::string& exercise, const std::string& student,
                Standing& standing, Store& store) {
  const auto key_of = [&](const std::string& sha256) {
    return GradingKey{.student = student,
                      .exercise = exercise,
                      .sha256 = sha256,
                      .secret = classroom::grading_secret(store.secret(), student, exercise),
                      .lockstep = version_for(exercise)};
  };
  const auto keep = [&](const std::string& text, const classroom::HandIn& hand_in) {
    std::string sha256 = classroom::sha256_of(text);
    store.keep_file(sha256, text);
    store.keep_attempt(student, exercise, {sha256, hand_in});
    return sha256;
  };
  if (const auto file = entry.files.find(exercise); file != entry.files.end()) {
    if (const auto earlier = entry.earlier.find(exercise); earlier != entry.earlier.end())
      for (const classroom::Attempt& attempt : earlier->second) keep(attempt.text, attempt.hand_in);
    standing.hand_in = entry.hand_ins.at(exercise);
    standing.key = key_of(keep(file->second, standing.hand_in));
    standing.kind = Standing::Kind::due;
    for (const classroom::KeptAttempt& kept : store.kept_attempts(student, exercise))
      if (kept.sha256 != standing.key.sha256) standing.earlier.push_back(key_of(kept.sha256));
  } else if (const auto refused = entry.refused.find(exercise); refused != entry.refused.end()) {
    standing.kind = Standing::Kind::refused;
    standing.why = refused->second;
  } else if (!entry.problems.empty()) {
    standing.kind = Standing::Kind::refused;
    standing.why = entry.problems.front();
  }
}

classroom::ClassWork work_of(const ClassArguments& arguments, const classroom::FileNames& names) {
  try {
    return classroom::find_work(arguments.submissions, system_of(arguments), names);
  } catch (const classroom::NotRecognised& error) {
    throw WrongUse(report::printable(arguments.submissions.string()) + ": " + error.what() + ".");
  }
}

/// Says what a download was taken for, and by what the roster knows its people.
void tell_joins(const ClassTable& table, classroom::System system) {
  if (system == classroom::System::entries) return;
  std::map<std::string, std::size_t> counts;
  for (const StudentRow& row : table.rows)
    if (!row.joined_by.empty()) ++counts[row.joined_by];
  std::vector<std::string> parts;
  for (const auto& [how, count] : counts) parts.push_back(fmt::format("{} by {}", count, how));
  std::cerr << fmt::format("lockstep: read as {}{}{}; --from says otherwise\n", classroom::words_of(system),
                           parts.empty() ? "" : ", joined with the roster: ", fmt::join(parts, ", "));
}

/// Reads every entry, keeps its files, and says what is to be done with each exercise of each student.
ClassTable read_class(const ClassArguments& arguments, const std::vector<const course::Exercise*>& exercises,
                      Store& store) {
  ClassTable table;
  table.has_roster = arguments.roster.has_value();
  for (const course::Exercise* exercise : exercises) {
    table.exercises.push_back(exercise->problem.name);
    table.facts[exercise->problem.name] = {.max_points = exercise->problem.points,
                                           .starter = exercise->starter};
  }
  const std::vector<classroom::Student> roster = roster_of(arguments);
  Rows rows(roster);
  const classroom::FileNames names = classroom::file_names(exercises);
  const classroom::ClassWork work = work_of(arguments, names);
  table.problems = work.problems;
  std::set<std::string> unknown;
  ProgressLine line;
  const auto [owners, unclear] = owners_of(work, roster, table);
  for (std::size_t i = 0; i < owners.size();) {
    const classroom::Work& one = work.works[owners[i].work];
    line.show("reading what " + one.place + " handed in");
    const classroom::Entry entry = one.read();
    unknown.insert(entry.unknown.begin(), entry.unknown.end());
    for (const std::size_t of_work = owners[i].work; i < owners.size() && owners[i].work == of_work; ++i) {
      StudentRow& row = rows.of(owners[i].joined);
      row.problems = entry.problems;
      row.place = one.place;
      row.joined_by = owners[i].joined.how;
      for (const std::string& exercise : table.exercises)
        take_entry(entry, exercise, row.id, row.standings[exercise], store);
    }
  }
  // Where something may be a student's, nobody knows that they have 0 points.
  for (const auto& [id, why] : unclear) {
    StudentRow& row = rows.of({.id = id});
    for (const std::string& exercise : table.exercises)
      if (Standing& standing = row.standings[exercise]; standing.kind == Standing::Kind::not_handed_in) {
        standing.kind = Standing::Kind::refused;
        standing.why = why;
      }
  }
  if (!unknown.empty())
    table.problems.push_back(fmt::format("files that no exercise has, as {}: {} in all",
                                         report::cut(*unknown.begin(), 60), unknown.size()));
  table.rows = std::move(rows).take();
  tell_joins(table, work.system);
  return table;
}

/// How far the gradings are: one line on a terminal, and elsewhere one in a minute.
class ClassProgress {
 public:
  explicit ClassProgress(std::size_t all) : all_(all) {}

  /// `note` begins with a comma, or is empty.
  void show(std::size_t done, std::size_t workers, const std::string& note = "") {
    constexpr std::chrono::minutes kPause{1};
    const auto now = std::chrono::steady_clock::now();
    const std::string text =
        fmt::format("{} of {} graded, {} at work{}{}", done, all_, workers, note,
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

/// A grading of what the table has, those of earlier attempts too.
void for_each_key(const ClassTable& table,
                  const std::function<void(const GradingKey&, bool is_newest)>& see) {
  for (const StudentRow& row : table.rows)
    for (const std::string& exercise : table.exercises) {
      const auto standing = row.standings.find(exercise);
      if (standing == row.standings.end() || standing->second.kind != Standing::Kind::due) continue;
      see(standing->second.key, true);
      for (const GradingKey& earlier : standing->second.earlier) see(earlier, false);
    }
}

void keep_outcome(const GradingKey& key, const classroom::Outcome& judged, const std::string& toolkit,
                  Store& store) {
  const classroom::Outcome outcome = by_this_version(judged, key.exercise);
  store.add({.key = key,
             .toolkit = toolkit,
             .device = outcome.device,
             .time = storage::now_in_utc(),
             .verdict = outcome.verdict,
             .points = outcome.points,
             .max_points = outcome.max_points,
             .report = outcome.report,
             .text = outcome.text,
             .complaint = outcome.complaint},
            outcome.page);
}

/// What passes between this machine and a cluster's nodes lies there.
fs::path slurm_folder(const ClassArguments& arguments) { return fs::absolute(arguments.results) / "slurm"; }

classroom::CommandEnd run_slurm_command(const std::vector<std::string>& words) {
  ProgramResult result = run_program(words);
  return {.status = result.status, .output = std::move(result.output)};
}

/// Ends what a run that was killed has left on a cluster, and keeps what its jobs have graded since. It comes
/// before any marks for regrading: what is not due without them has been kept already.
void take_up_left(const ClassArguments& arguments, const ClassTable& table, Store& store) {
  const fs::path folder = slurm_folder(arguments);
  if (!fs::exists(folder)) return;
  classroom::end_left_arrays(folder, run_slurm_command);
  std::size_t kept = 0;
  for_each_key(table, [&](const GradingKey& key, bool) {
    classroom::take_left_outcome(folder, classroom::grading_id(key), [&](const classroom::Outcome& outcome) {
      if (!store.is_due(key)) return;
      keep_outcome(key, outcome, outcome.toolkit, store);
      ++kept;
    });
  });
  classroom::clear_left(folder);
  if (kept > 0) std::cerr << fmt::format("lockstep: {} graded on the cluster since the last run\n", kept);
}

/// Grades what is due. Returns false where a signal has ended it.
bool grade_class(const ClassArguments& arguments, const ClassTable& table, const classroom::Policy& policy,
                 Store& store) {
  std::vector<const GradingKey*> due;
  for_each_key(table, [&](const GradingKey& key, bool is_newest) {
    if ((is_newest || policy.attempts == classroom::Policy::Attempts::best) && store.is_due(key))
      due.push_back(&key);
  });
  if (due.empty()) return true;
  ClassProgress progress(due.size());
  std::size_t finished = 0;
  const auto job = [&](std::size_t number) {
    const GradingKey& key = *due[number];
    const course::Exercise& exercise = *course::find_exercise(key.exercise);
    return classroom::Job{.exercise = key.exercise,
                          .file_name = exercise.starter.filename().string(),
                          .secret = key.secret,
                          .text = store.file(key.sha256),
                          .id = classroom::grading_id(key)};
  };
  const fs::path program = fs::read_symlink("/proc/self/exe");
  const std::vector<std::string> of_grade = {"--device", arguments.device};
  if (arguments.is_on_slurm()) {
    std::set<std::string> warnings;
    const classroom::SlurmOptions options = {.program = program,
                                             .folder = slurm_folder(arguments),
                                             .arguments = of_grade,
                                             .sbatch = arguments.slurm_options,
                                             .tasks = arguments.workers,
                                             .gradings_of_task = arguments.per_task};
    return classroom::run_on_slurm(
        due.size(), options, run_slurm_command, job,
        [&](std::size_t number, const classroom::Outcome& outcome) {
          if (!outcome.warning.empty() && warnings.insert(outcome.warning).second)
            std::cerr << "lockstep: " << outcome.warning << '\n';
          keep_outcome(*due[number], outcome, outcome.toolkit, store);
          ++finished;
        },
        [&](std::size_t running, const std::string& note) { progress.show(finished, running, note); });
  }
  const std::string toolkit = build::find_toolkit().version;
  const classroom::WorkerOptions options = {
      .program = program,
      .folder = fs::absolute(arguments.results) / "work",
      .arguments = of_grade,
      .workers = arguments.workers.value_or(emulator::usable_processors())};
  return classroom::run_jobs(
      due.size(), options, job,
      [&](std::size_t number, const classroom::Outcome& outcome) {
        keep_outcome(*due[number], outcome, toolkit, store);
        ++finished;
      },
      [&](std::size_t running) { progress.show(finished, running); });
}

/// A student's exercise that a decision names as STUDENT/EXERCISE.
std::pair<const StudentRow*, std::string> decided(const std::string& option, const std::string& text,
                                                  const ClassTable& table) {
  const std::size_t slash = text.rfind('/');
  if (slash == std::string::npos || slash == 0)
    throw WrongUse(option + " takes STUDENT/EXERCISE, such as anna/transpose: \"" + report::printable(text) +
                   "\" is none.");
  const std::string student = text.substr(0, slash);
  const std::string exercise = select_exercise(text.substr(slash + 1)).problem.name;
  const auto row = std::find_if(table.rows.begin(), table.rows.end(),
                                [&student](const StudentRow& one) { return one.id == student; });
  if (row == table.rows.end())
    throw WrongUse(option + ": nobody has the id \"" + report::printable(student) + "\".");
  if (std::find(table.exercises.begin(), table.exercises.end(), exercise) == table.exercises.end())
    throw WrongUse(option + ": " + exercise + " is not among --exercises.");
  return {&*row, exercise};
}

/// What --accept, --overrule and --withdraw say, before anything is graded. The files that they are about are
/// not known then.
std::vector<classroom::Overrule> decisions_of(const ClassArguments& arguments, const ClassTable& table) {
  std::vector<classroom::Overrule> decisions;
  const auto add = [&](const std::string& option, const std::string& text) -> classroom::Overrule& {
    const auto [row, exercise] = decided(option, text, table);
    return decisions.emplace_back(classroom::Overrule{.student = row->id,
                                                      .exercise = exercise,
                                                      .reason = arguments.reason,
                                                      .who = arguments.who,
                                                      .time = storage::now_in_utc()});
  };
  for (const std::string& text : arguments.accepted) add("--accept", text).is_accepted = true;
  for (const std::string& text : arguments.overruled) {
    const std::size_t equals = text.rfind('=');
    const std::string number = equals == std::string::npos ? "" : text.substr(equals + 1);
    double points = 0;
    const char* const all = number.data() + number.size();
    const auto [end, error] = std::from_chars(number.data(), all, points);
    if (error != std::errc() || end != all || !(points >= 0))
      throw WrongUse("--overrule takes STUDENT/EXERCISE=POINTS, such as anna/transpose=8: \"" +
                     report::printable(text) + "\" is none.");
    classroom::Overrule& decision = add("--overrule", text.substr(0, equals));
    const double most = course::find_exercise(decision.exercise)->problem.points;
    if (!(points <= most))
      throw WrongUse(fmt::format("--overrule {}: {} has {} points at most.", report::printable(text),
                                 decision.exercise, most));
    decision.points = points;
  }
  for (const std::string& text : arguments.withdrawn) add("--withdraw", text).is_withdrawn = true;
  return decisions;
}

/// Keeps decisions, all or none, about what was handed in last. `table` has the results without them.
void keep_decisions(std::vector<classroom::Overrule> decisions, const ClassTable& table, Store& store) {
  for (classroom::Overrule& decision : decisions) {
    const auto row = std::find_if(table.rows.begin(), table.rows.end(),
                                  [&decision](const StudentRow& one) { return one.id == decision.student; });
    const auto found = row->standings.find(decision.exercise);
    const Standing standing = found == row->standings.end() ? Standing() : found->second;
    decision.sha256 = standing.newest_file;
    if (!decision.is_accepted) continue;
    if (standing.kind != Standing::Kind::graded || !standing.is_judged)
      throw WrongUse(fmt::format("--accept {}/{}: there are no points to accept; --overrule gives some.",
                                 report::printable(decision.student), decision.exercise));
    decision.points = standing.points;
  }
  for (const classroom::Overrule& decision : decisions) store.add(decision);
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

/// Of whoever runs this, as the system knows them.
std::string user_name() {
  const passwd* const user = getpwuid(getuid());
  return user == nullptr ? std::to_string(getuid()) : user->pw_name;
}

int run_class(const ClassArguments& arguments) {
  check_class(arguments);
  const std::vector<const course::Exercise*> exercises = select_exercises(arguments.exercises);
  const classroom::Policy policy = policy_of(arguments);
  const sandbox::FileDescriptor lock = lock_results(arguments.results);
  if (!sandbox::isolation().namespaces)
    std::cerr << "lockstep: submissions are not isolated on this machine: grade no stranger's code here ("
              << sandbox::isolation().reason << "); ./lockstep doctor says how to fix it\n";
  try {
    Store store(arguments.results / "class.sqlite");
    ClassTable table = read_class(arguments, exercises, store);
    const std::vector<classroom::Overrule> decisions = decisions_of(arguments, table);
    take_up_left(arguments, table, store);
    store.mark_for_regrading(regraded(arguments, table));
    const std::int64_t first_new = store.newest_id() + 1;
    const bool is_whole = grade_class(arguments, table, policy, store);
    if (!decisions.empty()) {
      ClassTable before_decisions = table;
      classroom::take_results(before_decisions, store, policy, first_new);
      keep_decisions(decisions, before_decisions, store);
    }
    const bool has_failed = classroom::take_results(table, store, policy, first_new);
    classroom::write_outputs(table, store, arguments.results);
    std::cout << classroom::table_text(table, output_style().width);
    if (const std::string reasons = classroom::reasons_text(table); !reasons.empty())
      std::cout << "\n* Points by the class's rules\n" << reasons;
    if (const std::string moves = classroom::moves_text(table, store); !moves.empty())
      std::cout << "\nGraded once more, and not as before\n" << moves;
    if (const std::string remarks = classroom::remarks_text(table); !remarks.empty())
      std::cout << "\nTo be looked at\n" << remarks;
    std::cout << fmt::format("\nIn {}: class.html, points.csv, gradings.json, reports/, exports/\n",
                             report::printable(arguments.results.string()));
    if (!is_whole)
      throw Failed("a signal has ended it: what was graded is kept, and the same command goes on.");
    return has_failed ? kFailed : kPassed;
  } catch (const classroom::StoreError& error) {
    throw Failed(error.what());
  } catch (const classroom::SlurmError& error) {
    throw Failed(error.what());
  }
}

/// The words of a text, as a shell takes it apart, but without running anything.
std::vector<std::string> shell_words(const std::string& text) {
  wordexp_t expanded{};
  if (wordexp(text.c_str(), &expanded, WRDE_NOCMD) != 0)
    throw WrongUse("--slurm-options are options of sbatch, quoted as in a shell: \"" +
                   report::printable(text) + "\" are none.");
  std::vector<std::string> words(expanded.we_wordv, expanded.we_wordv + expanded.we_wordc);
  wordfree(&expanded);
  return words;
}

}  // namespace

void add_class(CLI::App& app, int& status) {
  const auto arguments = std::make_shared<ClassArguments>();
  CLI::App* command =
      app.add_subcommand("class", "Grades everybody's work; ended at any time, the same command goes on");
  command
      ->add_option("submissions", arguments->submissions,
                   "Folder with an entry for each student: a folder, or a zip or tar archive, called by the "
                   "student's id; or a download of Gradescope, Moodle or Canvas, as a folder or an archive; "
                   "or a list of Git repositories (CSV)")
      ->required()
      ->type_name("SUBMISSIONS");
  command
      ->add_option("--results", arguments->results,
                   "Folder of your own for what comes out, and for all gradings (class.sqlite)")
      ->required()
      ->type_name("FOLDER");
  command
      ->add_option("--roster", arguments->roster,
                   "Table with the columns id and name (CSV), which joins names; sid, email and number, too")
      ->type_name("FILE");
  command
      ->add_option(
          "--from", arguments->from,
          "What SUBMISSIONS is, where its names do not say: entries, gradescope, moodle, canvas or git")
      ->check(CLI::IsMember({"auto", "entries", "gradescope", "moodle", "canvas", "git"}))
      ->type_name("SYSTEM");
  command
      ->add_option("--policy", arguments->policy,
                   "Rules on deadlines, late days, attempts and a curve (JSON)")
      ->type_name("FILE");
  command
      ->add_option("--accept", arguments->accepted,
                   "The points stand, though they were to be looked at; with --reason")
      ->type_name("STUDENT/EXERCISE");
  command->add_option("--overrule", arguments->overruled, "Points in place of the graded ones; with --reason")
      ->type_name("STUDENT/EXERCISE=POINTS");
  command->add_option("--withdraw", arguments->withdrawn, "Takes such a decision back; with --reason")
      ->type_name("STUDENT/EXERCISE");
  command->add_option("--reason", arguments->reason, "Why, which stays on record")->type_name("TEXT");
  command->add_option("--by", arguments->who, "Who decides; the user's name when not given")
      ->type_name("NAME");
  command
      ->add_option("--exercises", arguments->exercises, "Some exercises in place of all; topics or numbers")
      ->type_name("NAME");
  command
      ->add_option("--executor", arguments->executor,
                   "local, this machine, or slurm, a cluster whose nodes see the folder of results")
      ->check(word_of({"local", "slurm"}))
      ->type_name("WHERE");
  command
      ->add_option_function<std::string>(
          "--slurm-options",
          [arguments](const std::string& text) { arguments->slurm_options = shell_words(text); },
          "More options of sbatch, such as '--partition=gpu --gres=gpu:1'; with --executor slurm")
      ->type_name("TEXT");
  command
      ->add_option("--per-task", arguments->per_task,
                   "How many gradings a task of a job array has; with --executor slurm")
      ->check(whole_number())
      ->check(CLI::Range(1U, 1000U))
      ->type_name("N");
  command
      ->add_option(
          "--workers", arguments->workers,
          "How many are graded at a time: as many as processors; with --executor slurm how many tasks: "
          "as many as the cluster lets run")
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
  command->callback([arguments, &status] {
    if (arguments->who.empty()) arguments->who = user_name();
    status = run_class(*arguments);
  });
}

}  // namespace lockstep::cli
