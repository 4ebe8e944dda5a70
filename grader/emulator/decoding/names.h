// Names of other parts that this folder uses all the time.
#pragma once

#include "emulator/instructions/opcode.h"
#include "emulator/instructions/operation.h"
#include "emulator/program/handlers.h"
#include "emulator/program/matrix_operation.h"
#include "emulator/program/program.h"

namespace lockstep::emulator::decoding {

namespace access = program::access;
namespace narrow = program::narrow;
namespace relation = program::relation;
namespace video = program::video;

using instructions::Decoder;
using instructions::Ending;
using instructions::Operation;
using program::AtomicOperation;
using program::BasicBlock;
using program::CallSite;
using program::Combination;
using program::Comparison;
using program::Function;
using program::Handler;
using program::Instruction;
using program::Kernel;
using program::kNoSlot;
using program::MatrixElement;
using program::MatrixFragment;
using program::MatrixOperation;
using program::Place;
using program::Program;
using program::Rounding;
using program::Slot;
using program::Variant;
using program::WarpOperation;

}  // namespace lockstep::emulator::decoding
