#include "classroom/slurm.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <deque>
#include <exception>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>
#include <string_view>
#include <system_error>
#include <thread>
#include <utility>

#include "classroom/digests.h"
#include "classroom/held_signals.h"
#include "classroom/shown.h"
#include "sandbox/sandbox.h"
#include "sandbox/temporary_folder.h"
#include "storage/files.h"

namespace lockstep::classroom {
namespace {

namespace fs = std::filesystem;
using std::chrono::steady_clock;

constexpr const char* kArraysFile = "arrays.txt";
constexpr const char* kOutcomesFolder = "outcomes";
constexpr const char* kTextsFolder = "texts";
constexpr const char* kScriptFile = "task.sh";
constexpr const char* kScript = "#!/bin/sh\nexec \"$@\" \"$SLURM_ARRAY_TASK_ID\"\n";

constexpr std::size_t kIdDigits = 64;
/// Slurm's own default is 1001 tasks in an array.
constexpr std::size_t kMaxTasksOfArray = 1000;
/// A shared file system may show a file so much later on another machine.
constexpr std::chrono::seconds kFilesMayLag{30};
/// Until cancelled tasks have ended.
constexpr std::chrono::seconds kMaxWaitForEnd{60};
/// Submitting fails for a while where a limit of the cluster's is reached.
constexpr int kMaxRefusals = 20;
constexpr std::chrono::seconds kAfterRefusal{15};

/// Ways in which Slurm says that a task has ended.
const std::set<std::string, std::less<>> kEndedStates = {
    "BOOT_FAIL", "CANCELLED", "COMPLETED",     "COMPLETING", "DEADLINE",
    "FAILED",    "NODE_FAIL", "OUT_OF_MEMORY", "PREEMPTED",  "TIMEOUT"};

/// Runs a command of Slurm for a minute at most: where its controller is away they would wait longer.
CommandEnd ask(const RunCommand& run, std::vector<std::string> words) {
  words.insert(words.begin(), {"timeout", "--signal=KILL", "60"});
  return run(words);
}

/// What squeue says of a task.
struct Seen {
  std::string state, node, reason;
};

/// By the array's name and the task's number.
using SeenTasks = std::map<std::pair<std::string, std::size_t>, Seen>;

std::optional<std::size_t> number_in(std::string_view text) {
  std::size_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

/// All tasks of the arrays that Slurm knows, ended ones too; nothing where it does not answer.
std::optional<SeenTasks> tasks_of(const std::vector<std::string>& arrays, const RunCommand& run) {
  const CommandEnd end =
      ask(run, {"squeue", "--noheader", "--array", "--states=all",
                fmt::format("--name={}", fmt::join(arrays, ",")), "--format=%j|%K|%T|%N|%r"});
  if (end.status != 0) return std::nullopt;
  SeenTasks tasks;
  std::istringstream lines(end.output);
  for (std::string line; std::getline(lines, line);) {
    std::array<std::string, 5> fields;
    std::istringstream rest(line);
    for (std::string& field : fields) std::getline(rest, field, '|');
    if (const auto number = number_in(fields[1]))
      tasks[{fields[0], *number}] = {.state = fields[2], .node = fields[3], .reason = fields[4]};
  }
  return tasks;
}

bool has_ended(const Seen& task) { return kEndedStates.contains(task.state); }

/// Cancels the arrays and waits until nothing of them runs. Returns what was in the way.
std::string cancel(const std::vector<std::string>& arrays, const RunCommand& run,
                   std::chrono::seconds patience = kMaxWaitForEnd) {
  const auto deadline = steady_clock::now() + patience;
  for (bool is_first = true;; is_first = false) {
    const std::optional<SeenTasks> tasks = tasks_of(arrays, run);
    if (!tasks) return "Slurm does not answer";
    std::set<std::string> left;
    for (const auto& [task, seen] : *tasks)
      if (!has_ended(seen)) left.insert(task.first);
    if (left.empty()) return "";
    if (steady_clock::now() > deadline) return fmt::format("{} still runs", *left.begin());
    for (const std::string& array : left) {
      if (!is_first) break;
      if (const CommandEnd end = ask(run, {"scancel", "--name=" + array}); end.status != 0)
        return "scancel says: " + last_line(end.output);
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
  }
}

std::vector<std::string> arrays_in(const fs::path& folder) {
  std::error_code missing;
  if (!fs::exists(folder / kArraysFile, missing)) return {};
  std::istringstream lines(storage::read_file(folder / kArraysFile));
  std::vector<std::string> arrays;
  for (std::string line; std::getline(lines, line);) arrays.push_back(line);
  return arrays;
}

std::string json_of(const Outcome& outcome) {
  const nlohmann::json root = {{"verdict", result::name_of(outcome.verdict)},
                               {"points", outcome.points},
                               {"max_points", outcome.max_points},
                               {"device", outcome.device},
                               {"course_version", outcome.course_version},
                               {"report", outcome.report},
                               {"text", outcome.text},
                               {"page", outcome.page},
                               {"complaint", outcome.complaint},
                               {"toolkit", outcome.toolkit},
                               {"warning", outcome.warning}};
  return root.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

/// Nothing of what is no whole outcome.
std::optional<Outcome> outcome_from(const std::string& text) {
  const auto root = nlohmann::json::parse(text, nullptr, /*allow_exceptions=*/false);
  try {
    Outcome outcome;
    outcome.verdict = result::verdict_from(root.at("verdict").get<std::string>()).value();
    for (const auto& [member, name] :
         {std::pair(&Outcome::points, "points"), {&Outcome::max_points, "max_points"}})
      outcome.*member = root.at(name).get<double>();
    for (const auto& [member, name] : {std::pair(&Outcome::device, "device"),
                                       {&Outcome::course_version, "course_version"},
                                       {&Outcome::report, "report"},
                                       {&Outcome::text, "text"},
                                       {&Outcome::page, "page"},
                                       {&Outcome::complaint, "complaint"},
                                       {&Outcome::toolkit, "toolkit"},
                                       {&Outcome::warning, "warning"}})
      outcome.*member = root.at(name).get<std::string>();
    return outcome;
  } catch (const std::exception&) {
    return std::nullopt;
  }
}

/// The arrays that run. They are cancelled when this ends.
class Arrays {
 public:
  Arrays(std::size_t jobs, const SlurmOptions& options, const RunCommand& run,
         const std::function<Job(std::size_t)>& job,
         const std::function<void(std::size_t, const Outcome&)>& done)
      : options_(options), run_(run), job_(job), done_(done), gradings_(jobs), unfinished_(jobs) {
    const CommandEnd config = ask(run, {"scontrol", "show", "config"});
    if (config.status == 127)
      throw SlurmError("there is no scontrol on this machine: the commands of Slurm are needed");
    if (config.status != 0) throw SlurmError("Slurm does not answer: " + last_line(config.output));
    max_tasks_ = max_tasks_of(config.output);
    clear_left(options.folder);
    fs::create_directories(options.folder);
    fs::permissions(options.folder,
                    fs::perms::owner_all);  // secrets lie in it, and others use a cluster, too
    fs::create_directory(options.folder / kOutcomesFolder);
    storage::write_file(options.folder / kScriptFile, kScript);
    name_ = "lockstep-" + sha256_of(new_class_secret()).substr(0, 16);
    for (std::size_t i = 0; i < jobs; ++i) fresh_.push_back(i);
  }
  ~Arrays() {
    try {
      end(std::chrono::seconds(5));
    } catch (const std::exception&) {  // the next run finds what is left
    }
  }
  Arrays(const Arrays&) = delete;
  Arrays& operator=(const Arrays&) = delete;

  bool is_done() const { return unfinished_ == 0; }
  std::size_t running() const { return running_; }

  /// What there is to say besides how many run.
  std::string note() const {
    if (is_silent_) return ", Slurm does not answer";
    if (!refusal_.empty()) return ", sbatch says: " + refusal_;
    if (pending_ == 0) return "";
    return fmt::format(", {} {} in the queue{}", pending_, pending_ == 1 ? "waits" : "wait",
                       running_ > 0 || reason_.empty() || reason_ == "None" ? "" : " (" + reason_ + ")");
  }

  /// Submits what may be: an array of fresh gradings when no other runs, one of lost ones where there is
  /// room.
  void submit() {
    if (!refusal_.empty() && steady_clock::now() < refused_ + kAfterRefusal) return;
    if (!lost_.empty() && (!options_.tasks || tasks_.size() < *options_.tasks)) {
      submit(lost_, 1, options_.tasks ? std::optional(*options_.tasks - tasks_.size()) : std::nullopt);
    } else if (!fresh_.empty() && tasks_.empty()) {
      submit(fresh_, options_.gradings_of_task.value_or(share_of(gradings_.size())), options_.tasks);
    }
  }

  /// Takes the outcomes that have come.
  void collect() {
    std::vector<fs::path> files;  // first all: what is removed on the way would disturb the reading
    for (const auto& entry : fs::directory_iterator(options_.folder / kOutcomesFolder))
      files.push_back(entry.path());
    for (const fs::path& file : files) {
      const auto found = numbers_.find(file.filename().string());
      if (found == numbers_.end()) continue;
      Grading& grading = gradings_[found->second];
      if (!grading.is_finished) {
        const std::optional<Outcome> outcome = outcome_from(storage::read_file(file));
        if (outcome) finish(found->second, *outcome);
      }
      fs::remove(file);
    }
    std::erase_if(tasks_, [this](const Task& task) { return is_finished(task); });
  }

  /// Asks Slurm about the tasks, not too often, and finds those that have ended without all their outcomes.
  void find_lost() {
    if (tasks_.empty()) running_ = pending_ = 0;
    if (tasks_.empty() || steady_clock::now() < asked_ + options_.between_questions) return;
    std::set<std::string> arrays;
    for (const Task& task : tasks_) arrays.insert(task.array);
    const std::optional<SeenTasks> seen = tasks_of({arrays.begin(), arrays.end()}, run_);
    asked_ = steady_clock::now();
    is_silent_ = !seen;
    if (!seen) return;
    collect();  // what had ended before the question may have left outcomes after they were taken last
    running_ = pending_ = 0;
    std::vector<Task> lost;
    for (Task& task : tasks_) {
      const auto found = seen->find({task.array, task.index});
      // Slurm forgets at once a task that was cancelled before it ran, and others after minutes.
      const Seen one =
          found != seen->end() ? found->second : Seen{.state = task.is_pending ? "CANCELLED" : "UNKNOWN"};
      task.is_pending = one.state == "PENDING";
      if (task.is_pending) reason_ = shown(one.reason);
      if (task.is_pending) ++pending_;
      if (one.state == "RUNNING") ++running_;
      if (found != seen->end() && (!has_ended(one) || one.state == "COMPLETING")) continue;
      if (!task.ended) task.ended = steady_clock::now();
      // What it has written may come to be seen yet.
      const bool may_be_whole = one.state == "COMPLETED" || one.state == "UNKNOWN";
      if (may_be_whole && steady_clock::now() < *task.ended + kFilesMayLag) continue;
      task.how_lost = one.node.empty() ? one.state : one.state + " on " + one.node;
      lost.push_back(task);
    }
    for (const Task& task : lost) lose(task);
    std::erase_if(tasks_, [](const Task& task) { return !task.how_lost.empty(); });
  }

  /// Cancels what runs, takes what is there, and removes what is of no use any more.
  void end(std::chrono::seconds patience) {
    if (has_ended_) return;
    has_ended_ = true;
    const std::vector<std::string> arrays = arrays_in(options_.folder);
    // Also when all is graded: a task that was taken for lost may run yet.
    const std::string problem =
        arrays.empty() || (tasks_.empty() && !has_lost_) ? "" : cancel(arrays, run_, patience);
    collect();
    if (problem.empty()) clear_left(options_.folder);
  }

 private:
  struct Grading {
    bool is_finished = false;
    unsigned losses = 0;
  };
  /// A task of an array that has gradings without an outcome.
  struct Task {
    std::string array;
    std::size_t index = 0;
    std::vector<std::size_t> gradings;
    bool is_pending = true;                         ///< when Slurm was asked last
    std::optional<steady_clock::time_point> ended;  ///< when Slurm said so first
    std::string how_lost;
  };

  static std::size_t max_tasks_of(const std::string& config) {
    std::istringstream lines(config);
    for (std::string line; std::getline(lines, line);) {
      std::istringstream words(line);
      std::string name, equals, value;
      if (!(words >> name >> equals >> value) || name != "MaxArraySize") continue;
      if (const auto number = number_in(value); number && *number > 0)
        return *number;  // the largest index plus 1
    }
    return kMaxTasksOfArray;
  }

  bool is_finished(const Task& task) const {
    return std::all_of(task.gradings.begin(), task.gradings.end(),
                       [this](std::size_t number) { return gradings_[number].is_finished; });
  }

  void finish(std::size_t number, const Outcome& outcome) {
    done_(number, outcome);
    gradings_[number].is_finished = true;
    --unfinished_;
  }

  /// Submits as many of `waiting` as one array holds, `share` for each task.
  void submit(std::deque<std::size_t>& waiting, std::size_t share, std::optional<std::size_t> at_a_time) {
    const std::string array = fmt::format("{}.{}", name_, ++arrays_);
    std::vector<Task> tasks;
    nlohmann::json list = {{"arguments", options_.arguments}, {"tasks", nlohmann::json::array()}};
    for (std::size_t next = 0; next < waiting.size() && tasks.size() < max_tasks_;) {
      Task& task = tasks.emplace_back(Task{.array = array, .index = tasks.size()});
      nlohmann::json gradings = nlohmann::json::array();
      for (; next < waiting.size() && task.gradings.size() < share; ++next) {
        task.gradings.push_back(waiting[next]);
        gradings.push_back(listed(waiting[next]));
      }
      list["tasks"].push_back(std::move(gradings));
    }
    const fs::path list_file = options_.folder / fmt::format("list-{}.json", array);
    storage::write_file(list_file, list.dump());
    written_ += array + '\n';
    storage::write_file(options_.folder / kArraysFile, written_);
    const CommandEnd end = ask(run_, sbatch_words(array, tasks.size(), share, at_a_time, list_file));
    if (end.status != 0) return refuse(array, end);
    refusal_.clear();
    refusals_ = 0;
    has_submitted_ = true;
    for (Task& task : tasks) {
      waiting.erase(waiting.begin(), waiting.begin() + static_cast<std::ptrdiff_t>(task.gradings.size()));
      tasks_.push_back(std::move(task));
    }
    pending_ += tasks.size();
    asked_ = steady_clock::now();
  }

  std::vector<std::string> sbatch_words(const std::string& array, std::size_t tasks, std::size_t share,
                                        std::optional<std::size_t> at_a_time, const fs::path& list) const {
    std::vector<std::string> words = {"sbatch", fmt::format("--time={}", 10 + 2 * share), "--cpus-per-task=2",
                                      "--mem=8G", "--export=ALL"};
    words.insert(words.end(), options_.sbatch.begin(), options_.sbatch.end());
    const std::string limit = at_a_time ? fmt::format("%{}", *at_a_time) : "";
    words.insert(
        words.end(),
        {"--parsable", "--ntasks=1", "--job-name=" + array, fmt::format("--array=0-{}{}", tasks - 1, limit),
         // Tasks that are lost are submitted anew here, which bounds how often.
         "--no-requeue", "--chdir=" + options_.folder.string(),
         fmt::format("--output={}", log_name(arrays_, "%a")), (options_.folder / kScriptFile).string(),
         options_.program.string(), "class-task", list.string()});
    return words;
  }

  static std::string log_name(std::size_t array, const std::string& task) {
    return fmt::format("log-{}-{}.txt", array, task);
  }

  /// What a task is told of a grading.
  nlohmann::json listed(std::size_t number) {
    const Job job = job_(number);
    const std::string text = sha256_of(job.text);
    const fs::path file = options_.folder / kTextsFolder / text;
    if (!fs::exists(file)) storage::write_file(file, job.text);
    numbers_[job.id] = number;
    return {{"id", job.id},
            {"exercise", job.exercise},
            {"file_name", job.file_name},
            {"secret", job.secret},
            {"text", text}};
  }

  void refuse(const std::string& array, const CommandEnd& end) {
    // Where the answer alone was lost.
    if (const std::string problem = cancel({array}, run_); !problem.empty()) has_lost_ = true;
    refusal_ = last_line(end.output);
    refused_ = steady_clock::now();
    ++refusals_;
    if (!has_submitted_ || (tasks_.empty() && refusals_ > kMaxRefusals))
      throw SlurmError("no job can be submitted: " + refusal_);
  }

  void lose(const Task& task) {
    has_lost_ = true;
    for (const std::size_t number : task.gradings) {
      Grading& grading = gradings_[number];
      if (grading.is_finished) continue;
      if (++grading.losses < kMaxLosses) {
        lost_.push_back(number);
        continue;
      }
      Outcome outcome;
      outcome.complaint = fmt::format("its job was lost {} times, last: {}", grading.losses, task.how_lost);
      if (const std::string said = said_by(task); !said.empty()) outcome.complaint += ", which said: " + said;
      finish(number, outcome);
    }
  }

  std::string said_by(const Task& task) const {
    const fs::path log =
        options_.folder / fmt::format("log-{}-{}.txt", task.array.substr(name_.size() + 1), task.index);
    std::error_code missing;
    return fs::exists(log, missing) ? last_line(storage::read_file(log)) : "";
  }

  const SlurmOptions& options_;
  const RunCommand& run_;
  const std::function<Job(std::size_t)>& job_;
  const std::function<void(std::size_t, const Outcome&)>& done_;
  std::vector<Grading> gradings_;
  std::size_t unfinished_ = 0, max_tasks_ = kMaxTasksOfArray;
  std::map<std::string, std::size_t> numbers_;  ///< of gradings, by id
  std::deque<std::size_t> fresh_, lost_;        ///< gradings that wait for an array
  std::vector<Task> tasks_;
  std::string name_, written_;  ///< beginning of all arrays' names, and these as the file has them
  std::size_t arrays_ = 0, refusals_ = 0, running_ = 0, pending_ = 0;
  std::string reason_, refusal_;
  steady_clock::time_point asked_, refused_;
  bool is_silent_ = false, has_submitted_ = false, has_lost_ = false, has_ended_ = false;
};

}  // namespace

unsigned share_of(std::size_t gradings) {
  return static_cast<unsigned>(std::clamp<std::size_t>((gradings + 99) / 100, 1, 8));
}

std::string grading_id(const GradingKey& key) {
  std::string text;
  for (const std::string& part : {key.student, key.exercise, key.sha256, key.secret, key.lockstep})
    text += fmt::format("{}:{}", part.size(), part);
  return sha256_of(text);
}

bool run_on_slurm(std::size_t jobs, const SlurmOptions& options, const RunCommand& run,
                  const std::function<Job(std::size_t)>& job,
                  const std::function<void(std::size_t, const Outcome&)>& done,
                  const std::function<void(std::size_t, const std::string&)>& wait) {
  make_paths_absolute();
  const HeldSignals signals;
  Arrays arrays(jobs, options, run, job, done);
  while (!arrays.is_done()) {
    arrays.submit();
    wait(arrays.running(), arrays.note());
    if (HeldSignals::is_end(signals.next())) {
      arrays.end(kMaxWaitForEnd);
      return false;
    }
    arrays.collect();
    arrays.find_lost();
  }
  arrays.end(kMaxWaitForEnd);
  return true;
}

void end_left_arrays(const fs::path& folder, const RunCommand& run) {
  const std::vector<std::string> arrays = arrays_in(folder);
  if (arrays.empty()) return;
  if (const std::string problem = cancel(arrays, run); !problem.empty())
    throw SlurmError(fmt::format(
        "a run before has left jobs on a cluster, and they cannot be cancelled: {}; do so with scancel "
        "and remove {}",
        problem, (folder / kArraysFile).string()));
  fs::remove(folder / kArraysFile);
}

void take_left_outcome(const fs::path& folder, const std::string& id,
                       const std::function<void(const Outcome&)>& keep) {
  const fs::path file = folder / kOutcomesFolder / id;
  std::error_code missing;
  if (!fs::exists(file, missing)) return;
  if (const std::optional<Outcome> outcome = outcome_from(storage::read_file(file))) keep(*outcome);
  fs::remove(file);
}

void clear_left(const fs::path& folder) {
  std::error_code missing;
  if (!fs::exists(folder, missing)) return;
  // What is half written has a longer name.
  std::vector<fs::path> useless;
  if (fs::exists(folder / kOutcomesFolder, missing))
    for (const auto& entry : fs::directory_iterator(folder / kOutcomesFolder))
      if (entry.path().filename().string().size() != kIdDigits) useless.push_back(entry.path());
  for (const auto& entry : fs::directory_iterator(folder))
    if (entry.path().filename() != kOutcomesFolder) useless.push_back(entry.path());
  for (const fs::path& path : useless) fs::remove_all(path, missing);
  fs::remove(folder / kOutcomesFolder, missing);  // where they are empty
  fs::remove(folder, missing);
}

bool grade_share(const fs::path& list, std::size_t task, const fs::path& program,
                 const std::string& toolkit) {
  const auto root = nlohmann::json::parse(storage::read_file(list));
  const fs::path folder = list.parent_path();
  const auto& tasks = root.at("tasks");
  if (task >= tasks.size()) throw SlurmError(fmt::format("{} has no task {}", list.string(), task));
  std::vector<Job> jobs;
  for (const auto& grading : tasks.at(task)) {
    const auto word = [&grading](const char* name) { return grading.at(name).get<std::string>(); };
    jobs.push_back({.exercise = word("exercise"),
                    .file_name = word("file_name"),
                    .secret = word("secret"),
                    .text = storage::read_file(folder / kTextsFolder / word("text")),
                    .id = word("id")});
  }
  const sandbox::TemporaryFolder scratch(fs::temp_directory_path(), "lockstep-class-");
  const WorkerOptions options = {.program = program,
                                 .folder = scratch.path() / "work",
                                 .arguments = root.at("arguments").get<std::vector<std::string>>()};
  std::array<char, 256> host{};
  gethostname(host.data(), host.size() - 1);
  const sandbox::Isolation& isolation = sandbox::isolation();
  const std::string warning =
      isolation.namespaces
          ? ""
          : shown(fmt::format("submissions are not isolated on {}: grade no stranger's code there ({})",
                              host.data(), isolation.reason),
                  kMaxOfReason);
  return run_jobs(
      jobs.size(), options, [&jobs](std::size_t number) { return jobs[number]; },
      [&](std::size_t number, const Outcome& outcome) {
        if (!fs::exists(list)) return;  // nobody waits for it any more
        Outcome told = outcome;
        told.toolkit = toolkit;
        told.warning = warning;
        storage::write_file(folder / kOutcomesFolder / jobs[number].id, json_of(told));
      },
      [](std::size_t) {});
}

}  // namespace lockstep::classroom
