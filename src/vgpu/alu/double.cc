// SPDX-License-Identifier: Apache-2.0
// Double precision by the host's own IEEE 754 arithmetic. PTX leaves NaN payloads open; as on
// sm_90, a NaN operand passes through as a quiet NaN (b first, then c, then a; for div a first),
// and an invalid operation gives 0xfff8000000000000.
#include "vgpu/alu/ieee.h"
#include "vgpu/alu/rounding.h"

namespace kp::vgpu::KP_ALU_LEVEL {
namespace {

double add(double a, double b) { return settle(a + b, a, b); }
double sub(double a, double b) { return settle(a - b, a, b); }
double mul(double a, double b) { return settle(a * b, a, b); }
double fma(double a, double b, double c) { return settle(__builtin_fma(a, b, c), a, c, b); }
double div(double a, double b) { return settle(a / b, b, a); }
double rcp(double a) { return settle(1.0 / a, a); }
double sqrt(double a) { return settle(__builtin_sqrt(a), a); }
double neg(double a) {
  return is_nan(a) ? quiet(a) : from_bits<double>(bits_of(a) ^ Ieee<double>::kSign);
}
double abs(double a) { return is_nan(a) ? quiet(a) : from_bits<double>(magnitude(a)); }
double min(double a, double b) { return settle(extreme<double, false, false>(a, b), a, b); }
double max(double a, double b) { return settle(extreme<double, true, false>(a, b), a, b); }

#define KP_ROUNDINGS(name, f, cls)                                        \
  op<f>(name ".f64", cls), rounded<f, Round::kZero>(name ".rz.f64", cls), \
      rounded<f, Round::kDown>(name ".rm.f64", cls), rounded<f, Round::kUp>(name ".rp.f64", cls)

constexpr Class kOther = Class::kFp64Other;
constexpr Entry kForms[] = {
    KP_ROUNDINGS("add", add, Class::kDadd),
    KP_ROUNDINGS("sub", sub, Class::kDadd),
    KP_ROUNDINGS("mul", mul, Class::kDmul),
    KP_ROUNDINGS("fma", fma, Class::kDfma),
    KP_ROUNDINGS("mad", fma, Class::kDfma),
    KP_ROUNDINGS("div", div, kOther),
    KP_ROUNDINGS("rcp", rcp, kOther),
    KP_ROUNDINGS("sqrt", sqrt, kOther),
    op<neg>("neg.f64", kOther),
    op<abs>("abs.f64", kOther),
    op<min>("min.f64", kOther),
    op<max>("max.f64", kOther),
    op<copysign<double>>("copysign.f64", kOther),
    op<is_finite<double>>("testp.finite.f64", kOther),
    op<is_infinite<double>>("testp.infinite.f64", kOther),
    op<is_number<double>>("testp.number.f64", kOther),
    op<is_nan<double>>("testp.notanumber.f64", kOther),
    op<is_normal<double>>("testp.normal.f64", kOther),
    op<is_subnormal<double>>("testp.subnormal.f64", kOther),
};

}  // namespace

KP_ALU_FORMS(double_forms)

}  // namespace kp::vgpu::KP_ALU_LEVEL
