// Turns the functions that a kernel reaches from PTX into a form that runs.
#pragma once

#include <memory>
#include <string_view>

#include "emulator/decoding/names.h"

namespace lockstep::emulator::decoding {

/// Decodes the kernel `name` of `program`. Throws DeviceError: unknown_symbol when there is no such kernel,
/// unsupported with the instruction's spelling and source line, invalid_image for code that contradicts
/// itself.
std::unique_ptr<Kernel> decode_kernel(Program& program, std::string_view name);

}  // namespace lockstep::emulator::decoding
