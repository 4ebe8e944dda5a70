#include "emulator/checks/synchronisation.h"

#include <algorithm>

namespace lockstep::emulator::checks {

void require_seen(ThreadBlock& block) {
  if (!block.seen.empty()) return;
  const std::uint32_t n = block.warp_count;
  block.seen.resize(std::size_t{n} * n);
  for (const Warp& warp : block.warps) std::fill_n(block.seen.begin() + warp.index * n, n, warp.ordered);
}

void release_to(Warp& warp, state::Clock& clock) {
  ThreadBlock& block = *warp.block;
  const std::uint32_t n = block.warp_count;
  require_seen(block);
  clock.resize(n);
  const state::Time* seen = block.seen.data() + std::size_t{warp.index} * n;
  for (std::uint32_t other = 0; other < n; ++other) clock[other] = std::max(clock[other], seen[other]);
  clock[warp.index] = block.now++;
}

void acquire_from(Warp& warp, const state::Clock& clock) {
  if (clock.empty()) return;
  ThreadBlock& block = *warp.block;
  const std::uint32_t n = block.warp_count;
  require_seen(block);
  state::Time* seen = block.seen.data() + std::size_t{warp.index} * n;
  for (std::uint32_t other = 0; other < n; ++other) seen[other] = std::max(seen[other], clock[other]);
  warp.synced = std::max(warp.synced, clock[warp.index]);
  warp.ordered = *std::min_element(seen, seen + n);
}

}  // namespace lockstep::emulator::checks
