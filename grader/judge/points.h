// Points of an exercise: half for correctness, a fifth for technique, the rest for speed.
#pragma once

#include "report/result.h"

namespace lockstep::judge {

/// Points that `result` earns of `max_points`.
///
/// Correctness is earned whole or not at all: a function that is wrong for one size is wrong, and the starter
/// of most exercises passes the case of nothing. Technique is earned whole or not at all, as gates that a
/// simple solution cannot break would otherwise pay for those that it does. Speed is proportional to the
/// ratio, full from 0.9; where somebody has to look at it (Verdict::review) it earns nothing yet. Nothing is
/// earned without correctness. A part that was not measured is neither earned nor lost: the measured parts
/// are rescaled to the full points.
double points_of(const report::ExerciseResult& result, double max_points);

}  // namespace lockstep::judge
