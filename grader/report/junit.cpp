#include "report/junit.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "report/markup.h"
#include "report/printable.h"
#include "report/text_style.h"

namespace lockstep::report {
namespace {

using result::CaseResult;
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
using result::Verdict;

/// For attributes too, where a plain line break would be read as a space.
std::string escaped(std::string_view text) {
  std::string result;
  for (const char character : escaped_markup(text))
    result += character == '\n' ? "&#10;" : std::string(1, character);
  return result;
}

struct TestCase {
  std::string group;  ///< correctness, repair, technique, speed, or submission
  std::string name;
  Verdict verdict = Verdict::passed;
  std::string message;
  std::string detail;
  double seconds = 0;
  std::string shown;  ///< what the case was given and left
};

/// The arguments of a call, one per line.
std::string arguments_of(const ShownCall& shown) {
  std::string text = fmt::format("call {} of {}\n", shown.call, shown.calls);
  for (const ShownArgument& one : shown.arguments) {
    text += fmt::format("{}: {} {}: {}", printable(one.name), one.size, one.type, fmt::join(one.values, " "));
    if (one.values.size() < one.size * one.fields) text += " …";
    if (!one.found.empty()) text += fmt::format("; found {}", fmt::join(one.found, " "));
    text += '\n';
  }
  return text;
}

std::string where(const std::vector<Place>& places) {
  std::string text;
  for (const Place& place : places)
    text += fmt::format("{}:{}: {}\n", printable(place.file), place.line, printable(place.text));
  return text;
}

/// What a file of predictions says that could not be graded.
std::string unread_lines(const std::vector<SourceRemark>& unread) {
  std::string text;
  for (const SourceRemark& one : unread) {
    if (one.place.line != 0) text += fmt::format("{}:{}: ", printable(one.place.file), one.place.line);
    text += printable(one.sentence) + '\n';
  }
  return text;
}

std::vector<TestCase> test_cases(const ExerciseResult& result) {
  std::vector<TestCase> cases;
  if (!result.message.empty() ||
      (result.cases.empty() && result.puzzles.empty() && result.predictions.empty())) {
    std::string detail;
    if (result.compiler_error) {
      if (result.compiler_error->place.line != 0) detail = where({result.compiler_error->place});
      detail += printable(result.compiler_error->meaning) + '\n';
    }
    cases.push_back({"submission", printable(result.name), result.verdict, printable(result.message),
                     detail + result.compiler_output, 0});
  }
  for (const PuzzleResult& puzzle : result.puzzles) {
    if (!puzzle.message.empty())
      cases.push_back({"puzzle", printable(puzzle.name), puzzle.verdict, printable(puzzle.message),
                       result.compiler_output, 0});
  }
  for (const PredictionResult& one : result.predictions) {
    std::string message = one.question;
    message += one.predicted ? fmt::format(" Predicted {}", *one.predicted) : " Not predicted";
    if (one.measured) message += fmt::format(", measured {}", *one.measured);
    cases.push_back({"prediction", printable(one.name), one.verdict, printable(message + '.'),
                     where(one.places) + printable(one.why), 0});
  }
  for (const CaseResult& one : result.cases) {
    std::string detail;
    for (const Mismatch& mismatch : one.mismatches) {
      detail += fmt::format("{}: expected {}, found {}\n", printable(mismatch.position),
                            printable(mismatch.expected), printable(mismatch.found));
    }
    detail += where(one.places) + printable(one.guess);
    cases.push_back({"correctness", printable(one.name), one.verdict, printable(one.message), detail,
                     one.seconds, one.shown ? arguments_of(*one.shown) : ""});
  }
  if (result.repair)
    cases.push_back({"repair", "changed lines", result.repair->verdict, changes_of(*result.repair), "", 0});
  for (const GateResult& gate : result.gates) {
    const std::string message =
        fmt::format("{} is {}, {} {}", printable(gate.name), number_beside(gate.value, gate.limit),
                    bound_of(gate), number(gate.limit));
    cases.push_back({"technique", printable(label_of(gate)), gate.verdict, message,
                     where(gate.worst) + printable(gate.explanation) + '\n' + printable(gate.advice), 0});
  }
  if (!result.speed.counts) return cases;
  const std::string ratio =
      result.speed.ratio
          ? fmt::format("{} of the speed of {}", number(*result.speed.ratio), baseline_of(result.speed))
          : "";
  cases.push_back({"speed", "speed", result.speed.verdict, ratio, "", 0});
  return cases;
}

enum class Outcome { passed, failure, error, skipped };

Outcome outcome_of(Verdict verdict) {
  switch (verdict) {
    case Verdict::passed:
      return Outcome::passed;
    case Verdict::grader_error:
      return Outcome::error;
    case Verdict::not_measured:
    case Verdict::inconclusive:
      return Outcome::skipped;
    default:
      return Outcome::failure;
  }
}

std::string render(const TestCase& one, const std::string& exercise) {
  const std::string opening = fmt::format(R"(    <testcase classname="{}.{}" name="{}" time="{:.3f}")",
                                          escaped(exercise), one.group, escaped(one.name), one.seconds);
  const std::string shown =
      one.shown.empty() ? "" : fmt::format("      <system-out>{}</system-out>\n", escaped(one.shown));
  const char* element = "";
  switch (outcome_of(one.verdict)) {
    case Outcome::passed:
      return shown.empty() ? opening + "/>\n" : opening + ">\n" + shown + "    </testcase>\n";
    case Outcome::skipped:
      return fmt::format("{}><skipped message=\"{}\"/></testcase>\n", opening, name_of(one.verdict));
    case Outcome::failure:
      element = "failure";
      break;
    case Outcome::error:
      element = "error";
      break;
  }
  return fmt::format("{}>\n      <{} type=\"{}\" message=\"{}\">{}</{}>\n{}    </testcase>\n", opening,
                     element, name_of(one.verdict), escaped(one.message), escaped(one.detail), element,
                     shown);
}

struct Totals {
  std::size_t tests = 0, failures = 0, errors = 0, skipped = 0;
  void add(Outcome outcome) {
    ++tests;
    failures += outcome == Outcome::failure;
    errors += outcome == Outcome::error;
    skipped += outcome == Outcome::skipped;
  }
  std::string attributes() const {
    return fmt::format(R"(tests="{}" failures="{}" errors="{}" skipped="{}")", tests, failures, errors,
                       skipped);
  }
};

}  // namespace

std::string render_junit(const Report& report) {
  Totals all;
  std::string suites;
  for (const ExerciseResult& result : report.exercises) {
    const std::string name = printable(result.name);
    Totals totals;
    std::string cases;
    for (const TestCase& one : test_cases(result)) {
      totals.add(outcome_of(one.verdict));
      all.add(outcome_of(one.verdict));
      cases += render(one, name);
    }
    const auto property = [](const char* what, const std::string& value) {
      return fmt::format("      <property name=\"{}\" value=\"{}\"/>\n", what, escaped(value));
    };
    suites += fmt::format(
        "  <testsuite name=\"{}\" {} time=\"{:.3f}\">\n    <properties>\n{}{}{}{}{}    </properties>\n",
        escaped(name), totals.attributes(), result.seconds, property("verdict", name_of(result.verdict)),
        property("points", fmt::to_string(result.points)),
        property("max_points", fmt::to_string(result.max_points)), property("device", report.device.name),
        result.seed_digest.empty() ? property("seed", report.seed)
                                   : property("seed_digest", result.seed_digest));
    suites += cases;
    if (!result.output.empty() || !result.unread.empty())
      suites += fmt::format("    <system-out>{}{}</system-out>\n", escaped(result.output),
                            escaped(unread_lines(result.unread)));
    suites += "  </testsuite>\n";
  }
  return fmt::format(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"lockstep\" {}>\n{}</testsuites>\n",
      all.attributes(), suites);
}

}  // namespace lockstep::report
