// Text where HTML, XML and SVG hold text, or an attribute between quotes.
#pragma once

#include <string>
#include <string_view>

namespace lockstep {

/// Control characters stay as they are.
inline std::string escaped_markup(std::string_view text) {
  std::string result;
  for (const char character : text) {
    switch (character) {
      case '&':
        result += "&amp;";
        break;
      case '<':
        result += "&lt;";
        break;
      case '>':
        result += "&gt;";
        break;
      case '"':
        result += "&quot;";
        break;
      case '\'':
        result += "&#39;";
        break;
      default:
        result += character;
    }
  }
  return result;
}

}  // namespace lockstep
