// Tells the device of calls that were refused, so that a program which does not look at their results still
// hears of them.
#pragma once

#include <string_view>

#include "emulator/cudart/errors/failure.h"

namespace lockstep::emulator::cudart {

/// `name` is the API function's. Refusals that are answers to a question (is this supported,
/// is that finished) and those that the device notes itself are passed over.
void note_refusal(std::string_view name, const Failure& failure) noexcept;

}  // namespace lockstep::emulator::cudart
