// Comparisons, selection and predicates.
#include "ptx.h"
#include "suite.h"

// A bit for each comparison that holds.
#define TEST(bit, comparison, x, y)                                                                     \
  ({                                                                                                    \
    std::uint32_t d;                                                                                    \
    asm("{.reg .pred p; setp." comparison " p, %1, %2; selp.u32 %0, 1, 0, p;}" : "=r"(d) : x(a), y(b)); \
    d << (bit);                                                                                         \
  })
#define TEST_ORDERED(kind, x)                                                          \
  (TEST(0, "eq." kind, x, x) | TEST(1, "ne." kind, x, x) | TEST(2, "lt." kind, x, x) | \
   TEST(3, "le." kind, x, x) | TEST(4, "gt." kind, x, x) | TEST(5, "ge." kind, x, x))
#define TEST_UNORDERED(kind, x)                                                             \
  (TEST(6, "equ." kind, x, x) | TEST(7, "neu." kind, x, x) | TEST(8, "ltu." kind, x, x) |   \
   TEST(9, "leu." kind, x, x) | TEST(10, "gtu." kind, x, x) | TEST(11, "geu." kind, x, x) | \
   TEST(12, "num." kind, x, x) | TEST(13, "nan." kind, x, x))

ELEMENTWISE(compare_float, float, std::uint32_t, 2) {
  r[0] = TEST_ORDERED("f32", "f") | TEST_UNORDERED("f32", "f");
  r[1] = TEST_ORDERED("ftz.f32", "f") | TEST_UNORDERED("ftz.f32", "f");
}
ELEMENTWISE(compare_double, double, std::uint32_t, 1) {
  r[0] = TEST_ORDERED("f64", "d") | TEST_UNORDERED("f64", "d");
}
ELEMENTWISE(compare_16, std::uint16_t, std::uint32_t, 2) {
  r[0] = TEST_ORDERED("s16", "h");
  r[1] = TEST_ORDERED("u16", "h");
}
ELEMENTWISE(compare_32, std::uint32_t, std::uint32_t, 2) {
  r[0] = TEST_ORDERED("s32", "r");
  r[1] = TEST_ORDERED("u32", "r") | TEST(6, "lo.u32", "r", "r") | TEST(7, "ls.u32", "r", "r") |
         TEST(8, "hi.u32", "r", "r") | TEST(9, "hs.u32", "r", "r") | TEST(10, "eq.b32", "r", "r");
}
ELEMENTWISE(compare_64, std::uint64_t, std::uint32_t, 2) {
  r[0] = TEST_ORDERED("s64", "l");
  r[1] = TEST_ORDERED("u64", "l");
}

ELEMENTWISE(compare_combined, std::uint32_t, std::uint32_t, 3) {
  asm("{.reg .pred p, q, s; setp.ne.u32 s, %3, 0; setp.lt.and.s32 p|q, %1, %2, s; selp.u32 %0, 1, 0, p; @q "
      "add.u32 %0, %0, 2;}"
      : "=&r"(r[0])
      : "r"(a), "r"(b), "r"(c & 1));
  asm("{.reg .pred p, q, s; setp.ne.u32 s, %3, 0; setp.lt.or.u32 p|q, %1, %2, s; selp.u32 %0, 1, 0, p; @q "
      "add.u32 %0, %0, 2;}"
      : "=&r"(r[1])
      : "r"(a), "r"(b), "r"(c & 1));
  asm("{.reg .pred p, q, s; setp.ne.u32 s, %3, 0; setp.ge.xor.s32 p|q, %1, %2, !s; selp.u32 %0, 1, 0, p; @q "
      "add.u32 %0, %0, 2;}"
      : "=&r"(r[2])
      : "r"(a), "r"(b), "r"(c & 1));
}

ELEMENTWISE(compare_set_float, float, std::uint32_t, 5) {
  r[0] = LOCKSTEP_PTX2(std::uint32_t, "r", "f", "f", "set.lt.u32.f32", a, b);
  r[1] = LOCKSTEP_PTX2(std::uint32_t, "r", "f", "f", "set.geu.s32.f32", a, b);
  r[2] = __float_as_uint(LOCKSTEP_PTX2(float, "f", "f", "f", "set.ne.f32.f32", a, b));
  r[3] = LOCKSTEP_PTX2(std::uint32_t, "r", "f", "f", "set.nan.u32.f32", a, b);
  r[4] = LOCKSTEP_PTX2(std::uint32_t, "r", "f", "f", "set.eq.ftz.u32.f32", a, b);
}
ELEMENTWISE(compare_set_integer, std::uint32_t, std::uint32_t, 3) {
  r[0] = I32_2("set.lt.u32.s32", a, b);
  r[1] = I32_2("set.hi.u32.u32", a, b);
  r[2] = __float_as_uint(LOCKSTEP_PTX2(float, "f", "r", "r", "set.eq.f32.u32", a, b));
}
ELEMENTWISE(compare_select, std::uint32_t, std::uint32_t, 4) {
  r[0] = I32_3("slct.u32.s32", a, b, c);
  r[1] = LOCKSTEP_PTX3(std::uint32_t, "r", "r", "r", "f", "slct.u32.f32", a, b, __uint_as_float(c));
  r[2] = LOCKSTEP_PTX3(std::uint32_t, "r", "r", "r", "f", "slct.ftz.u32.f32", a, b, __uint_as_float(c));
  r[3] = (c & 4) != 0 ? a : b;
}
ELEMENTWISE(compare_select_wide, std::uint64_t, std::uint64_t, 2) {
  r[0] =
      LOCKSTEP_PTX3(std::uint64_t, "l", "l", "l", "r", "slct.u64.s32", a, b, static_cast<std::uint32_t>(c));
  r[1] = static_cast<long long>(a) < static_cast<long long>(b) ? a : c;
}
#define KIND(bit, kind, x)                                                               \
  ({                                                                                     \
    std::uint32_t d;                                                                     \
    asm("{.reg .pred p; testp." kind " p, %1; selp.u32 %0, 1, 0, p;}" : "=r"(d) : x(a)); \
    d << (bit);                                                                          \
  })
ELEMENTWISE(compare_kinds_float, float, std::uint32_t, 1) {
  r[0] = KIND(0, "finite.f32", "f") | KIND(1, "infinite.f32", "f") | KIND(2, "number.f32", "f") |
         KIND(3, "notanumber.f32", "f") | KIND(4, "normal.f32", "f") | KIND(5, "subnormal.f32", "f");
}
ELEMENTWISE(compare_kinds_double, double, std::uint32_t, 1) {
  r[0] = KIND(0, "finite.f64", "d") | KIND(1, "infinite.f64", "d") | KIND(2, "number.f64", "d") |
         KIND(3, "notanumber.f64", "d") | KIND(4, "normal.f64", "d") | KIND(5, "subnormal.f64", "d");
}
ELEMENTWISE(compare_predicate_logic, std::uint32_t, std::uint32_t, 4) {
  asm("{.reg .pred p, q, t; setp.lt.u32 p, %1, %2; setp.lt.s32 q, %1, %2; and.pred t, p, q; selp.u32 %0, 1, "
      "0, t;}"
      : "=r"(r[0])
      : "r"(a), "r"(b));
  asm("{.reg .pred p, q, t; setp.lt.u32 p, %1, %2; setp.lt.s32 q, %1, %2; or.pred t, p, q; selp.u32 %0, 1, "
      "0, t;}"
      : "=r"(r[1])
      : "r"(a), "r"(b));
  asm("{.reg .pred p, q, t; setp.lt.u32 p, %1, %2; setp.lt.s32 q, %1, %2; xor.pred t, p, q; selp.u32 %0, 1, "
      "0, t;}"
      : "=r"(r[2])
      : "r"(a), "r"(b));
  asm("{.reg .pred p, t; setp.lt.u32 p, %1, %2; not.pred t, p; selp.u32 %0, %1, %2, t;}"
      : "=r"(r[3])
      : "r"(a), "r"(b));
}
ELEMENTWISE(compare_half, __half2, std::uint32_t, 3) {
  const auto x = reinterpret_cast<std::uint32_t&>(a), y = reinterpret_cast<std::uint32_t&>(b);
  asm("{.reg .pred p, q; setp.lt.f16x2 p|q, %1, %2; selp.u32 %0, 1, 0, p; @q add.u32 %0, %0, 2;}"
      : "=&r"(r[0])
      : "r"(x), "r"(y));
  asm("{.reg .pred p, q; setp.geu.f16x2 p|q, %1, %2; selp.u32 %0, 1, 0, p; @q add.u32 %0, %0, 2;}"
      : "=&r"(r[1])
      : "r"(x), "r"(y));
  asm("{.reg .pred p, q; setp.ne.ftz.f16x2 p|q, %1, %2; selp.u32 %0, 1, 0, p; @q add.u32 %0, %0, 2;}"
      : "=&r"(r[2])
      : "r"(x), "r"(y));
}
ELEMENTWISE(compare_half_sets, __half2, std::uint32_t, 6) {
  r[0] = __heq2_mask(a, b);
  r[1] = __hltu2_mask(a, b);
  r[2] = __hgt2_mask(a, b);
  const __half2 greater = __hgeu2(a, b), unequal = __hne2(a, b), none = __hisnan2(a);
  r[3] = reinterpret_cast<const std::uint32_t&>(greater);
  r[4] = reinterpret_cast<const std::uint32_t&>(unequal);
  r[5] = reinterpret_cast<const std::uint32_t&>(none);
}
ELEMENTWISE(compare_bfloat_sets, __nv_bfloat162, std::uint32_t, 4) {
  r[0] = __heq2_mask(a, b);
  r[1] = __hleu2_mask(a, b);
  const __nv_bfloat162 less = __hlt2(a, b), none = __hisnan2(b);
  r[2] = reinterpret_cast<const std::uint32_t&>(less);
  r[3] = reinterpret_cast<const std::uint32_t&>(none);
}
