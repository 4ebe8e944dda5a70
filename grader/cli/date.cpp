#include "cli/date.h"

#include <fmt/chrono.h>

#include <ctime>

namespace lockstep::cli {

std::string today() { return fmt::format("{:%Y-%m-%d}", fmt::localtime(std::time(nullptr))); }

}  // namespace lockstep::cli
