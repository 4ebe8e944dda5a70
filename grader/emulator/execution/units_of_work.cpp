#include "emulator/execution/units_of_work.h"

#include <algorithm>
#include <cstdint>

namespace lockstep::emulator::execution {

void end_unit(ThreadBlock& block) {
  std::uint64_t unit = 0;
  for (std::uint32_t w = 0; w < block.warp_count; ++w) unit += block.warps[w].path.end_block_unit();
  block.longest_unit = std::max(block.longest_unit, unit);
}

counters::Span span_of(ThreadBlock& block) {
  end_unit(block);
  counters::Span span;
  span.longest_block = block.longest_unit;
  for (std::uint32_t w = 0; w < block.warp_count; ++w) {
    const counters::WarpPath& path = block.warps[w].path;
    span.work += path.executed();
    span.longest_warp = std::max(span.longest_warp, path.longest_unit());
  }
  return span;
}

}  // namespace lockstep::emulator::execution
