// ldmatrix, stmatrix and movmatrix: tiles of 8 × 8 elements of 16 bits. PTX ISA 9.7.14.5.
#include <cstdint>
#include <cstring>

#include "emulator/handlers/matrix_tiles.h"
#include "emulator/handlers/tables.h"

namespace lockstep::emulator::handlers::LOCKSTEP_LEVEL {
namespace {

/// ldmatrix and stmatrix: lane 8 k + r gives the address of row r of tile k.
template <AccessKind kind>
void move_rows(Warp& warp, const Instruction& i, Mask active) {
  need_all_lanes(warp, i, active);
  const MatrixOperation& operation = matrix_operation(warp, i);
  const unsigned tiles = operation.d.registers;
  Addresses begins;
  compute_addresses(warp, i, begins);
  if (operation.space == ptx::Space::generic) {
    for (std::uint64_t& address : begins.of) enter_shared(address);
  }
  const Mask giving = tiles == kMaxTiles ? active : active & ((1U << kTile * tiles) - 1);
  if (giving == 0 || !check_window(warp, i, giving, begins.of, kTileRowBytes, warp.block->grid->shared_bytes,
                                   Finding::Space::shared, kind)) {
    return;
  }
  alignas(64) std::uint32_t words[kMaxTiles][kLanes] = {};
  unsigned accesses = 0;
  for (unsigned k = 0; k < tiles; ++k) {
    Addresses addresses;
    Mask taking = 0;
    if (kind == AccessKind::store) {
      std::memcpy(words[k], row<std::uint32_t>(warp, operation.d.rows[k]), sizeof words[k]);
      if (operation.transpose) transpose_tile(words[k]);
    }
    if (active == kAllLanes && move_plain_tile<kind>(warp, i, begins.of + kTile * k, words[k])) {
      ++accesses;
      continue;
    }
    for (unsigned lane = 0; lane < kLanes; ++lane) {
      const unsigned giver = kTile * k + lane / kLanesOfRow;
      addresses.of[lane] = begins.of[giver] + sizeof(std::uint32_t) * (lane % kLanesOfRow);
      taking |= (active >> giver & active >> lane & 1) << lane;
    }
    auto* data = reinterpret_cast<std::byte*>(words[k]);
    if (taking == 0) continue;
    ++accesses;
    if (!move_lanes<kind>(warp, i, taking, addresses, kWordBytes, true, data)) return;
  }
  join_requests(warp, i, kind, accesses);
  // A result may be the row of addresses.
  for (unsigned k = 0; kind == AccessKind::load && k < tiles; ++k) {
    if (operation.transpose) transpose_tile(words[k]);
    for_lanes<std::uint32_t>(row<std::uint32_t>(warp, operation.d.rows[k]), active,
                             [&](unsigned l) { return words[k][l]; });
  }
}

}  // namespace

void load_rows_handler(Warp& warp, const Instruction& i, Mask active) {
  move_rows<AccessKind::load>(warp, i, active);
}
void store_rows_handler(Warp& warp, const Instruction& i, Mask active) {
  move_rows<AccessKind::store>(warp, i, active);
}

void transpose_matrix_handler(Warp& warp, const Instruction& i, Mask active) {
  need_all_lanes(warp, i, active);
  alignas(64) std::uint32_t words[kLanes];
  std::memcpy(words, row<std::uint32_t>(warp, i.a), sizeof words);
  transpose_tile(words);
  for_lanes<std::uint32_t>(row<std::uint32_t>(warp, i.destination), active,
                           [&](unsigned l) { return words[l]; });
}

}  // namespace lockstep::emulator::handlers::LOCKSTEP_LEVEL
