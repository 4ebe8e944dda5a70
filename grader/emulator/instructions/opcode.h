// What the emulated device knows of each PTX opcode, all of it in one row of one table (opcode_table.cpp).
//
// A row says what holds of the opcode whatever its modifiers are. Where a modifier makes a difference, the
// column has a value that says so, and the function that reads the column looks at the modifier.
// Source: "Parallel Thread Execution ISA", NVIDIA, version 9.0, chapter 9.7.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string_view>

#include "emulator/instructions/operation.h"

namespace lockstep::emulator::instructions {

/// How an instruction is decoded: the functions of decoding/, which instruction.cpp chooses by this.
enum class Decoder : std::uint8_t {
  refused,     ///< the opcode has no row
  ends_block,  ///< no instruction of a Program: see Ending
  does_nothing,
  // handlers of an Operation
  arithmetic,  ///< operands as the row names them, and nothing else to choose
  sum,         ///< add and sub, which may set the carry flag
  carry,
  product,
  product_24,
  dot_product,
  find_leading,
  funnel_shift,
  permutation,
  video,
  comparison,
  comparison_to_value,
  selection,
  property_test,
  // moves
  move,
  conversion,
  address_conversion,
  space_test,
  // memory
  load,
  store,
  atomic,
  reduction,
  fence,
  copy,
  mbarrier,
  map_to_rank,
  rank_of_address,
  texture,
  texture_gather,
  texture_query,
  surface_load,
  surface_store,
  surface_query,
  // lanes and warps together
  shuffle,
  vote,
  match,
  reduction_of_warp,
  election,
  active_mask,
  barrier,
  sleep,
  matrix_product,
  matrix_load,
  matrix_store,
  matrix_transpose,
};

/// How an operand of Decoder::arithmetic and its like is read or written.
enum class OperandKind : std::uint8_t {
  typed,      ///< of the instruction's type
  word,       ///< of 32 bits whatever the type is: a count, a position, a distance
  immediate,  ///< a constant that the handler finds in Instruction::detail
};

/// How many operands an instruction has, and where all its forms agree, of which kind; the first is the
/// result.
struct OperandList {
  /// Of an opcode whose decoder looks at each operand itself.
  constexpr OperandList(std::size_t fewest, std::size_t greatest) : least(fewest), most(greatest) {}
  constexpr OperandList(std::initializer_list<OperandKind> all) : least(all.size()), most(all.size()) {
    std::size_t k = 0;
    for (const OperandKind kind : all) kinds[k++] = kind;
  }

  std::size_t least, most;
  std::array<OperandKind, 5> kinds{};  ///< the first `most`, in the order of PTX
};

/// Which registers are written; all others are read.
enum class Result : std::uint8_t {
  no_result,
  first,
  first_unless_address,  ///< some forms have a result, others begin with an address
  first_of_red,          ///< of the forms with .red alone
};

/// Where the lanes go on.
enum class Ending : std::uint8_t { next, branches, branches_by_table, calls, returns, exits, traps };

/// Whether lanes of a warp, or warps of a block, wait for each other before it.
enum class Meeting : std::uint8_t {
  alone,
  lanes,
  at_barrier,  ///< threads of the block, lanes or blocks of the cluster, as its modifiers say
};

/// What an instruction makes of undefined operands (docs/decisions/0014).
enum class Flow : std::uint8_t {
  decides,     ///< they matter: the instruction has effects, or other lanes see its result
  calculates,  ///< all of the result is undefined
  adds,        ///< or subtracts: where a carry may come or not come, too
  counts_up,   ///< a bit of the result depends on the operands' bits up to it
  moves,
  conjunction,
  disjunction,
  bitwise,
  looks_up,
  shift_left,
  shift_right,
  extract,
  insert,
  permute,
  converts,
  compares,
  selects,
  shuffles,
  loads,
  stores,
};

/// Whether it makes no difference to other threads if a load comes before or after the instruction.
enum class Crossing : std::uint8_t {
  stays,           ///< it makes one, or may
  passes,          ///< it makes none: the instruction only calculates
  passes_if_weak,  ///< a load, unless it is volatile or stronger
};

/// A row. All of it has to be said: no column has a default.
struct Opcode {
  constexpr Opcode(std::string_view the_word, Decoder the_decoder, Operation the_operation,
                   OperandList the_operands, Result the_result, Ending the_ending, Meeting the_meeting,
                   Flow the_flow, Crossing the_crossing)
      : word(the_word),
        decoder(the_decoder),
        operation(the_operation),
        operands(the_operands),
        result(the_result),
        ending(the_ending),
        meeting(the_meeting),
        flow(the_flow),
        crossing(the_crossing) {}

  std::string_view word;  ///< as PTX spells it
  Decoder decoder;
  Operation operation;  ///< before modifiers choose a variety of it
  OperandList operands;
  Result result;
  Ending ending;
  Meeting meeting;
  Flow flow;
  Crossing crossing;
};

/// All that are decoded.
std::span<const Opcode> opcodes();

/// The row of an opcode. One that has none gets a row with Decoder::refused: its function is looked at before
/// its instructions are decoded, and then it is refused by name.
const Opcode& opcode_named(std::string_view word);

}  // namespace lockstep::emulator::instructions
