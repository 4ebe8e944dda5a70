// What an instructor takes from a class: a table for a spreadsheet, every grading for programs, pages for the
// class and for each student, files for other systems (exports.h), and what is shown at the end.
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
  double points = 0, max_points = 0;  ///< of a grading, or of a decision
  bool is_judged = false;             ///< graded, and no `grader-error`
  std::optional<result::Verdict> verdict;
  std::string complaint;  ///< of a grader-error, printable

  // What the class's rules make of the grading; `points` are those after all of them.
  double earned = 0;  ///< by the grading
  std::vector<std::string>
      whys;  ///< why the points are not what was earned, each a part of a sentence; printable
  int days_late = 0;
  HandIn hand_in;                    ///< of the file that counts
  std::vector<GradingKey> earlier;   ///< of other files that may count in its place
  std::string newest_file;           ///< SHA-256 of what was handed in last; empty where that is nothing
  std::optional<Overrule> overrule;  ///< the newest decision about it
  bool is_overrule_void = false;     ///< the decision was about another file
  std::optional<Grading> before;     ///< the grading of the same file before, where its points were others
  bool has_moved = false;            ///< `before` was replaced in this run

  /// Whether somebody has decided about it: then nobody needs to look at it. Who accepts points accepts no
  /// failure.
  bool is_decided() const { return overrule && !is_overrule_void && (!overrule->is_accepted || is_judged); }
};

/// One student, with whatever the roster and the submissions say.
struct StudentRow {
  std::string id, name;
  bool is_in_roster = true, has_entry = true;
  std::string place,
      joined_by;  ///< what a course system calls the entry, and what of it the roster agrees with
  std::map<std::string, Standing> standings;  ///< by exercise
  std::vector<std::string> problems;          ///< printable
};

/// What the course says of an exercise.
struct ExerciseFacts {
  double max_points = 0;
  std::filesystem::path starter;  ///< the file that everybody began with
};

/// What a class has reached: rows, and columns in the course's order.
struct ClassTable {
  std::vector<std::string> exercises;
  std::map<std::string, ExerciseFacts> facts;  ///< by exercise
  std::vector<StudentRow> rows;
  bool has_roster = false;
  std::vector<std::string> problems;  ///< of no student, printable
};

/// Something that an instructor needs to look at.
struct ClassRemark {
  const StudentRow* row = nullptr;  ///< whom it is about; null where that is nobody
  std::string what;                 ///< printable
};

/// That of the row; where it has none, of an exercise that was not handed in.
const Standing& standing_of(const StudentRow& row, const std::string& exercise);

/// Of all exercises whose points are known.
double sum_of(const StudentRow& row);

/// With as few digits as the points of an exercise need, and no more than two.
std::string points_text(double points);

/// Id and name, printable and cut.
std::string shown_name(const StudentRow& row);

/// One cell of comma-separated values, in quotes where it needs them, on one line. What a spreadsheet would
/// run as a formula gets an apostrophe before it.
std::string csv_cell(std::string_view text);

/// id, name, the points of each exercise, and the sum. A cell is empty where nobody knows the points: of what
/// was refused, is due, or ended in `grader-error`.
std::string points_csv(const ClassTable& table);

/// A name for a student's folder: letters, digits, dot, dash and underscore of the id, and where that is not
/// all of it, a digest of it.
std::string safe_name(std::string_view id);

/// Writes points.csv, gradings.json (lockstep/class/v1), class.html, reports/STUDENT/ with index.html and for
/// each exercise EXERCISE.html and EXERCISE.txt, and exports/ into a folder, each file as a whole, and takes
/// reports and exports away that are no longer current. Throws storage::FileError.
void write_outputs(const ClassTable& table, const Store& store, const std::filesystem::path& folder);

/// The table as text, at most so many columns wide, of the exercises that somebody handed in: with many the
/// sums alone.
std::string table_text(const ClassTable& table, std::size_t width);

/// What an instructor needs to look at: of nobody first, then by student.
std::vector<ClassRemark> remarks_of(const ClassTable& table);

/// The same, a line each; empty where that is nothing.
std::string remarks_text(const ClassTable& table);

}  // namespace lockstep::classroom
