// SPDX-License-Identifier: Apache-2.0
//
// How the operators of this room are planned, and their formulas in C++ for dtypes without lanes.
#include <cmath>
#include <complex>
#include <limits>
#include <string_view>

#include "base/target.h"
#include "families/pointwise.h"
#include "families/scalar_lanes.h"
#include "ops/pointwise/activation/activation_lanes.h"
#include "ops/pointwise/activation/activation_spec.h"
#include "tensor/scalar.h"

namespace portacl::ops::activation {
namespace {

using Reals = Scalars<double>;

// The lanes of a function, or what `otherwise` finds for dtypes that have none.
template <Function function, double ns_per_element, KernelFinder otherwise>
PointwiseKernel LanesOr(aclDataType dtype) {
  const loops::LaneFunction lanes = Lanes(function, dtype, ActiveTarget());
  if (lanes == nullptr) return otherwise(dtype);
  return {.run = lanes, .ns_per_element = ns_per_element, .long_scalars = LongScalarsOf(function)};
}

// a b, and its rounding error: exponentials magnify it.
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
    // A small alpha scales an overflowing exponential back into the range, and an alpha of 0 makes it 0.
    if (scaled > 700) return static_cast<double>(alpha * std::exp(static_cast<long double>(input_scale) * x));
    return alpha * (std::expm1(scaled) + (rest == 0 ? 0 : std::exp(scaled) * rest));
  }
  double scale, alpha, input_scale;
};

struct HardsigmoidOf {
  int32_t operator()(int32_t x) const { return x >= 3 ? 1 : 0; }
};

struct SigmoidOf {
  // Small results are exponentials with a small correction, and e^-x may overflow where they are subnormal.
  double operator()(double x) const {
    if (!(x < 0)) return 1 / (1 + std::exp(-x));
    const double exponential = std::exp(x);
    return exponential - exponential * exponential / (1 + exponential);
  }
  // Uses the exponential that is at most 1. Near the poles the sum with it would cancel.
  template <class R>
  std::complex<R> operator()(std::complex<R> z) const {
    const double x = -std::abs(static_cast<double>(z.real())), y = z.real() < 0 ? z.imag() : -z.imag();
    Complex128 exponential = 0;  // for an infinite real part, whatever y is
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
    if (power < std::numeric_limits<double>::min() && scaled < 0) {  // 1 / beta may scale it back into the range
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

// For dtypes that have no lanes.
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

bool IsOne(const exec::PlanBuilder& plan, std::string_view scalar) {
  double value = 0;
  return ScalarToDouble(*plan.Attribute<const aclScalar*>(scalar), &value) && value == 1;
}
void PlanElu(exec::PlanBuilder& plan) {
  PlanPointwise(plan, IsOne(plan, "inputScale") ? LanesOr<Function::kElu, 0.4, InDouble<EluOf>> : InDouble<EluOf>);
}
void PlanSoftplus(exec::PlanBuilder& plan) {
  PlanPointwise(plan,
                IsOne(plan, "beta") ? LanesOr<Function::kSoftplus, 0.6, InDouble<SoftplusOf>> : InDouble<SoftplusOf>);
}

constexpr exec::PlanFunction PlanRelu =
    Pointwise<LanesOr<Function::kRelu, 0.1, InIntegers<ReluOf, int8_t, uint8_t, int32_t, int64_t>>>;
constexpr exec::PlanFunction PlanLeakyRelu = Pointwise<LanesOr<Function::kLeakyRelu, 0.1, InDouble<LeakyReluOf>>>;
constexpr exec::PlanFunction PlanHardsigmoid =
    Pointwise<LanesOr<Function::kHardsigmoid, 0.1, InIntegers<HardsigmoidOf, int32_t>>>;
constexpr exec::PlanFunction PlanHardswish = Pointwise<LanesOr<Function::kHardswish, 0.1, InDouble<HardswishOf>>>;
constexpr exec::PlanFunction PlanSigmoid = Pointwise<LanesOr<Function::kSigmoid, 0.3, SigmoidOtherwise>>;
constexpr exec::PlanFunction PlanSilu = Pointwise<LanesOr<Function::kSilu, 0.3, None>>;
constexpr exec::PlanFunction PlanTanh = Pointwise<LanesOr<Function::kTanh, 0.4, InDouble<TanhOf>>>;
constexpr exec::PlanFunction PlanGelu = Pointwise<LanesOr<Function::kGelu, 0.7, InDouble<GeluOf>>>;
void PlanGeluV2(exec::PlanBuilder& plan) {
  const bool is_tanh = plan.Attribute<int64_t>(kGeluV2.Index("approximate")) == 1;
  PlanPointwise(plan, is_tanh ? LanesOr<Function::kGelu, 0.7, InDouble<GeluOf>>
                              : LanesOr<Function::kGeluOfErf, 0.9, InDouble<GeluOfErf>>);
}
}  // namespace

}  // namespace portacl::ops::activation

#include "ops/pointwise/activation/activation_functions.inc"
