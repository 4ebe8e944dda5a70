// The built program from outside: what its commands print and with which status they end.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>

#include "mistakes.h"
#include "shell.h"

namespace lockstep::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

/// The program, working on a course in a folder of its own: state and starters of this clone stay as they
/// are.
class Command : public testing::Test {
 protected:
  Ran lockstep(const std::string& arguments) {
    return run("LOCKSTEP_ROOT='" + course_.path().string() + "' '" LOCKSTEP_EXECUTABLE "' " + arguments);
  }
  void git(const std::string& arguments) {
    const Ran ran = run("git -C '" + course_.path().string() +
                        "' -c user.name=Test -c user.email=test@example.org " + arguments + " 2>&1");
    ASSERT_EQ(ran.status, 0) << ran.output;
  }
  std::string read(const std::string& name) {
    std::ifstream file(course_.path() / name);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  /// What reset has kept.
  std::vector<std::filesystem::path> backups() {
    std::vector<std::filesystem::path> paths;
    for (const auto& entry : std::filesystem::directory_iterator(course_.path() / ".lockstep/backup"))
      paths.push_back(entry.path());
    return paths;
  }
  TemporaryFolder course_;
};

TEST(Program, FindsTheCourseThatItWasBuiltFrom) {
  const Ran ran = run("env -u LOCKSTEP_ROOT '" LOCKSTEP_EXECUTABLE "' doctor");
  EXPECT_THAT(ran.output, HasSubstr("bubblewrap")) << "from the course's list of packages";
}

TEST(Program, UsesTheProcessorsThatItMayUse) {
  EXPECT_THAT(run("taskset --cpu-list 0 '" LOCKSTEP_EXECUTABLE "' doctor").output, HasSubstr("1 core,"));
}

TEST_F(Command, HelpListsEveryCommandAndEndsWell) {
  const Ran ran = lockstep("--help");
  EXPECT_EQ(ran.status, 0);
  for (const char* command :
       {"list", "grade", "watch", "profile", "hint", "lectures", "reset", "new", "class", "autograder",
        "calibrate", "doctor", "emulate", "study", "completion", "test"}) {
    EXPECT_THAT(ran.output, HasSubstr(std::string("\n  ") + command)) << command;
  }
}

TEST_F(Command, EveryCommandHasHelpWithAnExample) {
  for (const char* command :
       {"list", "grade", "watch", "profile", "hint", "lectures", "reset", "new", "class", "autograder",
        "calibrate", "doctor", "emulate", "study", "completion", "test"}) {
    const Ran ran = lockstep(std::string(command) + " --help");
    EXPECT_EQ(ran.status, 0) << command;
    EXPECT_THAT(ran.output, HasSubstr("Example")) << command;
  }
}

TEST_F(Command, VersionIsOneLine) {
  const Ran ran = lockstep("--version");
  EXPECT_EQ(ran.status, 0);
  EXPECT_THAT(ran.output, testing::MatchesRegex("lockstep [0-9]+\\.[0-9]+\\.[0-9]+\n"));
}

TEST_F(Command, WrongUseIsStatusTwo) {
  for (const char* arguments : {"juggle",
                                "help juggle",
                                "hint transpose --number 0",
                                "hint transpose --number 6",
                                "hint transpose --number 1 --all",
                                "grade --device toaster",
                                "grade --format yaml",
                                "grade --all transpose",
                                "hint",
                                "profile transpose --svg figure.svg",
                                "profile transpose --space shared",
                                "profile transpose --format json --trace 20",
                                "profile transpose --device toaster",
                                "profile transpose --device gpu --trace 20",
                                "profile transpose --device gpu --multiprocessors 132",
                                "profile transpose --device gpu --case 2048",
                                "profile transpose --case '1 x 1'",
                                "profile transpose --multiprocessors 0",
                                "calibrate --format junit",
                                "calibrate transpose",
                                "bench",
                                "bench --all transpose",
                                "bench transpose --rounds 4",
                                "grade transpose --seed -1",
                                "grade transpose --seed 18446744073709551616",
                                "grade transpose --seed 1 --seed-file /dev/null",
                                "grade transpose --seed 1 --secret-file /dev/null",
                                "grade transpose --seed-file - < /dev/null",
                                "grade transpose --secret-file - < /dev/null",
                                "grade transpose --show-seed",
                                "grade --case '1 x 1'",
                                "grade transpose scan --case '1 x 1'",
                                "grade transpose --case ''",
                                "grade transpose --output ''",
                                "grade transpose --output /",
                                "grade transpose --output results/",
                                "grade transpose --also page.html",
                                "grade transpose --also yaml=page.html",
                                "grade transpose --also html=",
                                "grade transpose --also html=/",
                                "grade transpose --submission ''",
                                "grade transpose --submission /nonexistent",
                                "grade --submission /nonexistent",
                                "grade transpose --submission $'two\\nlines.cu'",
                                "profile transpose --submission /nonexistent",
                                "emulate",
                                "study transpose",
                                "study --cutoff 1 drmsd-matrix",
                                "watch transpose",
                                "watch --case '1 x 1'",
                                "watch --submission /dev/null",
                                "test"}) {
    EXPECT_EQ(lockstep(std::string(arguments) + " 2>&1").status, 2) << arguments;
  }
}

TEST_F(Command, UnknownExerciseSuggestsTheNearest) {
  for (const char* command : {"grade", "profile", "hint", "reset", "study"}) {
    const Ran ran = lockstep(std::string(command) + " transpos 2>&1");
    EXPECT_EQ(ran.status, 2) << command;
    EXPECT_THAT(ran.output, HasSubstr("did you mean transpose")) << command;
  }
}

TEST_F(Command, ACaseIsNamedByAPartThatIsNoOthers) {
  const auto says = [&](const std::string& name) {
    const Ran ran = lockstep("grade transpose --device emulated --case '" + name + "' 2>&1");
    EXPECT_EQ(ran.status, 2) << name;
    return ran.output;
  };
  EXPECT_THAT(says("x 1"), HasSubstr("is a part of several cases of transpose: "));
  EXPECT_THAT(says("33 x 66"), HasSubstr("transpose has no case \"33 x 66\"; did you mean 33 x 33"));
  EXPECT_THAT(says("square"), AllOf(HasSubstr("there are 0 x 7, 7 x 0, 1 x 1, "), HasSubstr("2048 x 1536")));
}

TEST_F(Command, ASecretKeepsItsInputs) {
  course_.write("secret", "0123456789abcdef0123456789abcdef");
  const std::string secret = (course_.path() / "secret").string();
  run("chmod 600 '" + secret + "'");
  const Ran ran = lockstep("grade transpose --case '1 x 1' --secret-file '" + secret + "' 2>&1");
  EXPECT_EQ(ran.status, 2);
  EXPECT_THAT(ran.output, HasSubstr("--case shows inputs, which a class is not to know"));
}

TEST(Program, ForgetsThatNamespacesWorkedWhenTheyDoNot) {
  std::string bwrap = run("command -v bwrap").output;
  if (bwrap.empty()) GTEST_SKIP() << "no bubblewrap on this machine";
  bwrap.pop_back();  // the end of the line
  const TemporaryFolder folder;
  folder.write("bin/bwrap",
               "#!/bin/sh\n[ -e \"$0.fails\" ] && { echo no namespaces today >&2; exit 1; }\n"
               "exec " +
                   bwrap + " \"$@\"\n",
               true);
  const std::string path = folder.path().string();
  const auto grade = [&path] {
    return run("unset LOCKSTEP_SANDBOX; PATH='" + path + "/bin':$PATH LOCKSTEP_CACHE='" + path +
               "/cache' LOCKSTEP_NO_HISTORY=1 '" LOCKSTEP_EXECUTABLE
               "' grade coalescing --device emulated --submission '" LOCKSTEP_SOURCE
               "/solutions/04-coalescing/coalescing.cu' 2>&1");
  };
  const Ran first = grade();
  ASSERT_EQ(first.status, 0) << first.output;
  if (first.output.find("not isolated") != std::string::npos) GTEST_SKIP() << "no namespaces on this machine";
  EXPECT_NE(contents_of(folder.path() / "cache/lockstep-namespaces"), "");
  folder.write("bin/bwrap.fails", "");
  const Ran second = grade();
  EXPECT_EQ(second.status, 3);
  EXPECT_THAT(second.output, HasSubstr("bubblewrap failed (no namespaces today)"));
  const Ran third = grade();
  EXPECT_EQ(third.status, 0);
  EXPECT_THAT(third.output, AllOf(HasSubstr("not isolated"), HasSubstr("no namespaces today")));
}

TEST_F(Command, UnknownCommandSuggestsTheNearest) {
  const Ran ran = lockstep("grad transpose 2>&1");
  EXPECT_EQ(ran.status, 2);
  EXPECT_THAT(ran.output, HasSubstr("there is no command \"grad\"; did you mean grade?"));
  EXPECT_THAT(lockstep("garde 2>&1").output, HasSubstr("\"garde\"; did you mean grade?"));
  for (const char* other : {"run", "verify", "check"})
    EXPECT_THAT(lockstep(std::string(other) + " transpose 2>&1").output, HasSubstr("did you mean grade?"))
        << other;
  EXPECT_THAT(lockstep("'' 2>&1").output,
              HasSubstr("there is no command \"\". ./lockstep --help shows them all"));
}

TEST_F(Command, NothingIsTheListAndHelpIsAWordToo) {
  const Ran nothing = lockstep("");
  EXPECT_EQ(nothing.status, 0);
  EXPECT_EQ(nothing.output, lockstep("list").output);
  const Ran help = lockstep("help");
  EXPECT_EQ(help.status, 0);
  EXPECT_EQ(help.output, lockstep("--help").output);
  EXPECT_EQ(lockstep("help grade").output, lockstep("grade --help").output);
}

TEST_F(Command, AWordThatIsNoChoiceIsToldTheChoices) {
  EXPECT_THAT(lockstep("grade transpose --device cpu 2>&1").output,
              HasSubstr("--device: cpu is none of auto, gpu, emulated"));
  EXPECT_THAT(lockstep("grade transpose --format yaml 2>&1").output,
              HasSubstr("--format: yaml is none of text, lines, json, junit, sarif, html"));
  EXPECT_THAT(lockstep("profile transpose --device cpu 2>&1").output,
              HasSubstr("--device: cpu is none of gpu, emulated"));
}

TEST_F(Command, OutputThatCannotBeWrittenIsStatusThree) {
  for (const char* command : {"list", "--help", "hint transpose"}) {
    const Ran ran = lockstep(std::string(command) + " 2>&1 >/dev/full");
    EXPECT_EQ(ran.status, 3) << command;
    EXPECT_THAT(ran.output, HasSubstr("standard output could not be written")) << command;
  }
}

TEST_F(Command, LecturesAreShownByTheBrowserOrTheirPlaceIsTold) {
  const std::string folder = course_.path().string();
  const auto lectures = [&](const std::string& variables, const std::string& arguments) {
    return run("export " + variables + " LOCKSTEP_ROOT='" + folder +
               "'; '" LOCKSTEP_EXECUTABLE "' lectures " + arguments + " 2>&1");
  };
  const std::string no_screen = "DISPLAY= WAYLAND_DISPLAY=";
  const Ran missing = lectures(no_screen, "");
  EXPECT_EQ(missing.status, 3);
  EXPECT_THAT(missing.output, HasSubstr("the site is not built"));
  course_.write("build/release/docs/html/index.html", "built");
  EXPECT_EQ(lectures(no_screen, "--print").output, folder + "/build/release/docs/html/index.html\n");
  course_.write("site/index.html", "of a package");
  EXPECT_EQ(lectures(no_screen, "09 --print").output, folder + "/site/lecture_block_scan.html\n");
  EXPECT_EQ(lectures(no_screen, "predictions --print").output, folder + "/site/lecture_execution.html\n");
  EXPECT_THAT(lectures(no_screen, "").output,
              AllOf(HasSubstr("Open this page in a browser: " + folder + "/site/index.html"),
                    HasSubstr("python3 -m http.server")));
  EXPECT_EQ(lectures(no_screen, "transpos").status, 2);
  course_.write("bin/xdg-open", "#!/bin/sh\necho \"$1\" > '" + folder + "/opened'\n", true);
  const Ran opened = lectures("DISPLAY=:0 PATH='" + folder + "/bin':\"$PATH\"", "transpose");
  EXPECT_EQ(opened.status, 0);
  EXPECT_THAT(opened.output, HasSubstr("The browser opens"));
  EXPECT_EQ(read("opened"), folder + "/site/lecture_transpose.html\n");
}

TEST_F(Command, ProgressOfSeveralAtATimeIsKept) {
  const std::string hint = "LOCKSTEP_ROOT='" + course_.path().string() +
                           "' '" LOCKSTEP_EXECUTABLE "' hint transpose > /dev/null & ";
  for (int round = 0; round < 10; ++round) {
    std::filesystem::remove(course_.path() / ".lockstep/progress.json");
    run(hint + hint + hint + hint + "wait");
    const auto progress = nlohmann::json::parse(read(".lockstep/progress.json"));
    ASSERT_EQ(progress.at("exercises").at("transpose").at("hints"), 4) << round;
  }
}

TEST_F(Command, AHintComesThoughSomebodyHoldsTheLockOrNothingCanBeKept) {
  std::filesystem::create_directory(course_.path() / ".lockstep");
  const std::string lock = course_.path().string() + "/.lockstep/progress.lock";
  const std::string holder = course_.path().string() + "/holder";
  run("sh -c \"exec 9>'" + lock + "'; flock 9; exec sleep 60\" > /dev/null 2>&1 & echo $! > '" + holder +
      "'; sleep 0.2");
  EXPECT_THAT(lockstep("hint transpose").output, HasSubstr("Hint 1 of"));
  run("kill $(cat '" + holder + "')");
  std::filesystem::remove_all(course_.path() / ".lockstep");
  std::filesystem::create_directories(course_.path() / ".lockstep/progress.json");
  const Ran ran = lockstep("hint transpose");
  EXPECT_EQ(ran.status, 3);
  EXPECT_THAT(ran.output, HasSubstr("Hint 1 of"));
}

// Root may write everywhere, so another user tries.
TEST_F(Command, ACourseThatMayOnlyBeReadKeepsItsStateInTheHome) {
  const std::string user = geteuid() == 0 ? "setpriv --reuid=65534 --regid=65534 --clear-groups " : "";
  if (run(user + "test -x '" LOCKSTEP_EXECUTABLE "' 2>&1").status != 0)
    GTEST_SKIP() << "another user cannot run this build";
  const TemporaryFolder home;
  const std::string course = course_.path().string(), at_home = "HOME='" + home.path().string() + "'";
  run("chmod 777 '" + home.path().string() + "'");
  const auto hint = [&](const std::string& variables) {
    return run(user + "env -u XDG_STATE_HOME LOCKSTEP_ROOT='" + course + "' " + variables +
               " '" LOCKSTEP_EXECUTABLE "' hint transpose 2>&1")
        .output;
  };
  run("chmod 555 '" + course + "'");
  EXPECT_THAT(hint(at_home), HasSubstr("Hint 1 of"));
  run("chmod 755 '" + course + "'; mkdir '" + course + "/.lockstep'; chmod 555 '" + course + "/.lockstep' '" +
      course + "'");  // its owner has used it
  EXPECT_THAT(hint(at_home), HasSubstr("Hint 2 of"));
  EXPECT_TRUE(std::filesystem::exists(home.path() / ".local/state/lockstep"));
  EXPECT_THAT(hint("XDG_STATE_HOME='" + home.path().string() + "/state'"), HasSubstr("Hint 1 of"));
  EXPECT_TRUE(std::filesystem::exists(home.path() / "state/lockstep"));
  run("chmod 755 '" + course + "' '" + course + "/.lockstep'");
}

TEST_F(Command, AnExerciseIsAlsoNamedByWhatATerminalCompletes) {
  course_.write("exercises/05-transpose/transpose.cu", "");
  course_.write("mine/05-transpose/transpose.cu", "");
  const std::string course = course_.path().string();
  for (const char* name :
       {"/exercises/05-transpose", "/exercises/05-transpose/", "/exercises/05-transpose/transpose.cu"})
    EXPECT_THAT(lockstep("hint '" + course + name + "'").output, HasSubstr("Hint ")) << name;
  // Another file by the same name is not the exercise's.
  const Ran ran = lockstep("grade '" + course + "/mine/05-transpose/transpose.cu' 2>&1");
  EXPECT_EQ(ran.status, 2);
  EXPECT_THAT(ran.output, HasSubstr("--submission"));
}

TEST_F(Command, OneFileCannotSolveSeveralExercises) {
  course_.write("one.cu", "// nothing\n");
  const Ran ran = lockstep("grade --all --submission '" + (course_.path() / "one.cu").string() + "' 2>&1");
  EXPECT_EQ(ran.status, 2);
  EXPECT_THAT(ran.output, HasSubstr("say which exercise"));
}

TEST_F(Command, ListNamesWhatComesNext) {
  const Ran ran = lockstep("list");
  EXPECT_EQ(ran.status, 0);
  EXPECT_THAT(ran.output, HasSubstr("transpose"));
  EXPECT_THAT(ran.output, HasSubstr("not graded"));
  EXPECT_THAT(ran.output, HasSubstr("Next: "));
  EXPECT_THAT(ran.output, Not(HasSubstr("\x1B")));
}

TEST_F(Command, ListShowsWhatWasReachedAndSurvivesADamagedFile) {
  course_.write(
      ".lockstep/progress.json",
      R"({"schema": "lockstep/progress/v1", "exercises": {"transpose": {"verdict": "race", "points": 1.5, "hints": 1}}})");
  EXPECT_THAT(lockstep("list").output, HasSubstr("race")) << "as versions before counted nothing else";
  course_.write(
      ".lockstep/progress.json",
      R"({"schema": "lockstep/progress/v1", "exercises": {"transpose": {"verdict": "race", "cases": "x", "passed_cases": -1, "gates": [1, "x"]}}})");
  EXPECT_THAT(lockstep("list").output, HasSubstr("race"));
  course_.write(".lockstep/progress.json", "{\"schema\": ");
  EXPECT_EQ(lockstep("list").status, 0);
  EXPECT_THAT(lockstep("list").output, Not(HasSubstr("race")));
}

TEST_F(Command, HintsComeOneAtATimeAndBeginAgain) {
  EXPECT_THAT(lockstep("hint transpose").output, HasSubstr("Hint 1 of "));
  EXPECT_THAT(lockstep("hint 5").output, HasSubstr("Hint 2 of "));
  EXPECT_THAT(lockstep("hint 05-transpose --all").output, HasSubstr("Hint 1 of "));
  const std::string again = lockstep("hint transpose").output;
  EXPECT_THAT(again, HasSubstr("You have seen every hint"));
  EXPECT_THAT(again, HasSubstr("Hint 1 of "));
}

TEST_F(Command, AFormerHintComesAgainByItsNumber) {
  lockstep("hint transpose");
  lockstep("hint transpose");
  EXPECT_THAT(lockstep("hint transpose --number 1").output, HasSubstr("Hint 1 of "));
  EXPECT_THAT(lockstep("hint transpose").output, HasSubstr("Hint 3 of ")) << "the next is what it was";
  EXPECT_THAT(lockstep("hint transpose --number 9 2>&1").output, HasSubstr("there is no hint 9"));
}

TEST_F(Command, ResetRestoresTheNewestStarterAndKeepsTheStudentsFile) {
  const std::string file = "exercises/05-transpose/transpose.cu";
  git("init -q .");
  for (const char* version :
       {"// TODO: the first starter\n", "// TODO: a better starter\n", "// a solution\n"}) {
    course_.write(file, version);
    git("add -A");
    git("commit -q -m version");
  }
  course_.write(file, "// the student's work\n");
  const Ran ran = lockstep("reset transpose");
  EXPECT_EQ(ran.status, 0) << ran.output;
  EXPECT_EQ(read(file), "// TODO: a better starter\n");
  const std::vector<std::filesystem::path> kept = backups();
  ASSERT_EQ(kept.size(), 1U);
  EXPECT_THAT(ran.output, HasSubstr(kept[0].string()));
  EXPECT_EQ(read(std::filesystem::relative(kept[0], course_.path())), "// the student's work\n");
  EXPECT_THAT(lockstep("reset transpose").output, HasSubstr("is the starter already"));
}

TEST_F(Command, ResetOpensPredictionsAgain) {
  const std::string file = "exercises/03-predictions/predictions.txt";
  const std::string starter = contents_of(std::filesystem::path(LOCKSTEP_SOURCE) / file);
  std::string predicted = starter;
  predicted.replace(predicted.find("= ?"), 3, "= 4");
  git("init -q .");
  for (const std::string& version : {starter, predicted}) {
    course_.write(file, version);
    git("add -A");
    git("commit -q -m version");
  }
  const Ran ran = lockstep("reset predictions");
  EXPECT_EQ(ran.status, 0) << ran.output;
  EXPECT_EQ(read(file), starter);
  ASSERT_EQ(backups().size(), 1U);
  EXPECT_EQ(backups()[0].extension(), ".txt");
}

TEST_F(Command, PredictionsHaveNoCodeToProfileAndNoCaseToRun) {
  for (const char* arguments : {"profile predictions", "grade predictions --case shifted"}) {
    const Ran ran = lockstep(std::string(arguments) + " 2>&1");
    EXPECT_EQ(ran.status, 2) << arguments;
    EXPECT_THAT(ran.output, HasSubstr("predictions asks for predictions")) << arguments;
  }
}

TEST_F(Command, KernelsThatWereEditedAreNoFaultOfThePredictions) {
  const std::filesystem::path source = LOCKSTEP_SOURCE;
  for (const char* file :
       {"exercises/03-predictions/predictions.h", "exercises/03-predictions/predictions.txt",
        "common/lockstep/check_cuda.h", "common/lockstep/divide_up.h"})
    course_.write(file, contents_of(source / file));
  const std::string file = "exercises/03-predictions/kernels.cu", kernels = contents_of(source / file);
  const std::string load = "in[i + 1]";
  for (const char* edited : {"in[i]", "in[i + 1"}) {  // it computes something else, and does not compile
    course_.write(file, std::string(kernels).replace(kernels.find(load), load.size(), edited));
    const Ran ran = lockstep("grade predictions --device emulated 2>&1");
    EXPECT_EQ(ran.status, 3) << ran.output;
    EXPECT_THAT(ran.output, AllOf(HasSubstr("predictions: grader-error"), HasSubstr("git checkout " + file)));
  }
}

TEST_F(Command, ResetTakesAwayWhatIsNoFile) {
  const std::string file = "exercises/05-transpose/transpose.cu";
  git("init -q .");
  course_.write(file, "// TODO: the starter\n");
  git("add -A");
  git("commit -q -m version");
  std::filesystem::remove(course_.path() / file);
  course_.write(file + "/mine.txt", "in a folder of that name\n");
  const Ran ran = lockstep("reset transpose");
  EXPECT_EQ(ran.status, 0) << ran.output;
  EXPECT_EQ(read(file), "// TODO: the starter\n");
  const std::vector<std::filesystem::path> folders = backups();
  ASSERT_EQ(folders.size(), 1U);
  EXPECT_EQ(read(std::filesystem::relative(folders[0], course_.path()) / "mine.txt"),
            "in a folder of that name\n");
  std::filesystem::remove(course_.path() / file);
  ASSERT_EQ(mkfifo((course_.path() / file).c_str(), 0600), 0);
  EXPECT_EQ(lockstep("reset transpose").status, 0);
  EXPECT_EQ(read(file), "// TODO: the starter\n");
  EXPECT_EQ(backups().size(), 2U);
}

TEST_F(Command, ResetWithoutHistorySaysWhatToDo) {
  course_.write("exercises/05-transpose/transpose.cu", "// the student's work\n");
  const Ran ran = lockstep("reset transpose 2>&1");
  EXPECT_EQ(ran.status, 3);
  EXPECT_THAT(ran.output, HasSubstr("Clone the course again"));
  EXPECT_EQ(read("exercises/05-transpose/transpose.cu"), "// the student's work\n");
}

TEST_F(Command, AGpuThatIsNotThereIsStatusThree) {
  if (std::filesystem::exists("/dev/nvidiactl")) GTEST_SKIP() << "this machine has an NVIDIA driver";
  for (const char* command :
       {"grade transpose --device gpu", "profile transpose --device gpu", "calibrate", "bench transpose"}) {
    const Ran ran = lockstep(std::string(command) + " 2>&1");
    EXPECT_EQ(ran.status, 3) << command;
    EXPECT_THAT(ran.output, testing::StartsWith("lockstep: no usable GPU")) << command;
  }
}

TEST_F(Command, EmulateWithoutTheProgramIsWrongUse) {
  const Ran ran = lockstep("emulate ./there-is-no-such-program 2>&1");
  EXPECT_EQ(ran.status, 2) << ran.output;
}

// The following judge for real, on the emulated device and with this clone's exercises.
class Grading : public testing::Test {
 protected:
  Ran lockstep(const std::string& arguments) { return run("'" LOCKSTEP_EXECUTABLE "' " + arguments); }
  const std::string reference_ = "--device emulated --submission '" LOCKSTEP_SOURCE "/solutions'";
  TemporaryFolder folder_;
};

TEST_F(Grading, AFolderWithoutTheFileIsToldWhichItLacks) {
  const std::string folder = folder_.path().string();
  const Ran ran = lockstep("grade transpose --device emulated --submission '" + folder + "'");
  EXPECT_EQ(ran.status, 1) << ran.output;
  EXPECT_THAT(ran.output, HasSubstr("has no file transpose.cu"));
  EXPECT_THAT(ran.output, HasSubstr("Next: Put transpose.cu there"));
}

TEST_F(Grading, WhatComesNextFollowsWhatTheDeviceFound) {
  const auto next_step = [&](const std::string& exercise, const std::filesystem::path& file) {
    const std::string source = source_of(file, folder_.path()).string();
    const Ran ran =
        lockstep("grade " + exercise + " --format json --device emulated --submission '" + source + "'");
    return nlohmann::json::parse(ran.output).at("exercises").at(0).at("next_step").get<std::string>();
  };
  const std::string solutions = LOCKSTEP_SOURCE "/solutions";
  EXPECT_THAT(next_step("transpose", solutions + "/05-transpose/wrong/missing_barrier.patch"),
              AllOf(HasSubstr("Put a `__syncthreads()` there"), Not(HasSubstr("fence"))));
  EXPECT_THAT(next_step("scan", solutions + "/10-scan/wrong/no_waiting.patch"),
              AllOf(HasSubstr("fence"), Not(HasSubstr("barrier"))));
  const std::filesystem::path pointer = folder_.path() / "coalescing.cu";
  std::ofstream(pointer)
      << "#include \"coalescing.h\"\n"
         "__global__ void k(const Particle* p, float* fields) { fields[0] = p->x; }\n"
         "void coalescing(const Particle*, float* fields, int, int, float, cudaStream_t s) {\n"
         "  static Particle on_host;\n"
         "  k<<<1, 1, 0, s>>>(&on_host, fields);\n}\n";
  EXPECT_THAT(next_step("coalescing", pointer), HasSubstr("where does this pointer come from"));
  const std::filesystem::path prints = folder_.path() / "transpose.cu";
  std::ofstream(prints)
      << "#include <cstdio>\n#include \"transpose.h\"\n"
         "__global__ void k(const float* in, float* out, int rows, int columns) {\n"
         "  const int x = blockIdx.y * 32 + threadIdx.x, y = blockIdx.x;\n"
         "  if (x < columns) out[x * rows + y] = in[y * columns + x];\n"
         "  if (threadIdx.x == 0)\n"
         "    printf(\"row %d\\n\", y);\n}\n"
         "void transpose(const float* in, float* out, int rows, int columns, cudaStream_t s) {\n"
         "  if (rows > 0 && columns > 0)\n"
         "    k<<<dim3(rows, (columns + 31) / 32), 32, 0, s>>>(in, out, rows, columns);\n}\n";
  // A report beside a file is not progress.
  const Ran ran =
      lockstep("grade transpose --device emulated --format json --output '" +
               (folder_.path() / "report.json").string() + "' --submission '" + prints.string() + "'");
  EXPECT_THAT(ran.output, HasSubstr("transpose.cu:7\n"));
  EXPECT_THAT(ran.output, HasSubstr("all printed by kernels"));
}

/// The clone's course with progress of its own, where a student grades files beside it.
class OwnProgress : public testing::Test {
 protected:
  OwnProgress() { link_course(LOCKSTEP_SOURCE, course_.path()); }
  Ran lockstep(const std::string& arguments, const std::string& folder = ".") {
    const std::string course = course_.path().string();
    return run("cd '" + course + "/" + folder + "' && LOCKSTEP_ROOT='" + course +
               "' CUDA_VISIBLE_DEVICES= '" LOCKSTEP_EXECUTABLE "' " + arguments + " 2>&1");
  }
  void hand_in(const std::string& solution) {
    course_.write("my/transpose.cu", contents_of(LOCKSTEP_SOURCE "/solutions/05-transpose/" + solution));
  }
  /// That of transpose, null when it was never graded.
  nlohmann::json progress() {
    const auto root =
        nlohmann::json::parse(contents_of(course_.path() / ".lockstep/progress.json"), nullptr, false);
    return root.is_object() ? root.at("exercises").value("transpose", nlohmann::json()) : nlohmann::json();
  }
  void pass_all_but(const std::string& missing) {
    nlohmann::json exercises;
    for (const auto& entry : std::filesystem::directory_iterator(LOCKSTEP_SOURCE "/exercises")) {
      if (!entry.is_directory()) continue;
      const std::string topic = entry.path().filename().string().substr(3);  // after "NN-"
      if (topic != missing) exercises[topic] = {{"verdict", "passed"}, {"points", 10}, {"hints", 0}};
    }
    const nlohmann::json root = {{"schema", "lockstep/progress/v1"}, {"exercises", exercises}};
    course_.write(".lockstep/progress.json", root.dump());
  }
  /// As one line, however it was wrapped.
  static std::string unwrapped(const std::string& text) {
    std::string line;
    for (const char c : text)
      if ((c != ' ' && c != '\n') || !line.ends_with(' ')) line += c == '\n' ? ' ' : c;
    return line;
  }
  TemporaryFolder course_;
};

TEST_F(OwnProgress, AFileThatIsNamedItselfCountsAndTheReportTellsWhatHasChanged) {
  hand_in("rungs/tiled.cu");
  const Ran first = lockstep("grade transpose --submission my/transpose.cu");
  EXPECT_THAT(first.output, Not(testing::ContainsRegex("was [0-9]")));
  EXPECT_EQ(progress().at("verdict"), "inefficient");
  EXPECT_THAT(lockstep("list").output, testing::ContainsRegex("transpose +7\\.9/10\\.0  inefficient"));
  hand_in("rungs/naive.cu");
  const Ran second = lockstep("grade transpose --submission my/transpose.cu");
  EXPECT_THAT(second.output, testing::ContainsRegex("was 1\\.[0-9]+, now 4\\.[0-9]+, asked 1\\.50"));
  EXPECT_EQ(progress().at("verdict"), "inefficient");
  EXPECT_GT(progress().at("points"), 7.8) << "of the better one";

  course_.write("my/transpose.cu",
                "#include \"transpose.h\"\n"
                "void transpose(const float*, float*, int, int, cudaStream_t) {}\n");
  const Ran broken = lockstep("grade transpose --submission my/transpose.cu");
  EXPECT_THAT(broken.output, HasSubstr("was 20 of 20 cases, now 2\n"));
  EXPECT_THAT(lockstep("grade transpose --submission my/transpose.cu").output,
              Not(testing::ContainsRegex("was [0-9]")));
}

TEST_F(OwnProgress, EachPuzzlesGatesAreComparedWithItsOwn) {
  course_.write("my/execution.cu", contents_of(LOCKSTEP_SOURCE "/solutions/03-execution/rungs/by_lane.cu"));
  for (int grading = 0; grading < 2; ++grading) {
    EXPECT_THAT(lockstep("grade execution --submission my/execution.cu").output,
                testing::AllOf(HasSubstr("✗ idle-lanes"), Not(testing::ContainsRegex("was [0-9]"))))
        << "nothing has changed";
  }
}

TEST_F(OwnProgress, WhatIsNotOnesOwnDoesNotCount) {
  hand_in("transpose.cu");
  run("umask 077; head -c 32 /dev/urandom > '" + course_.path().string() + "/secret'");
  for (const char* arguments :
       {"--submission solutions/05-transpose/transpose.cu", "--submission solutions",
        "--submission tests/red-team/honest/own_buffers.cu", "--submission my",
        "--submission my/transpose.cu --secret-file secret", "--submission my/transpose.cu --format json"}) {
    EXPECT_EQ(lockstep(std::string("grade transpose ") + arguments).status, 0) << arguments;
    EXPECT_TRUE(progress().is_null()) << arguments;
  }
}

TEST_F(OwnProgress, GoesOnWithWhatIsNotPassed) {
  hand_in("transpose.cu");
  const std::string grade = "grade transpose --submission my/transpose.cu";
  EXPECT_THAT(unwrapped(lockstep(grade).output),
              HasSubstr("Go on with transpose-bug: read lectures/05-transpose.md, edit "
                        "exercises/05-transpose-bug/transpose_bug.cu, and check it with `./lockstep grade "
                        "transpose-bug`."));
  pass_all_but("scan");
  EXPECT_THAT(unwrapped(lockstep(grade).output), HasSubstr("Go on with scan: "));
  pass_all_but("coalescing");
  EXPECT_THAT(unwrapped(lockstep(grade).output), HasSubstr("Go on with coalescing: "));
  pass_all_but("transpose");
  EXPECT_THAT(unwrapped(lockstep(grade).output), HasSubstr("With that every exercise is passed."));
  EXPECT_THAT(lockstep("list").output, HasSubstr("Everything passed"));
  pass_all_but("transpose");
  EXPECT_THAT(unwrapped(lockstep("grade transpose --submission solutions").output),
              HasSubstr("Go on with transpose: "))
      << "the solution is not the student's";
}

TEST_F(OwnProgress, AnExercisesFolderIsItsName) {
  const Ran ran =
      lockstep("grade --submission '" LOCKSTEP_SOURCE "/solutions' --format json", "exercises/05-transpose");
  const auto exercises = nlohmann::json::parse(ran.output).at("exercises");
  ASSERT_EQ(exercises.size(), 1U);
  EXPECT_EQ(exercises.at(0).at("name"), "transpose");
}

TEST_F(Grading, HelpShowsAllOptionsAlike) {
  EXPECT_THAT(lockstep("grade --help").output, Not(HasSubstr("{")));
}

TEST_F(Grading, ReferencePassesAndJsonOwnsStandardOutput) {
  const Ran ran = lockstep("grade transpose --format json --seed 7 " + reference_);
  EXPECT_EQ(ran.status, 0) << ran.output;
  const auto root = nlohmann::json::parse(ran.output);
  EXPECT_EQ(root.at("schema"), "lockstep/result/v1");
  EXPECT_EQ(root.at("device").at("kind"), "emulated");
  EXPECT_EQ(root.at("seed"), 7);
  EXPECT_EQ(root.at("exercises").at(0).at("name"), "transpose");
  EXPECT_EQ(root.at("exercises").at(0).at("verdict"), "passed");
  EXPECT_EQ(root.at("exercises").at(0).at("speed").at("verdict"), "not-measured");
  EXPECT_TRUE(root.at("exercises").at(0).at("speed").at("ratio").is_null());
}

TEST_F(Grading, OneCaseIsRunAloneAndShown) {
  const std::filesystem::path source =
      source_of(LOCKSTEP_SOURCE "/solutions/05-transpose/wrong/missing_barrier.patch", folder_.path());
  const std::string racing = " --device emulated --seed 1 --submission '" + source.string() + "'";
  const auto one_case = [&](const std::string& name, const std::string& more) {
    const Ran ran = lockstep("grade transpose --format json --case '" + name + "'" + more);
    return nlohmann::json::parse(ran.output).at("exercises").at(0);
  };
  const auto passed = one_case("31 x 31", " --seed 1 " + reference_);
  EXPECT_EQ(passed.at("verdict"), "passed");
  EXPECT_EQ(passed.at("points"), 0);
  ASSERT_EQ(passed.at("correctness").at("cases").size(), 1U);
  const auto& call = passed.at("correctness").at("cases").at(0).at("call");
  EXPECT_EQ(call.at("arguments").at(1).at("found"), call.at("arguments").at(1).at("values"));
  EXPECT_EQ(call,
            one_case("31 x 31", " --seed 1 " + reference_).at("correctness").at("cases").at(0).at("call"))
      << "the same seed, other inputs";
  EXPECT_NE(call,
            one_case("31 x 31", " --seed 2 " + reference_).at("correctness").at("cases").at(0).at("call"));
  EXPECT_EQ(one_case("31 x 31", racing).at("verdict"), "race");
}

TEST_F(Grading, OnlyAWholeGradingIsProgressAndAnAttemptAndLeavesAPage) {
  // A clone whose progress is its own, and whose file of transpose is the reference.
  for (const auto& entry : std::filesystem::directory_iterator(LOCKSTEP_SOURCE)) {
    const std::string name = entry.path().filename();
    if (!name.starts_with('.') && name != "exercises")
      std::filesystem::create_symlink(entry.path(), folder_.path() / name);
  }
  std::filesystem::copy(LOCKSTEP_SOURCE "/exercises", folder_.path() / "exercises",
                        std::filesystem::copy_options::recursive);
  std::filesystem::copy_file(LOCKSTEP_SOURCE "/solutions/05-transpose/transpose.cu",
                             folder_.path() / "exercises/05-transpose/transpose.cu",
                             std::filesystem::copy_options::overwrite_existing);
  const auto grade = [&](const std::string& arguments) {
    return run("cd '" + folder_.path().string() +
               "' && LOCKSTEP_ROOT=\"$PWD\" '" LOCKSTEP_EXECUTABLE
               "' grade transpose --device emulated --seed 1 " +
               arguments + " 2>&1");
  };
  const Ran alone = grade("--case '1 x 1'");
  EXPECT_EQ(alone.status, 0) << alone.output;
  EXPECT_THAT(alone.output, HasSubstr("case 1 x 1 alone, without points"));
  EXPECT_THAT(alone.output, HasSubstr("rows = 1, columns = 1"));
  EXPECT_THAT(alone.output, Not(HasSubstr("of 10 points")));
  EXPECT_THAT(alone.output, HasSubstr("Next: `./lockstep grade transpose` runs every case."));
  const std::filesystem::path state = folder_.path() / ".lockstep", page = state / "pages/transpose.html",
                              history = state / "history/transpose.jsonl";
  for (const std::filesystem::path& file : {state / "progress.json", page, history})
    EXPECT_FALSE(std::filesystem::exists(file)) << file;

  const Ran whole = grade("");
  EXPECT_EQ(whole.status, 0);
  EXPECT_TRUE(std::filesystem::exists(state / "progress.json"));
  EXPECT_TRUE(whole.output.ends_with("\nattempt 1: 10.0 points\npage: .lockstep/pages/transpose.html\n"))
      << whole.output;
  EXPECT_THAT(contents_of(page), AllOf(HasSubstr("Access to memory"), HasSubstr("Your attempts")));
  const std::string kept = contents_of(history);
  EXPECT_EQ(nlohmann::json::parse(kept).at("submission"), "exercises/05-transpose/transpose.cu");

  // What cannot be written is said, and costs no points.
  std::filesystem::remove_all(state / "pages");
  std::ofstream(state / "pages") << "no folder";
  setenv("LOCKSTEP_NO_HISTORY", "1", 1);
  const Ran unkept = grade("");
  unsetenv("LOCKSTEP_NO_HISTORY");
  EXPECT_EQ(unkept.status, 0);
  EXPECT_THAT(unkept.output, AllOf(HasSubstr("lockstep: there is no page of this report: cannot write "),
                                   Not(HasSubstr("attempt"))));
  EXPECT_EQ(contents_of(history), kept);
}

TEST_F(Grading, AReportInAFileLeavesTextOnTheTerminal) {
  const std::filesystem::path file = folder_.path() / "new folder/results.xml";
  const std::filesystem::path page = folder_.path() / "page.html", json = folder_.path() / "a=b.json";
  const Ran ran = lockstep("grade transpose --format junit --output '" + file.string() + "' --also html='" +
                           page.string() + "' --also json='" + json.string() + "' " + reference_);
  EXPECT_EQ(ran.status, 0) << ran.output;
  EXPECT_THAT(ran.output, HasSubstr("transpose: passed"));
  EXPECT_EQ(run("xmllint --noout '" + file.string() + "' 2>&1").status, 0);
  EXPECT_EQ(nlohmann::json::parse(contents_of(json)).at("exercises").at(0).at("verdict"), "passed");
  EXPECT_THAT(contents_of(page), HasSubstr("Access to memory")) << "with the access that it draws";
}

TEST_F(Grading, AFullDiskIsTheMachinesFault) {
  const std::string disk = folder_.path().string(), own = geteuid() == 0 ? "unshare -m " : "unshare -rm ";
  for (const char* size : {"size=64k", "nr_inodes=9"}) {
    const std::string mount = std::string("mount -t tmpfs -o ") + size + " none '" + disk + "'";
    if (run(own + mount + " 2>&1").status != 0) GTEST_SKIP() << "no small disk can be mounted here";
    const Ran ran = run(own + "sh -c \"" + mount + " && LOCKSTEP_CACHE='" + disk +
                        "' '" LOCKSTEP_EXECUTABLE "' grade transpose --format json " + reference_ + "\"");
    EXPECT_EQ(ran.status, 3) << ran.output;
    const auto exercise = nlohmann::json::parse(ran.output).at("exercises").at(0);
    EXPECT_EQ(exercise.at("verdict"), "grader-error") << size;
    EXPECT_THAT(exercise.at("message").get<std::string>(), HasSubstr("make room there")) << size;
  }
}

TEST_F(Grading, ALimitOfFilesIsTheMachinesFault) {
  const Ran ran = run("ulimit -f 64; LOCKSTEP_CACHE='" + folder_.path().string() +
                      "' '" LOCKSTEP_EXECUTABLE "' grade transpose --format json " + reference_);
  EXPECT_EQ(ran.status, 3) << ran.output;
  const auto exercise = nlohmann::json::parse(ran.output).at("exercises").at(0);
  EXPECT_EQ(exercise.at("verdict"), "grader-error");
  EXPECT_THAT(exercise.at("message").get<std::string>(), HasSubstr("ulimit -f unlimited"));
}

TEST_F(Grading, ProgressFitsInANarrowTerminal) {
  const Ran ran = run("script -qec \"stty cols 24; '" LOCKSTEP_EXECUTABLE "' grade transpose " + reference_ +
                      "\" /dev/null");
  std::size_t lines = 0;
  const std::string begin = "\r\x1B[K";
  for (std::size_t at = ran.output.find(begin); at != std::string::npos;
       at = ran.output.find(begin, at + 1)) {
    const std::string rest = ran.output.substr(at + begin.size());
    const std::string line = rest.substr(0, rest.find_first_of("\r\n"));
    const auto is_character = [](char byte) { return (byte & 0xC0) != 0x80; };  // of UTF-8
    EXPECT_LT(std::count_if(line.begin(), line.end(), is_character), 24) << line;
    ++lines;
  }
  EXPECT_GT(lines, 3U) << ran.output;
}

TEST_F(Grading, AMissingFileIsAVerdictAndTheNextIsStillGraded) {
  std::filesystem::create_directory(folder_.path() / "tree");
  const Ran ran = lockstep("grade transpose block-scan --format json --device emulated --submission '" +
                           (folder_.path() / "tree").string() + "'");
  EXPECT_EQ(ran.status, 1) << ran.output;
  const auto exercises = nlohmann::json::parse(ran.output).at("exercises");
  ASSERT_EQ(exercises.size(), 2U);
  for (const auto& exercise : exercises) {
    EXPECT_EQ(exercise.at("verdict"), "compile-error");
    EXPECT_FALSE(exercise.at("message").get<std::string>().empty());
  }
}

TEST_F(Grading, ProfileCountsLinesAndDrawsOne) {
  const std::string tiled = "--submission '" LOCKSTEP_SOURCE "/solutions/05-transpose/rungs/tiled.cu'";
  const Ran ran = lockstep("profile transpose --format json " + tiled);
  const auto lines = nlohmann::json::parse(ran.output).at("lines");
  unsigned conflicted = 0;
  for (const auto& line : lines) {
    const auto& shared = line.at("shared");
    if (!shared.is_null() && shared.at("units") > shared.at("ideal_units")) conflicted = line.at("line");
  }
  ASSERT_GT(conflicted, 0U) << ran.output;
  const std::filesystem::path figure = folder_.path() / "figure.svg";
  const Ran drawn = lockstep("profile transpose --trace " + std::to_string(conflicted) +
                             " --space shared --svg '" + figure.string() + "' " + tiled);
  EXPECT_THAT(drawn.output, HasSubstr("32 wavefronts, ideal 1"));
  EXPECT_EQ(run("xmllint --noout '" + figure.string() + "' 2>&1").status, 0);
  EXPECT_EQ(lockstep("profile transpose --trace 1 " + tiled + " 2>&1").status, 2);
}

TEST_F(Grading, AProfileIsOfTheCaseInWhichAGateFails) {
  const std::string rung = "profile flood --format json --submission '" LOCKSTEP_SOURCE
                           "/solutions/19-flood/rungs/active_tiles.cu'";
  const auto case_of = [](const Ran& ran) { return nlohmann::json::parse(ran.output).at("case"); };
  EXPECT_EQ(case_of(lockstep(rung + " 2> /dev/null")), "49 x 85, 4 neighbours: spiral");
  EXPECT_THAT(case_of(lockstep(rung + " --case 487 2> /dev/null")).get<std::string>(),
              HasSubstr("487 x 479"));
}

TEST_F(Grading, AProfileOfWhatEndedEarlySaysThatItMayBeAPart) {
  const std::filesystem::path stops = folder_.path() / "transpose.cu";
  std::ofstream(stops) << "#include \"transpose.h\"\n"
                          "__global__ void k(const float* in, float* out) { out[0] = in[0]; __trap(); }\n"
                          "void transpose(const float* in, float* out, int, int, cudaStream_t stream) {\n"
                          "  k<<<1, 32, 0, stream>>>(in, out);\n}\n";
  const std::string arguments = "profile transpose --submission '" + stops.string() + "'";
  EXPECT_THAT(
      lockstep(arguments + " 2>&1").output,
      HasSubstr(
          "Verdict of the measured cases: crashed, so only a part of the work may be counted. ./lockstep"));
  EXPECT_EQ(nlohmann::json::parse(lockstep(arguments + " --format json 2> /dev/null").output).at("verdict"),
            "crashed");
}

}  // namespace
}  // namespace lockstep::test
