// Approximate functions, within the bounds that the PTX ISA gives for each (chapter 9.7.3), against the C
// library's functions of double: their own error is less than 2^-28 of these bounds.
#include <algorithm>
#include <cmath>

#include "ptx.h"
#include "suite.h"

namespace {

constexpr double kLeastNormal = 0x1p-126, kGreatest = 0x1.FFFFFEp127;
// Of rsqrt, and of sin and cos: 2^-20.5 in [−2π, 2π] and 2^-14.7 in [−100π, 100π].
const double kRootBound = std::exp2(-22.9), kNarrowBound = std::exp2(-20.5), kWideBound = std::exp2(-14.7);

/// |result − exact| in units of `bound`. What is not finite, or zero, is compared bit by bit with the GPU;
/// here it must be of the same kind.
double distance(double exact, double result, double bound) {
  if (std::isnan(exact)) return std::isnan(result) ? 0 : HUGE_VAL;
  if (std::fabs(exact) > kGreatest)
    return std::isinf(result) || std::fabs(result) == kGreatest ? 0 : HUGE_VAL;
  return std::fabs(result - exact) / bound;
}
double relative(double exact, double result, double bound) {
  return exact == 0 || exact == result ? distance(exact, result, 0x1p-149)
                                       : distance(exact, result, std::fabs(exact) * bound);
}
/// The distance between the floats round `exact`.
double ulp(double exact) {
  int exponent = 0;
  std::frexp(exact, &exponent);
  return std::ldexp(1.0, std::max(exponent - 24, -149));
}
double ulps(double exact, double result, double n) {
  return exact == result ? 0 : distance(exact, result, n * ulp(exact));
}
double flushed(double value) { return std::fabs(value) < kLeastNormal ? std::copysign(0.0, value) : value; }
/// The same where subnormal operands and results are zero; a result at the border may be either.
double ulps_flushed(double exact, double result, double n) {
  if (std::fabs(exact) < kLeastNormal * (1 + 0x1p-20) && result == 0) return 0;
  return ulps(exact, result, n);
}

double reciprocal(double a, double, double result) { return ulps(1 / a, result, 1); }
double reciprocal_flushed(double a, double, double result) { return ulps_flushed(1 / flushed(a), result, 1); }
double root(double a, double, double result) { return relative(std::sqrt(a), result, 0x1p-23); }
double root_flushed(double a, double, double result) {
  return relative(std::sqrt(flushed(a)), result, 0x1p-23);
}
double reciprocal_root(double a, double, double result) {
  return relative(1 / std::sqrt(a), result, kRootBound);
}
double reciprocal_root_flushed(double a, double, double result) {
  return relative(1 / std::sqrt(flushed(a)), result, kRootBound);
}
/// PTX bounds it where the divisor's magnitude is in [2^-126, 2^126].
double quotient(double a, double b, double result) {
  if (!(std::fabs(b) >= kLeastNormal && std::fabs(b) <= 0x1p126)) return 0;
  return ulps_flushed(a / b, result, 2);
}
double full_quotient(double a, double b, double result) { return ulps(a / b, result, 2); }
/// The bound is absolute, and holds in [−100π, 100π].
double circular(double exact, double a, double result) {
  if (std::isinf(a) || std::isnan(a)) return std::isnan(result) ? 0 : HUGE_VAL;
  if (std::fabs(a) > 314.15) return std::fabs(result) <= 1.0001 ? 0 : HUGE_VAL;
  return std::fabs(result - exact) / (std::fabs(a) <= 6.2831 ? kNarrowBound : kWideBound);
}
double sine(double a, double, double result) { return circular(std::sin(a), a, result); }
double cosine(double a, double, double result) { return circular(std::cos(a), a, result); }
double logarithm(double a, double, double result) {
  const double exact = std::log2(a);
  if (a > 0.5 && a < 2) return distance(exact, result, 0x1p-22);
  return relative(exact, result, 0x1p-22);
}
double logarithm_flushed(double a, double b, double result) { return logarithm(flushed(a), b, result); }
double power_of_2(double a, double, double result) { return ulps(std::exp2(a), result, 2); }
double power_of_2_flushed(double a, double, double result) { return ulps_flushed(std::exp2(a), result, 2); }
double hyperbolic_tangent(double a, double, double result) { return relative(std::tanh(a), result, 0x1p-11); }

}  // namespace

APPROXIMATE(approximate_reciprocal, float, 2, reciprocal, reciprocal_flushed) {
  r[0] = F32_1("rcp.approx.f32", a);
  r[1] = F32_1("rcp.approx.ftz.f32", a);
}
APPROXIMATE(approximate_root, float, 2, root, root_flushed) {
  r[0] = F32_1("sqrt.approx.f32", a);
  r[1] = F32_1("sqrt.approx.ftz.f32", a);
}
APPROXIMATE(approximate_reciprocal_root, float, 2, reciprocal_root, reciprocal_root_flushed) {
  r[0] = F32_1("rsqrt.approx.f32", a);
  r[1] = F32_1("rsqrt.approx.ftz.f32", a);
}
APPROXIMATE(approximate_quotient, float, 2, quotient, full_quotient) {
  r[0] = F32_2("div.approx.f32", a, b);
  r[1] = F32_2("div.full.f32", a, b);
}
APPROXIMATE(approximate_sine, float, 2, sine, sine) {
  r[0] = F32_1("sin.approx.f32", a);
  r[1] = F32_1("sin.approx.ftz.f32", a);
}
APPROXIMATE(approximate_cosine, float, 2, cosine, cosine) {
  r[0] = F32_1("cos.approx.f32", a);
  r[1] = F32_1("cos.approx.ftz.f32", a);
}
APPROXIMATE(approximate_logarithm, float, 2, logarithm, logarithm_flushed) {
  r[0] = F32_1("lg2.approx.f32", a);
  r[1] = F32_1("lg2.approx.ftz.f32", a);
}
APPROXIMATE(approximate_power, float, 2, power_of_2, power_of_2_flushed) {
  r[0] = F32_1("ex2.approx.f32", a);
  r[1] = F32_1("ex2.approx.ftz.f32", a);
}
APPROXIMATE(approximate_tangent, float, 1, hyperbolic_tangent) { r[0] = F32_1("tanh.approx.f32", a); }
