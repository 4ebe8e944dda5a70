#include "judge/technique.h"

#include <fmt/format.h>

#include <string_view>

#include "judge/limits.h"
#include "report/text_style.h"

namespace lockstep::judge {
namespace {

using emulator::LineCounters;
using report::GateResult;
using report::Verdict;

GateResult unmeasured(const course::Gate& gate) {
  GateResult result;
  result.name = gate.name;
  result.description = gate.description;
  result.limit = gate.limit;
  result.at_least = gate.at_least;
  result.verdict = Verdict::not_measured;
  return result;
}

/// Copying results to the host, working there and copying them back passes every other gate.
GateResult host_copies_unmeasured() {
  GateResult result;
  result.name = kHostCopies;
  result.description = fmt::format(
      "Bytes that left the device, copied to the host or printed by kernels, without the first {} of each "
      "call, and bytes that came to it from the host, without the first {}; ideal 0.",
      kFreeHostReads, kFreeHostWrites);
  result.limit = 0;
  result.verdict = Verdict::not_measured;
  return result;
}

/// The line of a kernel that prints and that most threads came to; null when none is known.
const LineCounters* printing_line(std::span<const MeasuredCase> measured, const SourceText& source) {
  const LineCounters* most = nullptr;
  for (const MeasuredCase& one : measured) {
    for (const LineCounters& line : one.observations.lines) {
      const std::string text = source.place(line.line).text;
      const bool prints =
          std::string_view(text).substr(0, text.find("//")).find("printf") != std::string::npos;
      if (prints && line.lanes > (most != nullptr ? most->lanes : 0)) most = &line;
    }
  }
  return most;
}

GateResult judge_host_copies(const HostCopies& copies, std::span<const MeasuredCase> measured,
                             const SourceText& source) {
  GateResult result = host_copies_unmeasured();
  const auto& [to_host, from_host, printed] = copies;
  result.value = static_cast<double>(to_host.beyond + from_host.beyond);
  result.verdict = to_host.beyond + from_host.beyond == 0 ? Verdict::passed : Verdict::inefficient;
  if (result.verdict == Verdict::passed) return result;
  result.off_device = true;
  const auto brought = [](const CopiesOneWay& one_way, const char* where) {
    return fmt::format("{} brought {} {}", report::counted(one_way.calls, "call"),
                       report::counted(one_way.bytes, "byte"), where);
  };
  if (to_host.calls > 0) result.explanation = brought(to_host, "to the host");
  if (printed > 0) {
    result.explanation +=
        fmt::format(", {} printed by kernels",
                    printed == to_host.bytes ? std::string("all") : fmt::format("{} of them", printed));
  }
  if (from_host.calls > 0)
    result.explanation += (to_host.calls > 0 ? "; " : "") + brought(from_host, "from the host to the device");
  if (2 * printed > to_host.bytes + from_host.bytes) {
    if (const LineCounters* line = printing_line(measured, source)) result.worst = {source.place(line->line)};
    result.advice =
        "printf in a kernel sends its text to the host, for every thread that comes to it: take it out, or "
        "let one thread of one block print.";
  } else {
    result.advice = "Leave the data on the device: what the host computes from it, a kernel can compute.";
  }
  return result;
}

/// The line of the submission that contributes most; a line of a header only when none of it does.
const LineCounters* worst_line(const course::Cause& cause, const MeasuredCase& measured,
                               const SourceText& source) {
  const LineCounters* worst = nullptr;
  bool worst_is_own = false;
  double most = 0;
  for (const LineCounters& line : measured.observations.lines) {
    const double share = cause.share(line);
    const bool own = source.holds(line.line);
    if (share > 0 && (own > worst_is_own || (own == worst_is_own && share > most))) {
      worst = &line;
      worst_is_own = own;
      most = share;
    }
  }
  return worst;
}

course::Measurement measurement_of(const MeasuredCase& measured) {
  return {measured.observations, measured.one->cost, measured.one->calls, measured.input_bytes};
}

GateResult judge_gate(const course::Gate& gate, std::span<const MeasuredCase> measured,
                      const SourceText& source) {
  GateResult result = unmeasured(gate);
  const MeasuredCase* worst_case = nullptr;
  std::string doubt;  // of the first case that gives any: there the value says nothing
  for (const MeasuredCase& candidate : measured) {
    if (!gate.looks_at(*candidate.one)) continue;
    const double value = gate.value(measurement_of(candidate));
    const bool is_better = gate.at_least ? value >= result.value : value <= result.value;
    if (gate.doubt) doubt = gate.doubt(measurement_of(candidate));
    if (worst_case == nullptr || !is_better || !doubt.empty()) {
      worst_case = &candidate;
      result.value = value;
    }
    if (!doubt.empty()) break;
  }
  if (worst_case == nullptr) return result;
  const bool holds = gate.holds(result.value) && doubt.empty();
  result.verdict = holds ? Verdict::passed : Verdict::inefficient;
  result.case_name = worst_case->one->name;
  if (holds) return result;
  if (!doubt.empty()) {
    result.off_device = true;
    result.explanation = doubt;
    result.advice = "The task is to be done on the device, by kernels that read its inputs there.";
    return result;
  }
  const course::Cause cause = gate.cause(measurement_of(*worst_case));
  result.advice = cause.advice;
  if (const LineCounters* line = worst_line(cause, *worst_case, source)) {
    result.worst = {source.place(line->line)};
    result.explanation = cause.explain(*line);
  }
  if (!cause.besides.empty()) {
    result.explanation += (result.explanation.empty() ? "" : "; ") + cause.besides;
  }
  return result;
}

}  // namespace

std::vector<GateResult> judge_technique(const course::Problem& problem,
                                        std::span<const MeasuredCase> measured, const HostCopies& host_copies,
                                        const SourceText& source) {
  std::vector<GateResult> results;
  for (const course::Gate& gate : problem.gates) results.push_back(judge_gate(gate, measured, source));
  results.push_back(judge_host_copies(host_copies, measured, source));
  return results;
}

std::vector<GateResult> technique_not_measured(const course::Problem& problem) {
  std::vector<GateResult> results;
  for (const course::Gate& gate : problem.gates) results.push_back(unmeasured(gate));
  results.push_back(host_copies_unmeasured());
  return results;
}

}  // namespace lockstep::judge
