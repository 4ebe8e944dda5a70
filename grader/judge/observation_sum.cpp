#include "judge/observation_sum.h"

#include <algorithm>
#include <iterator>
#include <tuple>

namespace lockstep::judge {
namespace {

using emulator::LineCounters;

auto key_of(const LineCounters& counters) { return std::tie(counters.function, counters.line); }

}  // namespace

void add(emulator::Observations& total, emulator::Observations&& part) {
  for (const LineCounters& counters : part.lines) {
    const auto place = std::lower_bound(total.lines.begin(), total.lines.end(), counters,
                                        [](const auto& a, const auto& b) { return key_of(a) < key_of(b); });
    if (place != total.lines.end() && key_of(*place) == key_of(counters)) {
      *place += counters;
    } else {
      total.lines.insert(place, counters);
    }
  }
  std::move(part.findings.begin(), part.findings.end(), std::back_inserter(total.findings));
  std::move(part.traces.begin(), part.traces.end(), std::back_inserter(total.traces));
  total.launches += part.launches;
  total.blocks += part.blocks;
  total.warp_instructions += part.warp_instructions;
  total.copied_sectors += part.copied_sectors;
  total.seconds += part.seconds;
}

}  // namespace lockstep::judge
