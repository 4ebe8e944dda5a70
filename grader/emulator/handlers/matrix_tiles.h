// How 8 × 8 tiles of 16 bits, and other parts of a warp's matrices, move between memory and lanes.
//
// Each is one access of the warp, checked and counted like any other. What a lane reads or writes is what it
// holds, so races are told between the right threads. A tile takes one wavefront of shared memory when no two
// of its rows of 16 bytes meet in a bank.
#pragma once

#include <cstdint>
#include <cstring>

#include "emulator/handlers/access_checks.h"
#include "emulator/handlers/addresses.h"
#include "emulator/handlers/matrices.h"

namespace lockstep::emulator::handlers::LOCKSTEP_LEVEL {

inline constexpr unsigned kTile = MatrixFragment::kTileRows;
inline constexpr unsigned kLanesOfRow = MatrixFragment::kTileWords;
inline constexpr unsigned kWordBytes = 4;
inline constexpr unsigned kTileRowBytes = 16;  ///< of 32-bit words
inline constexpr unsigned kMaxTiles = 4;       ///< of one ldmatrix
inline constexpr unsigned kMaxLaneBytes = 16;

/// What the lanes move at once, lane by lane.
struct LaneBytes {
  alignas(64) std::byte of[kLanes * kMaxLaneBytes] = {};
};

/// Moves `width` bytes a lane between memory and `data`; false when the launch has failed.
template <AccessKind kind>
inline bool move_lanes(Warp& warp, const Instruction& i, Mask active, const Addresses& addresses,
                       unsigned width, bool shared, std::byte* data) {
  const auto value_bytes = [=](unsigned lane, std::byte* to) { std::memcpy(to, data + lane * width, width); };
  bool passed = false;
  if constexpr (kind == AccessKind::store) {
    passed = shared ? check_shared_store(warp, i, active, addresses.of, width, false, value_bytes)
                    : check_global_store(warp, i, active, addresses.of, width, false, value_bytes) !=
                          StoreCheck::failed;
  } else {
    passed = shared ? check_shared_load(warp, i, active, addresses.of, width, false)
                    : check_global_load(warp, i, active, addresses.of, width, false);
  }
  if (!passed) return false;
  for (Mask left = active; left != 0; left &= left - 1) {
    const unsigned lane = first_lane(left);
    std::byte* memory = shared ? warp.block->shared.data() + addresses.of[lane]
                               : warp.block->grid->memory->host(addresses.of[lane]);
    if constexpr (kind == AccessKind::store) {
      std::memcpy(memory, data + lane * width, width);
    } else {
      std::memcpy(data + lane * width, memory, width);
    }
  }
  return true;
}

/// Notes the access of a tile in its words' shadows, of which each lane has `each`; false where one is
/// suspicious.
template <AccessKind kind, unsigned each>
inline bool stamp_tile(Warp& warp, const Instruction& i, const std::uint64_t* rows) {
  constexpr unsigned kWords = kLanesOfRow * each;
  bool suspicious = false;
  const auto for_rows = [&](auto f) {
    for (unsigned r = 0; r < kTile; ++r) {
      f(static_cast<std::uint32_t>(rows[r] * kWords / kTileRowBytes), warp.index * kLanes + kLanesOfRow * r);
    }
  };
  for_rows([&](std::uint32_t word, std::uint32_t thread) {
    suspicious |= run_is_suspicious<kind, kWords, each>(warp, word, thread);
  });
  if (suspicious) return false;
  for_rows([&](std::uint32_t word, std::uint32_t thread) {
    stamp_run<kind, kWords, each>(warp, i, word, thread);
  });
  return true;
}

/// A tile of shared memory whose rows of 16 bytes lie within it, when nothing is wrong with it: false, with
/// nothing done, when rows are not aligned or meet in a bank, or words need a closer look.
template <AccessKind kind>
inline bool move_plain_tile(Warp& warp, const Instruction& i, const std::uint64_t* rows,
                            std::uint32_t* words) {
  const Grid& grid = *warp.block->grid;
  std::uint32_t banks = 0;
  std::uint64_t bits = 0;
  for (unsigned r = 0; r < kTile; ++r) {
    banks |= 1U << (rows[r] / kTileRowBytes % kTile);
    bits |= rows[r];
  }
  if (banks != 0xFF || bits % kTileRowBytes != 0 || !grid.traced_places.empty()) return false;
  if (grid.checks) {
    const std::uint32_t granule = grid.kernel->shared_granule;
    const bool plain = granule == 4   ? stamp_tile<kind, 1>(warp, i, rows)
                       : granule == 2 ? stamp_tile<kind, 2>(warp, i, rows)
                                      : granule == 1 && stamp_tile<kind, 4>(warp, i, rows);
    if (!plain) return false;
  }
  const auto counter =
      kind == AccessKind::store ? TrafficCounter::Kind::shared_store : TrafficCounter::Kind::shared_load;
  count_traffic(warp, i, counter, kAllLanes, sizeof *words, {1, 1});
  for (unsigned r = 0; r < kTile; ++r) {
    std::byte* memory = warp.block->shared.data() + rows[r];
    std::uint32_t* values = words + kLanesOfRow * r;
    if constexpr (kind == AccessKind::store) {
      ++warp.worker->changes;
      std::memcpy(memory, values, kTileRowBytes);
    } else {
      std::memcpy(values, memory, kTileRowBytes);
    }
  }
  return true;
}

/// Counts accesses that hardware makes of up to four tiles as such.
inline void join_requests(Warp& warp, const Instruction& i, AccessKind kind, unsigned accesses) {
  const auto counter =
      kind == AccessKind::store ? TrafficCounter::Kind::shared_store : TrafficCounter::Kind::shared_load;
  Traffic& traffic = warp.worker->counters.traffic[i.counter].by_kind[static_cast<std::size_t>(counter)];
  traffic.requests -= accesses - (accesses + kMaxTiles - 1) / kMaxTiles;
}

/// A generic address in the window of shared memory as the offset there; false for others.
inline bool enter_shared(std::uint64_t& address) {
  if (address / kWindowBytes != kSharedWindow / kWindowBytes) return false;
  address %= kWindowBytes;
  return true;
}

}  // namespace lockstep::emulator::handlers::LOCKSTEP_LEVEL
