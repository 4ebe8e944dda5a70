// SIMD video instructions: vadd2 to vmax4 and vset, on all elements of two words. PTX ISA 9.7.19.
//
// No processor since Kepler has them, and compilers emit two (vabsdiff2, vabsdiff4), so one loop serves all
// and asks detail, namespace video, for every element.
#include <cstdint>
#include <limits>
#include <type_traits>

#include "emulator/handlers/lanes.h"
#include "emulator/handlers/tables.h"

namespace lockstep::emulator::handlers::LOCKSTEP_LEVEL {
namespace {

int element_result(std::uint16_t how, int a, int b) {
  switch (how & video::kOperationMask) {
    case 0:
      return a + b;
    case 1:
      return a - b;
    case 2:  // rounded away from zero
      return a + b >= 0 ? (a + b + 1) >> 1 : (a + b) >> 1;
    case 3:
      return a < b ? b - a : a - b;
    case 4:
      return a < b ? a : b;
    case 5:
      return a > b ? a : b;
    default:
      return how >> video::kComparisonShift >> (a < b ? 0 : a == b ? 1 : 2) & 1;
  }
}

template <class T>
int clamped(int value) {
  constexpr int kLow = std::numeric_limits<T>::min(), kHigh = std::numeric_limits<T>::max();
  return value < kLow ? kLow : value > kHigh ? kHigh : value;
}

/// S is the signed type of an element.
template <class S>
void each_element(Warp& warp, const Instruction& i, Mask active) {
  using U = std::make_unsigned_t<S>;
  const auto* a = row<std::uint32_t>(warp, i.a);
  const auto* b = row<std::uint32_t>(warp, i.b);
  const auto* c = row<std::uint32_t>(warp, i.c);
  const std::uint16_t how = i.detail;
  const auto is = [=](std::uint16_t flag) { return (how & flag) != 0; };
  for_lanes<std::uint32_t>(row<std::uint32_t>(warp, i.destination), active, [=](unsigned l) {
    std::uint32_t merged = 0, sum = c[l];
    for (unsigned shift = 0; shift < 32; shift += 8 * sizeof(S)) {
      const auto element = [=](std::uint32_t word, bool is_signed) -> int {
        return is_signed ? static_cast<S>(word >> shift) : static_cast<U>(word >> shift);
      };
      int value = element_result(how, element(a[l], is(video::kSignedA)), element(b[l], is(video::kSignedB)));
      if (is(video::kSaturate)) value = is(video::kSignedResult) ? clamped<S>(value) : clamped<U>(value);
      sum += static_cast<std::uint32_t>(value);
      merged |= static_cast<std::uint32_t>(static_cast<U>(value)) << shift;
    }
    return is(video::kAccumulate) ? sum : merged;
  });
}

}  // namespace

Handler video_handler(Operation operation) {
  if (operation == Operation::video_2) return each_element<std::int16_t>;
  return operation == Operation::video_4 ? each_element<std::int8_t> : nullptr;
}

}  // namespace lockstep::emulator::handlers::LOCKSTEP_LEVEL
