// One exercise of one student with all that is known of it, while what comes out is written. A class's
// reports are read one student after the other: all of them would take hundreds of MiB.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "classroom/outputs.h"
#include "classroom/store.h"
#include "result/result.h"

namespace lockstep::classroom {

struct StudentGrading {
  std::string exercise;
  Standing standing;
  std::optional<Grading> grading{};                ///< where it was graded
  std::optional<result::ExerciseResult> result{};  ///< the grading's report, as far as JSON has it
  std::size_t attempts = 0;                        ///< different files of the student that were graded
  std::string report_file{};                       ///< in the student's folder; empty where there is none
};

}  // namespace lockstep::classroom
