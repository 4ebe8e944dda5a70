// What a report says of a submission, one note each: compiler errors, findings, parts that did not pass, and
// remarks. A page shows those that have a line; editors and code scanning list all of them.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "result/result.h"

namespace lockstep::report {

struct Note {
  enum class Level { error, warning, note };
  enum class Kind {
    verdict,  ///< something did not pass
    remark,   ///< what is worth knowing of right code, and costs no points
    unread,   ///< a line of a file of predictions that says nothing that could be graded
  };

  Kind kind = Kind::verdict;
  result::Verdict verdict = result::Verdict::passed;  ///< of Kind::verdict
  std::string label;                                  ///< such as "race" or the name of a gate
  std::string sentence;
  std::string guess{};                  ///< the likely cause; empty where the sentence says all
  std::vector<result::Place> places{};  ///< as those of cases and gates; empty where no line is known
  std::string case_name{};              ///< the case that shows it best; empty where it is of none
  std::size_t more_cases = 0;           ///< further cases with the same verdict at the same lines
};

/// All notes on a submission, the one to begin with first. They hold text of the submission as it is.
std::vector<Note> notes_on(const result::ExerciseResult& result);

/// What a student loses by it: what is wrong is an error, what is right but not good enough a warning.
Note::Level level_of(const Note& note);

/// "error", "warning" or "note", as compilers and SARIF say it.
const char* name_of(Note::Level level);

/// The word by which a note is filtered and counted: a verdict's name, "remark" or "unread-line".
const char* rule_of(const Note& note);

/// All of it in one line, such as "race, first: writes: read of … (case 64 x 64)". `part`: that of the place
/// at which it is said.
std::string message_of(const Note& note, const std::string& part = "");

/// " (case 33 x 65 and 2 more)"; empty where the note is of no case.
std::string cases_of(const Note& note);

/// The note's places that are lines of the file that was handed in.
std::vector<result::Place> places_in_submission(const result::ExerciseResult& result, const Note& note);

/// Whether a place is a line of the file that was handed in.
bool is_of_submission(const result::ExerciseResult& result, const result::Place& place);

}  // namespace lockstep::report
