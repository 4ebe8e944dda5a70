// Which of the recorded accesses at a line are worth drawing.
#pragma once

#include <string>
#include <vector>

#include "emulator/core/observations.h"

namespace lockstep::report {

/// One trace for each kind of access (of the most lanes; of these the first that the device recorded: the
/// ends of an array are often a few lanes' work), the most wasteful first. `space`: "global", "shared", or
/// empty for both.
std::vector<emulator::AccessTrace> kinds_of_access(const std::vector<emulator::AccessTrace>& traces,
                                                   const std::string& space);

}  // namespace lockstep::report
