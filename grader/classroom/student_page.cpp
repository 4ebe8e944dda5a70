#include "classroom/student_page.h"

#include <fmt/format.h>

#include "report/html_cases.h"
#include "report/html_style.h"
#include "report/markup.h"

namespace lockstep::classroom {
namespace {

using report::Markup;

/// What came of an exercise, in the words of a student.
Markup outcome_words(const Standing& standing) {
  switch (standing.kind) {
    case Standing::Kind::not_handed_in:
      return Markup::text("not handed in");
    case Standing::Kind::refused:
      return Markup::text("not graded: " + standing.why);
    case Standing::Kind::due:
      return Markup::text("not graded yet");
    case Standing::Kind::graded:
      break;
  }
  return standing.verdict ? report::verdict_words(*standing.verdict) : Markup();
}

Markup student_row(const ClassTable& table, const StudentGrading& one) {
  const Markup name = one.report_file.empty()
                          ? Markup::text(one.exercise)
                          : Markup::file_link(one.report_file, Markup::text(one.exercise));
  const auto facts = table.facts.find(one.exercise);
  std::string points = one.standing.has_points() ? points_text(one.standing.points) : "not known";
  if (facts != table.facts.end()) points += " of " + points_text(facts->second.max_points);
  const std::string next = one.result ? one.result->next_step : "";
  return Markup::element("tr", Markup::element("th", {{"scope", "row"}}, name) +
                                   Markup::element("td", outcome_words(one.standing)) +
                                   Markup::element("td", {{"class", "number"}}, points) +
                                   Markup::element("td", next));
}

}  // namespace

std::string student_page(const ClassTable& table, const StudentRow& row,
                         const std::vector<StudentGrading>& gradings) {
  const std::string title = "Lockstep: " + shown_name(row);
  Markup rows;
  double most = 0;
  for (const StudentGrading& one : gradings) {
    rows += student_row(table, one);
    if (const auto facts = table.facts.find(one.exercise); facts != table.facts.end())
      most += facts->second.max_points;
  }
  Markup remarks;
  for (const std::string& problem : row.problems) remarks += Markup::element("li", problem);
  Markup body = report::scrolling_table("Exercises", {"exercise", "verdict", "points", "next"}, rows);
  if (!remarks.empty())
    body += Markup::element(
        "section", Markup::element("h2", "What could not be graded") + Markup::element("ul", remarks));
  const std::string sum = fmt::format("{} of {} points", points_text(sum_of(row)), points_text(most));
  return Markup::page(title, report::kPageStyle,
                      Markup::element("header", Markup::element("h1", title) +
                                                    Markup::element("p", {{"class", "verdict"}}, sum)) +
                          Markup::element("main", body));
}

}  // namespace lockstep::classroom
