// What the terminal can show, and one line of progress on it.
#pragma once

#include <cstddef>
#include <string>

#include "report/text_style.h"

namespace lockstep::cli {

/// How to write to standard output: colour on a terminal only (and never with NO_COLOR or TERM=dumb), at most
/// 100 columns and at least 60.
report::TextStyle output_style();

/// A line on standard error that is written over as work goes on; silent when standard error is no terminal.
class ProgressLine {
 public:
  ProgressLine();
  ~ProgressLine();
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  void show(const std::string& what);
  void clear();

 private:
  bool terminal_;
  bool shown_ = false;
};

}  // namespace lockstep::cli
