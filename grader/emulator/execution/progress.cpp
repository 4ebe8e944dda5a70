#include "emulator/execution/progress.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <span>
#include <string>
#include <thread>
#include <utility>

#include "emulator/checks/finding_log.h"
#include "emulator/execution/barrier.h"
#include "emulator/execution/warp_runner.h"
#include "emulator/state/grid.h"

namespace lockstep::emulator::execution {
namespace {

/// A worker that waits for longer lets others have the processor, for so long at a time.
constexpr std::chrono::microseconds kPatience{200}, kNap{50};
/// The state of all blocks is looked at when they have waited for so long, two rounds in a row, and then ever
/// more rarely: it takes far longer than a round of polls.
constexpr std::chrono::milliseconds kFirstLook{20};

class Digest {
 public:
  void add(std::uint64_t value) {
    value_ = (value_ ^ value) * 0x9E37'79B9'7F4A'7C15;
    value_ ^= value_ >> 32;
  }
  void add(std::span<const std::byte> bytes) {
    for (; bytes.size() >= sizeof(std::uint64_t); bytes = bytes.subspan(sizeof(std::uint64_t))) {
      std::uint64_t word = 0;
      std::memcpy(&word, bytes.data(), sizeof word);
      add(word);
    }
    for (const std::byte byte : bytes) add(std::to_integer<std::uint64_t>(byte));
  }
  void add(const Frame& frame) {
    add(std::bit_cast<std::uint64_t>(frame.function));
    add(frame.block);
    add(frame.rows);
    add(frame.local);
  }
  std::uint64_t value() const { return value_; }

 private:
  std::uint64_t value_ = 0;
};

/// What decides what a warp does next, except for global memory and the order of its splits.
void add_warp(Digest& digest, const Warp& warp) {
  digest.add(warp.live);
  digest.add(warp.carry);
  digest.add(warp.at_cluster);
  digest.add(warp.owes_cluster_wait);
  digest.add(std::as_bytes(std::span(warp.at_barrier)));
  const state::AsyncCopies& copies = warp.copies;
  digest.add(copies.issued);
  digest.add(copies.in_flight.size());
  digest.add(copies.bulk.size());
  digest.add(std::as_bytes(std::span(copies.committed)));
  digest.add(std::as_bytes(std::span(copies.bulk_committed)));
  for (const Split& split : warp.splits) {
    digest.add(split.lanes);
    digest.add(split.frame);
    for (const Frame& caller : split.callers) digest.add(caller);
    digest.add(static_cast<std::uint64_t>(split.state));
    digest.add(split.members);
    digest.add(split.admitted ? 1 : 0);
    digest.add(split.barrier);
    digest.add(split.barrier_threads);
    digest.add(split.votes);
    digest.add(split.all_votes);
    digest.add(split.voters);
  }
  digest.add(warp.row_storage);
  digest.add(std::as_bytes(std::span(warp.predicate_storage)));
  digest.add(warp.local);
}

std::uint64_t digest_of(const Worker& worker) {
  Digest digest;
  digest.add(worker.changes);
  for (const auto& block : worker.resident) {
    digest.add(block->sequence);
    digest.add(block->output.size());
    digest.add(block->shared);
    digest.add(block->async_arrivals.size());
    for (const Warp& warp : block->warps) {
      if (!warp.splits.empty()) add_warp(digest, warp);
    }
  }
  return digest.value();
}

}  // namespace

ProgressBoard::ProgressBoard(unsigned workers)
    : workers_(workers), still_since_(std::make_unique<std::atomic<std::uint64_t>[]>(workers)) {}

bool ProgressBoard::all_still(std::uint64_t changes) const {
  for (unsigned w = 0; w < workers_; ++w) {
    const std::uint64_t since = still_since_[w].load();
    if (since != changes && since != kNoBlocks) return false;
  }
  return changes_.load() == changes;
}

bool ProgressWatch::is_livelock(const Worker& worker) {
  const Clock::time_point now = Clock::now();
  if (!std::exchange(is_idle_, true)) {
    idle_since_ = now;
    next_look_ = now + kFirstLook;
    looked_ = false;
  }
  // What the blocks wait for is another worker's to do, perhaps on the same processor.
  if (board_.workers() > 1 && now - idle_since_ > kPatience) std::this_thread::sleep_for(kNap);
  if (!looked_ && now < next_look_) return false;
  looked_ = !looked_;
  next_look_ = now + (now - idle_since_);
  const std::uint64_t changes = board_.changes();
  const std::uint64_t digest = digest_of(worker);
  if (digest != digest_) {
    digest_ = digest;
    changes_ = board_.change();
    return false;
  }
  if (changes != changes_) {
    changes_ = changes;
    return false;
  }
  board_.set_idle(worker_, changes);
  return board_.all_still(changes);
}

void ProgressWatch::finished() {
  board_.change();
  board_.set_idle(worker_, ProgressBoard::kNoBlocks);
}

namespace {

struct Waiting {
  const Warp* warp = nullptr;
  const Split* split = nullptr;
};

/// The first thread of a block that goes round a loop other than one at an mbarrier.
Waiting spinning_in(const ThreadBlock& block) {
  for (const Warp& warp : block.warps) {
    if (warp.failed_wait != nullptr) continue;
    for (const Split& split : warp.splits) {
      if (split.state == Split::State::ready) return {&warp, &split};
    }
  }
  return {};
}

/// The first that waits for others.
Waiting resting_in(const ThreadBlock& block) {
  for (const Warp& warp : block.warps) {
    for (const Split& split : warp.splits) {
      if (split.state != Split::State::ready || warp.failed_wait != nullptr) return {&warp, &split};
    }
  }
  return {};
}

Finding::Awaited awaited_by(const Waiting& resting) {
  switch (resting.split->state) {
    case Split::State::ready:
      return Finding::Awaited::mbarrier;
    case Split::State::meeting:
      return Finding::Awaited::lanes;
    case Split::State::at_barrier:
      return Finding::Awaited::barrier;
    case Split::State::at_cluster_barrier:
      return Finding::Awaited::cluster_barrier;
  }
  return Finding::Awaited::nothing;
}

std::uint32_t line_of(const Grid& grid, const Waiting& waiting) {
  const Instruction* wait = waiting.warp->failed_wait;
  const std::uint32_t place =
      wait != nullptr && waiting.split->state == Split::State::ready ? wait->id : next_place(*waiting.split);
  return grid.kernel->program->places[place].line.line;
}

/// The block of a worker that began first, of those that `is_wanted`; null when there is none.
template <class F>
ThreadBlock* first_block(const Worker& worker, F is_wanted) {
  ThreadBlock* first = nullptr;
  for (const auto& block : worker.resident) {
    if (block->finished || !is_wanted(*block)) continue;
    if (first == nullptr || block->sequence < first->sequence) first = block.get();
  }
  return first;
}

}  // namespace

void report_livelock(Grid& grid, const Worker& worker) {
  const ThreadBlock* first =
      first_block(worker, [](const ThreadBlock& block) { return spinning_in(block).warp != nullptr; });
  if (first == nullptr) {
    ThreadBlock* waiting = first_block(worker, [](const ThreadBlock& block) {
      return std::ranges::any_of(block.warps, [](const Warp& warp) { return warp.failed_wait != nullptr; });
    });
    if (waiting != nullptr) report_endless_wait(*waiting);
    return;
  }
  const Waiting spinning = spinning_in(*first);
  const std::uint64_t begun = std::min(grid.next_block.load(), grid.block_count);
  Finding finding = make_finding(*spinning.warp, next_place(*spinning.split),
                                 first_lane(spinning.split->lanes), Finding::Cause::endless_loop,
                                 {signed_of(grid.block_count - begun), signed_of(grid.block_count)});
  if (const memory::GlobalMemory::Allocation* polled = grid.memory->find(worker.polled_address)) {
    finding.address = worker.polled_address;
    finding.object = polled->object();
    finding.sees_no_host_writes = polled->exchanged;
  }
  if (const Waiting other = resting_in(*first); other.warp != nullptr) {
    finding.awaited = awaited_by(other);
    finding.awaited_line = line_of(grid, other);
  }
  grid.findings->add(std::move(finding));
}

}  // namespace lockstep::emulator::execution
