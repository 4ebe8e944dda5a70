// cvt to and from ue8m0, the scale of a block of narrow floats: a power of two from 2^-127 to 2^127, by its
// exponent alone, and NaN. PTX ISA 9.7.9.21.
//
// The code is the exponent field of an f32 of that value, and the sign is dropped. Zero becomes the least
// power, infinity the greatest with .satfinite and NaN without.
#include <cstdint>

#include "emulator/handlers/lanes.h"
#include "emulator/handlers/narrow_float.h"
#include "emulator/handlers/tables.h"

namespace lockstep::emulator::handlers::LOCKSTEP_LEVEL {
namespace {

constexpr std::uint32_t kNan = 0xFF;

/// `bits` of an f32.
std::uint32_t scale_of(std::uint32_t bits, bool up, bool finite) {
  constexpr std::uint32_t kInfinity = 0x7F80'0000, kLeastPower = 0x0040'0000;  // 2^-127, a subnormal
  const std::uint32_t magnitude = bits & 0x7FFF'FFFF;
  if (magnitude > kInfinity) return kNan;
  const bool between = (magnitude & 0x7F'FFFF) != 0 && magnitude > kLeastPower;
  const std::uint32_t code = (magnitude >> 23) + (up && between ? 1 : 0);
  return finite && code == kNan ? kNan - 1 : code;
}

/// A bf16.
std::uint32_t value_of(std::uint32_t scale) {
  if (scale == kNan) return Bfloat16::kFormat.nan;
  return scale == 0 ? 0x40 : scale << 7;
}

/// Two floats to one lane: a is the upper one.
void floats_to_scales(Warp& warp, const Instruction& i, Mask active) {
  const auto *a = row<std::uint32_t>(warp, i.a), *b = row<std::uint32_t>(warp, i.b);
  const bool up = static_cast<Rounding>(i.detail >> narrow::kRoundingShift & 7) == Rounding::up;
  const bool finite = (i.detail & narrow::kFinite) != 0;
  for_lanes<std::uint32_t>(row<std::uint32_t>(warp, i.destination), active, [=](unsigned l) {
    return scale_of(a[l], up, finite) << 8 | scale_of(b[l], up, finite);
  });
}

void bfloats_to_scales(Warp& warp, const Instruction& i, Mask active) {
  const auto* a = row<std::uint32_t>(warp, i.a);
  const bool up = static_cast<Rounding>(i.detail >> narrow::kRoundingShift & 7) == Rounding::up;
  const bool finite = (i.detail & narrow::kFinite) != 0;
  for_lanes<std::uint32_t>(row<std::uint32_t>(warp, i.destination), active, [=](unsigned l) {
    return scale_of(a[l] & 0xFFFF'0000, up, finite) << 8 | scale_of(a[l] << 16, up, finite);
  });
}

void scales_to_bfloats(Warp& warp, const Instruction& i, Mask active) {
  const auto* a = row<std::uint32_t>(warp, i.a);
  for_lanes<std::uint32_t>(row<std::uint32_t>(warp, i.destination), active, [=](unsigned l) {
    return value_of(a[l] >> 8 & 0xFF) << 16 | value_of(a[l] & 0xFF);
  });
}

}  // namespace

Handler scale_conversion_handler(ptx::Type to, const Variant& variant) {
  using ptx::Type;
  if (to == Type::bf16x2) return variant.source == Type::ue8m0x2 ? scales_to_bfloats : nullptr;
  return variant.source == Type::f32      ? floats_to_scales
         : variant.source == Type::bf16x2 ? bfloats_to_scales
                                          : nullptr;
}

}  // namespace lockstep::emulator::handlers::LOCKSTEP_LEVEL
