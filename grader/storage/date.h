// The day that a record is of, and the moment.
#pragma once

#include <string>

namespace lockstep::storage {

/// Here and now, as YYYY-MM-DD.
std::string today();
/// This moment in UTC, as YYYY-MM-DDThh:mm:ssZ.
std::string now_in_utc();

}  // namespace lockstep::storage
