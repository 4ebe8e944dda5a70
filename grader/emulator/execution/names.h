// Names of other parts that this folder uses all the time.
#pragma once

#include "emulator/checks/finding_log.h"
#include "emulator/checks/violations.h"
#include "emulator/core/lane_mask.h"
#include "emulator/program/program.h"
#include "emulator/state/grid.h"

namespace lockstep::emulator::execution {

using checks::AccessKind;
using checks::make_finding;
using program::BasicBlock;
using program::CallSite;
using program::Function;
using program::Instruction;
using program::kNoSlot;
using state::Frame;
using state::Grid;
using state::row;
using state::Split;
using state::ThreadBlock;
using state::Warp;
using state::Worker;

}  // namespace lockstep::emulator::execution
