#include "judge/observation_sum.h"

#include <algorithm>
#include <iterator>
#include <tuple>

namespace lockstep::judge {
namespace {

using emulator::LineCounters;
using emulator::Traffic;

void add(LineCounters& total, const LineCounters& part) {
  total.warps += part.warps;
  total.lanes += part.lanes;
  total.divergent_branches += part.divergent_branches;
  for (Traffic LineCounters::*kind :
       {&LineCounters::global_load, &LineCounters::global_store, &LineCounters::global_atomic,
        &LineCounters::shared_load, &LineCounters::shared_store, &LineCounters::shared_atomic,
        &LineCounters::local_load, &LineCounters::local_store}) {
    total.*kind += part.*kind;
  }
}

auto key_of(const LineCounters& counters) { return std::tie(counters.function, counters.line); }

}  // namespace

void add(emulator::Observations& total, emulator::Observations&& part) {
  for (const LineCounters& counters : part.lines) {
    const auto place = std::lower_bound(total.lines.begin(), total.lines.end(), counters,
                                        [](const auto& a, const auto& b) { return key_of(a) < key_of(b); });
    if (place != total.lines.end() && key_of(*place) == key_of(counters)) {
      add(*place, counters);
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
