// The table of opcodes: one row each, and nothing about an opcode anywhere else.
#include <unordered_map>

#include "emulator/instructions/opcode.h"

namespace lockstep::emulator::instructions {
namespace {

using enum Decoder;
using enum OperandKind;
using enum Result;
using enum Ending;
using enum Meeting;
using enum Flow;
using enum Crossing;

// OperandList of arithmetic: the result, then a, b, c, d.
constexpr OperandList kUnary{typed, typed};
constexpr OperandList kBinary{typed, typed, typed};
constexpr OperandList kTernary{typed, typed, typed, typed};
constexpr OperandList kCount{word, typed};
constexpr OperandList kShift{typed, typed, word};
constexpr OperandList kExtract{typed, typed, word, word};
constexpr OperandList kInsert{typed, typed, typed, word, word};
constexpr OperandList kLookup{typed, typed, typed, typed, immediate};

/// That an instruction with the carry flag decides is flow_of's to say, by its .cc: nobody follows the flag.
constexpr Opcode kOpcodes[] = {
    // word, decoder, operation, operands, result, ending, meeting, flow, crossing

    // integers and floating point
    {"add", sum, Operation::add, kBinary, first, next, alone, adds, passes},
    {"sub", sum, Operation::subtract, kBinary, first, next, alone, adds, passes},
    {"mul", product, Operation::multiply_low, {3, 3}, first, next, alone, counts_up, passes},
    {"mad", product, Operation::multiply_add_low, {4, 4}, first, next, alone, counts_up, passes},
    {"fma", arithmetic, Operation::fused_multiply_add, kTernary, first, next, alone, calculates, passes},
    {"div", arithmetic, Operation::divide, kBinary, first, next, alone, calculates, passes},
    {"rem", arithmetic, Operation::remainder, kBinary, first, next, alone, calculates, passes},
    {"abs", arithmetic, Operation::absolute, kUnary, first, next, alone, calculates, passes},
    {"neg", arithmetic, Operation::negate, kUnary, first, next, alone, calculates, passes},
    {"min", arithmetic, Operation::minimum, kBinary, first, next, alone, calculates, passes},
    {"max", arithmetic, Operation::maximum, kBinary, first, next, alone, calculates, passes},

    // integers
    {"addc", carry, Operation::add_carry, {3, 3}, first, next, alone, calculates, passes},
    {"subc", carry, Operation::subtract_carry, {3, 3}, first, next, alone, calculates, passes},
    {"madc", carry, Operation::multiply_add_low_carry, {4, 4}, first, next, alone, calculates, passes},
    {"mul24", product_24, Operation::multiply_24, {3, 3}, first, next, alone, calculates, passes},
    {"mad24", product_24, Operation::multiply_add_24, {4, 4}, first, next, alone, calculates, passes},
    {"sad", arithmetic, Operation::absolute_difference, kTernary, first, next, alone, calculates, passes},
    {"dp4a", dot_product, Operation::dot_product_4, kTernary, first, next, alone, calculates, passes},
    {"dp2a", dot_product, Operation::dot_product_2_low, kTernary, first, next, alone, calculates, passes},

    // bits
    {"and", arithmetic, Operation::bit_and, kBinary, first, next, alone, conjunction, passes},
    {"or", arithmetic, Operation::bit_or, kBinary, first, next, alone, disjunction, passes},
    {"xor", arithmetic, Operation::bit_xor, kBinary, first, next, alone, bitwise, passes},
    {"not", arithmetic, Operation::bit_not, kUnary, first, next, alone, bitwise, passes},
    {"cnot", arithmetic, Operation::logical_not, kUnary, first, next, alone, calculates, passes},
    {"lop3", arithmetic, Operation::lookup_3, kLookup, first, next, alone, looks_up, passes},
    {"shl", arithmetic, Operation::shift_left, kShift, first, next, alone, shift_left, passes},
    {"shr", arithmetic, Operation::shift_right, kShift, first, next, alone, shift_right, passes},
    {"shf", funnel_shift, Operation::funnel_left_wrap, kTernary, first, next, alone, calculates, passes},
    {"bfe", arithmetic, Operation::bit_extract, kExtract, first, next, alone, extract, passes},
    {"bfi", arithmetic, Operation::bit_insert, kInsert, first, next, alone, insert, passes},
    {"bmsk", arithmetic, Operation::bit_mask, kBinary, first, next, alone, calculates, passes},
    {"szext", arithmetic, Operation::sign_extend, kBinary, first, next, alone, calculates, passes},
    {"brev", arithmetic, Operation::bit_reverse, kUnary, first, next, alone, calculates, passes},
    {"popc", arithmetic, Operation::population, kCount, first, next, alone, calculates, passes},
    {"clz", arithmetic, Operation::leading_zeros, kCount, first, next, alone, calculates, passes},
    {"bfind", find_leading, Operation::find_leading, kCount, first, next, alone, calculates, passes},
    {"fns", arithmetic, Operation::find_nth_set, kTernary, first, next, alone, calculates, passes},
    {"prmt", permutation, Operation::permute, kTernary, first, next, alone, permute, passes},

    // floating point
    {"rcp", arithmetic, Operation::reciprocal, kUnary, first, next, alone, calculates, passes},
    {"sqrt", arithmetic, Operation::square_root, kUnary, first, next, alone, calculates, passes},
    {"rsqrt", arithmetic, Operation::reciprocal_square_root, kUnary, first, next, alone, calculates, passes},
    {"sin", arithmetic, Operation::sine, kUnary, first, next, alone, calculates, passes},
    {"cos", arithmetic, Operation::cosine, kUnary, first, next, alone, calculates, passes},
    {"lg2", arithmetic, Operation::logarithm_2, kUnary, first, next, alone, calculates, passes},
    {"ex2", arithmetic, Operation::exponential_2, kUnary, first, next, alone, calculates, passes},
    {"tanh", arithmetic, Operation::hyperbolic_tangent, kUnary, first, next, alone, calculates, passes},
    {"copysign", arithmetic, Operation::copy_sign, kBinary, first, next, alone, calculates, passes},
    {"testp", property_test, Operation::test_property, {2, 2}, first, next, alone, calculates, passes},

    // SIMD video
    {"vadd2", video, Operation::video_2, {4, 4}, first, next, alone, calculates, passes},
    {"vsub2", video, Operation::video_2, {4, 4}, first, next, alone, calculates, passes},
    {"vavrg2", video, Operation::video_2, {4, 4}, first, next, alone, calculates, passes},
    {"vabsdiff2", video, Operation::video_2, {4, 4}, first, next, alone, calculates, passes},
    {"vmin2", video, Operation::video_2, {4, 4}, first, next, alone, calculates, passes},
    {"vmax2", video, Operation::video_2, {4, 4}, first, next, alone, calculates, passes},
    {"vset2", video, Operation::video_2, {4, 4}, first, next, alone, calculates, passes},
    {"vadd4", video, Operation::video_4, {4, 4}, first, next, alone, calculates, passes},
    {"vsub4", video, Operation::video_4, {4, 4}, first, next, alone, calculates, passes},
    {"vavrg4", video, Operation::video_4, {4, 4}, first, next, alone, calculates, passes},
    {"vabsdiff4", video, Operation::video_4, {4, 4}, first, next, alone, calculates, passes},
    {"vmin4", video, Operation::video_4, {4, 4}, first, next, alone, calculates, passes},
    {"vmax4", video, Operation::video_4, {4, 4}, first, next, alone, calculates, passes},
    {"vset4", video, Operation::video_4, {4, 4}, first, next, alone, calculates, passes},

    // comparisons, selections, moves and conversions
    {"setp", comparison, Operation::compare, {3, 4}, first, next, alone, compares, passes},
    {"set", comparison_to_value, Operation::compare_to_value, {3, 4}, first, next, alone, calculates, passes},
    {"selp", selection, Operation::select, {4, 4}, first, next, alone, selects, passes},
    {"slct", selection, Operation::select_by_sign, {4, 4}, first, next, alone, calculates, passes},
    {"mov", move, Operation::move, {2, 2}, first, next, alone, moves, passes},
    {"cvt", conversion, Operation::none, {2, 3}, first, next, alone, converts, passes},
    {"cvta", address_conversion, Operation::none, {2, 2}, first, next, alone, calculates, passes},
    {"isspacep", space_test, Operation::none, {2, 2}, first, next, alone, calculates, passes},
    {"mapa", map_to_rank, Operation::none, {3, 3}, first, next, alone, decides, stays},  // may fail
    {"getctarank", rank_of_address, Operation::none, {2, 2}, first, next, alone, calculates, passes},

    // memory
    {"ld", load, Operation::none, {2, 2}, first, next, alone, loads, passes_if_weak},
    {"ldu", load, Operation::none, {2, 2}, first, next, alone, loads, passes_if_weak},
    {"st", store, Operation::none, {2, 2}, no_result, next, alone, stores, stays},
    {"atom", atomic, Operation::none, {3, 4}, first, next, alone, decides, stays},
    {"red", reduction, Operation::none, {2, 2}, no_result, next, alone, decides, stays},
    {"membar", fence, Operation::none, {0, 0}, no_result, next, alone, decides, stays},
    {"fence", fence, Operation::none, {0, 2}, no_result, next, alone, decides, stays},
    {"cp", copy, Operation::none, {0, 5}, no_result, next, alone, decides, stays},
    {"mbarrier", mbarrier, Operation::none, {1, 4}, first_unless_address, next, alone, decides, stays},
    {"prefetch", does_nothing, Operation::none, {1, 1}, no_result, next, alone, decides, stays},
    {"prefetchu", does_nothing, Operation::none, {1, 1}, no_result, next, alone, decides, stays},

    // textures and surfaces
    {"tex", texture, Operation::none, {2, 4}, first, next, alone, decides, stays},
    {"tld4", texture_gather, Operation::none, {2, 2}, first, next, alone, decides, stays},
    {"txq", texture_query, Operation::none, {2, 2}, first, next, alone, decides, stays},
    {"suld", surface_load, Operation::none, {2, 2}, first, next, alone, decides, stays},
    {"sust", surface_store, Operation::none, {2, 2}, no_result, next, alone, decides, stays},
    {"suq", surface_query, Operation::none, {2, 2}, first, next, alone, decides, stays},

    // lanes of a warp
    {"shfl", shuffle, Operation::none, {5, 5}, first, next, lanes, shuffles, stays},
    {"vote", vote, Operation::none, {3, 3}, first, next, lanes, decides, stays},
    {"match", match, Operation::none, {3, 3}, first, next, lanes, decides, stays},
    {"redux", reduction_of_warp, Operation::none, {3, 3}, first, next, lanes, decides, stays},
    {"elect", election, Operation::none, {2, 2}, first, next, lanes, decides, stays},
    {"activemask", active_mask, Operation::none, {1, 1}, first, next, alone, decides, stays},
    {"mma", matrix_product, Operation::none, {4, 4}, first, next, lanes, decides, stays},
    {"wmma", matrix_product, Operation::none, {2, 4}, first_unless_address, next, lanes, decides, stays},
    {"ldmatrix", matrix_load, Operation::none, {2, 2}, first, next, lanes, decides, stays},
    {"stmatrix", matrix_store, Operation::none, {2, 2}, no_result, next, lanes, decides, stays},
    {"movmatrix", matrix_transpose, Operation::none, {2, 2}, first, next, lanes, decides, stays},

    // blocks, clusters and the rest
    {"bar", barrier, Operation::none, {0, 4}, first_of_red, next, at_barrier, decides, stays},
    {"barrier", barrier, Operation::none, {0, 4}, first_of_red, next, at_barrier, decides, stays},
    {"nanosleep", sleep, Operation::none, {1, 1}, no_result, next, alone, decides, stays},
    {"pmevent", does_nothing, Operation::none, {1, 1}, no_result, next, alone, decides, stays},
    {"setmaxnreg", does_nothing, Operation::none, {1, 1}, no_result, next, alone, decides, stays},
    {"griddepcontrol", does_nothing, Operation::none, {0, 0}, no_result, next, alone, decides, stays},

    // control flow
    {"bra", ends_block, Operation::none, {1, 1}, no_result, branches, alone, decides, stays},
    {"brx", ends_block, Operation::none, {2, 2}, no_result, branches_by_table, alone, decides, stays},
    {"call", ends_block, Operation::none, {1, 4}, no_result, calls, alone, decides, stays},
    {"ret", ends_block, Operation::none, {0, 0}, no_result, returns, alone, decides, stays},
    {"exit", ends_block, Operation::none, {0, 0}, no_result, exits, alone, decides, stays},
    {"trap", ends_block, Operation::none, {0, 0}, no_result, traps, alone, decides, stays},
    {"brkpt", ends_block, Operation::none, {0, 0}, no_result, traps, alone, decides, stays},
};

/// What is taken of an opcode without a row, until it is refused.
constexpr Opcode kUnknown{"", refused, Operation::none, {0, 0}, first, next, alone, decides, stays};

consteval bool has_each_word_once() {
  for (const Opcode& opcode : kOpcodes) {
    int rows = 0;
    for (const Opcode& other : kOpcodes) rows += other.word == opcode.word ? 1 : 0;
    if (rows != 1) return false;
  }
  return true;
}
static_assert(has_each_word_once(), "an opcode has two rows");

}  // namespace

std::span<const Opcode> opcodes() { return kOpcodes; }

const Opcode& opcode_named(std::string_view word) {
  static const std::unordered_map<std::string_view, const Opcode*> kByWord = [] {
    std::unordered_map<std::string_view, const Opcode*> by_word;
    for (const Opcode& opcode : kOpcodes) by_word.emplace(opcode.word, &opcode);
    return by_word;
  }();
  const auto found = kByWord.find(word);
  return found == kByWord.end() ? kUnknown : *found->second;
}

}  // namespace lockstep::emulator::instructions
