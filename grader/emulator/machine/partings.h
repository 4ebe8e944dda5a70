// Which branch keeps the waiting lanes of a diverged warp from running.
//
// A branch that lanes take both ways parts them until they meet again. While some of them run, each lane that
// waits is charged to the innermost such branch that holds it and the running ones, so that nothing is
// counted twice. Only diverged warps come here.
#pragma once

#include <vector>

#include "emulator/machine/counters.h"
#include "emulator/machine/program.h"

namespace lockstep::emulator {

class Partings {
 public:
  /// All lanes of the warp are together.
  void clear() { open_.clear(); }
  /// The branch that ends the block with this counter has sent `lanes` both ways.
  void add(std::uint32_t block_counter, Mask lanes);
  /// `together` are one split again; lanes that are not `live` have exited.
  void close(Mask together, Mask live);
  /// `running` are about to execute `block`, and `waiting` are the other lanes that have not exited.
  void charge(Mask running, Mask waiting, const BasicBlock& block, std::vector<BlockCounter>& counters) const;

 private:
  struct Parting {
    std::uint32_t block_counter = 0;
    Mask lanes = 0;
  };
  std::vector<Parting> open_;  ///< inner ones behind those that they lie in
};

}  // namespace lockstep::emulator
