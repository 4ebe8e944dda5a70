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

constexpr std::size_t kMaxColumns = 100;
constexpr std::size_t kMinOfReports = 60;  // tables need them, and lines may wrap
constexpr std::size_t kMinOfProgress = 2;  // a line that wraps could not be taken back

std::size_t columns_of(int descriptor, std::size_t fewest) {
  winsize size{};
  if (ioctl(descriptor, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return kMaxColumns;
  return std::clamp<std::size_t>(size.ws_col, fewest, kMaxColumns);
}

bool wants_colour(int descriptor) {
  const char* no_colour = std::getenv("NO_COLOR");
  const char* terminal = std::getenv("TERM");
  if (no_colour != nullptr && *no_colour != '\0') return false;
  return isatty(descriptor) == 1 && terminal != nullptr && std::string_view(terminal) != "dumb";
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

}  // namespace lockstep::cli
