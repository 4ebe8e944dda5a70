// Names of other parts that this folder uses all the time.
#pragma once

#include "emulator/checks/violations.h"
#include "emulator/core/lane_mask.h"
#include "emulator/counters/counters.h"
#include "emulator/instructions/operation.h"
#include "emulator/memory/memory.h"
#include "emulator/program/handlers.h"
#include "emulator/program/matrix_operation.h"
#include "emulator/program/program.h"
#include "emulator/program/traffic.h"
#include "emulator/state/grid.h"

namespace lockstep::emulator::handlers {

namespace access = program::access;
namespace narrow = program::narrow;
namespace relation = program::relation;
namespace video = program::video;

using checks::AccessKind;
using checks::ValueOf;
using counters::TrafficCounter;
using instructions::Operation;
using memory::GlobalMemory;
using program::AtomicOperation;
using program::Combination;
using program::Comparison;
using program::Handler;
using program::Instruction;
using program::kNoSlot;
using program::MatrixElement;
using program::MatrixFragment;
using program::MatrixOperation;
using program::Rounding;
using program::Slot;
using program::Units;
using program::Variant;
using program::WarpOperation;
using state::Grid;
using state::row;
using state::Time;
using state::Warp;

}  // namespace lockstep::emulator::handlers
