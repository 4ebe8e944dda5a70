// Where a submission stands on an exercise's ladder: the two rungs between which its speed lies.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "result/result.h"

namespace lockstep::judge {

/// The neighbours of a submission on the ladder, by name.
struct Standing {
  std::optional<std::string> slower;  ///< the fastest rung that is not faster; nothing below the slowest
  std::optional<std::string> faster;  ///< the slowest rung that is faster: the next idea; nothing at the top
  std::vector<result::Rung>
      ladder;                   ///< the reference and all rungs with a speed, slowest first; may be empty
  std::optional<double> speed;  ///< the submission's, in shares of the reference's; none without neighbours

  /// For result::Speed::between: slower, then faster; empty unless there are both.
  std::vector<std::string> between() const;
};

/// `rungs` has the speed of each rung in shares of the reference's speed, and `ratio` is the submission's in
/// shares of the baseline's. The reference itself is the rung "reference" at 1, whatever `rungs` says of it.
/// Rungs whose speed is no positive number are passed over; a submission whose speed is none, or whose
/// baseline's is none, has no neighbours. Of rungs equally fast the reference is named, else the first by
/// name.
Standing standing_of(const std::map<std::string, double>& rungs, double ratio,
                     const std::string& baseline = result::kReference);

/// Gives a speed the ladder that another GPU recorded at a size, without a place on it: shares of two GPUs'
/// references do not compare. Without rungs nothing changes.
void take_ladder_of(const std::string& gpu, const std::string& size,
                    const std::map<std::string, double>& rungs, result::Speed& speed);

}  // namespace lockstep::judge
