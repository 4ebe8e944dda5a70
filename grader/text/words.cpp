#include "text/words.h"

#include <cctype>

namespace lockstep::text {

bool is_of_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

bool begins_word(std::string_view text, std::size_t at) { return at == 0 || !is_of_word(text[at - 1]); }

std::size_t find_word(std::string_view text, std::string_view word, std::size_t start) {
  if (word.empty()) return std::string_view::npos;
  for (std::size_t at = text.find(word, start), end = 0; at != std::string_view::npos;
       at = text.find(word, end)) {
    end = at + word.size();
    if (begins_word(text, at) && (end == text.size() || !is_of_word(text[end]))) return at;
  }
  return std::string_view::npos;
}

}  // namespace lockstep::text
