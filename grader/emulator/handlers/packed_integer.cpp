// add, min and max of two 16-bit integers to a lane, and min.relu and max.relu, which s32 has too.
// PTX ISA 9.7.1.
#include <cstdint>
#include <type_traits>

#include "emulator/handlers/lanes.h"
#include "emulator/handlers/tables.h"

namespace lockstep::emulator::handlers::LOCKSTEP_LEVEL {
namespace {

struct Add {
  static int apply(int a, int b) { return a + b; }
};
struct Minimum {
  static int apply(int a, int b) { return a < b ? a : b; }
};
struct Maximum {
  static int apply(int a, int b) { return a > b ? a : b; }
};

/// T is the type of one element.
template <class T, class Operation, bool rectify>
void each_element(Warp& warp, const Instruction& i, Mask active) {
  const auto* a = row<std::uint32_t>(warp, i.a);
  const auto* b = row<std::uint32_t>(warp, i.b);
  for_lanes<std::uint32_t>(row<std::uint32_t>(warp, i.destination), active, [=](unsigned l) {
    std::uint32_t result = 0;
    for (unsigned shift = 0; shift < 32; shift += 8 * sizeof(T)) {
      const int value = Operation::apply(static_cast<T>(a[l] >> shift), static_cast<T>(b[l] >> shift));
      const auto element = static_cast<std::make_unsigned_t<T>>(rectify && value < 0 ? 0 : value);
      result |= static_cast<std::uint32_t>(element) << shift;
    }
    return result;
  });
}

template <class T>
Handler element_handler(Operation operation, bool rectify) {
  switch (operation) {
    case Operation::add:
      return rectify ? nullptr : each_element<T, Add, false>;
    case Operation::minimum:
      return rectify ? each_element<T, Minimum, true> : each_element<T, Minimum, false>;
    case Operation::maximum:
      return rectify ? each_element<T, Maximum, true> : each_element<T, Maximum, false>;
    default:
      return nullptr;
  }
}

}  // namespace

Handler packed_integer_handler(Operation operation, ptx::Type type, const Variant& variant) {
  switch (type) {
    case ptx::Type::u16x2:
      return element_handler<std::uint16_t>(operation, variant.rectify);
    case ptx::Type::s16x2:
      return element_handler<std::int16_t>(operation, variant.rectify);
    case ptx::Type::s32:
      return variant.rectify ? element_handler<std::int32_t>(operation, true) : nullptr;
    default:
      return nullptr;
  }
}

}  // namespace lockstep::emulator::handlers::LOCKSTEP_LEVEL
