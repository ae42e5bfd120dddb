// SPDX-License-Identifier: Apache-2.0
//
// How the operators of this room are planned, and their formulas.
#include <cstdint>
#include <functional>
#include <type_traits>

#include "base/target.h"
#include "families/pointwise.h"
#include "families/scalar_lanes.h"
#include "ops/pointwise/comparison/comparison_lanes.h"
#include "ops/pointwise/comparison/comparison_spec.h"
#include "ops/pointwise/comparison/equality.h"

namespace portacl::ops::comparison {
namespace {

template <class Compare>
struct CompareTensors {
  template <class T>
  Bool operator()(T x, T y) const {
    return ToBool(Compare()(x, y));
  }
};

// All nonzero bytes of BOOL are the same value.
template <class Compare>
struct CompareBools {
  Bool operator()(Bool x, Bool y) const { return ToBool(Compare()(IsTrue(x), IsTrue(y))); }
};

template <class Compare>
struct CompareWithScalar {
  template <class T>
  struct Of : Taken<T> {
    using Taken<T>::Taken;
    Bool operator()(T x) const {
      if constexpr (std::is_same_v<T, Bool>)
        return ToBool(Compare()(IsTrue(x), IsTrue(this->first)));
      else
        return ToBool(Compare()(x, this->first));
    }
  };
};

// Complex numbers have no order.
template <class Compare>
constexpr bool kIsOfEquality = std::is_same_v<Compare, std::equal_to<>> || std::is_same_v<Compare, std::not_equal_to<>>;

#define PORTACL_WHOLE int8_t, int16_t, int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t
#define PORTACL_ORDERED float, double, PORTACL_WHOLE

template <class Compare>
constexpr Order kOrder = std::is_same_v<Compare, std::equal_to<>>        ? Order::kEq
                         : std::is_same_v<Compare, std::not_equal_to<>>  ? Order::kNe
                         : std::is_same_v<Compare, std::greater<>>       ? Order::kGt
                         : std::is_same_v<Compare, std::greater_equal<>> ? Order::kGe
                         : std::is_same_v<Compare, std::less<>>          ? Order::kLt
                                                                         : Order::kLe;

template <class Compare>
PointwiseKernel LanesOf(bool with_scalar, aclDataType dtype) {
  return {.run = Lanes(kOrder<Compare>, with_scalar, dtype, ActiveTarget()),
          .ns_per_element = 0.1,
          .result_dtype = ACL_BOOL,
          .same = LanesToSame(kOrder<Compare>, with_scalar, dtype, ActiveTarget())};
}

template <class Compare>
PointwiseKernel TensorKernel(aclDataType dtype) {
  const PointwiseKernel lanes = LanesOf<Compare>(false, dtype);
  if (lanes.run != nullptr) return lanes;
  if (dtype == ACL_BOOL) return FindScalarKernel<CompareBools<Compare>, 2, Bool>(dtype, 0.2);
  if constexpr (kIsOfEquality<Compare>) {
    if (dtype == ACL_COMPLEX64 || dtype == ACL_COMPLEX128)
      return FindScalarKernel<CompareTensors<Compare>, 2, Complex64, Complex128>(dtype, 0.5);
  }
  return FindScalarKernel<CompareTensors<Compare>, 2, double, PORTACL_WHOLE>(dtype, 0.2);
}

template <class Compare>
PointwiseKernel ScalarKernel(aclDataType dtype) {
  if constexpr (kIsOfEquality<Compare>) {
    if (dtype == ACL_COMPLEX64 || dtype == ACL_COMPLEX128)
      return FindTypedKernel<CompareWithScalar<Compare>::template Of, 1, Complex64, Complex128>(dtype, 0.5);
  }
  const PointwiseKernel lanes = LanesOf<Compare>(true, dtype);
  if (lanes.run != nullptr) return lanes;
  return FindTypedKernel<CompareWithScalar<Compare>::template Of, 1, double, PORTACL_WHOLE, Bool>(dtype, 0.2);
}

template <class Compare>
void PlanWithScalar(exec::PlanBuilder& plan) {
  PlanPointwise(plan, ScalarKernel<Compare>, 1);
}

template <class T>
uint8_t Truth(T x) {
  return x != T(0);
}

template <class Combine>
struct Logical {
  template <class T>
  Bool operator()(T x, T y) const {
    return static_cast<Bool>(Combine()(Truth(x), Truth(y)));
  }
};
struct NotOf {
  template <class T>
  Bool operator()(T x) const {
    return static_cast<Bool>(Truth(x) ^ 1);
  }
};

PointwiseKernel BoolKernel(Combination combination) {
  return {.run = BoolLanes(combination, ActiveTarget()), .ns_per_element = 0.05, .result_dtype = ACL_BOOL};
}

// Each operand is converted to BOOL by itself.
template <class Combine>
PointwiseKernel LogicalKernel(aclDataType dtype) {
  constexpr Combination kCombination = std::is_same_v<Combine, std::bit_and<>>  ? Combination::kAnd
                                       : std::is_same_v<Combine, std::bit_or<>> ? Combination::kOr
                                                                                : Combination::kXor;
  if (dtype == ACL_BOOL) return BoolKernel(kCombination);
  return FindScalarKernel<Logical<Combine>, 2, PORTACL_ORDERED>(dtype, 0.2);
}
// Parameters without scalars are 0.
PointwiseKernel NotKernel(aclDataType dtype) {
  if (dtype == ACL_BOOL) return BoolKernel(Combination::kNot);
  const PointwiseKernel lanes = LanesOf<std::equal_to<>>(true, dtype);
  if (lanes.run != nullptr) return lanes;
  return FindScalarKernel<NotOf, 1, double, PORTACL_WHOLE>(dtype, 0.2);
}

constexpr exec::PlanFunction PlanEqTensor = families::Pointwise<TensorKernel<std::equal_to<>>>;
constexpr exec::PlanFunction PlanEqScalar = PlanWithScalar<std::equal_to<>>;
constexpr exec::PlanFunction PlanNeTensor = families::Pointwise<TensorKernel<std::not_equal_to<>>>;
constexpr exec::PlanFunction PlanNeScalar = PlanWithScalar<std::not_equal_to<>>;
constexpr exec::PlanFunction PlanGtTensor = families::Pointwise<TensorKernel<std::greater<>>>;
constexpr exec::PlanFunction PlanGtScalar = PlanWithScalar<std::greater<>>;
constexpr exec::PlanFunction PlanGeTensor = families::Pointwise<TensorKernel<std::greater_equal<>>>;
constexpr exec::PlanFunction PlanGeScalar = PlanWithScalar<std::greater_equal<>>;
constexpr exec::PlanFunction PlanLtTensor = families::Pointwise<TensorKernel<std::less<>>>;
constexpr exec::PlanFunction PlanLtScalar = PlanWithScalar<std::less<>>;
constexpr exec::PlanFunction PlanLeTensor = families::Pointwise<TensorKernel<std::less_equal<>>>;
constexpr exec::PlanFunction PlanLeScalar = PlanWithScalar<std::less_equal<>>;
constexpr exec::PlanFunction PlanLogicalAnd = families::Pointwise<LogicalKernel<std::bit_and<>>>;
constexpr exec::PlanFunction PlanLogicalOr = families::Pointwise<LogicalKernel<std::bit_or<>>>;
constexpr exec::PlanFunction PlanLogicalXor = families::Pointwise<LogicalKernel<std::bit_xor<>>>;
constexpr exec::PlanFunction PlanLogicalNot = families::Pointwise<NotKernel>;

#undef PORTACL_WHOLE
#undef PORTACL_ORDERED

}  // namespace

}  // namespace portacl::ops::comparison

#include "ops/pointwise/comparison/comparison_functions.inc"
