#include "classroom/outputs.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <set>
#include <system_error>

#include "classroom/digests.h"
#include "classroom/rules.h"
#include "report/printable.h"
#include "storage/files.h"
#include "text/printable.h"
#include "text/shortened.h"

namespace lockstep::classroom {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

double sum_of(const StudentRow& row) {
  double sum = 0;
  for (const auto& [exercise, standing] : row.standings)
    if (standing.has_points()) sum += standing.points;
  return sum;
}

const Standing& standing_of(const StudentRow& row, const std::string& exercise) {
  static const Standing nothing;
  const auto found = row.standings.find(exercise);
  return found == row.standings.end() ? nothing : found->second;
}

bool is_handed_in(const ClassTable& table, const std::string& exercise) {
  return std::any_of(table.rows.begin(), table.rows.end(), [&exercise](const StudentRow& row) {
    return standing_of(row, exercise).kind != Standing::Kind::not_handed_in;
  });
}

std::string shown_name(const StudentRow& row) {
  return text::shortened(text::printable(row.name.empty() ? row.id : row.id + " (" + row.name + ")"));
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

}  // namespace

std::string points_text(double points) {
  std::string text = fmt::format("{:.2f}", points);
  if (text.ends_with('0')) text.pop_back();
  return text;
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
  std::string students;
  // All reports are written beside the old ones, and take their place at once.
  const fs::path reports = folder / "reports", fresh = folder / "reports.new", old = folder / "reports.old";
  std::error_code error;
  fs::remove_all(fresh, error);
  fs::create_directories(fresh, error);
  for (const StudentRow& row : table.rows) {
    std::string gradings;
    for (const std::string& exercise : table.exercises) {
      const Standing& standing = standing_of(row, exercise);
      std::optional<Grading> grading;
      if (standing.kind == Standing::Kind::graded) grading = store.newest(standing.key);
      gradings += (gradings.empty() ? "" : ",\n") + json_of(exercise, standing, grading);
      if (grading && !grading->text.empty())
        storage::write_file(fresh / safe_name(row.id) / (exercise + ".txt"), grading->text);
    }
    const Json student = {{"id", text::printable(row.id)}, {"name", text::printable(row.name)},
                          {"in_roster", row.is_in_roster}, {"handed_in", row.has_entry},
                          {"reports", safe_name(row.id)},  {"total", sum_of(row)},
                          {"problems", row.problems},      {"place", text::printable(row.place)},
                          {"joined_by", row.joined_by}};
    students += (students.empty() ? "" : ",\n") + with_member(student, "gradings", gradings);
  }
  fs::remove_all(old, error);
  fs::rename(reports, old, error);  // there may be none
  fs::rename(fresh, reports, error);
  if (error) throw storage::FileError("cannot write " + reports.string() + ": " + error.message());
  fs::remove_all(old, error);
  const Json root = {
      {"schema", "lockstep/class/v1"}, {"exercises", table.exercises}, {"problems", table.problems}};
  storage::write_file(folder / "gradings.json", with_member(root, "students", students) + '\n');
  storage::write_file(folder / "points.csv", points_csv(table));
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

std::string remarks_text(const ClassTable& table) {
  std::string text;
  const auto add = [&](const std::string& who, const std::string& what) {
    text += fmt::format("  {}{}{}\n", who, who.empty() ? "" : ": ", what);
  };
  for (const std::string& problem : table.problems) add("", problem);
  for (const StudentRow& row : table.rows) {
    const std::string who = shown_name(row);
    if (!row.has_entry) add(who, "has handed in nothing");
    if (table.has_roster && !row.is_in_roster) add(who, "is not in the roster");
    for (const std::string& problem : row.problems) add(who, problem);
    for (const std::string& exercise : table.exercises) {
      const Standing& standing = standing_of(row, exercise);
      // Where nothing of an entry could be read, that is said once.
      if (standing.kind == Standing::Kind::refused && row.problems.empty())
        add(who, exercise + " is not graded: " + standing.why);
      if (standing.kind == Standing::Kind::due) add(who, exercise + " is still to be graded");
      if (!standing.verdict || standing.is_decided()) continue;
      if (*standing.verdict == result::Verdict::grader_error)
        add(who, exercise + ": grader-error: " + text::printable(standing.complaint));
      if (*standing.verdict == result::Verdict::review || *standing.verdict == result::Verdict::inconclusive)
        add(who, fmt::format("{}: {}", exercise, result::name_of(*standing.verdict)));
    }
  }
  return text;
}

}  // namespace lockstep::classroom
