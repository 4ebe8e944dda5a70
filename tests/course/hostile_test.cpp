// Submissions that are broken (submissions/), attack the grader (../red-team/), or only look as if they did
// (../red-team/honest/): each is graded in front of a sound one and must get the verdict on its first line,
// in the words that it says; the sound one must pass, and no process and no file may be left.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>

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
  // What a submission prints never reaches the terminal as control characters.
  EXPECT_EQ(result.text.find('\033'), std::string::npos);
}

std::string name_of_file(const testing::TestParamInfo<fs::path>& info) {
  return name_for_test(info.param.stem().string());
}

INSTANTIATE_TEST_SUITE_P(Broken, Submission,
                         testing::ValuesIn(cuda_files(LOCKSTEP_SOURCE "/tests/course/submissions")),
                         name_of_file);
INSTANTIATE_TEST_SUITE_P(RedTeam, Submission,
                         testing::ValuesIn(cuda_files(LOCKSTEP_SOURCE "/tests/red-team")), name_of_file);
INSTANTIATE_TEST_SUITE_P(Honest, Submission,
                         testing::ValuesIn(cuda_files(LOCKSTEP_SOURCE "/tests/red-team/honest")),
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
  folder_.write("tree/03-transpose/transpose.cu",
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
  folder_.write("tree/03-transpose/transpose.cu", "");
  const Graded result = grade_both();
  EXPECT_EQ(verdict_of(result, "transpose"), "compile-error");
  EXPECT_THAT(unwrapped(result.text), HasSubstr("empty"));
}

TEST_F(BrokenSubmission, BinaryFile) {
  std::string bytes(4096, '\0');
  for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<char>(i * 37 % 256);
  folder_.write("tree/03-transpose/transpose.cu", bytes);
  const Graded result = grade_both();
  EXPECT_EQ(verdict_of(result, "transpose"), "compile-error");
  EXPECT_THAT(unwrapped(result.text), HasSubstr("is not text: it holds zero bytes"));
}

TEST_F(BrokenSubmission, FolderInPlaceOfTheFile) {
  fs::create_directories(file());
  EXPECT_EQ(verdict_of(grade_both(), "transpose"), "compile-error");
}

TEST_F(BrokenSubmission, UnreadableFile) {
  folder_.write("tree/03-transpose/other.cu", "");
  fs::create_symlink(file(), file());  // a link to itself
  EXPECT_EQ(verdict_of(grade_both(), "transpose"), "compile-error");
}

}  // namespace
}  // namespace lockstep::test
