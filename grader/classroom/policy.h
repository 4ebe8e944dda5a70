// An instructor's rules on what a grading's points are worth: deadlines, late days, attempts, a curve. Points
// that a grading earned stay on record beside what the rules make of them.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "classroom/hand_in.h"

namespace lockstep::classroom {

/// A file is no policy; what() is a sentence that names the member.
class PolicyError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

struct Policy {
  enum class Attempts {
    last,  ///< the newest file counts
    best,  ///< of all files that were ever handed in, the one with the most points after all rules
  };
  std::optional<std::int64_t> deadline;           ///< of all exercises; seconds since 1970, UTC
  std::map<std::string, std::int64_t> deadlines;  ///< of single ones, by name
  double grace_minutes = 5;                       ///< after a deadline that are still in time
  double percent_per_day = 10;                    ///< taken off what was earned, for each day begun
  int most_days = 7;                              ///< later, nothing is left
  int free_days = 0;                              ///< of each student, over all exercises, that cost nothing
  int days_of_mark = 1;                           ///< that a mark such as LATE counts where no time is known
  Attempts attempts = Attempts::last;
  bool use_file_times = false;                   ///< where no system says when, the file's modification does
  std::vector<std::pair<double, double>> curve;  ///< percent earned to percent given, ascending

  std::optional<std::int64_t> deadline_of(const std::string& exercise) const;
};

/// Reads a policy's JSON, of which every member may be missing. Throws PolicyError, also for a member that is
/// not known and for an exercise that is not among `exercises`.
Policy read_policy(std::string_view text, const std::vector<std::string>& exercises);

/// Seconds since 1970 of "2026-02-03T23:59:59+01:00", "…Z", or with a space in place of T and before the
/// zone, as RFC 3339 and Ruby write them; fractions are cut off. Nothing where the text has no zone, or is no
/// time.
std::optional<std::int64_t> seconds_of_time(std::string_view text);

/// What the rules make of one grading.
struct Effective {
  double points = 0;
  int days_late = 0;              ///< begun, those that cost nothing included
  int free_days = 0;              ///< of them, taken from the student's
  std::vector<std::string> whys;  ///< a part of a sentence for each rule that was applied
  bool time_is_unknown = false;   ///< there is a deadline, and nobody knows when it was handed in
};

/// `free_days` are those that the student has left.
Effective effective_points(const Policy& policy, const std::string& exercise, double earned, double most,
                           const HandIn& hand_in, int free_days);

}  // namespace lockstep::classroom
