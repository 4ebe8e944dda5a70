// What the emulated device saw: counters by source line, and findings (races, bad addresses, …).
//
// Units follow Nsight Compute: a sector is 32 bytes of global memory, a wavefront one pass through shared
// memory.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "emulator/core/finding.h"

namespace lockstep::emulator {

/// One kind of memory instruction's traffic. A request is one warp's execution of one such instruction.
struct Traffic {
  std::uint64_t requests = 0;
  std::uint64_t units = 0;        ///< sectors (global) or wavefronts (shared)
  std::uint64_t ideal_units = 0;  ///< the fewest that the same number of active bytes could take
  std::uint64_t bytes = 0;        ///< that active lanes asked for
  /// Requests beyond their ideal whose neighbouring lanes lie evenly apart, and the sum of those distances.
  std::uint64_t spaced_requests = 0, spacing_bytes = 0;

  Traffic& operator+=(const Traffic& more) {
    requests += more.requests;
    units += more.units;
    ideal_units += more.ideal_units;
    bytes += more.bytes;
    spaced_requests += more.spaced_requests;
    spacing_bytes += more.spacing_bytes;
    return *this;
  }
};

struct LineCounters {
  SourceLine line;
  std::string function;                  ///< kernel, mangled
  std::uint64_t warps = 0;               ///< warp-instructions executed
  std::uint64_t lanes = 0;               ///< lane-instructions executed (≤ 32 × warps)
  std::uint64_t divergent_branches = 0;  ///< branches whose lanes went both ways
  Traffic global_load, global_store, global_atomic;
  Traffic shared_load, shared_store, shared_atomic;
  Traffic local_load, local_store;
  Traffic constant_load;       ///< of __constant__ variables, in sectors; parameters are not counted
  std::uint64_t branches = 0;  ///< times that a warp came to a branch which its lanes may take both ways
  /// Lane-instructions that lanes were idle, waiting or gone, while others of their warp ran: by the branch
  /// at which they had diverged, and by the line that the others ran meanwhile.
  std::uint64_t idle_caused = 0, idle_here = 0;
  /// For every request of an atomic, the most active lanes that named one address; summed.
  std::uint64_t global_contention = 0, shared_contention = 0;

  /// Adds the counts; line and function stay.
  LineCounters& operator+=(const LineCounters& more) {
    for (std::uint64_t LineCounters::*count :
         {&LineCounters::warps, &LineCounters::lanes, &LineCounters::divergent_branches,
          &LineCounters::branches, &LineCounters::idle_caused, &LineCounters::idle_here,
          &LineCounters::global_contention, &LineCounters::shared_contention}) {
      this->*count += more.*count;
    }
    for (Traffic LineCounters::*kind :
         {&LineCounters::global_load, &LineCounters::global_store, &LineCounters::global_atomic,
          &LineCounters::shared_load, &LineCounters::shared_store, &LineCounters::shared_atomic,
          &LineCounters::local_load, &LineCounters::local_store, &LineCounters::constant_load}) {
      this->*kind += more.*kind;
    }
    return *this;
  }
};

/// What the launches of one kernel had to do, in warp-instructions as PTX spells them. Rounds of loops that
/// only ask again are left out, as their number depends on the machine (counters/span.h).
struct KernelWork {
  std::string kernel;  ///< mangled
  std::uint64_t launches = 0, blocks = 0;
  std::uint64_t work = 0;  ///< of all warps
  /// Of each launch the busiest block's, or 4 times the busiest warp's where that is more, as a
  /// multiprocessor issues for 4 warps at a time; summed.
  std::uint64_t span = 0;
  /// Of the launch with most blocks, the first of them.
  std::array<std::uint32_t, 3> grid{}, block{};

  /// Multiprocessors that the work could keep busy.
  double parallelism() const { return span == 0 ? 0 : static_cast<double>(work) / static_cast<double>(span); }
  /// Adds the counts; the name stays.
  KernelWork& operator+=(const KernelWork& more) {
    const auto blocks_of = [](const std::array<std::uint32_t, 3>& of) {
      return std::uint64_t{of[0]} * of[1] * of[2];
    };
    if (blocks_of(more.grid) > blocks_of(grid)) {
      grid = more.grid;
      block = more.block;
    }
    launches += more.launches;
    blocks += more.blocks;
    work += more.work;
    span += more.span;
    return *this;
  }
};

/// One warp's execution of one memory instruction, for drawing: what each lane touched.
struct AccessTrace {
  SourceLine line;
  std::string space;        ///< "global" or "shared"
  std::string operation;    ///< "load", "store" or "atomic"
  std::uint32_t bytes = 4;  ///< a lane
  std::array<std::uint32_t, 3> block{};
  std::uint32_t warp = 0;
  std::uint32_t active = 0;  ///< lane mask
  std::array<std::uint64_t, 32>
      addresses{};          ///< shared: offset from the block's window; global: generic address
  std::uint32_t units = 0;  ///< sectors or wavefronts that it took
  std::uint32_t ideal_units = 0;
  std::string function = {};  ///< kernel, mangled
};

struct Observations {
  std::vector<LineCounters> lines;  ///< sorted by kernel, file, line
  std::vector<KernelWork> kernels;  ///< sorted by name
  std::vector<Finding> findings;
  std::vector<AccessTrace> traces;
  /// One request of each instruction that accesses such memory, of those furthest beyond their ideal one of
  /// most lanes; without block and warp. Of tiles of matrices in shared memory only those with bank
  /// conflicts.
  std::vector<AccessTrace> shared_accesses, global_accesses;
  /// Where those allocations of the device's owner begin that the program's copies and fills wrote to;
  /// ascending.
  std::vector<std::uint64_t> copied_to;
  std::uint64_t launches = 0;
  std::uint64_t blocks = 0;
  std::uint64_t warp_instructions = 0;
  std::uint64_t copied_sectors =
      0;  ///< of global memory, by the program's own copies and fills, and by textures and surfaces
  double seconds = 0;  ///< spent in launches
};

}  // namespace lockstep::emulator
