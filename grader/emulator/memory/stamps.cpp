#include "emulator/memory/stamps.h"

#include <cstddef>

namespace lockstep::emulator::memory {
namespace {

/// They are kept until the launch ends, and a kernel may begin one with every fence.
constexpr std::size_t kMaxEpochs = std::size_t{1} << 25;

}  // namespace

Stamp StampBook::begin_epoch(std::uint32_t block, std::uint32_t time) {
  const std::lock_guard lock(mutex_);
  const std::uint64_t used = std::uint64_t{2} * instructions_;
  const std::uint64_t last = kSplitLine - used;  // where those for nothing begin
  if (next_ + used > last || epochs_.size() == kMaxEpochs) return static_cast<Stamp>(last);
  const Stamp epoch = next_;
  if (epochs_.empty() || epochs_.back().time != time)
    latest_.store(std::uint64_t{time} << 32 | epoch, std::memory_order_relaxed);
  epochs_.push_back({block, time});
  next_ += static_cast<Stamp>(used);
  return epoch;
}

std::optional<Touch> StampBook::find(Stamp stamp) const {
  const std::lock_guard lock(mutex_);
  if (stamp < first_ || stamp >= next_) return std::nullopt;
  const std::uint32_t number = stamp - first_;
  const Epoch& epoch = epochs_[number / (2 * instructions_)];
  const std::uint32_t within = number % (2 * instructions_);
  return Touch{within < instructions_ ? epoch.block : kManyBlocks, epoch.time, within % instructions_};
}

}  // namespace lockstep::emulator::memory
