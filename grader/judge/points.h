// Points of an exercise: half for correctness, a fifth for technique, the rest for speed.
#pragma once

#include "result/result.h"

namespace lockstep::judge {

/// Points that `result` earns of `max_points`. Passing a further case never lowers them, nor does a gate that
/// comes nearer to its limit.
///
/// A function that is wrong for one size is wrong, so correctness is earned whole only where every case
/// passed. Up to that, two fifths of it are shared out by the cases that passed, once the measured ones are
/// among them: what is right for small cases alone, for empty ones, or for a size that was guessed, earns
/// nothing, and neither does any starter.
///
/// Technique and speed are earned by correct functions alone. Each gate is worth as much as the others, and
/// they count in their order up to the first that fails: gates that a simple solution cannot break would
/// otherwise pay for those that it does. That one earns a part, the more the nearer it is. Nothing is earned
/// where a gate shows that the work may have been done off the device. Speed earns Speed::points_share; where
/// somebody has to look at it (Verdict::review) it earns nothing yet. A part that was not measured is neither
/// earned nor lost: the measured parts are rescaled to the full points.
double points_of(const result::ExerciseResult& result, double max_points);

}  // namespace lockstep::judge
