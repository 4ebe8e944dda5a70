#include "classroom/gradescope.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <utility>

#include "text/printable.h"
#include "text/shortened.h"

namespace lockstep::classroom {
namespace {

struct Line {
  std::size_t number = 0, indent = 0;
  std::string_view text;  ///< behind the indentation
};

/// Something in one submission that is not read; the others count.
struct NotRead {
  std::string why;
};

std::vector<Line> lines_of(std::string_view text) {
  std::vector<Line> lines;
  for (std::size_t number = 1; !text.empty(); ++number) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (line.ends_with('\r')) line.remove_suffix(1);
    const std::size_t indent = std::min(line.find_first_not_of(' '), line.size());
    lines.push_back({number, indent, line.substr(indent)});
  }
  return lines;
}

void append_utf8(std::string& text, unsigned code) {
  constexpr unsigned kTwoBytes = 0x80, kThreeBytes = 0x800, kFourBytes = 0x10000, kEnd = 0x110000,
                     kLow = 0x3F;
  const auto add = [&text](unsigned byte) { text += static_cast<char>(byte); };
  if (code >= kEnd) throw NotRead{"has a character that does not exist"};
  if (code < kTwoBytes) return add(code);
  if (code < kThreeBytes) return add(0xC0 | code >> 6), add(0x80 | (code & kLow));
  if (code >= kFourBytes) {
    add(0xF0 | code >> 18);
    add(0x80 | (code >> 12 & kLow));
  } else {
    add(0xE0 | code >> 12);
  }
  add(0x80 | (code >> 6 & kLow));
  add(0x80 | (code & kLow));
}

/// Reads the scalars of a file's lines, which may go on over several.
class Lines {
 public:
  explicit Lines(std::string_view text) : lines_(lines_of(text)) {}

  bool at_end() const { return at_ == lines_.size(); }
  const Line& line() const { return lines_[at_]; }
  void next() { ++at_; }

  /// The value behind a key in this line, and goes to the line after it. `value` is a part of the line,
  /// `depth` the indentation that lines it goes on in are beyond. Throws NotRead.
  std::string scalar(std::string_view value, std::size_t depth) {
    next();
    while (value.starts_with(' ')) value.remove_prefix(1);
    if (value.empty() || value == "~" || value == "null") return "";
    if (value.front() == '"' || value.front() == '\'') return quoted(value, depth);
    if (std::string_view("&*!|>{[@`%").find(value.front()) != std::string_view::npos)
      throw NotRead{fmt::format("has a value in line {} that is no plain text", lines_[at_ - 1].number)};
    std::string plain(value);
    for (; goes_on(depth) && !line().text.empty(); next()) plain += ' ' + std::string(line().text);
    while (plain.ends_with(' ')) plain.pop_back();
    return plain;
  }

  /// Goes to the next line that is no further in than `depth` and no element of a list there.
  void pass_over(std::size_t depth) {
    for (next(); !at_end(); next()) {
      const bool is_empty = line().text.empty();
      if (!is_empty && line().indent <= depth && !(line().indent == depth && line().text.starts_with('-')))
        return;
    }
  }

 private:
  bool goes_on(std::size_t depth) const {
    return !at_end() && (line().text.empty() || line().indent > depth);
  }

  std::string quoted(std::string_view value, std::size_t depth) {
    const std::size_t begin = lines_[at_ - 1].number;
    const char quote = value.front();
    value.remove_prefix(1);
    std::string contents;
    bool is_behind_empty = false;
    for (;;) {
      bool joins = false;
      if (take_quoted(value, quote, contents, joins)) {
        if (value.find_first_not_of(' ') != std::string_view::npos)
          throw NotRead{fmt::format("goes on behind a quote in line {}", lines_[at_ - 1].number)};
        return contents;
      }
      if (!goes_on(depth)) throw NotRead{fmt::format("has a quote in line {} that does not end", begin)};
      if (!joins) {
        while (contents.ends_with(' ')) contents.pop_back();
        // A line break becomes a space, and each empty line between two others a line break.
        if (line().text.empty()) {
          contents += '\n';
        } else if (!is_behind_empty) {
          contents += ' ';
        }
        is_behind_empty = line().text.empty();
      }
      value = line().text;
      if (joins && value.starts_with("\\ ")) value.remove_prefix(1);
      next();
    }
  }

  /// Adds a line's part of a quoted text. Returns whether the quote has ended, and then `value` is what
  /// follows.
  static bool take_quoted(std::string_view& value, char quote, std::string& contents, bool& joins) {
    while (!value.empty()) {
      const char c = value.front();
      value.remove_prefix(1);
      if (c == quote) {
        if (quote == '"' || !value.starts_with('\'')) return true;
        value.remove_prefix(1);
        contents += '\'';
      } else if (c == '\\' && quote == '"') {
        if (value.empty()) {
          joins = true;
          return false;
        }
        take_escape(value, contents);
      } else {
        contents += c;
      }
    }
    return false;
  }

  static void take_escape(std::string_view& value, std::string& contents) {
    constexpr std::string_view kLetters = "0abtnvfre\"/\\ ", kMeanings("\0\a\b\t\n\v\f\r\x1B\"/\\ ", 13);
    constexpr std::string_view kBreaks = "N_LP";  // and a space that breaks no line
    constexpr std::array<unsigned, 4> kCodes = {0x85, 0xA0, 0x2028, 0x2029};
    const char letter = value.front();
    value.remove_prefix(1);
    if (const std::size_t place = kLetters.find(letter); place != std::string_view::npos) {
      contents += kMeanings[place];
      return;
    }
    if (const std::size_t place = kBreaks.find(letter); place != std::string_view::npos)
      return append_utf8(contents, kCodes[place]);
    const std::size_t digits = letter == 'x' ? 2 : letter == 'u' ? 4 : letter == 'U' ? 8 : 0;
    const std::string_view hexadecimal = value.substr(0, digits);
    if (digits == 0 || hexadecimal.size() < digits ||
        hexadecimal.find_first_not_of("0123456789abcdefABCDEF") != std::string_view::npos)
      throw NotRead{"has an escape that is not known"};
    value.remove_prefix(digits);
    unsigned code = 0;
    std::from_chars(hexadecimal.data(), hexadecimal.data() + digits, code, 16);
    append_utf8(contents, code);
  }

  std::vector<Line> lines_;
  std::size_t at_ = 0;
};

/// Takes "KEY:" from the front of a line; what follows is a space and a value, or nothing.
bool take_key(std::string_view& text, std::string_view key) {
  if (!text.starts_with(key) || text.substr(key.size(), 1) != ":") return false;
  const std::string_view rest = text.substr(key.size() + 1);
  if (!rest.empty() && rest.front() != ' ') return false;
  text = rest;
  return true;
}

constexpr std::size_t kDepth = 2;      ///< of a submission's members, and of the dashes of its submitters
constexpr std::size_t kItemDepth = 4;  ///< of a submitter's members

void read_submitter_member(Lines& lines, std::string_view text, Person& person) {
  for (const auto& [key, value] :
       {std::pair(":name", &person.name), std::pair(":sid", &person.sid), std::pair(":email", &person.email)})
    if (take_key(text, key)) {
      *value = lines.scalar(text, kItemDepth);
      return;
    }
  lines.pass_over(kItemDepth);
}

void read_submitters(Lines& lines, GradescopeSubmission& submission) {
  lines.next();
  while (!lines.at_end()) {
    const Line line = lines.line();
    if (line.indent == kDepth && line.text.starts_with("- ")) {
      read_submitter_member(lines, line.text.substr(2), submission.submitters.emplace_back());
    } else if (line.indent == kItemDepth && !submission.submitters.empty()) {
      read_submitter_member(lines, line.text, submission.submitters.back());
    } else if (line.text.empty()) {
      lines.next();
    } else if (line.indent > kDepth) {
      throw NotRead{fmt::format("has a line {} that its list of submitters does not explain", line.number)};
    } else {
      return;
    }
  }
}

/// Reads members until a line without indentation.
void read_members(Lines& lines, GradescopeSubmission& submission) {
  while (!lines.at_end() && (lines.line().indent > 0 || lines.line().text.empty())) {
    std::string_view text = lines.line().text;
    if (lines.line().indent != kDepth || text.empty()) {
      lines.next();
    } else if (take_key(text, ":submitters")) {
      if (!submission.submitters.empty()) throw NotRead{"has two lists of submitters"};
      read_submitters(lines, submission);
    } else if (take_key(text, ":created_at")) {
      submission.created_at = lines.scalar(text, kDepth);
    } else {
      lines.pass_over(kDepth);
    }
  }
}

}  // namespace

std::vector<GradescopeSubmission> read_gradescope_metadata(std::string_view text) {
  Lines lines(text);
  if (!lines.at_end() && lines.line().indent == 0 && lines.line().text == "---") lines.next();
  std::vector<GradescopeSubmission> submissions;
  while (!lines.at_end()) {
    const Line line = lines.line();
    if (line.text.empty() && line.indent == 0) {
      lines.next();
      continue;
    }
    if (line.indent != 0 || !line.text.ends_with(':') ||
        line.text.find_first_of(" \t\"'") != std::string_view::npos)
      throw TableError(fmt::format(
          "line {} of submission_metadata.yml is no submission, such as submission_1234:", line.number));
    GradescopeSubmission& submission = submissions.emplace_back();
    submission.folder = line.text.substr(0, line.text.size() - 1);
    lines.next();
    try {
      read_members(lines, submission);
      if (submission.submitters.empty()) submission.problem = "names no submitter";
    } catch (const NotRead& reason) {
      submission.problem = reason.why;
      while (!lines.at_end() && (lines.line().indent > 0 || lines.line().text.empty())) lines.next();
    }
  }
  return submissions;
}

}  // namespace lockstep::classroom
