// How near a call comes to what the GPU can do at all: the share of the one ceiling that bounds the
// exercise, and whether a speed is possible.
#pragma once

#include <optional>
#include <vector>

#include "course/problem.h"
#include "result/calibration.h"
#include "result/result.h"

namespace lockstep::judge {

/// What a cost states.
std::vector<result::Quantity> quantities_of(const course::Cost& cost);

/// How much of a quantity a cost states; 0 of what it cannot state.
double count_of(const course::Cost& cost, result::Quantity quantity);

struct Bound {
  result::Quantity quantity;
  result::Ceiling ceiling;
  double seconds = 0;  ///< that a call takes at the ceiling
};

/// The ceiling that the cost takes longest at. A figure that is missing, or no positive number, is no
/// ceiling; nothing when none is left.
std::optional<Bound> binding_ceiling(const course::Cost& cost, const result::Figures& figures);

/// Fills in ceiling and share for calls of `seconds`. A speed that no GPU has, or that cannot be compared,
/// is one for somebody to look at: Verdict::review.
void compare_with_ceiling(result::Speed& speed, const course::Cost& cost, double seconds,
                          const result::Figures& figures);

}  // namespace lockstep::judge
