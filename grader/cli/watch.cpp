// `lockstep watch`: grades a file each time it is saved, and shows the report in place; single keys ask for
// more. What is graded, and how it is shown and recorded, is `lockstep grade`'s affair, which runs as a job.
#include <fmt/chrono.h>
#include <fmt/format.h>

#include <poll.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <ctime>
#include <iostream>
#include <memory>
#include <optional>
#include <set>
#include <system_error>
#include <utility>
#include <vector>

#include "cli/choice.h"
#include "cli/command.h"
#include "cli/job.h"
#include "cli/progress.h"
#include "cli/selection.h"
#include "cli/terminal.h"
#include "cli/watched_files.h"
#include "judge/next_step.h"
#include "judge/submission_path.h"
#include "report/printable.h"
#include "sandbox/file_descriptor.h"

namespace lockstep::cli {
namespace {

struct WatchArguments {
  std::vector<std::string> exercises;
  std::optional<std::filesystem::path> submission;
  std::optional<std::string> device, seed, only_case;  ///< as `grade` takes them
};

/// How often sizes and times of files are looked at.
constexpr int kPollMilliseconds = 500;

/// Signals wait until they are read. The destructor lets them act again.
class WaitingSignals {
 public:
  WaitingSignals() {
    sigemptyset(&all_);
    for (const int one : {SIGINT, SIGQUIT, SIGTERM, SIGHUP, SIGTSTP, SIGCONT, SIGCHLD}) sigaddset(&all_, one);
    sigprocmask(SIG_BLOCK, &all_, &before_);
    events_ = sandbox::FileDescriptor(signalfd(-1, &all_, SFD_NONBLOCK | SFD_CLOEXEC));
    if (!events_) throw std::system_error(errno, std::generic_category(), "signalfd");
  }
  ~WaitingSignals() { sigprocmask(SIG_SETMASK, &before_, nullptr); }
  WaitingSignals(const WaitingSignals&) = delete;
  WaitingSignals& operator=(const WaitingSignals&) = delete;

  int descriptor() const { return events_.get(); }
  /// The next one; nothing when none waits.
  std::optional<int> next() {
    signalfd_siginfo info{};
    if (read(events_.get(), &info, sizeof info) != sizeof info) return std::nullopt;
    return static_cast<int>(info.ssi_signo);
  }
  /// Stops this process, as Ctrl-Z does; returns when it goes on. Where no shell could let it go on, the
  /// kernel does not stop it.
  static void stop() {
    sigset_t one;
    sigemptyset(&one);
    sigaddset(&one, SIGTSTP);
    raise(SIGTSTP);
    sigprocmask(SIG_UNBLOCK, &one, nullptr);
    sigprocmask(SIG_BLOCK, &one, nullptr);
  }

 private:
  sigset_t all_{}, before_{};
  sandbox::FileDescriptor events_;
};

/// The exercises whose saves count: those that are named, that of the folder the user is in, or all.
std::vector<const course::Exercise*> exercises_of(const WatchArguments& arguments) {
  const course::Exercise* const here = arguments.exercises.empty() ? exercise_here() : nullptr;
  return here != nullptr ? std::vector{here} : select_exercises(arguments.exercises);
}

/// Whether it names one file, and not where files of several exercises may lie.
bool is_file(const std::filesystem::path& submission) {
  std::error_code missing;
  return !std::filesystem::is_directory(submission, missing);
}

std::filesystem::path file_of(const WatchArguments& arguments, const course::Exercise& exercise) {
  return arguments.submission ? judge::resolve_submission(exercise, *arguments.submission).path()
                              : exercise.starter;
}

/// Whether the file was saved after the course had been copied here: then it is newer than the interface
/// beside it, which nobody edits. All files of a copy are some seconds apart.
bool was_edited(const WatchArguments& arguments, const course::Exercise& exercise, std::int64_t written) {
  constexpr std::int64_t kCopying = 10'000'000'000;
  return written > 0 &&
         (arguments.submission ||
          written > WatchedFiles::time_of(exercise.own_folder / exercise.header.filename()) + kCopying);
}

/// The exercise to begin with: of those that have not passed the one whose file was saved last, or else the
/// first.
const course::Exercise& first_of(const WatchArguments& arguments,
                                 const std::vector<const course::Exercise*>& exercises) {
  const std::set<std::string> passed = Progress::load().passed();
  const course::Exercise* open = nullptr;
  const course::Exercise* edited = nullptr;
  std::int64_t last = 0;
  for (const course::Exercise* exercise : exercises) {
    if (passed.contains(exercise->problem.name)) continue;
    if (open == nullptr) open = exercise;
    const std::int64_t written = WatchedFiles::time_of(file_of(arguments, *exercise));
    if (written <= last || !was_edited(arguments, *exercise, written)) continue;
    last = written;
    edited = exercise;
  }
  if (edited != nullptr) return *edited;
  return open != nullptr ? *open : *exercises.front();
}

/// What an exit status of `grade` means, and its colour.
std::pair<const char*, report::Colour> outcome_of(int status) {
  if (status == kPassed) return {"passed", report::Colour::good};
  if (status == kNotPassed) return {"not passed", report::Colour::bad};
  return {"not graded", report::Colour::caution};
}

class Watch {
 public:
  explicit Watch(const WatchArguments& arguments)
      : arguments_(arguments), named_(exercises_of(arguments)), style_(output_style()) {
    for (const course::Exercise* exercise : named_) add(*exercise);
    current_ = &first_of(arguments, named_);
  }

  /// Until somebody ends it: an exit status, or the negative number of the signal that did.
  int run();

 private:
  void add(const course::Exercise& exercise);
  void wait();
  void take(int signal);
  void press(char key);
  void grade(const std::string& announcement = "");
  void go_on();
  void answer(const std::string& sentence);
  void run_command(const std::vector<std::string>& words);
  void finish(int status);
  void show_keys();
  std::vector<std::string> grade_words() const;

  const WatchArguments& arguments_;
  std::vector<const course::Exercise*> named_;
  std::vector<const course::Exercise*> watched_;  ///< in the order of files_
  const course::Exercise* current_ = nullptr;
  report::TextStyle style_;
  WaitingSignals signals_;
  KeyInput keys_;
  WatchedFiles files_;
  Job job_;
  bool grades_ = false;             ///< what the job does
  std::optional<char> waiting_;     ///< a key for when the job has ended
  bool has_graded_ = false;         ///< once at least
  std::optional<int> exit_status_;  ///< once it is to end
};

void Watch::add(const course::Exercise& exercise) {
  if (std::ranges::find(watched_, &exercise) != watched_.end()) return;
  watched_.push_back(&exercise);
  files_.add(file_of(arguments_, exercise));
}

std::vector<std::string> Watch::grade_words() const {
  std::vector<std::string> words = {"grade", current_->problem.name};
  const auto pass_on = [&words](const char* option, const std::optional<std::string>& value) {
    if (value) words.insert(words.end(), {option, *value});
  };
  if (arguments_.submission) words.insert(words.end(), {"--submission", arguments_.submission->string()});
  pass_on("--device", arguments_.device);
  pass_on("--seed", arguments_.seed);
  pass_on("--case", arguments_.only_case);
  return words;
}

void Watch::grade(const std::string& announcement) {
  job_.cancel();
  waiting_.reset();
  clear_screen();
  if (!announcement.empty()) std::cout << report::prose(style_, announcement, 0);
  grades_ = true;
  job_.start(grade_words());
}

/// On to what comes after the exercise, of those that are named if there are several.
void Watch::go_on() {
  if (arguments_.only_case || (arguments_.submission && is_file(*arguments_.submission))) {
    if (job_.runs()) return;
    return answer("One case or one file is watched: there is no next one.");
  }
  std::set<std::string> others = Progress::load().passed();
  others.insert(current_->problem.name);
  if (named_.size() > 1) {
    for (const course::Exercise& exercise : course::catalogue())
      if (std::ranges::find(named_, &exercise) == named_.end()) others.insert(exercise.problem.name);
  }
  const course::Exercise* const next = judge::following_exercise(*current_, others);
  if (next == nullptr) {
    if (job_.runs()) return;
    return answer("Every other exercise is passed.");
  }
  add(*next);
  current_ = next;
  grade("Next: " + next->problem.title + ". Read " + course::path_to_type(next->lecture) + ".");
}

void Watch::answer(const std::string& sentence) {
  clear_line();
  std::cout << '\n' << report::prose(style_, sentence, 0) << '\n';
  show_keys();
}

void Watch::run_command(const std::vector<std::string>& words) {
  clear_line();
  std::cout << '\n';
  grades_ = false;
  job_.start(words);
}

/// One after the other: what reads as a report waits until the job before it has ended.
void Watch::press(char key) {
  switch (key) {
    case 'q':
    case '\x03':  // Ctrl-C and Ctrl-D, where they are no more than keys
    case '\x04':
      exit_status_ = kPassed;
      return;
    case 'g':
    case '\n':
    case '\r':
      return grade();
    case 'n':
      return go_on();
    case 'h':
    case 'p':
      break;
    default:
      return;
  }
  if (job_.runs()) {
    waiting_ = key;
  } else if (key == 'h') {
    run_command({"hint", current_->problem.name});
  } else {
    std::vector<std::string> words = {"profile", current_->problem.name};
    if (arguments_.submission) words.insert(words.end(), {"--submission", arguments_.submission->string()});
    clear_screen();
    run_command(words);
  }
}

void Watch::show_keys() {
  const std::string keys = "g grade  h hint  p profile  n next  q quit";
  show_line({"Save to grade again, or press  " + keys, keys, "g grade h hint p profile n next q quit"});
}

void Watch::finish(int status) {
  // Where it was ended, colours and a line of progress may be left.
  if (style_.colour) std::cout << "\x1B[0m";
  clear_line();
  if (grades_ && status == kWrongUse && !has_graded_) {  // the options are wrong, and `grade` has said so
    exit_status_ = kWrongUse;
    return;
  }
  std::cout << '\n';
  if (grades_) {
    has_graded_ = true;
    const auto [outcome, colour] = outcome_of(status);
    const std::string now = fmt::format("{:%H:%M:%S}", fmt::localtime(std::time(nullptr)));
    std::cout << paint(style_, colour, fmt::format("{}: {}, {}", current_->problem.name, outcome, now))
              << '\n';
  }
  if (!waiting_) return show_keys();
  press(*std::exchange(waiting_, std::nullopt));
}

void Watch::take(int signal) {
  switch (signal) {
    case SIGCHLD:
      if (const auto status = job_.ended()) finish(*status);
      return;
    case SIGINT:
    case SIGQUIT:
      exit_status_ = kPassed;
      return;
    case SIGTSTP:
      job_.cancel();
      clear_line();
      keys_.pause();
      WaitingSignals::stop();
      keys_.resume();
      return grade();
    case SIGCONT:  // after another signal had stopped it, and a shell its own settings
      keys_.resume();
      if (!job_.runs()) {
        clear_line();
        show_keys();
      }
      return;
    default:
      exit_status_ = -signal;
  }
}

void Watch::wait() {
  std::array<pollfd, 3> sources{
      {{STDIN_FILENO, POLLIN, 0}, {signals_.descriptor(), POLLIN, 0}, {files_.descriptor(), POLLIN, 0}}};
  if (poll(sources.data(), sources.size(), kPollMilliseconds) < 0 && errno != EINTR)
    throw std::system_error(errno, std::generic_category(), "poll");
  while (const auto signal = signals_.next()) {
    take(*signal);
    if (exit_status_) return;
  }
  if (sources[0].revents != 0) {
    std::array<char, 64> typed{};
    const ssize_t count = read(STDIN_FILENO, typed.data(), typed.size());
    if (count == 0 || (count < 0 && errno != EINTR && errno != EAGAIN)) exit_status_ = kPassed;
    const bool is_control = count > 0 && typed[0] == '\x1B';  // an arrow, whose letters are no keys
    for (ssize_t i = 0; i < count && !is_control && !exit_status_; ++i)
      press(typed[static_cast<std::size_t>(i)]);
  }
  if (exit_status_) return;
  if (const auto saved = files_.changed()) {
    current_ = watched_[*saved];
    grade();
  }
}

int Watch::run() {
  grade();
  while (!exit_status_) wait();
  job_.cancel();
  clear_line();
  return *exit_status_;
}

void check_watch(const WatchArguments& arguments, std::size_t exercises) {
  if (arguments.submission) check_submission(*arguments.submission);
  if (arguments.submission && is_file(*arguments.submission) && exercises != 1)
    throw WrongUse(
        report::printable(arguments.submission->string()) +
        " is one file: say which exercise it solves, as in ./lockstep watch transpose --submission "
        "FILE.");
  if (arguments.only_case && exercises != 1)
    throw WrongUse(
        "--case is a case of one exercise: name it, as in ./lockstep watch transpose --case NAME.");
}

int watch(const WatchArguments& arguments) {
  check_watch(arguments, exercises_of(arguments).size());
  if (!is_interactive())
    throw WrongUse("watch needs a terminal for its keys and reports: ./lockstep grade grades once.");
  int status = 0;
  {
    Watch watch(arguments);
    status = watch.run();
  }
  if (status >= 0) return status;
  raise(-status);  // whoever waits sees by which signal it ended
  return kFailed;
}

}  // namespace

void add_watch(CLI::App& app, int& status) {
  const auto arguments = std::make_shared<WatchArguments>();
  CLI::App* command =
      app.add_subcommand("watch", "Grades your file each time you save it, until you press q");
  command->add_option("exercise", arguments->exercises,
                      "Topics, numbers or folders, such as transpose; all when none is named, or that of the "
                      "exercise's folder you are in");
  command
      ->add_option("--submission", arguments->submission,
                   "What to grade instead of exercises/: a .cu file, an exercise's folder, or a tree")
      ->type_name("PATH");
  command->add_option("--device", arguments->device, "auto (the GPU if there is one), gpu, or emulated")
      ->check(word_of({"auto", "gpu", "emulated"}))
      ->type_name("KIND");
  command->add_option("--seed", arguments->seed, "Of all inputs; drawn at random each time when not given")
      ->type_name("SEED");
  command->add_option("--case", arguments->only_case, "Just this case of one exercise, which gives no points")
      ->type_name("NAME");
  command->footer(
      "\nKeys: g or Enter grades again, h shows one more hint, p what each line costs, n goes on to the "
      "next\n"
      "exercise, q or Ctrl-C ends. A save while it grades starts again with what was saved.\n"
      "\nExamples:  ./lockstep watch\n"
      "           ./lockstep watch transpose\n"
      "           ./lockstep watch transpose --case '1 x 1' --seed 1");
  command->callback([arguments, &status] { status = watch(*arguments); });
}

}  // namespace lockstep::cli
