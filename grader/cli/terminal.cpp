#include "cli/terminal.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "report/printable.h"

namespace lockstep::cli {
namespace {

constexpr std::size_t kMostColumns = 100;
constexpr std::size_t kFewestColumns = 60;

std::size_t columns_of(int descriptor) {
  winsize size{};
  if (ioctl(descriptor, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return kMostColumns;
  return std::clamp<std::size_t>(size.ws_col, kFewestColumns, kMostColumns);
}

bool wants_colour(int descriptor) {
  const char* no_colour = std::getenv("NO_COLOR");
  const char* terminal = std::getenv("TERM");
  if (no_colour != nullptr && *no_colour != '\0') return false;
  return isatty(descriptor) == 1 && terminal != nullptr && std::string_view(terminal) != "dumb";
}

}  // namespace

report::TextStyle output_style() {
  return {.colour = wants_colour(STDOUT_FILENO), .width = columns_of(STDOUT_FILENO)};
}

ProgressLine::ProgressLine() : terminal_(isatty(STDERR_FILENO) == 1), columns_(columns_of(STDERR_FILENO)) {}

ProgressLine::~ProgressLine() { clear(); }

void ProgressLine::show(const std::string& what) {
  if (!terminal_) return;
  std::fprintf(stderr, "\r\x1B[K%s", report::cut(report::printable(what), columns_ - 1).c_str());
  std::fflush(stderr);
  shown_ = true;
}

void ProgressLine::clear() {
  if (!shown_) return;
  std::fputs("\r\x1B[K", stderr);
  std::fflush(stderr);
  shown_ = false;
}

}  // namespace lockstep::cli
