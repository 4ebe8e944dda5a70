// A class as one HTML page that needs no network and runs nothing, with links to the students' pages.
#pragma once

#include <string>

#include "classroom/class_summary.h"

namespace lockstep::classroom {

/// The page; it lies beside the folder `reports`. `summary`: of all gradings of the table.
std::string class_page(const ClassTable& table, const ClassSummary& summary);

}  // namespace lockstep::classroom
