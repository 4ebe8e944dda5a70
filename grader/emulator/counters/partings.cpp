#include "emulator/counters/partings.h"

#include <algorithm>
#include <bit>

namespace lockstep::emulator::counters {
namespace {

/// Beyond it an outer branch is charged. Compilers' code comes to as many as branches are nested.
constexpr std::size_t kMostOpen = 64;

std::uint64_t count_of(Mask lanes) { return static_cast<std::uint64_t>(std::popcount(lanes)); }

}  // namespace

void Partings::add(std::uint32_t block_counter, Mask lanes) {
  // A loop whose lanes leave one by one is one parting, not one for every lane.
  const bool known = std::any_of(open_.begin(), open_.end(), [&](const Parting& parting) {
    return parting.block_counter == block_counter && (lanes & ~parting.lanes) == 0;
  });
  if (!known && open_.size() < kMostOpen) open_.push_back({block_counter, lanes});
}

void Partings::close(Mask together) {
  std::erase_if(open_, [&](const Parting& parting) { return (parting.lanes & ~together) == 0; });
}

void Partings::charge(Mask running, Mask idle, const program::BasicBlock& block,
                      std::vector<BlockCounter>& counters) const {
  for (auto parting = open_.rbegin(); parting != open_.rend() && idle != 0; ++parting) {
    if ((running & ~parting->lanes) != 0) continue;
    const std::uint64_t slots = count_of(idle & parting->lanes) * block.spelled;
    counters[parting->block_counter].idle_caused += slots;
    counters[block.counter].idle_here += slots;
    idle &= ~parting->lanes;
  }
}

}  // namespace lockstep::emulator::counters
