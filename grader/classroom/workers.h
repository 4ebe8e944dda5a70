// Grades several submissions at a time, each by a `lockstep grade` of its own: whatever happens to one judge,
// the others go on.
#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "result/result.h"

namespace lockstep::classroom {

/// One submission to grade.
struct Job {
  std::string exercise;   ///< its name
  std::string file_name;  ///< what `grade` is to see the file as, such as transpose.cu
  std::string secret;     ///< handed over by standard input, which no other user sees
  std::string text;       ///< of the file
  std::string id;         ///< of the grading, a word of hexadecimal digits, where outcomes go by files
};

/// What came of it. Without a report the verdict is `grader-error`.
struct Outcome {
  result::Verdict verdict = result::Verdict::grader_error;
  double points = 0, max_points = 0;
  std::string device;          ///< as the report has it
  std::string course_version;  ///< likewise
  std::string report;          ///< lockstep/result/v1, compact
  std::string text;            ///< as the student reads it
  std::string page;            ///< the same as HTML
  std::string complaint;       ///< of a grader-error: what was said, printable
  std::string toolkit;         ///< nvcc's version on a cluster's node; empty where it was graded here
  std::string warning;         ///< about that node, printable; mostly empty
};

struct WorkerOptions {
  std::filesystem::path program;       ///< lockstep itself
  std::filesystem::path folder;        ///< for scratch; what is in it is removed before and afterwards
  std::vector<std::string> arguments;  ///< further ones of `grade`
  unsigned workers = 1;
};

/// Runs `jobs` jobs, which `job` makes when their turn comes. Calls `done` with the number of each and what
/// came of it, in the order in which they end, and `wait` with the number that runs about twice a second.
/// While it runs, SIGINT, SIGTERM and SIGHUP end what runs and make it return false; what was under way then
/// has not been `done`. When this process ends otherwise, the kernel ends the judges with it. Throws
/// std::system_error where no process can be started.
bool run_jobs(std::size_t jobs, const WorkerOptions& options, const std::function<Job(std::size_t)>& job,
              const std::function<void(std::size_t, const Outcome&)>& done,
              const std::function<void(std::size_t)>& wait);

/// Reads what one `grade` has left: its report, the text beside it, what it said on standard error, and how
/// it ended, as waitpid has it. The page is not looked at.
Outcome outcome_of(const std::string& report, const std::string& text, const std::string& errors, int status);

/// A judge works in a folder of its own: makes paths in the environment that were meant from here hold from
/// there too.
void make_paths_absolute();

/// Of what a program said, the last line that is not empty, printable and shortened. It is the reason: what
/// comes before are warnings.
std::string last_line(std::string_view text);

}  // namespace lockstep::classroom
