// What a student begins an exercise with.
#pragma once

#include <string>

#include "course/catalogue.h"

namespace lockstep::cli {

/// The newest committed version of the exercise's file that still has its marker: the repository's history
/// knows it, also after the student has committed a solution. That of predictions has each of them open.
/// `is_course_pristine`: nobody works in the course itself, so that its own file will do where there is no
/// such version, as in a package. Throws Failed where neither is to be had.
std::string starter_of(const course::Exercise& exercise, bool is_course_pristine);

}  // namespace lockstep::cli
