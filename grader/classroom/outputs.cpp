#include "classroom/outputs.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <set>
#include <system_error>

#include "classroom/class_page.h"
#include "classroom/class_summary.h"
#include "classroom/digests.h"
#include "classroom/exports.h"
#include "classroom/rules.h"
#include "classroom/student_page.h"
#include "report/printable.h"
#include "report/read_json.h"
#include "storage/files.h"
#include "text/printable.h"
#include "text/shortened.h"

namespace lockstep::classroom {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

bool is_handed_in(const ClassTable& table, const std::string& exercise) {
  return std::any_of(table.rows.begin(), table.rows.end(), [&exercise](const StudentRow& row) {
    return standing_of(row, exercise).kind != Standing::Kind::not_handed_in;
  });
}

std::string padded(const std::string& text, std::size_t width, bool to_the_right) {
  const std::string space(width - std::min(width, report::display_width(text)), ' ');
  return to_the_right ? space + text : text + space;
}

/// What stands in a cell of the table: points, or a mark where there are none.
std::string cell_of(const Standing& standing) {
  if (standing.kind == Standing::Kind::not_handed_in && !standing.is_judged) return "-";
  return standing.has_points() ? points_text(standing.points) + (standing.whys.empty() ? "" : "*") : "?";
}

const char* name_of(Standing::Kind kind) {
  switch (kind) {
    case Standing::Kind::not_handed_in:
      return "not-handed-in";
    case Standing::Kind::refused:
      return "refused";
    case Standing::Kind::due:
      return "due";
    case Standing::Kind::graded:
      return "graded";
  }
  return "";
}

/// The object with one member more, a list whose elements are text of JSON already.
std::string with_member(const Json& object, const std::string& name, const std::string& elements) {
  std::string text = object.dump();
  text.pop_back();
  return text + ",\"" + name + "\":[\n" + elements + "]}";
}

/// With the report as it is kept: a class's reports, each as a tree, would take hundreds of MiB.
std::string json_of(const std::string& exercise, const Standing& standing,
                    const std::optional<Grading>& grading) {
  Json json = {{"exercise", exercise}, {"state", name_of(standing.kind)}};
  if (!standing.why.empty()) json["why"] = standing.why;
  json.update(rules_json(standing));
  if (!grading) return json.dump();
  json["verdict"] = result::name_of(grading->verdict);
  json["points"] = standing.has_points() ? Json(standing.points) : Json(nullptr);
  json["max_points"] = grading->max_points;
  json["sha256"] = grading->key.sha256;
  json["lockstep"] = grading->key.lockstep;
  json["toolkit"] = grading->toolkit;
  json["device"] = text::printable(grading->device);
  json["time"] = grading->time;
  if (!grading->complaint.empty()) json["complaint"] = text::printable(grading->complaint);
  std::string text = json.dump();
  text.pop_back();
  return text + R"(,"report":)" + (grading->report.empty() ? "null" : grading->report) + '}';
}

/// A folder that is written beside the old one of its name, and takes its place at once. What a power cut
/// leaves of it may be a part, and every run writes all of it anew.
class RenewedFolder {
 public:
  RenewedFolder(const fs::path& folder, const std::string& name)
      : path_(folder / name), fresh_(folder / (name + ".new")), old_(folder / (name + ".old")) {
    std::error_code error;
    fs::remove_all(fresh_, error);
    fs::create_directories(fresh_, error);
  }
  const fs::path& fresh() const { return fresh_; }
  void take_place() const {
    std::error_code error;
    fs::remove_all(old_, error);
    fs::rename(path_, old_, error);
    fs::rename(fresh_, path_, error);
    if (error) throw storage::FileError("cannot write " + path_.string() + ": " + error.message());
    fs::remove_all(old_, error);
  }

 private:
  fs::path path_, fresh_, old_;
};

/// The gradings of a student, in the order of the table's exercises.
std::vector<StudentGrading> gradings_of(const ClassTable& table, const StudentRow& row, const Store& store) {
  std::vector<StudentGrading> gradings;
  for (const std::string& exercise : table.exercises) {
    StudentGrading& one = gradings.emplace_back(StudentGrading{exercise, standing_of(row, exercise)});
    if (one.standing.kind != Standing::Kind::graded) continue;
    one.grading = store.newest(one.standing.key);
    one.attempts = store.attempts(row.id, exercise);
    try {
      if (one.grading && !one.grading->report.empty()) {
        result::Report report = report::read_json(one.grading->report);
        if (!report.exercises.empty()) one.result = std::move(report.exercises.front());
      }
    } catch (const report::JsonError&) {  // of another build of the same version: its text is still there
    }
  }
  return gradings;
}

/// What a student reads: a report for each exercise, and the page that leads to them.
void write_reports(const ClassTable& table, const StudentRow& row, const Store& store,
                   std::vector<StudentGrading>& gradings, const fs::path& folder) {
  for (StudentGrading& one : gradings) {
    if (!one.grading) continue;
    const auto write = [&](const char* ending, const std::string& contents) {
      if (contents.empty()) return;
      one.report_file = one.exercise + ending;
      storage::write_unread_file(folder / one.report_file, contents);
    };
    write(".txt", one.grading->text);
    write(".html", store.page(one.standing.key));  // none where an earlier build graded
  }
  storage::write_unread_file(folder / "index.html", student_page(table, row, gradings));
}

}  // namespace

const Standing& standing_of(const StudentRow& row, const std::string& exercise) {
  static const Standing nothing;
  const auto found = row.standings.find(exercise);
  return found == row.standings.end() ? nothing : found->second;
}

double sum_of(const StudentRow& row) {
  double sum = 0;
  for (const auto& [exercise, standing] : row.standings)
    if (standing.has_points()) sum += standing.points;
  return sum;
}

std::string points_text(double points) {
  std::string text = fmt::format("{:.2f}", points);
  if (text.ends_with('0')) text.pop_back();
  return text;
}

std::string shown_name(const StudentRow& row) {
  return text::shortened(text::printable(row.name.empty() ? row.id : row.id + " (" + row.name + ")"));
}

std::string csv_cell(std::string_view text) {
  std::string cell = text::printable(text);
  if (!cell.empty() && std::string_view("=+-@").find(cell.front()) != std::string_view::npos)
    cell.insert(cell.begin(), '\'');
  if (cell.find_first_of("\",") == std::string::npos) return cell;
  std::string quoted = "\"";
  for (const char c : cell) quoted += c == '"' ? "\"\"" : std::string(1, c);
  return quoted + '"';
}

std::string points_csv(const ClassTable& table) {
  std::string text = "id,name";
  for (const std::string& exercise : table.exercises) text += ',' + csv_cell(exercise);
  const bool has_reasons = !reasons_text(table).empty();
  text += has_reasons ? ",total,reasons\r\n" : ",total\r\n";
  for (const StudentRow& row : table.rows) {
    text += csv_cell(row.id) + ',' + csv_cell(row.name);
    for (const std::string& exercise : table.exercises) {
      const Standing& standing = standing_of(row, exercise);
      text += ',' + (standing.has_points() ? points_text(standing.points) : "");
    }
    text += ',' + points_text(sum_of(row));
    if (has_reasons) text += ',' + csv_cell(reasons_of(table, row));
    text += "\r\n";
  }
  return text;
}

std::string safe_name(std::string_view id) {
  constexpr std::size_t kMaxBytes = 100;
  std::string name;
  for (const char c : id.substr(0, kMaxBytes)) {
    const bool is_plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                          c == '-' || c == '_' || (c == '.' && !name.empty());
    name += is_plain ? c : '_';
  }
  if (name == id && !name.empty()) return name;
  constexpr std::size_t kDigits = 12;
  return name + '-' + sha256_of(id).substr(0, kDigits);
}

void write_outputs(const ClassTable& table, const Store& store, const fs::path& folder) {
  const RenewedFolder reports(folder, "reports"), exports(folder, "exports");
  ClassSummary summary(table);
  std::string students;
  for (const StudentRow& row : table.rows) {
    std::vector<StudentGrading> gradings = gradings_of(table, row, store);
    std::string texts;
    for (const StudentGrading& one : gradings) {
      texts += (texts.empty() ? "" : ",\n") + json_of(one.exercise, one.standing, one.grading);
      summary.add(row, one);
    }
    const Json student = {{"id", text::printable(row.id)}, {"name", text::printable(row.name)},
                          {"in_roster", row.is_in_roster}, {"handed_in", row.has_entry},
                          {"reports", safe_name(row.id)},  {"total", sum_of(row)},
                          {"problems", row.problems},      {"place", text::printable(row.place)},
                          {"joined_by", row.joined_by}};
    students += (students.empty() ? "" : ",\n") + with_member(student, "gradings", texts);
    write_reports(table, row, store, gradings, reports.fresh() / safe_name(row.id));
    export_student(row, store, gradings, table, exports.fresh());
  }
  export_class(table, exports.fresh());
  reports.take_place();
  exports.take_place();
  const Json root = {
      {"schema", "lockstep/class/v1"}, {"exercises", table.exercises}, {"problems", table.problems}};
  storage::write_file(folder / "gradings.json", with_member(root, "students", students) + '\n');
  storage::write_file(folder / "points.csv", points_csv(table));
  storage::write_file(folder / "class.html", class_page(table, summary));
}

std::string table_text(const ClassTable& table, std::size_t width) {
  constexpr std::size_t kMaxName = 30;
  std::vector<std::string> exercises;
  for (const std::string& exercise : table.exercises) {
    if (is_handed_in(table, exercise)) exercises.push_back(exercise);
  }
  std::vector<std::vector<std::string>> lines(1, {"student"});
  lines.front().insert(lines.front().end(), exercises.begin(), exercises.end());
  lines.front().emplace_back("sum");
  for (const StudentRow& row : table.rows) {
    std::vector<std::string>& line = lines.emplace_back();
    line.push_back(text::shortened(text::printable(row.name.empty() ? row.id : row.name), kMaxName));
    for (const std::string& exercise : exercises) line.push_back(cell_of(standing_of(row, exercise)));
    line.push_back(points_text(sum_of(row)));
  }
  const auto widths_of = [&] {
    std::vector<std::size_t> widths(lines.front().size());
    for (const auto& line : lines)
      for (std::size_t i = 0; i < line.size(); ++i)
        widths[i] = std::max(widths[i], report::display_width(line[i]));
    return widths;
  };
  constexpr std::size_t kGap = 2;
  std::vector<std::size_t> widths = widths_of();
  std::size_t whole = 0;
  for (const std::size_t one : widths) whole += one + kGap;
  if (whole > width) {
    for (auto& line : lines) line.erase(line.begin() + 1, line.end() - 1);
    widths = widths_of();
  }
  std::string text;
  for (const auto& line : lines) {
    for (std::size_t i = 0; i < line.size(); ++i)
      text += (i == 0 ? "" : std::string(kGap, ' ')) + padded(line[i], widths[i], i != 0);
    text += '\n';
  }
  return text;
}

std::vector<ClassRemark> remarks_of(const ClassTable& table) {
  std::vector<ClassRemark> remarks;
  for (const std::string& problem : table.problems) remarks.push_back({nullptr, problem});
  for (const StudentRow& row : table.rows) {
    const auto add = [&](const std::string& what) { remarks.push_back({&row, what}); };
    if (!row.has_entry) add("has handed in nothing");
    if (table.has_roster && !row.is_in_roster) add("is not in the roster");
    for (const std::string& problem : row.problems) add(problem);
    for (const std::string& exercise : table.exercises) {
      const Standing& standing = standing_of(row, exercise);
      // Where nothing of an entry could be read, that is said once.
      if (standing.kind == Standing::Kind::refused && row.problems.empty())
        add(exercise + " is not graded: " + standing.why);
      if (standing.kind == Standing::Kind::due) add(exercise + " is still to be graded");
      if (!standing.verdict || standing.is_decided()) continue;
      if (*standing.verdict == result::Verdict::grader_error)
        add(exercise + ": grader-error: " + text::printable(standing.complaint));
      if (*standing.verdict == result::Verdict::review || *standing.verdict == result::Verdict::inconclusive)
        add(fmt::format("{}: {}", exercise, result::name_of(*standing.verdict)));
    }
  }
  return remarks;
}

std::string remarks_text(const ClassTable& table) {
  std::string text;
  for (const ClassRemark& remark : remarks_of(table))
    text += fmt::format("  {}{}{}\n", remark.row == nullptr ? "" : shown_name(*remark.row),
                        remark.row == nullptr ? "" : ": ", remark.what);
  return text;
}

}  // namespace lockstep::classroom
