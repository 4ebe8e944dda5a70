// --course FOLDER, from end to end: a course outside of the tree (private/) is built, listed, tested and
// graded, its version goes with its grades, and what is wrong with one is said with file and rule.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "grading.h"

namespace lockstep::test {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

class PrivateCourse : public GradingTest {
 protected:
  PrivateCourse() { fs::copy(LOCKSTEP_SOURCE "/tests/course/private", course_, fs::copy_options::recursive); }

  Ran lockstep(const std::string& arguments) const {
    return run("cd '" + folder_.path().string() + "' && CUDA_VISIBLE_DEVICES= timeout --kill-after=10 120 '" +
               LOCKSTEP_EXECUTABLE "' --course course " + arguments + " 2>&1");
  }
  nlohmann::json graded(const std::string& solution) const {
    const fs::path report = folder_.path() / "report.json";
    const Ran ran =
        lockstep("grade reverse --device emulated --format json --output report.json --submission '" +
                 (course_ / "solutions/50-reverse" / solution).string() + "'");
    output_ = ran.output;
    return nlohmann::json::parse(contents_of(report)).at("exercises").at(0);
  }
  void append(const std::string& name, const std::string& text) const {
    std::ofstream(course_ / name, std::ios::app) << text;
  }
  /// The state of the course's own repository, and of the tree's, of which nothing is written.
  static std::string state_of_tree() {
    return run("git -C '" LOCKSTEP_SOURCE "' status --porcelain --ignored=no 2>&1").output;
  }
  /// What is refused before anything is compiled.
  void expect_refused(const std::string& line) const {
    const Ran ran = lockstep("list");
    EXPECT_EQ(ran.status, 2) << ran.output;
    EXPECT_THAT(ran.output, AllOf(HasSubstr("  " + line + "\n"),
                                  HasSubstr(course_.string() + " breaks 1 rule of docs/add-an-exercise.md")));
    EXPECT_FALSE(fs::exists(course_ / ".lockstep"));
  }

  const fs::path course_ = folder_.path() / "course";
  mutable std::string output_;
};

TEST_F(PrivateCourse, IsBuiltTestedAndGradedAndItsVersionGoesWithTheGrades) {
  const std::string tree = state_of_tree();
  const Ran list = lockstep("list");
  ASSERT_EQ(list.status, 0) << list.output;
  EXPECT_THAT(list.output, AllOf(HasSubstr("lockstep: building the course in " + course_.string()),
                                 HasSubstr("\n  05  transpose "), HasSubstr("\n  50  reverse ")));
  EXPECT_THAT(lockstep("list").output, AllOf(Not(HasSubstr("building")), HasSubstr("\n  50  reverse ")));
  EXPECT_THAT(run("'" LOCKSTEP_EXECUTABLE "' list").output, Not(HasSubstr("reverse")));

  EXPECT_THAT(lockstep("lectures reverse").output, HasSubstr("exercises/50-reverse/README.md"));

  const nlohmann::json reference = graded("reverse.cu");
  EXPECT_EQ(reference.at("verdict"), "passed") << output_;
  const std::string version = reference.at("course_version");
  EXPECT_THAT(output_, HasSubstr("private course, version " + version));

  const fs::path wrong = course_ / "solutions/50-reverse/wrong/no_guard";
  const std::string patch = wrong.string() + ".patch";
  const Ran made = run("'" LOCKSTEP_SOURCE "/tests/course/mistake' show '" + patch + "' 2>&1 >'" +
                       wrong.string() + ".cu'");
  ASSERT_EQ(made.status, 0) << made.output;
  EXPECT_EQ(graded("wrong/no_guard.cu").at("verdict"), "out-of-bounds") << output_;
  EXPECT_THAT(output_, HasSubstr("12 | out[i] = in[n - 1 - i];"));

  // The rules of the tree's exercises; of the files, two are too few.
  const std::string tests = "ctest --test-dir '" + (course_ / ".lockstep/build").string() + "' --verbose -R ";
  const Ran rules = run(tests + "'^(rules.reverse|words)$' 2>&1");
  EXPECT_EQ(rules.status, 0) << rules.output;
  EXPECT_THAT(rules.output, HasSubstr("EveryExercise.ObeysTheRules/reverse"));
  const Ran structure = run(tests + "'^structure$' 2>&1");
  EXPECT_NE(structure.status, 0);
  EXPECT_THAT(structure.output,
              AllOf(HasSubstr("solutions/50-reverse/rungs: add rungs"),
                    HasSubstr("solutions/50-reverse/wrong: add mistakes"), Not(HasSubstr("is missing"))));

  folder_.write("handed-in/anna/reverse.cu", contents_of(course_ / "solutions/50-reverse/reverse.cu"));
  const std::string grade_class = "class handed-in --results results --exercises reverse --device emulated";
  const auto version_graded = [&] {
    const Ran ran = lockstep(grade_class);
    EXPECT_EQ(ran.status, 0) << ran.output;
    const auto gradings = nlohmann::json::parse(contents_of(folder_.path() / "results/gradings.json"));
    return gradings.at("students").at(0).at("gradings").at(0).at("lockstep").get<std::string>();
  };
  EXPECT_THAT(version_graded(), testing::EndsWith("+course." + version));
  append("exercises/50-reverse/README.md", "No grade depends on this.\n");
  append("exercises/50-reverse/reverse.cu", "// Nor on this.\n");
  EXPECT_THAT(lockstep("list").output, Not(HasSubstr("building")));
  append("solutions/50-reverse/reverse.cu", "// Others are compared with this file.\n");
  EXPECT_THAT(version_graded(), Not(testing::EndsWith(version)));

  append("exercises/50-reverse/problem.cpp", "#error no exercise\n");
  const Ran broken = lockstep("list");
  EXPECT_EQ(broken.status, 3);
  EXPECT_THAT(broken.output, AllOf(HasSubstr("exercises/50-reverse/problem.cpp:"), HasSubstr("no exercise"),
                                   HasSubstr(course_.string() + " does not compile; the output is above")));
  EXPECT_EQ(state_of_tree(), tree);
}

TEST_F(PrivateCourse, ThatLacksAFileIsRefusedWithItsName) {
  fs::remove(course_ / "exercises/50-reverse/reverse.h");
  expect_refused("exercises/50-reverse/reverse.h is missing: the interface, which nobody edits");
}

TEST_F(PrivateCourse, WithTheTopicOfAnotherIsRefused) {
  fs::copy(course_ / "exercises/50-reverse", course_ / "exercises/51-reverse");
  fs::copy(course_ / "solutions/50-reverse", course_ / "solutions/51-reverse");
  expect_refused("exercises/51-reverse: its topic is also that of exercises/50-reverse: choose another");
}

TEST_F(PrivateCourse, WithTheNumberOrTheTopicOfTheTreesIsRefused) {
  for (const char* folder : {"exercises", "solutions"})
    fs::rename(course_ / folder / "50-reverse", course_ / folder / "05-reverse");
  expect_refused("exercises/05-reverse: its number is that of the tree's 05-transpose: choose another");
  fs::rename(course_ / "exercises/05-reverse", course_ / "exercises/50-transpose");
  EXPECT_THAT(
      lockstep("list").output,
      HasSubstr("  exercises/50-transpose: its topic is that of the tree's 05-transpose: choose another\n"));
}

TEST_F(PrivateCourse, ThatIsNoneIsRefused) {
  fs::remove_all(course_ / "exercises");
  EXPECT_THAT(lockstep("list").output, HasSubstr("is no course: it has no folder exercises/NN-topic"));
  fs::remove_all(course_);
  const Ran none = lockstep("list");
  EXPECT_EQ(none.status, 2);
  EXPECT_THAT(none.output, HasSubstr("--course: there is no folder \"course\""));
  EXPECT_THAT(lockstep("--course other list").output, HasSubstr("--course is given twice"));
  EXPECT_THAT(run("LOCKSTEP_COURSE=none '" LOCKSTEP_EXECUTABLE "' list 2>&1").output,
              HasSubstr("LOCKSTEP_COURSE: there is no folder \"none\""));
}

TEST_F(PrivateCourse, NeedsSourcesWhichAPackageHasNot) {
  fs::create_directory(folder_.path() / "package");
  const Ran ran = run("cd '" + folder_.path().string() +
                      "' && LOCKSTEP_ROOT=package '" LOCKSTEP_EXECUTABLE "' --course course list 2>&1");
  EXPECT_EQ(ran.status, 3);
  EXPECT_THAT(ran.output, testing::StartsWith("lockstep: --course needs a clone of Lockstep"));
}

}  // namespace
}  // namespace lockstep::test
