// Order in which a diverged warp runs its blocks, so that its lanes meet again as early as they can.
//
// PTX marks no reconvergence. The machine always continues the lanes whose block comes first in an order in
// which (a) every block comes after its predecessors, back edges aside, and (b) the blocks of a loop stand
// together, before what follows the loop. Lanes that are ahead then wait where the others will arrive: at or
// before the immediate post-dominator. Source: G. Diamos et al., "SIMD re-convergence at thread frontiers",
// MICRO 2011.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <vector>

namespace lockstep::emulator::analysis {

/// Edges of a control-flow graph: successors[block]. Block 0 is the entry.
using Successors = std::vector<std::vector<std::uint32_t>>;

/// A graph whose order would take too long to find. No compiler writes such; hostile code may.
class TangledControlFlow : public std::runtime_error {
 public:
  TangledControlFlow() : std::runtime_error("its branches are too tangled for the emulated device") {}
};

/// Position of each block in the order. Blocks that the entry does not reach come last.
/// Throws TangledControlFlow.
std::vector<std::uint32_t> block_order(const Successors& successors);

}  // namespace lockstep::emulator::analysis
