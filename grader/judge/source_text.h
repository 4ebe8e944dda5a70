// The submission's text, to quote its lines.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "emulator/observations.h"
#include "report/result.h"

namespace lockstep::judge {

class SourceText {
 public:
  /// Reads the file; one that cannot be read has no lines.
  explicit SourceText(const std::filesystem::path& file);

  const std::string& file_name() const { return file_name_; }
  /// A place as the student knows it: the file by its base name, and the line's text when the file is this
  /// one.
  report::Place place(const emulator::SourceLine& line) const;
  bool holds(const emulator::SourceLine& line) const;

 private:
  std::string file_name_;
  std::vector<std::string> lines_;
};

}  // namespace lockstep::judge
