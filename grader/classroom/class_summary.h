// What the gradings of a class have in common: how points are distributed, which mistakes are frequent, where
// students stand on the ladders, what took the most time, and who is stuck. Gradings are added one after the
// other, and no report is kept.
#pragma once

#include <array>
#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "classroom/student_grading.h"

namespace lockstep::classroom {

/// Something that submissions do wrong.
struct Mistake {
  result::Verdict verdict = result::Verdict::wrong_answer;
  std::string example;  ///< the likely cause, or what happened, as one report has it; may be empty
  std::size_t students = 0;
};

struct GateCount {
  std::size_t judged = 0, failed = 0;
};

/// Somebody whose submission has not passed.
struct Stuck {
  const StudentRow* row = nullptr;
  result::Verdict verdict = result::Verdict::wrong_answer;
  double points = 0;
  std::size_t attempts = 0;
};

struct TakenTime {
  std::vector<double> seconds;  ///< of each judgement
  double longest = 0;           ///< of them
  const StudentRow* longest_row = nullptr;
  std::map<std::string, double> cases;  ///< seconds by case, summed over the class
};

struct ExerciseSummary {
  /// Bins of a tenth of the points, and one for full points.
  static constexpr std::size_t kBins = 11;

  std::size_t handed_in = 0, judged = 0, passed = 0;
  std::array<std::size_t, kBins> distribution{};
  std::vector<double> points;               ///< of those that were judged
  std::map<std::string, Mistake> mistakes;  ///< by verdict and cause, without its particulars
  std::map<std::string, GateCount> gates;
  std::vector<result::Rung> ladder;  ///< slowest first; empty where no speed was measured
  std::vector<std::size_t> between;  ///< students below the first rung, between it and the next, …
  TakenTime time;
  std::vector<Stuck> stuck;
};

/// The middle one of `values`, or the mean of the two in the middle; 0 for none.
double median_of(std::vector<double> values);

class ClassSummary {
 public:
  explicit ClassSummary(const ClassTable& table);

  /// `row` is one of the table's, and stays where it is.
  void add(const StudentRow& row, const StudentGrading& grading);

  const ExerciseSummary& of(const std::string& exercise) const { return summaries_.at(exercise); }

 private:
  std::map<std::string, ExerciseSummary> summaries_;
};

}  // namespace lockstep::classroom
