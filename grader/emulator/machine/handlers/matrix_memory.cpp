// wmma.load and wmma.store, ldmatrix, stmatrix and movmatrix. PTX ISA 9.7.14.4.3, 9.7.14.4.4, 9.7.14.5.15
// to 17.
//
// Data moves tile by tile (matrix_operation.h), each as one access of the warp that is checked and counted
// like any other; what a lane reads or writes is what it holds, so races are told between the right threads.
// The accesses are those that ptxas makes of wmma for sm_90: 32-bit words of A and B, transposed by the warp
// where rows of 16-bit elements lie across memory, single elements where others do, and pairs of C and D. In
// shared memory A and B come by ldmatrix, up to four tiles a request; its rows of 16 bytes take one wavefront
// a tile when no two meet in a bank.
#include <cstdint>
#include <cstring>

#include "emulator/machine/handlers/access_checks.h"
#include "emulator/machine/handlers/addresses.h"
#include "emulator/machine/handlers/fragments.h"
#include "emulator/machine/handlers/lanes.h"
#include "emulator/machine/handlers/tables.h"

namespace lockstep::emulator::LOCKSTEP_LEVEL {
namespace {

using ptx::Space;
using Tile = MatrixFragment::Tile;

constexpr unsigned kTile = 8;  ///< rows
constexpr unsigned kLanesOfRow = 4;
constexpr unsigned kWordBytes = 4;
constexpr unsigned kTileRowBytes = 16;  ///< of 32-bit words
constexpr unsigned kMostTiles = 4;      ///< of one ldmatrix
constexpr unsigned kMostLaneBytes = 16;

/// What the lanes move at once, lane by lane.
struct LaneBytes {
  alignas(64) std::byte of[kLanes * kMostLaneBytes];
};

/// Moves `width` bytes a lane between memory and `data`; false when the launch has failed.
template <AccessKind kind>
bool move_lanes(Warp& warp, const Instruction& i, Mask active, const Addresses& addresses, unsigned width,
                bool shared, std::byte* data) {
  const auto value_bytes = [=](unsigned lane, std::byte* to) { std::memcpy(to, data + lane * width, width); };
  bool passed = false;
  if constexpr (kind == AccessKind::store) {
    passed = shared ? check_shared_store(warp, i, active, addresses.of, width, false, value_bytes)
                    : check_global_store(warp, i, active, addresses.of, width, false, value_bytes);
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
bool stamp_tile(Warp& warp, const Instruction& i, const std::uint64_t* rows) {
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
bool move_plain_tile(Warp& warp, const Instruction& i, const std::uint64_t* rows, std::uint32_t* words) {
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
      std::memcpy(memory, values, kTileRowBytes);
    } else {
      std::memcpy(values, memory, kTileRowBytes);
    }
  }
  return true;
}

/// Counts accesses that hardware makes of up to four tiles as such.
void join_requests(Warp& warp, const Instruction& i, AccessKind kind, unsigned accesses) {
  const auto counter =
      kind == AccessKind::store ? TrafficCounter::Kind::shared_store : TrafficCounter::Kind::shared_load;
  Traffic& traffic = warp.worker->counters.traffic[i.counter].by_kind[static_cast<std::size_t>(counter)];
  traffic.requests -= accesses - (accesses + kMostTiles - 1) / kMostTiles;
}

/// A generic address in the window of shared memory as the offset there; false for others.
bool enter_shared(std::uint64_t& address) {
  if (address / kWindowBytes != kSharedWindow / kWindowBytes) return false;
  address %= kWindowBytes;
  return true;
}

/// Moves one fragment of wmma, whose matrix begins at an address that all lanes give.
template <AccessKind kind>
class FragmentMover {
 public:
  FragmentMover(Warp& warp, const Instruction& i, Mask active)
      : warp_(warp), i_(i), active_(active), operation_(matrix_operation(warp, i)), fragment_(operation_.d) {}

  void move() {
    need_all_lanes(warp_, i_, active_);
    if (!find_matrix()) return;
    for (unsigned index = 0; index < fragment_.tiles(); ++index) {
      if (!move_tile(index)) return;
    }
    if (operation_.space == Space::shared && moves_words()) {
      join_requests(warp_, i_, kind, fragment_.tiles());
    }
    for (unsigned k = fragment_.distinct_registers(); kind == AccessKind::load && k < fragment_.registers;
         ++k) {
      const auto* from = row<std::uint32_t>(warp_, fragment_.rows[k % fragment_.distinct_registers()]);
      for_lanes<std::uint32_t>(row<std::uint32_t>(warp_, fragment_.rows[k]), active_,
                               [=](unsigned l) { return from[l]; });
    }
  }

 private:
  /// How the addresses of an access go with a lane's row in its tile and its place there.
  struct Pattern {
    unsigned line = 0, line_of_row = 0, line_of_place = 0;        ///< in strides
    unsigned offset = 0, offset_of_row = 0, offset_of_place = 0;  ///< in bytes
  };

  bool find_matrix() {
    Addresses begins;
    compute_addresses(warp_, i_, begins);
    const auto* strides = row<std::uint32_t>(warp_, i_.b);
    const unsigned lane = first_lane(active_);
    base_ = begins.of[lane];
    const std::uint32_t stride = strides[lane];
    const Mask others =
        active_ & mask_of_lanes([&](unsigned l) { return begins.of[l] != base_ || strides[l] != stride; });
    if (others != 0) report_different_matrices(warp_, i_, others);
    stride_ = std::uint64_t{stride} * bits_of(fragment_.element) / 8;
    // Rows must be aligned to what a lane holds; the programming guide asks for 16 bytes.
    const unsigned held = fragment_.registers * (fragment_.wide() ? 8U : 4U);
    const unsigned alignment = held < kTileRowBytes ? held : kTileRowBytes;
    if (((base_ | stride_) & (alignment - 1)) != 0) {
      Addresses lines;
      for (unsigned l = 0; l < kLanes; ++l) lines.of[l] = base_ + l * stride_;
      report_misaligned(warp_, i_, kAllLanes, lines.of, alignment, kind);
      return false;
    }
    shared_ =
        operation_.space == Space::shared || (operation_.space == Space::generic && enter_shared(base_));
    return true;
  }

  bool access(const Pattern& pattern, unsigned width, std::byte* data) {
    Addresses addresses;
    if (shared_ && width == kWordBytes && pattern.line_of_row == 1 && active_ == kAllLanes) {
      const std::uint64_t begin = base_ + pattern.line * stride_ + pattern.offset;
      for (unsigned r = 0; r < kTile; ++r) addresses.of[r] = begin + r * stride_;
      const std::uint64_t end = warp_.block->grid->shared_bytes;
      if (base_ < kWindowBytes && addresses.of[kTile - 1] + kTileRowBytes <= end &&
          move_plain_tile<kind>(warp_, i_, addresses.of, reinterpret_cast<std::uint32_t*>(data))) {
        return true;
      }
    }
    for (unsigned lane = 0; lane < kLanes; ++lane) {
      const unsigned r = lane / kLanesOfRow, place = lane % kLanesOfRow;
      const std::uint64_t line = pattern.line + r * pattern.line_of_row + place * pattern.line_of_place;
      addresses.of[lane] = base_ + line * stride_ + pattern.offset + r * pattern.offset_of_row +
                           place * pattern.offset_of_place;
    }
    return move_lanes<kind>(warp_, i_, active_, addresses, width, shared_, data);
  }

  /// Whether tiles move as words of their registers.
  bool moves_words() const {
    return !fragment_.wide() && !fragment_.accumulator &&
           (operation_.along_rows || bits_of(fragment_.element) == 16);
  }

  bool move_tile(unsigned index) {
    const unsigned bits = bits_of(fragment_.element);
    const unsigned first = index * fragment_.registers_of_tile();
    const Tile tile = fragment_.tile(index);
    if (bits == 16 && !operation_.along_rows) return move_transposed(tile, first);
    if (operation_.along_rows) return move_along_rows(tile, first);
    if (bits == 8) return load_bytes(tile, first);
    return fragment_.wide() ? move_elements<std::uint64_t>(tile, first)
                            : move_elements<std::uint32_t>(tile, first);
  }

  template <class Word>
  void keep(unsigned index, const Word* words) {
    for_lanes<Word>(row<Word>(warp_, fragment_.rows[index]), active_, [=](unsigned l) { return words[l]; });
  }

  /// A lane's elements are neighbours in memory: one word, or a pair in two registers.
  bool move_along_rows(Tile tile, unsigned first) {
    const unsigned lane_bytes =
        fragment_.accumulator ? 2 * bits_of(fragment_.element) / 8 : fragment_.word_bytes();
    const Pattern pattern{.line = kTile * tile.down,
                          .line_of_row = 1,
                          .offset = kLanesOfRow * lane_bytes * tile.across,
                          .offset_of_place = lane_bytes};
    return fragment_.wide() ? move_registers<std::uint64_t>(pattern, lane_bytes, first)
                            : move_registers<std::uint32_t>(pattern, lane_bytes, first);
  }
  template <class Word>
  bool move_registers(const Pattern& pattern, unsigned lane_bytes, unsigned first) {
    const unsigned registers = lane_bytes / sizeof(Word);
    LaneBytes data;
    auto* words = reinterpret_cast<Word*>(data.of);
    if constexpr (kind == AccessKind::store) {
      for (unsigned k = 0; k < registers; ++k) {
        const Word* from = row<Word>(warp_, fragment_.rows[first + k]);
        for (unsigned lane = 0; lane < kLanes; ++lane) words[registers * lane + k] = from[lane];
      }
    }
    if (!access(pattern, lane_bytes, data.of)) return false;
    if constexpr (kind == AccessKind::load) {
      for (unsigned k = 0; k < registers; ++k) {
        for_lanes<Word>(row<Word>(warp_, fragment_.rows[first + k]), active_,
                        [=](unsigned l) { return words[registers * l + k]; });
      }
    }
    return true;
  }

  /// Neighbours in memory are neighbours in a column: words are moved as they lie there.
  bool move_transposed(Tile tile, unsigned first) {
    const Pattern pattern{.line = kTile * tile.across,
                          .line_of_row = 1,
                          .offset = kTileRowBytes * tile.down,
                          .offset_of_place = sizeof(std::uint32_t)};
    LaneBytes data;
    auto* words = reinterpret_cast<std::uint32_t*>(data.of);
    if constexpr (kind == AccessKind::store) {
      std::memcpy(words, row<std::uint32_t>(warp_, fragment_.rows[first]), kLanes * sizeof *words);
      transpose_tile(words);
    }
    if (!access(pattern, sizeof *words, data.of)) return false;
    if constexpr (kind == AccessKind::load) {
      transpose_tile(words);
      keep(first, words);
    }
    return true;
  }

  bool load_bytes(Tile tile, unsigned first) {
    std::uint32_t words[kLanes] = {};
    for (unsigned byte = 0; byte < sizeof *words; ++byte) {
      const Pattern pattern{.line = kTileRowBytes * tile.across + byte,
                            .line_of_place = sizeof *words,
                            .offset = kTile * tile.down,
                            .offset_of_row = 1};
      LaneBytes data;
      if (!access(pattern, 1, data.of)) return false;
      for (unsigned lane = 0; lane < kLanes; ++lane)
        words[lane] |= std::to_integer<std::uint32_t>(data.of[lane]) << (8 * byte);
    }
    keep(first, words);
    return true;
  }

  /// One element of each lane after the other.
  template <class Word>
  bool move_elements(Tile tile, unsigned first) {
    const unsigned registers = fragment_.registers_of_tile();
    for (unsigned k = 0; k < registers; ++k) {
      const Pattern pattern{.line = kLanesOfRow * registers * tile.across + k,
                            .line_of_place = registers,
                            .offset = kTile * tile.down * static_cast<unsigned>(sizeof(Word)),
                            .offset_of_row = sizeof(Word)};
      if (!move_registers<Word>(pattern, sizeof(Word), first + k)) return false;
    }
    return true;
  }

  Warp& warp_;
  const Instruction& i_;
  Mask active_;
  const MatrixOperation& operation_;
  const MatrixFragment& fragment_;
  std::uint64_t base_ = 0, stride_ = 0;  ///< bytes
  bool shared_ = false;
};

template <AccessKind kind>
void move_fragment(Warp& warp, const Instruction& i, Mask active) {
  FragmentMover<kind>(warp, i, active).move();
}

/// ldmatrix and stmatrix: lane 8 k + r gives the address of row r of tile k.
template <AccessKind kind>
void move_rows(Warp& warp, const Instruction& i, Mask active) {
  need_all_lanes(warp, i, active);
  const MatrixOperation& operation = matrix_operation(warp, i);
  const unsigned tiles = operation.d.registers;
  Addresses begins;
  compute_addresses(warp, i, begins);
  if (operation.space == Space::generic) {
    for (std::uint64_t& address : begins.of) enter_shared(address);
  }
  const Mask giving = tiles == kMostTiles ? active : active & ((1U << kTile * tiles) - 1);
  if (giving == 0 || !check_window(warp, i, giving, begins.of, kTileRowBytes, warp.block->grid->shared_bytes,
                                   "the block's shared memory", kind)) {
    return;
  }
  alignas(64) std::uint32_t words[kMostTiles][kLanes] = {};
  for (unsigned k = 0; k < tiles; ++k) {
    Addresses addresses;
    Mask taking = 0;
    if (kind == AccessKind::store) {
      std::memcpy(words[k], row<std::uint32_t>(warp, operation.d.rows[k]), sizeof words[k]);
      if (operation.transpose) transpose_tile(words[k]);
    }
    if (active == kAllLanes && move_plain_tile<kind>(warp, i, begins.of + kTile * k, words[k])) continue;
    for (unsigned lane = 0; lane < kLanes; ++lane) {
      const unsigned giver = kTile * k + lane / kLanesOfRow;
      addresses.of[lane] = begins.of[giver] + sizeof(std::uint32_t) * (lane % kLanesOfRow);
      taking |= (active >> giver & active >> lane & 1) << lane;
    }
    auto* data = reinterpret_cast<std::byte*>(words[k]);
    if (taking != 0 && !move_lanes<kind>(warp, i, taking, addresses, sizeof(std::uint32_t), true, data))
      return;
  }
  join_requests(warp, i, kind, tiles);
  // A result may be the row of addresses.
  for (unsigned k = 0; kind == AccessKind::load && k < tiles; ++k) {
    if (operation.transpose) transpose_tile(words[k]);
    for_lanes<std::uint32_t>(row<std::uint32_t>(warp, operation.d.rows[k]), active,
                             [&](unsigned l) { return words[k][l]; });
  }
}

void transpose(Warp& warp, const Instruction& i, Mask active) {
  need_all_lanes(warp, i, active);
  alignas(64) std::uint32_t words[kLanes];
  std::memcpy(words, row<std::uint32_t>(warp, i.a), sizeof words);
  transpose_tile(words);
  for_lanes<std::uint32_t>(row<std::uint32_t>(warp, i.destination), active,
                           [&](unsigned l) { return words[l]; });
}

}  // namespace

Handler matrix_memory_handler(MatrixMovement movement) {
  switch (movement) {
    case MatrixMovement::load_fragment:
      return move_fragment<AccessKind::load>;
    case MatrixMovement::store_fragment:
      return move_fragment<AccessKind::store>;
    case MatrixMovement::load_rows:
      return move_rows<AccessKind::load>;
    case MatrixMovement::store_rows:
      return move_rows<AccessKind::store>;
    case MatrixMovement::transpose:
      return transpose;
  }
  return nullptr;
}

}  // namespace lockstep::emulator::LOCKSTEP_LEVEL
