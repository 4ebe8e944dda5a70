// A map of heights as the study takes it, whatever its format, and the grid that is written in the same one.
#pragma once

#include <charconv>
#include <cmath>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <functional>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "grid.h"
#include "study/output_files.h"
#include "temporary_file.h"

namespace lockstep::flood_study {

/// A value for each cell, row after row from the first.
struct OutputGrid {
  std::string name;        ///< without the ending, which the format has
  bool is_byte = false;    ///< values are whole numbers from 0 to 255
  double unknown_value{};  ///< what stands for no value
  std::function<void(std::size_t row, std::vector<float>& values)> fill_row;
};

class HeightFile {
 public:
  HeightFile() = default;
  HeightFile(const HeightFile&) = delete;
  HeightFile& operator=(const HeightFile&) = delete;
  virtual ~HeightFile() = default;

  /// Heights, NaN where nothing is known; `count` rows from `first` on. Not from two threads at a time.
  virtual void read_rows(std::size_t first, std::size_t count, float* heights) = 0;
  virtual void write(study::OutputFiles& files, const OutputGrid& grid) const = 0;

  /// Where nothing says that coordinates are degrees.
  void take_degrees() {
    grid_.is_geographic = true;
    grid_.unit = "°";
  }

  const Grid& grid() const { return grid_; }
  const std::string& format() const { return format_; }

 protected:
  Grid grid_;
  std::string format_;
};

namespace detail {

/// As few digits as give the same number again, and no exponent.
inline std::string plain(float value) {
  char text[64];
  const auto [end, error] = std::to_chars(text, text + sizeof text, value, std::chars_format::fixed);
  return {text, end};
}

/// The sides of a map, if one of that size can be flooded: a row at a time is the least.
inline void must_be_map(const std::string& file, long long rows, long long columns) {
  constexpr long long kMaxSide = 2147483647;
  if (rows < 1 || columns < 1 || rows > kMaxSide || columns > kMaxSide)
    throw MapError(file, "a map of " + std::to_string(rows) + " rows and " + std::to_string(columns) +
                             " columns is none, or too large");
}

}  // namespace detail

/// Formats of text or of bytes one after the other, which are read once: their heights lie in a temporary
/// file from then on, four bytes per cell. They are written as ESRI ASCII grids.
class ConvertedFile : public HeightFile {
 public:
  void read_rows(std::size_t first, std::size_t count, float* heights) override {
    const std::size_t row_bytes = grid_.columns * sizeof(float);
    heights_.read(heights, count * row_bytes, first * row_bytes);
  }

  void write(study::OutputFiles& files, const OutputGrid& output) const override {
    files.add(output.name + ".asc", [&](std::ostream& out) {
      const std::string unknown = detail::plain(static_cast<float>(output.unknown_value));
      out << header_ << "NODATA_value " << unknown << '\n';
      std::vector<float> values(grid_.columns);
      std::string line;
      for (std::size_t row = 0; row < grid_.rows; ++row) {
        output.fill_row(row, values);
        line.clear();
        for (const float value : values) {
          if (!line.empty()) line += ' ';
          line += detail::plain(value);
        }
        out << line << '\n';
      }
    });
    if (!projection_.empty()) files.add(output.name + ".prj", [&](std::ostream& out) { out << projection_; });
  }

 protected:
  /// Takes heights in the order of the file, in portions.
  class Heights {
   public:
    explicit Heights(TemporaryFile& file) : file_(file) { portion_.reserve(kPortion); }
    void add(float height) {
      portion_.push_back(height);
      if (portion_.size() == kPortion) flush();
    }
    void flush() {
      file_.write(portion_.data(), portion_.size() * sizeof(float), written_ * sizeof(float));
      written_ += portion_.size();
      portion_.clear();
    }
    std::size_t count() const { return written_ + portion_.size(); }

   private:
    static constexpr std::size_t kPortion = std::size_t{1} << 18;
    TemporaryFile& file_;
    std::vector<float> portion_;
    std::size_t written_ = 0;
  };

  Heights heights() { return Heights(heights_); }

  std::string header_;      ///< of an ESRI ASCII grid that lies where this map does, without NODATA_value
  std::string projection_;  ///< text of the .prj file beside it; may be empty

 private:
  TemporaryFile heights_;
};

}  // namespace lockstep::flood_study
