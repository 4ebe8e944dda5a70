#include "emulator/analysis/undefined_rules.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <string_view>
#include <unordered_map>

namespace lockstep::emulator {
namespace {

bool is_integer(ptx::Type type) {
  using enum ptx::Type;
  static constexpr std::array kIntegers = {b8, u8, s8, b16, u16, s16, b32, u32, s32, b64, u64, s64};
  return std::find(kIntegers.begin(), kIntegers.end(), type) != kIntegers.end();
}

/// Of lop3: bits whose undefined operands decide between 0 and 1 in the table. `any`: what is undefined in an
/// operand.
std::uint64_t looked_up(const std::array<std::uint64_t, 3>& undefined,
                        const std::array<std::optional<std::uint64_t>, 3>& values, std::uint64_t table,
                        std::uint64_t any) {
  std::array<std::uint64_t, 2> possible{};  // bits that may become 0, and 1
  for (unsigned row = 0; row < 8; ++row) {
    std::uint64_t fits = ~std::uint64_t{0};
    for (unsigned k = 0; k < 3; ++k) {
      if (!values[k]) return any;
      fits &= undefined[k] | ((row >> (2 - k) & 1) != 0 ? *values[k] : ~*values[k]);
    }
    possible[table >> row & 1] |= fits;
  }
  return possible[0] & possible[1];
}

}  // namespace

Flow flow_of(const ptx::Instruction& instruction) {
  static const std::unordered_map<std::string_view, Flow> kFlows = {
      {"mov", Flow::moves},        {"and", Flow::conjunction},  {"or", Flow::disjunction},
      {"xor", Flow::bitwise},      {"not", Flow::bitwise},      {"lop3", Flow::looks_up},
      {"shl", Flow::shift_left},   {"shr", Flow::shift_right},  {"bfe", Flow::extract},
      {"bfi", Flow::insert},       {"prmt", Flow::permute},     {"cvt", Flow::converts},
      {"setp", Flow::compares},    {"selp", Flow::selects},     {"ld", Flow::loads},
      {"ldu", Flow::loads},        {"shfl", Flow::shuffles},    {"st", Flow::stores},
      {"add", Flow::adds},         {"sub", Flow::adds},         {"mul", Flow::counts_up},
      {"mad", Flow::counts_up},    {"neg", Flow::calculates},   {"abs", Flow::calculates},
      {"min", Flow::calculates},   {"max", Flow::calculates},   {"fma", Flow::calculates},
      {"div", Flow::calculates},   {"rem", Flow::calculates},   {"sad", Flow::calculates},
      {"rcp", Flow::calculates},   {"sqrt", Flow::calculates},  {"rsqrt", Flow::calculates},
      {"sin", Flow::calculates},   {"cos", Flow::calculates},   {"lg2", Flow::calculates},
      {"ex2", Flow::calculates},   {"tanh", Flow::calculates},  {"copysign", Flow::calculates},
      {"set", Flow::calculates},   {"slct", Flow::calculates},  {"popc", Flow::calculates},
      {"clz", Flow::calculates},   {"bfind", Flow::calculates}, {"brev", Flow::calculates},
      {"cnot", Flow::calculates},  {"shf", Flow::calculates},   {"mul24", Flow::calculates},
      {"mad24", Flow::calculates}, {"dp4a", Flow::calculates},  {"dp2a", Flow::calculates},
      {"testp", Flow::calculates}, {"cvta", Flow::calculates}};
  const auto found = kFlows.find(instruction.opcode);
  if (found == kFlows.end() || instruction.has("cc")) return Flow::decides;
  const bool by_bits = found->second == Flow::adds || found->second == Flow::counts_up;
  if (by_bits && (!is_integer(last_type(instruction)) || instruction.has("hi") || instruction.has("sat"))) {
    return Flow::calculates;
  }
  return found->second;
}

bool keeps_places(Flow flow) {
  static constexpr std::array kKeepers = {Flow::conjunction, Flow::disjunction, Flow::bitwise,
                                          Flow::looks_up,    Flow::insert,      Flow::permute,
                                          Flow::converts,    Flow::adds};
  return std::find(kKeepers.begin(), kKeepers.end(), flow) != kKeepers.end();
}

std::uint64_t undefined_result(Flow flow, const ptx::Instruction& instruction,
                               std::span<const OperandBits> operands) {
  constexpr std::uint64_t kAll = ~std::uint64_t{0};
  const auto undefined = [&](std::size_t k) { return k < operands.size() ? operands[k].undefined : 0; };
  const auto value = [&](std::size_t k) { return k < operands.size() ? operands[k].value : std::nullopt; };
  /// An operand that must be known for the rule, as the number of bits that something is shifted by.
  const auto number = [&](std::size_t k) { return undefined(k) != 0 ? std::nullopt : value(k); };
  const ptx::Type type = last_type(instruction);
  const unsigned width = bits_of(type);
  std::uint64_t any = 0;
  for (const OperandBits& operand : operands) any |= operand.undefined;
  switch (flow) {
    case Flow::conjunction:  // defined where one is a defined 0
      return (undefined(0) & undefined(1)) | (undefined(0) & value(1).value_or(kAll)) |
             (undefined(1) & value(0).value_or(kAll));
    case Flow::disjunction:  // where one is a defined 1
      return (undefined(0) & undefined(1)) | (undefined(0) & ~value(1).value_or(0)) |
             (undefined(1) & ~value(0).value_or(0));
    case Flow::bitwise:
      return any;
    case Flow::looks_up:
      if (instruction.modifiers.size() != 1) return kAll;
      return looked_up({undefined(0), undefined(1), undefined(2)}, {value(0), value(1), value(2)},
                       value(3).value_or(0), any);
    case Flow::adds: {  // as of the least and the greatest that the operands may be
      const auto a = value(0), b = value(1);
      if (!a || !b) return kAll << std::countr_zero(any);
      const std::uint64_t a_least = *a & ~undefined(0), a_most = *a | undefined(0);
      const std::uint64_t b_least = *b & ~undefined(1), b_most = *b | undefined(1);
      return any | (instruction.opcode == "add" ? (a_least + b_least) ^ (a_most + b_most)
                                                : (a_least - b_most) ^ (a_most - b_least));
    }
    case Flow::counts_up:
      return kAll << std::countr_zero(any);
    case Flow::shift_left: {
      const auto distance = number(1);
      return !distance ? kAll : *distance >= width ? 0 : undefined(0) << *distance;
    }
    case Flow::shift_right: {
      const auto distance = number(1);
      if (!distance) return kAll;
      const std::uint64_t from = is_signed(type) ? extend_sign(undefined(0), width) : undefined(0);
      const std::uint64_t sign = static_cast<std::int64_t>(from) < 0 && is_signed(type) ? kAll : 0;
      return *distance >= width ? sign : from >> *distance | (*distance == 0 ? 0 : sign << (64 - *distance));
    }
    case Flow::extract: {
      const auto position = number(1), length = number(2);
      if (!position || !length || (*position & 0xFF) >= width) return kAll;
      const auto bits = static_cast<unsigned>(*length & 0xFF);
      const std::uint64_t field = undefined(0) >> (*position & 0xFF) & low_bits(bits);
      return is_signed(type) ? extend_sign(field, bits) : field;
    }
    case Flow::insert: {
      const auto position = number(2), length = number(3);
      if (!position || !length || (*position & 0xFF) >= width) return kAll;
      const std::uint64_t field = low_bits(static_cast<unsigned>(*length & 0xFF));
      return (undefined(1) & ~(field << (*position & 0xFF))) | (undefined(0) & field) << (*position & 0xFF);
    }
    case Flow::permute: {
      const auto selector = number(2);
      if (!selector || instruction.modifiers.size() != 1) return kAll;
      const std::uint64_t bytes = undefined(1) << 32 | (undefined(0) & 0xFFFF'FFFF);
      std::uint64_t result = 0;
      for (unsigned k = 0; k < 4; ++k) {
        const std::uint64_t nibble = *selector >> (4 * k) & 0xF;
        const std::uint64_t byte = bytes >> (8 * (nibble & 7)) & 0xFF;
        result |= (nibble < 8 ? byte : byte >> 7 != 0 ? 0xFF : 0) << (8 * k);
      }
      return result;
    }
    case Flow::converts: {
      const ptx::Type to = ptx::type_from(instruction.modifiers[0]).value_or(ptx::Type::none);
      if (instruction.modifiers.size() != 2 || !is_integer(type) || !is_integer(to)) return kAll;
      const std::uint64_t from = undefined(0) & low_bits(width);
      const std::uint64_t cut = (is_signed(type) ? extend_sign(from, width) : from) & low_bits(bits_of(to));
      return is_signed(to) ? extend_sign(cut, bits_of(to)) : cut;
    }
    case Flow::compares: {  // a predicate that it is combined with may decide alone
      const bool compared = (undefined(0) | undefined(1)) != 0;
      if (undefined(2) != 0 || operands.size() < 3 || !compared) return kAll;
      const std::uint64_t other = value(2).value_or(1);
      return (instruction.has("and") && other == 0) || (instruction.has("or") && other == 1) ? 0 : kAll;
    }
    default:
      return kAll;
  }
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

}  // namespace lockstep::emulator
