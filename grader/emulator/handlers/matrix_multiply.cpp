// mma and wmma.mma: D = A · B + C over the lanes of a warp. PTX ISA 9.7.14.4, 9.7.14.5.
//
// Sums start with the element of C and go on in order of k. For f16, bf16, tf32 and f8 every product is
// exact, the sum is kept in double precision, and D is rounded once, to nearest even, from it; PTX asks for
// single precision at least (half for f16 results), and leaves open order, rounding and subnormal numbers:
// hardware sums groups of products at a time, cut to their largest, so that last bits differ. For f64 each
// step is a fused multiply-add in the rounding that the instruction names. Integer results are exact.
#include <bit>
#include <cfenv>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>

#include "emulator/handlers/lanes.h"
#include "emulator/handlers/matrices.h"
#include "emulator/handlers/matrix_elements.h"
#include "emulator/handlers/tables.h"

namespace lockstep::emulator::handlers::LOCKSTEP_LEVEL {
namespace {

using Tile = MatrixFragment::Tile;

constexpr unsigned kTile = 8;               ///< rows of a tile, and columns of an accumulator's
constexpr unsigned kMaxWords = 32 * 8;      ///< of a multiplicand: 32 × 16 of 16 bits
constexpr unsigned kMaxElements = 16 * 64;  ///< likewise: 16 × 64 of 4 bits
constexpr unsigned kMaxAccumulators = 4;    ///< tiles: 16 × 16 or 32 × 8

/// Copies the words that lanes hold to [row][word].
template <class Word>
void gather(const Warp& warp, const MatrixFragment& fragment, Word* words) {
  constexpr unsigned kWords = MatrixFragment::kTileWords;
  const unsigned stride = kWords * fragment.tiles_across();
  for (unsigned index = 0; index < fragment.tiles(); ++index) {
    const Tile tile = fragment.tile(index);
    const Word* from = row<Word>(warp, fragment.rows[index]);
    Word* to = words + kTile * tile.down * stride + kWords * tile.across;
    for (unsigned r = 0; r < kTile; ++r)
      std::memcpy(to + r * stride, from + kWords * r, kWords * sizeof(Word));
  }
}

template <class Narrow, class F>
void widen(const std::uint32_t* words, unsigned n, double* values, F to_float) {
  const auto* elements = reinterpret_cast<const Narrow*>(words);
  for (unsigned k = 0; k < n; ++k) values[k] = static_cast<double>(to_float(elements[k]));
}
/// Elements of 4 bits, the lower of a byte first. `sign` is the bit that counts negative, 0 for none.
void widen_nibbles(const std::uint32_t* words, unsigned n, double* values, int sign) {
  const auto* bytes = reinterpret_cast<const std::uint8_t*>(words);
  for (unsigned k = 0; k < n; ++k) {
    const int nibble = bytes[k / 2] >> (k % 2 * 4) & 0xF;
    values[k] = (nibble ^ sign) - sign;
  }
}

/// The elements of a multiplicand as [row][k].
void load_multiplicand(const Warp& warp, const MatrixFragment& fragment, double* values) {
  if (fragment.wide()) return gather(warp, fragment, values);
  alignas(64) std::uint32_t words[kMaxWords];
  gather(warp, fragment, words);
  const unsigned n = std::uint32_t{fragment.height} * fragment.width;
  const auto same = [](auto value) { return value; };
  switch (fragment.element) {
    case MatrixElement::f16:
      return widen<std::uint16_t>(words, n, values, f16_to_f32);
    case MatrixElement::bf16:
      return widen<std::uint16_t>(words, n, values, bf16_to_f32);
    case MatrixElement::tf32:
      return widen<std::uint32_t>(words, n, values, tf32_to_f32);
    case MatrixElement::e4m3:
      return widen<std::uint8_t>(words, n, values, e4m3_to_f32);
    case MatrixElement::e5m2:
      return widen<std::uint8_t>(words, n, values, e5m2_to_f32);
    case MatrixElement::s8:
      return widen<std::int8_t>(words, n, values, same);
    case MatrixElement::u8:
      return widen<std::uint8_t>(words, n, values, same);
    case MatrixElement::s4:
      return widen_nibbles(words, n, values, 8);
    default:
      return widen_nibbles(words, n, values, 0);
  }
}

/// B as [columns / 8][k][8], so that a row of k is at hand for eight columns.
void load_columns(const Warp& warp, const MatrixFragment& fragment, double* values) {
  alignas(64) double by_column[kMaxElements];
  load_multiplicand(warp, fragment, by_column);
  const unsigned depth = fragment.width;
  for (unsigned first = 0; first < fragment.height; first += kTile) {
    const double* from = by_column + first * depth;
    double* to = values + first * depth;
    for (unsigned k = 0; k < depth; ++k) {
      for (unsigned column = 0; column < kTile; ++column) to[kTile * k + column] = from[column * depth + k];
    }
  }
}

/// A lane's two elements are neighbours in its tile's row, so a tile is the lanes' pairs in order.
void load_accumulator(const Warp& warp, const MatrixFragment& fragment, unsigned index, double* tile) {
  const auto interleave = [&](auto* low, auto* high) {
    for (unsigned lane = 0; lane < kLanes; ++lane) {
      tile[2 * lane] = static_cast<double>(low[lane]);
      tile[2 * lane + 1] = static_cast<double>(high[lane]);
    }
  };
  switch (fragment.element) {
    case MatrixElement::f16:
      return widen<std::uint16_t>(row<std::uint32_t>(warp, fragment.rows[index]), kTile * kTile, tile,
                                  f16_to_f32);
    case MatrixElement::s32:
      return interleave(row<std::int32_t>(warp, fragment.rows[2 * index]),
                        row<std::int32_t>(warp, fragment.rows[2 * index + 1]));
    case MatrixElement::f64:
      return interleave(row<double>(warp, fragment.rows[2 * index]),
                        row<double>(warp, fragment.rows[2 * index + 1]));
    default:
      return interleave(row<float>(warp, fragment.rows[2 * index]),
                        row<float>(warp, fragment.rows[2 * index + 1]));
  }
}

std::uint32_t to_integer(double value, bool saturate) {
  using Limits = std::numeric_limits<std::int32_t>;
  if (saturate) value = value < Limits::min() ? Limits::min() : value > Limits::max() ? Limits::max() : value;
  return static_cast<std::uint32_t>(static_cast<std::int64_t>(value));
}

void store_accumulator(const Warp& warp, const MatrixOperation& operation, Mask active, unsigned index,
                       const double* tile) {
  const MatrixFragment& fragment = operation.d;
  const auto split = [&](auto convert) {
    using T = decltype(convert(0.0));
    for (unsigned half = 0; half < 2; ++half) {
      for_lanes<T>(row<T>(warp, fragment.rows[2 * index + half]), active,
                   [&](unsigned l) { return convert(tile[2 * l + half]); });
    }
  };
  switch (fragment.element) {
    case MatrixElement::f16: {
      alignas(64) std::uint16_t halves[2 * kLanes];
      for (unsigned k = 0; k < 2 * kLanes; ++k) halves[k] = f64_to_f16(tile[k]);
      return for_lanes<std::uint32_t>(
          row<std::uint32_t>(warp, fragment.rows[index]), active,
          [&](unsigned l) { return std::uint32_t{halves[2 * l]} | std::uint32_t{halves[2 * l + 1]} << 16; });
    }
    case MatrixElement::s32:
      return split([&](double value) { return to_integer(value, operation.saturate); });
    case MatrixElement::f64:
      return split([](double value) { return value; });
    default:
      return split([](double value) {
        return value == value ? static_cast<float>(value) : std::bit_cast<float>(0x7FFF'FFFFU);
      });
  }
}

// As wide as the registers of this level; the compiler's own choice for these loops is to shuffle.
#if defined(__AVX512F__)
constexpr unsigned kVectorBytes = 64;
#elif defined(__AVX__)
constexpr unsigned kVectorBytes = 32;
#else
constexpr unsigned kVectorBytes = 16;
#endif
typedef double Vector __attribute__((vector_size(kVectorBytes)));  // NOLINT(modernize-use-using): GCC's form

/// tile += a · b for 8 rows of a, `depth` long, and 8 columns of b. Products are exact.
void accumulate(const double* a, const double* b, unsigned depth, double* tile) {
  constexpr unsigned kOfRow = kTile * sizeof(double) / kVectorBytes;
  constexpr unsigned kRows = 8 / kOfRow;  // eight sums hide the time that an addition takes
  const auto* columns = reinterpret_cast<const Vector*>(b);
  auto* sums_of_tile = reinterpret_cast<Vector*>(tile);
  for (unsigned first = 0; first < kTile; first += kRows) {
    Vector sums[kRows][kOfRow];
    std::memcpy(sums, sums_of_tile + kOfRow * first, sizeof sums);
    const double* rows = a + first * depth;
    for (unsigned k = 0; k < depth; ++k) {
      for (unsigned r = 0; r < kRows; ++r) {
        for (unsigned v = 0; v < kOfRow; ++v) sums[r][v] += rows[r * depth + k] * columns[kOfRow * k + v];
      }
    }
    std::memcpy(sums_of_tile + kOfRow * first, sums, sizeof sums);
  }
}

/// Likewise in steps that round once; a function of its own, so that nothing moves past the mode of rounding.
[[gnu::noinline]] void accumulate_fused(const double* a, const double* b, unsigned depth, double* tile) {
  for (unsigned r = 0; r < kTile; ++r) {
    for (unsigned k = 0; k < depth; ++k) {
      const double factor = a[r * depth + k];
      for (unsigned column = 0; column < kTile; ++column)
        tile[kTile * r + column] = std::fma(factor, b[kTile * k + column], tile[kTile * r + column]);
    }
  }
}
void accumulate_f64(const double* a, const double* b, unsigned depth, double* tile, Rounding rounding) {
  const int saved = std::fegetround();
  std::fesetround(rounding == Rounding::nearest ? FE_TONEAREST
                  : rounding == Rounding::zero  ? FE_TOWARDZERO
                  : rounding == Rounding::down  ? FE_DOWNWARD
                                                : FE_UPWARD);
  accumulate_fused(a, b, depth, tile);
  std::fesetround(saved);
}

/// tile += the number of bits that are set in both words, or in one of them.
void accumulate_bits(const std::uint32_t* a, const std::uint32_t* b, unsigned words, bool exclusive,
                     double* tile) {
  for (unsigned r = 0; r < kTile; ++r) {
    for (unsigned column = 0; column < kTile; ++column) {
      int bits = 0;
      for (unsigned k = 0; k < words; ++k) {
        const std::uint32_t x = a[r * words + k], y = b[column * words + k];
        bits += std::popcount(exclusive ? x ^ y : x & y);
      }
      tile[kTile * r + column] += bits;
    }
  }
}

/// Calls accumulate(index of 8 rows of A, of 8 columns of B, tile) for each tile of the result, which holds
/// C.
template <class F>
void for_tiles(Warp& warp, const MatrixOperation& operation, Mask active, F accumulate_tile) {
  alignas(64) double tiles[kMaxAccumulators][kTile * kTile];
  const unsigned n = operation.d.tiles();
  for (unsigned index = 0; index < n; ++index) {
    const Tile tile = operation.c.tile(index);
    load_accumulator(warp, operation.c, index, tiles[index]);
    accumulate_tile(tile.down, tile.across, tiles[index]);
  }
  // Registers of D may be registers of C.
  for (unsigned index = 0; index < n; ++index)
    store_accumulator(warp, operation, active, index, tiles[index]);
}

void multiply_bits(Warp& warp, const Instruction& i, Mask active) {
  need_all_lanes(warp, i, active);
  const MatrixOperation& operation = matrix_operation(warp, i);
  alignas(64) std::uint32_t a[kMaxWords], b[kMaxWords];
  gather(warp, operation.a, a);
  gather(warp, operation.b, b);
  const unsigned words = operation.a.width / 32;
  for_tiles(warp, operation, active, [&](unsigned down, unsigned across, double* tile) {
    accumulate_bits(a + kTile * down * words, b + kTile * across * words, words, operation.exclusive, tile);
  });
}

void multiply(Warp& warp, const Instruction& i, Mask active) {
  need_all_lanes(warp, i, active);
  const MatrixOperation& operation = matrix_operation(warp, i);
  alignas(64) double a[kMaxElements], b[kMaxElements];
  load_multiplicand(warp, operation.a, a);
  load_columns(warp, operation.b, b);
  const unsigned depth = operation.a.width;
  for_tiles(warp, operation, active, [&](unsigned down, unsigned across, double* tile) {
    const double* rows = a + kTile * down * depth;
    const double* columns = b + kTile * across * depth;
    if (operation.d.wide()) {
      accumulate_f64(rows, columns, depth, tile, operation.rounding);
    } else {
      accumulate(rows, columns, depth, tile);
    }
  });
}

}  // namespace

Handler matrix_multiply_handler(MatrixElement element) {
  return element == MatrixElement::b1 ? multiply_bits : multiply;
}

}  // namespace lockstep::emulator::handlers::LOCKSTEP_LEVEL
