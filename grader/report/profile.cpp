#include "report/profile.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>

#include "report/printable.h"
#include "report/profile_json.h"
#include "report/profile_table.h"

namespace lockstep::report {
namespace {

using Json = nlohmann::ordered_json;

using result::CaseCounters;
using result::ExerciseResult;
using result::GateResult;
using result::Verdict;

/// "2 calls of case 2048 x 1536"
std::string counted_case(const ExerciseResult& result) {
  return fmt::format("{} of case {}", counted(static_cast<std::uint64_t>(result.measured_calls), "call"),
                     printable(result.measured_case));
}

}  // namespace

std::vector<LineProfile> profile_lines(const ExerciseResult& result, const std::string& file,
                                       const std::string& source) {
  const std::vector<std::string> text = split_lines(printable_lines(source));
  std::map<unsigned, LineProfile> by_line;
  for (const emulator::LineCounters& counters : result.lines) {
    if (std::filesystem::path(counters.line.file).filename() != std::filesystem::path(file).filename())
      continue;
    LineProfile& profile = by_line[counters.line.line];
    profile.file = result.submission;
    profile.line = counters.line.line;
    if (profile.line >= 1 && profile.line <= text.size()) profile.text = text[profile.line - 1];
    profile += counters;
    profile.note_padding(counters, result.shared_accesses);
  }
  std::vector<LineProfile> lines;
  for (auto& [number, profile] : by_line) lines.push_back(std::move(profile));
  return lines;
}

std::string render_profile(const ExerciseResult& result, const std::vector<LineProfile>& lines,
                           const TextStyle& style) {
  std::uint64_t most = 0;
  for (const LineProfile& line : lines) most = std::max(most, line.cost());
  std::string text =
      fmt::format("Counted on the emulated device: {}.\n\n{}{}\n{}", counted_case(result),
                  line_table(lines, most, style), legend(lines, style), costliest_lines(lines, style));
  if (!result.kernels.empty()) text += '\n' + kernel_table(result.kernels, style);
  if (!result.gates.empty()) text += fmt::format("\n{}\n", paint(style, Colour::strong, "Technique"));
  std::size_t width = 0;
  for (const GateResult& gate : result.gates) width = std::max(width, display_width(label_of(gate)));
  for (const GateResult& gate : result.gates) {
    text += fmt::format("  {} {:<{}}  {:>7}  {} {:>7}\n", mark(style, gate.verdict), label_of(gate), width,
                        gate.verdict == Verdict::not_measured ? "-" : number_beside(gate.value, gate.limit),
                        bound_of(gate), number(gate.limit));
    if (gate.verdict == Verdict::inefficient) text += prose(style, gate.advice, 6);
  }
  return text;
}

std::string render_profile_json(const ExerciseResult& result, const std::vector<LineProfile>& lines) {
  const std::uint64_t whole = total_cost(lines);
  Json rows = Json::array(), gates = Json::array(), cases = Json::array();
  for (const CaseCounters& one : result.counters) cases.push_back(case_json(one));
  for (const LineProfile& line : lines) rows.push_back(line_json(line, whole));
  for (const GateResult& gate : result.gates) {
    const bool measured = gate.verdict != Verdict::not_measured;
    gates.push_back({{"name", gate.name},
                     {"value", measured ? Json(gate.value) : Json(nullptr)},
                     {"limit", gate.limit},
                     {"at_least", gate.at_least},
                     {"verdict", name_of(gate.verdict)}});
    if (!gate.puzzle.empty()) gates.back()["puzzle"] = gate.puzzle;
  }
  const Json root = {{"schema", "lockstep/profile/v1"},
                     {"name", result.name},
                     {"submission", printable(result.submission)},
                     {"case", printable(result.measured_case)},
                     {"calls", result.measured_calls},
                     {"verdict", name_of(result.verdict)},
                     {"lines", std::move(rows)},
                     {"kernels", kernels_json(result.kernels)},
                     {"cases", std::move(cases)},
                     {"gates", std::move(gates)}};
  return root.dump(2) + '\n';
}

}  // namespace lockstep::report
