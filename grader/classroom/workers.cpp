#include "classroom/workers.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <exception>
#include <map>
#include <nlohmann/json.hpp>
#include <string_view>
#include <system_error>

#include "classroom/held_signals.h"
#include "sandbox/file_descriptor.h"
#include "storage/files.h"
#include "text/printable.h"
#include "text/shortened.h"

namespace lockstep::classroom {
namespace {

namespace fs = std::filesystem;
using sandbox::FileDescriptor;

constexpr const char* kReportFile = "report.json";
constexpr const char* kTextFile = "report.txt";
constexpr const char* kPageFile = "report.html";
constexpr const char* kErrorsFile = "errors.txt";
constexpr int kNotStarted = 127;

/// The judges that run. They end when this ends.
class Judges {
 public:
  Judges(const WorkerOptions& options, const HeldSignals& signals) : options_(options), signals_(signals) {
    clear_folder();
  }
  ~Judges() {
    for (const auto& [process, number] : running_) {
      kill(process, SIGKILL);
      waitpid(process, nullptr, 0);
    }
    clear_folder();
  }
  Judges(const Judges&) = delete;
  Judges& operator=(const Judges&) = delete;

  std::size_t running() const { return running_.size(); }

  void start(std::size_t number, const Job& job) {
    const fs::path folder = folder_of(number);
    storage::write_file(folder / job.file_name, job.text);
    std::vector<std::string> words = {options_.program.string(),
                                      "grade",
                                      job.exercise,
                                      "--submission",
                                      job.file_name,
                                      "--secret-file",
                                      "-",
                                      "--format",
                                      "json",
                                      "--output",
                                      kReportFile,
                                      "--also",
                                      std::string("html=") + kPageFile};
    words.insert(words.end(), options_.arguments.begin(), options_.arguments.end());
    std::vector<char*> pointers;
    for (std::string& word : words) pointers.push_back(word.data());
    pointers.push_back(nullptr);

    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) throw std::system_error(errno, std::generic_category(), "pipe2");
    const FileDescriptor secret_out(ends[0]);
    FileDescriptor secret_in(ends[1]);
    // A pipe holds as much before anybody reads it.
    if (write(secret_in.get(), job.secret.data(), job.secret.size()) !=
        static_cast<ssize_t>(job.secret.size()))
      throw std::system_error(errno, std::generic_category(), "write");
    secret_in.reset();
    const auto make = [&](const char* name) {
      FileDescriptor file(open((folder / name).c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600));
      if (!file) throw std::system_error(errno, std::generic_category(), (folder / name).string());
      return file;
    };
    const FileDescriptor text = make(kTextFile), errors = make(kErrorsFile);
    const pid_t parent = getpid(), process = fork();
    if (process < 0) throw std::system_error(errno, std::generic_category(), "fork");
    if (process == 0) {
      // Ctrl-C is for the parent alone, which ends the judges itself.
      const bool is_ready = setpgid(0, 0) == 0 && prctl(PR_SET_PDEATHSIG, SIGKILL) == 0 &&
                            getppid() == parent && dup2(secret_out.get(), STDIN_FILENO) >= 0 &&
                            dup2(text.get(), STDOUT_FILENO) >= 0 && dup2(errors.get(), STDERR_FILENO) >= 0 &&
                            chdir(folder.c_str()) == 0;
      signals_.release();
      if (is_ready) execv(pointers[0], pointers.data());
      _exit(kNotStarted);
    }
    running_[process] = number;
  }

  /// Takes those that have ended.
  void collect(const std::function<void(std::size_t, const Outcome&)>& done) {
    for (auto at = running_.begin(); at != running_.end();) {
      int status = 0;
      if (waitpid(at->first, &status, WNOHANG) != at->first) {
        ++at;
        continue;
      }
      const std::size_t number = at->second;
      at = running_.erase(at);
      const fs::path folder = folder_of(number);
      std::error_code missing;
      const auto contents = [&](const char* name) {
        return fs::exists(folder / name, missing) ? storage::read_file(folder / name) : "";
      };
      Outcome outcome = outcome_of(contents(kReportFile), contents(kTextFile), contents(kErrorsFile), status);
      if (!outcome.report.empty()) outcome.page = contents(kPageFile);
      fs::remove_all(folder, missing);
      done(number, outcome);
    }
  }

 private:
  fs::path folder_of(std::size_t number) const { return options_.folder / std::to_string(number); }
  void clear_folder() const {
    std::error_code ignored;
    fs::remove_all(options_.folder, ignored);
  }

  const WorkerOptions& options_;
  const HeldSignals& signals_;
  std::map<pid_t, std::size_t> running_;
};

}  // namespace

void make_paths_absolute() {
  for (const char* variable : {"LOCKSTEP_ROOT", "LOCKSTEP_CACHE", "LOCKSTEP_BUILD", "LOCKSTEP_COURSE"}) {
    const char* const value = std::getenv(variable);
    if (value != nullptr && *value != '\0') setenv(variable, fs::absolute(value).c_str(), 1);
  }
}

std::string last_line(std::string_view text) {
  const std::size_t end = text.find_last_not_of(" \r\n");
  if (end == std::string_view::npos) return "";
  text = text.substr(0, end + 1);
  return text::shortened(text::printable(text.substr(text.rfind('\n') + 1)));
}

Outcome outcome_of(const std::string& report, const std::string& text, const std::string& errors,
                   int status) {
  Outcome outcome{.text = text};
  const auto root = nlohmann::ordered_json::parse(report, nullptr, /*allow_exceptions=*/false);
  try {
    const auto& exercise = root.at("exercises").at(0);
    outcome.verdict = result::verdict_from(exercise.at("verdict").get<std::string>()).value();
    outcome.points = exercise.at("points").get<double>();
    outcome.max_points = exercise.at("max_points").get<double>();
    outcome.course_version = exercise.value("course_version", "");
    outcome.device = root.at("device").at("name").get<std::string>();
    outcome.report = root.dump();
    if (outcome.verdict == result::Verdict::grader_error) {
      outcome.complaint = last_line(exercise.at("message").get<std::string>());
      if (outcome.complaint.empty()) outcome.complaint = "its report says where";
    }
    return outcome;
  } catch (const std::exception&) {  // no report, or none that is whole
    outcome = Outcome{.text = text};
  }
  outcome.complaint = last_line(errors);
  if (!outcome.complaint.empty()) return outcome;
  outcome.complaint = WIFSIGNALED(status) ? fmt::format("the judge was ended by signal {}", WTERMSIG(status))
                                          : fmt::format("the judge left no report, and status {}",
                                                        WIFEXITED(status) ? WEXITSTATUS(status) : status);
  return outcome;
}

bool run_jobs(std::size_t jobs, const WorkerOptions& options, const std::function<Job(std::size_t)>& job,
              const std::function<void(std::size_t, const Outcome&)>& done,
              const std::function<void(std::size_t)>& wait) {
  make_paths_absolute();
  const HeldSignals signals;
  Judges judges(options, signals);
  for (std::size_t next = 0; next < jobs || judges.running() > 0;) {
    while (next < jobs && judges.running() < options.workers) {
      judges.start(next, job(next));
      ++next;
    }
    wait(judges.running());
    if (HeldSignals::is_end(signals.next())) return false;
    bool is_over = false;
    judges.collect([&](std::size_t number, const Outcome& outcome) {
      // Who cancels a job of a cluster ends all of its processes, and a judge before this one maybe.
      is_over = is_over || (outcome.verdict == result::Verdict::grader_error && signals.end_follows());
      if (!is_over) done(number, outcome);
    });
    if (is_over) return false;
  }
  return true;
}

}  // namespace lockstep::classroom
