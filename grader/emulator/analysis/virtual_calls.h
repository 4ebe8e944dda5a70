// Which of a function's calls through pointers are those of virtual functions.
//
// PTX has no word for them: nvcc loads the address of a table from the object, that of the function from the
// table, and passes the object as the first argument. Who knows it can say what is wrong with an object: one
// that the host constructed holds the address of the host's table.
#pragma once

#include <cstdint>
#include <unordered_set>

#include "emulator/ptx/module.h"

namespace lockstep::emulator::analysis {

/// The calls of virtual functions and the loads from objects' tables before them: indices of
/// ptx::Function::instructions.
std::unordered_set<std::uint32_t> find_virtual_calls(const ptx::Function& function);

}  // namespace lockstep::emulator::analysis
