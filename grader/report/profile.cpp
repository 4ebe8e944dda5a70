#include "report/profile.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>

#include "emulator/demangled.h"
#include "report/printable.h"

namespace lockstep::report {
namespace {

double per_request(const emulator::Traffic& traffic) {
  return static_cast<double>(traffic.units) / static_cast<double>(traffic.requests);
}

double ideal_per_request(const emulator::Traffic& traffic) {
  return static_cast<double>(traffic.ideal_units) / static_cast<double>(traffic.requests);
}

/// Units beyond the ideal; 0 when the counters say that there are none.
std::uint64_t excess(const emulator::Traffic& traffic) {
  return traffic.units > traffic.ideal_units ? traffic.units - traffic.ideal_units : 0;
}

std::string count(std::uint64_t n) {
  const auto value = static_cast<double>(n);
  if (n >= 10'000'000) return fmt::format("{:.0f} M", value / 1e6);
  return n >= 10'000 ? fmt::format("{:.0f} k", value / 1e3) : fmt::to_string(n);
}

/// Whether a good part of the units is waste; a little more than the ideal has no cure that is worth a
/// change.
bool is_wasteful(const emulator::Traffic& traffic) { return 5 * excess(traffic) > traffic.units; }

/// Two columns: units a request, and the share of all units beyond the ideal.
std::string traffic_columns(const emulator::Traffic& traffic) {
  if (traffic.requests == 0) return fmt::format("{:>6} {:>5}", "", "");
  const double share =
      traffic.units == 0 ? 0
                         : 100.0 * static_cast<double>(excess(traffic)) / static_cast<double>(traffic.units);
  return fmt::format("{:>6} {:>4.0f}%", number(per_request(traffic)), share);
}

std::uint64_t total_cost(const std::vector<LineProfile>& lines) {
  std::uint64_t sum = 0;
  for (const LineProfile& line : lines) sum += line.cost();
  return sum;
}

double share_of(std::uint64_t part, std::uint64_t whole) {
  return whole == 0 ? 0 : static_cast<double>(part) / static_cast<double>(whole);
}

/// "2 calls of case 2048 x 1536"
std::string counted_case(const ExerciseResult& result) {
  return fmt::format("{} of case {}", counted(static_cast<std::uint64_t>(result.measured_calls), "call"),
                     printable(result.measured_case));
}

nlohmann::ordered_json traffic_json(const emulator::Traffic& traffic) {
  if (traffic.requests == 0) return nullptr;
  return {{"requests", traffic.requests},
          {"units", traffic.units},
          {"ideal_units", traffic.ideal_units},
          {"bytes", traffic.bytes}};
}

nlohmann::ordered_json case_json(const CaseCounters& one) {
  using Json = nlohmann::ordered_json;
  Json kernels = Json::array();
  for (const KernelCounters& kernel : one.kernels) {
    Json counters = Json::object();
    for (const ComparedCounter& counter : kComparedCounters)
      counters[counter.name] = counter.of(kernel.emulated);
    kernels.push_back(
        {{"name", printable(emulator::demangled(kernel.kernel))}, {"counters", std::move(counters)}});
  }
  return {{"name", printable(one.name)}, {"calls", one.calls}, {"kernels", std::move(kernels)}};
}

}  // namespace

double LineProfile::active_share() const {
  return warps == 0 ? 0 : static_cast<double>(lanes) / (32.0 * static_cast<double>(warps));
}

std::uint64_t LineProfile::cost() const {
  return warps + 2 * (global.units + local.units) + 4 * shared.units;
}

std::vector<LineProfile> profile_lines(const ExerciseResult& result, const std::string& file,
                                       const std::string& source) {
  const std::vector<std::string> text = split_lines(printable(source));
  std::map<unsigned, LineProfile> by_line;
  for (const emulator::LineCounters& counters : result.lines) {
    if (std::filesystem::path(counters.line.file).filename() != std::filesystem::path(file).filename())
      continue;
    LineProfile& profile = by_line[counters.line.line];
    profile.line = counters.line.line;
    if (profile.line >= 1 && profile.line <= text.size()) profile.text = text[profile.line - 1];
    profile.warps += counters.warps;
    profile.lanes += counters.lanes;
    profile.divergent_branches += counters.divergent_branches;
    for (const auto* part : {&counters.global_load, &counters.global_store, &counters.global_atomic})
      profile.global += *part;
    for (const auto* part : {&counters.shared_load, &counters.shared_store, &counters.shared_atomic})
      profile.shared += *part;
    for (const auto* part : {&counters.local_load, &counters.local_store}) profile.local += *part;
  }
  std::vector<LineProfile> lines;
  for (auto& [number, profile] : by_line) lines.push_back(std::move(profile));
  return lines;
}

std::vector<LineProfile> dearest(std::vector<LineProfile> lines) {
  std::stable_sort(lines.begin(), lines.end(),
                   [](const auto& a, const auto& b) { return a.cost() > b.cost(); });
  if (lines.size() > 3) lines.resize(3);
  return lines;
}

std::string advice_for(const LineProfile& line) {
  // A wavefront costs as much as two sectors.
  if (is_wasteful(line.shared) && 2 * excess(line.shared) >= excess(line.global)) {
    return fmt::format(
        "{} wavefronts a request, ideal {}: lanes meet in the same bank. Pad the row by one element, or "
        "change which lane reads which word.",
        number(per_request(line.shared)), number(ideal_per_request(line.shared)));
  }
  if (is_wasteful(line.global)) {
    return fmt::format(
        "{} sectors a request, ideal {}: neighbouring lanes touch addresses that lie apart. Let "
        "threadIdx.x run along the row, or go through shared memory.",
        number(per_request(line.global)), number(ideal_per_request(line.global)));
  }
  if (line.local.units > 0) {
    return "The thread's own array or spilled registers go through memory: index the array with constants, "
           "or use fewer variables at once.";
  }
  if (line.active_share() < 0.75 && line.warps > 0) {
    return fmt::format("Only {:.0f} % of the lanes work here: give neighbouring threads the same branch.",
                       100 * line.active_share());
  }
  if (line.global.requests > 0) {
    return excess(line.global) == 0
               ? "No sector is moved in vain: only moving fewer bytes would make it cheaper."
               : fmt::format("{} sectors a request, ideal {}: hardly more than the lanes ask for.",
                             number(per_request(line.global)), number(ideal_per_request(line.global)));
  }
  if (line.shared.requests > 0) {
    return excess(line.shared) == 0 ? "No bank conflicts: only fewer accesses would make it cheaper."
                                    : "Few bank conflicts: only fewer accesses would make it much cheaper.";
  }
  return "Arithmetic without waste: more work a thread would share it out.";
}

std::string render_profile(const ExerciseResult& result, const std::vector<LineProfile>& lines,
                           const TextStyle& style) {
  constexpr std::size_t kCounterColumns = 48;
  const std::uint64_t whole = total_cost(lines);
  std::uint64_t most = 1;
  for (const LineProfile& line : lines) most = std::max(most, line.cost());
  std::string text = fmt::format("Counted on the emulated device: {}.\n\n", counted_case(result));
  text +=
      paint(style, Colour::faint,
            fmt::format("{:>5} {:>7} {:>6}   {:>12} {:>14}\n{:>5} {:>7} {:>6}   {:>6} {:>5} {:>8} {:>5}\n",
                        "", "", "", "sectors", "wavefronts", "line", "warps", "lanes", "a req.", "waste",
                        "a req.", "waste"));
  for (const LineProfile& line : lines) {
    const double heat = share_of(line.cost(), most);
    const Colour colour = heat > 0.5    ? Colour::heat_high
                          : heat > 0.15 ? Colour::heat_medium
                                        : Colour::heat_low;
    const std::string counters =
        fmt::format("{:>5} {:>7} {:>5.0f}%   {}   {}", line.line, count(line.warps),
                    100 * line.active_share(), traffic_columns(line.global), traffic_columns(line.shared));
    const std::string source = cut(line.text, style.width - kCounterColumns);
    text += fmt::format("{}  {}\n", paint(style, colour, counters), source);
  }
  text += fmt::format("\n{}\n", paint(style, Colour::strong, "The lines that cost most"));
  for (const LineProfile& line : dearest(lines)) {
    const Place place{result.submission, line.line, line.text};
    text += quote(style, place, fmt::format("{:.0f} % of the cost", 100 * share_of(line.cost(), whole)), 2);
    text += prose(style, advice_for(line), 4);
  }
  if (!result.gates.empty()) text += fmt::format("\n{}\n", paint(style, Colour::strong, "Technique"));
  std::size_t width = 0;
  for (const GateResult& gate : result.gates) width = std::max(width, display_width(gate.name));
  for (const GateResult& gate : result.gates) {
    text += fmt::format("  {} {:<{}}  {:>7}  limit {:>7}\n", mark(style, gate.verdict), gate.name, width,
                        gate.verdict == Verdict::not_measured ? "-" : number(gate.value), number(gate.limit));
  }
  return text;
}

std::string render_profile_json(const ExerciseResult& result, const std::vector<LineProfile>& lines) {
  using Json = nlohmann::ordered_json;
  const std::uint64_t whole = total_cost(lines);
  Json rows = Json::array(), gates = Json::array(), cases = Json::array();
  for (const CaseCounters& one : result.counters) cases.push_back(case_json(one));
  for (const LineProfile& line : lines) {
    rows.push_back({{"line", line.line},
                    {"text", line.text},
                    {"warps", line.warps},
                    {"active_share", line.active_share()},
                    {"divergent_branches", line.divergent_branches},
                    {"global", traffic_json(line.global)},
                    {"shared", traffic_json(line.shared)},
                    {"local", traffic_json(line.local)},
                    {"cost_share", share_of(line.cost(), whole)},
                    {"advice", advice_for(line)}});
  }
  for (const GateResult& gate : result.gates) {
    const bool measured = gate.verdict != Verdict::not_measured;
    gates.push_back({{"name", gate.name},
                     {"value", measured ? Json(gate.value) : Json(nullptr)},
                     {"limit", gate.limit},
                     {"verdict", name_of(gate.verdict)}});
  }
  const Json root = {{"schema", "lockstep/profile/v1"},
                     {"name", result.name},
                     {"submission", printable(result.submission)},
                     {"case", printable(result.measured_case)},
                     {"calls", result.measured_calls},
                     {"lines", std::move(rows)},
                     {"cases", std::move(cases)},
                     {"gates", std::move(gates)}};
  return root.dump(2) + '\n';
}

}  // namespace lockstep::report
