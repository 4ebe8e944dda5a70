// The pages of a class and of its students: what they show, and that no name becomes markup. check_page.py
// reads each as a browser does.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "classroom/class_summary.h"
#include "sample_class.h"
#include "shell.h"

namespace lockstep::classroom {
namespace {

namespace fs = std::filesystem;
using lockstep::test::Ran;
using test::kHostileId;
using test::SampleClass;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

class ClassPages : public testing::Test {
 protected:
  ClassPages() { write_outputs(sample_.table(), sample_.store(), sample_.folder()); }
  /// The page's text. Fails where the page holds what it may not hold, or leads where nothing is.
  std::string text_of(const fs::path& page) const {
    const std::string file = (sample_.folder() / page).string();
    const Ran read = lockstep::test::run(PYTHON " -B '" PAGE_CHECKER "' '" + file + "' --files");
    EXPECT_EQ(read.status, 0);
    const Ran lint = lockstep::test::run("xmllint --noout '" + file + "' 2>&1");
    EXPECT_EQ(lint.status, 0) << lint.output;
    return read.output;
  }
  SampleClass sample_;
};

TEST_F(ClassPages, TheClassIsSummedUp) {
  const std::string text = text_of("class.html");
  for (const char* shown :
       {"a class of 5 students, 2 exercises", "dora (Dora): has handed in nothing", "Frequent mistakes",
        "bank-conflicts", "Who is stuck", "transpose: 3 of 4 have not passed, after up to 2 files",
        "from padded (0.80 of the reference's speed)", "odd.zip is a link"})
    EXPECT_THAT(text, HasSubstr(shown));
  const std::string page = storage::read_file(sample_.folder() / "class.html");
  // Of transpose 10, 2, 0 and 2 points of 10.
  EXPECT_THAT(page, HasSubstr("aria-label=\"0 to 10 %: 1, 20 to 30 %: 2, full points: 1\""));
  EXPECT_THAT(page, HasSubstr("href=\"./reports/anna/index.html\""));
  EXPECT_THAT(page, HasSubstr("<a href=\"#stuck\">"));
  EXPECT_THAT(page, Not(HasSubstr("<script")));
}

TEST_F(ClassPages, AStudentSeesTheirOwn) {
  const std::string text = text_of("reports/anna/index.html");
  EXPECT_THAT(text, AllOf(HasSubstr("17.25 of 20.0 points"), HasSubstr("inefficient"),
                          HasSubstr("Read the lecture."), Not(HasSubstr("bob"))));
  EXPECT_THAT(storage::read_file(sample_.folder() / "reports/anna/index.html"),
              HasSubstr("href=\"./transpose.html\""));
  EXPECT_EQ(storage::read_file(sample_.folder() / "reports/anna/transpose.html"), "<p>page of transpose</p>");
  EXPECT_THAT(text_of("reports/dora/index.html"), HasSubstr("not handed in"));
  const std::string other = text_of(fs::path("reports") / safe_name(kHostileId) / "index.html");
  EXPECT_THAT(other, AllOf(HasSubstr("<script>alert(1)</script>"), HasSubstr("odd.zip is a link"),
                           HasSubstr("not graded: there are 2 files")));
}

TEST_F(ClassPages, WithoutAPageTheTextIsRead) {
  StudentRow& cy = sample_.table().rows[2];
  const auto grading = sample_.store().newest(cy.standings.at("transpose").key);
  sample_.store().add(*grading);  // the newest has no page
  write_outputs(sample_.table(), sample_.store(), sample_.folder());
  EXPECT_THAT(text_of("reports/cy/index.html"), HasSubstr("compile-error"));
  EXPECT_THAT(storage::read_file(sample_.folder() / "reports/cy/index.html"),
              HasSubstr("href=\"./transpose.txt\""));
  EXPECT_FALSE(fs::exists(sample_.folder() / "reports/cy/transpose.html"));
}

TEST(ClassSummaries, CountStudentsAndTheirFiles) {
  SampleClass sample;
  ClassSummary summary(sample.table());
  for (const StudentRow& row : sample.table().rows)
    for (const auto& [exercise, standing] : row.standings) {
      StudentGrading one{exercise, standing};
      one.attempts = sample.store().attempts(row.id, exercise);
      summary.add(row, one);
    }
  const ExerciseSummary& transpose = summary.of("transpose");
  EXPECT_EQ(transpose.handed_in, 4U);
  EXPECT_EQ(transpose.judged, 4U);
  EXPECT_EQ(transpose.passed, 1U);
  const auto bob =
      std::ranges::find_if(transpose.stuck, [](const Stuck& one) { return one.row->id == "bob"; });
  ASSERT_NE(bob, transpose.stuck.end());
  EXPECT_EQ(bob->attempts, 2U);
  EXPECT_EQ(summary.of("scan").handed_in, 2U);
  EXPECT_EQ(summary.of("scan").judged, 1U);
}

result::ExerciseResult failed(result::Verdict verdict, const std::string& guess) {
  result::ExerciseResult result;
  result.verdict = verdict;
  result.cases.resize(2);
  result.cases[1].verdict = verdict;
  result.cases[1].guess = guess;
  return result;
}

TEST(ClassSummaries, TheSameMistakeOfSeveralIsOne) {
  ClassTable table;
  table.exercises = {"scan"};
  ClassSummary summary(table);
  const StudentRow row{.id = "anna"};
  const auto add = [&](const result::ExerciseResult& result, std::optional<double> on_ladder = {}) {
    StudentGrading one{"scan",
                       {.kind = Standing::Kind::graded, .is_judged = true, .verdict = result.verdict}};
    one.result = result;
    one.result->speed.on_ladder = on_ladder;
    one.result->speed.ladder = {{"a", 0.25}, {"b", 0.5}, {"reference", 1}};
    summary.add(row, one);
  };
  add(failed(result::Verdict::race, "32 threads of block 7 write"));
  add(failed(result::Verdict::race, "1 threads of block 1024 write"));
  add(failed(result::Verdict::race, "0x7f threads of block b_2 write"));
  add(failed(result::Verdict::wrong_answer, "32 threads of block 7 write"));
  add(failed(result::Verdict::race, ""));
  for (const double speed : {0.1, 0.25, 0.3, 1.0, 2.0}) add(failed(result::Verdict::passed, ""), speed);
  const auto compile_error = [](const std::string& message) {
    result::ExerciseResult result = failed(result::Verdict::compile_error, "");
    result.compiler_error = result::CompilerError{{}, message, ""};
    return result;
  };
  add(compile_error("identifier \"m\" is undefined"));
  add(compile_error("identifier \"n\" is undefined"));
  std::vector<std::size_t> counts;
  for (const auto& [key, mistake] : summary.of("scan").mistakes) counts.push_back(mistake.students);
  EXPECT_THAT(counts, testing::UnorderedElementsAre(3, 1, 1, 2));
  EXPECT_THAT(summary.of("scan").between, testing::ElementsAre(1, 2, 0, 2))
      << "below a, from a, from b, from the reference on";
}

TEST(ClassSummaries, AMedianIsTheMiddle) {
  EXPECT_EQ(median_of({}), 0);
  EXPECT_EQ(median_of({3, 1, 2}), 2);
  EXPECT_EQ(median_of({4, 1, 2, 8}), 3);
}

}  // namespace
}  // namespace lockstep::classroom
