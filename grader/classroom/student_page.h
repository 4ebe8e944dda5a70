// A student's exercises as one HTML page, with links to the report of each.
#pragma once

#include <string>
#include <vector>

#include "classroom/student_grading.h"

namespace lockstep::classroom {

/// It speaks of this student alone, and leads to files of their folder alone.
std::string student_page(const ClassTable& table, const StudentRow& row,
                         const std::vector<StudentGrading>& gradings);

}  // namespace lockstep::classroom
