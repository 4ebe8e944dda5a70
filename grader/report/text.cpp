#include "report/text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

#include "report/printable.h"
#include "report/result_words.h"
#include "text/wording.h"

namespace lockstep::report {
namespace {

using result::CaseResult;
using result::CompilerError;
using result::ExerciseResult;
using result::GateResult;
using result::Mismatch;
using result::Place;
using result::PredictionResult;
using result::PuzzleResult;
using result::Report;
using result::ShownArgument;
using result::ShownCall;
using result::SourceRemark;
using result::Speed;
using result::Verdict;

constexpr std::size_t kCompilerLines = 24;          ///< about one screen; the first error is the one to fix
constexpr std::size_t kExplainedCompilerLines = 8;  ///< where that error has been explained
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

/// Numbers in rows of a few, each behind the index of its first element; a structure begins a row.
std::string table_of_numbers(const std::vector<std::string>& numbers, std::uint64_t fields,
                             const TextStyle& style) {
  constexpr std::size_t kIndent = 8, kMaxColumns = 8;
  std::size_t width = 1;
  for (const std::string& number : numbers) width = std::max(width, display_width(number));
  const std::size_t index_width = fmt::format("[{}]", numbers.size()).size();
  const std::size_t room = style.width - std::min(style.width, kIndent + index_width);
  const std::size_t columns = std::clamp<std::size_t>(room / (width + 2), 1, kMaxColumns);
  std::string text;
  for (std::size_t first = 0, in_row = 0; first < numbers.size(); first += in_row) {
    const std::size_t left_of_element = fields == 1 ? columns : fields - first % fields;
    in_row = std::min({columns, left_of_element, numbers.size() - first});
    const std::string index = first % fields == 0 ? fmt::format("[{}]", first / fields) : "";
    text += std::string(kIndent, ' ') + paint(style, Colour::faint, pad(index, index_width));
    for (std::size_t i = first; i < first + in_row; ++i)
      text += "  " + std::string(width - display_width(numbers[i]), ' ') + printable(numbers[i]);
    text += '\n';
  }
  return text;
}

std::string shown_buffer(const ShownArgument& argument, const TextStyle& style) {
  std::string size = counted(argument.size, "element");
  if (argument.fields > 1) size += fmt::format(" of {} {}s", argument.fields, argument.type);
  if (argument.values.size() < argument.size * argument.fields)
    size += fmt::format(", the first {} numbers", argument.values.size());
  const bool is_output = argument.kind == ShownArgument::Kind::output;
  std::string text =
      fmt::format("      {}  {}, {}{}\n", paint(style, Colour::strong, printable(argument.name)),
                  argument.type, size, is_output ? ": expected" : "");
  text += table_of_numbers(argument.values, argument.fields, style);
  if (!is_output) return text;
  text += argument.found.empty() ? "      and not looked at, as the call did not end well\n"
                                 : "      and found\n";
  return text + table_of_numbers(argument.found, argument.fields, style);
}

/// What a call was given and what it left.
std::string shown_call(const ShownCall& shown, const TextStyle& style) {
  std::string text = fmt::format("    Call {} of {}\n\n", shown.call, shown.calls);
  std::string scalars;
  for (const ShownArgument& one : shown.arguments) {
    if (one.kind == ShownArgument::Kind::scalar)
      scalars += fmt::format("{}{} = {}", scalars.empty() ? "" : ", ", one.name, fmt::join(one.values, ""));
  }
  text += prose(style, scalars, 6);
  for (const ShownArgument& one : shown.arguments) {
    if (one.kind != ShownArgument::Kind::scalar) text += shown_buffer(one, style);
  }
  return text;
}

/// `command`: ExerciseResult::case_command.
std::string failed_case(const CaseResult& failed, const std::string& command, const TextStyle& style) {
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
  if (!failed.mismatches.empty() && !command.empty()) {
    // In one line, so that it can be copied: the terminal breaks one that is too long.
    result += fmt::format("\n    Its inputs: {} {}\n", printable(command),
                          printable(text::shell_word(failed.name)));
  }
  return result;
}

/// The line to fix and what is wrong with it, then what the compiler says.
std::string compiler(const ExerciseResult& result, const TextStyle& style) {
  if (result.compiler_output.empty() || result.verdict != Verdict::compile_error) return "";
  std::string text;
  if (result.compiler_error) {
    const CompilerError& error = *result.compiler_error;
    if (error.place.line != 0) text += '\n' + quote(style, error.place, "", 2);
    text +=
        '\n' + prose(style, error.meaning.empty() ? "The compiler says: " + error.message : error.meaning, 2);
  }
  const bool is_explained = result.compiler_error && !result.compiler_error->meaning.empty();
  text += '\n' + excerpt(style, result.compiler_output,
                         is_explained ? kExplainedCompilerLines : kCompilerLines, false);
  return text;
}

/// How many cases passed in the student's grading before, where that was another number.
std::string change_of_cases(const ExerciseResult& result, const TextStyle& style) {
  const std::uint64_t passed = passed_cases(result);
  if (!result.previous_passed || *result.previous_passed == passed) return "";
  const std::string change = fmt::format("was {} of {}, now {}", *result.previous_passed,
                                         counted(result.cases.size(), "case"), passed);
  return fmt::format("    {}\n", paint(style, Colour::faint, change));
}

std::string correctness(const ExerciseResult& result, const TextStyle& style) {
  std::uint64_t passed = 0;
  double seconds = 0;
  std::vector<const CaseResult*> failed;
  std::string remark;  // the last: small cases have answers in which right ones agree
  for (const CaseResult& one : result.cases) {
    if (one.verdict == Verdict::passed) {
      ++passed;
      if (!one.remark.empty()) remark = one.remark;
      seconds += one.seconds;
    } else if (one.verdict != Verdict::not_measured) {
      failed.push_back(&one);
    }
  }
  if (!failed.empty()) remark.clear();
  std::string text;
  if (const CaseResult* shown = most_telling_case(result.cases)) {
    text += failed_case(*shown, result.case_command, style) + '\n';
    std::erase(failed, shown);
  }
  if (!failed.empty()) {
    std::string names;
    for (std::size_t i = 0; i < std::min(failed.size(), kNamedCases); ++i) {
      names += fmt::format("{}{} ({})", i > 0 ? ", " : "", printable(failed[i]->name),
                           name_of(failed[i]->verdict));
    }
    if (failed.size() > kNamedCases) names += ", …";
    text += labelled(style, mark(style, failed.front()->verdict), 1,
                     fmt::format("{} failed: {}", counted(failed.size(), "more case"), names));
  }
  if (passed > 0) {
    text += fmt::format("  {} {} passed{}\n", mark(style, Verdict::passed), counted(passed, "case"),
                        seconds >= 0.05 ? fmt::format(" in {:.1f} s", seconds) : "");
  }
  text += prose(style, remark, 4);
  if (const std::string not_run = words_of_cases_not_run(result.cases); !not_run.empty())
    text += labelled(style, mark(style, Verdict::not_measured), 1, not_run);
  text += change_of_cases(result, style);
  for (const CaseResult& one : result.cases) {
    if (!one.shown) continue;
    if (!text.ends_with("\n\n")) text += '\n';
    text += shown_call(*one.shown, style);
  }
  return text;
}

std::string failed_gate(const GateResult& gate, const TextStyle& style) {
  std::string about = gate.description;
  if (!gate.case_name.empty()) about += fmt::format(" Worst in case {}.", gate.case_name);
  std::string text;
  if (gate.previous && !counts_nothing(gate)) {
    const std::string was = number_beside(*gate.previous, gate.limit);
    const std::string now = number_beside(gate.value, gate.limit);
    const std::string change = fmt::format("was {}, now {}, asked {}", was, now, number(gate.limit));
    if (was != now) text += fmt::format("      {}\n", paint(style, Colour::faint, change));
  }
  text += prose(style, about, 6);
  if (!gate.worst.empty()) text += '\n';
  const std::string note = printable(gate.explanation);
  const auto place_width = [](const Place& place) {
    return display_width(fmt::format("{}:{}  ", printable(place.file), place.line));
  };
  const bool beside =
      gate.worst.size() == 1 && 6 + place_width(gate.worst.front()) + display_width(note) <= style.width;
  for (const Place& place : gate.worst) text += quote(style, place, beside ? note : "", 6);
  if (!beside) {
    if (!gate.worst.empty()) text += '\n';
    text += prose(style, note, 6);
  }
  if (!gate.advice.empty()) text += '\n' + prose(style, gate.advice, 6);
  return text;
}

std::string repair(const ExerciseResult& result, const TextStyle& style) {
  if (!result.repair) return "";
  std::string text =
      fmt::format("  {} {}\n", mark(style, result.repair->verdict), changes_of(*result.repair));
  if (result.repair->verdict != Verdict::passed) {
    text += prose(style, kAboutRepair, 4);
  }
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
    // What kernels did not do says nothing by a number that keeps the limit.
    const std::string value = counts_nothing(gate) ? "-" : number_beside(gate.value, gate.limit);
    text += fmt::format("  {} {}  {:>7}  {} {:>7}\n", mark(style, gate.verdict),
                        pad(printable(gate.name), width), value, bound_of(gate), number(gate.limit));
    if (gate.verdict != Verdict::passed) text += failed_gate(gate, style) + '\n';
  }
  return text;
}

std::string speed_line(const Speed& speed, const TextStyle& style) {
  if (!speed.counts) return "";
  return labelled(style, mark(style, speed.verdict), 1, speed_words(speed));
}

/// What a reader must know of the GPU to believe the speed; empty when all was well.
std::string gpu_warning(const Speed& speed, const TextStyle& style) {
  const std::string warning = slowdown_words(speed);
  return warning.empty() ? "" : paint(style, Colour::caution, prose(style, warning, 4));
}

std::string title_line(const ExerciseResult& result, const TextStyle& style) {
  const std::string verdict = paint(style, colour_of(result.verdict),
                                    fmt::format("{}: {}", printable(result.name), name_of(result.verdict)));
  const std::string points = result.only_case.empty()
                                 ? fmt::format("{:.1f} of {:.0f} points", result.points, result.max_points)
                                 : fmt::format("case {} alone, without points", printable(result.only_case));
  return fmt::format("{} {}   {}\n", mark(style, result.verdict), verdict, points);
}

/// A row for each puzzle.
std::string puzzles(const ExerciseResult& result, const TextStyle& style) {
  std::size_t width = 0;
  for (const PuzzleResult& puzzle : result.puzzles) width = std::max(width, display_width(puzzle.name));
  std::string text;
  for (const PuzzleResult& puzzle : result.puzzles) {
    text += fmt::format("  {} {}  ", mark(style, puzzle.verdict), pad(printable(puzzle.name), width));
    if (result.only_case.empty()) text += fmt::format("{:.1f} of {:.3g}  ", puzzle.points, puzzle.max_points);
    text += fmt::format("{}\n", paint(style, colour_of(puzzle.verdict), name_of(puzzle.verdict)));
  }
  return text;
}

/// What is written beside a prediction's name: "?" where there is none, "-" where it is not shown.
std::string predicted_number(const std::optional<double>& value, const char* none) {
  return value ? fmt::format("{}", *value) : none;
}

/// A row for each prediction, then of each wrong one its question, line and reason.
std::string predictions(const ExerciseResult& result, const TextStyle& style) {
  if (result.predictions.empty()) return "";
  std::size_t width = 10;
  for (const PredictionResult& one : result.predictions) width = std::max(width, display_width(one.name));
  std::string text = fmt::format(
      "    {}\n",
      paint(style, Colour::faint, fmt::format("{}  predicted  measured", pad("prediction", width))));
  std::string reasons;
  for (const PredictionResult& one : result.predictions) {
    const Verdict shown = one.predicted ? one.verdict : Verdict::not_measured;
    const std::string numbers =
        fmt::format("{}  {:>9}  {:>8}  ", pad(printable(one.name), width),
                    predicted_number(one.predicted, "?"), predicted_number(one.measured, "-"));
    const std::size_t room = style.width - std::min(style.width, 4 + display_width(numbers));
    text += fmt::format("  {} {}{}\n", mark(style, shown), numbers,
                        cut(one.predicted ? printable(one.unit) : "not predicted", room));
    if (shown != Verdict::wrong_answer) continue;
    reasons += fmt::format("\n  {}\n", paint(style, Colour::strong, printable(one.name)));
    reasons += prose(style, one.question, 4);
    if (!one.places.empty()) reasons += '\n';
    for (const Place& place : one.places) reasons += quote(style, place, place.part, 4);
    reasons += '\n' + prose(style, one.why, 4);
    if (one.is_withheld)
      reasons += prose(style, "What was measured is shown once the prediction is right.", 4);
  }
  return text + reasons;
}

/// What a file of predictions says that could not be graded.
std::string unread_lines(const std::vector<SourceRemark>& unread, const TextStyle& style) {
  if (unread.empty()) return "";
  std::string text = "\n  This could not be read, and all else was graded:\n";
  for (const SourceRemark& one : unread) {
    text += '\n';
    if (one.place.line != 0) text += quote(style, one.place, "", 4);
    text += prose(style, one.sentence, 4);
  }
  return text;
}

/// What right code does that it would rather not do.
std::string remarks_on_lines(const std::vector<SourceRemark>& remarks, const TextStyle& style) {
  if (remarks.empty()) return "";
  std::string text = "\n  No points are lost by this, and it is worth knowing:\n";
  for (const SourceRemark& remark : remarks)
    text += '\n' + quote(style, remark.place, "", 4) + '\n' + prose(style, remark.sentence, 4);
  return text;
}

/// What the submission printed in one case.
std::string printed(const ExerciseResult& result, const TextStyle& style) {
  const std::optional<Printed> shown = printed_by(result);
  if (!shown) return "";
  return fmt::format("\n  {}:\n", shown->where) +
         excerpt(style, shown->text, kOutputLines, shown->is_truncated);
}

/// All of one function: its cases, technique and speed, and what it printed.
std::string findings(const ExerciseResult& result, const TextStyle& style) {
  std::string text = correctness(result, style) + repair(result, style);
  // One that passed needs no list of what each puzzle counted.
  if (result.puzzles.empty()) text += technique(result, style);
  if (!result.only_case.empty()) {
    // Neither technique nor speed is that of one case.
  } else if (is_correct(result)) {
    text += speed_line(result.speed, style) + gpu_warning(result.speed, style);
    text += remarks_on_lines(result.remarks, style);
  } else if (!result.cases.empty()) {
    const char* const later = result.speed.counts ? "    Technique and speed count once every case passes."
                                                  : "    Technique counts once every case passes.";
    text += paint(style, Colour::faint, later) + '\n';
  }
  if (result.verdict != Verdict::passed || !result.only_case.empty()) text += printed(result, style);
  return text;
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
  text += fmt::format("  {}\n", paint(style, Colour::faint, printable(text::shown_path(result.submission))));
  if (!result.course_version.empty())
    text += fmt::format("  {}\n",
                        paint(style, Colour::faint, "private course, version " + result.course_version));
  if (!result.seed_digest.empty()) {
    const std::string seed =
        result.seed.empty() ? "digest of the seed " + result.seed_digest : "seed " + result.seed;
    text += fmt::format("  {}\n", paint(style, Colour::faint, seed));
  }
  if (!result.message.empty()) text += '\n' + prose(style, result.message, 2);
  text += compiler(result, style);
  text += predictions(result, style) + unread_lines(result.unread, style);
  text += puzzles(result, style);
  if (const PuzzleResult* puzzle = first_unsolved(result)) {
    text += change_of_cases(result, style);
    text +=
        fmt::format("\n  {}\n", paint(style, Colour::strong, printable(puzzle->name + ": " + puzzle->title)));
    if (!puzzle->message.empty()) text += '\n' + prose(style, puzzle->message, 2);
    text += findings(result_of_puzzle(result, *puzzle), style);
  } else {
    text += findings(result, style);
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
