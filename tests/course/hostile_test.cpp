// Submissions that are broken (submissions/), attack the grader (../red-team/), or only look as if they did
// (../red-team/honest/): each is graded in front of a sound one and must get the verdict on its first line,
// in the words that it says; the sound one must pass, and no process and no file may be left.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <functional>
#include <thread>

#include "grading.h"

namespace lockstep::test {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

/// Grades `exercise` with what is in the test's folder, then the reference of another exercise.
class BrokenSubmission : public GradingTest {
 protected:
  /// Where a submission to `exercise` goes.
  fs::path file(const std::string& exercise = "transpose") const {
    const ExerciseFolder& folder = folder_of(exercise);
    return folder_.path() / "tree" / folder.solution.filename() / folder.file;
  }
  Graded grade_both(const std::string& exercise = "transpose") {
    const std::string sound = exercise == "block-scan" ? "transpose" : "block-scan";
    fs::create_directories(file(sound).parent_path());
    fs::copy_file(folder_of(sound).solution / folder_of(sound).file, file(sound));
    Graded result =
        grade(exercise + " " + sound + " --submission '" + (folder_.path() / "tree").string() + "'");
    const std::string verdict = verdict_of(result, exercise);
    EXPECT_EQ(result.status, verdict == "passed" ? 0 : verdict == "grader-error" ? 3 : 1) << result.text;
    EXPECT_NE(exercise_of(result, exercise).at("next_step"), "") << result.text;
    EXPECT_EQ(verdict_of(result, sound), "passed") << result.text;
    return result;
  }

 private:
  static const ExerciseFolder& folder_of(const std::string& exercise) {
    static const std::vector<ExerciseFolder> all = exercise_folders();
    const auto named = [&](const ExerciseFolder& one) { return one.topic == exercise; };
    return *std::find_if(all.begin(), all.end(), named);
  }
};

/// An attack earns no points but those that an honest submission earns by the same result.
void expect_few_points(const nlohmann::json& exercise) {
  constexpr double kCorrectness = 5 / 7.0;  // without a speed
  if (exercise.at("verdict") == "too-many-changes") {
    EXPECT_DOUBLE_EQ(exercise.at("points").get<double>(), 0.2 * exercise.at("max_points").get<double>());
    return;
  }
  if (exercise.at("verdict") != "inefficient") {
    EXPECT_EQ(exercise.at("points"), 0);
    return;
  }
  const double share = exercise.at("points").get<double>() / exercise.at("max_points").get<double>();
  EXPECT_LT(share, 1);
  for (const auto& gate : exercise.at("technique").at("gates")) {
    if (gate.at("name") != "host-copies" || gate.at("verdict") != "inefficient") continue;
    EXPECT_NEAR(share, kCorrectness, 1e-9) << "the host's work earns no technique";
  }
}

class Submission : public BrokenSubmission, public testing::WithParamInterface<fs::path> {};

TEST_P(Submission, GetsItsVerdictAndTheNextIsGraded) {
  const std::vector<std::string> exercises = headings(GetParam(), "exercise");
  const std::string exercise = exercises.empty() ? "transpose" : exercises.front();
  fs::create_directories(file(exercise).parent_path());
  fs::copy_file(GetParam(), file(exercise));
  const Graded result = grade_both(exercise);
  EXPECT_THAT(headings(GetParam(), "expect"), testing::ElementsAre(verdict_of(result, exercise)))
      << result.text;
  for (const std::string& words : headings(GetParam(), "says")) {
    EXPECT_THAT(unwrapped(result.text), HasSubstr(words));
  }
  // What a submission prints never reaches the terminal as control characters, or at the start of a line.
  for (const char* control : {"\033", "\u0085", "\u009B", "\u202E", "\u2028", "\u2029"})
    EXPECT_THAT(result.text + result.report.dump(), testing::Not(HasSubstr(control)));
  if (verdict_of(result, exercise) != "passed") {
    EXPECT_THAT(result.text, testing::Not(HasSubstr("\n✓ " + exercise)));
    expect_few_points(exercise_of(result, exercise));
  }
}

std::string name_of_file(const testing::TestParamInfo<fs::path>& info) {
  return name_for_test(info.param.stem().string());
}

INSTANTIATE_TEST_SUITE_P(Broken, Submission,
                         testing::ValuesIn(source_files(LOCKSTEP_SOURCE "/tests/course/submissions")),
                         name_of_file);
INSTANTIATE_TEST_SUITE_P(RedTeam, Submission,
                         testing::ValuesIn(source_files(LOCKSTEP_SOURCE "/tests/red-team")), name_of_file);
INSTANTIATE_TEST_SUITE_P(Honest, Submission,
                         testing::ValuesIn(source_files(LOCKSTEP_SOURCE "/tests/red-team/honest")),
                         name_of_file);

TEST_F(BrokenSubmission, WritesNothingOutsideTheSandbox) {
  fs::create_directories(file().parent_path());
  fs::copy_file(LOCKSTEP_SOURCE "/tests/red-team/writes_outside.cu", file());
  if (!grade_both().report.at("warnings").empty()) GTEST_SKIP() << "this machine has no namespaces";
  for (const char* parent : {"/tmp", "/var/tmp", "/dev/shm", "/root", "/home", "/etc", "/usr/lib", "/"}) {
    EXPECT_FALSE(fs::exists(fs::path(parent) / "lockstep-escaped")) << parent;
  }
  for (const auto& entry : fs::recursive_directory_iterator(folder_.path())) {
    EXPECT_NE(entry.path().filename(), "lockstep-escaped");
  }
}

TEST_F(BrokenSubmission, CompilersErrorHasTheStudentsLine) {
  folder_.write("tree/05-transpose/transpose.cu",
                "#include \"transpose.h\"\n\n"
                "void transpose(const float* in, float* out, int rows, int columns, cudaStream_t stream) {\n"
                "  out[0] = inn[0];\n"
                "}\n");
  const Graded result = grade_both();
  EXPECT_EQ(verdict_of(result, "transpose"), "compile-error");
  EXPECT_THAT(result.text, HasSubstr("transpose.cu(4): error: identifier \"inn\" is undefined"));
  EXPECT_THAT(result.text, testing::Not(HasSubstr("/submission/")));
}

TEST_F(BrokenSubmission, MissingFile) {
  const Graded result = grade_both();
  EXPECT_EQ(verdict_of(result, "transpose"), "compile-error");
  EXPECT_THAT(unwrapped(result.text), HasSubstr("transpose.cu"));
}

TEST_F(BrokenSubmission, EmptyFile) {
  folder_.write("tree/05-transpose/transpose.cu", "");
  const Graded result = grade_both();
  EXPECT_EQ(verdict_of(result, "transpose"), "compile-error");
  EXPECT_THAT(unwrapped(result.text), HasSubstr("empty"));
}

TEST_F(BrokenSubmission, BinaryFile) {
  std::string bytes(4096, '\0');
  for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<char>(i * 37 % 256);
  folder_.write("tree/05-transpose/transpose.cu", bytes);
  const Graded result = grade_both();
  EXPECT_EQ(verdict_of(result, "transpose"), "compile-error");
  EXPECT_THAT(unwrapped(result.text), HasSubstr("is not text: it holds zero bytes"));
}

TEST_F(BrokenSubmission, FolderInPlaceOfTheFile) {
  fs::create_directories(file());
  EXPECT_EQ(verdict_of(grade_both(), "transpose"), "compile-error");
}

/// What a link to a file that the grader may read must not bring into a report.
constexpr const char* kSecret = "a_line_that_only_the_grader_may_read";

TEST_F(BrokenSubmission, LinkToTheSolution) {
  fs::create_directories(file().parent_path());
  fs::create_symlink(LOCKSTEP_SOURCE "/solutions/05-transpose/transpose.cu", file());
  const Graded result = grade_both();
  EXPECT_EQ(verdict_of(result, "transpose"), "compile-error");
  EXPECT_THAT(unwrapped(result.text), HasSubstr("is a link, and links are not followed to a submission"));
}

TEST_F(BrokenSubmission, LinkToAFileOfTheGrader) {
  folder_.write("private.txt", kSecret);
  fs::create_directories(file().parent_path());
  fs::create_symlink(folder_.path() / "private.txt", file());
  const Graded result = grade_both();
  EXPECT_EQ(verdict_of(result, "transpose"), "compile-error");
  EXPECT_THAT(result.text + result.report.dump(), testing::Not(HasSubstr(kSecret)));
}

TEST_F(BrokenSubmission, LinkToAFolder) {
  fs::create_directories(folder_.path() / "tree");
  fs::create_symlink(LOCKSTEP_SOURCE "/solutions/05-transpose", file().parent_path());
  const Graded result = grade_both();
  EXPECT_EQ(verdict_of(result, "transpose"), "compile-error");
  EXPECT_THAT(unwrapped(result.text), HasSubstr("05-transpose is a link, and links are not followed"));
}

TEST_F(BrokenSubmission, LinkThatLeadsNowhere) {
  fs::create_directories(file().parent_path());
  fs::create_symlink(file(), file());  // a link to itself
  const Graded result = grade_both();
  EXPECT_EQ(verdict_of(result, "transpose"), "compile-error");
  EXPECT_THAT(unwrapped(result.text), HasSubstr("is a link"));
}

TEST_F(BrokenSubmission, LinkThatIsNamedItself) {
  const fs::path link = folder_.path() / "own.cu";
  fs::create_symlink(LOCKSTEP_SOURCE "/solutions/05-transpose/transpose.cu", link);
  const Graded result = grade("transpose --submission '" + link.string() + "'");
  EXPECT_EQ(verdict_of(result, "transpose"), "compile-error");
  EXPECT_THAT(unwrapped(result.text), HasSubstr("own.cu is a link"));
}

TEST_F(BrokenSubmission, LinkToTheFolderThatIsNamed) {
  fs::create_directory_symlink(LOCKSTEP_SOURCE "/solutions", folder_.path() / "own");
  const Graded result = grade("transpose --submission '" + (folder_.path() / "own").string() + "'");
  EXPECT_EQ(verdict_of(result, "transpose"), "passed") << result.text;
}

TEST_F(BrokenSubmission, PipeInPlaceOfTheFile) {
  fs::create_directories(file().parent_path());
  ASSERT_EQ(mkfifo(file().c_str(), 0600), 0);
  const Graded result = grade_both();
  EXPECT_EQ(verdict_of(result, "transpose"), "compile-error");
  EXPECT_THAT(unwrapped(result.text), HasSubstr("is not a regular file"));
}

TEST_F(BrokenSubmission, FileThatIsTooLarge) {
  folder_.write("tree/05-transpose/transpose.cu", "");
  fs::resize_file(file(), std::uintmax_t{1} << 40);  // with a hole: it takes no room
  const Graded result = grade_both();
  EXPECT_EQ(verdict_of(result, "transpose"), "compile-error");
  EXPECT_THAT(unwrapped(result.text), HasSubstr("larger than 1 MiB"));
}

/// A file that becomes something else while it is compiled, for which it has been read.
class ChangingSubmission : public BrokenSubmission {
 protected:
  ChangingSubmission() { setenv("LOCKSTEP_CACHE", cache_.c_str(), 1); }
  ~ChangingSubmission() override { unsetenv("LOCKSTEP_CACHE"); }

  /// Grades a kernel that is at fault in line 4. `change` is called once its compilation has begun, which
  /// takes half a second at least.
  Graded grade_while(const std::function<void()>& change) {
    folder_.write("tree/05-transpose/transpose.cu",
                  "#include \"transpose.h\"\n"
                  "__global__ void faulty_kernel(float* out) {\n"
                  "  volatile __shared__ int never_written;\n"
                  "  out[0] = never_written;  // as it was compiled\n"
                  "}\n"
                  "void transpose(const float*, float* out, int rows, int columns, cudaStream_t stream) {\n"
                  "  if (rows != 0 && columns != 0) faulty_kernel<<<1, 1, 0, stream>>>(out);\n"
                  "}\n");
    std::thread changer([this, &change] {
      await_compilation();
      change();
    });
    Graded result = grade("transpose --submission '" + (folder_.path() / "tree").string() + "'");
    changer.join();
    return result;
  }

  static void expect_judged_as_read(const Graded& result) {
    EXPECT_EQ(verdict_of(result, "transpose"), "uninitialised-read") << result.text;
    EXPECT_THAT(result.text, HasSubstr("out[0] = never_written;  // as it was compiled"));
  }

  const fs::path cache_ = folder_.path() / "cache";

  void await_compilation() const {
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::minutes(1);
    while (!is_being_compiled() && std::chrono::steady_clock::now() < deadline)
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }

  /// The compiler's folders lie in the cache meanwhile.
  bool is_being_compiled() const {
    std::error_code not_yet;
    const fs::directory_iterator entries(cache_ / "objects", not_yet);
    return std::any_of(begin(entries), end(entries), [](const fs::directory_entry& entry) {
      return entry.path().filename().string().starts_with("new-");
    });
  }
};

TEST_F(ChangingSubmission, ALinkInItsPlaceBringsNothingIntoTheReport) {
  std::string lines;
  for (int line = 0; line < 20; ++line) lines += std::string(kSecret) + '\n';
  folder_.write("private.txt", lines);
  const Graded result = grade_while([this] {
    fs::remove(file());
    fs::create_symlink(folder_.path() / "private.txt", file());
  });
  EXPECT_THAT(result.text + result.report.dump(), testing::Not(HasSubstr(kSecret)));
  expect_judged_as_read(result);
}

TEST_F(ChangingSubmission, APipeInItsPlaceHoldsNobodyUp) {
  expect_judged_as_read(grade_while([this] {
    fs::remove(file());
    EXPECT_EQ(mkfifo(file().c_str(), 0600), 0);
  }));
}

TEST_F(ChangingSubmission, NothingInItsPlaceChangesNothing) {
  expect_judged_as_read(grade_while([this] { fs::remove_all(file().parent_path()); }));
}

// The next grading clears away what one that was killed has left.
TEST_F(ChangingSubmission, AKilledGradingLeavesNothingForGood) {
  const std::string objects = (cache_ / "objects").string();
  const std::string transpose = LOCKSTEP_SOURCE "/solutions/05-transpose/transpose.cu";
  const Ran killed = run("'" LOCKSTEP_EXECUTABLE "' grade transpose --submission '" + transpose +
                         "' > /dev/null 2>&1 & judge=$!; until ls -d '" + objects +
                         "'/new-* > /dev/null 2>&1; do sleep 0.01; done; kill -KILL $judge; wait $judge");
  EXPECT_EQ(killed.status, 128 + SIGKILL);
  ASSERT_TRUE(is_being_compiled()) << "it has left nothing";
  EXPECT_EQ(verdict_of(grade("transpose --submission '" + transpose + "'"), "transpose"), "passed");
  EXPECT_FALSE(is_being_compiled());
}

// Profile shows the whole source.
TEST_F(ChangingSubmission, AProfileShowsWhatWasCompiled) {
  folder_.write("private.txt", kSecret);
  folder_.write("tree/05-transpose/transpose.cu",
                contents_of(LOCKSTEP_SOURCE "/solutions/05-transpose/transpose.cu"));
  std::thread changer([this] {
    await_compilation();
    fs::remove(file());
    fs::create_symlink(folder_.path() / "private.txt", file());
  });
  const Ran ran =
      run("timeout --kill-after=10 120 '" LOCKSTEP_EXECUTABLE "' profile transpose --submission '" +
          (folder_.path() / "tree").string() + "' 2>&1");
  changer.join();
  EXPECT_THAT(ran.output, HasSubstr("transpose_wide_kernel"));
  EXPECT_THAT(ran.output, testing::Not(HasSubstr(kSecret)));
}

}  // namespace
}  // namespace lockstep::test
