// What the terminal can show, and one line of progress on it.
#pragma once

#include <termios.h>

#include <cstddef>
#include <string>
#include <vector>

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

/// Whether somebody sits there: standard input and output are terminals.
bool is_interactive();

/// Writes to standard output what empties the screen; only a line break on a terminal that cannot do so.
void clear_screen();

/// Takes back the line of standard output that the cursor is in.
void clear_line();

/// Writes one line to standard output, without a line break: the first of `forms` that fits into the
/// terminal's width, or else what fits of the last.
void show_line(const std::vector<std::string>& forms);

/// While it lives, standard input hands out each key as it is pressed, unseen; Ctrl-C and Ctrl-Z stay
/// signals. The destructor brings the terminal's settings back. Throws std::system_error when standard input
/// is no terminal.
class KeyInput {
 public:
  KeyInput();
  ~KeyInput();
  KeyInput(const KeyInput&) = delete;
  KeyInput& operator=(const KeyInput&) = delete;

  /// Brings the terminal's settings back until resume(), as for the shell while this process is stopped.
  void pause() const;
  void resume() const;

 private:
  termios before_{};
};

}  // namespace lockstep::cli
