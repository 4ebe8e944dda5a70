// Submissions that are broken, or attack the grader: each of submissions/ is graded in front of a sound one
// and must get the verdict on its first line, in the words on those after it; the sound one must pass, and no
// process and no file may be left.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "grading.h"

namespace lockstep::test {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

/// Grades `transpose` with what is in the test's folder, then the reference of block-scan.
class BrokenSubmission : public GradingTest {
 protected:
  fs::path file() const { return folder_.path() / "tree/03-transpose/transpose.cu"; }
  Graded grade_both() {
    folder_.write("tree/06-block-scan/block_scan.cu", "");
    fs::copy_file(LOCKSTEP_SOURCE "/solutions/06-block-scan/block_scan.cu",
                  folder_.path() / "tree/06-block-scan/block_scan.cu", fs::copy_options::overwrite_existing);
    Graded result = grade("transpose block-scan --submission '" + (folder_.path() / "tree").string() + "'");
    EXPECT_EQ(result.status, verdict_of(result, "transpose") == "grader-error" ? 3 : 1) << result.text;
    EXPECT_NE(exercise_of(result, "transpose").at("next_step"), "") << result.text;
    EXPECT_EQ(verdict_of(result, "block-scan"), "passed") << result.text;
    return result;
  }
};

class Submission : public BrokenSubmission, public testing::WithParamInterface<fs::path> {};

TEST_P(Submission, GetsItsVerdictAndTheNextIsGraded) {
  fs::create_directories(file().parent_path());
  fs::copy_file(GetParam(), file());
  const Graded result = grade_both();
  EXPECT_THAT(headings(GetParam(), "expect"), testing::ElementsAre(verdict_of(result, "transpose")))
      << result.text;
  for (const std::string& words : headings(GetParam(), "says")) {
    EXPECT_THAT(unwrapped(result.text), HasSubstr(words));
  }
  // What a submission prints never reaches the terminal as control characters.
  EXPECT_EQ(result.text.find('\033'), std::string::npos);
}

INSTANTIATE_TEST_SUITE_P(Every, Submission,
                         testing::ValuesIn(cuda_files(LOCKSTEP_SOURCE "/tests/course/submissions")),
                         [](const auto& one) { return name_for_test(one.param.stem().string()); });

TEST_F(BrokenSubmission, WritesNothingOutsideTheSandbox) {
  fs::create_directories(file().parent_path());
  fs::copy_file(LOCKSTEP_SOURCE "/tests/course/submissions/writes_outside.cu", file());
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
