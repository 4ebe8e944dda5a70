#include "report/program_profile.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <tuple>

#include "report/printable.h"
#include "report/profile_json.h"
#include "report/profile_table.h"
#include "report/source_files.h"
#include "text/demangled.h"
#include "text/wording.h"

namespace lockstep::report {
namespace {

using Json = nlohmann::ordered_json;

/// Rows of one table; kernels of libraries have thousands.
constexpr std::size_t kMaxRows = 60;

using ByLine = std::map<emulator::SourceLine, LineProfile>;

std::vector<LineProfile> in_order(const ByLine& by_line) {
  std::vector<LineProfile> lines;
  for (const auto& [place, profile] : by_line) lines.push_back(profile);
  return lines;
}

LineProfile& profile_at(ByLine& by_line, const emulator::SourceLine& place, SourceFiles& sources) {
  const auto [entry, is_new] = by_line.try_emplace(place);
  LineProfile& profile = entry->second;
  if (is_new && place.line != 0) {
    profile.file = text::shown_path(place.file);
    profile.line = place.line;
    profile.text = sources.line(place.file, place.line);
  }
  return profile;
}

/// The costliest lines in their own order; the others become `rest`.
std::vector<LineProfile> without_cheapest(std::vector<LineProfile> lines, std::vector<LineProfile>& rest) {
  if (lines.size() <= kMaxRows) return lines;
  std::vector<std::uint64_t> costs;
  for (const LineProfile& line : lines) costs.push_back(line.cost());
  std::nth_element(costs.begin(), costs.begin() + kMaxRows, costs.end(), std::greater<>());
  const std::uint64_t limit = costs[kMaxRows];
  const auto cheap = std::stable_partition(lines.begin(), lines.end(),
                                           [&](const LineProfile& line) { return line.cost() > limit; });
  rest.assign(cheap, lines.end());
  lines.erase(cheap, lines.end());
  return lines;
}

std::string kernel_section(const KernelProfile& kernel, std::uint64_t most, std::uint64_t whole,
                           const TextStyle& style) {
  const std::string share =
      fmt::format("{:.0f} % of the cost", 100 * share_of(total_cost(kernel.lines), whole));
  const std::string name = cut(kernel.name, style.width - share.size() - 2);
  std::string text = fmt::format("\n{}  {}\n", paint(style, Colour::strong, name), share);
  std::vector<LineProfile> rest;
  const std::vector<LineProfile> shown = without_cheapest(kernel.lines, rest);
  for (auto begin = shown.begin(); begin != shown.end();) {
    const auto end =
        std::find_if(begin, shown.end(), [&](const LineProfile& line) { return line.file != begin->file; });
    text += printable(begin->file.empty() ? "no line information" : begin->file) + '\n';
    text += line_table({begin, end}, most, style);
    begin = end;
  }
  if (!rest.empty()) {
    text += fmt::format("    … and {} with {:.1f} % of the cost\n", counted(rest.size(), "line"),
                        100 * share_of(total_cost(rest), whole));
  }
  return text;
}

}  // namespace

ProgramProfile profile_program(const std::string& program, const std::string& arguments,
                               const emulator::Observations& observations, SourceFiles& sources) {
  ProgramProfile result;
  result.program = program;
  result.arguments = arguments;
  result.launches = observations.launches;
  result.counters =
      result::side_by_side(arguments, static_cast<int>(observations.launches), observations, {});
  result.works = observations.kernels;
  ByLine all;
  std::map<std::string, ByLine> by_kernel;
  for (const emulator::LineCounters& counters : observations.lines) {
    // Code without a line may still have a file.
    const emulator::SourceLine place = counters.line.line != 0 ? counters.line : emulator::SourceLine{};
    result.lacks_lines |= place.line == 0;
    for (LineProfile* profile :
         {&profile_at(all, place, sources), &profile_at(by_kernel[counters.function], place, sources)}) {
      *profile += counters;
      profile->note_padding(counters, observations.shared_accesses);
    }
  }
  result.lines = in_order(all);
  for (const auto& [function, by_line] : by_kernel)
    result.kernels.push_back({printable(text::demangled(function)), in_order(by_line)});
  std::stable_sort(result.kernels.begin(), result.kernels.end(),
                   [](const auto& a, const auto& b) { return total_cost(a.lines) > total_cost(b.lines); });
  return result;
}

std::string render_program_profile(const ProgramProfile& profile, const TextStyle& style) {
  const std::uint64_t whole = total_cost(profile.lines);
  std::uint64_t most = 0;
  for (const KernelProfile& kernel : profile.kernels) {
    for (const LineProfile& line : kernel.lines) most = std::max(most, line.cost());
  }
  std::string text =
      fmt::format("Counted on the emulated device: {} launch{} of {}.\n", profile.launches,
                  profile.launches == 1 ? "" : "es", counted(profile.kernels.size(), "kernel"));
  for (const KernelProfile& kernel : profile.kernels) text += kernel_section(kernel, most, whole, style);
  if (!profile.lines.empty()) text += legend(profile.lines, style);
  if (!costliest(profile.lines).empty()) text += '\n' + costliest_lines(profile.lines, style);
  if (!profile.works.empty()) text += '\n' + kernel_table(profile.works, style);
  if (profile.lacks_lines) {
    text += '\n' + prose(style,
                         "Code without line information is counted by kernel alone: build the program with "
                         "`nvcc -lineinfo` to see its lines.",
                         0);
  }
  return text;
}

std::string render_program_profile_json(const ProgramProfile& profile) {
  const std::uint64_t whole = total_cost(profile.lines);
  Json rows = Json::array();
  for (const KernelProfile& kernel : profile.kernels) {
    for (const LineProfile& line : kernel.lines) {
      Json row = line_json(line, whole);
      row["kernel"] = kernel.name;
      row["file"] = printable(line.file);
      rows.push_back(std::move(row));
    }
  }
  const Json root = {{"schema", "lockstep/profile/v1"},
                     {"name", printable(profile.program)},
                     {"submission", printable(profile.program)},
                     {"case", printable(profile.arguments)},
                     {"calls", profile.launches},
                     {"lines", std::move(rows)},
                     {"kernels", kernels_json(profile.works)},
                     {"cases", Json::array({case_json(profile.counters)})},
                     {"gates", Json::array()}};
  return root.dump(2) + '\n';
}

}  // namespace lockstep::report
