// A finding as a few lines for a person.
#pragma once

#include <string>

#include "emulator/core/observations.h"

namespace lockstep::emulator {

/// Kind, kernel and place; the sentence; then block, thread and how often. Ends with a line break.
std::string text_of(const Finding& finding);

}  // namespace lockstep::emulator
