#include "report/html_source.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <utility>

#include "report/advice.h"
#include "report/html_cases.h"
#include "report/notes.h"
#include "report/printable.h"
#include "report/profile.h"
#include "report/text_style.h"

namespace lockstep::report {
namespace {

using result::ExerciseResult;
using result::Place;

/// Of a longer source only lines with counters or notes are shown from there on.
constexpr std::size_t kMaxSourceLines = 4000;
constexpr std::size_t kMaxNotesOfLine = 12;

/// What is said of each line of the submission: copies of notes, whose labels say what happened there.
using LineNotes = std::map<unsigned, std::vector<Note>>;

void add_note(LineNotes& notes, const ExerciseResult& result, const Place& place, Note note) {
  if (!is_of_submission(result, place)) return;
  std::vector<Note>& of_line = notes[place.line];
  const auto same = std::ranges::find_if(of_line, [&note](const Note& one) {
    return one.label == note.label && (!note.case_name.empty() || one.sentence == note.sentence);
  });
  if (same != of_line.end()) {
    same->more_cases += 1 + note.more_cases;
  } else if (of_line.size() < kMaxNotesOfLine) {
    of_line.push_back(std::move(note));
  }
}

void add_costs(LineNotes& notes, const ExerciseResult& result, const std::vector<LineProfile>& lines) {
  constexpr double kWorthANote = 0.05;
  const std::uint64_t whole = total_cost(lines);
  for (const LineProfile& line : costliest(lines)) {
    if (share_of(line.cost(), whole) < kWorthANote) continue;
    add_note(notes, result, {line.file, line.line, line.text},
             {.kind = Note::Kind::remark,
              .label = fmt::format("{:.0f} % of the cost", 100 * share_of(line.cost(), whole)),
              .sentence = advice_for(line)});
  }
}

LineNotes notes_of(const ExerciseResult& result, const std::vector<LineProfile>& lines) {
  LineNotes notes;
  for (const Note& note : notes_on(result)) {
    for (const Place& place : note.places) {
      Note there = note;
      if (!place.part.empty()) there.label += ", " + place.part;
      add_note(notes, result, place, std::move(there));
    }
  }
  if (result::is_correct(result)) add_costs(notes, result, lines);  // what is wrong comes first
  return notes;
}

std::string line_id(const std::string& page, unsigned line) { return fmt::format("{}-line-{}", page, line); }

std::string percent_of(double share) { return fmt::format("{:.0f} %", 100 * share); }

// --- columns of numbers ---

/// A number of a line: what stands in its cell, and how bad it is from 0 to 1.
struct HeatCell {
  std::string text;
  double heat = 0;
};

struct HeatColumn {
  const char* heading;
  bool (*is_used)(const LineProfile& line);
  HeatCell (*cell)(const LineProfile& line);
};

double excess_share(const emulator::Traffic& traffic) { return share_of(excess(traffic), traffic.units); }

const emulator::Traffic& busier_atomics(const LineProfile& line) {
  return line.global_atomics.traffic.requests > 0 ? line.global_atomics.traffic : line.shared_atomics.traffic;
}

constexpr HeatColumn kHeatColumns[] = {
    {"lanes", [](const LineProfile& line) { return line.warps > 0; },
     [](const LineProfile& line) {
       return HeatCell{percent_of(line.active_share()), 1 - line.active_share()};
     }},
    {"sectors per request", [](const LineProfile& line) { return line.global.requests > 0; },
     [](const LineProfile& line) {
       return HeatCell{number(per_request(line.global)), excess_share(line.global)};
     }},
    {"excess sectors", [](const LineProfile& line) { return line.global.requests > 0; },
     [](const LineProfile& line) {
       return HeatCell{percent_of(excess_share(line.global)), excess_share(line.global)};
     }},
    {"wavefronts per request", [](const LineProfile& line) { return line.shared.requests > 0; },
     [](const LineProfile& line) {
       return HeatCell{number(per_request(line.shared)), excess_share(line.shared)};
     }},
    {"excess wavefronts", [](const LineProfile& line) { return line.shared.requests > 0; },
     [](const LineProfile& line) {
       return HeatCell{percent_of(excess_share(line.shared)), excess_share(line.shared)};
     }},
    {"lanes that meet in an atomic",
     [](const LineProfile& line) { return busier_atomics(line).requests > 0; },
     [](const LineProfile& line) {
       const double meet =
           share_of(line.global_atomics.contention + line.shared_atomics.contention,
                    line.global_atomics.traffic.requests + line.shared_atomics.traffic.requests);
       return HeatCell{number(meet), meet / 32};
     }},
    {"branches that diverge", [](const LineProfile& line) { return line.divergent_branches > 0; },
     [](const LineProfile& line) {
       return HeatCell{percent_of(share_of(line.divergent_branches, line.branches)),
                       share_of(lost_warps(line), std::max(line.warps, lost_warps(line)))};
     }},
};

/// Of a background: the number stands in it, so the colour only leads the eye.
const char* heat_class(double heat) {
  return heat > 0.5 ? "heat-3" : heat > 0.25 ? "heat-2" : heat > 0.1 ? "heat-1" : "heat-0";
}

std::vector<const HeatColumn*> used_columns(const std::vector<LineProfile>& lines) {
  std::vector<const HeatColumn*> columns;
  for (const HeatColumn& column : kHeatColumns)
    if (std::ranges::any_of(lines, column.is_used)) columns.push_back(&column);
  return columns;
}

std::string exact_traffic(const emulator::Traffic& traffic, const char* memory, const char* unit) {
  if (traffic.requests == 0) return "";
  return fmt::format("; {}: {}, {}, ideal {}", memory, counted(traffic.requests, "request"),
                     counted(traffic.units, unit), traffic.ideal_units);
}

/// All that was counted at a line.
std::string exact_numbers(const LineProfile& line) {
  std::string text = fmt::format("Line {}: {}, {} of the lanes took part", line.line,
                                 counted(line.warps, "warp-instruction"), percent_of(line.active_share()));
  text += exact_traffic(line.global, "global memory", "sector");
  text += exact_traffic(line.shared, "shared memory", "wavefront");
  text += exact_traffic(line.local, "local memory", "sector");
  if (line.branches > 0)
    text +=
        fmt::format("; {} at branches, of which {} diverged and lost {}", counted(line.branches, "decision"),
                    line.divergent_branches, counted(lost_warps(line), "warp-instruction"));
  return text + '.';
}

// --- rows ---

struct SourceView {
  std::string page;
  std::vector<LineProfile> lines;
  std::vector<const HeatColumn*> columns;
  std::uint64_t whole = 0, most = 0;  ///< cost of all lines, and of the costliest

  std::size_t number_columns() const { return lines.empty() ? 0 : columns.size() + 1; }
};

Markup line_heading(const SourceView& view, unsigned line) {
  return Markup::element("th", {{"scope", "row"}, {"class", "line"}, {"id", line_id(view.page, line)}},
                         fmt::to_string(line));
}

Markup number_cells(const SourceView& view, const LineProfile& line) {
  const double share = share_of(line.cost(), view.whole);
  const Markup exact =
      Markup::element("details", Markup::element("summary", percent_of(share)) +
                                     Markup::element("span", {{"class", "exact"}}, exact_numbers(line)));
  Markup cells =
      Markup::element("td",
                      {{"class", fmt::format("number {}", heat_class(share_of(line.cost(), view.most)))},
                       {"data-label", "cost"}},
                      exact);
  for (const HeatColumn* column : view.columns) {
    if (!column->is_used(line)) {
      cells += Markup::element("td", {{"class", "none"}}, Markup());
      continue;
    }
    const HeatCell cell = column->cell(line);
    cells += Markup::element(
        "td", {{"class", fmt::format("number {}", heat_class(cell.heat))}, {"data-label", column->heading}},
        cell.text);
  }
  return cells;
}

Markup source_row(const SourceView& view, unsigned number, const std::string& text,
                  const LineProfile* profile) {
  const Markup code = Markup::element("td", {{"class", "code"}}, Markup::element("code", Markup::text(text)));
  if (profile != nullptr)
    return Markup::element("tr", {{"class", "counted"}, {"title", exact_numbers(*profile)}},
                           line_heading(view, number) + number_cells(view, *profile) + code);
  Markup none;
  for (std::size_t i = 0; i < view.number_columns(); ++i)
    none += Markup::element("td", {{"class", "none"}}, Markup());
  return Markup::element("tr", line_heading(view, number) + none + code);
}

Markup note_row(const SourceView& view, const Note& note) {
  const Markup content =
      Markup::element("strong", note.label + cases_of(note) + ": ") + Markup::text(note.sentence);
  return Markup::element(
      "tr", {{"class", "note"}},
      Markup::element("td", {{"class", "none"}}, Markup()) +
          Markup::element("td", {{"colspan", fmt::to_string(view.number_columns() + 1)}}, content));
}

Markup heading_row(const SourceView& view) {
  const auto heading = [](const char* text) { return Markup::element("th", {{"scope", "col"}}, text); };
  Markup row = heading("line");
  if (!view.lines.empty()) {
    row += heading("cost");
    for (const HeatColumn* column : view.columns) row += heading(column->heading);
  }
  return Markup::element("thead", Markup::element("tr", row + heading("source")));
}

Markup gap_row(const SourceView& view, std::size_t left_out) {
  return Markup::element("tr", {{"class", "note"}},
                         Markup::element("td", {{"colspan", fmt::to_string(view.number_columns() + 2)}},
                                         fmt::format("… {} of which nothing was found are left out",
                                                     counted(left_out, "line"))));
}

Markup source_rows(const SourceView& view, const std::vector<std::string>& source, const LineNotes& notes) {
  std::map<unsigned, const LineProfile*> profiles;
  for (const LineProfile& line : view.lines) profiles[line.line] = &line;
  Markup rows;
  std::size_t left_out = 0;
  for (std::size_t i = 0; i < source.size(); ++i) {
    const auto number = static_cast<unsigned>(i + 1);
    const auto profile = profiles.find(number);
    const auto of_line = notes.find(number);
    if (i >= kMaxSourceLines && profile == profiles.end() && of_line == notes.end()) {
      ++left_out;
      continue;
    }
    rows += source_row(view, number, source[i], profile == profiles.end() ? nullptr : profile->second);
    if (of_line == notes.end()) continue;
    for (const Note& note : of_line->second) rows += note_row(view, note);
  }
  return left_out == 0 ? rows : rows + gap_row(view, left_out);
}

}  // namespace

std::vector<LineProfile> counted_lines(const ExerciseResult& result) {
  return profile_lines(result, std::filesystem::path(result.submission).filename().string(), result.source);
}

Markup linked_place(const ExerciseResult& result, const std::string& page, const Place& place) {
  const Markup words = Markup::element("code", fmt::format("{}:{}", place.file, place.line));
  const auto lines = static_cast<std::size_t>(1 + std::ranges::count(result.source, '\n'));
  const bool is_shown = is_of_submission(result, place) && place.line <= std::min(lines, kMaxSourceLines);
  return is_shown ? Markup::link(line_id(page, place.line), words) : words;
}

Markup quoted_line(const Place& place) {
  const std::string line = printable(place.text);
  const std::size_t begin = line.find_first_not_of(' ');
  return begin == std::string::npos ? Markup()
                                    : Markup::element("pre", Markup::element("code", line.substr(begin)));
}

Markup source_table(const ExerciseResult& result, const std::string& page) {
  const std::vector<std::string> source = split_lines(printable_lines(result.source));
  if (source.empty()) return {};
  SourceView view;
  view.page = page;
  view.lines = counted_lines(result);
  view.columns = used_columns(view.lines);
  view.whole = total_cost(view.lines);
  for (const LineProfile& line : view.lines) view.most = std::max(view.most, line.cost());
  const std::string caption = view.lines.empty() ? "The source, with what was found at its lines"
                                                 : "The source, with what each line cost";
  const Markup table =
      Markup::element("table", {{"class", view.lines.empty() ? "source plain" : "source"}},
                      Markup::element("caption", caption) + heading_row(view) +
                          Markup::element("tbody", source_rows(view, source, notes_of(result, view.lines))));
  return wide_region("Source", table);
}

}  // namespace lockstep::report
