// Exports are in the formats that the other systems publish. Each test has the words and limits of its
// format, as they stood on 2026-11-29, and reads the file as that system does.
#include "classroom/exports.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "sample_class.h"
#include "shell.h"

namespace lockstep::classroom {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using test::kHostileId;
using test::SampleClass;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

using CsvRow = std::vector<std::string>;

/// Rows of a table by RFC 4180; lines end with CR and LF.
std::vector<CsvRow> rows_of(const std::string& csv) {
  std::vector<CsvRow> rows;
  CsvRow row(1);
  bool is_quoted = false;
  for (std::size_t i = 0; i < csv.size(); ++i) {
    const char c = csv[i];
    if (c == '"' && is_quoted && i + 1 < csv.size() && csv[i + 1] == '"') {
      row.back() += csv[++i];
    } else if (c == '"') {
      is_quoted = !is_quoted;
    } else if (c == ',' && !is_quoted) {
      row.emplace_back();
    } else if (c == '\r' && !is_quoted && csv[i + 1] == '\n') {
      rows.push_back(row);
      row = CsvRow(1);
      ++i;
    } else {
      row.back() += c;
    }
  }
  EXPECT_EQ(row, CsvRow(1)) << "the last line has an end";
  return rows;
}

// Canvas: https://github.com/instructure/canvas-lms/blob/00b222d77ee4/lib/gradebook_importer.rb
// row_has_student_headers?: row.length > 3 && row[0].include?("Student") && row[1].include?("ID")
// update_column_count: row[2] =~ /SIS\s+User\s+ID/ && row[3] =~ /SIS\s+Login\s+ID/, then two columns more
// header?: last_student_info_column(row).include?("Section")
// check_for_non_student_row: row[0]&.include?("Points Possible") "is describing the assignment"
// process_student: by the ID of Canvas, else by SIS User ID, SIS Login ID, or the name
TEST(CanvasExport, IsWhatTheImporterOfGradebooksTakes) {
  SampleClass sample;
  const std::vector<CsvRow> rows = rows_of(canvas_csv(sample.table()));
  ASSERT_EQ(rows.size(), 6U);
  EXPECT_THAT(rows[0],
              ElementsAre("Student", "ID", "SIS User ID", "SIS Login ID", "Section", "scan", "transpose"));
  EXPECT_THAT(rows[1], ElementsAre("Points Possible", "", "", "", "", "10.0", "10.0"));
  EXPECT_THAT(rows[2], ElementsAre("Ångström, Anna", "", "anna", "anna", "", "7.25", "10.0"));
  EXPECT_THAT(rows[5], ElementsAre("Dora", "", "dora", "dora", "", "0.0", "0.0"));
  for (std::size_t i = 2; i < rows.size(); ++i) {
    EXPECT_THAT(rows[i][0], Not(HasSubstr("Points Possible"))) << "a student called so is a student";
    EXPECT_EQ(rows[i].size(), rows[0].size());
  }
  EXPECT_EQ(rows[3][0], "'=Bob");
  // The importer's columns that are no assignments; an exercise called so would be lost.
  for (const char* reserved :
       {"Current Score", "Current Points", "Current Grade", "Final Score", "Final Points", "Final Grade",
        "Override Score", "Override Grade", "Override Status"})
    EXPECT_THAT(canvas_csv(sample.table()), Not(HasSubstr(reserved)));
}

TEST(CanvasExport, WithoutARosterHasEverybody) {
  SampleClass sample;
  sample.table().has_roster = false;
  const std::vector<CsvRow> rows = rows_of(canvas_csv(sample.table()));
  ASSERT_EQ(rows.size(), 7U);
  EXPECT_THAT(rows[6][5], "") << "points that nobody knows";
}

// Moodle: https://docs.moodle.org/311/en/Grade_import: "Map from" and "Map to": "Id Number" to
// "useridnumber". https://github.com/moodle/moodle/blob/0289d8c76654/grade/import/csv/classes/load_data.php
// insert_grade_record: "By default the maximum grade is 100.", gradevaluetoobig takes the whole import back
// update_grade_item: if ($value === '' or $value == '-') { $value = null; // No grade.
// import_new_grade_item: if (trim($value) != '-'), so that an empty cell would be a grade
// check_user_exists: usermappingerror takes the whole import back
TEST(MoodleExport, IsWhatTheImportOfGradesTakes) {
  SampleClass sample;
  sample.table().rows[1].standings["transpose"].is_judged = false;  // the grader failed on Bob's
  const std::vector<CsvRow> rows = rows_of(moodle_csv(sample.table()));
  ASSERT_EQ(rows.size(), 5U);
  EXPECT_THAT(rows[0], ElementsAre("ID number", "Full name", "scan", "transpose"));
  EXPECT_THAT(rows[1], ElementsAre("anna", "Ångström, Anna", "7.25", "10.0"));
  EXPECT_THAT(rows[2], ElementsAre("bob", "'=Bob", "0.0", "-"));
  std::set<std::string> users;
  for (std::size_t i = 1; i < rows.size(); ++i) {
    ASSERT_EQ(rows[i].size(), rows[0].size()) << "csvweirdcolumns";
    EXPECT_TRUE(users.insert(rows[i][0]).second);
    for (std::size_t column = 2; column < rows[i].size(); ++column) {
      if (rows[i][column] != "-") {
        EXPECT_LE(std::stod(rows[i][column]), 100);
      }
    }
  }
  EXPECT_EQ(users, (std::set<std::string>{"anna", "bob", "cy", "dora"}))
      << "nobody whom Moodle does not know";
}

/// Writes everything, and reads one file of it.
class ExportedFiles : public testing::Test {
 protected:
  ExportedFiles() { write_outputs(sample_.table(), sample_.store(), sample_.folder()); }
  std::string contents(const fs::path& name) const {
    return storage::read_file(sample_.folder() / "exports" / name);
  }
  SampleClass sample_;
};

/// Members of an object that a format does not have.
std::vector<std::string> others_than(const std::set<std::string>& known, const json& object) {
  std::vector<std::string> others;
  for (const auto& [name, value] : object.items())
    if (!known.contains(name)) others.push_back(name);
  return others;
}

// Gradescope: https://gradescope-autograders.readthedocs.io/en/latest/specs/, "Output format":
// "score": "optional, but required if not on each test case below. Overrides total of tests if specified."
// "execution_time": "optional, seconds"; "status": "either "passed" or "failed"";
// "output_format": "text", "simple_format", "html", "md", "ansi";
// "stdout_visibility": "one of hidden, after_due_date, after_published, or visible"
TEST_F(ExportedFiles, GradescopeReadsItsResults) {
  const std::set<std::string> root_names = {"score",         "execution_time",     "output",
                                            "output_format", "test_output_format", "test_name_format",
                                            "visibility",    "stdout_visibility",  "extra_data",
                                            "tests",         "leaderboard"};
  const std::set<std::string> test_names = {"score",       "max_score",  "status",    "name",
                                            "name_format", "number",     "output",    "output_format",
                                            "tags",        "visibility", "extra_data"};
  for (const StudentRow& row : sample_.table().rows) {
    const json root = json::parse(contents(fs::path("gradescope") / safe_name(row.id) / "results.json"));
    EXPECT_THAT(others_than(root_names, root), ElementsAre());
    EXPECT_TRUE(root.at("score").is_number());
    EXPECT_TRUE(root.at("execution_time").is_number());
    EXPECT_THAT(root.at("stdout_visibility"),
                testing::AnyOf("hidden", "after_due_date", "after_published", "visible"));
    double sum = 0;
    for (const json& one : root.at("tests")) {
      EXPECT_THAT(others_than(test_names, one), ElementsAre());
      EXPECT_TRUE(one.at("name").is_string());
      EXPECT_THAT(one.at("status"), testing::AnyOf("passed", "failed"));
      EXPECT_EQ(one.at("output_format"), "text");
      EXPECT_TRUE(one.at("output").is_string());
      sum += one.value("score", 0.0);
    }
    EXPECT_DOUBLE_EQ(root.at("score").get<double>(), sum) << row.id;
    EXPECT_DOUBLE_EQ(sum, sum_of(row));
  }
  const json anna = json::parse(contents("gradescope/anna/results.json"));
  EXPECT_EQ(anna.at("tests").at(0), json({{"name", "scan"},
                                          {"score", 7.25},
                                          {"max_score", 10.0},
                                          {"status", "failed"},
                                          {"output", "report of scan\n"},
                                          {"output_format", "text"},
                                          {"tags", {"inefficient"}}}));
  const json dora = json::parse(contents("gradescope/dora/results.json"));
  EXPECT_EQ(dora.at("tests").at(1).at("score"), 0);
  EXPECT_EQ(dora.at("tests").at(1).at("max_score"), 10);
  EXPECT_EQ(dora.at("tests").at(1).at("output"), "It was not handed in.");
  const json other = json::parse(contents(fs::path("gradescope") / safe_name(kHostileId) / "results.json"));
  EXPECT_FALSE(other.at("tests").at(0).contains("score"));
  EXPECT_EQ(other.at("tests").at(0).at("output"), "It is not graded: there are 2 files.");
}

TEST(GradescopeExport, SaysAtItsHeadOfWhatTheGraderFailed) {
  SampleClass sample;
  EXPECT_FALSE(json::parse(gradescope_json(sample.table(), {{"scan", {}}})).contains("output"));
  StudentGrading failed{"transpose", {.kind = Standing::Kind::graded, .complaint = "no device"}};
  const json root = json::parse(gradescope_json(sample.table(), {{"scan", {}}, failed}));
  EXPECT_THAT(root.at("output").get<std::string>(), HasSubstr("there are no points yet of: transpose. "));
  EXPECT_EQ(root.at("score"), 0);
  EXPECT_FALSE(root.at("tests").at(1).contains("score"));
  EXPECT_THAT(root.at("tests").at(1).at("output").get<std::string>(), HasSubstr("no device"));
}

// PrairieLearn: https://prairielearn.readthedocs.io/en/latest/externalGrading/, "Grading results": "score …
// should be a floating point number in the range [0.0, 1.0]"; "this file should be limited to 1 MB";
// "gradable … set to false to indicate that the input was invalid …, for example if it has a syntax error";
// "format_errors … either a string or an array of strings"; tests have "name, description, points,
// max_points, message, output, images".
TEST_F(ExportedFiles, PrairieLearnReadsItsResults) {
  const json anna = json::parse(contents("prairielearn/anna/scan/results.json"));
  EXPECT_EQ(anna, json({{"gradable", true},
                        {"score", 0.725},
                        {"message", "inefficient"},
                        {"tests",
                         {{{"name", "scan"},
                           {"points", 7.25},
                           {"max_points", 10.0},
                           {"message", "Read the lecture."},
                           {"output", "report of scan\n"}}}}}));
  const json cy = json::parse(contents("prairielearn/cy/transpose/results.json"));
  EXPECT_EQ(cy.at("gradable"), false);
  EXPECT_EQ(cy.at("format_errors"), json::array({"transpose.cu does not compile."}));
  EXPECT_FALSE(cy.contains("score"));
  EXPECT_FALSE(fs::exists(sample_.folder() / "exports/prairielearn/dora")) << "nothing was handed in";
}

TEST(PrairieLearnExport, HasThePointsThatADecisionGives) {
  StudentGrading one{"scan", {.points = 8, .max_points = 10, .is_judged = true}};
  EXPECT_EQ(json::parse(prairielearn_json(one)).at("score"), 0.8) << "it was not handed in";
  one.standing.verdict = result::Verdict::compile_error;
  EXPECT_EQ(json::parse(prairielearn_json(one)).at("gradable"), false);
  one.standing.overrule = Overrule{.points = 8};
  EXPECT_EQ(json::parse(prairielearn_json(one)).at("score"), 0.8);
}

TEST(PrairieLearnExport, KeepsItsLimitWhateverWasPrinted) {
  StudentGrading one{"scan",
                     {.kind = Standing::Kind::graded, .points = 12, .max_points = 10, .is_judged = true}};
  one.standing.verdict = result::Verdict::passed;
  one.grading = Grading{.max_points = 10};
  for (const std::string unit : {"\"", "\\", "\x01", "\xF0\x9F\x98\x80", "\n", "\xFF"}) {
    one.grading->text.clear();
    while (one.grading->text.size() < 2'000'000) one.grading->text += unit;
    const std::string text = prairielearn_json(one);
    EXPECT_LT(text.size(), 1'000'000U);
    EXPECT_EQ(json::parse(text).at("score"), 1.0) << "never beyond the range";
  }
}

// JUnit as continuous integration reads it: see report/junit.h.
TEST_F(ExportedFiles, JunitIsWellFormedAndHasASuiteForEachExercise) {
  const std::string anna = contents("junit/anna.xml");
  EXPECT_THAT(anna, testing::AllOf(HasSubstr("<testsuite name=\"scan\""),
                                   HasSubstr("<testsuite name=\"transpose\"")));
  const std::string folder = (sample_.folder() / "exports/junit").string();
  const lockstep::test::Ran lint = lockstep::test::run("xmllint --noout '" + folder + "'/*.xml 2>&1");
  EXPECT_EQ(lint.status, 0) << lint.output;
}

// JPlag: https://github.com/jplag/JPlag/blob/0249b53b4c70/docs/1.-How-to-Use-JPlag.md: submissions "have to
// be direct children of the root directory and can either be single files or directories"; "-bc: Path to the
// base code directory".
// Dolos: https://dolos.ugent.be/docs/adding-metadata.html: info.csv "must have a column filename that
// contains the paths of all inspected source files relative to the root"; optional are label, created_at and
// full_name. https://github.com/dodona-edu/dolos/blob/56938b1e6bbe/lib/src/lib/dataset.ts:
// readPath(path.join(dirname, row.filename)), and for one file that is not there it refuses all.
TEST_F(ExportedFiles, SimilarityCheckersFindWhatWasHandedIn) {
  const fs::path root = sample_.folder() / "exports/similarity/transpose";
  std::set<std::string> submissions;
  for (const fs::directory_entry& one : fs::directory_iterator(root / "submissions")) {
    EXPECT_TRUE(one.is_directory());
    submissions.insert(one.path().filename().string());
  }
  EXPECT_EQ(submissions, (std::set<std::string>{"anna", "bob", "cy", safe_name(kHostileId)}));
  EXPECT_EQ(storage::read_file(root / "starter/transpose.cu"), "// starter of transpose\n");
  const std::vector<CsvRow> rows = rows_of(storage::read_file(root / "info.csv"));
  EXPECT_THAT(rows.at(0), ElementsAre("filename", "full_name", "label"));
  ASSERT_EQ(rows.size(), 5U);
  std::map<std::string, std::string> texts;
  for (std::size_t i = 1; i < rows.size(); ++i) {
    ASSERT_EQ(rows[i].size(), 3U);
    texts[rows[i][1]] = storage::read_file(root / rows[i][0]);
  }
  EXPECT_EQ(texts["Ångström, Anna"], "// anna's\n");
  EXPECT_EQ(texts["'=Bob"], "// bob's second\n") << "the file that counts";
  EXPECT_EQ(rows[1][2], "passed");
}

TEST_F(ExportedFiles, LeaveNothingOfARunBefore) {
  storage::write_file(sample_.folder() / "exports/junit/gone.xml", "of a student who has left");
  write_outputs(sample_.table(), sample_.store(), sample_.folder());
  EXPECT_FALSE(fs::exists(sample_.folder() / "exports/junit/gone.xml"));
  EXPECT_TRUE(fs::exists(sample_.folder() / "exports/canvas.csv"));
  for (const fs::directory_entry& one : fs::directory_iterator(sample_.folder()))
    EXPECT_THAT(one.path().string(),
                Not(testing::AnyOf(testing::EndsWith(".new"), testing::EndsWith(".old"))));
}

}  // namespace
}  // namespace lockstep::classroom
