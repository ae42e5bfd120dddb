// SPDX-License-Identifier: Apache-2.0
//
// How the operators of this room are planned, and their formulas in C++ for dtypes without lanes.
#include <cmath>
#include <complex>
#include <cstdint>
#include <string_view>

#include "base/target.h"
#include "families/pointwise.h"
#include "families/scalar_lanes.h"
#include "ops/pointwise/activation_backward/activation_backward_lanes.h"
#include "ops/pointwise/activation_backward/activation_backward_spec.h"

namespace portacl::ops::activation_backward {
namespace {

using Reals = Scalars<double>;

struct GeluBackwardOf {
  double operator()(double g, double x) const {
    if (std::isinf(x)) return x < 0 ? g * 0 : g;
    constexpr double kRoot = 0.79788456080286535588;  // sqrt(2 / pi)
    const double two_u = 2 * kRoot * (x + 0.044715 * x * x * x);
    const double sigma = 1 / (1 + std::exp(-two_u)), rest = 1 / (1 + std::exp(two_u));
    const double slope = 2 * kRoot * (1 + 3 * 0.044715 * x * x);
    return g * (sigma + (rest == 0 || sigma == 0 ? 0 : x * sigma * rest * slope));
  }
};
struct GeluBackwardOfErf {
  double operator()(double g, double x) const {
    if (std::isinf(x)) return x < 0 ? g * 0 : g;
    constexpr double kDensity = 0.39894228040143267794;  // 1 / sqrt(2 pi)
    return g * (std::erfc(x * -0.70710678118654752440) / 2 + x * kDensity * std::exp(-x * x / 2));
  }
};
struct SiluBackwardOf {
  double operator()(double g, double x) const {
    if (std::isinf(x)) return x < 0 ? g * 0 : g;
    const double sigma = 1 / (1 + std::exp(-x)), rest = 1 / (1 + std::exp(x));
    return g * (sigma * (1 + x * rest));
  }
};
struct SigmoidBackwardOf {
  double operator()(double g, double y) const { return g * ((1 - y) * y); }
  template <class R>
  std::complex<R> operator()(std::complex<R> g, std::complex<R> y) const {
    const Complex128 wide(y);
    return static_cast<std::complex<R>>(Multiply(Complex128(g), Multiply(1.0 - wide, wide)));
  }
};
struct TanhBackwardOf {
  double operator()(double g, double y) const { return g * ((1 - y) * (1 + y)); }
};
struct EluBackwardOf {
  explicit EluBackwardOf(const Reals& scalars)
      : scale(scalars.values[1]), alpha(scalars.values[0] * scale), input_scale(scalars.values[2]) {}
  double operator()(double g, double x) const {
    if (x > 0) return g * scale;
    const double scaled = x * input_scale;
    const double rest = std::isfinite(scaled) ? std::fma(x, input_scale, -scaled) : 0;
    return g * (input_scale * alpha * (std::exp(scaled) * (1 + rest)));
  }
  double scale, alpha, input_scale;
};
struct EluBackwardOfResult : EluBackwardOf {
  using EluBackwardOf::EluBackwardOf;
  double operator()(double g, double y) const { return y > 0 ? g * scale : g * (input_scale * (y + alpha)); }
};
struct LeakyReluBackwardOf {
  explicit LeakyReluBackwardOf(const Reals& scalars) : slope(scalars.values[0]) {}
  double operator()(double g, double x) const { return x > 0 ? g : g * slope; }
  double slope;
};
struct HardsigmoidBackwardOf {
  double operator()(double g, double x) const { return x > -3 && x < 3 ? g / 6 : 0; }
};
struct HardswishBackwardOf {
  double operator()(double g, double x) const { return x < -3 ? 0 : x <= 3 ? g * (x + 1.5) / 3 : g; }
};
struct HardswishBackwardV2Of {
  double operator()(double g, double x) const { return x <= -3 ? 0 : x < 3 ? g * (x + 1.5) / 3 : g; }
};
template <class T>
struct ThresholdBackwardOf : Taken<T> {
  using Taken<T>::Taken;
  T operator()(T g, T x) const { return x > this->first ? g : T(0); }
};
struct SoftplusBackwardOf {
  explicit SoftplusBackwardOf(const Reals& scalars) : beta(scalars.values[0]), threshold(scalars.values[1]) {}
  double operator()(double g, double x) const {
    const double scaled = beta * x;
    return scaled > threshold ? g : g / (1 + std::exp(-scaled));
  }
  double beta, threshold;
};

template <class F>
PointwiseKernel InDouble(aclDataType dtype) {
  return FindScalarKernel<F, 2, double>(dtype, 20);
}
// For functions that the compiler vectorises.
template <class F>
PointwiseKernel InDoubleLanes(aclDataType dtype) {
  return FindScalarKernel<F, 2, double>(dtype, 0.5);
}

constexpr bool HasExponential(Function function) {
  switch (function) {
    case Function::kSigmoidBackward:
    case Function::kTanhBackward:
    case Function::kLeakyReluBackward:
    case Function::kHardsigmoidBackward:
    case Function::kHardswishBackward:
    case Function::kHardswishBackwardV2:
    case Function::kThresholdBackward:
      return false;
    default:
      return true;
  }
}

// The lanes of a function, or what `otherwise` finds for dtypes that have none.
template <Function function, KernelFinder otherwise>
PointwiseKernel LanesOr(aclDataType dtype) {
  const loops::LaneFunction lanes = Lanes(function, dtype, ActiveTarget());
  constexpr double kNsPerElement = HasExponential(function) ? 0.5 : 0.15;
  if (lanes == nullptr) return otherwise(dtype);
  return {.run = lanes, .ns_per_element = kNsPerElement, .repeats = true, .long_scalars = LongScalarsOf(function)};
}

PointwiseKernel SigmoidOtherwise(aclDataType dtype) {
  return FindScalarKernel<SigmoidBackwardOf, 2, double, Complex64, Complex128>(dtype, 20);
}

void PlanGeluBackwardV2(exec::PlanBuilder& plan) {
  const std::string_view form = plan.Attribute<const char*>(kGeluBackwardV2.Index("approximate"));
  PlanPointwise(plan, form == "tanh" ? LanesOr<Function::kGeluBackward, InDouble<GeluBackwardOf>>
                                     : LanesOr<Function::kGeluBackwardOfErf, InDouble<GeluBackwardOfErf>>);
}
void PlanEluBackward(exec::PlanBuilder& plan) {
  const bool of_result = plan.Attribute<bool>(kEluBackward.Index("isResult"));
  PlanPointwise(plan,
                of_result ? InDouble<EluBackwardOfResult> : LanesOr<Function::kEluBackward, InDouble<EluBackwardOf>>);
}
PointwiseKernel ThresholdBackwardKernel(aclDataType dtype) {
  return FindTypedKernel<ThresholdBackwardOf, 2, double, int8_t, uint8_t, int16_t, int32_t>(dtype);
}

constexpr exec::PlanFunction PlanGeluBackward = Pointwise<LanesOr<Function::kGeluBackward, InDouble<GeluBackwardOf>>>;
constexpr exec::PlanFunction PlanSiluBackward = Pointwise<LanesOr<Function::kSiluBackward, InDouble<SiluBackwardOf>>>;
constexpr exec::PlanFunction PlanSigmoidBackward = Pointwise<LanesOr<Function::kSigmoidBackward, SigmoidOtherwise>>;
constexpr exec::PlanFunction PlanTanhBackward =
    Pointwise<LanesOr<Function::kTanhBackward, InDoubleLanes<TanhBackwardOf>>>;
constexpr exec::PlanFunction PlanLeakyReluBackward =
    Pointwise<LanesOr<Function::kLeakyReluBackward, InDoubleLanes<LeakyReluBackwardOf>>>;
constexpr exec::PlanFunction PlanHardsigmoidBackward =
    Pointwise<LanesOr<Function::kHardsigmoidBackward, InDoubleLanes<HardsigmoidBackwardOf>>>;
constexpr exec::PlanFunction PlanHardswishBackward =
    Pointwise<LanesOr<Function::kHardswishBackward, InDouble<HardswishBackwardOf>>>;
constexpr exec::PlanFunction PlanHardswishBackwardV2 =
    Pointwise<LanesOr<Function::kHardswishBackwardV2, InDouble<HardswishBackwardV2Of>>>;
constexpr exec::PlanFunction PlanThresholdBackward =
    Pointwise<LanesOr<Function::kThresholdBackward, ThresholdBackwardKernel>>;
constexpr exec::PlanFunction PlanSoftplusBackward =
    Pointwise<LanesOr<Function::kSoftplusBackward, InDouble<SoftplusBackwardOf>>>;

}  // namespace

}  // namespace portacl::ops::activation_backward

#include "ops/pointwise/activation_backward/activation_backward_functions.inc"
