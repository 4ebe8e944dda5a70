// A call in words: what it was given, what is expected of it and what it left, whole where that is little.
#pragma once

#include <cstddef>
#include <span>

#include "course/problem.h"
#include "result/result.h"

namespace lockstep::judge {

/// The call's scalars, inputs and outputs, without what it left.
result::ShownCall shown_call(const course::Call& call);

/// Adds what the call left in the output named as `argument`, and of several right answers the nearest.
void show_output(const course::Argument& argument, std::span<const std::byte> found,
                 result::ShownCall& shown);

}  // namespace lockstep::judge
