// What a student does now: one line at the end of every result.
#pragma once

#include <string>

#include "course/catalogue.h"
#include "result/result.h"

namespace lockstep::judge {

/// `following` is what to go on with after passing, the end of a sentence; empty when everything is passed.
/// `submission` is the file that was judged in place of the student's own, which the commands then have to
/// name; else empty.
std::string next_step(const result::ExerciseResult& result, const std::string& following,
                      const std::string& submission = {});

}  // namespace lockstep::judge
