// How much of a launch can happen at once: its work, and the longest part of it that cannot be shared out.
//
// Work is counted in warp-instructions, as PTX spells them. A block runs on one multiprocessor, which issues
// for kSchedulers warps at a time, so a launch on as many multiprocessors as it has blocks takes at least the
// busiest block's instructions, or kSchedulers times the busiest warp's: its span. Two things would make the
// count depend on the machine that emulates, and are taken out of it:
//
// - Rounds of a loop that only asks whether something has changed count once.
// - Who draws a number from a counter takes the work that any other might have taken. A unit of work ends
//   there; of a launch in units the span is the longest unit, or an equal share for each block and warp.
#pragma once

#include <array>
#include <cstdint>

namespace lockstep::emulator::counters {

/// Of one warp, in warp-instructions.
class WarpPath {
 public:
  void begin() { *this = {}; }
  void execute(std::uint32_t instructions) { executed_ += instructions; }
  void access() { ++accesses_; }
  /// A look at a word by the instruction with this counter; `again` when it found what it had found before,
  /// and made `own` accesses. A short round since then in which nothing else was accessed does not count.
  void poll(std::uint32_t counter, bool again, std::uint64_t own);
  /// The unit of work ends, for the warp's own sake or for its block's.
  void end_unit();
  /// What the warp has executed since the block's unit began, which ends here.
  std::uint64_t end_block_unit();

  std::uint64_t executed() const { return executed_; }
  /// Of the units that have ended.
  std::uint64_t longest_unit() const { return longest_; }

 private:
  struct Poll {
    std::uint64_t executed = 0, accesses = 0;
  };
  std::uint64_t executed_ = 0, accesses_ = 0;
  std::uint64_t unit_begin_ = 0, block_unit_begin_ = 0, longest_ = 0;
  std::array<Poll, 4> polls_{};  // as Warp::latest_polls
};

/// Of all blocks that have ended, and then of the launch.
struct Span {
  std::uint64_t work = 0;
  std::uint64_t longest_block = 0, longest_warp = 0;  ///< units

  void add(const Span& other);
  /// Of a launch of so many blocks and warps, in warp-instructions of one multiprocessor.
  std::uint64_t of_launch(std::uint64_t blocks, std::uint64_t warps) const;
};

/// Warps of a block that a multiprocessor issues for at a time.
inline constexpr std::uint64_t kSchedulers = 4;

}  // namespace lockstep::emulator::counters
