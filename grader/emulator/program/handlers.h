// The functions that execute instructions, found by operation and type.
//
// handlers/*.cpp are compiled once for each instruction-set level of x86-64 that the build asks for;
// handlers() gives the table of the best one that this processor has. A null handler means that the
// combination is not supported: the decoder says so by name and line.
#pragma once

#include <cstdint>
#include <string_view>

#include "emulator/instructions/operation.h"
#include "emulator/program/program.h"
#include "emulator/program/traffic.h"
#include "emulator/ptx/module.h"

namespace lockstep::emulator::program {

/// Comparison of setp and set. The u… forms are true when an operand is NaN.
enum class Comparison : std::uint8_t {
  equal,
  not_equal,
  less,
  less_equal,
  greater,
  greater_equal,
  equal_unordered,
  not_equal_unordered,
  less_unordered,
  less_equal_unordered,
  greater_unordered,
  greater_equal_unordered,
  both_numbers,
  any_nan,
};

/// How setp's result is combined with a predicate.
enum class Combination : std::uint8_t { none, conjunction, disjunction, exclusive };

/// `away`: to the nearest, ties away from zero (.rna).
enum class Rounding : std::uint8_t { nearest, zero, down, up, away };

/// What else distinguishes instructions of one operation and type.
struct Variant {
  ptx::Type source = ptx::Type::none;  ///< conversions, mixed dot products, set
  Rounding rounding = Rounding::nearest;
  bool integral = false;       ///< conversions to an integral value: .rni, .rzi, .rmi, .rpi
  bool flush = false;          ///< .ftz: subnormal inputs and results become zero
  bool saturate = false;       ///< .sat: floating point to [0, 1], integers to their range
  bool propagate_nan = false;  ///< min.NaN, max.NaN
  bool sign_product = false;   ///< min.xorsign.abs, max.xorsign.abs
  bool rectify = false;        ///< .relu: what is negative becomes zero
  bool finite = false;         ///< .satfinite
  bool approximate = false;    ///< div.approx, whose range is smaller
  bool carry_in = false, carry_out = false;
  Comparison comparison = Comparison::equal;
};

enum class WarpOperation : std::uint8_t {
  shuffle_up,
  shuffle_down,
  shuffle_butterfly,
  shuffle_index,
  vote_all,
  vote_any,
  vote_uniform,
  vote_ballot,
  match_any,
  match_all,
  reduce_add,
  reduce_minimum,
  reduce_maximum,
  reduce_and,
  reduce_or,
  reduce_xor,
  synchronise,
  active_mask,
  elect,
};

enum class AtomicOperation : std::uint8_t {
  add,
  minimum,
  maximum,
  bit_and,
  bit_or,
  bit_xor,
  exchange,
  compare_exchange,
  increment,
  decrement,
};

/// Instruction::detail of memory accesses.
namespace access {
inline constexpr std::uint16_t kCountMask = 7;       ///< rows of a vector access: 1, 2, 4
inline constexpr std::uint16_t kAddress64 = 1 << 3;  ///< the address row is 64 bits wide
inline constexpr std::uint16_t kSynchronising =
    1 << 4;  ///< volatile, relaxed, acquire, release: no data race by itself
inline constexpr std::uint16_t kAcquire = 1 << 5;
inline constexpr std::uint16_t kRelease = 1 << 6;
inline constexpr std::uint16_t kVolatile = 1 << 7;
inline constexpr std::uint16_t kBeyondBlock = 1 << 9;  ///< acquires or releases for more than the block
inline constexpr std::uint16_t kCountsLanes =
    1 << 8;  ///< an atomic in shared memory that hardware does by counting lanes
inline constexpr std::uint16_t kSpeculated =
    1 << 12;  ///< a load whose value only the lanes of predicate c keep (speculated_loads.h)
inline constexpr std::uint16_t kIntoRegisters =
    1 << 14;  ///< a load whose uninitialised bytes matter when a register is used (undefined_values.h)
/// Whether accesses of this kind may meet each other in one word: relaxed and stronger ones.
inline bool is_strong(std::uint16_t detail) {
  return (detail & kSynchronising) != 0 && (detail & kVolatile) == 0;
}
}  // namespace access

/// Instruction::detail of arithmetic, comparisons and conversions that take 16-bit floats, 8-bit floats or
/// .ftz.
namespace narrow {
inline constexpr std::uint16_t kFlush = 1 << 0;      ///< .ftz
inline constexpr std::uint16_t kSaturate = 1 << 1;   ///< .sat: to [0, 1]
inline constexpr std::uint16_t kRectify = 1 << 2;    ///< .relu
inline constexpr std::uint16_t kFinite = 1 << 3;     ///< .satfinite: the largest number in place of infinity
inline constexpr std::uint16_t kPropagate = 1 << 4;  ///< min.NaN, max.NaN
inline constexpr std::uint16_t kSignProduct = 1 << 5;
inline constexpr unsigned kRoundingShift = 6;  ///< a Rounding, 3 bits
}  // namespace narrow

/// Instruction::detail of setp and set, besides narrow::kFlush.
namespace relation {
inline constexpr unsigned kCombinationShift = 6;  ///< 2 bits
inline constexpr unsigned kComparisonShift = 8;   ///< 4 bits; where the handler does not imply it
}  // namespace relation

/// Instruction::detail of SIMD video instructions.
namespace video {
inline constexpr std::uint16_t kOperationMask = 7;  ///< add, sub, avrg, absdiff, min, max, set
inline constexpr std::uint16_t kSignedA = 1 << 3;
inline constexpr std::uint16_t kSignedB = 1 << 4;
inline constexpr std::uint16_t kSignedResult = 1 << 5;
inline constexpr std::uint16_t kSaturate = 1 << 6;
inline constexpr std::uint16_t kAccumulate = 1 << 7;
inline constexpr unsigned kComparisonShift = 8;  ///< of vset: lt, eq, gt, each a bit
}  // namespace video

/// Instruction::counter of accesses whose traffic is not counted.
inline constexpr std::uint32_t kNoCounter = 0xFFFF'FFFF;

struct HandlerTable {
  const char* name;
  Handler (*arithmetic)(instructions::Operation operation, ptx::Type type, const Variant& variant);
  Handler (*convert)(ptx::Type to, const Variant& variant);
  /// Comparisons of 16-bit floats, and of f32 with .ftz; `to_value`: set, else setp.
  Handler (*compare_narrow)(ptx::Type compared, bool to_value);
  /// `wide`: the register rows are 64 bits a lane.
  Handler (*load)(ptx::Space space, ptx::Type type, bool wide);
  Handler (*store)(ptx::Space space, ptx::Type type, bool wide);
  Handler (*atomic)(ptx::Space space, AtomicOperation operation, ptx::Type type);
  Handler (*warp_wide)(WarpOperation operation, ptx::Type type);
  /// Broadcasts a kernel parameter; Instruction::offset is its place in the block.
  Handler (*load_parameter)(ptx::Type type, bool wide);
  Handler (*special)(std::string_view name, bool wide);
  Handler pack, unpack;  ///< mov between one wide row and several narrow ones
  Handler fence;
  Handler block_fence;    ///< orders the block's own accesses alone
  Handler none;           ///< does nothing
  Handler frame_address;  ///< local address of Instruction::offset in the current frame; wide row
  Handler space_test;     ///< isspacep; detail is a ptx::Space
  Handler copy_async;     ///< cp.async; the data arrives when it is waited for
  TrafficTable traffic;
  /// Of tensor-core instructions Instruction::c is an index into Kernel::matrix_operations.
  Handler (*matrix_multiply)(MatrixElement element);
  Handler load_fragment, store_fragment;  ///< wmma
  Handler load_rows, store_rows;          ///< ldmatrix, stmatrix
  Handler transpose_matrix;               ///< movmatrix
  Handler texture_fetch;                  ///< tex and tld4
  Handler surface_load, surface_store;
  Handler (*image_query)(bool texture);  ///< txq, suq
};

/// Throws where this processor has none of the levels that were built.
const HandlerTable& handlers();

}  // namespace lockstep::emulator::program
