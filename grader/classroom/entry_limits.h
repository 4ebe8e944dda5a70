// How much of one student's entry is read.
#pragma once

#include <cstddef>
#include <cstdint>

namespace lockstep::classroom {

/// What one entry may take. Beyond, the student is listed and nothing of the entry is graded.
struct EntryLimits {
  std::size_t files = 20'000;                           ///< files and folders
  std::uint64_t bytes = std::uint64_t{256} << 20;       ///< of an archive, and of all that is unpacked
  std::size_t file_bytes = (std::size_t{1} << 20) + 1;  ///< kept of a file; `grade` refuses what has more
};

}  // namespace lockstep::classroom
