// What editors and shells get: the problem matcher of VS Code's tasks, clangd's settings, the scripts of
// completion, and working copies. Real programs run where they are installed.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <regex>
#include <sstream>
#include <vector>

#include "mistakes.h"
#include "shell.h"

namespace lockstep::test {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::IsSupersetOf;
using testing::Not;

const fs::path kSource = LOCKSTEP_SOURCE;
const std::string kLockstep = "'" LOCKSTEP_EXECUTABLE "'";

bool has_program(const std::string& name) { return run("command -v " + name).status == 0; }

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

// --- VS Code ---

json grade_task() {
  const json tasks = json::parse(contents_of(kSource / ".vscode/tasks.json"));
  EXPECT_EQ(tasks.at("version"), "2.0.0");
  for (const json& task : tasks.at("tasks"))
    if (task.at("label") == "Grade this exercise") return task;
  throw std::runtime_error("no task grades");
}

TEST(Tasks, TheMatcherReadsEveryFindingOfARealGrading) {
  const json task = grade_task();
  const json& pattern = task.at("problemMatcher").at("pattern");
  const std::regex expression(pattern.at("regexp").get<std::string>());
  ASSERT_THAT(task.at("args"), ElementsAre("grade", "${fileDirname}", "--format", "lines"));

  const TemporaryFolder folder;
  const fs::path file =
      source_of(kSource / "solutions/05-transpose/wrong/missing_barrier.patch", folder.path());
  const Ran ran =
      run("cd '" + folder.path().string() + "' && " + kLockstep +
          " grade transpose --device emulated --seed 1 --format lines --submission '" + file.string() + "'");
  EXPECT_EQ(ran.status, 1);
  struct Problem {
    std::string file, line, severity, code;
  };
  std::vector<Problem> problems;
  for (const std::string& line : lines_of(ran.output)) {
    std::smatch match;
    if (!std::regex_match(line, match, expression)) continue;
    const auto group = [&](const char* name) { return match[pattern.at(name).get<std::size_t>()].str(); };
    problems.push_back({group("file"), group("line"), group("severity"), group("code")});
    EXPECT_THAT(group("message"), testing::StartsWith("race, "));
  }
  ASSERT_GE(problems.size(), 2U) << ran.output;
  const std::vector<std::string> source = lines_of(contents_of(file));
  for (const Problem& problem : problems) {
    EXPECT_EQ(problem.file, file.filename()) << "from the folder in which it runs, as fileLocation says";
    EXPECT_EQ(problem.code, "race");
    EXPECT_THAT(source.at(std::stoul(problem.line) - 1), HasSubstr("tile[")) << "where the tile is used";
  }
  EXPECT_EQ(problems[0].severity, "error");
  EXPECT_EQ(problems[1].severity, "note");
  EXPECT_THAT(lines_of(ran.output), Contains(HasSubstr("transpose: race, ")));
}

// --- clangd ---

/// The exercises with clangd's settings, in a folder in which a test may write.
void copy_for_clangd(const TemporaryFolder& folder, const std::string& exercise) {
  fs::copy(kSource / ".clangd", folder.path() / ".clangd");
  fs::create_symlink(kSource / "common", folder.path() / "common");
  fs::create_directory(folder.path() / "exercises");
  fs::create_symlink(kSource / "exercises/cuda_for_clangd.h", folder.path() / "exercises/cuda_for_clangd.h");
  fs::copy(kSource / "exercises" / exercise, folder.path() / "exercises" / exercise);
}

/// Diagnostics of clangd: "E[time] [code] Line 3: …".
std::vector<std::string> diagnostics_of(const fs::path& file) {
  const Ran ran = run("clangd --check='" + file.string() + "' 2>&1");
  EXPECT_THAT(ran.output, HasSubstr("All checks completed")) << ran.output;
  std::vector<std::string> found;
  for (const std::string& line : lines_of(ran.output))
    if (std::regex_search(line, std::regex(R"(^E\[[0-9:.]+\] \[[a-z_-]+\] Line )"))) found.push_back(line);
  return found;
}

TEST(Clangd, ReadsStartersWithoutErrorsAndFindsAStudentsOwn) {
  if (!has_program("clangd")) GTEST_SKIP() << "clangd is not installed";
  // Tensor cores' own headers, cooperative kernels with launch bounds, and functions of mathematics.
  for (const char* file : {"exercises/16-tensor-cores/tensor_cores.cu",
                           "exercises/21-resampling/resampling.cu", "exercises/18-tpacf/tpacf.cu"})
    EXPECT_THAT(diagnostics_of(kSource / file), IsEmpty()) << file;

  const TemporaryFolder folder;
  copy_for_clangd(folder, "05-transpose");
  const fs::path file = folder.path() / "exercises/05-transpose/transpose.cu";
  EXPECT_THAT(diagnostics_of(file), IsEmpty());
  std::ofstream(file, std::ios::app) << "__global__ void more_kernel(int* out) { out[threadIdx.w] = 1; }\n";
  EXPECT_THAT(diagnostics_of(file), ElementsAre(HasSubstr("no member named 'w'")));
}

// --- completion ---

/// What the shell offers for the last word of a command line.
std::vector<std::string> offered(const std::string& shell, const std::vector<std::string>& words) {
  const TemporaryFolder folder;
  std::string list;
  for (const std::string& word : words) list += " '" + word + "'";
  const std::string last = std::to_string(words.size() - 1);
  std::string script;
  if (shell == "bash") {
    script =
        "source <(" + kLockstep + " completion bash)\nCOMP_WORDS=(" + list + ")\nCOMP_CWORD=" + last +
        "\n$(complete -p lockstep | sed 's/.* -F \\([^ ]*\\) .*/\\1/')\nprintf '%s\\n' \"${COMPREPLY[@]}\"\n";
  } else if (shell == "zsh") {
    // What compinit brings, reduced to showing what it is given.
    script = "compdef() { handler=$1 }\n_describe() { print -l -- ${(P)2} }\n_files() { print FILES }\n" +
             kLockstep + " completion zsh > completion\nsource ./completion\nwords=(" + list +
             ")\nCURRENT=$((" + last + " + 1))\n$handler\n";
  } else {
    std::string line = words[0];
    for (std::size_t i = 1; i < words.size(); ++i) line += " " + words[i];
    script = kLockstep + " completion fish | source\ncomplete -C'" + line + "'\n";
  }
  folder.write("script", script);
  const Ran ran = run("cd '" + folder.path().string() + "' && " + shell + " ./script 2>&1");
  EXPECT_EQ(ran.status, 0) << ran.output;
  std::vector<std::string> lines = lines_of(ran.output);
  // zsh and fish have what a word means behind a colon or a tab.
  for (std::string& line : lines) line.resize(std::min(line.find_first_of(":\t"), line.size()));
  std::erase(lines, "");
  return lines;
}

class Completion : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    if (!has_program(GetParam())) GTEST_SKIP() << GetParam() << " is not installed";
  }
  std::vector<std::string> offered(const std::vector<std::string>& words) const {
    return test::offered(GetParam(), words);
  }
};

TEST_P(Completion, OffersCommandsTheirOptionsAndExercises) {
  EXPECT_THAT(offered({"lockstep", "gr"}), Contains("grade"));
  EXPECT_THAT(offered({"lockstep", ""}),
              IsSupersetOf({"list", "grade", "watch", "new", "reset", "class", "completion", "emulate"}));
  EXPECT_THAT(offered({"lockstep", "grade", "--d"}), Contains("--device"));
  EXPECT_THAT(offered({"lockstep", "hint", "transpose-by"}), Contains("transpose-bytes"));
  EXPECT_THAT(offered({"lockstep", "profile", "transpose", "--sp"}), Contains("--space"));
  EXPECT_THAT(offered({"lockstep", "study", "d"}), AllOf(Contains("drmsd-matrix"), Not(Contains("drmsd"))));
}

TEST_P(Completion, OffersTheWordsThatAnOptionTakes) {
  EXPECT_THAT(offered({"lockstep", "grade", "transpose", "--device", ""}),
              testing::UnorderedElementsAre("auto", "gpu", "emulated"));
  EXPECT_THAT(offered({"lockstep", "profile", "--device", ""}),
              testing::UnorderedElementsAre("gpu", "emulated"));
  EXPECT_THAT(offered({"lockstep", "grade", "--format", "sa"}), Contains("sarif"));
  EXPECT_THAT(offered({"lockstep", "completion", ""}), IsSupersetOf({"bash", "fish", "zsh"}));
  EXPECT_THAT(offered({"lockstep", "class", "handed-in", "--exercises", "tra"}), Contains("transpose"));
  EXPECT_THAT(offered({"lockstep", "grade", "--seed", ""}), Not(Contains("transpose")));
}

INSTANTIATE_TEST_SUITE_P(Shells, Completion, testing::Values("bash", "zsh", "fish"),
                         [](const auto& shell) { return std::string(shell.param); });

TEST(BashCompletion, TakesAnOptionWithItsValueBehindAnEqualsSign) {
  EXPECT_THAT(offered("bash", {"lockstep", "grade", "--device", "="}), Contains("gpu"));
  EXPECT_THAT(offered("bash", {"lockstep", "grade", "--device", "=", "em"}), ElementsAre("emulated"));
  EXPECT_THAT(offered("bash", {"lockstep", "grade", "--submission", "sol"}), IsEmpty()) << "bash lists files";
}

// The source is the command line's own: what --help lists is offered, of every command.
TEST(BashCompletion, OffersAllThatHelpLists) {
  const std::vector<std::string> commands = offered("bash", {"lockstep", ""});
  for (const std::string& line : lines_of(run(kLockstep + " --help").output)) {
    std::smatch match;
    if (!std::regex_search(line, match, std::regex("^  ([a-z]+)  +[A-Z[]"))) continue;
    EXPECT_THAT(commands, Contains(match[1].str()));
  }
  EXPECT_GE(commands.size(), 15U);
  for (const char* command : {"grade", "watch", "profile", "emulate", "class"}) {
    const std::vector<std::string> options = offered("bash", {"lockstep", command, "-"});
    const std::string help = run(kLockstep + " " + command + " --help").output;
    const std::regex option("(^|\n) +(-h,)?(--[a-z-]+)");
    for (auto match = std::sregex_iterator(help.begin(), help.end(), option); match != std::sregex_iterator();
         ++match)
      EXPECT_THAT(options, Contains((*match)[3].str())) << command;
  }
}

// --- working copies ---

class NewCopy : public testing::Test {
 protected:
  NewCopy() {
    link_course(kSource, course_.path());
    for (const char* hidden : {".clangd", ".vscode"})
      fs::create_symlink(kSource / hidden, course_.path() / hidden);
  }
  Ran lockstep(const std::string& arguments, const fs::path& here) const {
    return run("cd '" + here.string() + "' && LOCKSTEP_ROOT='" + course_.path().string() + "' " + kLockstep +
               " " + arguments + " 2>&1");
  }
  Ran make() const { return lockstep("new '" + copy_.string() + "'", course_.path()); }

  TemporaryFolder course_, home_;
  fs::path copy_ = home_.path() / "my work";
};

TEST_F(NewCopy, HoldsWhatAStudentReadsAndEdits) {
  const Ran ran = make();
  EXPECT_EQ(ran.status, 0) << ran.output;
  EXPECT_THAT(ran.output, AllOf(HasSubstr("a working copy with "), HasSubstr("./lockstep list")));
  const fs::path transpose = copy_ / "exercises/05-transpose";
  EXPECT_THAT(contents_of(transpose / "transpose.cu"), HasSubstr("// TODO:"));
  EXPECT_EQ(contents_of(transpose / "README.md"), contents_of(kSource / "exercises/05-transpose/README.md"));
  EXPECT_TRUE(fs::exists(transpose / "transpose.h"));
  EXPECT_FALSE(fs::exists(transpose / "problem.cpp"));
  EXPECT_TRUE(fs::exists(copy_ / "exercises/03-predictions/predictions.txt"));
  EXPECT_EQ(contents_of(copy_ / ".vscode/tasks.json"), contents_of(kSource / ".vscode/tasks.json"));
  EXPECT_THAT(fs::read_symlink(copy_ / "lockstep").string(), testing::EndsWith("/lockstep"));
  if (has_program("clangd")) {
    EXPECT_THAT(diagnostics_of(transpose / "transpose.cu"), IsEmpty());
  }
}

TEST_F(NewCopy, CommandsWorkOnItsFilesAndKeepTheirStateThere) {
  ASSERT_EQ(make().status, 0);
  const Ran list = lockstep("list", copy_ / "exercises");
  EXPECT_THAT(list.output, AllOf(HasSubstr("edit   exercises/02-first-kernels/first_kernels.cu"),
                                 HasSubstr("read   " + course_.path().string() + "/lectures/")));
  EXPECT_THAT(lockstep("hint transpose", copy_).output, HasSubstr("Hint 1 of"));
  EXPECT_THAT(lockstep("hint transpose", copy_ / "exercises/05-transpose").output, HasSubstr("Hint 2 of"));
  EXPECT_TRUE(fs::exists(copy_ / ".lockstep/progress.json"));
  EXPECT_FALSE(fs::exists(course_.path() / ".lockstep"));

  const fs::path own = copy_ / "exercises/05-transpose/transpose.cu";
  std::ofstream(own) << "#error of this student\n";
  const Ran graded = lockstep("grade --format lines --device emulated", own.parent_path());
  EXPECT_EQ(graded.status, 1) << graded.output;
  EXPECT_THAT(graded.output,
              AllOf(HasSubstr("transpose.cu:1: error: compile-error"), HasSubstr("of this student")));
  EXPECT_THAT(lockstep("list", copy_).output, HasSubstr("compile-error"));

  EXPECT_EQ(lockstep("reset transpose", copy_).status, 0);
  EXPECT_THAT(contents_of(own), HasSubstr("// TODO:"));
  const auto backup = fs::directory_iterator(copy_ / ".lockstep/backup");
  EXPECT_EQ(contents_of(backup->path()), "#error of this student\n");

  if (geteuid() != 0) return;  // only root can give a file away
  EXPECT_EQ(chown((copy_ / ".lockstep/working-copy").c_str(), 65534, 65534), 0);
  EXPECT_THAT(lockstep("list", copy_).output, HasSubstr("read   lectures/")) << "somebody else's mark";
}

TEST_F(NewCopy, AgainItAddsWhatIsMissingAndChangesNothing) {
  ASSERT_EQ(make().status, 0);
  const fs::path transpose = copy_ / "exercises/05-transpose", scan = copy_ / "exercises/10-scan";
  std::ofstream(transpose / "transpose.cu") << "mine\n";
  std::ofstream(transpose / "README.md") << "my notes\n";
  fs::remove(scan / "scan.cu");
  const Ran again = make();
  EXPECT_EQ(again.status, 0);
  EXPECT_THAT(
      again.output,
      AllOf(HasSubstr(": exercises/10-scan/scan.cu. What was there is as it was.\n"),
            HasSubstr("Not as the course has them, and left so: exercises/05-transpose/README.md.\n")));
  EXPECT_EQ(contents_of(transpose / "transpose.cu"), "mine\n");
  EXPECT_EQ(contents_of(transpose / "README.md"), "my notes\n");
  EXPECT_THAT(make().output, HasSubstr("has everything already: nothing was written"));
}

TEST_F(NewCopy, NothingIsWrittenThroughALink) {
  const TemporaryFolder elsewhere;
  fs::create_directories(copy_ / "exercises");
  fs::create_symlink(elsewhere.path(), copy_ / "exercises/05-transpose");
  fs::create_directory(copy_ / "exercises/10-scan");
  fs::create_symlink(elsewhere.path() / "scan.cu", copy_ / "exercises/10-scan/scan.cu");
  const Ran ran = make();
  EXPECT_EQ(ran.status, 0) << ran.output;
  EXPECT_THAT(ran.output, HasSubstr("No folders, and left as they are, with nothing in them: "
                                    "exercises/05-transpose.\n"));
  EXPECT_TRUE(fs::is_empty(elsewhere.path()));
  fs::create_symlink(elsewhere.path(), home_.path() / "link");
  fs::create_symlink(home_.path(), elsewhere.path() / "exercises");
  const Ran linked = lockstep("new link", home_.path());
  EXPECT_EQ(linked.status, 2) << linked.output;
  EXPECT_THAT(linked.output, HasSubstr("exercises is no folder"));
}

TEST_F(NewCopy, LiesOutsideOfTheCourseAndIsAFolder) {
  for (const char* name : {".", "'in the course'", "''"}) {
    const Ran ran = lockstep(std::string("new ") + name, course_.path());
    EXPECT_EQ(ran.status, 2) << name << ": " << ran.output;
  }
  home_.write("file", "mine");
  EXPECT_EQ(lockstep("new file", home_.path()).status, 3);
  EXPECT_EQ(contents_of(home_.path() / "file"), "mine");
}

TEST_F(NewCopy, WithoutAHistoryTheCoursesOwnFilesAreTheStarters) {
  fs::remove(course_.path() / "exercises");
  fs::create_directory(course_.path() / "exercises");
  for (const auto& entry : fs::directory_iterator(kSource / "exercises"))
    if (entry.is_directory()) fs::copy(entry.path(), course_.path() / "exercises" / entry.path().filename());
  ASSERT_EQ(make().status, 0) << "as from a package";
  const fs::path name = "exercises/05-transpose/transpose.cu";
  EXPECT_EQ(contents_of(copy_ / name), contents_of(course_.path() / name));
  std::ofstream(copy_ / name) << "mine\n";
  EXPECT_EQ(lockstep("reset transpose", copy_).status, 0);
  EXPECT_EQ(contents_of(copy_ / name), contents_of(course_.path() / name));
}

}  // namespace
}  // namespace lockstep::test
