// Which branch keeps the idle lanes of a diverged warp from running.
//
// Lanes that take a branch both ways are diverged until they reconverge, or for good when some of them exit.
// While some run, each of the others is charged to the innermost such branch that holds it and the running
// ones, so that nothing is counted twice. Warps that are not diverged pay one test per block.
#pragma once

#include <vector>

#include "emulator/core/lane_mask.h"
#include "emulator/counters/counters.h"
#include "emulator/program/program.h"

namespace lockstep::emulator::counters {

/// Of one warp, those that lanes have not reconverged after.
class Divergences {
 public:
  bool empty() const { return open_.empty(); }
  void clear() { open_.clear(); }
  /// The branch that ends the block with this counter has sent `lanes` both ways.
  void add(std::uint32_t block_counter, Mask lanes);
  /// `together` are one split again.
  void close(Mask together);
  /// `running` are about to execute `block`, and `idle` are the other threads of the warp.
  void charge(Mask running, Mask idle, const program::BasicBlock& block,
              std::vector<BlockCounter>& counters) const;

 private:
  struct Divergence {
    std::uint32_t block_counter = 0;
    Mask lanes = 0;
  };
  std::vector<Divergence> open_;  ///< inner ones behind those that they lie in
};

}  // namespace lockstep::emulator::counters
