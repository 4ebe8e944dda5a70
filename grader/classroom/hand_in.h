// When a file was handed in, and what is known of how.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace lockstep::classroom {

struct HandIn {
  std::optional<std::int64_t> time;       ///< as the course system says; seconds since 1970, UTC
  std::optional<std::int64_t> file_time;  ///< when the file was modified, which whoever has it may set
  bool is_marked_late = false;            ///< by the course system, which says no time
  std::string commit;                     ///< of a Git repository

  friend bool operator==(const HandIn&, const HandIn&) = default;
};

}  // namespace lockstep::classroom
