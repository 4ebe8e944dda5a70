// wmma.load and wmma.store. PTX ISA 9.7.14.4.
//
// The accesses are those that ptxas makes of them for sm_90: 32-bit words of A and B, transposed by the warp
// where rows of 16-bit elements lie across memory; single elements where others do; pairs of C and D. In
// shared memory A and B come by ldmatrix, up to four tiles a request.
#include <cstdint>
#include <cstring>

#include "emulator/handlers/matrix_tiles.h"
#include "emulator/handlers/tables.h"

namespace lockstep::emulator::handlers::LOCKSTEP_LEVEL {
namespace {

using ptx::Space;
using Tile = MatrixFragment::Tile;

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
    if (others != 0) checks::report_different_matrices(warp_, i_, others);
    stride_ = std::uint64_t{stride} * program::bits_of(fragment_.element) / 8;
    // Rows must be aligned to what a lane holds; the programming guide asks for 16 bytes.
    const unsigned held = fragment_.registers * (fragment_.wide() ? 8U : 4U);
    const unsigned alignment = held < kTileRowBytes ? held : kTileRowBytes;
    if (((base_ | stride_) & (alignment - 1)) != 0) {
      Addresses lines;
      for (unsigned l = 0; l < kLanes; ++l) lines.of[l] = base_ + l * stride_;
      checks::report_misaligned(warp_, i_, kAllLanes, lines.of, alignment, kind);
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
           (operation_.along_rows || program::bits_of(fragment_.element) == 16);
  }

  bool move_tile(unsigned index) {
    const unsigned bits = program::bits_of(fragment_.element);
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
        fragment_.accumulator ? 2 * program::bits_of(fragment_.element) / 8 : fragment_.word_bytes();
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

}  // namespace

void load_fragment_handler(Warp& warp, const Instruction& i, Mask active) {
  FragmentMover<AccessKind::load>(warp, i, active).move();
}
void store_fragment_handler(Warp& warp, const Instruction& i, Mask active) {
  FragmentMover<AccessKind::store>(warp, i, active).move();
}

}  // namespace lockstep::emulator::handlers::LOCKSTEP_LEVEL
