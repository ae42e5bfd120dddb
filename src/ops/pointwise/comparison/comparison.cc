// SPDX-License-Identifier: Apache-2.0
//
// The C functions of this room, and their formulas.
#include <cstdint>
#include <functional>
#include <span>
#include <type_traits>

#include "aclnnop/aclnn_eq_scalar.h"
#include "aclnnop/aclnn_eq_tensor.h"
#include "aclnnop/aclnn_ge_scalar.h"
#include "aclnnop/aclnn_ge_tensor.h"
#include "aclnnop/aclnn_gt_scalar.h"
#include "aclnnop/aclnn_gt_tensor.h"
#include "aclnnop/aclnn_le_scalar.h"
#include "aclnnop/aclnn_le_tensor.h"
#include "aclnnop/aclnn_logical_and.h"
#include "aclnnop/aclnn_logical_not.h"
#include "aclnnop/aclnn_logical_or.h"
#include "aclnnop/aclnn_logical_xor.h"
#include "aclnnop/aclnn_lt_scalar.h"
#include "aclnnop/aclnn_lt_tensor.h"
#include "aclnnop/aclnn_ne_scalar.h"
#include "aclnnop/aclnn_ne_tensor.h"
#include "base/target.h"
#include "families/define.h"
#include "families/scalar_lanes.h"
#include "ops/pointwise/comparison/comparison_lanes.h"
#include "ops/pointwise/comparison/comparison_spec.h"

namespace portacl::ops::comparison {
namespace {

template <class Compare>
struct CompareTensors {
  template <class T>
  Bool operator()(T x, T y) const {
    return ToBool(Compare()(x, y));
  }
};

// Bytes of BOOL that are not 0 are one value.
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
          .same = dtype == ACL_FLOAT ? LanesToFloat(kOrder<Compare>, with_scalar, ActiveTarget()) : nullptr};
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

// Each operand by itself is true or not: BOOL is what they have in common.
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

}  // namespace

PORTACL_BINARY(EqTensor, TensorKernel<std::equal_to<>>)
PORTACL_POINTWISE(InplaceEqTensor, TensorKernel<std::equal_to<>>, (const aclTensor* selfRef, const aclTensor* other),
                  selfRef, other)
PORTACL_SCALED(EqScalar, PlanWithScalar<std::equal_to<>>)
PORTACL_INPLACE_SCALED(InplaceEqScalar, PlanWithScalar<std::equal_to<>>)
PORTACL_BINARY(NeTensor, TensorKernel<std::not_equal_to<>>)
PORTACL_INPLACE_BINARY(InplaceNeTensor, TensorKernel<std::not_equal_to<>>)
PORTACL_SCALED(NeScalar, PlanWithScalar<std::not_equal_to<>>)
PORTACL_INPLACE_SCALED(InplaceNeScalar, PlanWithScalar<std::not_equal_to<>>)
PORTACL_BINARY(GtTensor, TensorKernel<std::greater<>>)
PORTACL_INPLACE_BINARY(InplaceGtTensor, TensorKernel<std::greater<>>)
PORTACL_SCALED(GtScalar, PlanWithScalar<std::greater<>>)
PORTACL_INPLACE_SCALED(InplaceGtScalar, PlanWithScalar<std::greater<>>)
PORTACL_BINARY(GeTensor, TensorKernel<std::greater_equal<>>)
PORTACL_INPLACE_BINARY(InplaceGeTensor, TensorKernel<std::greater_equal<>>)
PORTACL_SCALED(GeScalar, PlanWithScalar<std::greater_equal<>>)
PORTACL_INPLACE_SCALED(InplaceGeScalar, PlanWithScalar<std::greater_equal<>>)
PORTACL_BINARY(LtTensor, TensorKernel<std::less<>>)
PORTACL_INPLACE_BINARY(InplaceLtTensor, TensorKernel<std::less<>>)
PORTACL_SCALED(LtScalar, PlanWithScalar<std::less<>>)
PORTACL_INPLACE_SCALED(InplaceLtScalar, PlanWithScalar<std::less<>>)
PORTACL_BINARY(LeTensor, TensorKernel<std::less_equal<>>)
PORTACL_INPLACE_BINARY(InplaceLeTensor, TensorKernel<std::less_equal<>>)
PORTACL_SCALED(LeScalar, PlanWithScalar<std::less_equal<>>)
PORTACL_INPLACE_SCALED(InplaceLeScalar, PlanWithScalar<std::less_equal<>>)
PORTACL_BINARY(LogicalAnd, LogicalKernel<std::bit_and<>>)
PORTACL_INPLACE_BINARY(InplaceLogicalAnd, LogicalKernel<std::bit_and<>>)
PORTACL_BINARY(LogicalOr, LogicalKernel<std::bit_or<>>)
PORTACL_INPLACE_BINARY(InplaceLogicalOr, LogicalKernel<std::bit_or<>>)
PORTACL_BINARY(LogicalXor, LogicalKernel<std::bit_xor<>>)
PORTACL_INPLACE_BINARY(InplaceLogicalXor, LogicalKernel<std::bit_xor<>>)
PORTACL_UNARY(LogicalNot, NotKernel)
PORTACL_INPLACE_UNARY(InplaceLogicalNot, NotKernel)

namespace {
constexpr exec::OperatorEntry kOperators[] = {
    PORTACL_BIND(EqTensor),         PORTACL_BIND(InplaceEqTensor),   PORTACL_BIND(EqScalar),
    PORTACL_BIND(InplaceEqScalar),  PORTACL_BIND(NeTensor),          PORTACL_BIND(InplaceNeTensor),
    PORTACL_BIND(NeScalar),         PORTACL_BIND(InplaceNeScalar),   PORTACL_BIND(GtTensor),
    PORTACL_BIND(InplaceGtTensor),  PORTACL_BIND(GtScalar),          PORTACL_BIND(InplaceGtScalar),
    PORTACL_BIND(GeTensor),         PORTACL_BIND(InplaceGeTensor),   PORTACL_BIND(GeScalar),
    PORTACL_BIND(InplaceGeScalar),  PORTACL_BIND(LtTensor),          PORTACL_BIND(InplaceLtTensor),
    PORTACL_BIND(LtScalar),         PORTACL_BIND(InplaceLtScalar),   PORTACL_BIND(LeTensor),
    PORTACL_BIND(InplaceLeTensor),  PORTACL_BIND(LeScalar),          PORTACL_BIND(InplaceLeScalar),
    PORTACL_BIND(LogicalAnd),       PORTACL_BIND(InplaceLogicalAnd), PORTACL_BIND(LogicalOr),
    PORTACL_BIND(InplaceLogicalOr), PORTACL_BIND(LogicalXor),        PORTACL_BIND(InplaceLogicalXor),
    PORTACL_BIND(LogicalNot),       PORTACL_BIND(InplaceLogicalNot),
};
}  // namespace

std::span<const exec::OperatorEntry> Operators() { return kOperators; }

}  // namespace portacl::ops::comparison
