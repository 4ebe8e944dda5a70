// The profile of one exercise: the student's source with what the emulated device counted at each line.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "report/result.h"
#include "report/text_style.h"

namespace lockstep::report {

/// Counters of one line of the submission, summed over the kernels that contain it.
struct LineProfile {
  unsigned line = 0;
  std::string text;
  std::uint64_t warps = 0, lanes = 0, divergent_branches = 0;
  emulator::Traffic global, shared, local;

  double active_share() const;  ///< of 32 lanes
  /// Roughly the time that the line keeps units of a multiprocessor busy, in quarters of a cycle: four
  /// warp-instructions, two sectors (64 bytes to or from L2) or one wavefront a cycle. Only good for ranking.
  std::uint64_t cost() const;
};

/// Lines of `source` with counters, in their order. `file` is the submission's name; counters of other files
/// (the toolkit's headers) are left out.
std::vector<LineProfile> profile_lines(const ExerciseResult& result, const std::string& file,
                                       const std::string& source);

/// What to do about a line, one sentence.
std::string advice_for(const LineProfile& line);

/// The three lines that cost most, dearest first.
std::vector<LineProfile> dearest(std::vector<LineProfile> lines);

std::string render_profile(const ExerciseResult& result, const std::vector<LineProfile>& lines,
                           const TextStyle& style);
std::string render_profile_json(const ExerciseResult& result, const std::vector<LineProfile>& lines);

}  // namespace lockstep::report
