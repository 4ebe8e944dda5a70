#include "judge/technique.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <map>
#include <string_view>

#include "judge/findings.h"
#include "judge/limits.h"
#include "judge/source_search.h"
#include "text/wording.h"

namespace lockstep::judge {
namespace {

using emulator::LineCounters;
using result::GateResult;
using result::Verdict;

constexpr std::size_t kMaxBlamedLines = 4;  ///< that are blamed where each of several may be the cause

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
      const bool prints =
          source.holds(line.line) && source.code(line.line.line).find("printf") != std::string_view::npos;
      if (prints && line.lanes > (most != nullptr ? most->lanes : 0)) most = &line;
    }
  }
  return most;
}

/// Lines that may copy the way in question, or make memory that host and kernels share. The device counts
/// bytes, and does not know which line of host code asked for them.
std::vector<result::Place> copying_lines(bool to_host, bool from_host, const SourceText& source) {
  constexpr std::array kCalls = {"cudaMemcpy(",       "cudaMemcpyAsync(",     "cudaMemcpy2D",
                                 "cudaMemcpy3D",      "cudaMemcpyFromSymbol", "cudaMemcpyToSymbol",
                                 "cudaMallocManaged", "cudaMallocHost",       "cudaHostAlloc",
                                 "cudaHostRegister",  "__managed__"};
  std::vector<result::Place> places;
  for (std::uint32_t line = 1; line <= source.line_count() && places.size() < kMaxBlamedLines; ++line) {
    const auto holds = [code = source.code(line)](const char* word) {
      return code.find(word) != std::string_view::npos;
    };
    if (holds("DeviceToDevice") || std::none_of(kCalls.begin(), kCalls.end(), holds)) continue;
    if (!to_host && (holds("DeviceToHost") || holds("FromSymbol"))) continue;
    if (!from_host && (holds("HostToDevice") || holds("ToSymbol"))) continue;
    places.push_back(source.place({source.file_name(), line}));
  }
  return places;
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
    return fmt::format("{} of your function brought {} {}", text::counted(one_way.calls, "call"),
                       text::counted(one_way.bytes, "byte"), where);
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
        "Take the printf out, or let one thread of one block print. printf in a kernel sends its text to the "
        "host, for every thread that comes to it.";
  } else {
    result.worst = copying_lines(to_host.calls > 0, from_host.calls > 0, source);
    result.advice = "Leave the data on the device: what the host computes from it, a kernel can compute.";
    if (result.worst.empty())
      result.advice +=
          " Look for copies, and for memory that host and kernels share, such as managed memory.";
  }
  return result;
}

/// What all kernels do at one line, and how much that contributes to a cause.
struct Contribution {
  LineCounters counters;
  double share = 0;
};

/// Lines of the submission that contribute, the first one most; lines of headers only when none of it does.
std::vector<Contribution> contributions(const course::Cause& cause, const MeasuredCase& measured,
                                        const SourceText& source) {
  std::map<emulator::SourceLine, Contribution> own, others;
  for (const LineCounters& line : measured.observations.lines) {
    const double share = cause.share(line);
    if (!(share > 0)) continue;
    auto& [counters, sum] = (source.holds(line.line) ? own : others)[line.line];
    counters.line = line.line;
    counters.function = line.function;
    counters += line;
    sum += share;
  }
  std::vector<Contribution> most;
  for (const auto& [line, contribution] : own.empty() ? others : own) most.push_back(contribution);
  std::stable_sort(most.begin(), most.end(), [](const auto& a, const auto& b) { return a.share > b.share; });
  return most;
}

/// The line that is the cause, or the lines that are it together, in the order of the source.
std::vector<LineCounters> lines_to_blame(const course::Cause& cause, const MeasuredCase& measured,
                                         const SourceText& source) {
  constexpr double kAlike = 0.5;
  std::vector<LineCounters> lines;
  const std::vector<Contribution> most = contributions(cause, measured, source);
  for (const auto& [counters, share] : most) {
    const bool is_alike =
        cause.together && lines.size() < kMaxBlamedLines && share >= kAlike * most.front().share;
    if (lines.empty() || is_alike) lines.push_back(counters);
  }
  std::sort(lines.begin(), lines.end(), [](const auto& a, const auto& b) { return a.line < b.line; });
  return lines;
}

/// Whether launches of a kernel have fewer blocks than multiprocessors should be busy.
bool has_few_blocks(const std::string& kernel, double least, const MeasuredCase& measured) {
  const auto& kernels = measured.observations.kernels;
  return std::any_of(kernels.begin(), kernels.end(), [&](const emulator::KernelWork& work) {
    return work.kernel == kernel &&
           static_cast<double>(work.blocks) < least * static_cast<double>(work.launches);
  });
}

/// Names the lines that are the cause, and says what they do together.
void blame(const std::vector<LineCounters>& lines, const course::Cause& cause, const SourceText& source,
           GateResult& result) {
  if (lines.empty()) return;
  LineCounters sum = lines.front();
  for (std::size_t i = 1; i < lines.size(); ++i) sum += lines[i];
  std::vector<unsigned> numbers;
  for (const LineCounters& line : lines) {
    result.worst.push_back(source.place(line.line));
    numbers.push_back(line.line.line);
  }
  if (lines.size() > 1) result.explanation = fmt::format("lines {} together: ", fmt::join(numbers, ", "));
  result.explanation += cause.explain(sum);
}

course::Measurement measurement_of(const MeasuredCase& measured) {
  return {measured.observations, measured.one->cost,    measured.one->calls,
          measured.input_bytes,  measured.copied_bytes, measured.chained_bytes};
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
    result.advice = "Do the task on the device, by kernels that read its inputs there.";
    return result;
  }
  const course::Cause cause = gate.cause(measurement_of(*worst_case));
  result.advice = cause.advice;
  const std::vector<LineCounters> lines = lines_to_blame(cause, *worst_case, source);
  blame(lines, cause, source, result);
  if (cause.of_host_copies) result.worst = copying_lines(true, true, source);
  const bool of_few_blocks =
      gate.at_least && !lines.empty() && has_few_blocks(lines.front().function, gate.limit, *worst_case);
  if (of_few_blocks || (cause.of_launches && !lines.empty())) {
    // Not what the blocks do is at fault, but how many there are, or how many threads they have.
    const std::vector<Statement> launches = launches_of(source, launched_name(lines.front().function));
    if (!launches.empty()) result.worst.clear();
    for (const Statement& launch : launches) {
      if (result.worst.size() < kMaxBlamedLines)
        result.worst.push_back(source.place({source.file_name(), launch.line}));
    }
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
  if (!problem.host_program) results.push_back(judge_host_copies(host_copies, measured, source));
  return results;
}

std::vector<GateResult> technique_not_measured(const course::Problem& problem) {
  std::vector<GateResult> results;
  for (const course::Gate& gate : problem.gates) results.push_back(unmeasured(gate));
  if (!problem.host_program) results.push_back(host_copies_unmeasured());
  return results;
}

}  // namespace lockstep::judge
