#include "cli/terminal.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <string_view>
#include <system_error>

#include "report/printable.h"

namespace lockstep::cli {
namespace {

constexpr std::size_t kMaxColumns = 100;
constexpr std::size_t kMinOfReports = 60;  // tables need them, and lines may wrap
constexpr std::size_t kMinOfProgress = 2;  // a line that wraps could not be taken back

std::size_t columns_of(int descriptor, std::size_t fewest) {
  winsize size{};
  if (ioctl(descriptor, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return kMaxColumns;
  return std::clamp<std::size_t>(size.ws_col, fewest, kMaxColumns);
}

bool has_screen(int descriptor) {
  const char* terminal = std::getenv("TERM");
  return isatty(descriptor) == 1 && terminal != nullptr && std::string_view(terminal) != "dumb";
}

bool wants_colour(int descriptor) {
  const char* no_colour = std::getenv("NO_COLOR");
  return has_screen(descriptor) && (no_colour == nullptr || *no_colour == '\0');
}

}  // namespace

report::TextStyle output_style() {
  return {.colour = wants_colour(STDOUT_FILENO), .width = columns_of(STDOUT_FILENO, kMinOfReports)};
}

ProgressLine::ProgressLine() : terminal_(isatty(STDERR_FILENO) == 1) {}

ProgressLine::~ProgressLine() { clear(); }

void ProgressLine::show(const std::string& what) {
  if (!terminal_) return;
  const std::size_t columns = columns_of(STDERR_FILENO, kMinOfProgress);  // windows are resized meanwhile
  std::fprintf(stderr, "\r\x1B[K%s", report::cut(report::printable(what), columns - 1).c_str());
  std::fflush(stderr);
  shown_ = true;
}

void ProgressLine::clear() {
  if (!shown_) return;
  std::fputs("\r\x1B[K", stderr);
  std::fflush(stderr);
  shown_ = false;
}

bool is_interactive() { return isatty(STDIN_FILENO) == 1 && isatty(STDOUT_FILENO) == 1; }

void clear_screen() {
  // What scrolled off stays: a long report is read there.
  std::cout << (has_screen(STDOUT_FILENO) ? "\x1B[H\x1B[2J" : "\n") << std::flush;
}

void clear_line() { std::cout << "\r\x1B[K" << std::flush; }

void show_line(const std::vector<std::string>& forms) {
  const std::size_t room = columns_of(STDOUT_FILENO, kMinOfProgress) - 1;
  const auto fitting = std::ranges::find_if(
      forms, [room](const std::string& form) { return report::display_width(form) <= room; });
  std::cout << (fitting != forms.end() ? *fitting : report::cut(forms.back(), room)) << std::flush;
}

KeyInput::KeyInput() {
  if (tcgetattr(STDIN_FILENO, &before_) != 0)
    throw std::system_error(errno, std::generic_category(), "tcgetattr");
  resume();
}

KeyInput::~KeyInput() { pause(); }

void KeyInput::pause() const {
  // In the background the settings are those of whoever is in front, and changing them would stop this
  // process.
  if (tcgetpgrp(STDIN_FILENO) == getpgrp()) tcsetattr(STDIN_FILENO, TCSANOW, &before_);
}

void KeyInput::resume() const {
  termios keys = before_;
  keys.c_lflag &= ~static_cast<tcflag_t>(ICANON | ECHO);
  keys.c_cc[VMIN] = 1;
  keys.c_cc[VTIME] = 0;
  tcsetattr(STDIN_FILENO, TCSANOW, &keys);
}

}  // namespace lockstep::cli
