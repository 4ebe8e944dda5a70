// What the compiler said, without what means nothing to a student: the folders and the temporary files of one
// compilation, advice that a submission cannot follow, and keywords that are not in the source.
//
// A submission chooses much of this text (#error, names, quoted lines), so every function takes one step a
// character and holds nothing on the stack for it.
#pragma once

#include <string>
#include <string_view>

namespace lockstep::build {

/// `text` without `part`, wherever it is.
std::string without(std::string_view text, std::string_view part);

/// `text` without the beginnings of nvcc's temporary names, such as "/tmp/tmpxft_0000a1b2_00000000-6_" in
/// front of "transpose.cudafe1.cpp".
std::string without_temporary_names(std::string_view text);

/// `text` without what nvcc advises and a submission cannot do, such as flags for the compiler.
std::string without_advice(std::string_view text);

/// `text` with __shared__ and the like where nvcc quotes what it makes of them, __attribute__((shared)); the
/// mark below a line stays below its place.
std::string with_cuda_keywords(std::string_view text);

/// `text` with the end of every line left out that is longer than a template's name ever need be.
std::string with_long_lines_cut(std::string_view text);

}  // namespace lockstep::build
