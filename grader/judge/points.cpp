#include "judge/points.h"

#include <algorithm>

namespace lockstep::judge {
namespace {

using report::Verdict;

constexpr double kCorrectnessWeight = 0.5;
constexpr double kTechniqueWeight = 0.2;
constexpr double kSpeedWeight = 0.3;
/// A ratio within the noise of most machines counts as equal speed.
constexpr double kFullSpeedRatio = 0.9;

}  // namespace

double points_of(const report::ExerciseResult& result, double max_points) {
  if (!report::is_correct(result)) return 0;
  double earned = kCorrectnessWeight;
  double measured = kCorrectnessWeight;
  const auto gate_is = [&result](Verdict verdict) {
    return std::any_of(result.gates.begin(), result.gates.end(),
                       [verdict](const report::GateResult& gate) { return gate.verdict == verdict; });
  };
  if (gate_is(Verdict::passed) || gate_is(Verdict::inefficient)) {
    measured += kTechniqueWeight;
    if (!gate_is(Verdict::inefficient)) earned += kTechniqueWeight;
  }
  if (result.speed.ratio) {
    measured += kSpeedWeight;
    if (result.speed.verdict != Verdict::review)
      earned += kSpeedWeight * std::clamp(*result.speed.ratio / kFullSpeedRatio, 0.0, 1.0);
  }
  return max_points * earned / measured;
}

}  // namespace lockstep::judge
