// The day that a record is of.
#pragma once

#include <string>

namespace lockstep::cli {

/// Here and now, as YYYY-MM-DD.
std::string today();

}  // namespace lockstep::cli
