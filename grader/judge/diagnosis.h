// Guesses at the cause of a wrong output from the pattern of its errors.
//
// A guess is one sentence in the student's terms, and is made only when its pattern explains nearly all of
// the wrong elements: a wrong guess costs a student more time than none.
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "course/problem.h"

namespace lockstep::judge {

/// The likely cause of what is wrong in `found`, the snapshot of the output named `name`; empty when no
/// pattern fits or nothing is wrong.
std::string likely_cause(const std::string& name, const course::Output& output,
                         std::span<const std::byte> found);

}  // namespace lockstep::judge
