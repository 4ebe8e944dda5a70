// Checks and counters of every access, fast where nothing is wrong: bounds, alignment, sectors and
// wavefronts, uninitialised reads, races. What looks suspicious goes to ../violations.cpp.
//
// `contiguous` means that all 32 lanes are active and lane l accesses addresses[0] + l × width; then shadows
// are runs of memory and the loops become vector code.
#pragma once

#include <array>
#include <bit>
#include <cstring>
#include <utility>

#include "emulator/checks/synchronisation.h"
#include "emulator/checks/violations.h"
#include "emulator/handlers/global_races.h"
#include "emulator/handlers/lane_spacing.h"
#include "emulator/handlers/lanes.h"
#include "emulator/handlers/runs.h"
#include "emulator/handlers/shared_words.h"
#include "emulator/handlers/tables.h"

namespace lockstep::emulator::handlers::LOCKSTEP_LEVEL {

/// `spacing`: see lane_spacing.h; 0 when the access takes no more than its ideal.
inline void count_traffic(Warp& warp, const Instruction& i, TrafficCounter::Kind kind, Mask active,
                          unsigned width, Units units, std::uint64_t spacing = 0) {
  warp.path.access();
  if (i.counter == program::kNoCounter) return;
  Traffic& traffic = warp.worker->counters.traffic[i.counter].by_kind[static_cast<std::size_t>(kind)];
  ++traffic.requests;
  traffic.units += units.units;
  traffic.ideal_units += units.ideal;
  traffic.bytes += static_cast<std::uint64_t>(std::popcount(active)) * width;
  if (spacing != 0) {
    ++traffic.spaced_requests;
    traffic.spacing_bytes += spacing;
  }
}

/// Lanes of an atomic that meet at one address.
template <class T>
inline void count_contention(Warp& warp, const Instruction& i, Mask active, const T* addresses,
                             std::uint64_t counters::TrafficCounters::*contention) {
  if (i.counter == program::kNoCounter) return;
  warp.worker->counters.traffic[i.counter].*contention += most_at_one_address(addresses, active);
}

/// Sectors of an aligned access. Addresses that do not decrease from lane to lane need no search for repeats.
inline Units count_sectors(Mask active, const std::uint64_t* addresses, unsigned width) {
  if (active == kAllLanes) {
    std::uint64_t before[kLanes];
    before[0] = addresses[0];
    for (unsigned lane = 1; lane < kLanes; ++lane) before[lane] = addresses[lane - 1];
    const Mask falls = mask_of_lanes([&](unsigned l) { return addresses[l] < before[l]; });
    if (falls == 0) {
      const Mask changes = mask_of_lanes([&](unsigned l) { return addresses[l] >> 5 != before[l] >> 5; });
      const auto sectors = static_cast<std::uint32_t>(1 + std::popcount(changes));
      return {sectors, sectors < width ? sectors : width};
    }
  }
  return global_sectors(addresses, active, width);
}

/// Bounds and alignment of a global access; false when the launch has failed.
inline bool check_global_range(Warp& warp, const Instruction& i, Mask active, const std::uint64_t* addresses,
                               unsigned width, bool contiguous, AccessKind kind) {
  const std::uint64_t first = addresses[0];
  const auto [low, high, bits] = contiguous
                                     ? Extent<std::uint64_t>{first, first + std::uint64_t{31} * width, first}
                                     : extent_of(active, addresses);
  if ((bits & (width - 1)) != 0) {
    checks::report_misaligned(warp, i, active, addresses, width, kind);
    return false;
  }
  const GlobalMemory::Allocation& recent = warp.worker->recent[static_cast<std::size_t>(kind)];
  if (low >= recent.begin && high < recent.end() && recent.end() - high >= width) return true;
  return checks::locate_global(warp, i, active, addresses, width, kind);
}

/// Not inlined: few requests are kept.
template <class Address>
[[gnu::noinline]] inline void keep_sample(counters::AccessSample<Address>& sample, TrafficCounter::Kind kind,
                                          Mask active, const Address* addresses, unsigned width,
                                          Units units) {
  sample.kind = kind;
  sample.width = width;
  sample.active = active;
  sample.units = units.units;
  sample.ideal_units = units.ideal;
  for (unsigned lane = 0; lane < kLanes; ++lane)
    sample.addresses[lane] = (active >> lane & 1) != 0 ? addresses[lane] : 0;
}

/// Keeps the request where it shows more of the instruction than the one that was kept.
template <class Address>
inline void sample_access(const Warp& warp, counters::AccessSample<Address>& sample,
                          TrafficCounter::Kind kind, Mask active, const Address* addresses, unsigned width,
                          Units units) {
  const std::uint64_t rank = counters::AccessSample<Address>::rank_of(
      units.units, units.ideal, std::popcount(active), warp.block->sequence, warp.index);
  if (rank >= sample.rank) return;
  sample.rank = rank;
  keep_sample(sample, kind, active, addresses, width, units);
}

inline void count_global(Warp& warp, const Instruction& i, Mask active, const std::uint64_t* addresses,
                         unsigned width, bool contiguous, AccessKind kind, bool constant = false) {
  Units units;
  std::uint64_t spacing = 0;
  if (contiguous) {
    const auto sectors = static_cast<std::uint32_t>(((addresses[0] & 31) + kLanes * width + 31) / 32);
    units = {sectors, width};
    spacing = sectors > width ? width : 0;
  } else {
    units = count_sectors(active, addresses, width);
    if (units.units > units.ideal) spacing = lane_spacing(addresses, active);
  }
  const auto counter = constant                    ? TrafficCounter::Kind::constant_load
                       : kind == AccessKind::load  ? TrafficCounter::Kind::global_load
                       : kind == AccessKind::store ? TrafficCounter::Kind::global_store
                                                   : TrafficCounter::Kind::global_atomic;
  count_traffic(warp, i, counter, active, width, units, spacing);
  if (kind == AccessKind::atomic) {
    count_contention(warp, i, active, addresses, &counters::TrafficCounters::global_contention);
  }
  if (!constant && i.counter != program::kNoCounter) {
    sample_access(warp, warp.worker->counters.global_samples[i.counter], counter, active, addresses, width,
                  units);
  }
  if (!constant && !warp.block->grid->traced_places.empty()) {
    checks::trace_access(warp, i, active, addresses, width, "global", kind, units.units, units.ideal);
  }
}

/// Whether all has been written; what has not is told.
inline bool check_global_written(Warp& warp, const Instruction& i, Mask active,
                                 const std::uint64_t* addresses, unsigned width, Runs runs) {
  const GlobalMemory& memory = *warp.block->grid->memory;
  bool all = true;
  if (width == 4 && runs.continues == 0) {
    std::uint8_t both = 0xF;
    for (Mask left = runs.starts; left != 0; left &= left - 1)
      both &= *memory.written(addresses[first_lane(left)]);
    all = both == 0xF;
  } else if (width >= 4) {
    for_runs(runs, [&](unsigned lane, unsigned lanes) {
      const std::uint8_t* written = memory.written(addresses[lane]);
      std::uint8_t both = 0xF;
      for (unsigned k = 0; k < lanes * width / 4; ++k) both &= written[k];
      all &= both == 0xF;
    });
  } else {
    for (Mask left = active; left != 0; left &= left - 1) {
      const std::uint64_t address = addresses[std::countr_zero(left)];
      const unsigned bytes = ((1U << width) - 1) << (address & 3);
      all &= (*memory.written(address) & bytes) == bytes;
    }
  }
  if (!all) checks::examine_uninitialised_global(warp, i, active, addresses, width);
  return all;
}

inline void mark_global_written(Warp& warp, Mask active, const std::uint64_t* addresses, unsigned width,
                                Runs runs) {
  const GlobalMemory& memory = *warp.block->grid->memory;
  if (width >= 4) {
    for_runs(runs, [&](unsigned lane, unsigned lanes) {
      std::memset(memory.written(addresses[lane]), 0xF, std::size_t{lanes} * width / 4);
    });
  } else {
    for (Mask left = active; left != 0; left &= left - 1) {
      const std::uint64_t address = addresses[std::countr_zero(left)];
      const auto bytes = static_cast<std::uint8_t>(((1U << width) - 1) << (address & 3));
      __atomic_fetch_or(memory.written(address), bytes, __ATOMIC_RELAXED);
    }
  }
}

/// As assembly: a function that does nothing but __builtin_prefetch counts as one without effect, and GCC 12
/// removes the call.
inline void prefetch(const void* address) {
  asm volatile("prefetcht0 %0" : : "m"(*static_cast<const char*>(address)));
}

/// Lanes that touch many places meet a cache miss in each, in the data and in its shadows: asks for all of
/// them at once, before the checks wait for the first.
inline void prefetch_lanes(const GlobalMemory& memory, const std::uint64_t* addresses, Runs runs,
                           Visitor visitor) {
  constexpr int kFewRuns = 4;
  if (std::popcount(runs.starts) <= kFewRuns) return;
  for (Mask left = runs.starts; left != 0; left &= left - 1) {
    const std::uint64_t address = addresses[std::countr_zero(left)];
    prefetch(&memory.line_visits(address));
    prefetch(memory.word_visits(visitor, address));
    prefetch(memory.written(address));
    prefetch(memory.host(address));
  }
}

/// Polls that find what the warp had found before, until another warp runs: what it waits for comes from
/// there, and a turn costs less than a few polls.
constexpr std::uint32_t kPollsPerTurn = 8;

/// Whether a synchronising load or an atomic finds what the warp found with it before, at the same place, and
/// an atomic brings what it brought. `host` tells where an address is, `brought` a lane's operands. Who waits
/// so for somebody lets others run now and then.
template <class Address, class Host, class Brought>
inline bool polls_again(Warp& warp, const Instruction& i, Mask active, const Address* addresses,
                        unsigned width, Host host, Brought brought) {
  // Products that do not wait for each other, and one round a lane that does.
  static constexpr std::array<std::uint64_t, 7> kFactors = {
      0x9E37'79B9'7F4A'7C15, 0xBF58'476D'1CE4'E5B9, 0x94D0'49BB'1331'11EB, 0xFF51'AFD7'ED55'8CCD,
      0xC4CE'B9FE'1A85'EC53, 0xD6E8'FEB8'6659'FD93, 0xA076'1D64'78BD'642F};
  std::uint64_t digest = i.id + kFactors[0];
  for (Mask left = active; left != 0; left &= left - 1) {
    const unsigned lane = first_lane(left);
    const Address address = addresses[lane];
    std::uint64_t found[4] = {};
    std::memcpy(found, host(address), width);
    std::uint64_t sum = address * kFactors[0];
    for (unsigned k = 0; 8 * k < width; ++k) sum += found[k] * kFactors[1 + k];
    const auto parts = brought(lane);
    for (std::size_t k = 0; k < parts.size(); ++k) sum += parts[k] * kFactors[5 + k];
    digest = (digest ^ sum) * kFactors[0];
    digest ^= digest >> 29;
  }
  if (std::exchange(warp.latest_polls[i.counter % warp.latest_polls.size()], digest) != digest) return false;
  if (++warp.polls >= kPollsPerTurn) warp.yields = true;
  return true;
}

/// Of a load, which brings nothing.
template <class Address, class Host>
inline bool polls_again(Warp& warp, const Instruction& i, Mask active, const Address* addresses,
                        unsigned width, Host host) {
  return polls_again(warp, i, active, addresses, width, host,
                     [](unsigned) { return std::array<std::uint64_t, 0>{}; });
}

/// Leaves the lanes of a load whose value may be used; see ../speculated_loads.h. False when none is left.
inline bool keep_lanes(const Warp& warp, const Instruction& i, Mask& active, bool& contiguous) {
  if ((i.detail & access::kSpeculated) == 0) [[likely]]
    return true;
  active &= (i.reads_flags & 4) != 0 ? ~warp.predicates[i.c] : warp.predicates[i.c];
  contiguous = contiguous && active == kAllLanes;
  return active != 0;
}

/// Of a load within bounds: uninitialised words and races.
inline void examine_global_load(Warp& warp, const Instruction& i, Mask active, const std::uint64_t* addresses,
                                unsigned width, bool contiguous) {
  const Grid& grid = *warp.block->grid;
  if (!grid.checks || !keep_lanes(warp, i, active, contiguous)) return;
  // What all lanes read, one may look at for them.
  const Runs runs = !contiguous && is_uniform(active, addresses)
                        ? Runs{Mask{1} << first_lane(active), 0}
                        : find_runs(active, addresses, width, contiguous);
  prefetch_lanes(*grid.memory, addresses, runs, kReader);
  check_global_written(warp, i, active, addresses, width, runs);
  if (grid.many_threads && (i.detail & access::kSynchronising) == 0) {
    GlobalRaceCheck<AccessKind::load>(warp, i, active, addresses, width).check(runs);
  }
}

/// `constant`: through the constant cache, which has a counter of its own.
inline bool check_global_load(Warp& warp, const Instruction& i, Mask active, const std::uint64_t* addresses,
                              unsigned width, bool contiguous, bool constant = false) {
  if (!check_global_range(warp, i, active, addresses, width, contiguous, AccessKind::load)) return false;
  const bool synchronising = (i.detail & access::kSynchronising) != 0;
  if (synchronising) warp.worker->polled_address = addresses[std::countr_zero(active)];
  const auto host = [&](std::uint64_t address) { return warp.block->grid->memory->host(address); };
  // How often a warp polls depends on the machine's timing: once is counted.
  const bool again = synchronising && polls_again(warp, i, active, addresses, width, host);
  if (!again) count_global(warp, i, active, addresses, width, contiguous, AccessKind::load, constant);
  if (synchronising) warp.path.poll(i.counter, again, 0);
  examine_global_load(warp, i, active, addresses, width, contiguous);
  return true;
}

/// What is left to do behind the checks of a store.
enum class StoreCheck : std::uint8_t { failed, passed, stored };

inline StoreCheck check_global_store(Warp& warp, const Instruction& i, Mask active,
                                     const std::uint64_t* addresses, unsigned width, bool contiguous,
                                     const ValueOf& value) {
  if (!check_global_range(warp, i, active, addresses, width, contiguous, AccessKind::store))
    return StoreCheck::failed;
  count_global(warp, i, active, addresses, width, contiguous, AccessKind::store);
  ++warp.worker->changes;
  const Grid& grid = *warp.block->grid;
  if (grid.checks) {
    const Runs runs = find_runs(active, addresses, width, contiguous);
    prefetch_lanes(*grid.memory, addresses, runs, kWriter);
    mark_global_written(warp, active, addresses, width, runs);
    if ((i.detail & access::kRelease) != 0) checks::release(warp);
    checks::signal(warp);
    if (grid.many_threads && (i.detail & access::kSynchronising) == 0) {
      GlobalRaceCheck<AccessKind::store>(warp, i, active, addresses, width, &value).check(runs);
      if (grid.many_workers) return StoreCheck::stored;
    }
  }
  return StoreCheck::passed;
}

/// `brought`: see polls_again.
template <class Brought>
inline bool check_global_atomic(Warp& warp, const Instruction& i, Mask active, const std::uint64_t* addresses,
                                unsigned width, Brought brought) {
  if (!check_global_range(warp, i, active, addresses, width, false, AccessKind::atomic)) return false;
  warp.worker->polled_address = addresses[std::countr_zero(active)];
  const auto host = [&](std::uint64_t address) { return warp.block->grid->memory->host(address); };
  // As of loads: once is counted.
  const bool again = polls_again(warp, i, active, addresses, width, host, brought);
  if (!again) count_global(warp, i, active, addresses, width, false, AccessKind::atomic);
  warp.path.poll(i.counter, again, 0);
  const Grid& grid = *warp.block->grid;
  if (grid.checks) {
    if ((i.detail & access::kRelease) != 0) checks::release(warp);
    checks::signal(warp);
    checks::acquire(warp);
    const Runs runs = find_runs(active, addresses, width, false);
    if (!check_global_written(warp, i, active, addresses, width, runs))
      mark_global_written(warp, active, addresses, width, runs);
    if (grid.many_threads) {
      for (Mask left = active; left != 0; left &= left - 1)
        grid.atomic_words->note(addresses[first_lane(left)]);
      GlobalRaceCheck<AccessKind::atomic>(warp, i, active, addresses, width).check(runs);
    }
  }
  return true;
}

/// Bounds and alignment within a window that begins at 0.
inline bool check_window(Warp& warp, const Instruction& i, Mask active, const std::uint64_t* offsets,
                         unsigned width, std::uint64_t limit, Finding::Space window, AccessKind kind) {
  const auto [low, high, bits] = extent_of(active, offsets);
  if (high + width > limit || high + width < width) {
    checks::report_outside_window(warp, i, active, offsets, width, limit, window, kind);
    return false;
  }
  if ((bits & (width - 1)) != 0) {
    checks::report_misaligned(warp, i, active, offsets, width, kind);
    return false;
  }
  return true;
}

inline bool check_parameters(Warp& warp, const Instruction& i, Mask active, const std::uint64_t* offsets,
                             unsigned width) {
  return check_window(warp, i, active, offsets, width, warp.block->grid->parameters.size(),
                      Finding::Space::parameters, AccessKind::load);
}

inline bool check_local(Warp& warp, const Instruction& i, Mask active, const std::uint64_t* offsets,
                        unsigned width, bool is_store) {
  const AccessKind kind = is_store ? AccessKind::store : AccessKind::load;
  if (!check_window(warp, i, active, offsets, width, warp.local_bytes, Finding::Space::local, kind))
    return false;
  // Hardware interleaves local memory by thread, so that lanes at one offset touch neighbouring words.
  const auto units =
      static_cast<std::uint32_t>((static_cast<unsigned>(std::popcount(active)) * width + 31) / 32);
  count_traffic(warp, i, is_store ? TrafficCounter::Kind::local_store : TrafficCounter::Kind::local_load,
                active, width, {units, units});
  return true;
}

inline void count_shared(Warp& warp, const Instruction& i, Mask active, const std::uint32_t* offsets,
                         unsigned width, bool contiguous, AccessKind kind) {
  Units units;
  std::uint64_t spacing = 0;
  if (contiguous) {
    const std::uint32_t wavefronts = width <= 4 ? 1 : width / 4;
    units = {wavefronts, wavefronts};
  } else {
    const bool lanes_meet = kind == AccessKind::atomic && (i.detail & access::kCountsLanes) == 0;
    units = lanes_meet ? shared_atomic_wavefronts(offsets, active, width)
                       : shared_wavefronts(offsets, active, width);
    if (units.units > units.ideal) spacing = lane_spacing(offsets, active);
  }
  const auto counter = kind == AccessKind::load    ? TrafficCounter::Kind::shared_load
                       : kind == AccessKind::store ? TrafficCounter::Kind::shared_store
                                                   : TrafficCounter::Kind::shared_atomic;
  count_traffic(warp, i, counter, active, width, units, spacing);
  if (i.counter != program::kNoCounter) {
    sample_access(warp, warp.worker->counters.shared_samples[i.counter], counter, active, offsets, width,
                  units);
  }
  if (kind == AccessKind::atomic) {
    count_contention(warp, i, active, offsets, &counters::TrafficCounters::shared_contention);
  }
  if (!warp.block->grid->traced_places.empty()) {
    std::uint64_t wide[kLanes];
    for (unsigned lane = 0; lane < kLanes; ++lane) wide[lane] = offsets[lane];
    checks::trace_access(warp, i, active, wide, width, "shared", kind, units.units, units.ideal);
  }
}

/// Reads of uninitialised words and races within the block; stamps the words with this access.
template <AccessKind kind>
inline void check_shared_words(Warp& warp, const Instruction& i, Mask active, const std::uint32_t* offsets,
                               unsigned width, bool contiguous, const ValueOf* value) {
  const SharedWords at(warp, i);
  state::SharedShadow& shadow = at.shadow;
  const std::uint32_t granule = warp.block->grid->kernel->shared_granule;
  const auto shift = static_cast<unsigned>(std::countr_zero(granule));
  const std::uint32_t words = width <= granule ? 1 : width >> shift;

  if constexpr (kind != AccessKind::atomic) {
    if (at.strong || (at.is_volatile && kind != AccessKind::load)) {
      // Seldom, and noted in another way: word by word.
    } else if (contiguous && width >= granule) {
      if (pass_shared_run<kind>(at, offsets[0] >> shift, words)) return;
    } else if (kind == AccessKind::load && is_uniform(active, offsets)) {
      if (pass_shared_broadcast(at, active, offsets[first_lane(active)] >> shift, words)) return;
    } else if (words == 1) {
      if (pass_shared_scattered<kind>(at, active, offsets, shift)) return;
    }
  }

  Mask uninitialised = 0;
  for (Mask left = active; left != 0; left &= left - 1) {
    const unsigned lane = first_lane(left);
    const std::uint32_t thread = at.first_thread + lane;
    const std::uint32_t first = offsets[lane] >> shift;
    for (std::uint32_t word = first; word < first + words; ++word) {
      const Time written = shadow.write_time[word];
      if (kind != AccessKind::store && written < at.begin) {
        uninitialised |= 1U << lane;
      } else if (at.may_race(written, shadow.writer[word], lane) ||
                 (kind != AccessKind::load &&
                  at.read_elsewhere(shadow.read_time[word], shadow.read_warps[word])) ||
                 (kind == AccessKind::store &&
                  checks::read_beside(warp, shadow.read_time[word], shadow.read_place[word], lane))) {
        checks::examine_shared_conflict(warp, i, lane, word, offsets[lane], width, kind, value);
      }
      if constexpr (kind == AccessKind::load) {
        at.leave_read(word, lane);
      } else if (kind == AccessKind::atomic && written > warp.ordered && shadow.writer[word] == thread) {
        // The thread's own plain write stays: for others it is the one that is not ordered.
      } else {
        at.leave_write(word, thread | (kind == AccessKind::atomic || at.strong ? state::kAtomicWriter : 0) |
                                 (at.is_volatile ? state::kVolatileWriter : 0));
      }
      if constexpr (kind == AccessKind::atomic) shadow.atomic_time[word] = at.now;
    }
  }
  if (uninitialised != 0) checks::examine_uninitialised_shared(warp, i, uninitialised, offsets, width);
}

/// Whether an active lane's address has more bits than the 32 of a window's offsets.
inline bool leaves_window(Mask active, const std::uint64_t* addresses) {
  std::uint64_t all = 0;
  for (unsigned lane = 0; lane < kLanes; ++lane) all |= addresses[lane];
  if (all < kWindowBytes) return false;
  return (active & mask_of_lanes([=](unsigned l) { return addresses[l] >= kWindowBytes; })) != 0;
}

/// Of an access to shared memory that other blocks of a cluster reach: before it leaves something, and behind
/// what it finds.
inline void leave_beyond_block(Warp& warp, const Instruction& i, AccessKind kind) {
  constexpr auto kBoth = access::kRelease | access::kBeyondBlock;
  if (kind == AccessKind::load || warp.block->grid->cluster.count() == 1) return;
  if ((i.detail & kBoth) == kBoth) checks::release(warp);
  checks::signal(warp);
}
inline void acquire_beyond_block(Warp& warp, const Instruction& i) {
  constexpr auto kBoth = access::kAcquire | access::kBeyondBlock;
  if ((i.detail & kBoth) == kBoth && warp.block->grid->cluster.count() > 1) checks::acquire(warp);
}

/// Takes addresses of 64 bits, as a register may hold any. Those of lanes that pass are the offsets that were
/// checked.
template <AccessKind kind>
inline bool check_shared(Warp& warp, const Instruction& i, Mask active, const std::uint64_t* addresses,
                         unsigned width, bool contiguous, const ValueOf* value) {
  const std::uint32_t limit = warp.block->grid->shared_bytes;
  alignas(64) std::uint32_t offsets[kLanes];
  for (unsigned lane = 0; lane < kLanes; ++lane) offsets[lane] = static_cast<std::uint32_t>(addresses[lane]);
  const auto [low, high, bits] = contiguous
                                     ? Extent<std::uint32_t>{offsets[0], offsets[0] + 31 * width, offsets[0]}
                                     : extent_of(active, offsets);
  if (std::uint64_t{high} + width > limit || (bits & (width - 1)) != 0 || leaves_window(active, addresses)) {
    check_window(warp, i, active, addresses, width, limit, Finding::Space::shared, kind);
    return false;
  }
  count_shared(warp, i, active, offsets, width, contiguous, kind);
  if (kind == AccessKind::load && (i.detail & access::kSynchronising) != 0) {
    const auto host = [&](std::uint32_t offset) { return warp.block->shared.data() + offset; };
    warp.path.poll(i.counter, polls_again(warp, i, active, offsets, width, host), 1);
  }
  if constexpr (kind == AccessKind::store) ++warp.worker->changes;
  if (warp.block->grid->checks) {
    if (kind == AccessKind::load && !keep_lanes(warp, i, active, contiguous)) return true;
    if ((i.detail & access::kRelease) != 0) checks::release_to(warp, warp.block->released);
    leave_beyond_block(warp, i, kind);
    check_shared_words<kind>(warp, i, active, offsets, width, contiguous, value);
    if ((i.detail & access::kAcquire) != 0) checks::acquire_from(warp, warp.block->released);
    acquire_beyond_block(warp, i);
  }
  return true;
}

inline bool check_shared_load(Warp& warp, const Instruction& i, Mask active, const std::uint64_t* addresses,
                              unsigned width, bool contiguous) {
  return check_shared<AccessKind::load>(warp, i, active, addresses, width, contiguous, nullptr);
}
inline bool check_shared_store(Warp& warp, const Instruction& i, Mask active, const std::uint64_t* addresses,
                               unsigned width, bool contiguous, const ValueOf& value) {
  return check_shared<AccessKind::store>(warp, i, active, addresses, width, contiguous, &value);
}

}  // namespace lockstep::emulator::handlers::LOCKSTEP_LEVEL
