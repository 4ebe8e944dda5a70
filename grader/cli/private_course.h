// --course FOLDER, or LOCKSTEP_COURSE: exercises that live outside of the tree, in a folder of the same
// layout. Their problem.cpp files are compiled into a module, which this program loads. An instructor writes
// them: they are trusted as the tree's are.
//
// Everything that is made lies in FOLDER/.lockstep: build/, a CMake build of cmake/course, and built, which
// says of which files and for which program that is. So nothing is built again while both are as they were.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace lockstep::cli {

/// Takes --course FOLDER off the front of what the user typed, where it is there, and makes it, or else
/// LOCKSTEP_COURSE, an absolute path in that variable, for this process and those that it starts. Throws
/// WrongUse where no folder follows, or none is there.
void choose_course(std::vector<std::string>& words);

/// Puts the exercises of the chosen course into the catalogue, and builds them before where they have
/// changed. Does nothing where none is chosen. Throws WrongUse where the folder breaks a rule, such as that
/// of the files that an exercise consists of, and Failed where it cannot be built; what is wrong in each file
/// stands on standard error before.
void add_chosen_course();

/// The chosen course; empty where there is none.
std::filesystem::path chosen_course();

/// Names what a grade may depend on: 12 hexadecimal digits of the SHA-256 of all files below exercises/ and
/// solutions/, with their names, except starters, README.md, the folders figures/ and wrong/, and hidden
/// ones.
std::string version_of_course(const std::filesystem::path& folder);

}  // namespace lockstep::cli
