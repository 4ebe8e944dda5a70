#include "storage/date.h"

#include <fmt/chrono.h>

#include <ctime>

namespace lockstep::storage {

std::string today() { return fmt::format("{:%Y-%m-%d}", fmt::localtime(std::time(nullptr))); }

}  // namespace lockstep::storage
