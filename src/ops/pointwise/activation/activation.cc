// SPDX-License-Identifier: Apache-2.0
//
// The C functions of this room, and what their formulas are in C++ where lanes do not compute them.
#include <cmath>
#include <complex>
#include <limits>
#include <span>
#include <string_view>

#include "aclnnop/aclnn_elu.h"
#include "aclnnop/aclnn_gelu.h"
#include "aclnnop/aclnn_gelu_v2.h"
#include "aclnnop/aclnn_hardsigmoid.h"
#include "aclnnop/aclnn_hardswish.h"
#include "aclnnop/aclnn_leaky_relu.h"
#include "aclnnop/aclnn_relu.h"
#include "aclnnop/aclnn_sigmoid.h"
#include "aclnnop/aclnn_silu.h"
#include "aclnnop/aclnn_softplus.h"
#include "aclnnop/aclnn_tanh.h"
#include "base/target.h"
#include "families/define.h"
#include "families/scalar_lanes.h"
#include "ops/pointwise/activation/activation_lanes.h"
#include "ops/pointwise/activation/activation_spec.h"
#include "tensor/scalar.h"

namespace portacl::ops::activation {
namespace {

using Reals = Scalars<double>;

// The lanes of a function, or what `otherwise` finds for dtypes that have none.
template <Function function>
PointwiseKernel LanesOr(aclDataType dtype, double ns_per_element, KernelFinder otherwise) {
  const loops::LaneFunction lanes = Lanes(function, dtype, ActiveTarget());
  if (lanes == nullptr) return otherwise(dtype);
  return {.run = lanes, .ns_per_element = ns_per_element, .long_scalars = LongScalarsOf(function)};
}

// a b, and what its rounding left: exponentials multiply that.
double ProductInTwo(double a, double b, double* rest) {
  const double product = a * b;
  *rest = std::isfinite(product) && std::abs(product) < 1000 ? std::fma(a, b, -product) : 0;
  return product;
}

struct ReluOf {
  template <class T>
  T operator()(T x) const {
    return x < 0 ? T(0) : x;
  }
};

struct LeakyReluOf {
  explicit LeakyReluOf(const Reals& scalars) : slope(scalars.values[0]) {}
  double operator()(double x) const { return x > 0 ? x : x * slope; }
  double slope;
};

struct EluOf {
  explicit EluOf(const Reals& scalars)
      : scale(scalars.values[1]), alpha(scalars.values[0] * scale), input_scale(scalars.values[2]) {}
  double operator()(double x) const {
    if (x > 0) return scale * x;
    double rest;
    const double scaled = ProductInTwo(input_scale, x, &rest);
    // A small alpha takes an exponential beyond the range back into it, and 0 takes it to 0.
    if (scaled > 700) return static_cast<double>(alpha * std::exp(static_cast<long double>(input_scale) * x));
    return alpha * (std::expm1(scaled) + (rest == 0 ? 0 : std::exp(scaled) * rest));
  }
  double scale, alpha, input_scale;
};

struct HardsigmoidOf {
  int32_t operator()(int32_t x) const { return x >= 3 ? 1 : 0; }
};

struct SigmoidOf {
  // Small results are exponentials but for a small rest, and e^-x may overflow where they are subnormal.
  double operator()(double x) const {
    if (!(x < 0)) return 1 / (1 + std::exp(-x));
    const double exponential = std::exp(x);
    return exponential - exponential * exponential / (1 + exponential);
  }
  // By the exponential that is not above 1. Near the poles the sum with it would cancel.
  template <class R>
  std::complex<R> operator()(std::complex<R> z) const {
    const double x = -std::abs(static_cast<double>(z.real())), y = z.real() < 0 ? z.imag() : -z.imag();
    Complex128 exponential = 0;  // of what is infinite, whatever y is
    if (!std::isinf(x)) exponential = {std::exp(x) * std::cos(y), std::exp(x) * std::sin(y)};
    Complex128 sum = 1;
    if (!std::isinf(x)) {
      const double half = std::cos(y / 2);
      sum = 1.0 + exponential;
      if (exponential.real() < 0) sum = {2 * half * half + std::expm1(x) * std::cos(y), exponential.imag()};
    }
    return static_cast<std::complex<R>>(Divide(z.real() < 0 ? exponential : Complex128(1), sum));
  }
};

struct TanhOf {
  double operator()(double x) const { return std::tanh(x); }
};

struct SoftplusOf {
  explicit SoftplusOf(const Reals& scalars) : beta(scalars.values[0]), threshold(scalars.values[1]) {}
  double operator()(double x) const {
    double rest;
    const double scaled = ProductInTwo(beta, x, &rest);
    if (scaled > threshold) return x;
    if (std::isnan(scaled) || std::isinf(scaled)) return std::log1p(std::exp(scaled)) / beta;
    const double power = std::exp(-std::abs(scaled));
    if (power < std::numeric_limits<double>::min() && scaled < 0) {  // 1 / beta may take it back into the range
      const double root = std::exp(scaled / 2);
      return root / beta * std::fma(root, rest, root);
    }
    return (scaled > 0 ? x : 0) + std::log1p(std::fma(power, scaled > 0 ? -rest : rest, power)) / beta;
  }
  double beta, threshold;
};

struct GeluOf {
  double operator()(double x) const {
    if (std::isinf(x)) return x < 0 ? -0.0 : x;
    const double u = 0.79788456080286535588 * (x + 0.044715 * x * x * x);
    return x / (1 + std::exp(-2 * u));
  }
};

struct GeluOfErf {
  double operator()(double x) const {
    return std::isinf(x) && x < 0 ? -0.0 : 0.5 * x * std::erfc(-x * 0.70710678118654752440);
  }
};

// Of dtypes that have no lanes.
template <class F>
PointwiseKernel InDouble(aclDataType dtype) {
  return FindScalarKernel<F, 1, double>(dtype, 20);
}

template <class F, class... T>
PointwiseKernel InIntegers(aclDataType dtype) {
  return FindScalarKernel<F, 1, T...>(dtype);
}
PointwiseKernel None(aclDataType) { return {}; }
PointwiseKernel SigmoidOtherwise(aclDataType dtype) {
  return FindScalarKernel<SigmoidOf, 1, double, Complex64, Complex128>(dtype, 50);
}
struct HardswishOf {
  double operator()(double x) const { return x <= -3 ? 0 : x >= 3 ? x : x * (x + 3) / 6; }
};

PointwiseKernel ReluKernel(aclDataType dtype) {
  return LanesOr<Function::kRelu>(dtype, 0.1, InIntegers<ReluOf, int8_t, uint8_t, int32_t, int64_t>);
}
PointwiseKernel LeakyReluKernel(aclDataType dtype) {
  return LanesOr<Function::kLeakyRelu>(dtype, 0.1, InDouble<LeakyReluOf>);
}
PointwiseKernel HardsigmoidKernel(aclDataType dtype) {
  return LanesOr<Function::kHardsigmoid>(dtype, 0.1, InIntegers<HardsigmoidOf, int32_t>);
}
PointwiseKernel HardswishKernel(aclDataType dtype) {
  return LanesOr<Function::kHardswish>(dtype, 0.1, InDouble<HardswishOf>);
}
PointwiseKernel SigmoidKernel(aclDataType dtype) { return LanesOr<Function::kSigmoid>(dtype, 0.3, SigmoidOtherwise); }
PointwiseKernel EluOfOneKernel(aclDataType dtype) { return LanesOr<Function::kElu>(dtype, 0.4, InDouble<EluOf>); }
PointwiseKernel SoftplusOfOneKernel(aclDataType dtype) {
  return LanesOr<Function::kSoftplus>(dtype, 0.6, InDouble<SoftplusOf>);
}
PointwiseKernel GeluKernel(aclDataType dtype) { return LanesOr<Function::kGelu>(dtype, 0.7, InDouble<GeluOf>); }
PointwiseKernel GeluOfErfKernel(aclDataType dtype) {
  return LanesOr<Function::kGeluOfErf>(dtype, 0.9, InDouble<GeluOfErf>);
}
PointwiseKernel SiluKernel(aclDataType dtype) { return LanesOr<Function::kSilu>(dtype, 0.3, None); }
PointwiseKernel TanhKernel(aclDataType dtype) { return LanesOr<Function::kTanh>(dtype, 0.4, InDouble<TanhOf>); }

bool IsOne(const exec::PlanBuilder& plan, std::string_view scalar) {
  double value = 0;
  return ScalarToDouble(*plan.Attribute<const aclScalar*>(scalar), &value) && value == 1;
}
void PlanElu(exec::PlanBuilder& plan) {
  PlanPointwise(plan, IsOne(plan, "inputScale") ? EluOfOneKernel : InDouble<EluOf>);
}
void PlanSoftplus(exec::PlanBuilder& plan) {
  PlanPointwise(plan, IsOne(plan, "beta") ? SoftplusOfOneKernel : InDouble<SoftplusOf>);
}

}  // namespace

PORTACL_UNARY_CONST_OUT(Relu, ReluKernel)
PORTACL_INPLACE_UNARY(InplaceRelu, ReluKernel)
PORTACL_POINTWISE(LeakyRelu, LeakyReluKernel, (const aclTensor* self, const aclScalar* negativeSlope, aclTensor* out),
                  self, negativeSlope, out)
PORTACL_POINTWISE(InplaceLeakyRelu, LeakyReluKernel, (aclTensor * selfRef, const aclScalar* negativeSlope), selfRef,
                  negativeSlope)
PORTACL_DEFINE_OPERATOR(aclnnElu, kElu, PlanElu,
                        (const aclTensor* self, const aclScalar* alpha, const aclScalar* scale,
                         const aclScalar* inputScale, aclTensor* out),
                        self, alpha, scale, inputScale, out)
PORTACL_DEFINE_OPERATOR(aclnnInplaceElu, kInplaceElu, PlanElu,
                        (aclTensor * selfRef, const aclScalar* alpha, const aclScalar* scale,
                         const aclScalar* inputScale),
                        selfRef, alpha, scale, inputScale)
PORTACL_UNARY(Hardsigmoid, HardsigmoidKernel)
PORTACL_INPLACE_UNARY_CONST(InplaceHardsigmoid, HardsigmoidKernel)
PORTACL_UNARY_CONST_OUT(Hardswish, HardswishKernel)
PORTACL_INPLACE_UNARY_CONST(InplaceHardswish, HardswishKernel)
PORTACL_UNARY(Sigmoid, SigmoidKernel)
PORTACL_INPLACE_UNARY(InplaceSigmoid, SigmoidKernel)
PORTACL_UNARY(Silu, SiluKernel)
PORTACL_UNARY(Tanh, TanhKernel)
PORTACL_INPLACE_UNARY(InplaceTanh, TanhKernel)
PORTACL_DEFINE_OPERATOR(aclnnSoftplus, kSoftplus, PlanSoftplus,
                        (const aclTensor* self, const aclScalar* beta, const aclScalar* threshold, aclTensor* out),
                        self, beta, threshold, out)
PORTACL_UNARY(Gelu, GeluKernel)
PORTACL_DEFINE_OPERATOR(
    aclnnGeluV2, kGeluV2,
    [](exec::PlanBuilder& plan) {
      const bool is_tanh = plan.Attribute<int64_t>(kGeluV2.Index("approximate")) == 1;
      PlanPointwise(plan, is_tanh ? GeluKernel : GeluOfErfKernel);
    },
    (const aclTensor* x, int64_t approximate, aclTensor* y), x, approximate, y)

namespace {
constexpr exec::OperatorEntry kOperators[] = {
    PORTACL_BIND(Relu),        PORTACL_BIND(InplaceRelu),
    PORTACL_BIND(LeakyRelu),   PORTACL_BIND(InplaceLeakyRelu),
    PORTACL_BIND(Elu),         PORTACL_BIND(InplaceElu),
    PORTACL_BIND(Hardsigmoid), PORTACL_BIND(InplaceHardsigmoid),
    PORTACL_BIND(Hardswish),   PORTACL_BIND(InplaceHardswish),
    PORTACL_BIND(Sigmoid),     PORTACL_BIND(InplaceSigmoid),
    PORTACL_BIND(Silu),        PORTACL_BIND(Tanh),
    PORTACL_BIND(InplaceTanh), PORTACL_BIND(Softplus),
    PORTACL_BIND(Gelu),        PORTACL_BIND(GeluV2),
};
}  // namespace

std::span<const exec::OperatorEntry> Operators() { return kOperators; }

}  // namespace portacl::ops::activation
