#include "report/line_profile.h"

#include <algorithm>

namespace lockstep::report {
namespace {

constexpr std::uint64_t kLanesOfWarp = 32;
// In quarters of a cycle.
constexpr std::uint64_t kSectorCost = 2, kWavefrontCost = 4, kWaitingLaneCost = 4;

}  // namespace

LineProfile& LineProfile::operator+=(const emulator::LineCounters& counters) {
  warps += counters.warps;
  lanes += counters.lanes;
  branches += counters.branches;
  divergent_branches += counters.divergent_branches;
  idle_caused += counters.idle_caused;
  idle_here += counters.idle_here;
  for (const auto* part :
       {&counters.global_load, &counters.global_store, &counters.global_atomic, &counters.constant_load})
    global += *part;
  for (const auto* part : {&counters.shared_load, &counters.shared_store, &counters.shared_atomic})
    shared += *part;
  for (const auto* part : {&counters.local_load, &counters.local_store}) local += *part;
  global_atomics.traffic += counters.global_atomic;
  global_atomics.contention += counters.global_contention;
  shared_atomics.traffic += counters.shared_atomic;
  shared_atomics.contention += counters.shared_contention;
  return *this;
}

void LineProfile::note_padding(const emulator::LineCounters& counters,
                               const std::vector<emulator::AccessTrace>& accesses) {
  for (const auto* part : {&counters.shared_load, &counters.shared_store}) {
    const emulator::BankStride stride = emulator::bank_stride(*part);
    if (stride.meeting > 1 && padding.effect == emulator::Padding::Effect::helps)
      padding = emulator::padding_of(accesses, counters, stride);
  }
}

double LineProfile::active_share() const { return share_of(lanes, kLanesOfWarp * warps); }

std::uint64_t LineProfile::cost() const {
  // What others wait for here is at most the slots that this line leaves empty.
  const std::uint64_t issued = warps - std::min(warps, idle_here / kLanesOfWarp) + idle_caused / kLanesOfWarp;
  return issued + kSectorCost * (global.units + local.units) + kWavefrontCost * shared.units +
         kWaitingLaneCost * global_atomics.waiting();
}

std::uint64_t excess(const emulator::Traffic& traffic) {
  return traffic.units > traffic.ideal_units ? traffic.units - traffic.ideal_units : 0;
}

double per_request(const emulator::Traffic& traffic) { return share_of(traffic.units, traffic.requests); }

double ideal_per_request(const emulator::Traffic& traffic) {
  return share_of(traffic.ideal_units, traffic.requests);
}

std::uint64_t lost_warps(const LineProfile& line) { return line.idle_caused / kLanesOfWarp; }

std::uint64_t total_cost(const std::vector<LineProfile>& lines) {
  std::uint64_t sum = 0;
  for (const LineProfile& line : lines) sum += line.cost();
  return sum;
}

double share_of(std::uint64_t part, std::uint64_t whole) {
  return whole == 0 ? 0 : static_cast<double>(part) / static_cast<double>(whole);
}

std::vector<LineProfile> costliest(std::vector<LineProfile> lines) {
  std::erase_if(lines, [](const LineProfile& line) { return line.line == 0; });
  std::stable_sort(lines.begin(), lines.end(),
                   [](const auto& a, const auto& b) { return a.cost() > b.cost(); });
  if (lines.size() > 3) lines.resize(3);
  return lines;
}

}  // namespace lockstep::report
