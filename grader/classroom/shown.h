// A stranger's text within a sentence for an instructor.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "text/printable.h"
#include "text/shortened.h"

namespace lockstep::classroom {

/// What a sentence has room for where somebody else's is its end.
inline constexpr std::size_t kMaxOfReason = 300;

/// On one line, and not longer than a sentence has room for.
inline std::string shown(std::string_view text, std::size_t most_bytes = 80) {
  return text::shortened(text::printable(text), most_bytes);
}

}  // namespace lockstep::classroom
