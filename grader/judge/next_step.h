// What a student does now: one line at the end of every result.
#pragma once

#include <string>

#include "course/catalogue.h"
#include "report/result.h"

namespace lockstep::judge {

/// `following` is the name of the exercise after this one, empty after the last.
std::string next_step(const report::ExerciseResult& result, const std::string& following);

}  // namespace lockstep::judge
