// A block's units of work, of which its span is made (counters/span.h).
#pragma once

#include "emulator/counters/span.h"
#include "emulator/execution/names.h"

namespace lockstep::emulator::execution {

/// A unit of a block's work ends: one of its threads has drawn the number of the next.
void end_unit(ThreadBlock& block);
/// What a block has done by its end.
counters::Span span_of(ThreadBlock& block);

}  // namespace lockstep::emulator::execution
