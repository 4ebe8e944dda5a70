#include "report/html_cases.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <vector>

#include "report/html_source.h"
#include "report/printable.h"
#include "report/result_words.h"
#include "report/text_style.h"
#include "text/wording.h"

namespace lockstep::report {
namespace {

using result::CaseResult;
using result::ExerciseResult;
using result::Mismatch;
using result::Place;
using result::ShownArgument;
using result::ShownCall;
using result::Verdict;

Markup mismatches_table(const CaseResult& failed) {
  Markup rows;
  for (const Mismatch& mismatch : failed.mismatches) {
    rows += Markup::element("tr", Markup::element("th", {{"scope", "row"}}, mismatch.position) +
                                      Markup::element("td", mismatch.expected) +
                                      Markup::element("td", {{"class", "bad"}}, mismatch.found));
  }
  Markup table = scrolling_table("The first wrong elements", {"position", "expected", "found"}, rows);
  if (failed.wrong <= failed.mismatches.size()) return table;
  return table +
         Markup::element("p", fmt::format("… and {} more of {}", failed.wrong - failed.mismatches.size(),
                                          counted(failed.total, "element")));
}

/// Places with their lines of source.
Markup quoted_places(const ExerciseResult& result, const std::string& page,
                     const std::vector<Place>& places) {
  Markup items;
  for (const Place& place : places) {
    Markup item = linked_place(result, page, place);
    if (!place.part.empty()) item += Markup::text(" " + place.part);
    item += quoted_line(place);
    items += Markup::element("li", item);
  }
  return Markup::element("ul", {{"class", "places"}}, items);
}

/// The values of a buffer; of an output also what was found.
Markup argument_values(const ShownArgument& argument) {
  const bool is_output = argument.kind == ShownArgument::Kind::output;
  std::string size = counted(argument.size, "element");
  if (argument.fields > 1) size += fmt::format(" of {} {}s", argument.fields, argument.type);
  if (argument.values.size() < argument.size * argument.fields)
    size += fmt::format(", the first {} numbers", argument.values.size());
  const auto values = [](const std::vector<std::string>& list) {
    return Markup::element("dd", Markup::element("code", fmt::format("{}", fmt::join(list, "  "))));
  };
  const std::string name = fmt::format("{}: {}, {}", argument.name, argument.type, size);
  Markup list = Markup::element("dt", is_output ? name + ": expected" : name) + values(argument.values);
  if (!is_output) return list;
  if (argument.found.empty())
    return list + Markup::element("dt", "and not looked at, as the call did not end well");
  return list + Markup::element("dt", "and found") + values(argument.found);
}

Markup call_section(const ShownCall& shown) {
  Markup list;
  for (const ShownArgument& one : shown.arguments) {
    if (one.kind == ShownArgument::Kind::scalar) {
      list += Markup::element("dt", one.name) +
              Markup::element("dd", Markup::element("code", fmt::format("{}", fmt::join(one.values, ""))));
    } else {
      list += argument_values(one);
    }
  }
  return Markup::element("p", fmt::format("Call {} of {}", shown.call, shown.calls)) +
         Markup::element("dl", list);
}

Markup failed_case_details(const ExerciseResult& result, const std::string& page, const CaseResult& failed) {
  Markup body;
  if (!failed.purpose.empty()) body += Markup::element("p", {{"class", "faint"}}, failed.purpose);
  if (!failed.message.empty()) body += Markup::element("p", failed.message);
  if (!failed.mismatches.empty()) body += mismatches_table(failed);
  if (!failed.places.empty()) body += quoted_places(result, page, failed.places);
  if (!failed.guess.empty())
    body += Markup::element("p", Markup::element("strong", "Likely cause: ") + Markup::text(failed.guess));
  if (!failed.mismatches.empty() && !result.case_command.empty()) {
    const std::string command = result.case_command + " " + text::shell_word(failed.name);
    body += Markup::element("p", Markup::text("Its inputs: ") + Markup::element("code", command));
  }
  return body;
}

/// One that failed, folded but for the most_telling_case.
Markup failed_case_block(const ExerciseResult& result, const std::string& page, const CaseResult& failed,
                         bool is_open) {
  const Markup summary = Markup::element("summary", verdict_words(failed.verdict) + Markup::text(" case ") +
                                                        Markup::element("strong", failed.name));
  const Markup content = summary + failed_case_details(result, page, failed);
  return is_open ? Markup::element("details", {{"open", ""}}, content) : Markup::element("details", content);
}

/// The others that failed.
Markup further_failed_cases(const ExerciseResult& result, const std::string& page,
                            const CaseResult* telling) {
  Markup blocks;
  std::uint64_t failed = 0;
  for (const CaseResult& one : result.cases) {
    if (one.verdict == Verdict::passed || one.verdict == Verdict::not_measured || &one == telling) continue;
    blocks += failed_case_block(result, page, one, false);
    ++failed;
  }
  if (failed == 0) return {};
  return Markup::element("details",
                         Markup::element("summary", counted(failed, "more case") + " failed") + blocks);
}

Markup all_cases_table(const ExerciseResult& result) {
  Markup rows;
  for (const CaseResult& one : result.cases) {
    rows += Markup::element("tr", Markup::element("th", {{"scope", "row"}}, one.name) +
                                      Markup::element("td", verdict_words(one.verdict)) +
                                      Markup::element("td", one.purpose));
  }
  return Markup::element("details",
                         Markup::element("summary", "All cases") +
                             scrolling_table("All cases", {"case", "verdict", "what it is"}, rows));
}

std::string summary_of_cases(const ExerciseResult& result) {
  const std::uint64_t passed = result::passed_cases(result);
  std::string text = fmt::format("{} of {} passed.", passed, counted(result.cases.size(), "case"));
  const std::string not_run = words_of_cases_not_run(result.cases);
  if (!not_run.empty()) text += fmt::format(" {}.", not_run);
  if (result.previous_passed && *result.previous_passed != passed)
    text += fmt::format(" Before, {} passed.", *result.previous_passed);
  return text;
}

}  // namespace

Markup verdict_words(Verdict verdict) {
  const Colour colour = colour_of(verdict);
  const char* const kind = colour == Colour::good ? "good" : colour == Colour::bad ? "bad" : "caution";
  return Markup::element("span", {{"class", kind}},
                         Markup::element("span", {{"aria-hidden", "true"}}, mark({}, verdict) + " ") +
                             Markup::text(name_of(verdict)));
}

Markup row_heading(std::string_view text) { return Markup::element("th", {{"scope", "row"}}, text); }

Markup number_cell(std::string_view text) { return Markup::element("td", {{"class", "number"}}, text); }

Markup wide_region(const std::string& name, const Markup& content) {
  return Markup::element(
      "div", {{"class", "wide"}, {"role", "region"}, {"tabindex", "0"}, {"aria-label", name}}, content);
}

Markup scrolling_table(const std::string& caption, const std::vector<std::string>& headings,
                       const Markup& rows) {
  Markup heading;
  for (const std::string& one : headings) heading += Markup::element("th", {{"scope", "col"}}, one);
  const Markup table = Markup::element("table", Markup::element("caption", caption) +
                                                    Markup::element("thead", Markup::element("tr", heading)) +
                                                    Markup::element("tbody", rows));
  return wide_region(caption, table);
}

Markup cases_content(const ExerciseResult& result, const std::string& page) {
  if (result.cases.empty()) return {};
  Markup body = Markup::element("p", summary_of_cases(result));
  const CaseResult* const telling = result::most_telling_case(result.cases);
  if (telling != nullptr) body += failed_case_block(result, page, *telling, true);
  body += further_failed_cases(result, page, telling);
  for (const CaseResult& one : result.cases)
    if (one.shown) body += call_section(*one.shown);
  std::string remark;  // the last: small cases have answers in which right ones agree
  for (const CaseResult& one : result.cases)
    if (one.verdict == Verdict::passed && !one.remark.empty()) remark = one.remark;
  if (!remark.empty() && telling == nullptr) body += Markup::element("p", remark);
  return body + all_cases_table(result);
}

}  // namespace lockstep::report
