// f16 and bf16 arithmetic, in pairs: the edge cases stand in both places.
#include "ptx.h"
#include "suite.h"

#define PAIRS                                                                                  \
  const auto x = reinterpret_cast<std::uint32_t&>(a), y = reinterpret_cast<std::uint32_t&>(b), \
             z = reinterpret_cast<std::uint32_t&>(c);                                          \
  static_cast<void>(y);                                                                        \
  static_cast<void>(z)

ELEMENTWISE(half_add, __half2, std::uint32_t, 4) {
  PAIRS;
  r[0] = I32_2("add.rn.f16x2", x, y);
  r[1] = I32_2("add.rn.ftz.f16x2", x, y);
  r[2] = I32_2("add.rn.sat.f16x2", x, y);
  r[3] = I32_2("sub.rn.f16x2", x, y);
}
ELEMENTWISE(half_multiply, __half2, std::uint32_t, 4) {
  PAIRS;
  r[0] = I32_2("mul.rn.f16x2", x, y);
  r[1] = I32_2("mul.rn.ftz.f16x2", x, y);
  r[2] = I32_2("mul.rn.sat.f16x2", x, y);
  r[3] = I32_2("sub.rn.ftz.sat.f16x2", x, y);
}
ELEMENTWISE(half_fma, __half2, std::uint32_t, 4) {
  PAIRS;
  r[0] = I32_3("fma.rn.f16x2", x, y, z);
  r[1] = I32_3("fma.rn.ftz.f16x2", x, y, z);
  r[2] = I32_3("fma.rn.sat.f16x2", x, y, z);
  r[3] = I32_3("fma.rn.relu.f16x2", x, y, z);
}
ELEMENTWISE(half_scalar, __half, std::uint16_t, 6) {
  const std::uint16_t x = __half_as_ushort(a), y = __half_as_ushort(b), z = __half_as_ushort(c);
  r[0] = H16_2("add.f16", x, y);
  r[1] = H16_2("sub.ftz.f16", x, y);
  r[2] = H16_2("mul.sat.f16", x, y);
  r[3] = H16_3("fma.rn.f16", x, y, z);
  r[4] = H16_1("neg.f16", x);
  r[5] = H16_1("abs.f16", x);
}
ELEMENTWISE(half_extremes, __half2, std::uint32_t, 7) {
  PAIRS;
  r[0] = I32_2("min.f16x2", x, y);
  r[1] = I32_2("max.f16x2", x, y);
  r[2] = I32_2("min.NaN.f16x2", x, y);
  r[3] = I32_2("max.NaN.f16x2", x, y);
  r[4] = I32_2("max.ftz.f16x2", x, y);
  r[5] = I32_2("min.xorsign.abs.f16x2", x, y);
  r[6] = I32_2("max.NaN.xorsign.abs.f16x2", x, y);
}
ELEMENTWISE(half_signs, __half2, std::uint32_t, 4) {
  PAIRS;
  r[0] = I32_1("neg.f16x2", x);
  r[1] = I32_1("abs.f16x2", x);
  r[2] = I32_1("neg.ftz.f16x2", x);
  r[3] = I32_1("abs.ftz.f16x2", x);
}
ELEMENTWISE(half_quotients, __half, std::uint16_t, 4) {
  r[0] = __half_as_ushort(__hadd_sat(a, b));
  r[1] = __half_as_ushort(__hmul_rn(a, b));
  r[2] = __half_as_ushort(hfloor(a));
  r[3] = __half_as_ushort(hrint(a));
}
ELEMENTWISE(bfloat_add, __nv_bfloat162, std::uint32_t, 3) {
  PAIRS;
  r[0] = I32_2("add.rn.bf16x2", x, y);
  r[1] = I32_2("sub.rn.bf16x2", x, y);
  r[2] = I32_2("mul.rn.bf16x2", x, y);
}
ELEMENTWISE(bfloat_fma, __nv_bfloat162, std::uint32_t, 2) {
  PAIRS;
  r[0] = I32_3("fma.rn.bf16x2", x, y, z);
  r[1] = I32_3("fma.rn.relu.bf16x2", x, y, z);
}
ELEMENTWISE(bfloat_scalar, __nv_bfloat16, std::uint16_t, 6) {
  const std::uint16_t x = __bfloat16_as_ushort(a), y = __bfloat16_as_ushort(b), z = __bfloat16_as_ushort(c);
  r[0] = H16_2("add.bf16", x, y);
  r[1] = H16_2("sub.bf16", x, y);
  r[2] = H16_2("mul.bf16", x, y);
  r[3] = H16_3("fma.rn.bf16", x, y, z);
  r[4] = H16_1("neg.bf16", x);
  r[5] = H16_1("abs.bf16", x);
}
ELEMENTWISE(bfloat_extremes, __nv_bfloat162, std::uint32_t, 6) {
  PAIRS;
  r[0] = I32_2("min.bf16x2", x, y);
  r[1] = I32_2("max.bf16x2", x, y);
  r[2] = I32_2("min.NaN.bf16x2", x, y);
  r[3] = I32_2("max.NaN.bf16x2", x, y);
  r[4] = I32_2("max.xorsign.abs.bf16x2", x, y);
  r[5] = I32_2("min.NaN.xorsign.abs.bf16x2", x, y);
}
ELEMENTWISE(bfloat_signs, __nv_bfloat162, std::uint32_t, 2) {
  PAIRS;
  r[0] = I32_1("neg.bf16x2", x);
  r[1] = I32_1("abs.bf16x2", x);
}
ELEMENTWISE(bfloat_intrinsics, __nv_bfloat162, std::uint32_t, 5) {
  const __nv_bfloat162 results[] = {__hadd2(a, b), __hmul2(a, b), __hfma2(a, b, c), __hmin2_nan(a, b),
                                    __hsub2_sat(a, b)};
  for (int k = 0; k < 5; ++k) r[k] = reinterpret_cast<const std::uint32_t&>(results[k]);
}
ELEMENTWISE(half_intrinsics, __half2, std::uint32_t, 6) {
  const __half2 results[] = {__hadd2(a, b),     __hmul2(a, b),        __hfma2_relu(a, b, c),
                             __hmax2_nan(a, b), __lowhigh2highlow(a), __hfma2_sat(a, b, c)};
  for (int k = 0; k < 6; ++k) r[k] = reinterpret_cast<const std::uint32_t&>(results[k]);
}
