#include "judge/points.h"

#include <algorithm>

namespace lockstep::judge {
namespace {

using result::GateResult;
using result::Verdict;

constexpr double kCorrectnessWeight = 0.5;
constexpr double kTechniqueWeight = 0.2;
constexpr double kSpeedWeight = 0.3;
/// Of the points for correctness, what a function earns that is wrong in some cases, or has been written anew
/// where it was to be repaired.
constexpr double kMaxShareOfWrong = 0.4;
/// Of a gate's points, what it earns that fails by a hair.
constexpr double kMaxShareOfFailedGate = 0.8;

/// From 0 to 1: how many of its cases a function passes that fails some.
double share_of_cases(const result::ExerciseResult& result) {
  bool is_measured = false;
  for (const result::CaseResult& one : result.cases) {
    const bool passed = one.verdict == Verdict::passed;
    if (one.verdict == Verdict::grader_error || (one.measured && !passed)) return 0;
    is_measured = is_measured || one.measured;
  }
  if (!is_measured) return 0;
  return static_cast<double>(result::passed_cases(result)) / static_cast<double>(result.cases.size());
}

/// From 0 to 1: 1 where it holds.
double share_of_gate(const GateResult& gate) {
  if (gate.verdict == Verdict::passed) return 1;
  const double ratio = gate.at_least ? gate.value / gate.limit : gate.limit / gate.value;
  return ratio > 0 ? kMaxShareOfFailedGate * std::min(ratio, 1.0) : 0;  // NaN earns nothing
}

/// From 0 to 1, of `gates` that were measured.
double share_of_technique(const std::vector<GateResult>& gates) {
  if (std::any_of(gates.begin(), gates.end(), [](const GateResult& gate) { return gate.off_device; }))
    return 0;
  double earned = 0;
  for (const GateResult& gate : gates) {
    earned += share_of_gate(gate);
    if (gate.verdict != Verdict::passed) break;
  }
  return earned / static_cast<double>(gates.size());
}

}  // namespace

double points_of(const result::ExerciseResult& result, double max_points) {
  if (!result::is_correct(result))
    return max_points * kCorrectnessWeight * kMaxShareOfWrong * share_of_cases(result);
  if (result.repair && result.repair->verdict != Verdict::passed)
    return max_points * kCorrectnessWeight * kMaxShareOfWrong;
  double earned = kCorrectnessWeight;
  double measured = kCorrectnessWeight;
  std::vector<GateResult> gates = result.gates;
  std::erase_if(gates, [](const GateResult& gate) { return gate.verdict == Verdict::not_measured; });
  if (!gates.empty()) {
    measured += kTechniqueWeight;
    earned += kTechniqueWeight * share_of_technique(gates);
  }
  if (result.speed.ratio) {
    measured += kSpeedWeight;
    if (result.speed.verdict != Verdict::review)
      earned += kSpeedWeight * result.speed.points_share.value_or(0);
  }
  return max_points * earned / measured;
}

}  // namespace lockstep::judge
