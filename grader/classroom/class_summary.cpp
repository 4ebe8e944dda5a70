#include "classroom/class_summary.h"

#include <algorithm>
#include <cmath>

#include "text/words.h"

namespace lockstep::classroom {
namespace {

using result::ExerciseResult;
using result::Verdict;

/// A sentence without what differs between two submissions that make the same mistake: numbers, what is
/// quoted, and names with digits or underscores, as of kernels.
std::string without_particulars(const std::string& sentence) {
  std::string text, word;
  bool is_quoted = false;
  const auto end_word = [&] {
    text += word.find_first_of("0123456789_") == std::string::npos ? word : "#";
    word.clear();
  };
  for (const char c : sentence) {
    if (c == '"') is_quoted = !is_quoted;
    if (is_quoted) continue;
    if (text::is_of_word(c)) {
      word += c;
      continue;
    }
    end_word();
    text += c;
  }
  end_word();
  return text;
}

/// What is known of the reason for a result's verdict, in one sentence; may be empty.
std::string reason_of(const ExerciseResult& result) {
  if (result.compiler_error) return result.compiler_error->message;
  for (const result::CaseResult& one : result.cases)
    if (one.verdict == result.verdict) return one.guess.empty() ? one.message : one.guess;
  return "";
}

void add_mistake(ExerciseSummary& summary, const ExerciseResult& result) {
  if (result.verdict == Verdict::passed) return;
  const Mistake mistake{.verdict = result.verdict, .example = reason_of(result)};
  Mistake& known = summary.mistakes[result::name_of(mistake.verdict) + without_particulars(mistake.example)];
  if (known.students == 0) known = mistake;
  ++known.students;
}

void add_gates(ExerciseSummary& summary, const ExerciseResult& result) {
  for (const result::GateResult& gate : result.gates) {
    if (gate.verdict == Verdict::not_measured) continue;
    GateCount& count = summary.gates[result::label_of(gate)];
    ++count.judged;
    count.failed += gate.verdict == Verdict::inefficient;
  }
}

void add_speed(ExerciseSummary& summary, const result::Speed& speed) {
  if (speed.ladder.empty() || !speed.on_ladder) return;
  if (summary.ladder.empty()) {
    summary.ladder = speed.ladder;
    summary.between.assign(speed.ladder.size() + 1, 0);
  }
  const auto is_not_faster = [&](const result::Rung& rung) { return rung.speed <= *speed.on_ladder; };
  ++summary.between[static_cast<std::size_t>(std::ranges::count_if(summary.ladder, is_not_faster))];
}

void add_time(TakenTime& time, const StudentRow& row, const ExerciseResult& result) {
  if (!std::isfinite(result.seconds)) return;
  time.seconds.push_back(result.seconds);
  if (time.longest_row == nullptr || result.seconds > time.longest) {
    time.longest = result.seconds;
    time.longest_row = &row;
  }
  for (const result::CaseResult& one : result.cases)
    if (std::isfinite(one.seconds)) time.cases[one.name] += one.seconds;
}

}  // namespace

double median_of(std::vector<double> values) {
  if (values.empty()) return 0;
  std::ranges::sort(values);
  const std::size_t middle = values.size() / 2;
  return values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

ClassSummary::ClassSummary(const ClassTable& table) {
  for (const std::string& exercise : table.exercises) summaries_[exercise];
}

void ClassSummary::add(const StudentRow& row, const StudentGrading& grading) {
  ExerciseSummary& summary = summaries_.at(grading.exercise);
  const Standing& standing = grading.standing;
  summary.handed_in += standing.kind != Standing::Kind::not_handed_in;
  if (standing.is_judged) {
    ++summary.judged;
    summary.points.push_back(standing.points);
    const double share = standing.max_points > 0 ? standing.points / standing.max_points : 0;
    constexpr double kFull = ExerciseSummary::kBins - 1;
    ++summary.distribution[static_cast<std::size_t>(std::clamp(std::floor(share * kFull), 0.0, kFull))];
    if (standing.verdict == Verdict::passed) {
      ++summary.passed;
    } else if (standing.verdict) {
      summary.stuck.push_back({&row, *standing.verdict, standing.points, grading.attempts});
    }
  }
  if (!grading.result) return;
  if (standing.is_judged) {
    add_mistake(summary, *grading.result);
    add_gates(summary, *grading.result);
    add_speed(summary, grading.result->speed);
  }
  add_time(summary.time, row, *grading.result);
}

}  // namespace lockstep::classroom
