// What the tree's types know about themselves.
#include "emulator/ptx/module.h"

#include <algorithm>
#include <utility>

namespace lockstep::emulator::ptx {
namespace {

constexpr std::pair<std::string_view, Type> kTypes[] = {
    {"pred", Type::pred},     {"b8", Type::b8},           {"u8", Type::u8},         {"s8", Type::s8},
    {"b16", Type::b16},       {"u16", Type::u16},         {"s16", Type::s16},       {"f16", Type::f16},
    {"bf16", Type::bf16},     {"b32", Type::b32},         {"u32", Type::u32},       {"s32", Type::s32},
    {"f32", Type::f32},       {"f16x2", Type::f16x2},     {"bf16x2", Type::bf16x2}, {"b64", Type::b64},
    {"u64", Type::u64},       {"s64", Type::s64},         {"f64", Type::f64},       {"b128", Type::b128},
    {"u16x2", Type::u16x2},   {"s16x2", Type::s16x2},     {"f32x2", Type::f32x2},   {"tf32", Type::tf32},
    {"e4m3x2", Type::e4m3x2}, {"e5m2x2", Type::e5m2x2},   {"e2m1x2", Type::e2m1x2}, {"e2m3x2", Type::e2m3x2},
    {"e3m2x2", Type::e3m2x2}, {"ue8m0x2", Type::ue8m0x2},
};

}  // namespace

unsigned bytes_of(Type type) {
  switch (type) {
    case Type::none:
    case Type::pred:
      return 0;
    case Type::b8:
    case Type::u8:
    case Type::s8:
    case Type::e2m1x2:
      return 1;
    case Type::b16:
    case Type::u16:
    case Type::s16:
    case Type::f16:
    case Type::bf16:
    case Type::e4m3x2:
    case Type::e5m2x2:
    case Type::e2m3x2:
    case Type::e3m2x2:
    case Type::ue8m0x2:
      return 2;
    case Type::b32:
    case Type::u32:
    case Type::s32:
    case Type::f32:
    case Type::f16x2:
    case Type::bf16x2:
    case Type::u16x2:
    case Type::s16x2:
    case Type::tf32:
      return 4;
    case Type::b64:
    case Type::u64:
    case Type::s64:
    case Type::f64:
    case Type::f32x2:
      return 8;
    case Type::b128:
      return 16;
  }
  return 0;
}

std::optional<Type> type_from(std::string_view word) {
  const auto* found = std::ranges::find(kTypes, word, &std::pair<std::string_view, Type>::first);
  if (found == std::end(kTypes)) return std::nullopt;
  return found->second;
}

bool Instruction::has(std::string_view word) const {
  return std::find(modifiers.begin(), modifiers.end(), word) != modifiers.end();
}

std::string Instruction::spelling() const {
  std::string whole = opcode;
  for (const std::string& modifier : modifiers) whole.append(".").append(modifier);
  return whole;
}

}  // namespace lockstep::emulator::ptx
