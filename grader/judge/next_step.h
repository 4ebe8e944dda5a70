// What a student does now: one line at the end of every result, and the exercise that comes next.
#pragma once

#include <set>
#include <string>

#include "course/catalogue.h"
#include "result/result.h"

namespace lockstep::judge {

/// `following` is what to go on with after passing, the end of a sentence; empty when everything is passed.
/// `submission` is the file that was judged in place of the student's own, which the commands then have to
/// name; else empty.
std::string next_step(const result::ExerciseResult& result, const std::string& following,
                      const std::string& submission = {});

/// The first exercise after `exercise` that is not among `passed`, or else the first of all; null when none
/// is left.
const course::Exercise* following_exercise(const course::Exercise& exercise,
                                           const std::set<std::string>& passed);

}  // namespace lockstep::judge
