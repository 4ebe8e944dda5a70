// What an instructor takes from a class: a table for a spreadsheet, every grading for programs, a report for
// each student, and what is shown at the end.
#pragma once

#include <cstddef>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "classroom/store.h"

namespace lockstep::classroom {

/// One exercise of one student.
struct Standing {
  enum class Kind {
    not_handed_in,  ///< 0 points
    refused,        ///< handed in, and not to be graded: `why`
    due,            ///< not graded yet
    graded,
  };
  Kind kind = Kind::not_handed_in;
  std::string why;  ///< printable
  GradingKey key;   ///< where it was handed in

  /// Has points: what is neither refused, nor due, nor of the verdict `grader-error`.
  bool has_points() const { return kind == Kind::not_handed_in || is_judged; }
  double points = 0, max_points = 0;  ///< of a grading
  bool is_judged = false;             ///< graded, and no `grader-error`
  std::optional<result::Verdict> verdict;
  std::string complaint;  ///< of a grader-error, printable
};

/// One student, with whatever the roster and the submissions say.
struct StudentRow {
  std::string id, name;
  bool is_in_roster = true, has_entry = true;
  std::map<std::string, Standing> standings;  ///< by exercise
  std::vector<std::string> problems;          ///< printable
};

/// What a class has reached: rows, and columns in the course's order.
struct ClassTable {
  std::vector<std::string> exercises;
  std::vector<StudentRow> rows;
  bool has_roster = false;
  std::vector<std::string> problems;  ///< of no student, printable
};

/// One cell of comma-separated values, in quotes where it needs them, on one line. What a spreadsheet would
/// run as a formula gets an apostrophe before it.
std::string csv_cell(std::string_view text);

/// id, name, the points of each exercise, and the sum. A cell is empty where nobody knows the points: of what
/// was refused, is due, or ended in `grader-error`.
std::string points_csv(const ClassTable& table);

/// A name for a student's folder: letters, digits, dot, dash and underscore of the id, and where that is not
/// all of it, a digest of it.
std::string safe_name(std::string_view id);

/// Writes points.csv, gradings.json (lockstep/class/v1) and reports/STUDENT/EXERCISE.txt into a folder, each
/// file as a whole, and takes reports away that are no longer current. Throws storage::FileError.
void write_outputs(const ClassTable& table, const Store& store, const std::filesystem::path& folder);

/// The table as text, at most so many columns wide, of the exercises that somebody handed in: with many the
/// sums alone.
std::string table_text(const ClassTable& table, std::size_t width);

/// What an instructor needs to look at, a line each; empty where that is nothing.
std::string remarks_text(const ClassTable& table);

}  // namespace lockstep::classroom
