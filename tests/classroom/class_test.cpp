// `./lockstep class` from end to end: the built program grades a class, is killed, and goes on.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sqlite3.h>

#include <chrono>
#include <csignal>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>

#include "shell.h"

namespace lockstep::test {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

class Class : public testing::Test {
 protected:
  Class() {
    fs::create_directory(path("course"));
    link_course(LOCKSTEP_SOURCE, path("course"));
  }
  std::string path(const std::string& name) const { return (folder_.path() / name).string(); }
  std::string command(const std::string& arguments) const {
    return "cd '" + folder_.path().string() + "' && LOCKSTEP_ROOT=course CUDA_VISIBLE_DEVICES= exec '" +
           LOCKSTEP_EXECUTABLE "' " + arguments;
  }
  Ran lockstep(const std::string& arguments) const { return run(command(arguments) + " 2>&1"); }
  /// Hands in a file of the course, or another text.
  void hand_in(const std::string& name, const std::string& text) const {
    folder_.write("handed-in/" + name, text);
  }
  /// How often each student has been graded, as the class's database has it.
  std::map<std::string, int> gradings() const {
    std::map<std::string, int> counts;
    sqlite3* database = nullptr;
    const auto add = [](void* all, int, char** row, char**) {
      (*static_cast<std::map<std::string, int>*>(all))[row[0]] = std::stoi(row[1]);
      return 0;
    };
    if (sqlite3_open_v2(path("results/class.sqlite").c_str(), &database, SQLITE_OPEN_READONLY, nullptr) ==
        SQLITE_OK)
      sqlite3_exec(database, "SELECT student, count(*) FROM gradings GROUP BY student", add, &counts,
                   nullptr);
    sqlite3_close(database);
    return counts;
  }
  TemporaryFolder folder_;
};

std::string file_of_course(const std::string& name) { return contents_of(fs::path(LOCKSTEP_SOURCE) / name); }

constexpr const char* kDoesNothing =
    "#include \"transpose.h\"\nvoid transpose(const float*, float*, int, int, cudaStream_t) {}\n";

TEST_F(Class, IsKilledGoesOnAndGradesAsGradeAloneDoes) {
  hand_in("anna/homework/transpose.cu", file_of_course("solutions/05-transpose/transpose.cu"));
  hand_in("bob/transpose.cu", "void transpose(\n");
  hand_in("cy/transpose.cu", kDoesNothing);
  hand_in("dora.zip", "this is no archive");
  folder_.write("roster.csv", "id,name\nbob,\"Bob, B.\"\nanna,=Anna\nevery,Every\n");
  const std::string arguments =
      "class handed-in --results results --roster roster.csv --exercises transpose --device emulated "
      "--workers 1";

  const Ran started = run("(" + command(arguments) + ") > '" + path("log") + "' 2>&1 & echo $!");
  const pid_t process = std::stoi(started.output);
  for (int tries = 0; tries < 6000 && gradings().empty(); ++tries)
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  kill(process, SIGKILL);
  ASSERT_FALSE(gradings().empty()) << contents_of(path("log"));
  EXPECT_FALSE(fs::exists(path("results/points.csv"))) << "it was not killed on the way";

  const Ran ran = lockstep(arguments);
  EXPECT_EQ(ran.status, 0) << ran.output;
  const std::map<std::string, int> once = {{"anna", 1}, {"bob", 1}, {"cy", 1}};
  EXPECT_EQ(gradings(), once);
  EXPECT_THAT(ran.output,
              AllOf(HasSubstr("every (Every): has handed in nothing"), HasSubstr("cy: is not in the roster"),
                    HasSubstr("dora: the archive cannot be read: ")));
  EXPECT_EQ(
      contents_of(path("results/points.csv")),
      "id,name,transpose,total\r\nbob,\"Bob, B.\",0.0,0.0\r\nanna,'=Anna,10.0,10.0\r\nevery,Every,0.0,0.0\r\n"
      "cy,,0.0,0.0\r\ndora,,,0.0\r\n");

  std::map<std::string, nlohmann::json> found;
  const auto root = nlohmann::json::parse(contents_of(path("results/gradings.json")));
  for (const auto& student : root.at("students")) found[student.at("id")] = student.at("gradings").at(0);
  for (const std::string student : {"bob", "cy"}) {  // that the reference passes, other tests show
    const std::string file = "handed-in/" + student + "/transpose.cu";
    const Ran alone =
        run(command("grade transpose --format json --device emulated --submission " + file + " 2>/dev/null"));
    EXPECT_EQ(nlohmann::json::parse(alone.output).at("exercises").at(0).at("verdict"),
              found.at(student).at("verdict"))
        << student;
  }
  EXPECT_EQ(found.at("anna").at("verdict"), "passed");
  EXPECT_EQ(found.at("bob").at("verdict"), "compile-error");
  EXPECT_EQ(found.at("dora").at("state"), "refused");
  EXPECT_THAT(contents_of(path("results/reports/bob/transpose.txt")),
              AllOf(HasSubstr("transpose.cu does not compile"), Not(HasSubstr(folder_.path().string()))));
  EXPECT_THAT(contents_of(path("results/reports/anna/transpose.html")),
              AllOf(HasSubstr("Access to memory"), HasSubstr("passed"),
                    HasSubstr("as recorded on NVIDIA H200"), Not(HasSubstr(folder_.path().string()))));
  EXPECT_THAT(contents_of(path("results/reports/anna/index.html")), HasSubstr("./transpose.html"));
  EXPECT_THAT(contents_of(path("results/class.html")),
              AllOf(HasSubstr("./reports/anna/index.html"), HasSubstr("has handed in nothing")));
  for (const char* name :
       {"canvas.csv", "moodle.csv", "gradescope/bob/results.json", "prairielearn/bob/transpose/results.json",
        "junit/bob.xml", "similarity/transpose/submissions/bob/transpose.cu"})
    EXPECT_FALSE(contents_of(path(std::string("results/exports/") + name)).empty()) << name;
  EXPECT_FALSE(fs::exists(path("course/.lockstep/progress.json")))
      << "the instructor's progress is their own";
  EXPECT_FALSE(fs::exists(path("results/work")));

  EXPECT_EQ(lockstep(arguments).status, 0);
  EXPECT_EQ(gradings(), once) << "nothing has changed, and nothing is graded once more";
}

TEST_F(Class, AJudgeThatFailsIsToldAndTriedAgain) {
  hand_in("anna/transpose.cu", "void transpose(\n");
  // Without a GPU, which no judge sees.
  const std::string arguments = "class handed-in --results results --exercises transpose --device gpu";
  for (int times = 1; times <= 2; ++times) {
    const Ran ran = lockstep(arguments);
    EXPECT_EQ(ran.status, 3);
    EXPECT_THAT(ran.output, HasSubstr("anna: transpose: grader-error: lockstep: "));
    EXPECT_EQ(gradings(), (std::map<std::string, int>{{"anna", times}}));
  }
  EXPECT_EQ(contents_of(path("results/points.csv")), "id,name,transpose,total\r\nanna,,,0.0\r\n");
}

// A Gradescope export, a policy, and a decision that a new file makes void.
TEST_F(Class, ADownloadIsGradedByAPolicyAndOverruled) {
  hand_in("submission_metadata.yml",
          "submission_1:\n  :submitters:\n  - :name: Anna\n    :sid: '11'\n  :created_at: 2026-02-04 "
          "04:05:06.7 Z\n"
          "submission_2:\n  :submitters:\n  - :name: Bob\n    :sid: '12'\n");
  hand_in("submission_1/transpose.cu", file_of_course("solutions/05-transpose/transpose.cu"));
  hand_in("submission_2/transpose.cu", "void transpose(\n");
  folder_.write("roster.csv", "id,name,sid\nanna,\"Ångström, Anna\",11\nbob,Bob,\n");
  folder_.write("policy.json", R"({"deadline": "2026-02-03T23:59:59Z", "late_percent_per_day": 25})");
  const std::string arguments =
      "class handed-in --results results --roster roster.csv --exercises transpose --device emulated "
      "--policy policy.json";
  Ran ran = lockstep(arguments);
  EXPECT_EQ(ran.status, 0) << ran.output;
  EXPECT_THAT(ran.output,
              AllOf(HasSubstr("read as a Gradescope export, joined with the roster: 1 by name, 1 by sid"),
                    HasSubstr("anna: transpose: 7.5 of 10.0 earned: 1 day late, 25 % off"),
                    HasSubstr("transpose: 1 file counted as in time, since nobody says when")));
  EXPECT_EQ(contents_of(path("results/points.csv")),
            "id,name,transpose,total,reasons\r\n"
            "anna,\"Ångström, Anna\",7.5,7.5,\"transpose: 7.5 of 10.0 earned: 1 day late, 25 % off\"\r\n"
            "bob,Bob,0.0,0.0,\r\n");

  EXPECT_EQ(lockstep(arguments + " --overrule bob/transpose=4").status, 2) << "without a reason";
  EXPECT_EQ(lockstep(arguments + " --overrule bob/transpose=11 --reason r").status, 2);
  EXPECT_EQ(lockstep(arguments + " --overrule cy/transpose=1 --reason r").status, 2);
  ran = lockstep(arguments + " --overrule bob/transpose=4 --reason 'a slip of the pen' --by Eve");
  EXPECT_EQ(ran.status, 0) << ran.output;
  EXPECT_THAT(ran.output, AllOf(HasSubstr("bob: transpose: 4.0 of 0.0 earned: overruled by Eve on "),
                                HasSubstr(": a slip of the pen")));
  EXPECT_EQ(gradings(), (std::map<std::string, int>{{"anna", 1}, {"bob", 1}}));
  EXPECT_THAT(contents_of(path("results/gradings.json")),
              HasSubstr(R"("reason":"a slip of the pen","who":"Eve")"));

  hand_in("submission_2/transpose.cu", "void transpose(int\n");
  ran = lockstep(arguments);
  EXPECT_EQ(ran.status, 0) << ran.output;
  EXPECT_THAT(ran.output, HasSubstr("bob: transpose: what Eve decided on "));
  EXPECT_THAT(contents_of(path("results/points.csv")), HasSubstr("bob,Bob,0.0,0.0,\r\n"));
}

TEST_F(Class, WrongUseIsStatusTwo) {
  hand_in("anna/readme.txt", "nothing yet");
  folder_.write("bad.csv", "name\nAnna\n");
  folder_.write("bad.json", "{\"deadline\": \"tomorrow\"}");
  for (const char* arguments :
       {"class",
        "class handed-in",
        "class nothing --results results",
        "class handed-in/anna/readme.txt --results results",
        "class handed-in --results handed-in/results",
        "class handed-in --results bad.csv",
        "class handed-in --results results --exercises transpos",
        "class handed-in --results results --workers 0",
        "class handed-in --results results --roster bad.csv",
        "class handed-in --results results --device toaster",
        "class handed-in --results results --from blackboard",
        "class handed-in --results results --executor cloud",
        "class handed-in --results results --per-task 2",
        "class handed-in --results results --slurm-options --hold",
        "class handed-in --results results --executor slurm --per-task 0",
        "class handed-in --results results --executor slurm --slurm-options 'open \"quotes'",
        "class handed-in --results results --executor slurm --slurm-options '$(touch ran)'",
        "class handed-in --results results --from gradescope",
        "class handed-in --results results --policy bad.json",
        "class handed-in --results results --accept anna/scan",
        "class handed-in --results results --accept anna/scan --reason nothing",
        "class handed-in --results results --overrule anna/scan --reason r",
        "class handed-in --results results --withdraw scan --reason r",
        "class handed-in --results results --reason r",
        "class handed-in --results results --exercises scan --regrade=transpose"})
    EXPECT_EQ(lockstep(arguments).status, 2) << arguments;
  EXPECT_FALSE(fs::exists(path("ran")));
}

TEST_F(Class, WhatNodesRunIsNoCommandForAnybody) {
  for (const char* arguments : {"--help", "completion bash", "class-tas"})
    EXPECT_THAT(lockstep(arguments).output, Not(HasSubstr("class-task"))) << arguments;
  EXPECT_EQ(lockstep("class-task nothing 0").status, 3);
}

TEST_F(Class, ANodeThatDoesNotIsolateSubmissionsIsNamed) {
  const std::string id(64, 'a');
  folder_.write("slurm/texts/t", "\xFF");
  folder_.write("slurm/list-1.json",
                R"({"arguments": ["--device", "emulated"], "tasks": [[{"id": ")" + id +
                    R"(", "exercise": "transpose", "file_name": "transpose.cu", "secret": ")" + id +
                    R"(", "text": "t"}]]})");
  const Ran ran = run("export LOCKSTEP_SANDBOX=none; " + command("class-task slurm/list-1.json 0") + " 2>&1");
  EXPECT_EQ(ran.status, 0) << ran.output;
  const auto outcome = nlohmann::json::parse(contents_of(path("slurm/outcomes/" + id)));
  EXPECT_EQ(outcome.at("verdict"), "compile-error");
  EXPECT_THAT(outcome.at("warning").get<std::string>(), HasSubstr("submissions are not isolated on "));
}

TEST_F(Class, OneRunAtATimeWorksInAFolder) {
  hand_in("anna/readme.txt", "nothing yet");
  fs::create_directories(path("results"));
  const Ran ran = run("flock '" + path("results/class.lock") + "' sh -c \"" +
                      command("class handed-in --results results") + "\" 2>&1");
  EXPECT_EQ(ran.status, 3);
  EXPECT_THAT(ran.output, HasSubstr("another ./lockstep class is at work in results"));
}

}  // namespace
}  // namespace lockstep::test
