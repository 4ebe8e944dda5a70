#include "emulator/execution/async_copies.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "emulator/checks/synchronisation.h"
#include "emulator/checks/violations.h"
#include "emulator/core/sectors.h"
#include "emulator/execution/cluster.h"
#include "emulator/execution/mbarrier.h"
#include "emulator/state/grid.h"

namespace lockstep::emulator::execution {
namespace {

using state::AsyncArrival;
using state::AsyncCopies;
using state::CopyInFlight;

/// What a program may leave unfinished. Beyond it the oldest are complete, as they might be on hardware.
constexpr std::size_t kMaxArrivals = 4096;
constexpr std::size_t kMaxBulkCopies = 1024;
/// Of copies by threads, at least; a block may have as many as its shared memory has words.
constexpr std::size_t kLeastCopies = 64;
constexpr unsigned kBulkUnit = 16;  // bytes: of a bulk copy's addresses and size

/// f(word) for the words of a range in the race check's shadow.
template <class F>
void for_words(ThreadBlock& block, std::uint32_t offset, std::uint32_t bytes, F f) {
  const std::uint32_t granule = block.grid->kernel->shared_granule;
  for (std::uint32_t word = offset / granule; word < (offset + bytes + granule - 1) / granule; ++word)
    f(word);
}

/// Until it arrives, a copy's destination has no value that anybody may rely on.
void mark_in_flight(ThreadBlock& block, std::uint32_t thread, std::uint32_t place, std::uint32_t offset,
                    std::uint32_t bytes) {
  if (!block.grid->checks) return;
  for_words(block, offset, bytes, [&](std::uint32_t word) {
    block.shadow.write_time[word] = state::kInFlight;
    block.shadow.writer[word] = thread | state::kCopyWriter;
    block.shadow.write_place[word] = place;
  });
}

/// From now on the words are as if the thread had stored them at `time`.
void mark_arrived(ThreadBlock& block, std::uint32_t thread, state::Time time, std::uint32_t offset,
                  std::uint32_t bytes) {
  if (!block.grid->checks) return;
  for_words(block, offset, bytes, [&](std::uint32_t word) {
    // Another copy, or a store, may have come in between.
    if (block.shadow.writer[word] != (thread | state::kCopyWriter)) return;
    block.shadow.write_time[word] = time;
    block.shadow.writer[word] = thread;
  });
}

/// Completes those of a warp's copies that `is_due` names, as if they were stores at `time`.
template <class F>
void complete_copies(Warp& warp, state::Time time, F is_due) {
  ThreadBlock& block = *warp.block;
  std::erase_if(warp.copies.in_flight, [&](const CopyInFlight& copy) {
    if (!is_due(copy)) return false;
    std::memcpy(block.shared.data() + copy.to, copy.data.data(), copy.width);
    ++warp.worker->changes;
    mark_arrived(block, warp.index * kLanes + copy.lane, time, copy.to, copy.width);
    return true;
  });
}

template <class F>
void complete_bulk_copies(Warp& warp, F is_due) {
  ThreadBlock& block = *warp.block;
  memory::GlobalMemory& memory = *block.grid->memory;
  std::erase_if(warp.copies.bulk, [&](const AsyncCopies::Bulk& copy) {
    if (!is_due(copy)) return false;
    std::memcpy(memory.host(copy.to), block.shared.data() + copy.from, copy.bytes);
    ++warp.worker->changes;
    // Whole words: a bulk copy begins and ends at multiples of 16 bytes.
    std::memset(memory.written(copy.to), 0xF, copy.bytes / 4);
    return true;
  });
}

void complete_arrival(ThreadBlock& block, const AsyncArrival& arrival) {
  MbarrierClock* mbarrier = find_mbarrier(block, arrival.mbarrier);
  std::uint32_t arrivals = 0;
  if (arrival.kind == AsyncArrival::Kind::thread) {
    complete_copies(block.warps[arrival.warp], arrival.time, [&](const CopyInFlight& copy) {
      return copy.lane == arrival.lane && copy.sequence < arrival.sequence;
    });
    arrivals = 1;
  } else {
    const std::byte* from = arrival.kind == AsyncArrival::Kind::bulk_from_global
                                ? block.grid->memory->host(arrival.from)
                                : arrival.source->shared.data() + arrival.from;
    std::memmove(block.shared.data() + arrival.to, from, arrival.bytes);
    ++block.warps.front().worker->changes;
    const bool own = arrival.time != 0;
    mark_arrived(block, own ? arrival.warp * kLanes + arrival.lane : 0, own ? arrival.time : block.begin,
                 arrival.to, arrival.bytes);
  }
  if (mbarrier == nullptr) return;  // it is gone: nobody waits for this any more
  if (arrival.time != 0) {
    mbarrier->arriving.resize(block.warp_count);
    state::Time& known = mbarrier->arriving[arrival.warp];
    known = std::max(known, arrival.time);
  }
  const MbarrierWord word = MbarrierWord::decode(mbarrier->word);
  count_down(block, arrival.mbarrier, *mbarrier, std::min(arrivals, word.pending),
             static_cast<std::int32_t>(arrival.bytes));
}

void add_arrival(ThreadBlock& block, const AsyncArrival& arrival) {
  if (block.async_arrivals.size() >= kMaxArrivals) complete_arrivals(block, block.async_arrivals[0].mbarrier);
  block.async_arrivals.push_back(arrival);
}

void refuse_copy(Warp& warp, const Instruction& i, unsigned lane, Finding::Cause cause,
                 std::vector<std::int64_t> numbers = {}) {
  checks::fault(warp, LaunchResult::Status::illegal_instruction,
                make_finding(warp, i.id, lane, cause, std::move(numbers)));
}

/// Bounds and alignment of a bulk copy's end in global memory.
bool check_global_end(Warp& warp, const Instruction& i, unsigned lane, std::uint64_t address,
                      std::uint32_t bytes, AccessKind kind) {
  std::array<std::uint64_t, kLanes> addresses{};
  addresses[lane] = address;
  if (address % kBulkUnit != 0) {
    checks::report_misaligned(warp, i, 1U << lane, addresses.data(), kBulkUnit, kind);
    return false;
  }
  if (bytes == 0) return true;
  if (!checks::locate_global(warp, i, 1U << lane, addresses.data(), bytes, kind)) return false;
  if (kind == AccessKind::load && warp.block->grid->checks) {
    checks::examine_uninitialised_global(warp, i, 1U << lane, addresses.data(), bytes);
  }
  return true;
}

/// A request of its own: copies of several lanes are not joined, though they may share a sector.
void count_global_end(Warp& warp, const Instruction& i, std::uint64_t address, std::uint32_t bytes,
                      counters::TrafficCounter::Kind kind) {
  if (bytes == 0) return;
  Traffic& traffic = warp.worker->counters.traffic[i.counter].by_kind[static_cast<std::size_t>(kind)];
  ++traffic.requests;
  traffic.units += sectors_of(address, bytes);
  traffic.ideal_units += sectors_of(0, bytes);
  traffic.bytes += bytes;
}

/// The same in shared memory: null with a finding when it does not fit.
ClusterPlace check_shared_end(Warp& warp, const Instruction& i, unsigned lane, std::uint64_t address,
                              std::uint32_t bytes, AccessKind kind) {
  if (address % kBulkUnit != 0) {
    std::array<std::uint64_t, kLanes> addresses{};
    addresses[lane] = address;
    checks::report_misaligned(warp, i, 1U << lane, addresses.data(), kBulkUnit, kind);
    return {};
  }
  return find_in_cluster(warp, i, lane, address, bytes, kind);
}

std::uint32_t bulk_bytes(Warp& warp, const Instruction& i, unsigned lane) {
  const std::uint32_t bytes = row<std::uint32_t>(warp, i.c)[lane];
  if (bytes % kBulkUnit != 0) {
    refuse_copy(warp, i, lane, Finding::Cause::bulk_copy_size, {bytes, kBulkUnit});
  }
  return bytes;
}

std::uint64_t wide_or_narrow(const Warp& warp, program::Slot slot, bool wide, unsigned lane) {
  return wide ? row<std::uint64_t>(warp, slot)[lane] : row<std::uint32_t>(warp, slot)[lane];
}

/// Words that the source of a bulk copy reads: as a load by the thread.
void check_source_words(Warp& warp, const Instruction& i, unsigned lane, std::uint32_t from,
                        std::uint32_t bytes) {
  ThreadBlock& block = *warp.block;
  if (!block.grid->checks) return;
  const std::uint32_t thread = warp.index * kLanes + lane;
  bool uninitialised = false;
  const std::uint32_t granule = block.grid->kernel->shared_granule;
  for_words(block, from, bytes, [&](std::uint32_t word) {
    state::SharedShadow& shadow = block.shadow;
    const state::Time written = shadow.write_time[word];
    uninitialised |= written < block.begin;
    if (written > warp.ordered &&
        (shadow.writer[word] & ~(state::kAtomicWriter | state::kVolatileWriter)) != thread) {
      checks::examine_shared_conflict(warp, i, lane, word, word * granule, granule, AccessKind::load,
                                      nullptr);
    }
    checks::note_read(shadow, word, warp, i, lane);
  });
  if (uninitialised) {
    std::array<std::uint32_t, kLanes> offsets{};
    offsets[lane] = from;
    checks::examine_uninitialised_shared(warp, i, 1U << lane, offsets.data(), bytes);
  }
}

/// Words that a bulk copy will write: as a store by the thread.
void check_target_words(Warp& warp, const Instruction& i, unsigned lane, std::uint32_t to,
                        std::uint32_t bytes) {
  ThreadBlock& block = *warp.block;
  if (!block.grid->checks) return;
  const std::uint32_t thread = warp.index * kLanes + lane;
  const std::uint32_t granule = block.grid->kernel->shared_granule;
  for_words(block, to, bytes, [&](std::uint32_t word) {
    const state::SharedShadow& shadow = block.shadow;
    const bool written = shadow.write_time[word] > warp.ordered &&
                         (shadow.writer[word] & ~(state::kAtomicWriter | state::kVolatileWriter)) != thread;
    const bool read =
        shadow.read_time[word] > warp.ordered && (shadow.read_warps[word] & ~(1U << warp.index)) != 0;
    if (written || read) {
      checks::examine_shared_conflict(warp, i, lane, word, word * granule, granule, AccessKind::store,
                                      nullptr);
    }
  });
}

/// Both kinds of bulk copy that an mbarrier awaits: the destination and the mbarrier lie in one block.
void copy_bulk(Warp& warp, const Instruction& i, unsigned lane, AsyncArrival arrival) {
  const ClusterPlace to =
      check_shared_end(warp, i, lane, lane_address(warp, i, lane), arrival.bytes, AccessKind::store);
  if (to.block == nullptr) return;
  const bool wide = (i.detail & kWideMbarrier) != 0;
  const ClusterPlace mbarrier =
      find_in_cluster(warp, i, lane, wide_or_narrow(warp, i.vector[0], wide, lane), 8, AccessKind::atomic);
  if (mbarrier.block == nullptr) return;
  if (find_mbarrier(*mbarrier.block, mbarrier.offset) == nullptr) {
    return refuse_copy(warp, i, lane, Finding::Cause::mbarrier_missing_for_bulk_copy, {mbarrier.offset});
  }
  if (mbarrier.block != to.block) {
    return refuse_copy(warp, i, lane, Finding::Cause::bulk_copy_to_other_block);
  }
  const bool own = to.block == warp.block;
  if (own) {
    check_target_words(warp, i, lane, to.offset, arrival.bytes);
  } else {
    checks::signal(warp);
  }
  const std::uint32_t thread = own ? warp.index * kLanes + lane : 0;
  mark_in_flight(*to.block, thread, i.id, to.offset, arrival.bytes);
  arrival.mbarrier = mbarrier.offset;
  arrival.to = to.offset;
  arrival.lane = static_cast<std::uint8_t>(lane);
  arrival.warp = warp.index;
  arrival.time = own ? warp.block->now++ : 0;
  add_arrival(*to.block, arrival);
}

}  // namespace

void issue_copy(Warp& warp, const Instruction& i, unsigned lane, std::uint32_t to, const std::byte* data) {
  AsyncCopies& copies = warp.copies;
  ThreadBlock& block = *warp.block;
  // So many that some word is the target of two: the older copies cannot matter any more.
  const std::size_t most = std::max<std::size_t>(block.shared.size() / 4, kLeastCopies);
  if (copies.in_flight.size() >= most)
    complete_copies(warp, block.now, [](const CopyInFlight&) { return true; });
  CopyInFlight& copy = copies.in_flight.emplace_back();
  copy.to = to;
  copy.group = copies.committed[lane];
  copy.sequence = copies.issued++;
  copy.lane = static_cast<std::uint8_t>(lane);
  copy.width = i.width;
  std::memcpy(copy.data.data(), data, i.width);
  mark_in_flight(block, warp.index * kLanes + lane, i.id, to, i.width);
}

void complete_arrivals(ThreadBlock& block, std::uint32_t mbarrier) {
  if (block.async_arrivals.empty()) return;
  std::erase_if(block.async_arrivals, [&](const AsyncArrival& arrival) {
    if (arrival.mbarrier != mbarrier) return false;
    complete_arrival(block, arrival);
    return true;
  });
}

void end_copies(ThreadBlock& block) {
  block.has_marks = !block.async_arrivals.empty();
  block.async_arrivals.clear();
  for (Warp& warp : block.warps) {
    complete_bulk_copies(warp, [](const AsyncCopies::Bulk&) { return true; });
    block.has_marks |= !warp.copies.in_flight.empty();
    warp.copies = {};
  }
}

void commit_copies(Warp& warp, const Instruction&, Mask active) {
  for (Mask left = active; left != 0; left &= left - 1) ++warp.copies.committed[first_lane(left)];
}

void wait_for_copies(Warp& warp, const Instruction& i, Mask active) {
  complete_copies(warp, warp.block->now, [&](const CopyInFlight& copy) {
    const std::uint32_t begun_since = warp.copies.committed[copy.lane] - copy.group;
    return (active >> copy.lane & 1) != 0 && begun_since > i.offset;
  });
}

void wait_for_all_copies(Warp& warp, const Instruction&, Mask active) {
  complete_copies(warp, warp.block->now,
                  [&](const CopyInFlight& copy) { return (active >> copy.lane & 1) != 0; });
}

void arrive_after_copies(Warp& warp, const Instruction& i, Mask active) {
  ThreadBlock& block = *warp.block;
  const state::Time time = block.now++;
  for (Mask left = active; left != 0 && !warp.stop; left &= left - 1) {
    const unsigned lane = first_lane(left);
    const ClusterPlace place =
        find_in_cluster(warp, i, lane, lane_address(warp, i, lane), 8, AccessKind::atomic);
    if (place.block == nullptr) return;
    MbarrierClock* mbarrier = place.block == &block ? find_mbarrier(block, place.offset) : nullptr;
    if (mbarrier == nullptr) {
      return refuse_copy(warp, i, lane, Finding::Cause::mbarrier_missing_for_copies, {place.offset});
    }
    if ((i.detail & kExpectedArrival) == 0 && !add_pending(block, place.offset, *mbarrier)) {
      return refuse_copy(warp, i, lane, Finding::Cause::mbarrier_full);
    }
    AsyncArrival arrival;
    arrival.lane = static_cast<std::uint8_t>(lane);
    arrival.warp = warp.index;
    arrival.mbarrier = place.offset;
    arrival.time = time;
    arrival.sequence = warp.copies.issued;
    add_arrival(block, arrival);
  }
}

void copy_bulk_from_global(Warp& warp, const Instruction& i, Mask active) {
  for (Mask left = active; left != 0 && !warp.stop; left &= left - 1) {
    const unsigned lane = first_lane(left);
    AsyncArrival arrival;
    arrival.kind = AsyncArrival::Kind::bulk_from_global;
    arrival.bytes = bulk_bytes(warp, i, lane);
    arrival.from = row<std::uint64_t>(warp, i.b)[lane];
    if (warp.stop || !check_global_end(warp, i, lane, arrival.from, arrival.bytes, AccessKind::load)) return;
    count_global_end(warp, i, arrival.from, arrival.bytes, counters::TrafficCounter::Kind::global_load);
    copy_bulk(warp, i, lane, arrival);
  }
}

void copy_bulk_from_shared(Warp& warp, const Instruction& i, Mask active) {
  for (Mask left = active; left != 0 && !warp.stop; left &= left - 1) {
    const unsigned lane = first_lane(left);
    AsyncArrival arrival;
    arrival.kind = AsyncArrival::Kind::bulk_from_shared;
    arrival.bytes = bulk_bytes(warp, i, lane);
    if (warp.stop) return;
    const bool wide = (i.detail & kWideSource) != 0;
    const ClusterPlace from = check_shared_end(warp, i, lane, wide_or_narrow(warp, i.b, wide, lane),
                                               arrival.bytes, AccessKind::load);
    if (from.block == nullptr) return;
    if (from.block != warp.block) {
      return refuse_copy(warp, i, lane, Finding::Cause::bulk_copy_from_other_block);
    }
    check_source_words(warp, i, lane, from.offset, arrival.bytes);
    arrival.from = from.offset;
    arrival.source = warp.block;
    copy_bulk(warp, i, lane, arrival);
  }
}

void copy_bulk_to_global(Warp& warp, const Instruction& i, Mask active) {
  for (Mask left = active; left != 0 && !warp.stop; left &= left - 1) {
    const unsigned lane = first_lane(left);
    AsyncCopies::Bulk copy;
    copy.bytes = bulk_bytes(warp, i, lane);
    copy.to = lane_address(warp, i, lane);
    if (warp.stop || !check_global_end(warp, i, lane, copy.to, copy.bytes, AccessKind::store)) return;
    count_global_end(warp, i, copy.to, copy.bytes, counters::TrafficCounter::Kind::global_store);
    const bool wide = (i.detail & kWideSource) != 0;
    const ClusterPlace from =
        check_shared_end(warp, i, lane, wide_or_narrow(warp, i.b, wide, lane), copy.bytes, AccessKind::load);
    if (from.block == nullptr) return;
    if (from.block != warp.block) {
      return refuse_copy(warp, i, lane, Finding::Cause::bulk_copy_from_other_block);
    }
    check_source_words(warp, i, lane, from.offset, copy.bytes);
    copy.from = from.offset;
    copy.lane = static_cast<std::uint8_t>(lane);
    copy.group = warp.copies.bulk_committed[lane];
    if (warp.copies.bulk.size() >= kMaxBulkCopies) {
      complete_bulk_copies(warp, [](const AsyncCopies::Bulk&) { return true; });
    }
    if (copy.bytes != 0) warp.copies.bulk.push_back(copy);
  }
}

void commit_bulk_copies(Warp& warp, const Instruction&, Mask active) {
  for (Mask left = active; left != 0; left &= left - 1) ++warp.copies.bulk_committed[first_lane(left)];
}

void wait_for_bulk_copies(Warp& warp, const Instruction& i, Mask active) {
  complete_bulk_copies(warp, [&](const AsyncCopies::Bulk& copy) {
    const std::uint32_t begun_since = warp.copies.bulk_committed[copy.lane] - copy.group;
    return (active >> copy.lane & 1) != 0 && begun_since > i.offset;
  });
}

}  // namespace lockstep::emulator::execution
