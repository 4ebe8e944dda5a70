// Parts of sentences and of commands: a count with its noun, a path and a word as a reader would type them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace lockstep::text {

/// "1 wavefront", "32 wavefronts".
std::string counted(std::uint64_t n, std::string_view noun);

/// The file's path as a reader would type it: from the working directory when it lies below.
std::string shown_path(const std::string& file);

/// `text` as one word of a shell's command line: in quotes where it holds more than plain characters.
std::string shell_word(std::string_view text);

}  // namespace lockstep::text
