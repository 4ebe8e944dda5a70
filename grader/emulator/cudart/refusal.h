// Tells the device of calls that were refused, so that a program which does not look at their results still
// hears of them.
#pragma once

#include "emulator/cudart/failure.h"

namespace lockstep::cudart {

/// `function` is the API function's declaration. Refusals that are answers to a question (is this supported,
/// is that finished) and those that the device notes itself are passed over.
void note_refusal(const char* function, const Failure& failure) noexcept;

}  // namespace lockstep::cudart
