// A cluster without Slurm: what its commands say is made up, and tasks run where sbatch would submit them.
// The real one is slurm_test.py's.
#include "classroom/slurm.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "classroom/digests.h"
#include "sandbox/temporary_folder.h"
#include "storage/files.h"

namespace lockstep::classroom {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;

constexpr const char* kPasses =
    "cat > text; echo '{\"device\": {\"name\": \"a device\"}, \"exercises\": [{\"verdict\": \"passed\", "
    "\"points\": 10, \"max_points\": 10, \"message\": \"\"}]}' > report.json; echo \"$* $(cat text x.cu)\"; "
    "echo page > report.html\n";

class Slurm : public testing::Test {
 protected:
  Slurm() {
    storage::write_file(program_, std::string("#!/bin/sh\n") + kPasses);
    fs::permissions(program_, fs::perms::owner_all);
  }

  SlurmOptions options() const {
    return {.program = program_,
            .folder = shared_,
            .arguments = {"--more"},
            .between_questions = std::chrono::milliseconds(0)};
  }
  bool run_all(std::size_t jobs, const SlurmOptions& options) {
    return run_on_slurm(
        jobs, options, [this](const std::vector<std::string>& words) { return answer(words); },
        [](std::size_t number) { return job(number); },
        [this](std::size_t number, const Outcome& outcome) {
          ++done_[number];
          outcomes_[number] = outcome;
        },
        [this](std::size_t, const std::string& note) {
          notes_.insert(note);
          if (is_interrupted_) kill(getpid(), SIGINT);
        });
  }
  static Job job(std::size_t number) {
    return {"scan", "x.cu", fmt::format("secret {}", number), fmt::format("text {}", number),
            sha256_of(std::to_string(number))};
  }

  CommandEnd answer(std::vector<std::string> words) {
    EXPECT_THAT(words, testing::SizeIs(testing::Gt(3U)));
    EXPECT_EQ(words[0], "timeout");
    words.erase(words.begin(), words.begin() + 3);
    if (words[0] == "scontrol")
      return {.output = "ClusterName = c\nMaxArraySize            = 3\nMaxJobCount = 9\n"};
    if (words[0] == "squeue") return {.status = squeue_status_, .output = queue_};
    if (words[0] == "scancel") {
      cancelled_.insert(words[1]);
      queue_.clear();
      return {};
    }
    EXPECT_EQ(words[0], "sbatch");
    submitted_.push_back(words);
    if (is_refused_) return {.status = 1, .output = "a warning\nsbatch: error: no such partition\n"};
    EXPECT_EQ(fs::status(shared_).permissions(), fs::perms::owner_all);
    const fs::path list = words.back();
    const auto tasks = nlohmann::json::parse(storage::read_file(list)).at("tasks");
    for (std::size_t task = 0; task < tasks.size(); ++task) {
      shares_.push_back(tasks[task].size());
      const std::string id = tasks[task].at(0).at("id");
      if (id == lost_) {
        queue_ += fmt::format("{}|{}|NODE_FAIL|n7|None\nsqueue: a warning\n", name_in(words), task);
        storage::write_file(shared_ / fmt::format("log-{}-{}.txt", submitted_.size(), task),
                            "first\nno disk\n");
      } else if (is_pending_) {
        queue_ += fmt::format("{}|{}|PENDING||Resources\n", name_in(words), task);
      } else {
        grade_share(list, task, program_, "toolkit 1");
      }
    }
    return {};
  }
  static std::string name_in(const std::vector<std::string>& words) {
    for (const std::string& word : words)
      if (word.starts_with("--job-name=")) return word.substr(11);
    return "none";
  }

  sandbox::TemporaryFolder folder_{fs::temp_directory_path(), "lockstep-slurm-"};
  fs::path program_ = folder_.path() / "program", shared_ = folder_.path() / "slurm";
  std::vector<std::vector<std::string>> submitted_;
  std::vector<std::size_t> shares_;
  std::set<std::string> cancelled_, notes_;
  std::map<std::size_t, int> done_;
  std::map<std::size_t, Outcome> outcomes_;
  std::string queue_, lost_;
  int squeue_status_ = 0;
  bool is_refused_ = false, is_pending_ = false, is_interrupted_ = false;
};

TEST_F(Slurm, ArraysHaveAsManyTasksAsTheyMay) {
  SlurmOptions some = options();
  some.sbatch = {"--time=1", "--partition=p"};
  some.tasks = 2;
  some.gradings_of_task = 2;
  EXPECT_TRUE(run_all(7, some));
  EXPECT_EQ(done_, (std::map<std::size_t, int>{{0, 1}, {1, 1}, {2, 1}, {3, 1}, {4, 1}, {5, 1}, {6, 1}}));
  EXPECT_THAT(shares_, ElementsAre(2, 2, 2, 1));
  ASSERT_EQ(submitted_.size(), 2U);
  const std::string name = name_in(submitted_[0]);
  EXPECT_THAT(submitted_[0],
              ElementsAre("sbatch", "--time=14", "--cpus-per-task=2", "--mem=8G", "--export=ALL", "--time=1",
                          "--partition=p", "--parsable", "--ntasks=1", "--job-name=" + name, "--array=0-2%2",
                          "--no-requeue", "--chdir=" + shared_.string(), "--output=log-1-%a.txt",
                          (shared_ / "task.sh").string(), program_.string(), "class-task",
                          (shared_ / ("list-" + name + ".json")).string()))
      << "no task of an earlier run finds its list under this name";
  EXPECT_THAT(submitted_[1], testing::Contains("--array=0-0%2"));
  EXPECT_FALSE(fs::exists(shared_)) << "something is left";
  EXPECT_EQ(outcomes_[6].verdict, result::Verdict::passed);
  EXPECT_EQ(outcomes_[6].points, 10);
  EXPECT_EQ(outcomes_[6].device, "a device");
  EXPECT_EQ(outcomes_[6].toolkit, "toolkit 1");
  EXPECT_EQ(outcomes_[6].page, "page\n");
  EXPECT_EQ(outcomes_[6].text,
            "grade scan --submission x.cu --secret-file - --format json --output report.json --also "
            "html=report.html --more secret 6text 6\n");
}

TEST_F(Slurm, WhatIsLostIsTriedAloneAndThriceAtMost) {
  lost_ = job(1).id;
  SlurmOptions some = options();
  some.gradings_of_task = 2;
  EXPECT_TRUE(run_all(3, some));  // tasks of 0 and 1, and of 2
  EXPECT_EQ(done_, (std::map<std::size_t, int>{{0, 1}, {1, 1}, {2, 1}}));
  EXPECT_EQ(submitted_.size(), 1U) << "nothing is lost where every task has left its outcomes";

  done_.clear(), submitted_.clear(), shares_.clear();
  lost_ = job(0).id;
  EXPECT_TRUE(run_all(3, some));
  EXPECT_EQ(done_, (std::map<std::size_t, int>{{0, 1}, {1, 1}, {2, 1}}));
  EXPECT_THAT(shares_, ElementsAre(2, 1, /*alone, then what is lost again*/ 1, 1, 1));
  EXPECT_EQ(outcomes_[1].verdict, result::Verdict::passed) << "lost with the other, and graded alone";
  EXPECT_EQ(outcomes_[0].verdict, result::Verdict::grader_error);
  EXPECT_EQ(outcomes_[0].complaint, "its job was lost 3 times, last: NODE_FAIL on n7, which said: no disk");
}

TEST_F(Slurm, WhatItRefusesIsSaid) {
  is_refused_ = true;
  try {
    run_all(1, options());
    ADD_FAILURE() << "nothing was thrown";
  } catch (const SlurmError& error) {
    EXPECT_STREQ(error.what(), "no job can be submitted: sbatch: error: no such partition");
  }
  EXPECT_FALSE(fs::exists(shared_));
}

TEST_F(Slurm, AnInterruptedRunCancelsItsArrays) {
  is_pending_ = is_interrupted_ = true;
  EXPECT_FALSE(run_all(2, options()));
  EXPECT_THAT(cancelled_, ElementsAre("--name=" + name_in(submitted_.at(0))));
  EXPECT_TRUE(done_.empty());
  EXPECT_FALSE(fs::exists(shared_));
}

// A run has been killed after it submitted two gradings, of which one was graded.
TEST_F(Slurm, WhatAKilledRunLeftIsEndedAndTaken) {
  const RunCommand run = [this](const std::vector<std::string>& words) { return answer(words); };
  const std::string graded = sha256_of("graded"), broken = sha256_of("broken");
  storage::write_file(shared_ / "arrays.txt", "name.1\nname.2\n");
  storage::write_file(shared_ / "texts/t", "text");
  storage::write_file(shared_ / "list-1.json",
                      R"({"arguments": [], "tasks": [[{"id": ")" + graded +
                          R"(", "exercise": "scan", "file_name": "x.cu", "secret": "s", "text": "t"}]]})");
  EXPECT_TRUE(grade_share(shared_ / "list-1.json", 0, program_, ""));
  EXPECT_THROW(grade_share(shared_ / "list-1.json", 1, program_, ""), SlurmError);
  storage::write_file(shared_ / "outcomes" / broken, "{\"verdict\": \"passed\"");
  storage::write_file(shared_ / "outcomes" / (broken + ".new-7"), "half");

  squeue_status_ = 1;
  EXPECT_THROW(end_left_arrays(shared_, run), SlurmError);
  squeue_status_ = 0;
  queue_ = "name.2|5|RUNNING|n1|None\nname.1|0|COMPLETED|n1|None\n";
  end_left_arrays(shared_, run);
  EXPECT_THAT(cancelled_, ElementsAre("--name=name.2"));

  int kept = 0;
  const auto keep = [&kept](const Outcome& outcome) {
    EXPECT_EQ(outcome.verdict, result::Verdict::passed);
    ++kept;
  };
  take_left_outcome(shared_, broken, keep);
  EXPECT_EQ(kept, 0);
  EXPECT_FALSE(fs::exists(shared_ / "outcomes" / broken));
  clear_left(shared_);
  EXPECT_TRUE(fs::exists(shared_ / "outcomes" / graded)) << "what nobody has taken is kept";
  EXPECT_FALSE(fs::exists(shared_ / "outcomes" / (broken + ".new-7")));
  for (int times = 0; times < 2; ++times) take_left_outcome(shared_, graded, keep);
  EXPECT_EQ(kept, 1);
  clear_left(shared_);
  EXPECT_FALSE(fs::exists(shared_));
}

TEST(SlurmNames, DifferWithAllThatAGradingDependsOn) {
  const GradingKey key{"anna", "scan", "sha", "secret", "1.0"};
  std::set<std::string> ids = {grading_id(key), grading_id({"annas", "can", "sha", "secret", "1.0"})};
  for (std::string GradingKey::*part : {&GradingKey::student, &GradingKey::exercise, &GradingKey::sha256,
                                        &GradingKey::secret, &GradingKey::lockstep}) {
    GradingKey other = key;
    other.*part += 'x';
    ids.insert(grading_id(other));
  }
  EXPECT_EQ(ids.size(), 7U);
  EXPECT_EQ(grading_id(key), grading_id(key));
}

TEST(SlurmShares, GrowWithTheClass) {
  EXPECT_EQ(share_of(1), 1U);
  EXPECT_EQ(share_of(100), 1U);
  EXPECT_EQ(share_of(101), 2U);
  EXPECT_EQ(share_of(100'000), 8U);
}

}  // namespace
}  // namespace lockstep::classroom
