#include "judge/changed_lines.h"

#include <algorithm>
#include <cctype>
#include <numeric>
#include <utility>

namespace lockstep::judge {
namespace {

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }
bool is_digit_of(char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; }
bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f'; }
bool is_quote(char c) { return c == '"' || c == '\''; }
bool is_in_header_name(char c) { return is_word(c) || c == '/' || c == '.' || c == '-' || c == '+'; }

/// `source` with its continued lines joined. Only what every compiler joins: a backslash at the very end.
std::string joined(std::string_view source) {
  std::string text;
  for (std::size_t i = 0; i < source.size(); ++i) {
    if (source.substr(i, 2) == "\\\n") {
      ++i;
    } else {
      text += source[i];
    }
  }
  return text;
}

/// Whether quotes and comments on a line of the preprocessor may be something else: in the name of a header
/// they are characters of it, and a string there has no escapes.
bool is_ambiguous(std::string_view directive) {
  const auto has = [](std::string_view text, std::string_view wanted) {
    return text.find(wanted) != std::string_view::npos;
  };
  if (const std::size_t comment = directive.rfind("/*");
      comment != std::string_view::npos && !has(directive.substr(comment), "*/"))
    return true;  // it goes on behind this line
  const bool is_plain =
      !has(directive, "/*") && !has(directive, "//") && !has(directive, "\"") && !has(directive, "'");
  if (is_plain) return false;
  if (has(directive, "\\")) return true;
  for (std::size_t at = directive.find('<'); at != std::string_view::npos; at = directive.find('<', at + 1)) {
    std::size_t end = at + 1;
    while (end < directive.size() && is_in_header_name(directive[end])) ++end;
    if (end == directive.size() || directive[end] != '>' || has(directive.substr(at, end - at), "//"))
      return true;
  }
  return false;
}

/// Goes through a source as the compiler's first phases do.
class Cutter {
 public:
  explicit Cutter(std::string_view source) : text_(joined(source)) {}

  std::vector<std::string> pieces() {
    while (at_ < text_.size()) {
      if (const char c = text_[at_]; c == '\n') {
        end_line();
      } else if (is_blank(c)) {
        ++at_;
      } else if (!drops_comments_ || !skip_comment()) {
        if (is_line_begin_) begin_directive();
        is_line_begin_ = false;
        if (!drops_comments_) {
          keep();
        } else if (is_word(c) || (c == '.' && at_ + 1 < text_.size() && is_digit_of(text_[at_ + 1]))) {
          keep_word();
        } else if (is_quote(c)) {
          keep_literal();
        } else {
          keep_sign();
        }
      }
    }
    end_piece();
    return std::move(pieces_);
  }

 private:
  bool starts_with(std::string_view wanted) const { return text_.compare(at_, wanted.size(), wanted) == 0; }
  /// The compiler may take what follows for something else: from here on every character counts.
  void keep_comments() { drops_comments_ = false; }

  void end_piece() {
    if (!piece_.empty()) pieces_.push_back(std::move(piece_));
    piece_.clear();
  }

  void end_line() {
    ++at_;
    if (in_directive_) end_piece();
    in_directive_ = has_hash_ = false;
    is_line_begin_ = true;
  }

  void keep() { add(text_[at_++]); }

  /// Adds a character to the piece, which may end with it.
  void add(char c) {
    if (!is_blank(c) && c != '\n') piece_ += c;
    if (c == ';' || c == '{' || c == '}' || piece_.size() == kPieceLength) end_piece();
  }

  bool skip_comment() {
    if (starts_with("//")) {
      const std::size_t end = std::min(text_.find('\n', at_), text_.size());
      // A carriage return ends a line for some compilers, also without a newline behind it.
      if (std::min(text_.find('\r', at_), end) + 1 < end) {
        keep_comments();
        return false;
      }
      at_ = end;
      return true;
    }
    if (!starts_with("/*")) return false;
    const std::size_t end = text_.find("*/", at_ + 2);
    // Behind a backslash some blanks may be taken for none, and join a star with its slash.
    if (end == std::string::npos || text_.substr(at_, end - at_).find("*\\") != std::string::npos) {
      keep_comments();
      return false;
    }
    at_ = end + 2;
    return true;
  }

  bool is_at_hash() const { return starts_with("#") || starts_with("%:"); }

  /// At the first character of a line.
  void begin_directive() {
    if (!is_at_hash()) return;
    end_piece();
    in_directive_ = true;
  }

  /// A name or a number.
  void keep_word() {
    const std::size_t begin = at_;
    const bool is_number = !std::isalpha(static_cast<unsigned char>(text_[at_])) && text_[at_] != '_';
    const auto goes_on = [&] {
      const char c = text_[at_], before = text_[at_ - 1];
      if (is_word(c)) return true;
      if (!is_number) return false;
      const bool has_sign = std::string_view("eEpP").find(before) != std::string_view::npos;
      return c == '.' || ((c == '+' || c == '-') && has_sign) ||
             (c == '\'' && at_ + 1 < text_.size() && is_word(text_[at_ + 1]));
    };
    std::string word;
    do word += text_[at_++];
    while (at_ < text_.size() && goes_on());
    const bool quote_follows = at_ < text_.size() && is_quote(text_[at_]);
    // A raw string; or a quote of which compilers differ whether it belongs to the number.
    if (quote_follows && (is_number ? text_[at_] == '\'' : word.back() == 'R')) keep_comments();
    for (at_ = begin; at_ < begin + word.size();) keep();
  }

  void keep_literal() {
    const char quote = text_[at_];
    keep();
    while (at_ < text_.size() && text_[at_] != quote && text_[at_] != '\n') {
      const bool is_escape = text_[at_] == '\\';
      keep();
      if (is_escape && at_ < text_.size() && text_[at_] != '\n') keep();
    }
    if (at_ == text_.size() || text_[at_] == '\n') return keep_comments();  // it does not end
    keep();
    // What follows may be a suffix, or a macro and the beginning of a raw string.
    if (at_ < text_.size() && is_word(text_[at_])) keep_comments();
  }

  void keep_sign() {
    constexpr std::string_view kUsual = "!#%&()*+,-./:;<=>?[]^{|}~";
    if (kUsual.find(text_[at_]) == std::string_view::npos) keep_comments();
    if (is_at_hash() && !has_hash_) {
      has_hash_ = true;  // what follows on the line has been looked at too
      const std::string_view line = std::string_view(text_).substr(at_);
      if (is_ambiguous(line.substr(0, line.find('\n')))) keep_comments();
    }
    if (starts_with("<%") || starts_with("%>")) {
      add(text_[at_] == '<' ? '{' : '}');
      at_ += 2;
    } else {
      keep();
    }
  }

  std::string text_;
  std::size_t at_ = 0;
  bool drops_comments_ = true;
  bool is_line_begin_ = true, in_directive_ = false, has_hash_ = false;
  std::string piece_;
  std::vector<std::string> pieces_;
};

}  // namespace

std::vector<std::string> pieces_of(std::string_view source) { return Cutter(source).pieces(); }

std::size_t changed_lines(std::string_view before, std::string_view after) {
  const std::vector<std::string> from = pieces_of(before), to = pieces_of(after);
  // The distance of Levenshtein: of the first pieces of `from` to as many of `to` as have been looked at.
  std::vector<std::size_t> distances(from.size() + 1);
  std::iota(distances.begin(), distances.end(), std::size_t{0});
  for (const std::string& piece : to) {
    std::size_t diagonal = distances.front()++;
    for (std::size_t i = 0; i < from.size(); ++i) {
      const std::size_t replaced = diagonal + (from[i] == piece ? 0 : 1);
      diagonal = distances[i + 1];
      distances[i + 1] = std::min({replaced, diagonal + 1, distances[i] + 1});
    }
  }
  return distances.back();
}

}  // namespace lockstep::judge
