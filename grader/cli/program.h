// Runs a trusted program of the machine (git, nvcc, dpkg-query) and takes what it prints.
#pragma once

#include <string>
#include <vector>

namespace lockstep::cli {

struct ProgramResult {
  int status = 0;      ///< exit status; 127 when there is no such program
  std::string output;  ///< standard output, and standard error where it is kept, in the order of arrival
};

/// What becomes of a program's standard error: a warning has no place in output that is a file's contents.
enum class ErrorOutput { kept, dropped };

/// Runs a program found on PATH, with the C locale so that its output is the expected one, and waits for it.
ProgramResult run_program(const std::vector<std::string>& arguments, ErrorOutput errors = ErrorOutput::kept);

}  // namespace lockstep::cli
