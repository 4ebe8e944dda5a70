#include "emulator/counters/span.h"

#include <algorithm>

namespace lockstep::emulator::counters {

void WarpPath::poll(std::uint32_t counter, bool again, std::uint64_t own) {
  // A load, a vote, a pause and the way back. More than that does something besides.
  constexpr std::uint64_t kLongestRound = 64;
  Poll& latest = polls_[counter % polls_.size()];
  if (again && accesses_ == latest.accesses + own && executed_ - latest.executed <= kLongestRound)
    executed_ = std::max({latest.executed, unit_begin_, block_unit_begin_});
  latest = {executed_, accesses_};
}

void WarpPath::end_unit() {
  longest_ = std::max(longest_, executed_ - unit_begin_);
  unit_begin_ = executed_;
}

std::uint64_t WarpPath::end_block_unit() {
  end_unit();
  const std::uint64_t unit = executed_ - block_unit_begin_;
  block_unit_begin_ = executed_;
  return unit;
}

void Span::add(const Span& other) {
  work += other.work;
  longest_block = std::max(longest_block, other.longest_block);
  longest_warp = std::max(longest_warp, other.longest_warp);
}

std::uint64_t Span::of_launch(std::uint64_t blocks, std::uint64_t warps) const {
  const auto share = [](std::uint64_t whole, std::uint64_t parts) { return (whole + parts - 1) / parts; };
  return std::max(
      {longest_block, kSchedulers * longest_warp, share(work, blocks), share(kSchedulers * work, warps)});
}

}  // namespace lockstep::emulator::counters
