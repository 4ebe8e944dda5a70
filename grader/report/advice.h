// What to do about a line that costs much, from what was counted there.
#pragma once

#include <string>

#include "report/line_profile.h"

namespace lockstep::report {

/// One sentence or two: the waste that costs the line most, in numbers, and what cures it; where nothing is
/// wasted, that only less work would help.
std::string advice_for(const LineProfile& line);

}  // namespace lockstep::report
