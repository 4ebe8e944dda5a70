#include "exact_arithmetic.h"

#include <cmath>
#include <map>

namespace lockstep::emulator {
namespace {

/// x + y, of which each is a number, exact, or an infinity.
struct Term {
  ExactNumber value;
  bool negative = false, infinite = false;
};

std::uint64_t sum(const BinaryFormat& format, Direction direction, const Term& x, const Term& y,
                  std::uint64_t nan) {
  const auto signed_infinity = [&](bool negative) {
    return format.infinity() | (negative ? format.sign_bit() : 0);
  };
  if (x.infinite || y.infinite) {
    if (x.infinite && y.infinite && x.negative != y.negative) return nan;
    return signed_infinity(x.infinite ? x.negative : y.negative);
  }
  const ExactNumber exact = x.value + y.value;
  if (exact.sign() != 0) return rounded(format, direction, exact);
  const bool negative = x.negative == y.negative ? x.negative : direction == Direction::down;
  return negative ? format.sign_bit() : 0;
}

Term term(const BinaryFormat& format, std::uint64_t code) {
  Term result{{}, format.is_negative(code), format.is_infinite(code)};
  if (!result.infinite) result.value = format.value(code);
  return result;
}

std::uint64_t quotient(const BinaryFormat& format, Direction direction, std::uint64_t a, std::uint64_t b,
                       std::uint64_t nan) {
  const bool negative = format.is_negative(a) != format.is_negative(b);
  const std::uint64_t sign = negative ? format.sign_bit() : 0;
  if ((format.is_infinite(a) && format.is_infinite(b)) || (format.is_zero(a) && format.is_zero(b)))
    return nan;
  if (format.is_infinite(a) || format.is_zero(b)) return sign | format.infinity();
  if (format.is_infinite(b) || format.is_zero(a)) return sign;
  const ExactNumber dividend = format.value(a), divisor = format.value(b);
  // x > a / b exactly when x b > a, or x b < a for a negative b.
  return rounded(format, direction, negative,
                 [&](const ExactNumber& x) { return (x * divisor - dividend).sign() * divisor.sign(); });
}

}  // namespace

std::uint64_t exact_result(const BinaryFormat& format, Arithmetic operation, Direction direction, Operands in,
                           std::uint64_t nan) {
  const bool two = operation != Arithmetic::square_root && operation != Arithmetic::reciprocal;
  if (format.is_nan(in.a) || (two && format.is_nan(in.b)) ||
      (operation == Arithmetic::fused && format.is_nan(in.c))) {
    return nan;
  }
  switch (operation) {
    case Arithmetic::add:
      return sum(format, direction, term(format, in.a), term(format, in.b), nan);
    case Arithmetic::subtract:
      return sum(format, direction, term(format, in.a), term(format, in.b ^ format.sign_bit()), nan);
    case Arithmetic::multiply:
    case Arithmetic::fused: {
      const Term a = term(format, in.a), b = term(format, in.b);
      Term product{{}, a.negative != b.negative, a.infinite || b.infinite};
      if (product.infinite) {
        if (format.is_zero(in.a) || format.is_zero(in.b)) return nan;
      } else {
        product.value = a.value * b.value;
      }
      // -0 is what can be added to any number without a change, -0 included.
      const std::uint64_t added = operation == Arithmetic::fused ? in.c
                                  : product.negative             ? format.sign_bit()
                                                                 : 0;
      return sum(format, direction, product, term(format, added), nan);
    }
    case Arithmetic::divide:
      return quotient(format, direction, in.a, in.b, nan);
    case Arithmetic::reciprocal: {
      const std::uint64_t one = ((std::uint64_t{1} << (format.exponent_bits - 1)) - 1)
                                << format.fraction_bits;
      return quotient(format, direction, one, in.a, nan);
    }
    case Arithmetic::square_root: {
      if (format.is_zero(in.a)) return in.a;
      if (format.is_negative(in.a)) return nan;
      if (format.is_infinite(in.a)) return in.a;
      const ExactNumber square = format.value(in.a);
      return rounded(format, direction, false, [&](const ExactNumber& x) { return (x * x - square).sign(); });
    }
  }
  return nan;
}

std::uint64_t flushed_result(const BinaryFormat& format, Arithmetic operation, Direction direction,
                             Operands in, std::uint64_t nan) {
  for (std::uint64_t* operand : {&in.a, &in.b, &in.c}) *operand = format.flushed(*operand);
  // The same numbers where a wider exponent leaves nothing subnormal.
  const BinaryFormat wide = {format.exponent_bits + 1, format.fraction_bits};
  const std::uint64_t rebias = std::uint64_t{1} << (format.exponent_bits - 1 + format.fraction_bits);
  const auto widened = [&](std::uint64_t code) {
    const std::uint64_t sign = format.is_negative(code) ? wide.sign_bit() : 0;
    const std::uint64_t magnitude = format.magnitude(code);
    if (magnitude == 0) return sign;
    if (magnitude >= format.infinity()) return sign | (wide.infinity() + magnitude - format.infinity());
    return sign | (magnitude + rebias);
  };
  const std::uint64_t result = exact_result(format, operation, direction, in, nan);
  const std::uint64_t unbounded = exact_result(
      wide, operation, direction, {widened(in.a), widened(in.b), widened(in.c)}, wide.infinity() + 1);
  const bool tiny = wide.magnitude(unbounded) < format.least_normal() + rebias;
  return tiny && !format.is_nan(result) ? result & format.sign_bit() : result;
}

double double_of(const BinaryFormat& format, std::uint64_t code) {
  if (format.is_nan(code)) return std::nan("");
  const double sign = format.is_negative(code) ? -1 : 1;
  if (format.is_infinite(code)) return sign * HUGE_VAL;
  const int field = static_cast<int>(format.magnitude(code) >> format.fraction_bits);
  const std::uint64_t fraction = code & (format.least_normal() - 1);
  const auto significand = static_cast<double>(field == 0 ? fraction : fraction | format.least_normal());
  const int bias = (1 << (format.exponent_bits - 1)) - 1;
  return sign *
         std::ldexp(significand, (field == 0 ? 1 : field) - bias - static_cast<int>(format.fraction_bits));
}

std::vector<Operands> sample_operands(const BinaryFormat& format, std::size_t random) {
  const std::uint64_t one = ((std::uint64_t{1} << (format.exponent_bits - 1)) - 1) << format.fraction_bits;
  const std::uint64_t least = format.least_normal(), infinity = format.infinity();
  std::vector<std::uint64_t> special = {0,
                                        1,
                                        2,
                                        least - 1,
                                        least,
                                        least + 1,
                                        one - 1,
                                        one,
                                        one + 1,
                                        one + least,
                                        infinity - 1,
                                        infinity,
                                        infinity + 1,
                                        infinity | least >> 1,
                                        least >> 1,
                                        one + (least >> 1)};
  const std::size_t positive = special.size();
  for (std::size_t i = 0; i < positive; ++i) special.push_back(special[i] | format.sign_bit());
  std::vector<Operands> inputs;
  for (std::size_t i = 0; i < special.size(); ++i) {
    for (std::size_t k = 0; k < special.size(); ++k) {
      inputs.push_back({special[i], special[k], special[(5 * i + 3 * k) % special.size()]});
    }
  }
  std::mt19937_64 generator(42);
  const std::uint64_t mask = 2 * format.sign_bit() - 1;
  for (std::size_t i = 0; i < random; ++i) {
    Operands in{generator() & mask, generator() & mask, generator() & mask};
    if (i % 2 == 0) {
      // Exponents of a and b that give a product and a sum near c.
      const std::uint64_t fields = ~(least - 1) & ~format.sign_bit() & mask;
      const auto with_field = [&](std::uint64_t code, std::uint64_t field) {
        return (code & ~fields) | (field << format.fraction_bits);
      };
      const std::uint64_t bias = (std::uint64_t{1} << (format.exponent_bits - 1)) - 1;
      const std::uint64_t near = generator() % 8;
      in.a = with_field(in.a, bias - 2 + generator() % 4);
      in.b = with_field(in.b, bias - 4 + near);
      in.c = with_field(in.c, bias - 4 + generator() % 8);
    }
    inputs.push_back(in);
  }
  return inputs;
}

std::vector<std::uint64_t> ArithmeticTest::apply(const std::string& body,
                                                 const std::vector<Operands>& inputs) {
  std::vector<std::uint64_t> words;
  for (const Operands& in : inputs) words.insert(words.end(), {in.a, in.b, in.c});
  const DeviceAddress from = upload(words), to = upload(std::vector<std::uint64_t>(inputs.size(), 0));
  const auto n = static_cast<std::uint32_t>(inputs.size());
  const std::string text =
      "mov.u32 %r2, %ctaid.x;\nmov.u32 %r3, %ntid.x;\nmad.lo.u32 %r2, %r2, %r3, %r1;\n"
      "setp.ge.u32 %p15, %r2, %r0;\n@%p15 bra DONE;\nmul.wide.u32 %d3, %r2, 24;\nadd.u64 %d3, %d0, %d3;\n"
      "ld.global.u64 %d10, [%d3];\nld.global.u64 %d11, [%d3+8];\nld.global.u64 %d12, [%d3+16];\n" +
      body + "\nmul.wide.u32 %d4, %r2, 8;\nadd.u64 %d4, %d1, %d4;\nst.global.u64 [%d4], %d9;\nDONE:";
  const LaunchResult result = run(text, from, to, n, {(n + 255) / 256, 1, 1}, {256, 1, 1});
  EXPECT_EQ(result.status, LaunchResult::Status::ok) << body;
  std::vector<std::uint64_t> results = download<std::uint64_t>(to, inputs.size());
  device.free(from);
  device.free(to);
  return results;
}

std::string ArithmeticTest::with_registers(const std::string& type, const std::string& instruction,
                                           const std::string& result) {
  struct Registers {
    std::string prefix, read, write;  // `read` fills register 4 + k from %d10 + k
  };
  static const auto kRegisters = [](const std::string& of) -> Registers {
    const bool half = of == "f16" || of == "bf16" || of == "u16" || of == "s16" || of == "b16" || of == "b8";
    if (half) return {"%h", "cvt.u16.u64 %h#, @;\n", "cvt.u64.u16 %d9, %h9;"};
    if (of == "f32")
      return {"%f", "cvt.u32.u64 %r3#, @;\nmov.b32 %f#, %r3#;\n",
              "mov.b32 %r39, %f9;\ncvt.u64.u32 %d9, %r39;"};
    if (of == "f64") return {"%g", "mov.b64 %g#, @;\n", "mov.b64 %d9, %g9;"};
    if (of == "b64" || of == "u64" || of == "s64" || of == "f32x2")
      return {"%d2", "mov.b64 %d2#, @;\n", "mov.b64 %d9, %d29;"};
    return {"%r3", "cvt.u32.u64 %r3#, @;\n", "cvt.u64.u32 %d9, %r39;"};
  };
  const Registers in = kRegisters(type), out = kRegisters(result.empty() ? type : result);
  std::string text;
  for (const auto& [digit, source] :
       std::map<char, std::string>{{'4', "%d10"}, {'5', "%d11"}, {'6', "%d12"}}) {
    for (const char c : in.read) {
      if (c == '#') {
        text += digit;
      } else if (c == '@') {
        text += source;
      } else {
        text += c;
      }
    }
  }
  for (const char c : instruction) {
    switch (c) {
      case 'A':
        text += in.prefix + "4";
        break;
      case 'B':
        text += in.prefix + "5";
        break;
      case 'C':
        text += in.prefix + "6";
        break;
      case 'D':
        text += out.prefix + "9";
        break;
      default:
        text += c;
    }
  }
  return text + "\n" + out.write;
}

}  // namespace lockstep::emulator
