// Who touched a word of global memory, where in the program and when, in 4 bytes: a number that a launch
// looks up. Which of the block's threads it was, and when, stands in 4 more.
//
// A launch gives numbers out by epochs. An epoch is what one block does until the clock that orders blocks
// ticks again; it has a number for every memory instruction of the kernel, and as many for accesses that it
// shares with other blocks. Whether a stamp is of another block is then a question of two comparisons.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <mutex>
#include <optional>
#include <vector>

namespace lockstep::emulator::memory {

/// 0: nobody. Stamps of later launches are larger.
using Stamp = std::uint32_t;

/// Added to the stamp of a line of memory whose words have been touched one by one. Stamps are smaller.
inline constexpr Stamp kSplitLine = Stamp{1} << 31;

/// Which threads of the block that a stamp names, and the block's time. It says something only to that block.
/// From the lowest bit on: the warp, whether other warps too, the lane of the first byte, how many lanes
/// share the line, word or byte (as a power of two), and the time, counted from ThreadBlock::moments_begin.
using Moment = std::uint32_t;
inline constexpr unsigned kMomentLaneShift = 6, kMomentSharersShift = 11, kMomentTimeShift = 14;
inline constexpr Moment kMomentWarps = 31;
inline constexpr Moment kSeveralWarps = kMomentWarps + 1;  ///< others too, unordered
inline constexpr Moment kMomentLanes = Moment{31} << kMomentLaneShift;
inline constexpr Moment kMomentSharers = Moment{7} << kMomentSharersShift;
/// In place of the sharers: other lanes too, unordered.
inline constexpr Moment kSeveralThreads = Moment{6} << kMomentSharersShift;
/// In place of the sharers: the stamp stands for several blocks, and nothing else of the moment counts.
inline constexpr Moment kSeveralBlocks = Moment{7} << kMomentSharersShift;
/// All but the time.
inline constexpr Moment kMomentThreads = (Moment{1} << kMomentTimeShift) - 1;
/// Times after 0, which is for what is ordered before everything.
inline constexpr std::uint32_t kMomentTimes = std::uint32_t{1} << (32 - kMomentTimeShift);

/// Of one of the 2^log_parts parts of a line or a word that `whole` is of.
inline constexpr Moment moment_of_part(Moment whole, unsigned part, unsigned log_parts) {
  if ((whole & kMomentSharers) >= kSeveralThreads) return whole;
  const unsigned before = part << ((whole & kMomentSharers) >> kMomentSharersShift) >> log_parts;
  return (whole & ~kMomentSharers) + (before << kMomentLaneShift);
}

/// The latest access of a line, a word or a byte by a writer, or by a reader: stamp and moment, which change
/// together.
class Visit {
 public:
  Visit() = default;
  constexpr Visit(Stamp stamp, Moment moment) : bits_(std::uint64_t{moment} << 32 | stamp) {}

  Stamp stamp() const { return static_cast<Stamp>(bits_); }
  Moment moment() const { return static_cast<Moment>(bits_ >> 32); }
  bool operator==(const Visit&) const = default;

 private:
  std::uint64_t bits_ = 0;
};

enum Visitor : unsigned { kWriter, kReader };

/// Of a line, by Visitor. Its writer's is kHeldVisit while a worker looks at the line and leaves a visit.
using LineVisits = std::array<Visit, 2>;
/// No stamp is as large.
inline constexpr Visit kHeldVisit{0xFFFF'FFFF, 0xFFFF'FFFF};

/// Block index of a touch that stands for several readers.
inline constexpr std::uint32_t kManyBlocks = 0xFFFF'FFFF;

struct Touch {
  std::uint32_t block = 0;
  std::uint32_t time = 0;         ///< of the launch's clock when the epoch began
  std::uint32_t instruction = 0;  ///< which of the kernel's memory instructions
};

/// The stamps of one launch. Safe to use from several threads.
class StampBook {
 public:
  /// Stamps from `first` on, for a kernel of `instructions` memory instructions.
  StampBook(Stamp first, std::uint32_t instructions)
      : first_(first), next_(first), instructions_(instructions) {}

  Stamp first() const { return first_; }
  std::uint32_t instructions() const { return instructions_; }
  /// The first stamp of a later launch.
  Stamp end() const { return next_; }

  /// The first stamp of a new epoch: `instructions` of the block's own follow, then as many for several
  /// blocks. When all are used up, stamps that stand for nothing; blocks then no longer tell each other
  /// apart.
  Stamp begin_epoch(std::uint32_t block, std::uint32_t time);
  /// The stamp from which on all epochs so far have begun at `time`; larger than all stamps where the latest
  /// has not.
  Stamp first_at(std::uint32_t time) const {
    const std::uint64_t latest = latest_.load(std::memory_order_relaxed);
    return latest >> 32 == time ? static_cast<Stamp>(latest) : kSplitLine;
  }
  /// What a stamp of this launch stands for.
  std::optional<Touch> find(Stamp stamp) const;

 private:
  struct Epoch {
    std::uint32_t block = 0, time = 0;
  };

  Stamp first_, next_;
  std::uint32_t instructions_;
  std::atomic<std::uint64_t> latest_{
      0};  ///< the time of the latest epoch, and the first of those at that time
  mutable std::mutex mutex_;
  std::vector<Epoch> epochs_;
};

}  // namespace lockstep::emulator::memory
