// What an instructor takes from a class: safe for a spreadsheet and a file system, whatever students are
// called.
#include "classroom/outputs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

#include "sandbox/temporary_folder.h"
#include "storage/files.h"

namespace lockstep::classroom {
namespace {

namespace fs = std::filesystem;
using result::Verdict;
using testing::HasSubstr;
using testing::MatchesRegex;
using testing::Not;

TEST(ClassOutputs, CellsAreNoFormulasAndNoLineBreaks) {
  EXPECT_EQ(csv_cell("Anna"), "Anna");
  EXPECT_EQ(csv_cell("A, \"B\"\nC"), "\"A, \"\"B\"\" C\"");
  for (const char* formula : {"=1+2", "+1", "-1", "@SUM(A1)"})
    EXPECT_EQ(csv_cell(formula), std::string("'") + formula);
  EXPECT_EQ(csv_cell("\x1B[31m=1"), "'=1");
}

TEST(ClassOutputs, FoldersOfStudentsLieSideBySide) {
  EXPECT_EQ(safe_name("anna.b-1_2"), "anna.b-1_2");
  EXPECT_THAT(safe_name("../x"), MatchesRegex("_\\._x-[0-9a-f]{12}"));
  EXPECT_THAT(safe_name(".."), MatchesRegex("_\\.-[0-9a-f]{12}"));
  EXPECT_THAT(safe_name(""), MatchesRegex("-[0-9a-f]{12}"));
  EXPECT_NE(safe_name("a b"), safe_name("a\nb"));
  EXPECT_LT(safe_name(std::string(250, 'a')).size(), 120U);
}

class ClassTables : public testing::Test {
 protected:
  ClassTables() {
    table_.exercises = {"scan", "transpose"};
    table_.has_roster = true;
    StudentRow anna{.id = "anna", .name = "Anna"};
    anna.standings["scan"] = graded("anna", "scan", Verdict::inefficient, 7.25);
    anna.standings["transpose"] = graded("anna", "transpose", Verdict::grader_error, 0);
    StudentRow bob{.id = "b\x1B[2Job", .is_in_roster = false};
    bob.standings["scan"] = {.kind = Standing::Kind::refused, .why = "there are 2 files"};
    bob.standings["transpose"] = graded(bob.id, "transpose", Verdict::review, 5);
    StudentRow cy{.id = "cy", .name = "Cy", .has_entry = false};
    StudentRow dora{.id = "dora"};
    dora.standings["scan"] = {.kind = Standing::Kind::due};
    table_.rows = {anna, bob, cy, dora};
    table_.problems = {"notes.pdf is no entry"};
  }
  /// Adds a grading, and gives what stands in the table of it.
  Standing graded(const std::string& student, const std::string& exercise, Verdict verdict, double points) {
    const Grading grading{.key = {student, exercise, "digest", "the secret", "1.0"},
                          .toolkit = "13.0",
                          .device = "device",
                          .time = "now",
                          .verdict = verdict,
                          .points = points,
                          .max_points = 10,
                          .report = R"({"schema":"lockstep/result/v1"})",
                          .text = "report of " + exercise + "\n",
                          .complaint = verdict == Verdict::grader_error ? "no memory" : ""};
    store_.keep_file(grading.key.sha256, "// what was handed in\n");
    store_.add(grading);
    return {.kind = Standing::Kind::graded,
            .key = grading.key,
            .points = points,
            .max_points = 10,
            .is_judged = verdict != Verdict::grader_error,
            .verdict = verdict,
            .complaint = grading.complaint};
  }
  sandbox::TemporaryFolder folder_{fs::temp_directory_path(), "lockstep-outputs-"};
  Store store_{folder_.path() / "class.sqlite"};
  ClassTable table_;
};

TEST_F(ClassTables, PointsThatNobodyKnowsAreEmptyCells) {
  EXPECT_EQ(points_csv(table_),
            "id,name,scan,transpose,total\r\n"
            "anna,Anna,7.25,,7.25\r\n"
            "bob,,,5.0,5.0\r\n"
            "cy,Cy,0.0,0.0,0.0\r\n"
            "dora,,,0.0,0.0\r\n");
}

TEST_F(ClassTables, ATableFitsAndSaysWhatToLookAt) {
  EXPECT_EQ(table_text(table_, 80),
            "student  scan  transpose   sum\n"
            "Anna     7.25          ?  7.25\n"
            "bob         ?        5.0   5.0\n"
            "Cy          -          -   0.0\n"
            "dora        ?          -   0.0\n");
  table_.exercises.emplace_back("histogram");  // which nobody handed in
  EXPECT_THAT(table_text(table_, 80), HasSubstr("student  scan  transpose   sum\n"));
  table_.exercises.pop_back();
  EXPECT_THAT(table_text(table_, 25), HasSubstr("student   sum\nAnna     7.25\n"));
  EXPECT_EQ(remarks_text(table_),
            "  notes.pdf is no entry\n"
            "  anna (Anna): transpose: grader-error: no memory\n"
            "  bob: is not in the roster\n"
            "  bob: scan is not graded: there are 2 files\n"
            "  bob: transpose: review\n"
            "  cy (Cy): has handed in nothing\n"
            "  dora: scan is still to be graded\n");
}

TEST_F(ClassTables, AreWrittenWithReportsAndWithoutSecrets) {
  storage::write_file(folder_.path() / "reports/gone/scan.txt", "of a run before");
  write_outputs(table_, store_, folder_.path());
  EXPECT_EQ(storage::read_file(folder_.path() / "points.csv"), points_csv(table_));
  EXPECT_EQ(storage::read_file(folder_.path() / "reports/anna/scan.txt"), "report of scan\n");
  EXPECT_EQ(storage::read_file(folder_.path() / "reports" / safe_name("b\x1B[2Job") / "transpose.txt"),
            "report of transpose\n");
  EXPECT_FALSE(fs::exists(folder_.path() / "reports/gone"));
  const std::string text = storage::read_file(folder_.path() / "gradings.json");
  EXPECT_THAT(text, Not(HasSubstr("the secret")));
  const auto root = nlohmann::json::parse(text);
  EXPECT_EQ(root.at("schema"), "lockstep/class/v1");
  const auto& anna = root.at("students").at(0);
  EXPECT_EQ(anna.at("gradings").at(0).at("points"), 7.25);
  EXPECT_EQ(anna.at("gradings").at(0).at("report").at("schema"), "lockstep/result/v1");
  EXPECT_EQ(anna.at("gradings").at(1).at("points"), nullptr);
  EXPECT_EQ(anna.at("gradings").at(1).at("complaint"), "no memory");
  EXPECT_EQ(root.at("students").at(1).at("id"), "bob");
  EXPECT_EQ(root.at("students").at(1).at("gradings").at(0).at("state"), "refused");
}

}  // namespace
}  // namespace lockstep::classroom
