// SPDX-License-Identifier: Apache-2.0
//
// The C functions of this room, and what their formulas are in C++ where lanes do not compute them.
#include <cmath>
#include <span>

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

namespace portacl::ops::activation {
namespace {

using Reals = Scalars<double>;

PointwiseKernel LanesOf(Function function, aclDataType dtype, double ns_per_element) {
  return {.run = Lanes(function, dtype, ActiveTarget()), .ns_per_element = ns_per_element};
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
  double operator()(double x) const { return x > 0 ? scale * x : alpha * std::expm1(input_scale * x); }
  double scale, alpha, input_scale;
};

struct HardsigmoidOf {
  int32_t operator()(int32_t x) const { return x >= 3 ? 1 : 0; }
};

struct SigmoidOf {
  double operator()(double x) const { return 1 / (1 + std::exp(-x)); }
};

struct SiluOf {
  double operator()(double x) const { return std::isinf(x) && x < 0 ? -0.0 : x / (1 + std::exp(-x)); }
};

struct TanhOf {
  double operator()(double x) const { return std::tanh(x); }
};

struct SoftplusOf {
  explicit SoftplusOf(const Reals& scalars) : beta(scalars.values[0]), threshold(scalars.values[1]) {}
  double operator()(double x) const {
    const double scaled = beta * x;
    return scaled > threshold
               ? x
               : (scaled > 0 ? scaled + std::log1p(std::exp(-scaled)) : std::log1p(std::exp(scaled))) / beta;
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

PointwiseKernel ReluKernel(aclDataType dtype) {
  const PointwiseKernel lanes = LanesOf(Function::kRelu, dtype, 0.1);
  return lanes.run != nullptr ? lanes : FindScalarKernel<ReluOf, 1, int8_t, uint8_t, int32_t, int64_t>(dtype);
}
PointwiseKernel LeakyReluKernel(aclDataType dtype) {
  const PointwiseKernel lanes = LanesOf(Function::kLeakyRelu, dtype, 0.1);
  return lanes.run != nullptr ? lanes : InDouble<LeakyReluOf>(dtype);
}
PointwiseKernel HardsigmoidKernel(aclDataType dtype) {
  const PointwiseKernel lanes = LanesOf(Function::kHardsigmoid, dtype, 0.1);
  return lanes.run != nullptr ? lanes : FindScalarKernel<HardsigmoidOf, 1, int32_t>(dtype);
}
PointwiseKernel HardswishKernel(aclDataType dtype) { return LanesOf(Function::kHardswish, dtype, 0.1); }

}  // namespace

PORTACL_UNARY_CONST_OUT(Relu, ReluKernel)
PORTACL_INPLACE_UNARY(InplaceRelu, ReluKernel)
PORTACL_POINTWISE(LeakyRelu, LeakyReluKernel, (const aclTensor* self, const aclScalar* negativeSlope, aclTensor* out),
                  self, negativeSlope, out)
PORTACL_POINTWISE(InplaceLeakyRelu, LeakyReluKernel, (aclTensor * selfRef, const aclScalar* negativeSlope), selfRef,
                  negativeSlope)
PORTACL_POINTWISE(Elu, InDouble<EluOf>,
                  (const aclTensor* self, const aclScalar* alpha, const aclScalar* scale, const aclScalar* inputScale,
                   aclTensor* out),
                  self, alpha, scale, inputScale, out)
PORTACL_POINTWISE(InplaceElu, InDouble<EluOf>,
                  (aclTensor * selfRef, const aclScalar* alpha, const aclScalar* scale, const aclScalar* inputScale),
                  selfRef, alpha, scale, inputScale)
PORTACL_UNARY(Hardsigmoid, HardsigmoidKernel)
PORTACL_INPLACE_UNARY_CONST(InplaceHardsigmoid, HardsigmoidKernel)
PORTACL_UNARY_CONST_OUT(Hardswish, HardswishKernel)
PORTACL_INPLACE_UNARY_CONST(InplaceHardswish, HardswishKernel)
PORTACL_UNARY(Sigmoid, InDouble<SigmoidOf>)
PORTACL_INPLACE_UNARY(InplaceSigmoid, InDouble<SigmoidOf>)
PORTACL_UNARY(Silu, InDouble<SiluOf>)
PORTACL_UNARY(Tanh, InDouble<TanhOf>)
PORTACL_INPLACE_UNARY(InplaceTanh, InDouble<TanhOf>)
PORTACL_POINTWISE(Softplus, InDouble<SoftplusOf>,
                  (const aclTensor* self, const aclScalar* beta, const aclScalar* threshold, aclTensor* out), self,
                  beta, threshold, out)
PORTACL_UNARY(Gelu, InDouble<GeluOf>)
PORTACL_DEFINE_OPERATOR(
    aclnnGeluV2, kGeluV2,
    [](exec::PlanBuilder& plan) {
      const bool is_tanh = plan.Attribute<int64_t>(kGeluV2.Index("approximate")) == 1;
      PlanPointwise(plan, is_tanh ? InDouble<GeluOf> : InDouble<GeluOfErf>);
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
