// Positions on the sky, out of a text file or of a table of a FITS file.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <fstream>
#include <istream>
#include <iterator>
#include <optional>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "18-tpacf/catalogues.h"
#include "columns.h"
#include "fits.h"
#include "study/text.h"

namespace lockstep::angular {

struct Catalogue {
  std::string format;  ///< text or FITS
  std::vector<SkyPoint> points;
};

namespace detail {

/// What stands between the fields of a line: a comma, a semicolon, a tab, or else any number of blanks (' ').
inline char separator_of(const std::string& line) {
  for (const char separator : {',', ';', '\t'})
    if (line.find(separator) != std::string::npos) return separator;
  return ' ';
}

/// The fields of a line without blanks around them.
inline std::vector<std::string> fields_between(const std::string& line, char separator) {
  if (separator != ' ') return study::fields_of(line, separator);
  std::istringstream in(line);
  return {std::istream_iterator<std::string>(in), {}};
}

/// A number that is finite.
inline std::optional<double> decimal_of(const std::string& text) {
  const auto value = study::number_of<double>(text);
  return value && std::isfinite(*value) ? value : std::nullopt;
}

/// Whether a field is digits with colons, as 10:20:30 is.
inline bool is_sexagesimal(const std::string& field) {
  return field.find(':') != std::string::npos &&
         field.find_first_not_of("0123456789:.+- ") == std::string::npos;
}

/// Whether all fields of a line are dashes, as below the names of VizieR's tables.
inline bool is_rule(const std::vector<std::string>& fields) {
  return std::all_of(fields.begin(), fields.end(), [](const std::string& field) {
    return !field.empty() && field.find_first_not_of('-') == std::string::npos;
  });
}

/// Reads the lines of a text file one after the other.
class TextReader {
 public:
  TextReader(std::istream& in, const std::string& file, const ColumnRequest& request)
      : lines_(in, file), request_(request) {}

  std::vector<SkyPoint> points() {
    std::vector<SkyPoint> points;
    for (std::string line; lines_.next(line);) {
      if (!columns_ && !begin(line) && !pass_units(line)) break;
      const SkyPoint point = point_of(fields_between(line, separator_));
      if (read_++ % request_.every != 0) continue;
      points.push_back(point);
      must_be_few(points.size(), lines_.file());
    }
    return points;
  }

 private:
  /// Takes the first line that is no comment. Whether it is a point, and no line of names.
  bool begin(const std::string& line) {
    separator_ = separator_of(line);
    const std::vector<std::string> fields = fields_between(line, separator_);
    const bool are_names = std::none_of(fields.begin(), fields.end(), [](const std::string& field) {
      return decimal_of(field).has_value() || is_sexagesimal(field);
    });
    if (are_names) {
      columns_ = columns_among(fields, request_, lines_.file());
      return false;
    }
    std::vector<std::string> names = fields_between(lines_.remark(), separator_of(lines_.remark()));
    if (names.size() != fields.size()) names.clear();
    // Without a line of names they are the first two, unless the comment above the numbers has better.
    const bool may_be_first =
        request_.ra.empty() && request_.dec.empty() &&
        (!place_of_usual(names, kUsualRa).has_value() || !place_of_usual(names, kUsualDec).has_value());
    columns_ = may_be_first ? Columns{0, 1} : columns_among(names, request_, lines_.file(), fields.size());
    return true;
  }

  /// Goes on from the names to the first point; false where there is none. VizieR writes a line of units and
  /// one of dashes between them.
  bool pass_units(std::string& line) {
    if (!lines_.next(line)) return false;
    if (is_rule(fields_between(line, separator_))) return lines_.next(line);
    try {
      point_of(fields_between(line, separator_));
    } catch (const study::LineError&) {
      // Wrong, unless it is the line of units. The message has its number.
      if (!lines_.next(line) || !is_rule(fields_between(line, separator_))) throw;
      return lines_.next(line);
    }
    return true;
  }

  SkyPoint point_of(const std::vector<std::string>& fields) const {
    const double ra = value_of(fields, columns_->ra), dec = value_of(fields, columns_->dec);
    if (const std::optional<std::string> problem = problem_of(ra, dec)) lines_.fail(*problem);
    return sky_point(ra, dec);
  }

  double value_of(const std::vector<std::string>& fields, std::size_t column) const {
    const std::string place = "column " + std::to_string(column + 1);
    if (column >= fields.size())
      lines_.fail("there is no " + place + ": the line has " + std::to_string(fields.size()));
    const std::string& field = fields[column];
    if (field.empty()) lines_.fail(place + " is empty");
    const std::optional<double> value = decimal_of(field);
    if (!value) {
      const bool has_colon = field.find(':') != std::string::npos;
      lines_.fail(study::in_quotes(field) + " in " + place + " is no decimal number of degrees" +
                  (has_colon ? ": convert hours and minutes first" : ""));
    }
    return *value;
  }

  study::TextLines lines_;
  const ColumnRequest& request_;
  std::size_t read_ = 0;  ///< how many points
  char separator_ = ' ';
  std::optional<Columns> columns_;
};

/// Whether the bytes of a file are FITS; throws std::runtime_error where they cannot be a catalogue.
inline bool is_fits(const std::string& file) {
  const bool may_be_gzip = file.ends_with(".fits.gz") || file.ends_with(".fit.gz");
  std::ifstream in = study::opened(file, may_be_gzip);
  const std::string begin = study::begin_of(in, 8);
  return begin == "SIMPLE  " || (may_be_gzip && begin.starts_with("\x1f\x8b"));
}

}  // namespace detail

/// All points of a file. Throws std::runtime_error, whose message names the file and its line or row, where
/// it is not what it should be, holds no point or more than kMaxPoints.
inline Catalogue read_catalogue(const std::string& file, const ColumnRequest& request) {
  Catalogue catalogue;
  if (detail::is_fits(file)) {
    catalogue = {"FITS", read_fits(file, request)};
  } else {
    std::ifstream in = study::opened(file);
    catalogue = {"text", detail::TextReader(in, file, request).points()};
  }
  if (catalogue.points.empty()) throw std::runtime_error(file + " holds no points");
  return catalogue;
}

}  // namespace lockstep::angular
