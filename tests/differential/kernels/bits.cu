// Bits: logic, shifts, fields, permutations and counts.
#include "ptx.h"
#include "suite.h"

ELEMENTWISE(bits_logic_32, std::uint32_t, std::uint32_t, 5) {
  r[0] = a & b;
  r[1] = a | b;
  r[2] = a ^ b;
  r[3] = ~a;
  r[4] = I32_1("cnot.b32", a);
}

ELEMENTWISE(bits_logic_64, std::uint64_t, std::uint64_t, 5) {
  r[0] = I64_2("and.b64", a, b);
  r[1] = I64_2("or.b64", a, b);
  r[2] = I64_2("xor.b64", a, b);
  r[3] = I64_1("not.b64", a);
  r[4] = I64_1("cnot.b64", a);
}

ELEMENTWISE(bits_lop3, std::uint32_t, std::uint32_t, 6) {
  asm("lop3.b32 %0, %1, %2, %3, 0xE8;" : "=r"(r[0]) : "r"(a), "r"(b), "r"(c));
  asm("lop3.b32 %0, %1, %2, %3, 0x96;" : "=r"(r[1]) : "r"(a), "r"(b), "r"(c));
  asm("lop3.b32 %0, %1, %2, %3, 0x1B;" : "=r"(r[2]) : "r"(a), "r"(b), "r"(c));
  asm("lop3.b32 %0, %1, %2, %3, 0xCA;" : "=r"(r[3]) : "r"(a), "r"(b), "r"(c));
  asm("lop3.b32 %0, %1, %2, %3, 0x40;" : "=r"(r[4]) : "r"(a), "r"(b), "r"(c));
  asm("lop3.b32 %0, %1, %2, %3, 0xFF;" : "=r"(r[5]) : "r"(a), "r"(b), "r"(c));
}

// Amounts beyond the width are clamped.
ELEMENTWISE(bits_shift_32, std::uint32_t, std::uint32_t, 3) {
  r[0] = I32_2("shl.b32", a, b);
  r[1] = I32_2("shr.u32", a, b);
  r[2] = I32_2("shr.s32", a, b);
}

ELEMENTWISE(bits_shift_64, std::uint64_t, std::uint64_t, 3) {
  const auto amount = static_cast<std::uint32_t>(b);
  r[0] = LOCKSTEP_PTX2(std::uint64_t, "l", "l", "r", "shl.b64", a, amount);
  r[1] = LOCKSTEP_PTX2(std::uint64_t, "l", "l", "r", "shr.u64", a, amount);
  r[2] = LOCKSTEP_PTX2(std::uint64_t, "l", "l", "r", "shr.s64", a, amount);
}

ELEMENTWISE(bits_funnel_shift, std::uint32_t, std::uint32_t, 4) {
  r[0] = I32_3("shf.l.wrap.b32", a, b, c);
  r[1] = I32_3("shf.l.clamp.b32", a, b, c);
  r[2] = I32_3("shf.r.wrap.b32", a, b, c);
  r[3] = I32_3("shf.r.clamp.b32", a, b, c);
}

ELEMENTWISE(bits_extract_32, std::uint32_t, std::uint32_t, 2) {
  r[0] = I32_3("bfe.u32", a, b, c);
  r[1] = I32_3("bfe.s32", a, b, c);
}

ELEMENTWISE(bits_extract_64, std::uint64_t, std::uint64_t, 2) {
  const auto position = static_cast<std::uint32_t>(b), length = static_cast<std::uint32_t>(c);
  r[0] = LOCKSTEP_PTX3(std::uint64_t, "l", "l", "r", "r", "bfe.u64", a, position, length);
  r[1] = LOCKSTEP_PTX3(std::uint64_t, "l", "l", "r", "r", "bfe.s64", a, position, length);
}

ELEMENTWISE(bits_extract_within, std::uint32_t, std::uint32_t, 2) {
  r[0] = I32_3("bfe.u32", a, b % 40, c % 40);
  r[1] = I32_3("bfe.s32", a, b % 40, c % 40);
}

ELEMENTWISE(bits_insert_32, std::uint32_t, std::uint32_t, 2) {
  asm("bfi.b32 %0, %1, %2, %3, %4;" : "=r"(r[0]) : "r"(a), "r"(b), "r"(c), "r"(a >> 3));
  asm("bfi.b32 %0, %1, %2, %3, %4;" : "=r"(r[1]) : "r"(a), "r"(b), "r"(c % 40), "r"(b % 40));
}

ELEMENTWISE(bits_insert_64, std::uint64_t, std::uint64_t, 2) {
  const auto position = static_cast<std::uint32_t>(c), length = static_cast<std::uint32_t>(b);
  asm("bfi.b64 %0, %1, %2, %3, %4;" : "=l"(r[0]) : "l"(a), "l"(b), "r"(position), "r"(length));
  asm("bfi.b64 %0, %1, %2, %3, %4;" : "=l"(r[1]) : "l"(a), "l"(b), "r"(position % 72), "r"(length % 72));
}

ELEMENTWISE(bits_mask, std::uint32_t, std::uint32_t, 4) {
  r[0] = I32_2("bmsk.clamp.b32", a, b);
  r[1] = I32_2("bmsk.wrap.b32", a, b);
  r[2] = I32_2("bmsk.clamp.b32", a % 40, b % 40);
  r[3] = I32_2("bmsk.wrap.b32", a % 40, b % 40);
}

ELEMENTWISE(bits_sign_extend, std::uint32_t, std::uint32_t, 4) {
  r[0] = I32_2("szext.clamp.s32", a, b);
  r[1] = I32_2("szext.clamp.u32", a, b);
  r[2] = I32_2("szext.wrap.s32", a, b);
  r[3] = I32_2("szext.wrap.u32", a, b);
}

ELEMENTWISE(bits_count_32, std::uint32_t, std::uint32_t, 7) {
  r[0] = I32_1("popc.b32", a);
  r[1] = I32_1("clz.b32", a);
  r[2] = I32_1("brev.b32", a);
  r[3] = I32_1("bfind.u32", a);
  r[4] = I32_1("bfind.s32", a);
  r[5] = I32_1("bfind.shiftamt.u32", a);
  r[6] = I32_1("bfind.shiftamt.s32", a);
}

ELEMENTWISE(bits_count_64, std::uint64_t, std::uint64_t, 7) {
  r[0] = I32_OF_I64("popc.b64", a);
  r[1] = I32_OF_I64("clz.b64", a);
  r[2] = I64_1("brev.b64", a);
  r[3] = I32_OF_I64("bfind.u64", a);
  r[4] = I32_OF_I64("bfind.s64", a);
  r[5] = I32_OF_I64("bfind.shiftamt.u64", a);
  r[6] = I32_OF_I64("bfind.shiftamt.s64", a);
}

ELEMENTWISE(bits_find_set, std::uint32_t, std::uint32_t, 3) {
  r[0] = __ffs(static_cast<int>(a));
  r[1] = __fns(a, b % 32, static_cast<int>(c % 9) - 4);
  r[2] = I32_3("fns.b32", a, b % 32, 1 + c % 5);
}

ELEMENTWISE(bits_permute, std::uint32_t, std::uint32_t, 7) {
  r[0] = I32_3("prmt.b32", a, b, c);
  r[1] = I32_3("prmt.b32.f4e", a, b, c);
  r[2] = I32_3("prmt.b32.b4e", a, b, c);
  r[3] = I32_3("prmt.b32.rc8", a, b, c);
  r[4] = I32_3("prmt.b32.ecl", a, b, c);
  r[5] = I32_3("prmt.b32.ecr", a, b, c);
  r[6] = I32_3("prmt.b32.rc16", a, b, c);
}

ELEMENTWISE(bits_funnel_intrinsics, std::uint32_t, std::uint32_t, 5) {
  r[0] = __funnelshift_l(a, b, c);
  r[1] = __funnelshift_rc(a, b, c);
  r[2] = __byte_perm(a, b, c);
  r[3] = a << (b & 31) | a >> (-b & 31);
  r[4] = __brev(a) ^ static_cast<std::uint32_t>(__clz(static_cast<int>(b)));
}
