// Asynchronous copies that a warp has issued and not waited for, and what follows from them at mbarriers.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "emulator/program/program.h"
#include "emulator/state/clock.h"

namespace lockstep::emulator::state {

struct ThreadBlock;

struct CopyInFlight {
  std::uint32_t to = 0;        ///< offset in the block's shared memory
  std::uint32_t group = 0;     ///< of the lane: how many it had committed before
  std::uint32_t sequence = 0;  ///< in the order in which the warp issued them
  std::uint8_t lane = 0;
  std::uint8_t width = 0;  ///< bytes
  std::array<std::byte, 16> data{};
};

/// Of a warp.
struct AsyncCopies {
  std::vector<CopyInFlight> in_flight;
  std::array<std::uint32_t, kLanes> committed{};  ///< groups, by lane
  std::uint32_t issued = 0;
  /// A bulk copy from shared to global memory: those are awaited by groups too.
  struct Bulk {
    std::uint64_t to = 0;
    std::uint32_t from = 0, bytes = 0, group = 0;
    std::uint8_t lane = 0;
  };
  std::vector<Bulk> bulk;
  std::array<std::uint32_t, kLanes> bulk_committed{};
};

/// What happens at an mbarrier once copies are complete, which is when somebody next waits there.
struct AsyncArrival {
  enum class Kind : std::uint8_t { thread, bulk_from_global, bulk_from_shared } kind = Kind::thread;
  std::uint8_t lane = 0;
  std::uint32_t warp = 0;
  std::uint32_t mbarrier = 0;  ///< offset
  Time time = 0;               ///< of the block, when it was asked for; 0: by another block
  std::uint32_t sequence = 0;  ///< Kind::thread: of the warp's copies, those before have to be complete
  // of a bulk copy
  std::uint32_t to = 0, bytes = 0;
  std::uint64_t from = 0;               ///< a global address, or an offset in the source's shared memory
  const ThreadBlock* source = nullptr;  ///< Kind::bulk_from_shared
};
using AsyncArrivals = std::vector<AsyncArrival>;

}  // namespace lockstep::emulator::state
