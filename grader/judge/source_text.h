// The submission's text as it was compiled, to quote its lines.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "emulator/core/observations.h"
#include "result/result.h"

namespace lockstep::judge {

class SourceText {
 public:
  SourceText(std::string file_name, const std::string& text);

  const std::string& file_name() const { return file_name_; }
  /// A place as the student knows it: the file by its base name, and the line's text when the file is this
  /// one.
  result::Place place(const emulator::SourceLine& line) const;
  bool holds(const emulator::SourceLine& line) const;
  /// What a line, counted from 1, says before a comment begins; empty beyond the end.
  std::string_view code(std::uint32_t line) const;
  std::uint32_t line_count() const { return static_cast<std::uint32_t>(lines_.size()); }

 private:
  std::string file_name_;
  std::vector<std::string> lines_;
};

}  // namespace lockstep::judge
