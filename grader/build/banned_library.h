// Libraries that submissions do without, since they do what the exercises ask for, and how the use of one
// shows: in the list of files that the compiler opened, whatever the source wrote to have them opened.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace lockstep::build {

struct BannedLibrary {
  std::string_view name;   ///< such as "CUB"
  std::string_view start;  ///< of its headers' names below a folder of headers, such as "cub/"
};

std::span<const BannedLibrary> banned_libraries();

/// One sentence for the student when `opened`, a list of dependencies as make reads it, holds a header of a
/// banned library: which, and at which line of `source`, the text of `file_name`, where a line names it.
/// Empty when there is none.
std::string sentence_about_banned(std::string_view opened, std::string_view source,
                                  std::string_view file_name);

}  // namespace lockstep::build
