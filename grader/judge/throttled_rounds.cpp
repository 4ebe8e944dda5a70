#include "judge/throttled_rounds.h"

#include <algorithm>

namespace lockstep::judge {

bool ThrottledRounds::must_repeat(const std::optional<device::GpuState>& before,
                                  const std::optional<device::GpuState>& after, int planned) {
  if (!before && !after) return false;
  if (!summary_) summary_.emplace();
  const device::GpuState& latest = after ? *after : *before;
  summary_->sm_mhz = latest.sm_mhz;
  summary_->memory_mhz = latest.memory_mhz;
  summary_->temperature_celsius = latest.temperature_celsius;
  summary_->power_milliwatts = latest.power_milliwatts;
  const std::vector<std::string> reasons = device::slowing_reasons(
      (before ? before->clock_event_reasons : 0) | (after ? after->clock_event_reasons : 0));
  if (reasons.empty()) return false;
  std::vector<std::string>& known = summary_->throttle_reasons;
  for (const std::string& reason : reasons) {
    if (std::find(known.begin(), known.end(), reason) == known.end()) known.push_back(reason);
  }
  if (summary_->repeated_rounds >= planned) {
    ++summary_->throttled_rounds;
    return false;
  }
  ++summary_->repeated_rounds;
  return true;
}

}  // namespace lockstep::judge
