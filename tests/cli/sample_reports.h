// Hand-made results, one for each shape that a report can have.
#pragma once

#include "result/result.h"

namespace lockstep::test {

result::ExerciseResult wrong_answer();
result::ExerciseResult race();
result::ExerciseResult inefficient();
result::ExerciseResult compile_error();
/// The same, with the line that is fixed first and what its error means.
result::ExerciseResult explained_compile_error();
/// One case that was run alone, with what it was given and left, and what was printed meanwhile.
result::ExerciseResult one_case();
result::ExerciseResult passed_on_a_gpu();
/// Three puzzles: one passed, one has a wrong case, one was not defined.
result::ExerciseResult of_puzzles();
/// A right program in which so many lines were changed, of 4 that may be.
result::ExerciseResult bug_hunt(std::uint64_t changed_lines);

/// Predictions: a wrong one, a wrong one that is withheld, a right one, an open one, and lines that say
/// nothing.
result::ExerciseResult of_predictions();
/// A GPU that was too hot in two rounds that count.
result::GpuDuringSpeed throttled_gpu();
result::ExerciseResult grader_error();
/// A submission that prints escape sequences, markup and bytes that are no UTF-8 wherever its text can reach.
result::ExerciseResult hostile();

result::Report report_of(std::vector<result::ExerciseResult> exercises);
result::Report every_kind();

}  // namespace lockstep::test
