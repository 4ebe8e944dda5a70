// Adds up what several calls of one case did.
#pragma once

#include "emulator/core/observations.h"

namespace lockstep::judge {

/// Adds `part` to `total`: counters line by line, findings and traces one after the other.
void add(emulator::Observations& total, emulator::Observations&& part);

}  // namespace lockstep::judge
