#include "storage/date.h"

#include <fmt/chrono.h>

#include <ctime>

namespace lockstep::storage {

std::string today() { return fmt::format("{:%Y-%m-%d}", fmt::localtime(std::time(nullptr))); }

std::string now_in_utc() { return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::time(nullptr))); }

}  // namespace lockstep::storage
