// Text that a student chose, cut to what a report has room for.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace lockstep::text {

/// Longest text that a student's name or message adds to a report, in bytes.
inline constexpr std::size_t kMaxNameBytes = 500;

/// `text`, or its beginning and an ellipsis.
inline std::string shortened(std::string_view text, std::size_t most_bytes = kMaxNameBytes) {
  if (text.size() <= most_bytes) return std::string(text);
  // Not in the middle of a UTF-8 character, whose bytes after the first are 10xxxxxx.
  while (most_bytes > 0 && (static_cast<unsigned char>(text[most_bytes]) & 0xC0) == 0x80) --most_bytes;
  return std::string(text.substr(0, most_bytes)) + "…";
}

}  // namespace lockstep::text
