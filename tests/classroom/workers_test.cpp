// Judges that do what the test needs: a script stands for lockstep.
#include "classroom/workers.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <filesystem>
#include <map>
#include <string>
#include <thread>

#include "sandbox/temporary_folder.h"
#include "storage/files.h"

namespace lockstep::classroom {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

/// A report of `grade`, as far as it is looked at.
std::string report_of(const std::string& verdict, double points, const std::string& message = "") {
  return R"({"device": {"name": "a device"}, "exercises": [{"verdict": ")" + verdict + R"(", "points": )" +
         std::to_string(points) + R"(, "max_points": 10, "message": ")" + message + "\"}]}";
}

TEST(WorkersOutcome, SaysByWhichVersionOfAPrivateCourseItCameAbout) {
  std::string report = report_of("passed", 10);
  EXPECT_EQ(outcome_of(report, "", "", 0).course_version, "");
  report.insert(report.find("\"verdict\""), R"("course_version": "0123456789ab", )");
  EXPECT_EQ(outcome_of(report, "", "", 0).course_version, "0123456789ab");
}

TEST(WorkersOutcome, IsThatOfTheReport) {
  const Outcome outcome = outcome_of(report_of("inefficient", 7.5), "text", "a warning\n", 1 << 8);
  EXPECT_EQ(outcome.verdict, result::Verdict::inefficient);
  EXPECT_EQ(outcome.points, 7.5);
  EXPECT_EQ(outcome.max_points, 10);
  EXPECT_EQ(outcome.device, "a device");
  EXPECT_EQ(outcome.text, "text");
  EXPECT_EQ(outcome.complaint, "");
}

TEST(WorkersOutcome, WithoutAReportIsAGraderErrorWithWhatWasSaid) {
  const std::string said = "lockstep: line one\nlockstep: no \x1B[31mcompiler\n\n";
  for (const std::string report :
       {"", "{", "[]", R"({"exercises": []})", R"({"exercises": [{"verdict": "x"}]})"}) {
    const Outcome outcome = outcome_of(report, "", said, 3 << 8);
    EXPECT_EQ(outcome.verdict, result::Verdict::grader_error) << report;
    EXPECT_EQ(outcome.complaint, "lockstep: no compiler") << report;
    EXPECT_EQ(outcome.report, "") << report;
  }
  EXPECT_EQ(outcome_of("", "", "", SIGKILL).complaint, "the judge was ended by signal 9");
  EXPECT_EQ(outcome_of("", "", "", 2 << 8).complaint, "the judge left no report, and status 2");
  EXPECT_EQ(outcome_of(report_of("grader-error", 0, "broke"), "", "", 3 << 8).complaint, "broke");
}

class Workers : public testing::Test {
 protected:
  /// A program that stands for lockstep; its working directory is the job's.
  WorkerOptions script(const std::string& commands, unsigned workers) const {
    const fs::path program = folder_.path() / "program";
    storage::write_file(program, "#!/bin/sh\n" + commands);
    fs::permissions(program, fs::perms::owner_all);
    return {
        .program = program, .folder = folder_.path() / "work", .arguments = {"--more"}, .workers = workers};
  }
  sandbox::TemporaryFolder folder_{fs::temp_directory_path(), "lockstep-workers-"};
};

TEST_F(Workers, HandOverAFileASecretAndArguments) {
  const WorkerOptions options =
      script("echo \"$*\"; cat x.cu; cat; echo said >&2; echo '" + report_of("passed", 10) +
                 "' > report.json; echo a page > report.html\n",
             1);
  std::map<std::size_t, Outcome> outcomes;
  const bool whole = run_jobs(
      1, options,
      [](std::size_t) {
        return Job{"scan", "x.cu", "the secret", "the text\n"};
      },
      [&](std::size_t number, const Outcome& outcome) { outcomes[number] = outcome; }, [](std::size_t) {});
  EXPECT_TRUE(whole);
  ASSERT_EQ(outcomes.size(), 1U);
  EXPECT_EQ(outcomes[0].verdict, result::Verdict::passed);
  EXPECT_EQ(outcomes[0].text,
            "grade scan --submission x.cu --secret-file - --format json --output report.json --also "
            "html=report.html --more\nthe text\nthe secret");
  EXPECT_EQ(outcomes[0].page, "a page\n");
  EXPECT_FALSE(fs::exists(folder_.path() / "work")) << "scratch is left";
}

TEST_F(Workers, RunAsManyAtATimeAndEachOnce) {
  const WorkerOptions options = script("sleep 0.05; exit 3\n", 3);
  std::map<std::size_t, int> done;
  std::size_t most = 0;
  EXPECT_TRUE(run_jobs(
      8, options,
      [](std::size_t) {
        return Job{"scan", "x.cu", "s", "t"};
      },
      [&](std::size_t number, const Outcome&) { ++done[number]; },
      [&](std::size_t running) { most = std::max(most, running); }));
  EXPECT_EQ(done.size(), 8U);
  for (const auto& [number, times] : done) EXPECT_EQ(times, 1) << number;
  EXPECT_EQ(most, 3U);
}

/// Whether a process runs, and is not just waited for.
bool runs(pid_t process) {
  const fs::path status = "/proc/" + std::to_string(process) + "/stat";
  std::error_code gone;
  if (!fs::exists(status, gone)) return false;
  try {
    const std::string text = storage::read_file(status);
    return text.substr(text.rfind(')') + 2, 1) != "Z";
  } catch (const storage::FileError&) {
    return false;
  }
}

/// Starts a process that runs a job and ends with 1 if that is done, 2 if all are, and 5 if a signal ended
/// them.
pid_t run_a_job(const WorkerOptions& options) {
  const pid_t process = fork();
  if (process != 0) return process;
  const bool whole = run_jobs(
      1, options,
      [](std::size_t) {
        return Job{"scan", "x.cu", "s", "t"};
      },
      [](std::size_t, const Outcome&) { _exit(1); }, [](std::size_t) {});
  _exit(whole ? 2 : 5);
}

/// Runs a job that sleeps, sends its process a signal, and expects its judge to end with it.
void expect_judge_to_end(const WorkerOptions& options, const fs::path& note, int signal, int status) {
  const pid_t process = run_a_job(options);
  pid_t judge = 0;
  for (int tries = 0; tries < 500 && judge == 0; ++tries) {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
    std::error_code missing;
    if (fs::file_size(note, missing) > 0 && !missing) judge = std::stoi(storage::read_file(note));
  }
  ASSERT_GT(judge, 0);
  EXPECT_TRUE(runs(judge));
  kill(process, signal);
  int ended = 0;
  waitpid(process, &ended, 0);
  EXPECT_EQ(ended, status);
  for (int tries = 0; tries < 200 && runs(judge); ++tries)
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  EXPECT_FALSE(runs(judge)) << "after signal " << signal;
}

TEST_F(Workers, EndWithTheirParent) {
  const fs::path note = folder_.path() / "note";
  const WorkerOptions options = script("echo $$ > '" + note.string() + "'; exec sleep 60\n", 1);
  for (const auto& [signal, status] :
       {std::pair(SIGINT, 5 << 8), std::pair(SIGTERM, 5 << 8), std::pair(SIGKILL, SIGKILL)}) {
    fs::remove(note);
    expect_judge_to_end(options, note, signal, status);
  }
}

TEST_F(Workers, AJudgeThatIsCancelledBeforeThemHasNoOutcome) {
  int ended = 0;
  waitpid(run_a_job(script("(sleep 0.03; kill -TERM $PPID) & kill -TERM $$\n", 1)), &ended, 0);
  EXPECT_EQ(ended, 5 << 8);
  waitpid(run_a_job(script("kill -TERM $$\n", 1)), &ended, 0);
  EXPECT_EQ(ended, 1 << 8) << "the judge alone was ended: a fault of the grader";
}

}  // namespace
}  // namespace lockstep::classroom
