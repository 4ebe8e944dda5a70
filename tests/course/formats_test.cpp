// The report's forms and the command line round a real judgement: JSON with the keys and types of the design,
// JUnit, whole files, one report for one seed, and what --submission accepts.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>

#include "grading.h"
#include "mistakes.h"

namespace lockstep::test {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using testing::HasSubstr;

const std::string kSolutions = LOCKSTEP_SOURCE "/solutions";

class Formats : public GradingTest {
 protected:
  /// What lies there below solutions/, as an argument.
  std::string submission(const std::string& path) const {
    return " --submission '" + source_of(kSolutions + path, folder_.path()).string() + "'";
  }
  /// A wrong submission shows what its inputs were.
  std::string shows_inputs() const {
    return "transpose" + submission("/05-transpose/wrong/swapped_indices.patch");
  }
};

// The reports of all references too, where they are graded (solutions_test.cpp).
TEST_F(Formats, JsonHasTheDesignsSchemaWhateverTheVerdict) {
  for (const char* file :
       {"/05-transpose/transpose.cu", "/05-transpose/rungs/tiled.cu",
        "/05-transpose/wrong/missing_barrier.patch", "/05-transpose/wrong/compile_error.patch"})
    expect_schema(grade("transpose" + submission(file)).report);
}

TEST_F(Formats, ACaseOfAPuzzleIsRunAlone) {
  const Graded one = grade("first-kernels --seed 1 --case 'slope 33'" +
                           submission("/02-first-kernels/wrong/zero_beyond_the_ends.patch"));
  EXPECT_EQ(one.status, 1) << one.text;
  const auto& exercise = exercise_of(one, "first-kernels");
  ASSERT_EQ(exercise.at("puzzles").size(), 1U);
  EXPECT_EQ(exercise.at("puzzles").at(0).at("name"), "slope");
  ASSERT_EQ(exercise.at("correctness").at("cases").size(), 1U);
  EXPECT_TRUE(exercise.at("correctness").at("cases").at(0).contains("call"));
  EXPECT_EQ(exercise.at("max_points"), 0);
  EXPECT_THAT(one.text, testing::HasSubstr("\n  ✗ slope  wrong-answer\n"));
}

TEST_F(Formats, ARepairIsComparedWithTheProgramThatNobodyEdits) {
  const auto graded = [&](const std::string& options) {
    const std::string reference = submission("/05-transpose-bug/transpose_bug.cu");
    return exercise_of(grade("transpose-bug" + reference + options), "transpose-bug");
  };
  const json repair = graded("").at("repair");
  EXPECT_EQ(repair.at("changed_lines"), 3);
  EXPECT_EQ(repair.at("max_changed_lines"), 4);
  EXPECT_EQ(repair.at("verdict"), "passed");
  EXPECT_FALSE(graded(" --case '33 x 33'").contains("repair")) << "one case is no grade";
}

TEST_F(Formats, AllExercisesAreInTheReportInTheirOrder) {
  fs::create_directory(folder_.path() / "nothing handed in");
  const Graded all = grade("--all --submission '" + (folder_.path() / "nothing handed in").string() + "'");
  EXPECT_EQ(all.status, 1) << all.text;
  expect_schema(all.report);
  ASSERT_EQ(all.report.at("exercises").size(), exercise_folders().size());
  for (std::size_t i = 0; i < exercise_folders().size(); ++i) {
    EXPECT_EQ(all.report.at("exercises").at(i).at("name"), exercise_folders()[i].topic);
    EXPECT_EQ(all.report.at("exercises").at(i).at("verdict"), "compile-error");
  }
}

TEST_F(Formats, JUnitIsWellFormedWhateverTheVerdict) {
  for (const char* file :
       {"/05-transpose/transpose.cu", "/05-transpose/rungs/tiled.cu",
        "/05-transpose/wrong/missing_barrier.patch", "/05-transpose/wrong/compile_error.patch",
        "/../tests/red-team/prints_a_megabyte.cu"}) {
    const fs::path report = folder_.path() / "report.xml";
    run("'" LOCKSTEP_EXECUTABLE "' grade transpose --device emulated --format junit --output '" +
        report.string() + "'" + submission(file));
    const Ran lint = run("xmllint --noout '" + report.string() + "' 2>&1");
    EXPECT_EQ(lint.status, 0) << file << '\n' << lint.output;
  }
}

TEST_F(Formats, APageShowsTheCostlyLineWithItsAccessDrawn) {
  const fs::path page = folder_.path() / "page.html";
  const Ran graded =
      run("'" LOCKSTEP_EXECUTABLE "' grade transpose --device emulated --format html --output '" +
          page.string() + "'" + submission("/05-transpose/rungs/tiled.cu"));
  EXPECT_EQ(graded.status, 1);
  EXPECT_THAT(graded.output, HasSubstr("The page: " + page.string()));
  const Ran checked =
      run("python3 -B '" LOCKSTEP_SOURCE "/tests/cli/check_page.py' '" + page.string() + "' 2>&1");
  EXPECT_EQ(checked.status, 0) << checked.output;
  EXPECT_THAT(checked.output, HasSubstr("shared load, 4 bytes per lane: 32 wavefronts, ideal 1"));
  const std::string html = contents_of(page);
  const std::size_t row = html.find("id=\"exercise-1-line-23\"");
  ASSERT_NE(row, std::string::npos);
  EXPECT_THAT(
      html.substr(row, html.find("</tr>", row) - row),
      testing::AllOf(HasSubstr("<td class=\"number heat-3\" data-label=\"excess wavefronts\">97 %</td>"),
                     HasSubstr("= tile[x][y];")));
}

TEST_F(Formats, AReportReplacesAnOldOneAsAWhole) {
  const fs::path report = folder_.path() / "report.json";
  std::ofstream(report) << std::string(1 << 20, 'x');
  fs::create_hard_link(report, folder_.path() / "old.json");
  EXPECT_EQ(grade("transpose" + submission("")).status, 0);
  // The name now holds another file; whoever reads the old one still reads it whole.
  EXPECT_EQ(fs::file_size(folder_.path() / "old.json"), std::uintmax_t{1} << 20);
  EXPECT_LT(fs::file_size(report), std::uintmax_t{1} << 20);
  for (const auto& entry : fs::directory_iterator(folder_.path())) {
    EXPECT_THAT(entry.path().filename().string(), testing::AnyOf("report.json", "old.json"));
  }
}

TEST_F(Formats, AReportThatCannotBeWrittenIsAFailure) {
  const Ran ran = run("'" LOCKSTEP_EXECUTABLE
                      "' grade transpose --device emulated --format json --output "
                      "/proc/report.json" +
                      submission("") + " 2>&1");
  EXPECT_EQ(ran.status, 3) << ran.output;
  EXPECT_THAT(ran.output, HasSubstr("/proc/report.json"));
}

void forget_times(json& value) {
  if (value.is_object()) {
    value.erase("seconds");
    value.erase("compile_seconds");
  }
  if (value.is_structured()) {
    for (json& element : value) forget_times(element);
  }
}

TEST_F(Formats, OneSeedGivesOneReport) {
  for (const char* file :
       {"/05-transpose/transpose.cu", "/05-transpose/rungs/tiled.cu",
        "/05-transpose/wrong/swapped_indices.patch", "/05-transpose/wrong/no_guard.patch"}) {
    json first = grade("transpose --seed 11" + submission(file)).report;
    json second = grade("transpose --seed 11" + submission(file)).report;
    forget_times(first);
    forget_times(second);
    EXPECT_EQ(first, second) << json::diff(first, second).dump(2);
  }
}

TEST_F(Formats, AnotherSeedGivesOtherInputs) {
  const auto found = [&](const char* seed) {
    json correctness = exercise_of(grade(shows_inputs() + seed), "transpose").at("correctness");
    forget_times(correctness);
    return correctness;
  };
  EXPECT_NE(found(" --seed 1"), found(" --seed 2"));
}

TEST_F(Formats, ASeedMayComeFromAFileOrFromStandardInput) {
  const std::string file = folder_.path() / "seed";
  const std::string text = "00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff";
  std::ofstream(file) << text << '\n';
  json typed = grade(shows_inputs() + " --seed " + text).report;
  EXPECT_EQ(typed.at("seed"), text);
  forget_times(typed);
  for (const std::string& from : {file, "- < " + file}) {
    json read = grade(shows_inputs() + " --seed-file " + from).report;
    forget_times(read);
    EXPECT_EQ(read, typed) << from << json::diff(read, typed).dump(2);
  }
}

TEST_F(Formats, ADrawnSeedIsToldAndRepeats) {
  const json drawn = grade(shows_inputs()).report;
  const std::string seed = drawn.at("seed");
  EXPECT_EQ(seed.size(), 64U) << "as wide as 256 bits are";
  EXPECT_NE(grade(shows_inputs()).report.at("seed"), drawn.at("seed"));
  json repeated = grade(shows_inputs() + " --seed " + seed).report, first = drawn;
  forget_times(first);
  forget_times(repeated);
  EXPECT_EQ(first, repeated) << json::diff(first, repeated).dump(2);
}

class FromASecret : public Formats {
 protected:
  FromASecret() {
    std::ofstream(secret_) << "32 bytes that nobody knows, or more";
    fs::permissions(secret_, fs::perms::owner_read | fs::perms::owner_write);
  }

  /// The transpose of one whose file says something else in a comment, but does the same.
  json graded(const std::string& comment, const std::string& options = "") {
    const fs::path file = folder_.path() / "transpose.cu";
    const fs::path mistake = kSolutions + "/05-transpose/wrong/swapped_indices.patch";
    std::ofstream(file) << contents_of(source_of(mistake, folder_.path())) << "// " << comment << '\n';
    const Graded result = grade("transpose --submission '" + file.string() + "'" + options);
    EXPECT_TRUE(result.report.is_object()) << result.text;
    json report = result.report;
    forget_times(report);
    return report;
  }
  std::string with_secret() const { return " --secret-file '" + secret_.string() + "'"; }

  const fs::path secret_ = folder_.path() / "secret";
};

TEST_F(FromASecret, EverySubmissionGetsInputsOfItsOwn) {
  const json anna = graded("anna", with_secret()), ben = graded("ben", with_secret());
  EXPECT_EQ(graded("anna", with_secret()), anna) << "the same file is graded alike";
  const json of_anna = anna.at("exercises").at(0), of_ben = ben.at("exercises").at(0);
  EXPECT_EQ(of_anna.at("verdict"), of_ben.at("verdict"));
  EXPECT_NE(of_anna.at("correctness"), of_ben.at("correctness")) << "what was found shows the inputs";
  EXPECT_NE(of_anna.at("seed_digest"), of_ben.at("seed_digest"));
}

TEST_F(FromASecret, NoReportTellsASeedUnlessItIsAskedFor) {
  const json hidden = graded("anna", with_secret());
  EXPECT_TRUE(hidden.at("seed").is_null());
  EXPECT_FALSE(hidden.at("exercises").at(0).contains("seed"));
  const json shown = graded("anna", with_secret() + " --show-seed");
  const std::string seed = shown.at("exercises").at(0).at("seed");
  EXPECT_EQ(hidden.dump().find(seed), std::string::npos);
  EXPECT_EQ(graded("anna", " --seed " + seed).at("exercises").at(0).at("correctness"),
            hidden.at("exercises").at(0).at("correctness"))
      << "a student repeats his own grading";
}

TEST_F(FromASecret, ASecretMustBeOne) {
  const auto refusal = [&] {
    const Graded result = grade("transpose" + submission("") + with_secret());
    EXPECT_EQ(result.status, 2);
    return result.text;
  };
  fs::permissions(secret_, fs::perms::group_read, fs::perm_options::add);
  EXPECT_THAT(refusal(), HasSubstr("others may use the file"));
  fs::permissions(secret_, fs::perms::group_read, fs::perm_options::remove);
  std::ofstream(secret_) << "too short";
  EXPECT_THAT(refusal(), HasSubstr("can be guessed"));
}

TEST_F(Formats, SubmissionIsAFileAFolderOrATree) {
  for (const char* path : {"/05-transpose/transpose.cu", "/05-transpose", "/05-transpose/", ""}) {
    const Graded result = grade("transpose" + submission(path));
    EXPECT_EQ(result.status, 0) << path << '\n' << result.text;
    EXPECT_EQ(fs::weakly_canonical(exercise_of(result, "transpose").at("submission").get<std::string>()),
              fs::weakly_canonical(LOCKSTEP_SOURCE "/solutions/05-transpose/transpose.cu"));
  }
}

TEST_F(Formats, AnUnknownExerciseIsWrongUse) {
  const Graded result = grade("blok-scan");
  EXPECT_EQ(result.status, 2);
  EXPECT_THAT(result.text, HasSubstr("did you mean block-scan"));
  EXPECT_TRUE(result.report.is_discarded());
}

TEST_F(Formats, WithoutAGpuThatIsAskedForStatusIsThree) {
  if (fs::exists("/dev/nvidiactl")) GTEST_SKIP() << "this machine has an NVIDIA driver";
  const Ran ran = run("'" LOCKSTEP_EXECUTABLE "' grade transpose --device gpu" + submission("") + " 2>&1");
  EXPECT_EQ(ran.status, 3);
  EXPECT_THAT(ran.output, testing::StartsWith("lockstep: "));
  EXPECT_EQ(std::count(ran.output.begin(), ran.output.end(), '\n'), 1) << ran.output;
}

}  // namespace
}  // namespace lockstep::test
