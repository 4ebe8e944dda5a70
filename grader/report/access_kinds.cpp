#include "report/access_kinds.h"

#include <algorithm>
#include <bit>
#include <cstdint>

namespace lockstep::report {

std::vector<emulator::AccessTrace> kinds_of_access(const std::vector<emulator::AccessTrace>& traces,
                                                   const std::string& space) {
  std::vector<emulator::AccessTrace> kinds;
  for (const emulator::AccessTrace& trace : traces) {
    if (!space.empty() && space != trace.space) continue;
    const auto known = std::find_if(kinds.begin(), kinds.end(), [&](const emulator::AccessTrace& kind) {
      return kind.line == trace.line && kind.space == trace.space && kind.operation == trace.operation &&
             kind.bytes == trace.bytes;
    });
    if (known == kinds.end()) {
      kinds.push_back(trace);
    } else if (std::popcount(known->active) < std::popcount(trace.active)) {
      *known = trace;
    }
  }
  const auto excess = [](const emulator::AccessTrace& trace) {
    return static_cast<std::int64_t>(trace.units) - static_cast<std::int64_t>(trace.ideal_units);
  };
  std::stable_sort(kinds.begin(), kinds.end(),
                   [&](const auto& a, const auto& b) { return excess(a) > excess(b); });
  return kinds;
}

}  // namespace lockstep::report
