// Loads that the compiler has every lane do, though the program has some lanes do them.
//
// Of `c ? x : 0` and of `if (c) b = x;`, with x a variable whose address is known, nvcc makes a load without
// a condition and a selp that drops what the other lanes loaded. What those lanes read is no mistake:
// the check for races looks only at the lanes that keep the value. (Uninitialised words matter only once a
// value is used: undefined_values.h.) A GPU does such a load for all lanes, and so its traffic is counted.
#pragma once

#include <cstdint>
#include <unordered_map>

#include "emulator/ptx/module.h"

namespace lockstep::emulator::analysis {

/// The lanes that keep a load's value: those for which a predicate holds, or for which it does not.
struct KeptBy {
  std::uint32_t predicate = 0;  ///< index of Function::registers
  bool negated = false;
};

/// By the register that the load writes; no other instruction writes it.
using SpeculatedLoads = std::unordered_map<std::uint32_t, KeptBy>;

/// Finds the loads of one function whose value a selp of the same block may drop and nothing else reads, and
/// moves each down to its selp, where the predicate has its value.
SpeculatedLoads sink_speculated_loads(ptx::Function& function);

}  // namespace lockstep::emulator::analysis
