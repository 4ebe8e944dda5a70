// Counters of one worker, by block of instructions and by memory instruction; summed by line when a launch
// ends.
#pragma once

#include <cstdint>
#include <vector>

#include "emulator/core/observations.h"

namespace lockstep::emulator::counters {

struct BlockCounter {
  std::uint64_t executions = 0;
  std::uint64_t lanes = 0;
  std::uint64_t divergent = 0;  ///< times its ending branch split a warp
  /// Lane-instructions that lanes were idle: since they diverged at this block's branch, and while this block
  /// ran.
  std::uint64_t idle_caused = 0, idle_here = 0;
};

struct TrafficCounter {
  enum class Kind : std::uint8_t {
    none,
    global_load,
    global_store,
    global_atomic,
    shared_load,
    shared_store,
    shared_atomic,
    local_load,
    local_store,
    constant_load,
    image,  ///< by textures and surfaces: no counter of a line, but sectors that were moved
  };
  static constexpr std::size_t kKinds = 11;
};

/// A generic access can reach any space, so each memory instruction counts each kind apart.
struct TrafficCounters {
  Traffic by_kind[TrafficCounter::kKinds];
  std::uint64_t global_contention = 0, shared_contention = 0;  ///< of atomics: see LineCounters
};

struct Counters {
  std::vector<BlockCounter> blocks;
  std::vector<TrafficCounters> traffic;
};

}  // namespace lockstep::emulator::counters
