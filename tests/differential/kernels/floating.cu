// f32 and f64 arithmetic: the same bits as IEEE 754 says, in every rounding.
#include "ptx.h"
#include "suite.h"

// One instruction in the four roundings.
#define ROUNDINGS(kind, operation, ...)     \
  r[0] = kind(operation ".rn" __VA_ARGS__); \
  r[1] = kind(operation ".rz" __VA_ARGS__); \
  r[2] = kind(operation ".rm" __VA_ARGS__); \
  r[3] = kind(operation ".rp" __VA_ARGS__)

ELEMENTWISE(float_add, float, float, 4) { ROUNDINGS(F32_2, "add", ".f32", a, b); }
ELEMENTWISE(float_add_flushed, float, float, 4) { ROUNDINGS(F32_2, "add", ".ftz.f32", a, b); }
ELEMENTWISE(float_add_saturated, float, float, 4) { ROUNDINGS(F32_2, "add", ".sat.f32", a, b); }
ELEMENTWISE(float_add_flushed_saturated, float, float, 4) { ROUNDINGS(F32_2, "add", ".ftz.sat.f32", a, b); }
ELEMENTWISE(float_subtract, float, float, 4) { ROUNDINGS(F32_2, "sub", ".f32", a, b); }
ELEMENTWISE(float_subtract_flushed, float, float, 4) { ROUNDINGS(F32_2, "sub", ".ftz.f32", a, b); }
ELEMENTWISE(float_multiply, float, float, 4) { ROUNDINGS(F32_2, "mul", ".f32", a, b); }
ELEMENTWISE(float_multiply_flushed, float, float, 4) { ROUNDINGS(F32_2, "mul", ".ftz.f32", a, b); }
ELEMENTWISE(float_multiply_saturated, float, float, 4) { ROUNDINGS(F32_2, "mul", ".sat.f32", a, b); }
ELEMENTWISE(float_fma, float, float, 4) { ROUNDINGS(F32_3, "fma", ".f32", a, b, c); }
ELEMENTWISE(float_fma_flushed, float, float, 4) { ROUNDINGS(F32_3, "fma", ".ftz.f32", a, b, c); }
ELEMENTWISE(float_fma_saturated, float, float, 4) { ROUNDINGS(F32_3, "fma", ".sat.f32", a, b, c); }
ELEMENTWISE(float_divide, float, float, 4) { ROUNDINGS(F32_2, "div", ".f32", a, b); }
ELEMENTWISE(float_divide_flushed, float, float, 4) { ROUNDINGS(F32_2, "div", ".ftz.f32", a, b); }
ELEMENTWISE(float_reciprocal, float, float, 4) { ROUNDINGS(F32_1, "rcp", ".f32", a); }
ELEMENTWISE(float_reciprocal_flushed, float, float, 4) { ROUNDINGS(F32_1, "rcp", ".ftz.f32", a); }
ELEMENTWISE(float_square_root, float, float, 4) { ROUNDINGS(F32_1, "sqrt", ".f32", a); }
ELEMENTWISE(float_square_root_flushed, float, float, 4) { ROUNDINGS(F32_1, "sqrt", ".ftz.f32", a); }

// Products between the greatest subnormal number and the least normal one: is it before or after rounding
// that .ftz asks?
ELEMENTWISE(float_multiply_flushed_border, float, float, 8) {
  const unsigned i = threadIdx.x + blockIdx.x * blockDim.x;
  const float above = 1 + static_cast<float>(i) * 0x1p-23F,
              below = (1 - static_cast<float>(i) * 0x1p-24F) * 0x1p-126F;
  ROUNDINGS(F32_2, "mul", ".ftz.f32", above, below);
  r[4] = F32_2("mul.rn.f32", above, below);
  r[5] = F32_3("fma.rn.ftz.f32", above, -below, static_cast<float>(i % 3) * 0x1p-126F);
  r[6] = F32_2("div.rn.ftz.f32", 0x1p-126F, above);
  r[7] = F32_1("rcp.rn.ftz.f32", above * 0x1p126F);
}

// ptxas may fuse a product and a sum that name no rounding; these it must not.
ELEMENTWISE(float_product_and_sum, float, float, 2) {
  r[0] = __fadd_rn(__fmul_rn(a, b), c);
  r[1] = __fmaf_rn(a, b, c);
}

ELEMENTWISE(float_extremes, float, float, 6) {
  r[0] = F32_2("min.f32", a, b);
  r[1] = F32_2("max.f32", a, b);
  r[2] = F32_2("min.ftz.f32", a, b);
  r[3] = F32_2("max.ftz.f32", a, b);
  r[4] = fminf(a, b);
  r[5] = fmaxf(a, b);
}

ELEMENTWISE(float_extremes_nan, float, float, 8) {
  r[0] = F32_2("min.NaN.f32", a, b);
  r[1] = F32_2("max.NaN.f32", a, b);
  r[2] = F32_2("min.ftz.NaN.f32", a, b);
  r[3] = F32_2("max.ftz.NaN.f32", a, b);
  r[4] = F32_2("min.xorsign.abs.f32", a, b);
  r[5] = F32_2("max.xorsign.abs.f32", a, b);
  r[6] = F32_2("min.NaN.xorsign.abs.f32", a, b);
  r[7] = F32_2("max.NaN.xorsign.abs.f32", a, b);
}

ELEMENTWISE(float_signs, float, float, 6) {
  r[0] = F32_1("abs.f32", a);
  r[1] = F32_1("neg.f32", a);
  r[2] = F32_1("abs.ftz.f32", a);
  r[3] = F32_1("neg.ftz.f32", a);
  r[4] = F32_2("copysign.f32", a, b);
  r[5] = copysignf(a, b);
}

ELEMENTWISE(double_add, double, double, 4) { ROUNDINGS(F64_2, "add", ".f64", a, b); }
ELEMENTWISE(double_subtract, double, double, 4) { ROUNDINGS(F64_2, "sub", ".f64", a, b); }
ELEMENTWISE(double_multiply, double, double, 4) { ROUNDINGS(F64_2, "mul", ".f64", a, b); }
ELEMENTWISE(double_fma, double, double, 4) { ROUNDINGS(F64_3, "fma", ".f64", a, b, c); }
ELEMENTWISE(double_divide, double, double, 4) { ROUNDINGS(F64_2, "div", ".f64", a, b); }
ELEMENTWISE(double_reciprocal, double, double, 4) { ROUNDINGS(F64_1, "rcp", ".f64", a); }
ELEMENTWISE(double_square_root, double, double, 4) { ROUNDINGS(F64_1, "sqrt", ".f64", a); }

ELEMENTWISE(double_extremes, double, double, 5) {
  r[0] = F64_2("min.f64", a, b);
  r[1] = F64_2("max.f64", a, b);
  r[2] = F64_1("abs.f64", a);
  r[3] = F64_1("neg.f64", a);
  r[4] = F64_2("copysign.f64", a, b);
}

// Functions that CUDA's library makes of exact operations.
ELEMENTWISE(float_whole_numbers, float, float, 6) {
  r[0] = floorf(a);
  r[1] = ceilf(a);
  r[2] = truncf(a);
  r[3] = rintf(a);
  r[4] = roundf(a);
  r[5] = fmodf(a, b);
}

ELEMENTWISE(double_whole_numbers, double, double, 6) {
  r[0] = floor(a);
  r[1] = ceil(a);
  r[2] = trunc(a);
  r[3] = rint(a);
  r[4] = round(a);
  r[5] = fmod(a, b);
}

ELEMENTWISE(float_parts, float, float, 5) {
  int exponent = 0;
  r[0] = frexpf(a, &exponent);
  r[1] = static_cast<float>(exponent);
  r[2] = ldexpf(a, static_cast<int>(threadIdx.x) - 64);
  r[3] = nextafterf(a, b);
  r[4] = remainderf(a, b);
}

ELEMENTWISE(double_fused_chain, double, double, 2) {
  double sum = c;
  for (int i = 0; i < 5; ++i) sum = fma(a, sum, b);
  r[0] = sum;
  r[1] = a * b + c * a;
}
