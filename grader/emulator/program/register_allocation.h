// Gives PTX's unlimited registers places in a small frame, so that a warp's working set stays in the L1
// cache.
#pragma once

#include <cstdint>
#include <vector>

#include "emulator/analysis/control_flow.h"
#include "emulator/program/program.h"

namespace lockstep::emulator::program {

struct Allocation {
  std::vector<RegisterPlace> registers;
  std::vector<bool> is_read;  ///< by register: whether some instruction uses its value
  std::uint32_t row_bytes = 0;
  std::uint32_t predicates = 0;
  std::uint32_t widest = 0;  ///< most 32-bit registers alive at once
};

/// Linear scan over live intervals. `blocks` hold source instruction indices still. A register that a guard
/// may leave as it was counts as read there. Source: Poletto and Sarkar, "Linear scan register allocation",
/// TOPLAS 1999.
Allocation allocate_registers(const ptx::Function& function, const analysis::Successors& successors,
                              const std::vector<BasicBlock>& blocks);

}  // namespace lockstep::emulator::program
