#include "judge/standing.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace lockstep::judge {
namespace {

bool is_speed(double ratio) { return std::isfinite(ratio) && ratio > 0; }

}  // namespace

std::vector<std::string> Standing::between() const {
  if (!slower || !faster) return {};
  return {*slower, *faster};
}

Standing standing_of(const std::map<std::string, double>& rungs, double ratio, const std::string& baseline) {
  Standing standing;
  if (baseline != result::kReference) {
    const auto own = rungs.find(baseline);
    if (own == rungs.end()) return standing;
    ratio *= own->second;
  }
  if (!is_speed(ratio)) return standing;
  standing.speed = ratio;
  double below = 0, above = 0;
  const auto consider = [&](const std::string& name, double speed) {
    standing.ladder.push_back({name, speed});
    if (speed <= ratio && (!standing.slower || speed > below)) {
      standing.slower = name;
      below = speed;
    }
    if (speed > ratio && (!standing.faster || speed < above)) {
      standing.faster = name;
      above = speed;
    }
  };
  // First, so that a rung just as fast does not take its place.
  consider(result::kReference, 1);
  for (const auto& [name, speed] : rungs) {
    if (name != result::kReference && is_speed(speed)) consider(name, speed);
  }
  if (standing.ladder.size() == 1) standing.ladder.clear();  // the reference alone is none
  std::ranges::stable_sort(standing.ladder, {}, &result::Rung::speed);
  return standing;
}

void take_ladder_of(const std::string& gpu, const std::string& size,
                    const std::map<std::string, double>& rungs, result::Speed& speed) {
  std::vector<result::Rung> ladder = standing_of(rungs, 1).ladder;
  if (ladder.empty()) return;
  speed.ladder = std::move(ladder);
  speed.on_ladder.reset();
  speed.ladder_gpu = gpu;
  speed.ladder_size = size;
}

}  // namespace lockstep::judge
