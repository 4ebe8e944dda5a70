// Decodes one function: blocks, registers, instructions.
#pragma once

#include <functional>
#include <string>

#include "emulator/machine/program.h"

namespace lockstep::emulator {

/// What decoding one function needs of its kernel, and leaves there.
struct DecodingContext {
  Program& program;
  Kernel& kernel;
  /// Offset in the kernel's shared memory; `key` tells variables of different functions apart.
  std::function<std::uint32_t(const ptx::Variable& variable, const std::string& key)> shared_offset = {};
  /// A device function by name, decoded sooner or later; null when it has no body.
  std::function<Function*(const std::string& name)> function = {};
  bool calls_indirectly = false;
  std::uint32_t narrowest_shared = 16;         ///< bytes
  std::uint32_t dynamic_shared_alignment = 1;  ///< bytes
};

void decode_function(DecodingContext& context, const ptx::Function& source, Function& function);

}  // namespace lockstep::emulator
