#include "report/html.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <vector>

#include "report/access_figure.h"
#include "report/access_kinds.h"
#include "report/html_attempts.h"
#include "report/html_cases.h"
#include "report/html_source.h"
#include "report/html_style.h"
#include "report/line_profile.h"
#include "report/markup.h"
#include "report/notes.h"
#include "report/printable.h"
#include "report/result_words.h"
#include "report/text_style.h"
#include "text/demangled.h"
#include "text/wording.h"

namespace lockstep::report {
namespace {

using result::ExerciseResult;
using result::GateResult;
using result::Place;
using result::PredictionResult;
using result::PuzzleResult;
using result::Report;
using result::Rung;
using result::Speed;
using result::Verdict;

/// A part of an exercise, with the id by which it is linked.
struct Part {
  const char* id;
  const char* heading;
  Markup content;  ///< may be empty
};

Markup section_of(const std::string& page, const Part& part) {
  const std::string id = fmt::format("{}-{}", page, part.id);
  return Markup::element("section", {{"aria-labelledby", id}},
                         Markup::element("h3", {{"id", id}}, part.heading) + part.content);
}

/// Links to the parts that are there.
Markup contents_of_page(const std::string& page, const std::vector<Part>& parts) {
  Markup items;
  for (const Part& part : parts)
    items +=
        Markup::element("li", Markup::link(fmt::format("{}-{}", page, part.id), Markup::text(part.heading)));
  return Markup::element("nav", {{"aria-label", "Parts of this report"}},
                         Markup::element("ul", {{"class", "parts"}}, items));
}

/// Foreign text in a frame of its own, cut to a number of lines.
Markup framed(std::string_view text, bool more_exists) {
  constexpr std::size_t kMaxLines = 400;
  std::vector<std::string> lines = split_lines(printable_lines(text));
  const std::size_t left_out = lines.size() > kMaxLines ? lines.size() - kMaxLines : 0;
  lines.resize(lines.size() - left_out);
  std::string shown;
  for (const std::string& line : lines) shown += line + '\n';
  Markup frame = Markup::element("pre", {{"tabindex", "0"}}, Markup::element("code", Markup::lines(shown)));
  if (left_out == 0 && !more_exists) return frame;
  std::string rest = left_out > 0 ? counted(left_out, "more line") : "";
  if (more_exists) rest += rest.empty() ? "more was cut" : ", and more was cut";
  return frame + Markup::element("p", "… " + rest);
}

// --- technique ---

std::string bound_words(const GateResult& gate) {
  return fmt::format("{} {}", gate.at_least ? "at least" : "at most", number(gate.limit));
}

Markup gate_row(const GateResult& gate) {
  const bool is_measured = gate.verdict != Verdict::not_measured;
  const bool has_number = is_measured && !counts_nothing(gate);
  std::string value = has_number ? number_beside(gate.value, gate.limit) : "-";
  if (gate.previous && has_number) {
    const std::string was = number_beside(*gate.previous, gate.limit);
    if (was != value) value += fmt::format(" (was {})", was);
  }
  return Markup::element("tr", row_heading(result::label_of(gate)) +
                                   Markup::element("td", verdict_words(gate.verdict)) + number_cell(value) +
                                   number_cell(bound_words(gate)));
}

/// Where a gate fails, and what to do.
Markup failed_gate_block(const ExerciseResult& result, const std::string& page, const GateResult& gate) {
  std::string about = gate.description;
  if (!gate.case_name.empty()) about += fmt::format(" Worst in case {}.", gate.case_name);
  Markup block = Markup::element("h4", result::label_of(gate)) + Markup::element("p", about);
  for (const Place& place : gate.worst) {
    block += Markup::element("p", linked_place(result, page, place)) + quoted_line(place);
  }
  if (!gate.explanation.empty()) block += Markup::element("p", gate.explanation);
  if (!gate.advice.empty()) block += Markup::element("p", gate.advice);
  return block;
}

Markup technique_content(const ExerciseResult& result, const std::string& page) {
  Markup content;
  if (result.repair) {
    content += Markup::element(
        "p", verdict_words(result.repair->verdict) + Markup::text(" " + changes_of(*result.repair)));
    if (result.repair->verdict != Verdict::passed) content += Markup::element("p", kAboutRepair);
  }
  const bool is_judged = std::ranges::any_of(
      result.gates, [](const GateResult& gate) { return gate.verdict != Verdict::not_measured; });
  if (!is_judged) {
    if (result.only_case.empty() && !result.cases.empty() && !result::is_correct(result))
      content += Markup::element("p", "Technique counts once every case passes.");
    return content;
  }
  Markup rows, blocks;
  for (const GateResult& gate : result.gates) {
    rows += gate_row(gate);
    if (gate.verdict == Verdict::inefficient) blocks += failed_gate_block(result, page, gate);
  }
  return content + scrolling_table("Gates", {"gate", "verdict", "value", "limit"}, rows) + blocks;
}

// --- speed ---

Markup rung_row(const std::string& name, double speed, double most, bool is_submission) {
  const Markup meter = Markup::element("meter",
                                       {{"min", "0"},
                                        {"max", fmt::format("{:.4f}", most)},
                                        {"value", fmt::format("{:.4f}", speed)},
                                        {"aria-hidden", "true"}},
                                       Markup());
  const Markup cells = row_heading(name) + number_cell(number(speed)) + Markup::element("td", meter);
  return is_submission ? Markup::element("tr", {{"class", "own"}, {"aria-current", "true"}}, cells)
                       : Markup::element("tr", cells);
}

/// The recorded rungs, the fastest first, with the submission among them where it was measured.
Markup ladder_table(const Speed& speed) {
  if (speed.ladder.empty()) return {};
  double most = speed.on_ladder.value_or(0);
  for (const Rung& rung : speed.ladder) most = std::max(most, rung.speed);
  Markup rows;
  bool is_placed = !speed.on_ladder;
  for (auto rung = speed.ladder.rbegin(); rung != speed.ladder.rend(); ++rung) {
    if (!is_placed && rung->speed <= *speed.on_ladder) {
      rows += rung_row("your submission", *speed.on_ladder, most, true);
      is_placed = true;
    }
    rows += rung_row(rung->name, rung->speed, most, false);
  }
  if (!is_placed) rows += rung_row("your submission", *speed.on_ladder, most, true);
  std::string caption = "The ladder, in shares of the reference's speed";
  if (!speed.ladder_gpu.empty())
    caption +=
        fmt::format(", as recorded on {} ({})", printable(speed.ladder_gpu), printable(speed.ladder_size));
  return scrolling_table(caption, {"rung", "speed", "bar"}, rows);
}

Markup speed_content(const ExerciseResult& result) {
  const Speed& speed = result.speed;
  if (!speed.counts || !result.only_case.empty() || !result::is_correct(result)) return {};
  Markup content =
      Markup::element("p", verdict_words(speed.verdict) + Markup::text(": " + speed_words(speed)));
  if (const std::string warning = slowdown_words(speed); !warning.empty())
    content += Markup::element("p", {{"class", "caution"}}, warning);
  return content + ladder_table(speed);
}

// --- source and drawing ---

Markup kernels_table(const ExerciseResult& result) {
  Markup rows;
  for (const emulator::KernelWork& kernel : result.kernels) {
    rows += Markup::element(
        "tr", row_heading(text::demangled(kernel.kernel)) + number_cell(fmt::to_string(kernel.launches)) +
                  number_cell(fmt::to_string(kernel.blocks)) + number_cell(fmt::to_string(kernel.work)) +
                  number_cell(fmt::to_string(kernel.span)) + number_cell(number(kernel.parallelism())));
  }
  if (rows.empty()) return {};
  return Markup::element(
      "details", Markup::element("summary", "Kernels") +
                     scrolling_table("What the launches of each kernel had to do",
                                     {"kernel", "launches", "blocks", "work", "span", "parallelism"}, rows));
}

Markup source_content(const ExerciseResult& result, const std::string& page) {
  Markup table = source_table(result, page);
  if (table.empty() || counted_lines(result).empty()) return table;
  std::string about =
      fmt::format("Counted on the emulated device: {} of case {}.",
                  counted(static_cast<std::uint64_t>(result.measured_calls), "call"), result.measured_case);
  if (!result::is_correct(result))
    about += " Not every case passed, so perhaps only a part of the work is counted.";
  const char* const legend =
      "Sectors, of 32 bytes of global memory, and wavefronts, passes through shared memory, are those of one "
      "warp's request; excess is the share of them beyond the fewest that the same bytes could take; lanes "
      "are "
      "the share of a warp that took part. The darker a number's background, the more it wastes; that of a "
      "cost, the more it is beside the costliest line's. A cost unfolds to the exact numbers.";
  return Markup::element("p", about) + Markup::element("p", {{"class", "faint"}}, legend) + table +
         kernels_table(result);
}

Markup drawn_access(const emulator::AccessTrace& trace) {
  return Markup::element(
      "figure", wide_region("Drawing of one warp's access", Markup::drawing(trace)) +
                    Markup::element("figcaption", "One warp's access: " + access_caption(trace) + "."));
}

Markup access_content(const ExerciseResult& result, const std::string& page) {
  const std::vector<emulator::AccessTrace> kinds = kinds_of_access(drawn_accesses(result), "");
  if (kinds.empty()) return {};
  const std::string file = std::filesystem::path(result.submission).filename().string();
  Markup content = Markup::element(
      "p", Markup::text("At ") + linked_place(result, page, {file, kinds.front().line.line, ""}));
  content += drawn_access(kinds.front());
  if (kinds.size() == 1) return content;
  Markup others;
  for (std::size_t i = 1; i < kinds.size(); ++i) others += drawn_access(kinds[i]);
  return content + Markup::element("details", Markup::element("summary", "Its other accesses") + others);
}

// --- the exercise ---

Markup puzzles_content(const ExerciseResult& result) {
  Markup rows;
  for (const PuzzleResult& puzzle : result.puzzles) {
    rows += Markup::element(
        "tr", row_heading(puzzle.name + ": " + puzzle.title) +
                  Markup::element("td", verdict_words(puzzle.verdict)) +
                  number_cell(fmt::format("{:.1f} of {:.3g}", puzzle.points, puzzle.max_points)) +
                  Markup::element("td", puzzle.message));
  }
  return rows.empty() ? rows
                      : scrolling_table("The functions that are asked for",
                                        {"function", "verdict", "points", "message"}, rows);
}

Markup prediction_row(const PredictionResult& one) {
  const Verdict shown = one.predicted ? one.verdict : Verdict::not_measured;
  return Markup::element("tr", row_heading(one.name) + Markup::element("td", verdict_words(shown)) +
                                   number_cell(one.predicted ? fmt::format("{}", *one.predicted) : "none") +
                                   number_cell(one.measured ? fmt::format("{}", *one.measured) : "-") +
                                   Markup::element("td", one.unit));
}

/// What a wrong prediction was about, and why it is wrong.
Markup wrong_prediction(const ExerciseResult& result, const std::string& page, const PredictionResult& one) {
  Markup block = Markup::element("h4", one.name) + Markup::element("p", one.question);
  for (const Place& place : one.places)
    block += Markup::element("p", linked_place(result, page, place)) + quoted_line(place);
  if (!one.why.empty()) block += Markup::element("p", one.why);
  if (one.is_withheld)
    block += Markup::element("p", "What was measured is shown once the prediction is right.");
  return block;
}

/// What a file of predictions says that could not be graded.
Markup unread_list(const ExerciseResult& result, const std::string& page) {
  Markup items;
  for (const result::SourceRemark& one : result.unread) {
    Markup item;
    if (one.place.line != 0) item = linked_place(result, page, one.place) + Markup::text(": ");
    items += Markup::element("li", item + Markup::text(one.sentence));
  }
  return items.empty() ? items
                       : Markup::element("p", "This could not be read, and all else was graded:") +
                             Markup::element("ul", items);
}

Markup predictions_content(const ExerciseResult& result, const std::string& page) {
  if (result.predictions.empty()) return unread_list(result, page);
  Markup rows, reasons;
  for (const PredictionResult& one : result.predictions) {
    rows += prediction_row(one);
    if (one.predicted && one.verdict == Verdict::wrong_answer) reasons += wrong_prediction(result, page, one);
  }
  return scrolling_table("Predictions", {"prediction", "verdict", "predicted", "measured", "unit"}, rows) +
         reasons + unread_list(result, page);
}

Markup remarks_content(const ExerciseResult& result, const std::string& page) {
  Markup items;
  for (const result::SourceRemark& remark : result.remarks)
    items += Markup::element("li",
                             linked_place(result, page, remark.place) + Markup::text(": " + remark.sentence));
  return items.empty() ? items
                       : Markup::element("p", "No points are lost by this, and it is worth knowing:") +
                             Markup::element("ul", items);
}

Markup compiler_content(const ExerciseResult& result, const std::string& page) {
  if (result.verdict != Verdict::compile_error || result.compiler_output.empty()) return {};
  Markup content;
  if (result.compiler_error) {
    const result::CompilerError& error = *result.compiler_error;
    if (error.place.line != 0) {
      content += Markup::element("p", linked_place(result, page, error.place)) + quoted_line(error.place);
    }
    content +=
        Markup::element("p", error.meaning.empty() ? "The compiler says: " + error.message : error.meaning);
  }
  return content + framed(result.compiler_output, false);
}

Markup printed_content(const ExerciseResult& result) {
  const std::optional<Printed> printed = printed_by(result);
  if (!printed) return {};
  return Markup::element("p", printed->where + ":") + framed(printed->text, printed->is_truncated);
}

std::string points_words(const ExerciseResult& result) {
  return result.only_case.empty() ? fmt::format("{:.1f} of {:.0f} points", result.points, result.max_points)
                                  : fmt::format("case {} alone, without points", result.only_case);
}

Markup exercise_heading(const ExerciseResult& result, const std::string& page) {
  Markup heading = Markup::element("h2", {{"id", page}}, result.name);
  if (!result.title.empty()) heading += Markup::element("p", {{"class", "faint"}}, result.title);
  heading += Markup::element("p", {{"class", "verdict"}},
                             verdict_words(result.verdict) + Markup::text(", " + points_words(result)));
  std::string facts = text::shown_path(result.submission);
  if (!result.course_version.empty()) facts += ", private course, version " + result.course_version;
  if (!result.seed_digest.empty())
    facts += result.seed.empty() ? ", digest of the seed " + result.seed_digest : ", seed " + result.seed;
  heading += Markup::element("p", {{"class", "faint"}}, facts);
  if (!result.message.empty()) heading += Markup::element("p", result.message);
  if (!result.next_step.empty())
    heading += Markup::element("p", {{"class", "next"}},
                               Markup::element("strong", "Next: ") + Markup::text(result.next_step));
  return heading;
}

Markup exercise_section(const ExerciseResult& result, const std::string& page) {
  std::vector<Part> parts = {{"compiler", "What the compiler says", compiler_content(result, page)},
                             {"functions", "Functions", puzzles_content(result)},
                             {"predictions", "Predictions", predictions_content(result, page)},
                             {"cases", "Cases", cases_content(result, page)},
                             {"technique", "Technique", technique_content(result, page)},
                             {"speed", "Speed", speed_content(result)},
                             {"source", "Source", source_content(result, page)},
                             {"access", "Access to memory", access_content(result, page)},
                             {"remarks", "Remarks", remarks_content(result, page)},
                             {"output", "Output", printed_content(result)},
                             {"attempts", "Your attempts", attempts_content(result)}};
  std::erase_if(parts, [](const Part& part) { return part.content.empty(); });
  Markup body = exercise_heading(result, page);
  if (parts.size() > 1) body += contents_of_page(page, parts);
  for (const Part& part : parts) body += section_of(page, part);
  return Markup::element("section", {{"aria-labelledby", page}}, body);
}

constexpr const char* kMain = "report";  ///< id of the page's main part

std::string id_of(std::size_t exercise) { return fmt::format("exercise-{}", exercise + 1); }

/// Verdicts and points of several exercises, with links to them.
Markup summary_table(const Report& report) {
  if (report.exercises.size() < 2) return {};
  Markup rows;
  double points = 0, most = 0;
  for (std::size_t i = 0; i < report.exercises.size(); ++i) {
    const ExerciseResult& result = report.exercises[i];
    points += result.points;
    most += result.max_points;
    const Markup name = Markup::link(id_of(i), Markup::text(result.name));
    rows += Markup::element("tr", Markup::element("th", {{"scope", "row"}}, name) +
                                      Markup::element("td", verdict_words(result.verdict)) +
                                      number_cell(points_words(result)));
  }
  rows += Markup::element("tr", row_heading("all") + Markup::element("td", Markup()) +
                                    number_cell(fmt::format("{:.1f} of {:.0f} points", points, most)));
  return Markup::element("nav", {{"aria-label", "Exercises"}},
                         scrolling_table("Exercises", {"exercise", "verdict", "points"}, rows));
}

std::string title_of(const Report& report) {
  if (report.exercises.size() != 1) return "Lockstep: a report of several exercises";
  const ExerciseResult& only = report.exercises.front();
  return fmt::format("Lockstep: {}, {}", only.name, name_of(only.verdict));
}

}  // namespace

std::vector<emulator::AccessTrace> drawn_accesses(const ExerciseResult& result) {
  if (!result::is_correct(result)) return {};
  std::map<unsigned, std::vector<emulator::AccessTrace>> by_line;
  for (const auto* accesses : {&result.shared_accesses, &result.global_accesses}) {
    for (const emulator::AccessTrace& access : *accesses)
      if (is_of_submission(result, {access.line.file, access.line.line, ""}))
        by_line[access.line.line].push_back(access);
  }
  for (const GateResult& gate : result.gates) {
    if (gate.verdict != Verdict::inefficient) continue;
    for (const Place& place : gate.worst)
      if (const auto there = by_line.find(place.line); there != by_line.end()) return there->second;
  }
  std::vector<LineProfile> lines = counted_lines(result);
  std::erase_if(lines, [&by_line](const LineProfile& line) { return !by_line.contains(line.line); });
  const auto most = std::ranges::max_element(lines, {}, &LineProfile::cost);
  return most == lines.end() ? std::vector<emulator::AccessTrace>() : by_line.at(most->line);
}

std::string render_html(const Report& report) {
  const std::string title = title_of(report);
  Markup header =
      Markup::element("h1", title) +
      Markup::element("p", {{"class", "faint"}},
                      fmt::format("{}, {}", report.device.name,
                                  report.seed.empty() ? "seeds from a secret" : "seed " + report.seed));
  for (const std::string& warning : report.warnings)
    header += Markup::element("p", {{"class", "caution"}}, "Warning: " + warning);
  Markup exercises = summary_table(report);
  for (std::size_t i = 0; i < report.exercises.size(); ++i)
    exercises += exercise_section(report.exercises[i], id_of(i));
  return Markup::page(
      title, kPageStyle,
      Markup::element("p", {{"class", "skip"}}, Markup::link(kMain, Markup::text("Skip to the report"))) +
          Markup::element("header", header) +
          Markup::element("main", {{"id", kMain}, {"tabindex", "-1"}}, exercises));
}

}  // namespace lockstep::report
