// The gradings of an exercise that came before, for the page of a report and a line on the terminal. They are
// kept in a folder of the student's own machine, a file for each exercise with a line of JSON for each
// attempt, and go nowhere else.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

#include "result/result.h"

namespace lockstep::attempts {

inline constexpr std::size_t kMaxKept = 200;  ///< of an exercise; older ones are forgotten

/// False where LOCKSTEP_NO_HISTORY is 1.
bool are_kept();

struct History {
  std::vector<result::Attempt> attempts;  ///< the oldest first, and this one last
  /// One sentence where what was kept is damaged, or nothing could be kept; else empty.
  std::string complaint;
};

/// Adds a grading of the exercise to the file of `folder`, after what other processes add meanwhile. Never
/// throws for what the disk does: damaged lines are left out, and where nothing can be written, the history
/// has this attempt all the same.
History add_attempt(const std::filesystem::path& folder, const result::ExerciseResult& result,
                    const result::DeviceDescription& device);

/// "attempt 4: 7.0 points, before 4.0", of the last of them; empty where there is none.
std::string last_in_words(const std::vector<result::Attempt>& attempts);

}  // namespace lockstep::attempts
