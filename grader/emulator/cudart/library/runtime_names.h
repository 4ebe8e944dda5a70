// What the toolkit's own runtime calls its errors and functions, read out of it while building. Compiled into
// the replacement runtime and into the device, which tells of refused calls in these words and in no others.
#pragma once

#include <string_view>

namespace lockstep::emulator::cudart::library {

struct ErrorText {
  int code;
  const char* name;
  const char* sentence;
};

/// Null for a code that the runtime does not have.
const ErrorText* error_text(int code);

/// Whether the runtime exports a function of this name.
bool is_runtime_function(std::string_view name);

}  // namespace lockstep::emulator::cudart::library
