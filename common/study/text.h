// Text that a case study reads, out of files or behind options: lines, fields, numbers, and how messages
// quote what is wrong with them.
#pragma once

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <istream>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

namespace lockstep::study {

/// The bytes of the character of UTF-8 at the begin of `text`, which is not empty; 0 where there is none.
inline std::size_t character_bytes(std::string_view text) {
  const auto lead = static_cast<unsigned char>(text.front());
  const std::size_t bytes = lead < 0x80 ? 1 : lead < 0xc2 ? 0 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
  if (bytes > text.size() || lead > 0xf4) return 0;
  for (std::size_t i = 1; i < bytes; ++i)
    if ((static_cast<unsigned char>(text[i]) & 0xc0) != 0x80) return 0;
  // Neither longer than needed, nor half of a pair of UTF-16, nor beyond U+10FFFF.
  const unsigned second = bytes > 1 ? static_cast<unsigned char>(text[1]) : 0;
  if ((lead == 0xe0 && second < 0xa0) || (lead == 0xed && second > 0x9f) || (lead == 0xf0 && second < 0x90) ||
      (lead == 0xf4 && second > 0x8f))
    return 0;
  return bytes;
}

/// At most 60 characters of `text`, for a message: a question mark stands for each control character, and for
/// each byte that is no UTF-8.
inline std::string excerpt(std::string_view text) {
  constexpr int kMaxShown = 60;
  std::string shown;
  for (int count = 0; !text.empty(); ++count) {
    if (count == kMaxShown) return shown + "…";
    const std::size_t bytes = character_bytes(text);
    const bool is_control = bytes == 0 || static_cast<unsigned char>(text[0]) < ' ' || text[0] == '\x7f' ||
                            (text[0] == '\xc2' && static_cast<unsigned char>(text[1]) < 0xa0);
    shown += is_control ? "?" : text.substr(0, bytes);
    text.remove_prefix(bytes == 0 ? 1 : bytes);
  }
  return shown;
}

/// The same between quotes.
inline std::string in_quotes(std::string_view text) { return '"' + excerpt(text) + '"'; }

/// Without blanks and tabs at both ends, and without the carriage return of CRLF.
inline std::string_view trimmed(std::string_view text) {
  constexpr const char* kBlank = " \t\r";
  const std::size_t begin = text.find_first_not_of(kBlank);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(kBlank) - begin + 1);
}

inline std::string in_lower_case(std::string text) {
  for (char& c : text) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return text;
}

/// What stands between the separators, at least one piece, which may be empty.
inline std::vector<std::string> pieces_of(std::string_view text, char separator) {
  std::vector<std::string> pieces;
  while (true) {
    const std::size_t end = text.find(separator);
    pieces.emplace_back(text.substr(0, end));
    if (end == std::string_view::npos) return pieces;
    text.remove_prefix(end + 1);
  }
}

/// The fields of a line, trimmed. In double quotes they may hold the separator.
inline std::vector<std::string> fields_of(std::string_view line, char separator) {
  std::vector<std::string> fields(1);
  bool is_quoted = false;
  for (const char c : line) {
    if (c == '"')
      is_quoted = !is_quoted;
    else if (c == separator && !is_quoted)
      fields.emplace_back();
    else
      fields.back() += c;
  }
  for (std::string& field : fields) field = trimmed(field);
  return fields;
}

/// A decimal number that is the whole of `text`, a plus before it or not; of floating point also inf and nan.
template <class T>
std::optional<T> number_of(std::string_view text) {
  if (text.starts_with('+') && !text.starts_with("+-")) text.remove_prefix(1);
  T value{};
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc{} || stop != end) return std::nullopt;
  return value;
}

/// The first bytes of an open file, fewer where it has fewer; it is read from its begin afterwards.
inline std::string begin_of(std::ifstream& in, std::size_t bytes) {
  std::string begin(bytes, '\0');
  in.read(begin.data(), static_cast<std::streamsize>(bytes));
  begin.resize(static_cast<std::size_t>(in.gcount()));
  in.clear();
  in.seekg(0);
  return begin;
}

/// Opens the bytes of a file. Throws std::runtime_error, which names it, where that is impossible, where it
/// is a folder or a device, and, unless `may_be_gzip`, where gzip has compressed it.
inline std::ifstream opened(const std::string& file, bool may_be_gzip = false) {
  std::error_code ignored;
  const std::filesystem::file_status status = std::filesystem::status(file, ignored);
  if (std::filesystem::exists(status) && !std::filesystem::is_regular_file(status))
    throw std::runtime_error(file + " is no regular file");
  std::ifstream in(file, std::ios::binary);
  if (!in) throw std::runtime_error(file + " cannot be opened");
  if (!may_be_gzip && begin_of(in, 2) == "\x1f\x8b")
    throw std::runtime_error(file + " is compressed: gunzip it first");
  return in;
}

/// What is wrong on a line; what() begins with file and line.
class LineError : public std::runtime_error {
 public:
  LineError(const std::string& file, std::size_t line, const std::string& what)
      : std::runtime_error(file + ':' + std::to_string(line) + ": " + what) {}
};

/// The lines of a text that say something.
class TextLines {
 public:
  TextLines(std::istream& in, std::string file) : in_(in), file_(std::move(file)) {}

  /// The next line that is neither blank nor a remark behind #, trimmed but for tabs before its first field
  /// where tabs separate fields; false at the end. Throws
  /// std::runtime_error where the file cannot be read.
  bool next(std::string& line) {
    while (std::getline(in_, line)) {
      if (++number_ == 1 && line.starts_with("\xef\xbb\xbf")) line.erase(0, 3);  // mark of UTF-8
      const std::string_view inner = trimmed(line);
      if (inner.starts_with('#')) {
        remark_ = inner.substr(1);
      } else if (!inner.empty()) {
        // Between tabs the first fields may be empty: their tabs stay.
        const std::size_t begin =
            inner.find('\t') == std::string_view::npos ? std::string_view::npos : line.find_first_not_of(' ');
        const auto first = static_cast<std::size_t>(inner.data() - line.data());
        line = line.substr(std::min(begin, first), inner.size() + first - std::min(begin, first));
        return true;
      }
    }
    if (in_.bad()) throw std::runtime_error(file_ + " cannot be read");
    return false;
  }

  /// Of the line that was read last, from 1.
  std::size_t number() const { return number_; }
  /// What the last remark says.
  const std::string& remark() const { return remark_; }
  const std::string& file() const { return file_; }
  [[noreturn]] void fail(const std::string& what) const { throw LineError(file_, number_, what); }

 private:
  std::istream& in_;
  std::string file_, remark_;
  std::size_t number_ = 0;
};

}  // namespace lockstep::study
