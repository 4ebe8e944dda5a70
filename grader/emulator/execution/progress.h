// Tells a livelock from a grid that takes its time.
//
// A warp whose registers are what they were a while ago, and whose memory has not changed since, does
// again what it did: its loop never ends. When that holds for every warp of every worker, it is a
// livelock. A loop that counts, stores, or reads a clock is never accused; such ends at the time limit.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "emulator/execution/names.h"

namespace lockstep::emulator::execution {

/// What the workers of a grid tell each other.
class ProgressBoard {
 public:
  explicit ProgressBoard(unsigned workers);

  /// Something has changed: whoever stood still must look again.
  std::uint64_t change() { return changes_.fetch_add(1) + 1; }
  std::uint64_t changes() const { return changes_.load(); }
  unsigned workers() const { return workers_; }
  /// A worker stood still all the time since `changes`; or has no blocks left, with kNoBlocks.
  void set_idle(unsigned worker, std::uint64_t changes) { still_since_[worker].store(changes); }
  /// Whether all workers stand still since `changes`, and nothing has changed since.
  bool all_still(std::uint64_t changes) const;

  static constexpr std::uint64_t kNoBlocks = ~std::uint64_t{0};

 private:
  std::atomic<std::uint64_t> changes_{1};
  unsigned workers_;
  std::unique_ptr<std::atomic<std::uint64_t>[]> still_since_;
};

/// One worker's own view.
class ProgressWatch {
 public:
  ProgressWatch(ProgressBoard& board, unsigned worker) : board_(board), worker_(worker) {}

  /// A block of the worker has begun, ended, or passed a barrier.
  void moved() { is_idle_ = false; }
  /// All of the worker's blocks had a turn, in which none did. True when the grid can never end.
  bool is_livelock(const Worker& worker);
  /// The worker has no blocks left.
  void finished();

 private:
  ProgressBoard& board_;
  unsigned worker_;
  using Clock = std::chrono::steady_clock;
  bool is_idle_ = false;
  Clock::time_point idle_since_, next_look_;
  bool looked_ = false;        ///< in the round before, for this one to compare with
  std::uint64_t digest_ = 0;   ///< of the worker's state when it last looked
  std::uint64_t changes_ = 0;  ///< of the board, then
};

/// Adds a finding for the first thread of a worker that spins in a loop, in a grid in livelock.
void report_livelock(Grid& grid, const Worker& worker);

}  // namespace lockstep::emulator::execution
