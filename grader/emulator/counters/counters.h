// Counters of one worker, by block of instructions and by memory instruction; summed by line when a launch
// ends.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
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

/// One request of an instruction to one kind of memory: of those furthest beyond their ideal one of most
/// lanes, and of these the first in the order of blocks and warps. `Address`: of a lane, as the memory's are.
template <class Address>
struct AccessSample {
  std::uint64_t rank = ~std::uint64_t{0};  ///< the least is kept
  TrafficCounter::Kind kind = TrafficCounter::Kind::none;
  std::uint32_t width = 0, active = 0;  ///< bytes a lane; lane mask
  std::uint32_t units = 0, ideal_units = 0;
  std::array<Address, 32> addresses{};

  static std::uint64_t rank_of(std::uint32_t units, std::uint32_t ideal, int lanes, std::uint64_t block,
                               std::uint32_t warp) {
    constexpr std::uint64_t kMaxBeyond = 255, kWarps = 64, kBlocks = std::uint64_t{1} << 43;
    const std::uint64_t beyond = units > ideal ? std::min<std::uint64_t>(units - ideal, kMaxBeyond) : 0;
    const std::uint64_t idle = 32 - static_cast<std::uint64_t>(lanes);
    return ((kMaxBeyond - beyond) << 6 | idle) << 49 | std::min(block, kBlocks - 1) * kWarps | warp;
  }
};

using SharedSample = AccessSample<std::uint32_t>;
using GlobalSample = AccessSample<std::uint64_t>;

struct Counters {
  std::vector<BlockCounter> blocks;
  std::vector<TrafficCounters> traffic;
  // As `traffic`:
  std::vector<SharedSample> shared_samples;
  std::vector<GlobalSample> global_samples;
};

}  // namespace lockstep::emulator::counters
