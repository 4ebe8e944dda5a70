// Hand-made results, one for each shape that a report can have.
#pragma once

#include "report/result.h"

namespace lockstep::test {

report::ExerciseResult wrong_answer();
report::ExerciseResult race();
report::ExerciseResult inefficient();
report::ExerciseResult compile_error();
/// The same, with the line that is mended first and what its error means.
report::ExerciseResult explained_compile_error();
/// One case that was run alone, with what it was given and left, and what was printed meanwhile.
report::ExerciseResult one_case();
report::ExerciseResult passed_on_a_gpu();
/// A card that was too hot in two rounds that count.
report::CardDuringSpeed throttled_card();
report::ExerciseResult grader_error();
/// A submission that prints escape sequences, markup and bytes that are no UTF-8 wherever its text can reach.
report::ExerciseResult hostile();

report::Report report_of(std::vector<report::ExerciseResult> exercises);
report::Report every_kind();

}  // namespace lockstep::test
