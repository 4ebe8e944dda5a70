#include "emulator/analysis/undefined_rules.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>

namespace lockstep::emulator::analysis {
namespace {

bool is_integer(ptx::Type type) {
  using enum ptx::Type;
  static constexpr std::array kIntegers = {b8, u8, s8, b16, u16, s16, b32, u32, s32, b64, u64, s64};
  return std::find(kIntegers.begin(), kIntegers.end(), type) != kIntegers.end();
}

constexpr std::uint64_t kAll = ~std::uint64_t{0};

/// What the rules ask of an instruction's operands in one lane.
struct Sources {
  std::span<const OperandBits> operands;

  std::uint64_t undefined(std::size_t k) const { return k < operands.size() ? operands[k].undefined : 0; }
  std::optional<std::uint64_t> value(std::size_t k) const {
    return k < operands.size() ? operands[k].value : std::nullopt;
  }
  /// An operand that must be known for the rule, as the number of bits that something is shifted by.
  std::optional<std::uint64_t> number(std::size_t k) const {
    return undefined(k) != 0 ? std::nullopt : value(k);
  }
  /// What is undefined in any of them.
  std::uint64_t any() const {
    std::uint64_t bits = 0;
    for (const OperandBits& operand : operands) bits |= operand.undefined;
    return bits;
  }
};

/// and: defined where one is a defined 0.
std::uint64_t of_conjunction(const Sources& from) {
  return (from.undefined(0) & from.undefined(1)) | (from.undefined(0) & from.value(1).value_or(kAll)) |
         (from.undefined(1) & from.value(0).value_or(kAll));
}

/// or: defined where one is a defined 1.
std::uint64_t of_disjunction(const Sources& from) {
  return (from.undefined(0) & from.undefined(1)) | (from.undefined(0) & ~from.value(1).value_or(0)) |
         (from.undefined(1) & ~from.value(0).value_or(0));
}

/// lop3: bits whose undefined operands decide between 0 and 1 in the table.
std::uint64_t of_lookup(const ptx::Instruction& instruction, const Sources& from) {
  if (instruction.modifiers.size() != 1) return kAll;
  const std::uint64_t table = from.value(3).value_or(0);
  std::array<std::uint64_t, 2> possible{};  // bits that may become 0, and 1
  for (unsigned row = 0; row < 8; ++row) {
    std::uint64_t fits = kAll;
    for (unsigned k = 0; k < 3; ++k) {
      const std::optional<std::uint64_t> value = from.value(k);
      if (!value) return from.any();
      fits &= from.undefined(k) | ((row >> (2 - k) & 1) != 0 ? *value : ~*value);
    }
    possible[table >> row & 1] |= fits;
  }
  return possible[0] & possible[1];
}

/// A bit of the result depends on the operands' bits up to it.
std::uint64_t of_counting(const Sources& from) { return kAll << std::countr_zero(from.any()); }

/// add and sub: as of the least and the greatest that the operands may be.
std::uint64_t of_sum(const ptx::Instruction& instruction, const Sources& from) {
  const auto a = from.value(0), b = from.value(1);
  if (!a || !b) return of_counting(from);
  const std::uint64_t a_least = *a & ~from.undefined(0), a_most = *a | from.undefined(0);
  const std::uint64_t b_least = *b & ~from.undefined(1), b_most = *b | from.undefined(1);
  return from.any() | (instruction.opcode == "add" ? (a_least + b_least) ^ (a_most + b_most)
                                                   : (a_least - b_most) ^ (a_most - b_least));
}

std::uint64_t of_left_shift(unsigned width, const Sources& from) {
  const auto distance = from.number(1);
  return !distance ? kAll : *distance >= width ? 0 : from.undefined(0) << *distance;
}

std::uint64_t of_right_shift(ptx::Type type, const Sources& from) {
  const auto distance = from.number(1);
  if (!distance) return kAll;
  const unsigned width = bits_of(type);
  const std::uint64_t bits = is_signed(type) ? extend_sign(from.undefined(0), width) : from.undefined(0);
  const std::uint64_t sign = static_cast<std::int64_t>(bits) < 0 && is_signed(type) ? kAll : 0;
  return *distance >= width ? sign : bits >> *distance | (*distance == 0 ? 0 : sign << (64 - *distance));
}

/// bfe
std::uint64_t of_extract(ptx::Type type, const Sources& from) {
  const auto position = from.number(1), length = from.number(2);
  if (!position || !length || (*position & 0xFF) >= bits_of(type)) return kAll;
  const auto bits = static_cast<unsigned>(*length & 0xFF);
  const std::uint64_t field = from.undefined(0) >> (*position & 0xFF) & low_bits(bits);
  return is_signed(type) ? extend_sign(field, bits) : field;
}

/// bfi
std::uint64_t of_insert(unsigned width, const Sources& from) {
  const auto position = from.number(2), length = from.number(3);
  if (!position || !length || (*position & 0xFF) >= width) return kAll;
  const std::uint64_t field = low_bits(static_cast<unsigned>(*length & 0xFF));
  return (from.undefined(1) & ~(field << (*position & 0xFF))) | (from.undefined(0) & field)
                                                                    << (*position & 0xFF);
}

/// prmt
std::uint64_t of_permutation(const ptx::Instruction& instruction, const Sources& from) {
  const auto selector = from.number(2);
  if (!selector || instruction.modifiers.size() != 1) return kAll;
  const std::uint64_t bytes = from.undefined(1) << 32 | (from.undefined(0) & 0xFFFF'FFFF);
  std::uint64_t result = 0;
  for (unsigned k = 0; k < 4; ++k) {
    const std::uint64_t nibble = *selector >> (4 * k) & 0xF;
    const std::uint64_t byte = bytes >> (8 * (nibble & 7)) & 0xFF;
    result |= (nibble < 8 ? byte : byte >> 7 != 0 ? 0xFF : 0) << (8 * k);
  }
  return result;
}

/// cvt
std::uint64_t of_conversion(const ptx::Instruction& instruction, ptx::Type from_type, const Sources& from) {
  const ptx::Type to = ptx::type_from(instruction.modifiers[0]).value_or(ptx::Type::none);
  if (instruction.modifiers.size() != 2 || !is_integer(from_type) || !is_integer(to)) return kAll;
  const unsigned width = bits_of(from_type);
  const std::uint64_t bits = from.undefined(0) & low_bits(width);
  const std::uint64_t cut = (is_signed(from_type) ? extend_sign(bits, width) : bits) & low_bits(bits_of(to));
  return is_signed(to) ? extend_sign(cut, bits_of(to)) : cut;
}

/// setp: a predicate that the comparison is combined with may decide alone.
std::uint64_t of_comparison(const ptx::Instruction& instruction, const Sources& from) {
  const bool compared = (from.undefined(0) | from.undefined(1)) != 0;
  if (from.undefined(2) != 0 || from.operands.size() < 3 || !compared) return kAll;
  const std::uint64_t other = from.value(2).value_or(1);
  return (instruction.has("and") && other == 0) || (instruction.has("or") && other == 1) ? 0 : kAll;
}

}  // namespace

Flow flow_of(const ptx::Instruction& instruction) {
  const Flow flow = instructions::opcode_named(instruction.opcode).flow;
  if (instruction.has("cc")) return Flow::decides;  // nobody follows the carry flag
  const bool by_bits = flow == Flow::adds || flow == Flow::counts_up;
  if (by_bits && (!is_integer(last_type(instruction)) || instruction.has("hi") || instruction.has("sat"))) {
    return Flow::calculates;
  }
  return flow;
}

bool keeps_places(Flow flow) {
  static constexpr std::array kKeepers = {Flow::conjunction, Flow::disjunction, Flow::bitwise,
                                          Flow::looks_up,    Flow::insert,      Flow::permute,
                                          Flow::converts,    Flow::adds};
  return std::find(kKeepers.begin(), kKeepers.end(), flow) != kKeepers.end();
}

std::uint64_t undefined_result(Flow flow, const ptx::Instruction& instruction,
                               std::span<const OperandBits> operands) {
  const Sources from{operands};
  const ptx::Type type = last_type(instruction);
  switch (flow) {
    case Flow::conjunction:
      return of_conjunction(from);
    case Flow::disjunction:
      return of_disjunction(from);
    case Flow::bitwise:
      return from.any();
    case Flow::looks_up:
      return of_lookup(instruction, from);
    case Flow::adds:
      return of_sum(instruction, from);
    case Flow::counts_up:
      return of_counting(from);
    case Flow::shift_left:
      return of_left_shift(bits_of(type), from);
    case Flow::shift_right:
      return of_right_shift(type, from);
    case Flow::extract:
      return of_extract(type, from);
    case Flow::insert:
      return of_insert(bits_of(type), from);
    case Flow::permute:
      return of_permutation(instruction, from);
    case Flow::converts:
      return of_conversion(instruction, type, from);
    case Flow::compares:
      return of_comparison(instruction, from);
    case Flow::calculates:
      return kAll;
    // Not calculated from operands alone.
    case Flow::decides:
    case Flow::moves:
    case Flow::selects:
    case Flow::shuffles:
    case Flow::loads:
    case Flow::stores:
      break;
  }
  return kAll;
}

ptx::Type last_type(const ptx::Instruction& instruction) {
  for (auto word = instruction.modifiers.rbegin(); word != instruction.modifiers.rend(); ++word) {
    if (const std::optional<ptx::Type> type = ptx::type_from(*word)) return *type;
  }
  return ptx::Type::none;
}

bool is_signed(ptx::Type type) {
  return type == ptx::Type::s8 || type == ptx::Type::s16 || type == ptx::Type::s32 || type == ptx::Type::s64;
}

unsigned bits_of(ptx::Type type) { return type == ptx::Type::pred ? 1 : 8 * ptx::bytes_of(type); }

std::uint64_t low_bits(unsigned count) {
  return count >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << count) - 1;
}

std::uint64_t extend_sign(std::uint64_t undefined, unsigned from) {
  return from > 0 && from < 64 && (undefined >> (from - 1) & 1) != 0 ? undefined | ~low_bits(from)
                                                                     : undefined;
}

}  // namespace lockstep::emulator::analysis
