// Height maps from ESRI ASCII grids and PGM pictures. Sources: ESRI, ASCII raster format; Netpbm, pgm(5).
#pragma once

#include <algorithm>
#include <cctype>
#include <cfloat>
#include <cmath>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <optional>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

#include "grid.h"
#include "height_file.h"
#include "study/text.h"

namespace lockstep::flood_study {

namespace detail {

/// With which some programs begin a text in UTF-8.
constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";

constexpr bool is_space(int c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

/// The words of a file, between white space, and the lines that they are on. A byte order mark is skipped.
class Words {
 public:
  explicit Words(const std::string& file) : in_(study::opened(file)), file_(file) {
    if (study::begin_of(in_, kByteOrderMark.size()) == kByteOrderMark) in_.seekg(kByteOrderMark.size());
  }

  /// The next word, of one that is no number its beginning; false at the end of the file.
  bool next(std::string& word) {
    constexpr std::size_t kMaxLength = 400;  // of a double in full
    word.clear();
    int c = get();
    for (; is_space(c); c = get())
      if (c == '\n') ++next_line_;
    line_ = next_line_;
    for (; c != kEnd && !is_space(c); c = get())
      if (word.size() < kMaxLength) word += static_cast<char>(c);
    if (c == '\n') ++next_line_;
    return !word.empty();
  }
  void skip_line() {
    if (next_line_ > line_) return;  // the word ended it
    while (true) {
      const int c = get();
      if (c == '\n') ++next_line_;
      if (c == '\n' || c == kEnd) return;
    }
  }
  int byte() { return get(); }

  static constexpr int kEnd = -1;
  [[noreturn]] void fail(const std::string& what) const { throw study::LineError(file_, line_, what); }

 private:
  int get() {
    if (at_ == size_) {
      in_.read(buffer_.data(), static_cast<std::streamsize>(buffer_.size()));
      size_ = static_cast<std::size_t>(in_.gcount());
      at_ = 0;
      if (in_.bad()) throw std::runtime_error(file_ + " cannot be read");
      if (size_ == 0) return kEnd;
    }
    return static_cast<unsigned char>(buffer_[at_++]);
  }

  std::ifstream in_;
  std::string file_, buffer_ = std::string(std::size_t{1} << 16, '\0');
  std::size_t at_ = 0, size_ = 0, line_ = 1, next_line_ = 1;
};

[[noreturn]] inline void ends_early(const std::string& file, std::size_t found, const Grid& grid) {
  throw MapError(file, "it ends after " + std::to_string(found) + " of " + std::to_string(grid.rows) + " x " +
                           std::to_string(grid.columns) + " heights");
}

/// Text of the .prj file beside a map, which says in what its coordinates are; empty where there is none.
inline std::string projection_beside(const std::string& file) {
  constexpr std::size_t kMaxBytes = 1 << 16;
  for (const char* ending : {".prj", ".PRJ"}) {
    std::ifstream in(std::filesystem::path(file).replace_extension(ending), std::ios::binary);
    std::string text(kMaxBytes, '\0');
    in.read(text.data(), static_cast<std::streamsize>(text.size()));
    text.resize(static_cast<std::size_t>(in.gcount()));
    if (!text.empty()) return text;
  }
  return "";
}

/// Of a description in well-known text (OGC 01-009 and 18-010, ESRI), or in the older one of Arc/Info:
/// whether coordinates are degrees, and their unit, the last that is named. What is said of heights is left
/// out.
inline void take_projection(const std::string& text, Grid& grid) {
  std::string unit;
  bool has_degrees = false, is_projected = false;
  std::string word, key;  // a key lies before a bracket
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '"') {
      const std::string name = text.substr(i + 1, text.find('"', i + 1) - i - 1);
      if (key == "unit" || key == "lengthunit") unit = name;
      i += name.size() + 1;
      key.clear();
    } else if (c == '[' || c == '(') {
      key = std::exchange(word, "");
      if (key.starts_with("vert")) break;
      is_projected |= key == "projcs" || key == "projcrs" || key == "projectedcrs";
      has_degrees |= key == "geogcs" || key == "geogcrs" || key == "geodcrs" || key == "geographiccrs";
    } else if (std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_') {
      word += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    } else if (!is_space(c)) {
      word.clear();
    }
  }
  std::istringstream lines(text);
  for (std::string line, value; std::getline(lines, line);) {
    std::istringstream words(study::in_lower_case(line));
    if (!(words >> word >> value) || word != "units") continue;
    unit = value;
    has_degrees |= value == "dd";
  }
  grid.is_geographic = has_degrees && !is_projected;
  grid.unit = grid.is_geographic ? "°" : unit_called(study::excerpt(unit));
}

}  // namespace detail

/// Throws std::runtime_error, which names the file and its line, where the file is not what it should be.
class AsciiGrid : public ConvertedFile {
 public:
  explicit AsciiGrid(const std::string& file) {
    format_ = "ESRI ASCII grid";
    detail::Words words(file);
    std::string word;
    const bool has_values = read_header(words, word);
    place(file);
    projection_ = detail::projection_beside(file);
    detail::take_projection(projection_, grid_);
    Heights heights = this->heights();
    const std::size_t cells = grid_.rows * grid_.columns;
    for (bool has_word = has_values; has_word; has_word = words.next(word)) {
      if (heights.count() == cells) words.fail("there are more heights than " + std::to_string(cells));
      heights.add(height_of(words, word));
    }
    if (heights.count() < cells) detail::ends_early(file, heights.count(), grid_);
    heights.flush();
  }

  /// Whether a file of this beginning is one.
  static bool is(std::string_view begin) {
    if (begin.starts_with(detail::kByteOrderMark)) begin.remove_prefix(detail::kByteOrderMark.size());
    const std::size_t word = begin.find_first_not_of(" \t\r\n");
    const std::string key = study::in_lower_case(std::string(begin.substr(std::min(word, begin.size()), 9)));
    for (const char* first : {"ncols", "nrows", "xllcorner", "xllcenter"})
      if (key.starts_with(first)) return true;
    return false;
  }

 private:
  /// Up to the first height, which is left in `word`; false where there is none.
  bool read_header(detail::Words& words, std::string& word) {
    while (words.next(word)) {
      if (study::number_of<double>(word)) return true;  // also nan and inf
      const std::string key = study::in_lower_case(word);
      if (std::find(std::begin(kKeys), std::end(kKeys), key) == std::end(kKeys)) {
        if (std::isalpha(static_cast<unsigned char>(word.front())) == 0)
          words.fail(study::in_quotes(word) + " is no height");
        words.fail(study::in_quotes(word) + " is no key of an ESRI ASCII grid's header");
      }
      std::string value;
      words.next(value);
      const bool is_side = key == "ncols" || key == "nrows";
      const auto number = study::number_of<double>(value);
      if (!number || (is_side && !study::number_of<long long>(value)) ||
          (key != "nodata_value" && !std::isfinite(*number)))
        words.fail(study::in_quotes(value) + " is no value of " + key);
      if (!values_.emplace(key, *number).second) words.fail(key + " is there a second time");
      if (key != "nodata_value") header_ += key + ' ' + value + '\n';
    }
    return false;
  }

  void place(const std::string& file) {
    const auto has = [this](const char* key) { return values_.contains(key); };
    const auto must = [&file](bool holds, const std::string& what) {
      if (!holds) throw MapError(file, what);
    };
    for (const char* key : {"ncols", "nrows"}) must(has(key), std::string("its header has no ") + key);
    detail::must_be_map(file, static_cast<long long>(values_["nrows"]),
                        static_cast<long long>(values_["ncols"]));
    must(has("cellsize") || (has("dx") && has("dy")), "its header has no cellsize");
    must(has("xllcorner") || has("xllcenter"), "its header has no xllcorner");
    must(has("yllcorner") || has("yllcenter"), "its header has no yllcorner");
    grid_.rows = static_cast<std::size_t>(values_["nrows"]);
    grid_.columns = static_cast<std::size_t>(values_["ncols"]);
    const double width = values_[has("dx") ? "dx" : "cellsize"],
                 height = values_[has("dy") ? "dy" : "cellsize"];
    must(width > 0 && height > 0, "the size of its cells is not above 0");
    grid_.width = width;
    grid_.height = -height;
    grid_.left = has("xllcorner") ? values_["xllcorner"] : values_["xllcenter"] - width / 2;
    const double bottom = has("yllcorner") ? values_["yllcorner"] : values_["yllcenter"] - height / 2;
    grid_.top = bottom + height * static_cast<double>(grid_.rows);
    must(grid_.has_places(), kNoPlaces);
    unknown_ = has("nodata_value") ? values_["nodata_value"] : -9999;  // ESRI's where the file has none
  }

  /// The nearest float; nothing where all are too small.
  static std::optional<float> nearest(double value) {
    constexpr double kMaxFloat = FLT_MAX,
                     kBeyond = kMaxFloat * (1 + double{FLT_EPSILON} / 4);  // which half a step exceeds
    if (std::isinf(value) || !(std::abs(value) > kMaxFloat)) return static_cast<float>(value);
    if (std::abs(value) < kBeyond) return value > 0 ? FLT_MAX : -FLT_MAX;
    return std::nullopt;
  }

  float height_of(const detail::Words& words, const std::string& word) const {
    const auto value = study::number_of<double>(word);
    if (!value) words.fail(study::in_quotes(word) + " is no height");
    const std::optional<float> height = nearest(*value);
    // The number that stands for no value is often a float of which header and rows show other digits.
    if (*value == unknown_ || (height && height == nearest(unknown_))) return NAN;
    if (!height) words.fail(study::in_quotes(word) + " is more than a float holds");
    return *height;
  }

  static constexpr const char* kKeys[] = {"ncols",     "nrows",    "xllcorner", "yllcorner", "xllcenter",
                                          "yllcenter", "cellsize", "dx",        "dy",        "nodata_value"};
  std::map<std::string, double> values_;
  double unknown_ = 0;
};

/// Grey values are heights. It has no coordinates: a cell's side is 1, the lower left corner is 0, 0.
class PgmPicture : public ConvertedFile {
 public:
  explicit PgmPicture(const std::string& file) {
    format_ = "PGM picture";
    detail::Words words(file);
    std::string magic;
    word(words, magic);
    const long long columns = number(words, "width"), rows = number(words, "height"),
                    most = number(words, "greatest value");
    detail::must_be_map(file, rows, columns);
    if (most < 1 || most > kMaxGrey) words.fail("the greatest value of a PGM is from 1 to 65535");
    grid_.rows = static_cast<std::size_t>(rows);
    grid_.columns = static_cast<std::size_t>(columns);
    grid_.top = static_cast<double>(rows);
    header_ = "ncols " + std::to_string(columns) + "\nnrows " + std::to_string(rows) +
              "\nxllcorner 0\nyllcorner 0\ncellsize 1\n";
    const std::size_t cells = grid_.rows * grid_.columns;
    Heights heights = this->heights();
    while (heights.count() < cells) {
      long long value = 0;
      if (magic == "P5") {  // one white space lies before, which ended the last word
        for (int byte = 0; byte < (most > 255 ? 2 : 1); ++byte) {
          const int next = words.byte();
          if (next == detail::Words::kEnd) detail::ends_early(file, heights.count(), grid_);
          value = value << 8 | next;
        }
      } else {
        std::string text;
        if (!word(words, text)) detail::ends_early(file, heights.count(), grid_);
        const auto number = study::number_of<long long>(text);
        if (!number) words.fail(study::in_quotes(text) + " is no grey value");
        value = *number;
      }
      if (value < 0 || value > most)
        words.fail(std::to_string(value) + " is beyond the greatest value, " + std::to_string(most));
      heights.add(static_cast<float>(value));
    }
    heights.flush();
  }

  static bool is(std::string_view begin) {
    return (begin.starts_with("P2") || begin.starts_with("P5")) &&
           (begin.size() == 2 || detail::is_space(begin[2]));
  }

 private:
  static constexpr long long kMaxGrey = 65535;
  /// The next word, past comments.
  static bool word(detail::Words& words, std::string& text) {
    while (words.next(text)) {
      if (!text.starts_with('#')) return true;
      words.skip_line();
    }
    return false;
  }
  static long long number(detail::Words& words, const std::string& what) {
    std::string text;
    word(words, text);
    const auto value = study::number_of<long long>(text);
    if (!value) words.fail(study::in_quotes(text) + " is no " + what + " of a PGM");
    return *value;
  }
};

}  // namespace lockstep::flood_study
