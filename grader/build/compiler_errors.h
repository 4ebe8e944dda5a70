// The error that a student fixes first: at which line of the submission, and what it means.
//
// A submission chooses much of the compiler's output, so reading it takes one step a character, and nothing
// that it says is believed to be a line of the submission unless the submission has that line.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace lockstep::build {

struct CompilerError {
  unsigned line = 0;    ///< of the submission, counted from 1; 0 where none is known
  std::string message;  ///< the compiler's own message, in one line
  std::string meaning;  ///< what that means and what to write instead; empty where nothing is known
};

/// The first error in `output`, of the compilation of `source` under the name `file_name`. Of an error inside
/// a header, the line of the submission that led there. Nothing when the output holds no error.
std::optional<CompilerError> first_error(std::string_view output, std::string_view source,
                                         std::string_view file_name);

/// The errors besides that one for which a line of the submission is known, in the compiler's order, without
/// what they mean: later errors often follow from the first.
std::vector<CompilerError> further_errors(std::string_view output, std::string_view source,
                                          std::string_view file_name);

}  // namespace lockstep::build
