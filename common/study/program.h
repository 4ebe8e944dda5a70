// What the main() of a case study does.
#pragma once

#include <cstdio>
#include <exception>

#include "options.h"

namespace lockstep::study {

/// Calls run(*arguments) where arguments_of(count, words) gives any. Returns the exit status: 2 for options
/// that the program does not take, 1 where something cannot be done; either is a line behind the study's
/// name.
template <class ArgumentsOf, class Run>
int status_of_main(const char* name, int count, char** words, ArgumentsOf arguments_of, Run run) {
  int status = 0;
  const auto tell = [name, &status](int wrong, const std::exception& error) {
    std::fprintf(stderr, "%s: %s\n", name, error.what());
    status = wrong;
  };
  try {
    if (const auto arguments = arguments_of(count, words)) run(*arguments);
  } catch (const WrongUse& error) {
    tell(2, error);
  } catch (const std::exception& error) {
    tell(1, error);
  }
  return status;
}

}  // namespace lockstep::study
