// State of a warp while it runs: its splits, their frames and registers.
//
// A warp is one or more splits: sets of lanes at the same place. Usually there is one. A branch that lanes
// take both ways makes two; splits that reach the same block with the same callers become one again. Nothing
// here blocks a host thread: a warp that waits is simply not run, so a worker can hold as many blocks as
// hardware would keep resident.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "emulator/checks/undefined_values.h"
#include "emulator/core/cache_lines.h"
#include "emulator/core/lane_mask.h"
#include "emulator/counters/divergences.h"
#include "emulator/counters/span.h"
#include "emulator/program/program.h"
#include "emulator/state/async_copies.h"
#include "emulator/state/clock.h"

namespace lockstep::emulator::state {

struct Frame {
  const program::Function* function = nullptr;
  std::uint32_t block = 0;       ///< that runs next
  std::uint32_t rows = 0;        ///< byte offset of the frame in Warp::rows
  std::uint32_t predicates = 0;  ///< index of the frame's first predicate
  std::uint32_t local = 0;       ///< byte offset of the frame in the thread's local memory
  bool operator==(const Frame&) const = default;
};

struct Split {
  enum class State : std::uint8_t { ready, meeting, at_barrier, at_cluster_barrier };
  Mask lanes = 0;
  Frame frame;
  std::vector<Frame> callers;
  State state = State::ready;
  bool admitted = false;         ///< may pass the synchronisation point of the block that it stands before
  Mask members = 0;              ///< lanes that it meets there, as its own mask names them
  bool deferred = false;         ///< went round a loop often while others waited; they go first now
  std::uint32_t back_edges = 0;  ///< while others waited
  std::uint32_t barrier = 0;     ///< number, State::at_barrier
  std::uint32_t barrier_threads = 0;        ///< that the barrier waits for; 0: all of the block
  Mask votes = 0;                           ///< lanes that bring "true" to a barrier that reduces
  std::uint32_t all_votes = 0, voters = 0;  ///< what the barrier found when it opened
};

struct ThreadBlock;
struct Worker;

/// A load that missed an unfenced store.
struct MissedLook {
  const program::Instruction* load = nullptr;
  unsigned lane = 0;
  std::uint64_t address = 0;
  std::atomic<std::uint64_t>* repeats = nullptr;  ///< what to count when the lane looks again
};

struct Warp {
  // What handlers read, valid while a split runs.
  std::byte* rows = nullptr;     ///< current frame
  Mask* predicates = nullptr;    ///< current frame
  std::uint32_t local_base = 0;  ///< current frame in the thread's local memory
  ThreadBlock* block = nullptr;
  Worker* worker = nullptr;
  /// Behind what the runner executes in one go; a load may draw it nearer.
  const program::Instruction* end = nullptr;
  bool stop = false;        ///< a handler asks the warp to stop: the launch has failed
  bool yields = false;      ///< a handler asks that others run first: what it waits for is not there
  std::uint32_t polls = 0;  ///< in this turn, that found what the warp had found before

  std::uint32_t index = 0;  ///< in its block
  Mask threads = 0;         ///< lanes that are threads: all but in a block's last warp
  Mask live = 0;            ///< threads that have not exited
  Mask carry = 0;           ///< condition code CC.CF
  std::array<std::uint32_t, kLanes> thread_x{}, thread_y{}, thread_z{};
  Time ordered = 0;  ///< accesses of any warp up to this time happened before what this warp does now
  Time synced = 0;   ///< likewise for the warp's own lanes
  Time fenced = 0;   ///< accesses of the warp up to this time lie before a fence of its own
  /// Digests of the latest synchronising loads: who, where, what it found. A loop may poll several words in
  /// turn, so neighbouring instructions, by their counter, have places of their own.
  std::array<std::uint64_t, 4> latest_polls{};
  std::vector<MissedLook> missed_looks;  ///< that the warp has not repeated
  std::vector<Split> splits;
  std::size_t current = 0;
  AsyncCopies copies;
  const program::Instruction* failed_wait = nullptr;  ///< at an mbarrier, in its latest turn
  std::uint64_t awaited = 0;                          ///< the mbarrier's word there
  std::array<Mask, 16> at_barrier{};  ///< by number: lanes that have arrived there, while others have not
  Mask at_cluster = 0;  ///< lanes that have arrived at the cluster's barrier, which has not opened since
  Mask owes_cluster_wait = 0;  ///< lanes that have arrived and not waited

  CacheLines row_storage;
  std::vector<Mask> predicate_storage;
  std::vector<std::byte> local;   ///< [lane][byte]: kLanes × local_bytes
  std::uint32_t local_bytes = 0;  ///< of one thread
  counters::Divergences divergences;
  checks::UndefinedValues undefined;
  counters::WarpPath path;
};

/// Row of a register in the current frame.
template <class T>
inline T* row(const Warp& warp, program::Slot slot) {
  return reinterpret_cast<T*>(warp.rows + slot);
}

}  // namespace lockstep::emulator::state
