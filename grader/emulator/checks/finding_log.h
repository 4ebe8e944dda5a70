// Findings of kernels: made with their places filled in, kept once each.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <string>
#include <vector>

#include "emulator/checks/names.h"
#include "emulator/core/observations.h"
#include "emulator/core/types.h"
#include "emulator/state/grid.h"

namespace lockstep::emulator::checks {

/// What findings are equal by, and which of them is kept.
struct Occurrence {
  Finding::Kind kind;
  Finding::Scope scope;
  const std::string& kernel;
  const SourceLine &line, &other_line;
  std::array<std::uint32_t, 3> block, thread;
};

/// Findings of one launch or of several, equal ones merged.
class FindingLog {
 public:
  /// True when a finding need not be made: an equal one of the same or an earlier thread is known, and has
  /// been counted once more by `count`; or no more findings are kept. Programs with a mistake make it
  /// millions of times.
  bool has_counted(const Occurrence& occurrence, std::uint64_t count = 1);
  /// Counts `finding` when its kind and lines were seen before, else keeps it (up to limits of their number
  /// and their bytes: hostile programs have names without end).
  void add(Finding finding);
  std::vector<Finding> take();

 private:
  Finding* find(const Occurrence& occurrence);

  std::mutex mutex_;
  std::vector<Finding> findings_;
  std::size_t bytes_ = 0;
};

/// The place that an id stands for (Instruction::id); one without a line for kNoPlace.
const program::Place& place_of_id(const Warp& warp, std::uint32_t id);

/// A finding at an instruction for one lane of a warp, with kernel, line, block and thread filled in.
Finding make_finding(const Warp& warp, std::uint32_t place, unsigned lane, Finding::Cause cause);
Finding make_finding(const Warp& warp, std::uint32_t place, unsigned lane, Finding::Cause cause,
                     std::vector<std::int64_t> numbers);

/// Ends the warp's block, and with it the launch, with a finding.
void fault(Warp& warp, LaunchResult::Status why, Finding finding);

}  // namespace lockstep::emulator::checks
