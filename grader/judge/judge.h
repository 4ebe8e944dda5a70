// One judgement: a pure function of (submission, exercise, seed, device).
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>

#include "build/submission_source.h"
#include "course/catalogue.h"
#include "device/device.h"
#include "judge/seeds.h"
#include "result/result.h"

namespace lockstep::judge {

struct Options {
  Seed seed{};  ///< of every input
  /// Not empty: instead of `seed`, that which is derived from this, the exercise and the submission's text.
  std::string secret;
  bool show_seed = false;  ///< where there is a secret: the result names the seed derived from it
  /// Not empty: run just the case of this name, show its last call in CaseResult::shown, and give no points.
  std::string only_case;
  /// Run just the measured and the wide cases, for `profile`, and keep what each kernel counted in
  /// ExerciseResult::counters.
  bool only_measured = false;
  /// Of these, the case whose lines come back in ExerciseResult::lines; empty: that of the first gate that
  /// fails, else the largest.
  std::string profiled_case;
  /// The device is a counting GPU: what it counts of the same inputs stands beside what the emulated device
  /// counts, and no speed is measured.
  bool count_on_gpu = false;
  std::optional<unsigned>
      trace_line;  ///< line of the submission whose accesses come back in ExerciseResult::traces
  /// Draw the exercise's picture from what the submission leaves, into ExerciseResult::picture.
  bool draw = false;
  /// Topics that the student has passed, with this one where it counts: what to go on with is another one.
  std::set<std::string> passed;
  /// Called as work goes on, such as ("case 3 of 14: 33 x 65", 3, 14).
  std::function<void(const std::string& what, int done, int total)> progress;
  /// Folder in which the figures of GPUs are kept, for a device that times: those that a share of speed needs
  /// and that are not there are measured.
  std::filesystem::path calibrations;
  /// Asked for the speed of each rung at a size, in shares of the reference's, as `bench` recorded it; may
  /// know none. Without it no rungs are named.
  std::function<std::map<std::string, double>(const std::string& size)> rungs;
};

/// Judges one file. Never throws for anything that the submission does; a fault of the grader or the machine
/// ends as Verdict::grader_error with its message, so that the next exercise is still graded.
result::ExerciseResult judge(const course::Exercise& exercise, const build::SubmissionFile& submission,
                             device::Device& device, const Options& options);

}  // namespace lockstep::judge
