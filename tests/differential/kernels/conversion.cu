// Conversions between all types, in all roundings.
#include <cuda_fp8.h>

#include "ptx.h"
#include "suite.h"

// One conversion in the four ways to round to a whole number.
#define WHOLE_ROUNDINGS(first, Result, result, operand, flush, to, from)         \
  r[(first) + 0] = CONVERT(Result, result, operand, "cvt.rni" flush to from, a); \
  r[(first) + 1] = CONVERT(Result, result, operand, "cvt.rzi" flush to from, a); \
  r[(first) + 2] = CONVERT(Result, result, operand, "cvt.rmi" flush to from, a); \
  r[(first) + 3] = CONVERT(Result, result, operand, "cvt.rpi" flush to from, a)
// And to a floating-point number.
#define ROUNDINGS(first, Result, result, operand, types, value)             \
  r[(first) + 0] = CONVERT(Result, result, operand, "cvt.rn" types, value); \
  r[(first) + 1] = CONVERT(Result, result, operand, "cvt.rz" types, value); \
  r[(first) + 2] = CONVERT(Result, result, operand, "cvt.rm" types, value); \
  r[(first) + 3] = CONVERT(Result, result, operand, "cvt.rp" types, value)

namespace {

__device__ std::uint16_t bits(__half value) { return __half_as_ushort(value); }
__device__ std::uint16_t bits(__nv_bfloat16 value) { return __bfloat16_as_ushort(value); }

}  // namespace

ELEMENTWISE(convert_float_to_32, float, std::uint32_t, 8) {
  WHOLE_ROUNDINGS(0, std::uint32_t, "r", "f", "", ".s32", ".f32");
  WHOLE_ROUNDINGS(4, std::uint32_t, "r", "f", "", ".u32", ".f32");
}
ELEMENTWISE(convert_float_to_32_flushed, float, std::uint32_t, 8) {
  WHOLE_ROUNDINGS(0, std::uint32_t, "r", "f", ".ftz", ".s32", ".f32");
  WHOLE_ROUNDINGS(4, std::uint32_t, "r", "f", ".ftz", ".u32", ".f32");
}
ELEMENTWISE(convert_float_to_64, float, std::uint64_t, 8) {
  WHOLE_ROUNDINGS(0, std::uint64_t, "l", "f", "", ".s64", ".f32");
  WHOLE_ROUNDINGS(4, std::uint64_t, "l", "f", "", ".u64", ".f32");
}
ELEMENTWISE(convert_float_to_16, float, std::uint16_t, 8) {
  WHOLE_ROUNDINGS(0, std::uint16_t, "h", "f", "", ".s16", ".f32");
  WHOLE_ROUNDINGS(4, std::uint16_t, "h", "f", "", ".u16", ".f32");
}
ELEMENTWISE(convert_float_to_8, float, std::uint32_t, 8) {
  WHOLE_ROUNDINGS(0, std::uint32_t, "r", "f", "", ".s8", ".f32");
  WHOLE_ROUNDINGS(4, std::uint32_t, "r", "f", "", ".u8", ".f32");
}
ELEMENTWISE(convert_double_to_32, double, std::uint32_t, 8) {
  WHOLE_ROUNDINGS(0, std::uint32_t, "r", "d", "", ".s32", ".f64");
  WHOLE_ROUNDINGS(4, std::uint32_t, "r", "d", "", ".u32", ".f64");
}
ELEMENTWISE(convert_double_to_64, double, std::uint64_t, 8) {
  WHOLE_ROUNDINGS(0, std::uint64_t, "l", "d", "", ".s64", ".f64");
  WHOLE_ROUNDINGS(4, std::uint64_t, "l", "d", "", ".u64", ".f64");
}
ELEMENTWISE(convert_double_to_16, double, std::uint16_t, 8) {
  WHOLE_ROUNDINGS(0, std::uint16_t, "h", "d", "", ".s16", ".f64");
  WHOLE_ROUNDINGS(4, std::uint16_t, "h", "d", "", ".u16", ".f64");
}
ELEMENTWISE(convert_double_to_8, double, std::uint32_t, 8) {
  WHOLE_ROUNDINGS(0, std::uint32_t, "r", "d", "", ".s8", ".f64");
  WHOLE_ROUNDINGS(4, std::uint32_t, "r", "d", "", ".u8", ".f64");
}
ELEMENTWISE(convert_half_to_32, __half, std::uint32_t, 8) {
  const std::uint16_t half = bits(a);
  r[0] = CONVERT(std::uint32_t, "r", "h", "cvt.rni.s32.f16", half);
  r[1] = CONVERT(std::uint32_t, "r", "h", "cvt.rzi.s32.f16", half);
  r[2] = CONVERT(std::uint32_t, "r", "h", "cvt.rmi.s32.f16", half);
  r[3] = CONVERT(std::uint32_t, "r", "h", "cvt.rpi.s32.f16", half);
  r[4] = CONVERT(std::uint32_t, "r", "h", "cvt.rni.u32.f16", half);
  r[5] = CONVERT(std::uint32_t, "r", "h", "cvt.rzi.u32.f16", half);
  r[6] = CONVERT(std::uint32_t, "r", "h", "cvt.rmi.u32.f16", half);
  r[7] = CONVERT(std::uint32_t, "r", "h", "cvt.rpi.u32.f16", half);
}
ELEMENTWISE(convert_half_to_16_and_64, __half, std::uint64_t, 6) {
  const std::uint16_t half = bits(a);
  r[0] = CONVERT(std::uint16_t, "h", "h", "cvt.rni.s16.f16", half);
  r[1] = CONVERT(std::uint16_t, "h", "h", "cvt.rzi.u16.f16", half);
  r[2] = CONVERT(std::uint64_t, "l", "h", "cvt.rmi.s64.f16", half);
  r[3] = CONVERT(std::uint64_t, "l", "h", "cvt.rpi.u64.f16", half);
  r[4] = CONVERT(std::uint16_t, "h", "h", "cvt.rzi.s8.f16", half);
  r[5] = CONVERT(std::uint16_t, "h", "h", "cvt.rni.u8.f16", half);
}
ELEMENTWISE(convert_bfloat_to_integers, __nv_bfloat16, std::uint64_t, 6) {
  const std::uint16_t value = bits(a);
  r[0] = CONVERT(std::uint32_t, "r", "h", "cvt.rni.s32.bf16", value);
  r[1] = CONVERT(std::uint32_t, "r", "h", "cvt.rzi.u32.bf16", value);
  r[2] = CONVERT(std::uint64_t, "l", "h", "cvt.rmi.s64.bf16", value);
  r[3] = CONVERT(std::uint64_t, "l", "h", "cvt.rpi.u64.bf16", value);
  r[4] = CONVERT(std::uint16_t, "h", "h", "cvt.rzi.s16.bf16", value);
  r[5] = CONVERT(std::uint16_t, "h", "h", "cvt.rni.u16.bf16", value);
}

ELEMENTWISE(convert_32_to_float, std::uint32_t, float, 8) {
  ROUNDINGS(0, float, "f", "r", ".f32.s32", a);
  ROUNDINGS(4, float, "f", "r", ".f32.u32", a);
}
ELEMENTWISE(convert_64_to_float, std::uint64_t, float, 8) {
  ROUNDINGS(0, float, "f", "l", ".f32.s64", a);
  ROUNDINGS(4, float, "f", "l", ".f32.u64", a);
}
ELEMENTWISE(convert_64_to_double, std::uint64_t, double, 8) {
  ROUNDINGS(0, double, "d", "l", ".f64.s64", a);
  ROUNDINGS(4, double, "d", "l", ".f64.u64", a);
}
ELEMENTWISE(convert_narrow_to_float, std::uint32_t, float, 7) {
  const auto half = static_cast<std::uint16_t>(a);
  r[0] = CONVERT(float, "f", "h", "cvt.rn.f32.s16", half);
  r[1] = CONVERT(float, "f", "h", "cvt.rn.f32.u16", half);
  r[2] = CONVERT(float, "f", "r", "cvt.rn.f32.s8", a);
  r[3] = CONVERT(float, "f", "r", "cvt.rn.f32.u8", a);
  r[4] = CONVERT(float, "f", "r", "cvt.rn.sat.f32.s32", a);
  r[5] = static_cast<float>(CONVERT(double, "d", "r", "cvt.rn.f64.s32", a));
  r[6] = static_cast<float>(CONVERT(double, "d", "r", "cvt.rn.f64.u32", a));
}
ELEMENTWISE(convert_32_to_half, std::uint32_t, std::uint16_t, 8) {
  ROUNDINGS(0, std::uint16_t, "h", "r", ".f16.s32", a);
  ROUNDINGS(4, std::uint16_t, "h", "r", ".f16.u32", a);
}
ELEMENTWISE(convert_64_to_half, std::uint64_t, std::uint16_t, 8) {
  ROUNDINGS(0, std::uint16_t, "h", "l", ".f16.s64", a);
  ROUNDINGS(4, std::uint16_t, "h", "l", ".f16.u64", a);
}
ELEMENTWISE(convert_16_to_half, std::uint16_t, std::uint16_t, 8) {
  ROUNDINGS(0, std::uint16_t, "h", "h", ".f16.s16", a);
  ROUNDINGS(4, std::uint16_t, "h", "h", ".f16.u16", a);
}
ELEMENTWISE(convert_integers_to_bfloat, std::uint64_t, std::uint16_t, 8) {
  ROUNDINGS(0, std::uint16_t, "h", "r", ".bf16.s32", static_cast<std::uint32_t>(a));
  ROUNDINGS(4, std::uint16_t, "h", "l", ".bf16.u64", a);
}

ELEMENTWISE(convert_double_to_float, double, float, 8) {
  ROUNDINGS(0, float, "f", "d", ".f32.f64", a);
  ROUNDINGS(4, float, "f", "d", ".ftz.f32.f64", a);
}
ELEMENTWISE(convert_float_to_double, float, double, 3) {
  r[0] = CONVERT(double, "d", "f", "cvt.f64.f32", a);
  r[1] = CONVERT(double, "d", "f", "cvt.ftz.f64.f32", a);
  r[2] = CONVERT(double, "d", "f", "cvt.sat.f64.f32", a);
}
ELEMENTWISE(convert_float_saturated, float, float, 4) {
  r[0] = CONVERT(float, "f", "f", "cvt.sat.f32.f32", a);
  r[1] = CONVERT(float, "f", "f", "cvt.ftz.sat.f32.f32", a);
  r[2] = CONVERT(float, "f", "f", "cvt.rni.sat.f32.f32", a);
  r[3] = CONVERT(float, "f", "f", "cvt.ftz.f32.f32", a);
}
ELEMENTWISE(convert_double_saturated, double, double, 2) {
  r[0] = CONVERT(double, "d", "d", "cvt.sat.f64.f64", a);
  r[1] = CONVERT(double, "d", "d", "cvt.rni.sat.f64.f64", a);
}
ELEMENTWISE(convert_float_to_whole, float, float, 8) {
  WHOLE_ROUNDINGS(0, float, "f", "f", "", ".f32", ".f32");
  WHOLE_ROUNDINGS(4, float, "f", "f", ".ftz", ".f32", ".f32");
}
ELEMENTWISE(convert_double_to_whole, double, double, 4) {
  WHOLE_ROUNDINGS(0, double, "d", "d", "", ".f64", ".f64");
}

ELEMENTWISE(convert_float_to_half, float, std::uint16_t, 6) {
  r[0] = CONVERT(std::uint16_t, "h", "f", "cvt.rn.f16.f32", a);
  r[1] = CONVERT(std::uint16_t, "h", "f", "cvt.rz.f16.f32", a);
  r[2] = CONVERT(std::uint16_t, "h", "f", "cvt.rm.f16.f32", a);
  r[3] = CONVERT(std::uint16_t, "h", "f", "cvt.rp.f16.f32", a);
  r[4] = CONVERT(std::uint16_t, "h", "f", "cvt.rn.ftz.f16.f32", a);
  r[5] = CONVERT(std::uint16_t, "h", "f", "cvt.rn.sat.f16.f32", a);
}
ELEMENTWISE(convert_float_to_bfloat, float, std::uint16_t, 5) {
  r[0] = CONVERT(std::uint16_t, "h", "f", "cvt.rn.bf16.f32", a);
  r[1] = CONVERT(std::uint16_t, "h", "f", "cvt.rz.bf16.f32", a);
  r[2] = CONVERT(std::uint16_t, "h", "f", "cvt.rn.relu.bf16.f32", a);
  r[3] = CONVERT(std::uint16_t, "h", "f", "cvt.rz.relu.bf16.f32", a);
  r[4] = CONVERT(std::uint16_t, "h", "f", "cvt.rn.relu.f16.f32", a);
}
ELEMENTWISE(convert_float_to_pairs, float, std::uint32_t, 6) {
  r[0] = LOCKSTEP_PTX2(std::uint32_t, "r", "f", "f", "cvt.rn.f16x2.f32", a, b);
  r[1] = LOCKSTEP_PTX2(std::uint32_t, "r", "f", "f", "cvt.rz.f16x2.f32", a, b);
  r[2] = LOCKSTEP_PTX2(std::uint32_t, "r", "f", "f", "cvt.rn.relu.f16x2.f32", a, b);
  r[3] = LOCKSTEP_PTX2(std::uint32_t, "r", "f", "f", "cvt.rn.bf16x2.f32", a, b);
  r[4] = LOCKSTEP_PTX2(std::uint32_t, "r", "f", "f", "cvt.rz.bf16x2.f32", a, b);
  r[5] = LOCKSTEP_PTX2(std::uint32_t, "r", "f", "f", "cvt.rz.relu.bf16x2.f32", a, b);
}
ELEMENTWISE(convert_float_to_tf32, float, std::uint32_t, 5) {
  r[0] = CONVERT(std::uint32_t, "r", "f", "cvt.rna.tf32.f32", a);
  r[1] = CONVERT(std::uint32_t, "r", "f", "cvt.rn.tf32.f32", a);
  r[2] = CONVERT(std::uint32_t, "r", "f", "cvt.rz.tf32.f32", a);
  r[3] = CONVERT(std::uint32_t, "r", "f", "cvt.rn.relu.tf32.f32", a);
  r[4] = CONVERT(std::uint32_t, "r", "f", "cvt.rz.relu.tf32.f32", a);
}
ELEMENTWISE(convert_float_to_float8, float, std::uint16_t, 4) {
  r[0] = LOCKSTEP_PTX2(std::uint16_t, "h", "f", "f", "cvt.rn.satfinite.e4m3x2.f32", a, b);
  r[1] = LOCKSTEP_PTX2(std::uint16_t, "h", "f", "f", "cvt.rn.satfinite.e5m2x2.f32", a, b);
  r[2] = LOCKSTEP_PTX2(std::uint16_t, "h", "f", "f", "cvt.rn.satfinite.relu.e4m3x2.f32", a, b);
  r[3] = LOCKSTEP_PTX2(std::uint16_t, "h", "f", "f", "cvt.rn.satfinite.relu.e5m2x2.f32", a, b);
}
ELEMENTWISE(convert_half_to_float8, __half2, std::uint16_t, 4) {
  const auto pair = reinterpret_cast<std::uint32_t&>(a);
  r[0] = CONVERT(std::uint16_t, "h", "r", "cvt.rn.satfinite.e4m3x2.f16x2", pair);
  r[1] = CONVERT(std::uint16_t, "h", "r", "cvt.rn.satfinite.e5m2x2.f16x2", pair);
  r[2] = CONVERT(std::uint16_t, "h", "r", "cvt.rn.satfinite.relu.e4m3x2.f16x2", pair);
  r[3] = CONVERT(std::uint16_t, "h", "r", "cvt.rn.satfinite.relu.e5m2x2.f16x2", pair);
}
ELEMENTWISE(convert_float8_to_half, std::uint16_t, std::uint32_t, 4) {
  // Every code once, in both places.
  const auto pair =
      static_cast<std::uint16_t>((blockIdx.x * blockDim.x + threadIdx.x) * 0x0101 + (a & 0xFF00));
  r[0] = CONVERT(std::uint32_t, "r", "h", "cvt.rn.f16x2.e4m3x2", pair);
  r[1] = CONVERT(std::uint32_t, "r", "h", "cvt.rn.f16x2.e5m2x2", pair);
  r[2] = CONVERT(std::uint32_t, "r", "h", "cvt.rn.relu.f16x2.e4m3x2", pair);
  r[3] = CONVERT(std::uint32_t, "r", "h", "cvt.rn.relu.f16x2.e5m2x2", pair);
}
ELEMENTWISE(convert_half_to_wider, __half, std::uint64_t, 4) {
  const std::uint16_t half = bits(a);
  r[0] = __float_as_uint(CONVERT(float, "f", "h", "cvt.f32.f16", half));
  r[1] = __float_as_uint(CONVERT(float, "f", "h", "cvt.ftz.f32.f16", half));
  r[2] = static_cast<std::uint64_t>(__double_as_longlong(CONVERT(double, "d", "h", "cvt.f64.f16", half)));
  r[3] = __float_as_uint(CONVERT(float, "f", "h", "cvt.sat.f32.f16", half));
}
ELEMENTWISE(convert_half_to_whole, __half, std::uint16_t, 4) {
  const std::uint16_t half = bits(a);
  r[0] = CONVERT(std::uint16_t, "h", "h", "cvt.rni.f16.f16", half);
  r[1] = CONVERT(std::uint16_t, "h", "h", "cvt.rzi.f16.f16", half);
  r[2] = CONVERT(std::uint16_t, "h", "h", "cvt.rmi.f16.f16", half);
  r[3] = CONVERT(std::uint16_t, "h", "h", "cvt.rpi.f16.f16", half);
}
ELEMENTWISE(convert_bfloat_to_wider, __nv_bfloat16, std::uint32_t, 2) {
  r[0] = __float_as_uint(CONVERT(float, "f", "h", "cvt.f32.bf16", bits(a)));
  r[1] = __float_as_uint(__bfloat162float(a));
}
ELEMENTWISE(convert_double_to_half, double, std::uint16_t, 4) {
  ROUNDINGS(0, std::uint16_t, "h", "d", ".f16.f64", a);
}

ELEMENTWISE(convert_integers_narrowed, std::uint64_t, std::uint64_t, 8) {
  const auto low = static_cast<std::uint32_t>(a);
  r[0] = CONVERT(std::uint32_t, "r", "l", "cvt.sat.s32.s64", a);
  r[1] = CONVERT(std::uint32_t, "r", "l", "cvt.sat.u32.u64", a);
  r[2] = CONVERT(std::uint32_t, "r", "l", "cvt.sat.u32.s64", a);
  r[3] = CONVERT(std::uint16_t, "h", "r", "cvt.sat.s16.s32", low);
  r[4] = CONVERT(std::uint16_t, "h", "r", "cvt.sat.u16.s32", low);
  r[5] = CONVERT(std::uint16_t, "h", "l", "cvt.u16.u64", a);
  r[6] = CONVERT(std::uint32_t, "r", "r", "cvt.sat.s8.s32", low);
  r[7] = CONVERT(std::uint32_t, "r", "r", "cvt.sat.u8.s32", low);
}
ELEMENTWISE(convert_integers_widened, std::uint32_t, std::uint64_t, 6) {
  const auto half = static_cast<std::uint16_t>(a);
  r[0] = CONVERT(std::uint64_t, "l", "r", "cvt.s64.s32", a);
  r[1] = CONVERT(std::uint64_t, "l", "r", "cvt.u64.u32", a);
  r[2] = CONVERT(std::uint64_t, "l", "h", "cvt.s64.s16", half);
  r[3] = CONVERT(std::uint32_t, "r", "r", "cvt.s32.s8", a);
  r[4] = CONVERT(std::uint32_t, "r", "h", "cvt.s32.s16", half);
  r[5] = CONVERT(std::uint64_t, "l", "r", "cvt.u64.u8", a);
}
ELEMENTWISE(convert_cpp_casts, float, std::uint32_t, 8) {
  r[0] = static_cast<std::uint32_t>(__float2int_rn(a));
  r[1] = __float2uint_ru(a);
  r[2] = static_cast<std::uint32_t>(__float2ll_rd(a));
  r[3] = __float_as_uint(__double2float_rn(static_cast<double>(a) * 1.000000059));
  r[4] = static_cast<std::uint32_t>(__double2hiint(static_cast<double>(a)));
  r[5] = static_cast<std::uint32_t>(__half_as_ushort(__float2half_rn(a)));
  r[6] = static_cast<std::uint32_t>(__nv_cvt_float_to_fp8(a, __NV_SATFINITE, __NV_E4M3));
  r[7] = static_cast<std::uint32_t>(__nv_cvt_float_to_fp8(a, __NV_NOSAT, __NV_E5M2));
}
