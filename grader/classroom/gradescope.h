// submission_metadata.yml, with which Gradescope says whose the folders of an export are.
//
// Students choose names, and what a submission printed stands in the same file, so it is read as hostile. A
// library for YAML would build whatever tags, anchors and merges ask for; of all that the file needs only
// four scalars, which Ruby's writer (Psych) always puts at the same depth, and everything that a student
// chose at a greater one. So this reads lines by their indentation, passes over what it does not need, and
// refuses what it does not know.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "classroom/people.h"

namespace lockstep::classroom {

/// One submission of an export.
struct GradescopeSubmission {
  std::string folder;              ///< such as submission_12345678
  std::vector<Person> submitters;  ///< several of a group
  std::string created_at;          ///< as it stands there; empty where it is missing
  std::string problem;  ///< what of it could not be read, a sentence's end; then nothing of it counts
};

/// Reads the file. Throws TableError, with the line, where it is no such file as a whole.
std::vector<GradescopeSubmission> read_gradescope_metadata(std::string_view text);

}  // namespace lockstep::classroom
