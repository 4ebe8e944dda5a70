// Positions on the sky, out of a text file or of a table of a FITS file.
#pragma once

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <istream>
#include <optional>
#include <stdexcept>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "18-tpacf/catalogues.h"
#include "columns.h"
#include "fits.h"

namespace lockstep::angular {

struct Catalogue {
  std::string format;  ///< text or FITS
  std::vector<SkyPoint> points;
};

namespace detail {

/// Spaces and tabs at both ends taken away, and the carriage return of CRLF.
inline std::string trimmed(const std::string& text) {
  constexpr const char* kBlank = " \t\r";
  const std::size_t begin = text.find_first_not_of(kBlank);
  if (begin == std::string::npos) return "";
  return text.substr(begin, text.find_last_not_of(kBlank) - begin + 1);
}

/// What stands between the fields of a line: a comma, a semicolon, a tab, or else any number of blanks (' ').
inline char separator_of(const std::string& line) {
  for (const char separator : {',', ';', '\t'})
    if (line.find(separator) != std::string::npos) return separator;
  return ' ';
}

/// The fields of a line without blanks around them. Between commas and the like they may stand in double
/// quotes.
inline std::vector<std::string> fields_of(const std::string& line, char separator) {
  std::vector<std::string> fields;
  if (separator == ' ') {
    constexpr const char* kBlank = " \t\r";
    for (std::size_t at = line.find_first_not_of(kBlank); at != std::string::npos;) {
      const std::size_t end = line.find_first_of(kBlank, at);
      fields.push_back(line.substr(at, end - at));
      at = end == std::string::npos ? end : line.find_first_not_of(kBlank, end);
    }
    return fields;
  }
  std::string field;
  bool is_quoted = false;
  for (const char c : line) {
    if (c == '"') {
      is_quoted = !is_quoted;
    } else if (c == separator && !is_quoted) {
      fields.push_back(trimmed(field));
      field.clear();
    } else {
      field += c;
    }
  }
  fields.push_back(trimmed(field));
  return fields;
}

/// A decimal number that is the whole of `text`.
inline std::optional<double> number_of(const std::string& text) {
  const char *begin = text.data() + (text.starts_with('+') ? 1 : 0), *end = text.data() + text.size();
  double value = 0;
  const auto [stop, error] = std::from_chars(begin, end, value);
  if (error != std::errc{} || stop != end || !std::isfinite(value)) return std::nullopt;
  return value;
}

/// Reads the lines of a text file one after the other.
class TextReader {
 public:
  TextReader(std::istream& in, const std::string& file, const ColumnRequest& request)
      : in_(in), file_(file), request_(request) {}

  std::vector<SkyPoint> points() {
    std::vector<SkyPoint> points;
    std::string comment;  // the line before, if that is one
    for (std::string line; std::getline(in_, line);) {
      if (++number_ == 1 && line.starts_with("\xef\xbb\xbf")) line.erase(0, 3);  // mark of UTF-8
      const std::string content = trimmed(line);
      if (content.empty()) continue;
      if (content[0] == '#') {
        comment = content.substr(1);
        continue;
      }
      if (!columns_ && !begin(content, comment)) continue;
      const SkyPoint point = point_of(fields_of(content, separator_));
      if (read_++ % request_.every != 0) continue;
      points.push_back(point);
      must_be_few(points.size(), file_);
    }
    return points;
  }

 private:
  /// Takes the first line that is no comment. Whether it is a point, and no line of names.
  bool begin(const std::string& line, const std::string& comment) {
    separator_ = separator_of(line);
    const std::vector<std::string> fields = fields_of(line, separator_);
    const bool are_names = std::none_of(
        fields.begin(), fields.end(), [](const std::string& field) { return number_of(field).has_value(); });
    if (are_names) {
      columns_ = columns_among(fields, request_, file_);
      return false;
    }
    std::vector<std::string> names = fields_of(trimmed(comment), separator_of(comment));
    if (names.size() != fields.size()) names.clear();
    // Without a line of names they are the first two, unless the comment above the numbers has better.
    const bool may_be_first =
        request_.ra.empty() && request_.dec.empty() &&
        (!place_of_usual(names, kUsualRa).has_value() || !place_of_usual(names, kUsualDec).has_value());
    columns_ = may_be_first ? Columns{0, 1} : columns_among(names, request_, file_, fields.size());
    return true;
  }

  SkyPoint point_of(const std::vector<std::string>& fields) const {
    const double ra = value_of(fields, columns_->ra), dec = value_of(fields, columns_->dec);
    if (const std::optional<std::string> problem = problem_of(ra, dec)) fail(*problem);
    return sky_point(ra, dec);
  }

  double value_of(const std::vector<std::string>& fields, std::size_t column) const {
    const std::string place = "column " + std::to_string(column + 1);
    if (column >= fields.size())
      fail("there is no " + place + ": the line has " + std::to_string(fields.size()));
    const std::string& field = fields[column];
    if (field.empty()) fail(place + " is empty");
    const std::optional<double> value = number_of(field);
    if (!value) {
      const bool is_sexagesimal = field.find(':') != std::string::npos;
      fail("\"" + quotable(field) + "\" in " + place + " is no decimal number of degrees" +
           (is_sexagesimal ? ": convert hours and minutes first" : ""));
    }
    return *value;
  }

  [[noreturn]] void fail(const std::string& what) const { throw CatalogueError(file_, number_, what); }

  std::istream& in_;
  const std::string& file_;
  const ColumnRequest& request_;
  int number_ = 0;        ///< of the line
  std::size_t read_ = 0;  ///< how many points
  char separator_ = ' ';
  std::optional<Columns> columns_;
};

/// Whether the bytes of a file are FITS; throws std::runtime_error where they cannot be a catalogue.
inline bool is_fits(const std::string& file) {
  std::ifstream in(file, std::ios::binary);
  if (!in) throw std::runtime_error(file + " cannot be opened");
  if (!std::filesystem::is_regular_file(file)) throw std::runtime_error(file + " is no regular file");
  std::string begin(8, '\0');
  in.read(begin.data(), static_cast<std::streamsize>(begin.size()));
  begin.resize(static_cast<std::size_t>(in.gcount()));
  if (begin == "SIMPLE  ") return true;
  if (begin.starts_with("\x1f\x8b")) {
    if (file.ends_with(".fits.gz") || file.ends_with(".fit.gz")) return true;
    throw std::runtime_error(file + " is compressed: gunzip it first");
  }
  return false;
}

}  // namespace detail

/// All points of a file. Throws std::runtime_error, whose message names the file and its line or row, where
/// it is not what it should be, holds no point or more than kMaxPoints.
inline Catalogue read_catalogue(const std::string& file, const ColumnRequest& request) {
  Catalogue catalogue;
  if (detail::is_fits(file)) {
    catalogue = {"FITS", read_fits(file, request)};
  } else {
    std::ifstream in(file);
    catalogue = {"text", detail::TextReader(in, file, request).points()};
    if (in.bad()) throw std::runtime_error(file + " cannot be read");
  }
  if (catalogue.points.empty()) throw std::runtime_error(file + " holds no points");
  return catalogue;
}

}  // namespace lockstep::angular
