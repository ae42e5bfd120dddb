// SPDX-License-Identifier: Apache-2.0
//
// How the operators of this room are planned, and their formulas in C++ for dtypes without lanes.
#include <cstdint>
#include <type_traits>

#include "base/target.h"
#include "families/pointwise.h"
#include "families/scalar_lanes.h"
#include "ops/pointwise/selection/selection_lanes.h"
#include "ops/pointwise/selection/selection_spec.h"

namespace portacl::ops::selection {
namespace {

// The lanes of a function, or what `otherwise` finds for dtypes that have none.
template <Function function>
PointwiseKernel LanesOr(aclDataType dtype, PointwiseKernel (*otherwise)(aclDataType, double)) {
  constexpr double kNsPerElement = 0.15;
  const loops::LaneFunction lanes = Lanes(function, dtype, ActiveTarget());
  if (lanes == nullptr) return otherwise(dtype, kNsPerElement);
  return {.run = lanes, .ns_per_element = kNsPerElement, .repeats = true};
}

// NaN if either operand is NaN.
template <class T>
T Larger(T x, T y) {
  return x > y || x != x ? x : y;
}
template <class T>
T Smaller(T x, T y) {
  return x < y || x != x ? x : y;
}

template <class T>
struct ClampOf : Taken<T> {
  using Taken<T>::Taken;
  T operator()(T x) const { return Smaller(Larger(x, this->first), this->second); }
};
template <class T>
struct ClampMinOf : Taken<T> {
  using Taken<T>::Taken;
  T operator()(T x) const { return Larger(x, this->first); }
};
template <class T>
struct ClampMaxOf : Taken<T> {
  using Taken<T>::Taken;
  T operator()(T x) const { return Smaller(x, this->first); }
};
template <class T>
struct ThresholdOf : Taken<T> {
  using Taken<T>::Taken;
  T operator()(T x) const { return x <= this->first ? this->second : x; }
};
struct ClampMinTensorOf {
  template <class T>
  T operator()(T x, T low) const {
    return Larger(x, low);
  }
};
struct ClampMaxTensorOf {
  template <class T>
  T operator()(T x, T high) const {
    return Smaller(x, high);
  }
};
struct ClampTensorOf {
  template <class T>
  T operator()(T x, T low, T high) const {
    return Smaller(Larger(x, low), high);
  }
};
struct Same {
  Bool operator()(Bool x) const { return ToBool(IsTrue(x)); }
  template <class T>
  T operator()(T x) const {
    return x;
  }
};
struct SWhereOf {
  template <class T>
  T operator()(T condition, T x, T y) const {
    return condition != T(0) ? x : y;
  }
};

#define PORTACL_NUMBERS double, int8_t, int16_t, int32_t, int64_t, uint8_t

PointwiseKernel ClampKernel(aclDataType dtype) {
  return LanesOr<Function::kClamp>(dtype, FindTypedKernel<ClampOf, 1, PORTACL_NUMBERS>);
}
PointwiseKernel ClampMinKernel(aclDataType dtype) {
  return LanesOr<Function::kClampMin>(dtype, FindTypedKernel<ClampMinOf, 1, PORTACL_NUMBERS>);
}
PointwiseKernel ClampMaxKernel(aclDataType dtype) {
  return LanesOr<Function::kClampMax>(dtype, FindTypedKernel<ClampMaxOf, 1, PORTACL_NUMBERS>);
}
PointwiseKernel ThresholdKernel(aclDataType dtype) {
  return LanesOr<Function::kThreshold>(dtype, FindTypedKernel<ThresholdOf, 1, PORTACL_NUMBERS>);
}
PointwiseKernel NanToNumKernel(aclDataType dtype) {
  return LanesOr<Function::kNanToNum>(dtype,
                                      FindScalarKernel<Same, 1, int8_t, int16_t, int32_t, int64_t, uint8_t, Bool>);
}
PointwiseKernel ClampMinTensorKernel(aclDataType dtype) {
  return LanesOr<Function::kClampMinTensor>(dtype, FindScalarKernel<ClampMinTensorOf, 2, PORTACL_NUMBERS>);
}
PointwiseKernel ClampMaxTensorKernel(aclDataType dtype) {
  return LanesOr<Function::kClampMaxTensor>(dtype, FindScalarKernel<ClampMaxTensorOf, 2, PORTACL_NUMBERS>);
}
PointwiseKernel None(aclDataType, double) { return {}; }
PointwiseKernel HeavisideKernel(aclDataType dtype) { return LanesOr<Function::kHeaviside>(dtype, None); }
PointwiseKernel ClampTensorKernel(aclDataType dtype) {
  return LanesOr<Function::kClampTensor>(dtype, FindScalarKernel<ClampTensorOf, 3, PORTACL_NUMBERS>);
}
PointwiseKernel SWhereKernel(aclDataType dtype) {
  return LanesOr<Function::kSWhere>(dtype,
                                    FindScalarKernel<SWhereOf, 3, PORTACL_NUMBERS, uint16_t, uint32_t, uint64_t, Bool>);
}

// The kernel for the bounds that are given.
KernelFinder WithBounds(const exec::PlanBuilder& plan, KernelFinder low, KernelFinder high, KernelFinder both) {
  const bool has_low = plan.Has("clipValueMin");
  return has_low && plan.Has("clipValueMax") ? both : has_low ? low : high;
}
void PlanClamp(exec::PlanBuilder& plan) {
  PlanPointwise(plan, WithBounds(plan, ClampMinKernel, ClampMaxKernel, ClampKernel), 2);
}
void PlanClampTensor(exec::PlanBuilder& plan) {
  PlanPointwise(plan, WithBounds(plan, ClampMinTensorKernel, ClampMaxTensorKernel, ClampTensorKernel));
}
void PlanClampMin(exec::PlanBuilder& plan) { PlanPointwise(plan, ClampMinKernel, 1); }
void PlanClampMax(exec::PlanBuilder& plan) { PlanPointwise(plan, ClampMaxKernel, 1); }
void PlanMaximumScalar(exec::PlanBuilder& plan) { PlanPointwise(plan, ClampMinKernel); }
void PlanMinimumScalar(exec::PlanBuilder& plan) { PlanPointwise(plan, ClampMaxKernel); }
void PlanThreshold(exec::PlanBuilder& plan) { PlanPointwise(plan, ThresholdKernel, 2); }
void PlanSWhere(exec::PlanBuilder& plan) { PlanPointwise(plan, SWhereKernel, 0, {}, 1); }

constexpr exec::PlanFunction PlanClampMinTensor = families::Pointwise<ClampMinTensorKernel>;
constexpr exec::PlanFunction PlanClampMaxTensor = families::Pointwise<ClampMaxTensorKernel>;
constexpr exec::PlanFunction PlanHeaviside = families::Pointwise<HeavisideKernel>;
constexpr exec::PlanFunction PlanNanToNum = families::Pointwise<NanToNumKernel>;

#undef PORTACL_NUMBERS

}  // namespace

}  // namespace portacl::ops::selection

#include "ops/pointwise/selection/selection_functions.inc"
