// What all handlers of tensor-core instructions need.
#pragma once

#include <cstring>

#include "emulator/checks/violations.h"
#include "emulator/handlers/lanes.h"
#include "emulator/program/matrix_operation.h"

namespace lockstep::emulator::handlers::LOCKSTEP_LEVEL {

inline const MatrixOperation& matrix_operation(const Warp& warp, const Instruction& i) {
  return warp.block->grid->kernel->matrix_operations[i.c];
}

/// PTX leaves open what happens when a lane takes no part; the others go on.
inline void need_all_lanes(Warp& warp, const Instruction& i, Mask active) {
  if (active != kAllLanes) checks::report_missing_lanes(warp, i, active);
}

/// The element of row r and column c of an 8 × 8 tile of 16-bit elements becomes that of row c and column r.
inline void transpose_tile(std::uint32_t* words) {
  alignas(64) std::uint16_t from[64], to[64];
  std::memcpy(from, words, sizeof from);
  for (unsigned row = 0; row < 8; ++row) {
    for (unsigned column = 0; column < 8; ++column) to[8 * column + row] = from[8 * row + column];
  }
  std::memcpy(words, to, sizeof to);
}

}  // namespace lockstep::emulator::handlers::LOCKSTEP_LEVEL
