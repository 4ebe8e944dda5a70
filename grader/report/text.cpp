#include "report/text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

#include "report/calibration.h"
#include "report/printable.h"
#include "report/source_files.h"

namespace lockstep::report {
namespace {

constexpr std::size_t kCompilerLines = 24;  ///< about one screen; the first error is the one to mend
constexpr std::size_t kOutputLines = 8;
constexpr std::size_t kNamedCases = 4;

std::string pad(std::string_view text, std::size_t width) {
  const std::size_t used = display_width(text);
  return std::string(text) + std::string(width > used ? width - used : 0, ' ');
}

/// A label, and text that wraps beside it.
std::string labelled(const TextStyle& style, const std::string& label, std::size_t label_width,
                     std::string_view text) {
  const std::size_t indent = 2 + label_width + 1;
  const std::string body = prose(style, text, indent);
  return fmt::format("  {} {}", label, body.substr(std::min(body.size(), indent)));
}

/// A line of foreign text on the page: a sentence is wrapped, what is indented (quoted code, and marks below
/// it) keeps its columns and is cut.
std::vector<std::string> fitted(const std::string& line, std::size_t width) {
  if (display_width(line) <= width) return {line};
  return line.front() == ' ' ? std::vector{cut(line, width)} : wrap(line, width);
}

/// Foreign text line by line behind a bar, cut to a number of lines.
std::string excerpt(const TextStyle& style, std::string_view text, std::size_t most_lines, bool more_exists) {
  std::string result;
  std::vector<std::string> lines;
  for (const std::string& line : split_lines(printable_lines(text))) {
    const std::vector<std::string> parts = fitted(line, style.width - 6);
    lines.insert(lines.end(), parts.begin(), parts.end());
  }
  const std::size_t shown = std::min(lines.size(), most_lines);
  for (std::size_t i = 0; i < shown; ++i) {
    const std::string bar = paint(style, Colour::faint, "|");
    result += lines[i].empty() ? fmt::format("    {}\n", bar) : fmt::format("    {} {}\n", bar, lines[i]);
  }
  if (shown < lines.size() || more_exists) {
    std::string rest = shown < lines.size() ? counted(lines.size() - shown, "more line") : "";
    if (more_exists) rest += rest.empty() ? "more was cut" : ", and more was cut";
    result += fmt::format("    {}\n", paint(style, Colour::faint, "| … " + rest));
  }
  return result;
}

/// Widths of columns that want `wanted` and have `available` together: each as it wants, or, where all do not
/// fit, the wider ones what the narrower leave them, in equal parts.
std::array<std::size_t, 3> column_widths(const std::array<std::size_t, 3>& wanted, std::size_t available) {
  std::array<std::size_t, 3> widths{}, order = {0, 1, 2};
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return wanted[a] < wanted[b]; });
  std::size_t left = order.size();
  for (const std::size_t column : order) {
    widths[column] = std::min(wanted[column], available / left--);
    available -= widths[column];
  }
  return widths;
}

std::string mismatch_table(const CaseResult& failed, const TextStyle& style) {
  constexpr std::size_t kMargins = 6 + 2 + 2;
  std::vector<Mismatch> rows = {{"position", "expected", "found"}};
  std::array<std::size_t, 3> wanted{};
  for (const Mismatch& mismatch : failed.mismatches)
    rows.push_back({printable(mismatch.position), printable(mismatch.expected), printable(mismatch.found)});
  for (const Mismatch& row : rows) {
    wanted = {std::max(wanted[0], display_width(row.position)),
              std::max(wanted[1], display_width(row.expected)),
              std::max(wanted[2], display_width(row.found))};
  }
  const auto [position_width, expected_width, found_width] =
      column_widths(wanted, style.width - std::min(style.width, kMargins));
  for (Mismatch& row : rows) {
    row = {cut(row.position, position_width), cut(row.expected, expected_width), cut(row.found, found_width)};
  }
  const auto line = [&, position_width = position_width, expected_width = expected_width](const Mismatch& row,
                                                                                          bool heading) {
    const std::string start =
        fmt::format("{}  {}", pad(row.position, position_width), pad(row.expected, expected_width));
    return heading ? fmt::format("      {}\n", paint(style, Colour::faint, start + "  " + row.found))
                   : fmt::format("      {}  {}\n", start, paint(style, Colour::bad, row.found));
  };
  std::string result = line(rows.front(), true);
  for (std::size_t i = 1; i < rows.size(); ++i) result += line(rows[i], false);
  if (failed.wrong > failed.mismatches.size()) {
    result += fmt::format("      … and {} more of {}\n", failed.wrong - failed.mismatches.size(),
                          counted(failed.total, "element"));
  }
  return result;
}

std::string failed_case(const CaseResult& failed, const TextStyle& style) {
  const std::string heading = fmt::format("case {}: {}", printable(failed.name), name_of(failed.verdict));
  std::string result =
      fmt::format("\n  {} {}\n", mark(style, failed.verdict), paint(style, Colour::strong, heading));
  if (!failed.purpose.empty()) {
    result +=
        fmt::format("    {}\n", paint(style, Colour::faint, cut(printable(failed.purpose), style.width - 4)));
  }
  result += prose(style, failed.message, 4);
  if (!failed.mismatches.empty()) result += '\n' + mismatch_table(failed, style);
  if (!failed.places.empty()) result += '\n';
  for (const Place& place : failed.places) result += quote(style, place, place.part, 4);
  if (!failed.guess.empty()) result += '\n' + prose(style, "Likely cause: " + failed.guess, 4);
  return result;
}

/// Brings those to the front that are told in full, and says how many: the first, and where that names no
/// line of the source, the first that does.
std::size_t put_told_first(std::vector<const CaseResult*>& failed) {
  if (failed.empty() || !failed.front()->places.empty()) return std::min<std::size_t>(failed.size(), 1);
  const auto with_line =
      std::find_if(failed.begin(), failed.end(), [](const CaseResult* one) { return !one->places.empty(); });
  if (with_line == failed.end()) return 1;
  std::rotate(failed.begin() + 1, with_line, with_line + 1);
  return 2;
}

std::string correctness(const ExerciseResult& result, const TextStyle& style) {
  std::uint64_t passed = 0, not_run = 0;
  double seconds = 0;
  std::vector<const CaseResult*> failed;
  for (const CaseResult& one : result.cases) {
    if (one.verdict == Verdict::passed) {
      ++passed;
      seconds += one.seconds;
    } else if (one.verdict == Verdict::not_measured) {
      ++not_run;
    } else {
      failed.push_back(&one);
    }
  }
  std::string text;
  const std::size_t told = put_told_first(failed);
  for (std::size_t i = 0; i < told; ++i) text += failed_case(*failed[i], style);
  if (told > 0) text += '\n';
  if (const std::size_t more = failed.size() - told; more > 0) {
    std::string names;
    for (std::size_t i = told; i < std::min(failed.size(), told + kNamedCases); ++i) {
      names += fmt::format("{}{} ({})", i > told ? ", " : "", printable(failed[i]->name),
                           name_of(failed[i]->verdict));
    }
    if (more > kNamedCases) names += ", …";
    text += labelled(style, mark(style, failed[told]->verdict), 1,
                     fmt::format("{} failed: {}", counted(more, "more case"), names));
  }
  if (passed > 0) {
    text += fmt::format("  {} {} passed{}\n", mark(style, Verdict::passed), counted(passed, "case"),
                        seconds >= 0.05 ? fmt::format(" in {:.1f} s", seconds) : "");
  }
  if (not_run > 0)
    text += fmt::format("  {} {} not run\n", mark(style, Verdict::not_measured), counted(not_run, "case"));
  return text;
}

std::string failed_gate(const GateResult& gate, const TextStyle& style) {
  std::string about = gate.description;
  if (!gate.case_name.empty()) about += fmt::format(" Worst in case {}.", gate.case_name);
  std::string text = prose(style, about, 6);
  if (!gate.worst.empty()) text += '\n';
  const std::string note = printable(gate.explanation);
  const auto place_width = [](const Place& place) {
    return display_width(fmt::format("{}:{}  ", printable(place.file), place.line));
  };
  const bool beside =
      !gate.worst.empty() && 6 + place_width(gate.worst.front()) + display_width(note) <= style.width;
  for (std::size_t i = 0; i < gate.worst.size(); ++i)
    text += quote(style, gate.worst[i], i == 0 && beside ? note : "", 6);
  if (!beside) {
    if (!gate.worst.empty()) text += '\n';
    text += prose(style, note, 6);
  }
  if (!gate.advice.empty()) text += '\n' + prose(style, gate.advice, 6);
  return text;
}

std::string technique(const ExerciseResult& result, const TextStyle& style) {
  std::size_t width = 0;
  for (const GateResult& gate : result.gates) {
    if (gate.verdict != Verdict::not_measured) width = std::max(width, display_width(gate.name));
  }
  std::string text;
  for (const GateResult& gate : result.gates) {
    if (gate.verdict == Verdict::not_measured) continue;
    text +=
        fmt::format("  {} {}  {:>7}  {} {:>7}\n", mark(style, gate.verdict), pad(printable(gate.name), width),
                    number_beside(gate.value, gate.limit), bound_of(gate), number(gate.limit));
    if (gate.verdict != Verdict::passed) text += failed_gate(gate, style) + '\n';
  }
  return text;
}

std::string speed_line(const Speed& speed, const TextStyle& style) {
  if (!speed.ratio)
    return fmt::format("  {} speed not measured: it needs a GPU\n", mark(style, speed.verdict));
  std::string text = fmt::format("speed {} of the reference's", number(*speed.ratio));
  if (speed.interval)
    text += fmt::format(" ({} to {})", number(speed.interval->first), number(speed.interval->second));
  if (speed.ceiling_share && speed.ceiling) {
    text += fmt::format(", {:.0f} % of {} ({})", *speed.ceiling_share * 100, speed.ceiling->description,
                        figure_text(speed.ceiling->rate, speed.ceiling->unit));
  }
  if (speed.between.size() == 2)
    text += fmt::format(", between {} and {}", speed.between[0], speed.between[1]);
  return labelled(style, mark(style, speed.verdict), 1, text);
}

/// What a reader must know of the card to believe the speed; empty when all was well.
std::string card_warning(const Speed& speed, const TextStyle& style) {
  if (!speed.card || speed.card->throttled_rounds == 0) return "";
  return paint(
      style, Colour::caution,
      prose(style,
            fmt::format("The card was slowed down in {} of these measurements ({}), however often they "
                        "were repeated: grade again when it has cooled or has more power.",
                        speed.card->throttled_rounds, fmt::join(speed.card->throttle_reasons, ", ")),
            4));
}

std::string title_line(const ExerciseResult& result, const TextStyle& style) {
  const std::string verdict = paint(style, colour_of(result.verdict),
                                    fmt::format("{}: {}", printable(result.name), name_of(result.verdict)));
  return fmt::format("{} {}   {:.1f} of {:.0f} points\n", mark(style, result.verdict), verdict, result.points,
                     result.max_points);
}

}  // namespace

std::string render_heading(const Report& report, const TextStyle& style) {
  std::string text = paint(style, Colour::faint,
                           fmt::format("{}, {}", printable(report.device.name),
                                       report.seed.empty() ? "seeds from a secret" : "seed " + report.seed)) +
                     '\n';
  for (const std::string& warning : report.warnings) {
    text += paint(style, Colour::caution, prose(style, "Warning: " + warning, 0));
  }
  return text;
}

std::string render_exercise(const ExerciseResult& result, const TextStyle& style) {
  std::string text = '\n' + title_line(result, style);
  text +=
      fmt::format("  {}\n", paint(style, Colour::faint, printable(SourceFiles::shown(result.submission))));
  if (!result.seed_digest.empty()) {
    const std::string seed =
        result.seed.empty() ? "digest of the seed " + result.seed_digest : "seed " + result.seed;
    text += fmt::format("  {}\n", paint(style, Colour::faint, seed));
  }
  if (!result.message.empty()) text += '\n' + prose(style, result.message, 2);
  if (!result.compiler_output.empty() && result.verdict == Verdict::compile_error) {
    text += '\n' + excerpt(style, result.compiler_output, kCompilerLines, false);
  }
  text += correctness(result, style);
  text += technique(result, style);
  if (is_correct(result)) {
    text += speed_line(result.speed, style) + card_warning(result.speed, style);
  } else if (!result.cases.empty()) {
    text += paint(style, Colour::faint, "    Technique and speed count once every case passes.") + '\n';
  }
  if (!result.output.empty() && result.verdict != Verdict::passed) {
    text += "\n  Your code printed:\n" + excerpt(style, result.output, kOutputLines, result.output_truncated);
  }
  if (!result.next_step.empty()) {
    text += '\n' + labelled(style, paint(style, Colour::strong, "Next:"), 5, result.next_step);
  }
  return text;
}

std::string render_summary(const Report& report, const TextStyle& style) {
  if (report.exercises.size() < 2) return "";
  std::size_t width = 0;
  double points = 0, most = 0;
  for (const ExerciseResult& result : report.exercises) width = std::max(width, display_width(result.name));
  std::string text = "\n";
  for (const ExerciseResult& result : report.exercises) {
    points += result.points;
    most += result.max_points;
    text += fmt::format("{} {}  {:>5.1f} of {:>3.0f}  {}\n", mark(style, result.verdict),
                        pad(result.name, width), result.points, result.max_points, name_of(result.verdict));
  }
  return text + fmt::format("  {}  {:>5.1f} of {:>3.0f}  points\n", pad("all", width), points, most);
}

std::string render_text(const Report& report, const TextStyle& style) {
  std::string text = render_heading(report, style);
  for (const ExerciseResult& result : report.exercises) text += render_exercise(result, style);
  return text + render_summary(report, style);
}

}  // namespace lockstep::report
