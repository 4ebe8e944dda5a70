#include "emulator/memory/stamps.h"

namespace lockstep::emulator::memory {
namespace {

/// They are kept until the launch ends, and a kernel may begin one with every fence.
constexpr std::size_t kMostTurns = std::size_t{1} << 25;

}  // namespace

Stamp StampBook::begin_turn(std::uint32_t block, std::uint32_t time) {
  const std::lock_guard lock(mutex_);
  const std::uint64_t used = std::uint64_t{2} * instructions_;
  const std::uint64_t last = kSplitLine - used;  // where those for nothing begin
  if (next_ + used > last || turns_.size() == kMostTurns) return static_cast<Stamp>(last);
  const Stamp turn = next_;
  if (turns_.empty() || turns_.back().time != time)
    latest_.store(std::uint64_t{time} << 32 | turn, std::memory_order_relaxed);
  turns_.push_back({block, time});
  next_ += static_cast<Stamp>(used);
  return turn;
}

std::optional<Touch> StampBook::find(Stamp stamp) const {
  const std::lock_guard lock(mutex_);
  if (stamp < first_ || stamp >= next_) return std::nullopt;
  const std::uint32_t number = stamp - first_;
  const Turn& turn = turns_[number / (2 * instructions_)];
  const std::uint32_t within = number % (2 * instructions_);
  return Touch{within < instructions_ ? turn.block : kManyBlocks, turn.time, within % instructions_};
}

}  // namespace lockstep::emulator::memory
