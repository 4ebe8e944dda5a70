// What an error of the compiler means to who learns CUDA, and what to write instead: a table, from the words
// of nvcc (EDG's front end, g++ behind it, ptxas, and the linker) to a sentence.
#pragma once

#include <string>
#include <string_view>

namespace lockstep::build {

/// The sentence for what the compiler says, `message`, of a line of the submission; empty when the table has
/// none. `line` may be empty. Of what the message names, parameters and template arguments are left out.
std::string meaning_of(std::string_view message, std::string_view line);

}  // namespace lockstep::build
