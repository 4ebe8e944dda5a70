// The tool that keeps known mistakes as differences from solutions: a difference that no longer applies is an
// error, and an edited solution is merged into it.
#include "mistakes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <stdexcept>

#include "remains.h"
#include "shell.h"

namespace lockstep::test {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::HasSubstr;

/// A repository with the tool, a solution, and a mistake in its fourth line.
class KnownMistake : public LeavesNothingBehind {
 protected:
  KnownMistake() {
    folder_.write("tests/course/mistake", contents_of(LOCKSTEP_SOURCE "/tests/course/mistake"), true);
    folder_.write(kSolution, kBefore + kRight + kAfter);
    in_folder("git init -q && git add . && git -c user.name=T -c user.email=t@example.org commit -q -m one");
    folder_.write("wrong.cu", kBefore + kWrong + kAfter);
    folder_.write(kPatch, kHead);
    expect_done(mistake("save " + kPatch + " " + kSolution + " wrong.cu"));
  }

  Ran in_folder(const std::string& command) const {
    return run("cd '" + folder_.path().string() + "' && " + command);
  }
  Ran mistake(const std::string& arguments) const {
    return in_folder("tests/course/mistake " + arguments + " 2>&1");
  }
  std::string contents(const std::string& name) const { return contents_of(folder_.path() / name); }
  static void expect_done(const Ran& ran) { EXPECT_EQ(ran.status, 0) << ran.output; }

  const std::string kSolution = "solutions/01-sum/sum.cu", kPatch = "solutions/01-sum/wrong/off_by_one.patch";
  const std::string kBefore = "// The reference.\nint first() { return 1; }\n\n";
  const std::string kRight = "int sum() { return 2; }\n", kWrong = "int sum() { return 3; }\n";
  const std::string kAfter = "\nint last() { return 4; }\n";
  const std::string kHead = "// expect: wrong-answer\n// One too many.\n";
  const TemporaryFolder folder_;
};

TEST_F(KnownMistake, IsADifferenceUnderItsHead) {
  EXPECT_EQ(contents(kPatch), kHead + "--- a/" + kSolution + "\n+++ b/" + kSolution +
                                  "\n@@ -2,5 +2,5 @@\n int first() { return 1; }\n\n-" + kRight + "+" +
                                  kWrong + "\n int last() { return 4; }\n");
  const Ran shown = mistake("show " + kPatch);
  EXPECT_EQ(shown.status, 0);
  EXPECT_EQ(shown.output, kBefore + kWrong + kAfter);
}

TEST_F(KnownMistake, AFileThatIsMissingIsOneSentence) {
  EXPECT_EQ(mistake("show nowhere/none.patch").output, "mistake: nowhere is no folder: make it first\n");
  EXPECT_EQ(mistake("show solutions/01-sum/wrong/none.patch").output,
            "mistake: there is no solutions/01-sum/wrong/none.patch\n");
}

TEST_F(KnownMistake, TakesNoNoticeOfTheMarksOfRegions) {
  folder_.write(kSolution, "// [all]\n" + kBefore + "  // [sum-1]\n" + kRight + "  // [sum-1]\n" + kAfter);
  EXPECT_EQ(mistake("show " + kPatch).output, kBefore + kWrong + kAfter);
  const std::string kept = contents(kPatch);
  expect_done(mistake("save " + kPatch + " " + kSolution + " wrong.cu"));
  EXPECT_EQ(contents(kPatch), kept);
}

TEST_F(KnownMistake, DiffersFromItsSolution) {
  const std::string kept = contents(kPatch);
  const Ran ran = mistake("save " + kPatch + " " + kSolution + " " + kSolution);
  EXPECT_EQ(ran.status, 1);
  EXPECT_THAT(ran.output, HasSubstr("does not differ"));
  EXPECT_EQ(contents(kPatch), kept);
}

TEST_F(KnownMistake, ThatNoLongerAppliesIsAnErrorThatNamesIt) {
  // One line of the context is another: that is enough, and no guess is made.
  folder_.write(kSolution, "// The reference.\nint first() { return 10; }\n\n" + kRight + kAfter);
  EXPECT_EQ(mistake("show " + kPatch).status, 1);
  const fs::path stale = folder_.path() / "stale.patch";
  const std::string patch =
      contents_of(LOCKSTEP_SOURCE "/solutions/05-transpose/wrong/missing_barrier.patch");
  const std::string context = "\n     tile[y][x] = ";
  ASSERT_THAT(patch, HasSubstr(context));
  folder_.write("stale.patch", std::string(patch).insert(patch.find(context) + context.size(), "2 * "));
  EXPECT_THAT([&] { source_of(stale, folder_.path()); },
              testing::ThrowsMessage<std::runtime_error>(
                  AllOf(HasSubstr("patch does not apply"),
                        HasSubstr("stale.patch no longer applies to solutions/05-transpose/rungs/padded.cu"),
                        HasSubstr("Type: tests/course/mistake refresh "))));
}

TEST_F(KnownMistake, ThatNamesNoSolutionIsAnError) {
  folder_.write("exercises/sum.cu", kRight);
  for (const char* base : {"--- a/exercises/sum.cu\n", "--- a/solutions/none.cu\n", ""}) {
    folder_.write("other.patch", kHead + base);
    const Ran ran = mistake("show other.patch");
    EXPECT_EQ(ran.status, 1) << base;
    EXPECT_THAT(ran.output, HasSubstr("other.patch names no solution"));
  }
}

TEST_F(KnownMistake, TakesWhatItsSolutionHasBecome) {
  const std::string edited = "// The reference.\nint first() { return 10; }\n\n";
  folder_.write(kSolution, edited + kRight + kAfter);
  ASSERT_EQ(mistake("show " + kPatch).status, 1) << "the difference is out of date";
  // Whether the solution's new text has been committed or not.
  for (const char* command : {"true", "git -c user.name=T -c user.email=t@example.org commit -q -a -m two"}) {
    const std::string kept = contents(kPatch);
    expect_done(in_folder(command));
    expect_done(mistake("refresh " + kPatch));
    EXPECT_EQ(mistake("show " + kPatch).output, edited + kWrong + kAfter);
    EXPECT_THAT(contents(kPatch), testing::StartsWith(kHead + "--- a/"));
    folder_.write(kPatch, kept);
  }
}

TEST_F(KnownMistake, AsksWhereBothChangeTheSameLine) {
  const std::string kept = contents(kPatch);
  folder_.write(kSolution, kBefore + "int sum() { return 1 + 1; }\n" + kAfter);
  const Ran ran = mistake("refresh " + kPatch);
  EXPECT_EQ(ran.status, 1);
  EXPECT_THAT(ran.output, AllOf(HasSubstr("change the same lines"),
                                HasSubstr("save " + kPatch + " " + kSolution + " off_by_one.cu")));
  EXPECT_THAT(contents("off_by_one.cu"),
              AllOf(HasSubstr("<<<<<<< mistake\n" + kWrong), HasSubstr("1 + 1; }\n>>>>>>> " + kSolution)));
  EXPECT_EQ(contents(kPatch), kept);
}

}  // namespace
}  // namespace lockstep::test
