// A result as one JSON object, schema lockstep/result/v1: fields are added, never renamed; null is "not
// measured".
#pragma once

#include <string>

#include "result/result.h"

namespace lockstep::report {

std::string render_json(const result::Report& report);

}  // namespace lockstep::report
