// What IEEE 754 asks of an operation in any format and rounding, by exact arithmetic; and a kernel that
// applies an instruction to many operands.
#pragma once

#include <random>
#include <string>
#include <vector>

#include "device_fixture.h"
#include "exact_number.h"

namespace lockstep::emulator {

enum class Arithmetic { add, subtract, multiply, fused, divide, square_root, reciprocal };

struct Operands {
  std::uint64_t a = 0, b = 0, c = 0;
};

/// The code of the result; `nan` where there is none.
std::uint64_t exact_result(const BinaryFormat& format, Arithmetic operation, Direction direction, Operands in,
                           std::uint64_t nan);

/// The same with .ftz: operands that are subnormal are zero, and so is what would be less than the least
/// normal number if it were rounded with as many bits as normal numbers have.
std::uint64_t flushed_result(const BinaryFormat& format, Arithmetic operation, Direction direction,
                             Operands in, std::uint64_t nan);

/// A direction as instructions name it.
struct Rounding {
  const char* name;
  Direction direction;
};
constexpr Rounding kRoundings[] = {
    {"rn", Direction::nearest}, {"rz", Direction::zero}, {"rm", Direction::down}, {"rp", Direction::up}};

/// The value of a code of at most 32 bits, which a double holds.
double double_of(const BinaryFormat& format, std::uint64_t code);

/// Operands that meet every special case in each place, then `random` ones; the exponents of these lie close
/// together half of the time, so that sums cancel and round.
std::vector<Operands> sample_operands(const BinaryFormat& format, std::size_t random);

class ArithmeticTest : public DeviceTest {
 protected:
  /// Runs `body` in one thread for each of `inputs`: it finds a, b, c in %d10, %d11, %d12 and leaves %d9.
  std::vector<std::uint64_t> apply(const std::string& body, const std::vector<Operands>& inputs);

  /// Wraps "add.f16 D, A, B;" into the moves that its type's registers need. `result` may be of another type.
  static std::string with_registers(const std::string& type, const std::string& instruction,
                                    const std::string& result = {});
};

}  // namespace lockstep::emulator
