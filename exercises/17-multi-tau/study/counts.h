// Reads counts of photons: a binary file of bytes, or text with a row for each instant.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "study/text.h"

namespace lockstep::multi_tau_study {

/// Most sensors that a file or a stream may have.
constexpr std::size_t kMaxSensors = 4096;

class CountsReader {
 public:
  /// Opens a file. Text, by the ending .csv, .tsv, .txt or .dat, has as many sensors as its first row;
  /// of anything else, which is bytes, `sensors` says how many. Throws std::runtime_error, whose message
  /// names the file, and its line or byte where it holds what is wrong.
  CountsReader(std::string file, std::optional<std::size_t> sensors)
      : file_(std::move(file)), in_(study::opened(file_)) {
    bytes_ = std::filesystem::file_size(file_);
    if (bytes_ == 0) fail("is empty");
    if (study::begin_of(in_, 6) == "\x93NUMPY")
      fail("is a .npy file: store the bytes alone, by counts.astype(\"uint8\").tofile(\"counts.bin\")");
    for (const char* ending : {".csv", ".tsv", ".txt", ".dat"})
      if (study::in_lower_case(file_).ends_with(ending)) is_text_ = true;
    if (is_text_) {
      open_text(sensors);
    } else {
      open_bytes(sensors);
    }
  }

  std::size_t sensors() const { return sensors_; }
  bool is_text() const { return is_text_; }

  /// The counts of the next instants, frame by frame: at most `instants`, none at the end.
  std::vector<unsigned char> read(std::size_t instants) {
    std::vector<unsigned char> counts;
    if (!is_text_) {
      counts.resize(instants * sensors_);
      in_.read(reinterpret_cast<char*>(counts.data()), static_cast<std::streamsize>(counts.size()));
      counts.resize(static_cast<std::size_t>(in_.gcount()));
      if (counts.size() % sensors_ != 0 || in_.bad()) fail("changed or cannot be read further");
      return counts;
    }
    for (std::size_t i = 0; i < instants && !row_.empty(); ++i) {
      counts.insert(counts.end(), row_.begin(), row_.end());
      next_row();
    }
    return counts;
  }

 private:
  [[noreturn]] void fail(const std::string& what) const { throw std::runtime_error(file_ + ' ' + what); }

  void open_bytes(std::optional<std::size_t> sensors) {
    if (!sensors) fail("holds bytes, and they do not say of how many sensors: --sensors S does");
    sensors_ = *sensors;
    if (bytes_ % sensors_ != 0)
      throw std::runtime_error(file_ + ": byte " + std::to_string(bytes_ - bytes_ % sensors_) +
                               ": the last frame has " + std::to_string(bytes_ % sensors_) +
                               (bytes_ % sensors_ == 1 ? " byte" : " bytes") +
                               ", a frame of all sensors has " + std::to_string(sensors_));
  }

  void open_text(std::optional<std::size_t> sensors) {
    next_row(true);
    if (row_.empty()) fail("holds no counts");
    sensors_ = row_.size();
    if (sensors_ > kMaxSensors) lines_.fail(std::to_string(sensors_) + " counts are more than 4096 sensors");
    if (sensors && *sensors != sensors_)
      lines_.fail("a row of " + std::to_string(sensors_) + " counts, and --sensors " +
                  std::to_string(*sensors));
  }

  /// Reads the next row, into an empty one at the end. The first may be names of columns.
  void next_row(bool may_be_names = false) {
    std::string line;
    row_.clear();
    while (lines_.next(line)) {
      if (std::exchange(may_be_names, false) && are_names(line)) continue;
      parse(line);
      if (sensors_ != 0 && row_.size() != sensors_)
        lines_.fail("the number of counts is " + std::to_string(row_.size()) + ", in rows before it is " +
                    std::to_string(sensors_));
      return;
    }
  }

  /// Whether a row holds a letter, and nothing in it is a number or begins as one. Names may hold blanks
  /// where marks or tabs are between them.
  static bool are_names(std::string_view line) {
    const bool has_marks = line.find_first_of(",;\t") != std::string_view::npos;
    const std::string_view between = has_marks ? ",;\t" : " ";
    bool has_letter = false;
    while (!line.empty()) {
      const std::size_t end = std::min(line.find_first_of(between), line.size());
      std::string_view cell = study::trimmed(line.substr(0, end));
      while (cell.starts_with('"') || cell.starts_with('\'')) cell.remove_prefix(1);
      while (cell.ends_with('"') || cell.ends_with('\'')) cell.remove_suffix(1);
      if (study::number_of<double>(cell)) return false;
      if (!cell.empty() && std::string_view("0123456789+-.").find(cell[0]) != std::string_view::npos)
        return false;
      for (const char c : cell) {
        const auto byte = static_cast<unsigned char>(c);
        has_letter = has_letter || byte >= 0x80 || (byte | 0x20U) - 'a' < 26U;
      }
      line.remove_prefix(std::min(end + 1, line.size()));
    }
    return has_letter;
  }

  /// Counts between commas, semicolons, blanks or tabs. Between two commas there must be one.
  void parse(std::string_view line) {
    constexpr std::string_view kBlanks = " \t";
    bool needs_count = true;
    std::size_t at = 0;
    while (true) {
      at = std::min(line.find_first_not_of(kBlanks, at), line.size());
      const bool is_mark = at < line.size() && (line[at] == ',' || line[at] == ';');
      if (at == line.size() || is_mark) {
        if (needs_count) lines_.fail("count " + std::to_string(row_.size() + 1) + " is missing");
        if (at == line.size()) return;
        needs_count = true;
        ++at;
        continue;
      }
      const std::size_t end = std::min(line.find_first_of(",; \t", at), line.size());
      row_.push_back(count_of(line.substr(at, end - at)));
      needs_count = false;
      at = end;
    }
  }

  /// Whole numbers, also as programs write them as 3.000e+00.
  unsigned char count_of(std::string_view word) const {
    const double value = study::number_of<double>(word).value_or(-1);
    if (!(value >= 0 && value <= 255) || value != static_cast<double>(static_cast<int>(value)))
      lines_.fail(study::in_quotes(word) + " is no count, which is a whole number from 0 to 255");
    return static_cast<unsigned char>(value);
  }

  std::string file_;
  std::ifstream in_;
  study::TextLines lines_{in_, file_};
  std::uintmax_t bytes_ = 0;
  std::size_t sensors_ = 0;
  bool is_text_ = false;
  std::vector<unsigned char> row_;  ///< of text, the next one
};

}  // namespace lockstep::multi_tau_study
