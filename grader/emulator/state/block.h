// State of a thread block while it runs: its warps, its shared memory, and what the checks know of both.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "emulator/memory/stamps.h"
#include "emulator/state/async_copies.h"
#include "emulator/state/clock.h"
#include "emulator/state/mbarrier_clock.h"
#include "emulator/state/warp.h"

namespace lockstep::emulator::execution {
struct Cluster;
}

namespace lockstep::emulator::state {

/// One word of shared memory as the race check sees it. A word is Kernel::shared_granule bytes.
struct SharedShadow {
  std::vector<Time> write_time, read_time;
  std::vector<std::uint32_t> writer;  ///< thread (10 bits), atomic, copy in flight, volatile (1 bit each)
  std::vector<Time> atomic_time;      ///< of the latest atomic operation
  std::vector<std::uint32_t> write_place;
  std::vector<std::uint32_t> read_place;  ///< see read_stamp
  std::vector<std::uint32_t> read_warps;  ///< mask over the block's warps
};

inline constexpr std::uint32_t kAtomicWriter = 1U << 10;
/// The word is the target of a copy that nobody has waited for; its write_time is kInFlight.
inline constexpr std::uint32_t kCopyWriter = 1U << 11;
inline constexpr std::uint32_t kVolatileWriter = 1U << 12;
inline constexpr Time kInFlight = 0xFFFF'FFFF;

struct Grid;

/// Threads that have arrived at a barrier and do not wait there.
struct Arrivals {
  std::uint32_t threads = 0;
  Clock clock;
};

struct ThreadBlock {
  Grid* grid = nullptr;
  std::array<std::uint32_t, 3> index{};
  std::uint32_t linear = 0;
  std::uint64_t sequence = 0;  ///< in the order in which the launch begins its blocks
  Time begin = 1;              ///< accesses before this time belong to an earlier block in the same memory
  Time now = 1;
  std::vector<Warp> warps;
  std::uint32_t warp_count = 0;
  memory::Stamp epoch = 0;       ///< first of those that this block gives to global memory now
  std::uint32_t epoch_time = 0;  ///< of the grid's clock when the epoch began; 0 when none has
  bool had_epochs = false;       ///< besides this one: stamps outside of it may be this block's
  Time moments_begin = 0;        ///< moments count from here
  memory::Stamp moments_epoch =
      0;                          ///< the epoch that began then; what came before it is no longer told apart
  std::uint32_t idle_passes = 0;  ///< over all warps without one finishing or a barrier opening
  std::uint64_t unfenced_address =
      0;  ///< of its first relaxed store since its last fence; 0 when there is none
  std::uint32_t unfenced_since = 0;  ///< the time of that fence
  std::vector<std::byte> shared;
  SharedShadow shadow;
  std::vector<Time> seen;  ///< [warp][other]: until when other's accesses are ordered before warp's
  Clock released;          ///< by accesses to shared memory that release
  Time acquired = 0;       ///< when a warp last did what acquires global memory
  std::uint32_t latest_barrier = program::kNoPlace;  ///< place of the latest that all threads have met
  std::map<std::uint32_t, Arrivals> arrivals;        ///< at barriers, of threads that do not wait; by number
  std::map<std::uint32_t, MbarrierClock> mbarriers;  ///< by offset: those between init and inval
  AsyncArrivals async_arrivals;
  bool has_marks = false;  ///< the latest block in this memory left copies in flight
  execution::Cluster* cluster = nullptr;
  std::uint32_t rank = 0;                     ///< in its cluster
  Clock cluster_arriving, cluster_completed;  ///< what arrivals at the cluster's barrier released
  bool finished = false;                      ///< its memory stays until the cluster has finished
  bool stuck = false;                ///< no warp can go on before another block of the cluster does something
  std::uint32_t endless_passes = 0;  ///< one after the other in which all warps waited, some at mbarriers
  std::string output;                ///< of printf
  std::uint64_t longest_unit = 0;    ///< of work, of those that have ended
};

}  // namespace lockstep::emulator::state
