// SPDX-License-Identifier: Apache-2.0
//
// How the operators of this room are planned, and their formulas in C++ for dtypes without lanes.
#include <cmath>
#include <cstdint>
#include <type_traits>

#include "base/target.h"
#include "families/pointwise.h"
#include "families/scalar_lanes.h"
#include "ops/pointwise/ternary/ternary_lanes.h"
#include "ops/pointwise/ternary/ternary_spec.h"

namespace portacl::ops::ternary {
namespace {

// The lanes of a function, or what `otherwise` finds for dtypes that have none.
template <Function function>
PointwiseKernel LanesOr(aclDataType dtype, PointwiseKernel (*otherwise)(aclDataType, double)) {
  constexpr double kNsPerElement = 0.2;
  const loops::LaneFunction lanes = Lanes(function, dtype, ActiveTarget());
  if (lanes == nullptr) return otherwise(dtype, kNsPerElement);
  return {.run = lanes, .ns_per_element = kNsPerElement, .repeats = true};
}

template <class T>
struct AddcmulOf : Taken<T> {
  using Taken<T>::Taken;
  T operator()(T x, T tensor1, T tensor2) const {
    if constexpr (std::is_floating_point_v<T>) {
      return x + this->first * tensor1 * tensor2;
    } else {
      using Wide = uint64_t;  // narrower types would be promoted to int
      return static_cast<T>(static_cast<Wide>(x) +
                            static_cast<Wide>(this->first) * static_cast<Wide>(tensor1) * static_cast<Wide>(tensor2));
    }
  }
};

// The lowest integer divided by -1 is itself, modulo 2^n.
inline double Quotient(double x, double y) { return x / y; }
inline int64_t Quotient(int64_t x, int64_t y) {
  if (y == 0) return 0;
  return y == -1 ? static_cast<int64_t>(-static_cast<uint64_t>(x)) : x / y;
}
template <class T>
struct AddcdivOf : Taken<T> {
  using Taken<T>::Taken;
  T operator()(T x, T tensor1, T tensor2) const {
    const T quotient = Quotient(tensor1, tensor2);
    if constexpr (std::is_floating_point_v<T>)
      return x + this->first * quotient;
    else
      return static_cast<T>(static_cast<uint64_t>(x) +
                            static_cast<uint64_t>(this->first) * static_cast<uint64_t>(quotient));
  }
};

struct LerpOf {
  double operator()(double x, double end, double weight) const {
    return std::abs(weight) < 0.5 ? x + weight * (end - x) : end - (end - x) * (1 - weight);
  }
};
template <class T>
struct LerpsOf : Taken<T> {
  using Taken<T>::Taken;
  T operator()(T x, T end) const { return LerpOf()(x, end, this->first); }
};

PointwiseKernel AddcmulKernel(aclDataType dtype) {
  return LanesOr<Function::kAddcmul>(dtype, FindTypedKernel<AddcmulOf, 3, double, int8_t, int32_t, int64_t, uint8_t>);
}
PointwiseKernel AddcdivKernel(aclDataType dtype) {
  return LanesOr<Function::kAddcdiv>(dtype, FindTypedKernel<AddcdivOf, 3, double, int64_t>);
}
PointwiseKernel LerpKernel(aclDataType dtype) {
  return LanesOr<Function::kLerp>(dtype, FindScalarKernel<LerpOf, 3, double>);
}
PointwiseKernel LerpsKernel(aclDataType dtype) {
  return LanesOr<Function::kLerps>(dtype, FindTypedKernel<LerpsOf, 2, double>);
}

constexpr exec::PlanFunction PlanAddcmul = Pointwise<AddcmulKernel>;
constexpr exec::PlanFunction PlanAddcdiv = Pointwise<AddcdivKernel>;
constexpr exec::PlanFunction PlanLerp = Pointwise<LerpKernel>;
constexpr exec::PlanFunction PlanLerps = Pointwise<LerpsKernel>;
constexpr exec::PlanFunction PlanAddcmulScalar = PlanAddcmul;
constexpr exec::PlanFunction PlanAddcdivScalar = PlanAddcdiv;
constexpr exec::PlanFunction PlanLerpScalar = PlanLerps;

}  // namespace

}  // namespace portacl::ops::ternary

#include "ops/pointwise/ternary/ternary_functions.inc"
