#include "classroom/class_page.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <utility>

#include "report/html_cases.h"
#include "report/html_style.h"
#include "report/markup.h"
#include "report/text_style.h"
#include "storage/date.h"

namespace lockstep::classroom {
namespace {

using report::counted;
using report::Markup;
using report::number;
using result::Verdict;

constexpr const char* kClassStyle = R"(
svg.histogram { width: 11rem; height: 2.5rem; min-width: 11rem; }
svg.histogram rect { fill: var(--link); } svg.histogram rect.axis { fill: var(--edge); }
td.marked { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
td.cause { min-width: 18rem; }
nav a { margin-right: 1rem; display: inline-block; }
@media (max-width: 40rem) { meter { width: 4rem; } svg.histogram { width: 7rem; min-width: 7rem; } }
)";

Markup head_cell(const Markup& content) { return Markup::element("th", {{"scope", "row"}}, content); }
Markup head_cell(const std::string& text) { return head_cell(Markup::text(text)); }
Markup count_cell(const std::string& text) { return Markup::element("td", {{"class", "number"}}, text); }
Markup count_cell(std::size_t count) { return count_cell(fmt::to_string(count)); }

Markup bar_cell(std::size_t count, std::size_t most) {
  return Markup::element("td", Markup::element("meter",
                                               {{"min", "0"},
                                                {"max", fmt::to_string(std::max<std::size_t>(most, 1))},
                                                {"value", fmt::to_string(count)},
                                                {"aria-hidden", "true"}},
                                               Markup()));
}

/// A part of the page with a heading of its own.
struct Section {
  const char* id;
  const char* heading;
  Markup content;  ///< without any it is left out
};

Markup section_markup(const Section& section) {
  return Markup::element("section", {{"aria-labelledby", section.id}},
                         Markup::element("h2", {{"id", section.id}}, section.heading) + section.content);
}

Markup student_link(const StudentRow& row) {
  return Markup::file_link("reports/" + safe_name(row.id) + "/index.html", Markup::text(shown_name(row)));
}

/// Of the table those that somebody handed in.
std::vector<std::string> shown_exercises(const ClassTable& table, const ClassSummary& summary) {
  std::vector<std::string> shown;
  for (const std::string& exercise : table.exercises)
    if (summary.of(exercise).handed_in > 0) shown.push_back(exercise);
  return shown;
}

Markup remarks_list(const ClassTable& table) {
  constexpr std::size_t kShown = 12;
  const std::vector<ClassRemark> remarks = remarks_of(table);
  Markup first, others;
  for (std::size_t i = 0; i < remarks.size(); ++i) {
    const ClassRemark& remark = remarks[i];
    Markup item;
    if (remark.row != nullptr) item = student_link(*remark.row) + Markup::text(": ");
    (i < kShown ? first : others) += Markup::element("li", item + Markup::text(remark.what));
  }
  if (first.empty()) return {};
  Markup list = Markup::element("ul", first);
  if (!others.empty())
    list += Markup::element("details",
                            Markup::element("summary", fmt::format("{} more", remarks.size() - kShown)) +
                                Markup::element("ul", others));
  return list;
}

// --- distribution ---

std::string bin_name(std::size_t bin) {
  return bin + 1 == ExerciseSummary::kBins ? "full points"
                                           : fmt::format("{} to {} %", bin * 10, bin * 10 + 10);
}

Markup histogram(const ExerciseSummary& summary) {
  constexpr std::size_t kWidth = 10, kHeight = 28;
  const std::size_t most = std::ranges::max(summary.distribution);
  std::string words;
  Markup bars = Markup::element("rect",
                                {{"class", "axis"},
                                 {"x", "0"},
                                 {"y", fmt::to_string(kHeight)},
                                 {"width", fmt::to_string(kWidth * ExerciseSummary::kBins)},
                                 {"height", "1"}},
                                Markup());
  for (std::size_t bin = 0; bin < ExerciseSummary::kBins; ++bin) {
    const std::size_t count = summary.distribution[bin];
    if (count == 0) continue;
    words += fmt::format("{}{}: {}", words.empty() ? "" : ", ", bin_name(bin), count);
    const double height = static_cast<double>(kHeight * count) / static_cast<double>(most);
    bars += Markup::element("rect",
                            {{"x", fmt::to_string(bin * kWidth + 1)},
                             {"y", fmt::format("{:.2f}", static_cast<double>(kHeight) - height)},
                             {"width", fmt::to_string(kWidth - 1)},
                             {"height", fmt::format("{:.2f}", height)}},
                            Markup());
  }
  return Markup::element("svg",
                         {{"xmlns", "http://www.w3.org/2000/svg"},
                          {"class", "histogram"},
                          {"role", "img"},
                          {"aria-label", words.empty() ? "nobody has points" : words},
                          {"viewBox", "0 0 110 29"},
                          {"preserveAspectRatio", "none"}},
                         bars);
}

Markup exercises_tables(const ClassSummary& summary, const std::vector<std::string>& exercises) {
  Markup rows, numbers;
  for (const std::string& exercise : exercises) {
    const ExerciseSummary& one = summary.of(exercise);
    double sum = 0;
    for (const double points : one.points) sum += points;
    const double mean = one.points.empty() ? 0 : sum / static_cast<double>(one.points.size());
    rows += Markup::element("tr", head_cell(exercise) + Markup::element("td", histogram(one)) +
                                      count_cell(one.handed_in) + count_cell(one.judged) +
                                      count_cell(one.passed) +
                                      count_cell(one.judged == 0 ? "-" : points_text(median_of(one.points))) +
                                      count_cell(one.judged == 0 ? "-" : points_text(mean)));
    Markup cells = head_cell(exercise);
    for (const std::size_t count : one.distribution) cells += count_cell(count);
    numbers += Markup::element("tr", cells);
  }
  if (rows.empty()) return {};
  std::vector<std::string> bins = {"exercise"};
  for (std::size_t bin = 0; bin < ExerciseSummary::kBins; ++bin) bins.push_back(bin_name(bin));
  return report::scrolling_table(
             "Points of those that could be judged; the bars go from none, at the left, to full points",
             {"exercise", "distribution", "handed in", "judged", "passed", "median", "mean"}, rows) +
         Markup::element("details",
                         Markup::element("summary", "The bars in numbers") +
                             report::scrolling_table("Students by their share of the points", bins, numbers));
}

// --- what goes wrong ---

Markup mistakes_table(const ClassSummary& summary, const std::vector<std::string>& exercises) {
  constexpr std::size_t kMaxRows = 25;
  std::vector<std::pair<std::string, Mistake>> mistakes;
  for (const std::string& exercise : exercises)
    for (const auto& [key, mistake] : summary.of(exercise).mistakes) mistakes.emplace_back(exercise, mistake);
  std::ranges::stable_sort(mistakes, std::greater<>(), [](const auto& one) { return one.second.students; });
  if (mistakes.size() > kMaxRows) mistakes.resize(kMaxRows);
  Markup rows;
  for (const auto& [exercise, mistake] : mistakes)
    rows += Markup::element("tr", head_cell(exercise) + count_cell(mistake.students) +
                                      bar_cell(mistake.students, summary.of(exercise).judged) +
                                      Markup::element("td", report::verdict_words(mistake.verdict)) +
                                      Markup::element("td", {{"class", "cause"}}, mistake.example));
  if (rows.empty()) return {};
  return report::scrolling_table(
      "Of each submission what its verdict stands for",
      {"exercise", "students", "share", "verdict", "likely cause or what happened, of one of them"}, rows);
}

Markup gates_table(const ClassSummary& summary, const std::vector<std::string>& exercises) {
  struct Row {
    std::string exercise, gate;
    GateCount count;
  };
  std::vector<Row> failed;
  for (const std::string& exercise : exercises)
    for (const auto& [gate, count] : summary.of(exercise).gates)
      if (count.failed > 0) failed.push_back({exercise, gate, count});
  std::ranges::stable_sort(failed, std::greater<>(), [](const Row& row) {
    return static_cast<double>(row.count.failed) / static_cast<double>(row.count.judged);
  });
  Markup rows;
  for (const Row& row : failed)
    rows +=
        Markup::element("tr", head_cell(row.exercise) + Markup::element("td", row.gate) +
                                  count_cell(fmt::format("{} of {}", row.count.failed, row.count.judged)) +
                                  bar_cell(row.count.failed, row.count.judged));
  if (rows.empty()) return {};
  return report::scrolling_table("Gates, of the submissions that are correct",
                                 {"exercise", "gate", "fail it", "share"}, rows);
}

// --- speed ---

Markup ladder_table(const std::string& exercise, const ExerciseSummary& summary) {
  if (summary.ladder.empty()) return {};
  const std::size_t most = std::ranges::max(summary.between);
  Markup rows;
  for (std::size_t place = summary.between.size(); place-- > 0;) {
    std::string where = "below the slowest";
    if (place > 0)
      where = fmt::format("from {} ({} of the reference's speed)", summary.ladder[place - 1].name,
                          number(summary.ladder[place - 1].speed));
    rows += Markup::element(
        "tr", head_cell(where) + count_cell(summary.between[place]) + bar_cell(summary.between[place], most));
  }
  return Markup::element("h3", exercise) +
         report::scrolling_table("Students from each rung up to the next, the fastest first",
                                 {"rung", "students", "bar"}, rows);
}

// --- who is stuck ---

Markup stuck_list(const std::string& exercise, const ExerciseSummary& summary) {
  std::vector<Stuck> stuck = summary.stuck;
  if (stuck.empty()) return {};
  std::ranges::stable_sort(stuck, {}, &Stuck::points);
  std::ranges::stable_sort(stuck, std::greater<>(), &Stuck::attempts);
  Markup rows;
  for (const Stuck& one : stuck)
    rows += Markup::element("tr", head_cell(student_link(*one.row)) + count_cell(one.attempts) +
                                      count_cell(points_text(one.points)) +
                                      Markup::element("td", report::verdict_words(one.verdict)));
  const std::string about =
      fmt::format("{}: {} of {} have not passed, after up to {}", exercise, stuck.size(), summary.judged,
                  counted(stuck.front().attempts, "file"));
  return Markup::element("details",
                         Markup::element("summary", about) +
                             report::scrolling_table("Those who have tried most often first",
                                                     {"student", "files graded", "points", "verdict"}, rows));
}

// --- time ---

Markup time_table(const ClassSummary& summary, const std::vector<std::string>& exercises) {
  Markup rows;
  for (const std::string& exercise : exercises) {
    const TakenTime& time = summary.of(exercise).time;
    if (time.longest_row == nullptr) continue;
    const auto costliest =
        std::ranges::max_element(time.cases, {}, [](const auto& one) { return one.second; });
    const std::string by_case =
        costliest == time.cases.end()
            ? ""
            : fmt::format("{} ({} s)", costliest->first,
                          number(costliest->second / static_cast<double>(time.seconds.size())));
    rows += Markup::element(
        "tr", head_cell(exercise) + count_cell(time.seconds.size()) +
                  count_cell(number(median_of(time.seconds))) + count_cell(number(time.longest)) +
                  Markup::element("td", student_link(*time.longest_row)) + Markup::element("td", by_case));
  }
  if (rows.empty()) return {};
  return report::scrolling_table(
      "Seconds that judgements took; of the costliest case the seconds of one on average",
      {"exercise", "judgements", "median", "longest", "whose", "costliest case"}, rows);
}

// --- everybody ---

Markup points_cell(const Standing& standing) {
  if (standing.kind == Standing::Kind::not_handed_in)
    return Markup::element("td", {{"class", "marked"}}, "-");
  if (!standing.has_points() || !standing.verdict)
    return Markup::element("td", {{"class", "marked"}}, Markup::element("span", {{"class", "caution"}}, "?"));
  const std::string text = report::mark({}, *standing.verdict) + " " + points_text(standing.points);
  const char* const kind = report::colour_of(*standing.verdict) == report::Colour::good  ? "good"
                           : report::colour_of(*standing.verdict) == report::Colour::bad ? "bad"
                                                                                         : "caution";
  return Markup::element("td", {{"class", "marked"}}, Markup::element("span", {{"class", kind}}, text));
}

Markup students_table(const ClassTable& table, const std::vector<std::string>& exercises) {
  Markup rows;
  for (const StudentRow& row : table.rows) {
    Markup cells = head_cell(student_link(row));
    for (const std::string& exercise : exercises) cells += points_cell(standing_of(row, exercise));
    rows += Markup::element("tr", cells + count_cell(points_text(sum_of(row))));
  }
  if (rows.empty()) return {};
  std::vector<std::string> headings = {"student"};
  headings.insert(headings.end(), exercises.begin(), exercises.end());
  headings.emplace_back("sum");
  return report::scrolling_table("Points; ? is not known, - was not handed in", headings, rows);
}

}  // namespace

std::string class_page(const ClassTable& table, const ClassSummary& summary) {
  const std::vector<std::string> exercises = shown_exercises(table, summary);
  const std::string title = fmt::format("Lockstep: a class of {}, {}", counted(table.rows.size(), "student"),
                                        counted(exercises.size(), "exercise"));
  Markup ladders, stuck;
  for (const std::string& exercise : exercises) {
    ladders += ladder_table(exercise, summary.of(exercise));
    stuck += stuck_list(exercise, summary.of(exercise));
  }
  std::vector<Section> sections = {{"look-at", "To be looked at", remarks_list(table)},
                                   {"exercises", "Exercises", exercises_tables(summary, exercises)},
                                   {"mistakes", "Frequent mistakes", mistakes_table(summary, exercises)},
                                   {"gates", "Gates that fail most often", gates_table(summary, exercises)},
                                   {"ladders", "Ladders of speed", ladders},
                                   {"stuck", "Who is stuck", stuck},
                                   {"time", "What took the most time", time_table(summary, exercises)},
                                   {"students", "Students", students_table(table, exercises)}};
  std::erase_if(sections, [](const Section& section) { return section.content.empty(); });
  Markup links, main;
  for (const Section& section : sections) {
    links += Markup::link(section.id, Markup::text(section.heading)) + Markup::text(" ");
    main += section_markup(section);
  }
  return Markup::page(
      title, (std::string(report::kPageStyle) + kClassStyle).c_str(),
      Markup::element("header",
                      Markup::element("h1", title) +
                          Markup::element("p", {{"class", "faint"}}, "As of " + storage::now_in_utc()) +
                          Markup::element("nav", {{"aria-label", "Parts of this page"}}, links)) +
          Markup::element("main", main));
}

}  // namespace lockstep::classroom
