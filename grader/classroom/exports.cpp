#include "classroom/exports.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <nlohmann/json.hpp>

#include "report/junit.h"
#include "storage/files.h"
#include "text/printable.h"
#include "text/shortened.h"

namespace lockstep::classroom {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;
using result::Verdict;

bool is_of_class(const ClassTable& table, const StudentRow& row) {
  return !table.has_roster || row.is_in_roster;
}

double most_points(const ClassTable& table, const std::string& exercise) {
  const auto facts = table.facts.find(exercise);
  return facts == table.facts.end() ? 0 : facts->second.max_points;
}

/// A cell that Canvas does not take for the start of its second row, which says what can be reached.
std::string canvas_name(const StudentRow& row) {
  constexpr std::string_view kRow = "Points Possible";
  std::string name = text::printable(row.name.empty() ? row.id : row.name);
  for (std::size_t at = name.find(kRow); at != std::string::npos; at = name.find(kRow))
    name.replace(at, kRow.size(), "Points-Possible");
  return csv_cell(name);
}

/// The text of a report, as its reader sees it and cut to what a page of another system can hold: of JSON an
/// escaped character takes two bytes at most.
std::string output_text(const StudentGrading& grading) {
  constexpr std::size_t kMaxBytes = 300'000;
  return grading.grading ? text::shortened(text::printable_lines(grading.grading->text), kMaxBytes) : "";
}

/// Why there are no points, as a sentence.
std::string why_not_graded(const Standing& standing) {
  switch (standing.kind) {
    case Standing::Kind::refused:
      return "It is not graded: " + standing.why + ".";
    case Standing::Kind::due:
      return "It is still to be graded.";
    case Standing::Kind::not_handed_in:
      return "It was not handed in.";
    case Standing::Kind::graded:
      break;
  }
  return "The grader failed on it: " + text::printable(standing.complaint);
}

Json gradescope_test(const ClassTable& table, const StudentGrading& one) {
  const Standing& standing = one.standing;
  Json test = {{"name", one.exercise}};
  if (standing.has_points()) {
    test["score"] = standing.points;
    test["max_score"] = most_points(table, one.exercise);
  }
  const bool has_passed = standing.is_judged && standing.verdict == Verdict::passed;
  test["status"] = has_passed ? "passed" : "failed";
  test["output"] = standing.is_judged ? output_text(one) : why_not_graded(standing);
  test["output_format"] = "text";
  if (standing.verdict) test["tags"] = Json::array({result::name_of(*standing.verdict)});
  return test;
}

/// Where the file that was handed in lies, from the folder of the exercise.
fs::path submission_path(const StudentRow& row, const std::string& exercise, const ClassTable& table) {
  const auto facts = table.facts.find(exercise);
  const fs::path name = facts == table.facts.end() || facts->second.starter.empty()
                            ? fs::path(exercise + ".cu")
                            : facts->second.starter.filename();
  return fs::path("submissions") / safe_name(row.id) / name;
}

bool has_file(const StudentRow& row, const std::string& exercise) {
  return !standing_of(row, exercise).key.sha256.empty();
}

/// Rows of the class's students below a heading, in which `cell` is what stands in place of points.
std::string grade_rows(const ClassTable& table, const std::function<std::string(const StudentRow&)>& student,
                       const char* unknown) {
  std::string text;
  for (const StudentRow& row : table.rows) {
    if (!is_of_class(table, row)) continue;
    text += student(row);
    for (const std::string& exercise : table.exercises) {
      const Standing& standing = standing_of(row, exercise);
      text += ',' + (standing.has_points() ? points_text(standing.points) : unknown);
    }
    text += "\r\n";
  }
  return text;
}

std::string headings(const ClassTable& table) {
  std::string text;
  for (const std::string& exercise : table.exercises) text += ',' + csv_cell(exercise);
  return text + "\r\n";
}

}  // namespace

std::string canvas_csv(const ClassTable& table) {
  std::string text = "Student,ID,SIS User ID,SIS Login ID,Section" + headings(table);
  text += "Points Possible,,,,";
  for (const std::string& exercise : table.exercises) text += ',' + points_text(most_points(table, exercise));
  text += "\r\n";
  // Canvas's own number of a student is not known here; it looks for the others where that is empty.
  return text + grade_rows(
                    table,
                    [](const StudentRow& row) {
                      const std::string id = csv_cell(row.id);
                      return canvas_name(row) + ",," + id + ',' + id + ',';
                    },
                    "");
}

std::string moodle_csv(const ClassTable& table) {
  return "ID number,Full name" + headings(table) +
         grade_rows(
             table, [](const StudentRow& row) { return csv_cell(row.id) + ',' + csv_cell(row.name); }, "-");
}

std::string gradescope_json(const ClassTable& table, const std::vector<StudentGrading>& gradings) {
  Json tests = Json::array();
  double score = 0, seconds = 0;
  std::string failed;
  for (const StudentGrading& one : gradings) {
    if (one.standing.has_points()) score += one.standing.points;
    if (one.result && std::isfinite(one.result->seconds)) seconds += one.result->seconds;
    if (one.standing.kind == Standing::Kind::graded && !one.standing.has_points())
      failed += (failed.empty() ? "" : ", ") + one.exercise;
    tests.push_back(gradescope_test(table, one));
  }
  Json root = {{"score", score}, {"execution_time", std::llround(seconds)}, {"stdout_visibility", "hidden"}};
  if (!failed.empty())
    root["output"] =
        "The grader failed, which is not your code's fault, and there are no points yet of: " + failed +
        ". Show this to whoever teaches: the output below says why.";
  root["tests"] = std::move(tests);
  return root.dump(2) + '\n';
}

std::string prairielearn_json(const StudentGrading& grading) {
  const Standing& standing = grading.standing;
  const double most = standing.max_points;
  const double score = most > 0 ? std::clamp(standing.points / most, 0.0, 1.0) : 0;
  const bool is_gradable = standing.verdict != Verdict::compile_error || standing.is_decided();
  const std::string message = grading.result ? text::printable(grading.result->message) : "";
  Json root = {{"gradable", is_gradable}};
  if (is_gradable) {
    root["score"] = score;
  } else {
    root["format_errors"] = Json::array({message.empty() ? "It does not compile." : message});
  }
  root["message"] = standing.verdict ? result::name_of(*standing.verdict) : "";
  root["tests"] = Json::array({{{"name", grading.exercise},
                                {"points", standing.points},
                                {"max_points", most},
                                {"message", grading.result ? text::printable(grading.result->next_step) : ""},
                                {"output", output_text(grading)}}});
  return root.dump(2) + '\n';
}

std::string junit_xml(const std::vector<StudentGrading>& gradings) {
  result::Report report;
  for (const StudentGrading& one : gradings) {
    if (!one.result) continue;
    report.exercises.push_back(*one.result);
    report.device.name = one.grading->device;
  }
  return report::render_junit(report);
}

std::string dolos_csv(const ClassTable& table, const std::string& exercise) {
  std::string text = "filename,full_name,label\r\n";
  for (const StudentRow& row : table.rows) {
    if (!has_file(row, exercise)) continue;
    const Standing& standing = standing_of(row, exercise);
    text += csv_cell(submission_path(row, exercise, table).string()) + ',' +
            csv_cell(row.name.empty() ? row.id : row.name) + ',' +
            (standing.verdict ? result::name_of(*standing.verdict) : "") + "\r\n";
  }
  return text;
}

void export_student(const StudentRow& row, const Store& store, const std::vector<StudentGrading>& gradings,
                    const ClassTable& table, const fs::path& folder) {
  const std::string name = safe_name(row.id);
  storage::write_unread_file(folder / "gradescope" / name / "results.json", gradescope_json(table, gradings));
  storage::write_unread_file(folder / "junit" / (name + ".xml"), junit_xml(gradings));
  for (const StudentGrading& one : gradings) {
    if (one.standing.is_judged)
      storage::write_unread_file(folder / "prairielearn" / name / one.exercise / "results.json",
                                 prairielearn_json(one));
    if (has_file(row, one.exercise))
      storage::write_unread_file(
          folder / "similarity" / one.exercise / submission_path(row, one.exercise, table),
          store.file(one.standing.key.sha256));
  }
}

void export_class(const ClassTable& table, const fs::path& folder) {
  storage::write_unread_file(folder / "canvas.csv", canvas_csv(table));
  storage::write_unread_file(folder / "moodle.csv", moodle_csv(table));
  for (const std::string& exercise : table.exercises) {
    const bool is_handed_in =
        std::ranges::any_of(table.rows, [&](const StudentRow& row) { return has_file(row, exercise); });
    if (!is_handed_in) continue;
    const fs::path similarity = folder / "similarity" / exercise;
    storage::write_unread_file(similarity / "info.csv", dolos_csv(table, exercise));
    const auto facts = table.facts.find(exercise);
    if (facts != table.facts.end() && !facts->second.starter.empty())
      storage::write_unread_file(similarity / "starter" / facts->second.starter.filename(),
                                 storage::read_file(facts->second.starter));
  }
}

}  // namespace lockstep::classroom
