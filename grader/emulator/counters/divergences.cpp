#include "emulator/counters/divergences.h"

#include <algorithm>
#include <bit>

namespace lockstep::emulator::counters {
namespace {

/// Beyond it an outer branch is charged. Compilers' code comes to as many as branches are nested.
constexpr std::size_t kMaxOpen = 64;

std::uint64_t count_of(Mask lanes) { return static_cast<std::uint64_t>(std::popcount(lanes)); }

}  // namespace

void Divergences::add(std::uint32_t block_counter, Mask lanes) {
  // A loop whose lanes leave one by one is one divergence, not one for every lane.
  const bool known = std::any_of(open_.begin(), open_.end(), [&](const Divergence& divergence) {
    return divergence.block_counter == block_counter && (lanes & ~divergence.lanes) == 0;
  });
  if (!known && open_.size() < kMaxOpen) open_.push_back({block_counter, lanes});
}

void Divergences::close(Mask together) {
  std::erase_if(open_, [&](const Divergence& divergence) { return (divergence.lanes & ~together) == 0; });
}

void Divergences::charge(Mask running, Mask idle, const program::BasicBlock& block,
                         std::vector<BlockCounter>& counters) const {
  for (auto divergence = open_.rbegin(); divergence != open_.rend() && idle != 0; ++divergence) {
    if ((running & ~divergence->lanes) != 0) continue;
    const std::uint64_t slots = count_of(idle & divergence->lanes) * block.spelled;
    counters[divergence->block_counter].idle_caused += slots;
    counters[block.counter].idle_here += slots;
    idle &= ~divergence->lanes;
  }
}

}  // namespace lockstep::emulator::counters
