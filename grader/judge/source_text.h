// The submission's text as it was compiled, to quote its lines.
#pragma once

#include <string>
#include <vector>

#include "emulator/observations.h"
#include "report/result.h"

namespace lockstep::judge {

class SourceText {
 public:
  SourceText(std::string file_name, const std::string& text);

  const std::string& file_name() const { return file_name_; }
  /// A place as the student knows it: the file by its base name, and the line's text when the file is this
  /// one.
  report::Place place(const emulator::SourceLine& line) const;
  bool holds(const emulator::SourceLine& line) const;
  /// Every line, in order.
  std::vector<report::Place> all() const;

 private:
  std::string file_name_;
  std::vector<std::string> lines_;
};

}  // namespace lockstep::judge
