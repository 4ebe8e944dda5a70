// Which source files are the toolkit's: what stands in them is nothing that a student wrote.
#pragma once

#include <string_view>

namespace lockstep::emulator {

/// Whether a file is part of the toolkit rather than of the program.
inline bool is_toolkit_file(std::string_view path) {
  return path.find("/targets/x86_64-linux/include") != std::string_view::npos ||
         path.find("/include/cccl/") != std::string_view::npos || path.starts_with("/usr/include/") ||
         path.starts_with("/usr/lib/") || path.find("/include/crt/") != std::string_view::npos;
}

}  // namespace lockstep::emulator
