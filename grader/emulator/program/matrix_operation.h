// What a tensor-core instruction works on: more rows than an Instruction has room for, and the shape and
// types of its matrices. Kernel::matrix_operations holds them, Instruction::c is the index.
//
// The lanes of a warp hold a matrix in tiles of 8 rows, as the PTX ISA lays out the fragments of mma
// (9.7.14.5): lane l has row l / 4 of a tile, and there the word l % 4 of four in A and B, the elements 2 (l
// % 4) and the next of eight in C and D. B counts as a matrix of n rows and k columns, since its columns are
// what lanes hold. The fragments of wmma, which PTX leaves open, are made of the same tiles, as ptxas does
// for sm_80 and above; there m8n32k16 is computed as its transpose, m32n8k16.
#pragma once

#include <array>
#include <cstdint>

#include "emulator/ptx/module.h"

namespace lockstep::emulator::program {

enum class Rounding : std::uint8_t;

enum class MatrixElement : std::uint8_t { b1, s4, u4, s8, u8, e4m3, e5m2, f16, bf16, tf32, f32, s32, f64 };

/// Bits that one element takes in memory and registers.
constexpr unsigned bits_of(MatrixElement element) {
  switch (element) {
    case MatrixElement::b1:
      return 1;
    case MatrixElement::s4:
    case MatrixElement::u4:
      return 4;
    case MatrixElement::s8:
    case MatrixElement::u8:
    case MatrixElement::e4m3:
    case MatrixElement::e5m2:
      return 8;
    case MatrixElement::f16:
    case MatrixElement::bf16:
      return 16;
    case MatrixElement::tf32:
    case MatrixElement::f32:
    case MatrixElement::s32:
      return 32;
    case MatrixElement::f64:
      return 64;
  }
  return 0;
}

/// How the lanes of a warp hold one matrix.
struct MatrixFragment {
  static constexpr unsigned kMaxRegisters = 8;
  static constexpr unsigned kTileRows = 8;
  static constexpr unsigned kTileColumns = 8;  ///< of accumulators
  static constexpr unsigned kTileWords = 4;    ///< in a row, of multiplicands

  std::array<std::uint32_t, kMaxRegisters> rows{};  ///< of registers, in the frame
  std::uint8_t registers = 0;
  MatrixElement element = MatrixElement::f16;
  bool accumulator = false;
  bool paired =
      false;  ///< tiles come in pairs of which one is below the other: A, C and D of 16 rows and more
  std::uint8_t height = 0;
  std::uint16_t width = 0;

  struct Tile {
    unsigned down = 0, across = 0;
  };

  constexpr bool wide() const { return element == MatrixElement::f64; }
  /// Bytes of a multiplicand's word.
  constexpr unsigned word_bytes() const { return wide() ? 8 : 4; }
  constexpr unsigned tiles_across() const {
    return accumulator ? width / kTileColumns : width * bits_of(element) / (8 * word_bytes() * kTileWords);
  }
  constexpr unsigned tiles() const { return height / kTileRows * tiles_across(); }
  /// A lane's part of an accumulator's tile is two elements, of a multiplicand's one word.
  constexpr unsigned registers_of_tile() const { return accumulator && bits_of(element) >= 32 ? 2 : 1; }
  /// The others repeat them: wmma's fragments of f16 have eight whatever the shape.
  constexpr unsigned distinct_registers() const { return tiles() * registers_of_tile(); }
  constexpr Tile tile(unsigned index) const {
    const unsigned across = tiles_across();
    if (!paired) return {index / across, index % across};
    return {index / (2 * across) * 2 + index % 2, index % (2 * across) / 2};
  }
};

struct MatrixOperation {
  MatrixFragment d, a, b, c;  ///< wmma.load and wmma.store, ldmatrix and stmatrix have d alone
  Rounding rounding{};        ///< of f64
  bool saturate = false;      ///< integers: to their range instead of modulo 2^32
  bool exclusive = false;     ///< b1: counts where a and b differ, instead of where both are set
  bool along_rows = false;    ///< memory: neighbours in a row of the fragment are neighbours there
  bool transpose = false;     ///< ldmatrix and stmatrix
  ptx::Space space = ptx::Space::generic;
};

}  // namespace lockstep::emulator::program
