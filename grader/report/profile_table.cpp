#include "report/profile_table.h"

#include <fmt/format.h>

#include <algorithm>

#include "report/advice.h"
#include "report/printable.h"
#include "text/demangled.h"

namespace lockstep::report {
namespace {

/// Narrower than this, a line of source says nothing.
constexpr std::size_t kMinSourceColumns = 20;

std::string count(std::uint64_t n) {
  const auto value = static_cast<double>(n);
  if (n >= 10'000'000) return fmt::format("{:.0f} M", value / 1e6);
  return n >= 10'000 ? fmt::format("{:.0f} k", value / 1e3) : fmt::to_string(n);
}

std::string percent(double share) { return fmt::format("{:.0f}%", 100 * share); }

/// Columns that belong together: a heading over both and one for each, what a line has in them, and what they
/// are.
struct Group {
  const char *heading, *columns;  ///< as wide as what cells returns
  std::string (*cells)(const LineProfile& line);
  bool (*used)(const LineProfile& line);
  const char* legend;
};

bool is_used(const Group& group, const std::vector<LineProfile>& lines) {
  return std::any_of(lines.begin(), lines.end(), group.used);
}

/// Units per request, and the share of all units beyond the ideal.
std::string traffic_cells(const emulator::Traffic& traffic) {
  if (traffic.requests == 0) return std::string(14, ' ');
  return fmt::format("{:>7} {:>6}", number(per_request(traffic)),
                     percent(share_of(excess(traffic), traffic.units)));
}

std::string meeting_lanes(const LineProfile& line) {
  const std::uint64_t requests = line.global_atomics.traffic.requests + line.shared_atomics.traffic.requests;
  const std::uint64_t contention = line.global_atomics.contention + line.shared_atomics.contention;
  return fmt::format("{:>7}", requests == 0 ? "" : number(share_of(contention, requests)));
}

std::string branch_cells(const LineProfile& line) {
  if (line.branches == 0) return std::string(14, ' ');
  return fmt::format("{:>7} {:>6}", percent(share_of(line.divergent_branches, line.branches)),
                     count(lost_warps(line)));
}

constexpr const char* kTraffic =
    "per req: for one warp's request, sectors of 32 bytes of global memory or wavefronts, passes through "
    "shared "
    "memory; excess: share of them beyond the fewest that the same bytes could take";

constexpr Group kGroups[] = {
    {"       sectors", "per req excess", [](const LineProfile& line) { return traffic_cells(line.global); },
     [](const LineProfile& line) { return line.global.requests > 0; }, kTraffic},
    {"    wavefronts", "per req excess", [](const LineProfile& line) { return traffic_cells(line.shared); },
     [](const LineProfile& line) { return line.shared.requests > 0; }, kTraffic},
    {"atomics", "   meet", meeting_lanes,
     [](const LineProfile& line) {
       return line.global_atomics.traffic.requests + line.shared_atomics.traffic.requests > 0;
     },
     "meet: lanes of a request at its most contended address"},
    {"      branches", "diverge   lost", branch_cells,
     [](const LineProfile& line) { return line.divergent_branches > 0; },
     "diverge: branches whose lanes go both ways; lost: warp-instructions' worth of lanes that wait "
     "meanwhile"},
};

Colour heat_of(double share_of_costliest) {
  return share_of_costliest > 0.5    ? Colour::heat_high
         : share_of_costliest > 0.15 ? Colour::heat_medium
                                     : Colour::heat_low;
}

/// What stands left of the groups of columns.
std::string first_cells(const LineProfile& line) {
  return fmt::format("{:>5} {:>7} {:>6}", line.line == 0 ? "-" : fmt::to_string(line.line), count(line.warps),
                     percent(line.active_share()));
}

}  // namespace

std::string line_table(const std::vector<LineProfile>& lines, std::uint64_t most, const TextStyle& style) {
  constexpr const char* kGap = "  ";
  std::string upper = "        warp-       ", lower = " line  instr.  lanes";
  std::vector<const Group*> groups;
  for (const Group& group : kGroups) {
    if (!is_used(group, lines)) continue;
    groups.push_back(&group);
    upper += kGap + std::string(group.heading);
    lower += kGap + std::string(group.columns);
  }
  const std::size_t counter_columns = lower.size() + 2;
  const bool beside = counter_columns + kMinSourceColumns <= style.width;
  std::string text;
  for (std::string heading : {upper, lower}) {
    heading.erase(heading.find_last_not_of(' ') + 1);
    text += paint(style, Colour::faint, heading) + '\n';
  }
  for (const LineProfile& line : lines) {
    std::string cells = first_cells(line);
    for (const Group* group : groups) cells += kGap + group->cells(line);
    const std::string source = printable(line.text);
    if (beside && !source.empty()) {
      cells.resize(counter_columns, ' ');
    } else {
      cells.erase(cells.find_last_not_of(' ') + 1);
    }
    text += paint(style, heat_of(share_of(line.cost(), std::max<std::uint64_t>(most, 1))), cells);
    if (beside) {
      text += cut(source, style.width - counter_columns) + '\n';
    } else {
      const std::size_t begin = std::min(source.find_first_not_of(' '), source.size());
      text += fmt::format("\n{}",
                          source.empty() ? "" : "      " + cut(source.substr(begin), style.width - 6) + '\n');
    }
  }
  return text;
}

std::string legend(const std::vector<LineProfile>& lines, const TextStyle& style) {
  std::string text = "warp-instr.: instructions that warps executed; lanes: share that took part";
  const char* latest = nullptr;
  for (const Group& group : kGroups) {
    if (!is_used(group, lines) || group.legend == latest) continue;
    latest = group.legend;
    text += fmt::format("; {}", latest);
  }
  return '\n' + paint(style, Colour::faint, prose(style, text + '.', 2));
}

std::string kernel_table(const std::vector<emulator::KernelWork>& kernels, const TextStyle& style) {
  std::string text = paint(style, Colour::faint, "launches  blocks    work    span  parallelism") + '\n';
  emulator::KernelWork all;
  const auto add_row = [&](const emulator::KernelWork& row, const std::string& name) {
    const std::string cells =
        fmt::format("{:>8} {:>7} {:>7} {:>7} {:>12}  ", count(row.launches), count(row.blocks),
                    count(row.work), count(row.span), number(row.parallelism()));
    text += cells + cut(name, std::max(style.width, cells.size()) - cells.size()) + '\n';
  };
  for (const emulator::KernelWork& kernel : kernels) {
    add_row(kernel, printable(text::demangled(kernel.kernel)));
    all += kernel;
  }
  if (kernels.size() > 1) add_row(all, "all, one after the other");
  return text;
}

std::string costliest_lines(const std::vector<LineProfile>& lines, const TextStyle& style) {
  const std::uint64_t whole = total_cost(lines);
  std::string text = fmt::format("{}\n", paint(style, Colour::strong, "The lines that cost most"));
  for (const LineProfile& line : costliest(lines)) {
    const std::string share = fmt::format("{:.0f} % of the cost", 100 * share_of(line.cost(), whole));
    text += quote(style, {line.file, line.line, line.text}, share, 2);
    text += prose(style, advice_for(line), 4);
  }
  return text;
}

}  // namespace lockstep::report
