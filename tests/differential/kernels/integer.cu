// Integer arithmetic of every width: what C++ has, and what only PTX has.
#include "ptx.h"
#include "suite.h"

namespace {

// Division by zero has no defined result.
template <class T>
__device__ T divisor(T value) {
  return value == 0 ? T{7} : value;
}

}  // namespace

ELEMENTWISE(integer_add_sub_32, std::uint32_t, std::uint32_t, 4) {
  r[0] = a + b;
  r[1] = a - b;
  r[2] = I32_2("add.sat.s32", a, b);
  r[3] = I32_2("sub.sat.s32", a, b);
}

ELEMENTWISE(integer_multiply_32, std::uint32_t, std::uint32_t, 6) {
  r[0] = a * b;
  r[1] = __umulhi(a, b);
  r[2] = static_cast<std::uint32_t>(__mulhi(static_cast<int>(a), static_cast<int>(b)));
  r[3] = I32_3("mad.lo.s32", a, b, c);
  r[4] = I32_3("mad.hi.u32", a, b, c);
  r[5] = I32_3("mad.hi.s32", a, b, c);
}

ELEMENTWISE(integer_mad_saturating, std::uint32_t, std::uint32_t, 1) {
  r[0] = I32_3("mad.hi.sat.s32", a, b, c);
}

ELEMENTWISE(integer_multiply_24, std::uint32_t, std::uint32_t, 8) {
  r[0] = I32_2("mul24.lo.u32", a, b);
  r[1] = I32_2("mul24.lo.s32", a, b);
  r[2] = I32_2("mul24.hi.u32", a, b);
  r[3] = I32_2("mul24.hi.s32", a, b);
  r[4] = I32_3("mad24.lo.u32", a, b, c);
  r[5] = I32_3("mad24.lo.s32", a, b, c);
  r[6] = I32_3("mad24.hi.u32", a, b, c);
  r[7] = I32_3("mad24.hi.sat.s32", a, b, c);
}

ELEMENTWISE(integer_multiply_wide, std::uint32_t, std::uint64_t, 4) {
  r[0] = I64_OF_I32("mul.wide.u32", a, b);
  r[1] = I64_OF_I32("mul.wide.s32", a, b);
  r[2] = I64_OF_I32_I64("mad.wide.u32", a, b, std::uint64_t{c} << 17);
  r[3] = I64_OF_I32_I64("mad.wide.s32", a, b, std::uint64_t{c} << 17);
}

ELEMENTWISE(integer_arithmetic_16, std::uint16_t, std::uint32_t, 8) {
  r[0] = H16_2("add.u16", a, b);
  r[1] = H16_2("sub.s16", a, b);
  r[2] = H16_2("mul.lo.u16", a, b);
  r[3] = H16_2("mul.hi.u16", a, b);
  r[4] = H16_2("mul.hi.s16", a, b);
  r[5] = I32_OF_I16("mul.wide.u16", a, b);
  r[6] = I32_OF_I16("mul.wide.s16", a, b);
  r[7] = H16_3("mad.lo.s16", a, b, c);
}

ELEMENTWISE(integer_extremes_16, std::uint16_t, std::uint16_t, 8) {
  r[0] = H16_2("min.u16", a, b);
  r[1] = H16_2("min.s16", a, b);
  r[2] = H16_2("max.u16", a, b);
  r[3] = H16_2("max.s16", a, b);
  r[4] = H16_1("abs.s16", a);
  r[5] = H16_1("neg.s16", a);
  r[6] = H16_3("sad.u16", a, b, c);
  r[7] = H16_3("sad.s16", a, b, c);
}

ELEMENTWISE(integer_logic_16, std::uint16_t, std::uint16_t, 8) {
  r[0] = H16_2("and.b16", a, b);
  r[1] = H16_2("or.b16", a, b);
  r[2] = H16_2("xor.b16", a, b);
  r[3] = H16_1("not.b16", a);
  r[4] = H16_1("cnot.b16", a);
  r[5] = LOCKSTEP_PTX2(std::uint16_t, "h", "h", "r", "shl.b16", a, std::uint32_t{b});
  r[6] = LOCKSTEP_PTX2(std::uint16_t, "h", "h", "r", "shr.u16", a, std::uint32_t{b});
  r[7] = LOCKSTEP_PTX2(std::uint16_t, "h", "h", "r", "shr.s16", a, std::uint32_t{b});
}

ELEMENTWISE(integer_divide_16, std::uint16_t, std::uint16_t, 4) {
  b = divisor(b);
  r[0] = H16_2("div.u16", a, b);
  r[1] = H16_2("rem.u16", a, b);
  r[2] = H16_2("div.s16", a, b);
  r[3] = H16_2("rem.s16", a, b);
}

ELEMENTWISE(integer_characters, std::uint8_t, std::uint8_t, 8) {
  const auto signed_a = static_cast<signed char>(a), signed_b = static_cast<signed char>(b);
  r[0] = a + b;
  r[1] = a * b;
  r[2] = a / divisor(b);
  r[3] = a % divisor(b);
  r[4] = signed_a / divisor(signed_b);
  r[5] = signed_a % divisor(signed_b);
  r[6] = signed_a >> (b & 7);
  r[7] = signed_a < signed_b ? c : a;
}

ELEMENTWISE(integer_divide_32, std::uint32_t, std::uint32_t, 4) {
  b = divisor(b);
  r[0] = I32_2("div.u32", a, b);
  r[1] = I32_2("rem.u32", a, b);
  r[2] = I32_2("div.s32", a, b);
  r[3] = I32_2("rem.s32", a, b);
}

ELEMENTWISE(integer_divide_unsigned_64, std::uint64_t, std::uint64_t, 2) {
  r[0] = I64_2("div.u64", a, divisor(b));
  r[1] = I64_2("rem.u64", a, divisor(b));
}

ELEMENTWISE(integer_divide_signed_64, std::uint64_t, std::uint64_t, 2) {
  r[0] = I64_2("div.s64", a, divisor(b));
  r[1] = I64_2("rem.s64", a, divisor(b));
}

ELEMENTWISE(integer_divide_constant, std::uint32_t, std::uint32_t, 6) {
  r[0] = a / 7;
  r[1] = a % 10;
  r[2] = static_cast<std::uint32_t>(static_cast<int>(a) / -12);
  r[3] = static_cast<std::uint32_t>(static_cast<int>(a) % 1000);
  r[4] = static_cast<std::uint32_t>(static_cast<int>(a) / 16);
  r[5] = a / 641;
}

ELEMENTWISE(integer_arithmetic_64, std::uint64_t, std::uint64_t, 6) {
  r[0] = a + b;
  r[1] = a - b;
  r[2] = a * b;
  r[3] = __umul64hi(a, b);
  r[4] = static_cast<std::uint64_t>(__mul64hi(static_cast<long long>(a), static_cast<long long>(b)));
  r[5] = I64_3("mad.lo.s64", a, b, c);
}

ELEMENTWISE(integer_mad_hi_64, std::uint64_t, std::uint64_t, 2) {
  r[0] = I64_3("mad.hi.u64", a, b, c);
  r[1] = I64_3("mad.hi.s64", a, b, c);
}

ELEMENTWISE(integer_extremes_32, std::uint32_t, std::uint32_t, 8) {
  r[0] = I32_2("min.u32", a, b);
  r[1] = I32_2("min.s32", a, b);
  r[2] = I32_2("max.u32", a, b);
  r[3] = I32_2("max.s32", a, b);
  r[4] = I32_1("abs.s32", a);
  r[5] = I32_1("neg.s32", a);
  r[6] = I32_3("sad.u32", a, b, c);
  r[7] = I32_3("sad.s32", a, b, c);
}

ELEMENTWISE(integer_extremes_rectified, std::uint32_t, std::uint32_t, 2) {
  r[0] = I32_2("min.relu.s32", a, b);
  r[1] = I32_2("max.relu.s32", a, b);
}

ELEMENTWISE(integer_extremes_64, std::uint64_t, std::uint64_t, 8) {
  r[0] = I64_2("min.u64", a, b);
  r[1] = I64_2("min.s64", a, b);
  r[2] = I64_2("max.u64", a, b);
  r[3] = I64_2("max.s64", a, b);
  r[4] = I64_1("abs.s64", a);
  r[5] = I64_1("neg.s64", a);
  r[6] = I64_3("sad.u64", a, b, c);
  r[7] = I64_3("sad.s64", a, b, c);
}

ELEMENTWISE(integer_packed_16, std::uint32_t, std::uint32_t, 7) {
  r[0] = I32_2("add.u16x2", a, b);
  r[1] = I32_2("add.s16x2", a, b);
  r[2] = I32_2("min.u16x2", a, b);
  r[3] = I32_2("min.s16x2", a, b);
  r[4] = I32_2("max.u16x2", a, b);
  r[5] = I32_2("max.s16x2", a, b);
  r[6] = I32_2("max.relu.s16x2", a, b);
}

ELEMENTWISE(integer_dot_product_4, std::uint32_t, std::uint32_t, 4) {
  r[0] = I32_3("dp4a.u32.u32", a, b, c);
  r[1] = I32_3("dp4a.s32.s32", a, b, c);
  r[2] = I32_3("dp4a.u32.s32", a, b, c);
  r[3] = I32_3("dp4a.s32.u32", a, b, c);
}

ELEMENTWISE(integer_dot_product_2, std::uint32_t, std::uint32_t, 8) {
  r[0] = I32_3("dp2a.lo.u32.u32", a, b, c);
  r[1] = I32_3("dp2a.lo.s32.s32", a, b, c);
  r[2] = I32_3("dp2a.lo.u32.s32", a, b, c);
  r[3] = I32_3("dp2a.lo.s32.u32", a, b, c);
  r[4] = I32_3("dp2a.hi.u32.u32", a, b, c);
  r[5] = I32_3("dp2a.hi.s32.s32", a, b, c);
  r[6] = I32_3("dp2a.hi.u32.s32", a, b, c);
  r[7] = I32_3("dp2a.hi.s32.u32", a, b, c);
}

ELEMENTWISE(integer_carry_32, std::uint32_t, std::uint32_t, 4) {
  asm("{add.cc.u32 %0, %2, %3; addc.u32 %1, %2, %4;}" : "=&r"(r[0]), "=r"(r[1]) : "r"(a), "r"(b), "r"(c));
  asm("{sub.cc.u32 %0, %2, %3; subc.u32 %1, %2, %4;}" : "=&r"(r[2]), "=r"(r[3]) : "r"(a), "r"(b), "r"(c));
}

ELEMENTWISE(integer_carry_chain, std::uint32_t, std::uint32_t, 6) {
  asm("{add.cc.u32 %0, %3, %4; addc.cc.u32 %1, %4, %5; addc.u32 %2, 0, 0;}"
      : "=&r"(r[0]), "=&r"(r[1]), "=r"(r[2])
      : "r"(a), "r"(b), "r"(c));
  asm("{sub.cc.u32 %0, %3, %4; subc.cc.u32 %1, %4, %5; subc.u32 %2, 0, 0;}"
      : "=&r"(r[3]), "=&r"(r[4]), "=r"(r[5])
      : "r"(a), "r"(b), "r"(c));
}

ELEMENTWISE(integer_carry_products, std::uint32_t, std::uint32_t, 6) {
  asm("{mad.lo.cc.u32 %0, %3, %4, %5; madc.hi.cc.u32 %1, %3, %4, %4; madc.lo.u32 %2, %3, %5, %4;}"
      : "=&r"(r[0]), "=&r"(r[1]), "=r"(r[2])
      : "r"(a), "r"(b), "r"(c));
  asm("{mad.hi.cc.u32 %0, %3, %4, %5; madc.lo.cc.u32 %1, %3, %4, %4; madc.hi.u32 %2, %3, %5, %4;}"
      : "=&r"(r[3]), "=&r"(r[4]), "=r"(r[5])
      : "r"(a), "r"(b), "r"(c));
}

ELEMENTWISE(integer_carry_64, std::uint64_t, std::uint64_t, 4) {
  asm("{add.cc.u64 %0, %2, %3; addc.u64 %1, %2, %4;}" : "=&l"(r[0]), "=l"(r[1]) : "l"(a), "l"(b), "l"(c));
  asm("{sub.cc.u64 %0, %2, %3; subc.u64 %1, %2, %4;}" : "=&l"(r[2]), "=l"(r[3]) : "l"(a), "l"(b), "l"(c));
}

ELEMENTWISE(integer_wide_sums, std::uint64_t, std::uint64_t, 4) {
  const auto sum = static_cast<unsigned __int128>(a) * b + c;
  const auto quotient = (static_cast<unsigned __int128>(b) << 64 | a) / divisor(c);
  r[0] = static_cast<std::uint64_t>(sum);
  r[1] = static_cast<std::uint64_t>(sum >> 64);
  r[2] = static_cast<std::uint64_t>(quotient);
  r[3] = static_cast<std::uint64_t>(quotient >> 64);
}
