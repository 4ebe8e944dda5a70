// The day that a record is of.
#pragma once

#include <string>

namespace lockstep::storage {

/// Here and now, as YYYY-MM-DD.
std::string today();

}  // namespace lockstep::storage
