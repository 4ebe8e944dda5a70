// What the emulated device counted at one line of source, and what that costs.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "emulator/core/observations.h"
#include "emulator/core/padding.h"

namespace lockstep::report {

/// Atomics of one space, which are part of that space's traffic too.
struct AtomicProfile {
  emulator::Traffic traffic;
  std::uint64_t contention = 0;  ///< the most lanes at one address, summed over the requests

  /// Lanes that wait for another one to be served at their address.
  std::uint64_t waiting() const { return contention > traffic.requests ? contention - traffic.requests : 0; }
};

/// Counters of one line, summed over what is profiled: one kernel, or all that contain the line.
struct LineProfile {
  std::string file;  ///< as the reader knows it; empty where the program has no line information
  unsigned line = 0;
  std::string text;
  std::uint64_t warps = 0, lanes = 0;
  std::uint64_t branches = 0, divergent_branches = 0;
  std::uint64_t idle_caused = 0, idle_here = 0;  ///< lane-instructions: see emulator::LineCounters
  emulator::Traffic global, shared, local;
  AtomicProfile global_atomics, shared_atomics;
  emulator::Padding padding;  ///< of rows whose lanes meet in banks: the first that does not help

  LineProfile& operator+=(const emulator::LineCounters& counters);
  /// `accesses`: those of Observations::shared_accesses.
  void note_padding(const emulator::LineCounters& counters,
                    const std::vector<emulator::AccessTrace>& accesses);

  double active_share() const;  ///< of 32 lanes

  /// Roughly the time that the line keeps units of a multiprocessor busy, in quarters of a cycle. Only good
  /// for ranking. A multiprocessor issues four warp-instructions a cycle, moves two sectors (64 bytes to or
  /// from L2), and delivers one wavefront of shared memory; an H200 measures so. An atomic in global memory
  /// is taken to wait a cycle for each further lane at its most contended address, which is too much where
  /// the compiler adds up the lanes of a warp first. Slots in which lanes are idle are the cost of the branch
  /// that diverged them from the running ones, not of the line that runs meanwhile: so each is counted once.
  std::uint64_t cost() const;
};

/// Units beyond the ideal; 0 when the counters say that there are none.
std::uint64_t excess(const emulator::Traffic& traffic);
double per_request(const emulator::Traffic& traffic);
double ideal_per_request(const emulator::Traffic& traffic);

/// Warp-instructions' worth of slots that the line's branches leave empty.
std::uint64_t lost_warps(const LineProfile& line);

std::uint64_t total_cost(const std::vector<LineProfile>& lines);
double share_of(std::uint64_t part, std::uint64_t whole);

/// The three lines that cost most, costliest first; none that is no line of a file.
std::vector<LineProfile> costliest(std::vector<LineProfile> lines);

}  // namespace lockstep::report
