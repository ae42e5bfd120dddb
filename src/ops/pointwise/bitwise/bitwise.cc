// SPDX-License-Identifier: Apache-2.0
//
// How the operators of this room are planned.
#include "base/target.h"
#include "families/pointwise.h"
#include "ops/pointwise/bitwise/bitwise_lanes.h"
#include "ops/pointwise/bitwise/bitwise_spec.h"

namespace portacl::ops::bitwise {
namespace {

template <Operation operation, bool with_scalar>
PointwiseKernel Kernel(aclDataType dtype) {
  return {.run = Lanes(operation, with_scalar, dtype == ACL_BOOL, ActiveTarget()), .ns_per_element = 0.1};
}
template <Operation operation>
void PlanWithScalar(exec::PlanBuilder& plan) {
  PlanPointwise(plan, Kernel<operation, true>, 1);
}

constexpr exec::PlanFunction PlanBitwiseAndTensor = Pointwise<Kernel<Operation::kAnd, false>>;
constexpr exec::PlanFunction PlanBitwiseOrTensor = Pointwise<Kernel<Operation::kOr, false>>;
constexpr exec::PlanFunction PlanBitwiseXorTensor = Pointwise<Kernel<Operation::kXor, false>>;
constexpr exec::PlanFunction PlanBitwiseAndScalar = PlanWithScalar<Operation::kAnd>;
constexpr exec::PlanFunction PlanBitwiseOrScalar = PlanWithScalar<Operation::kOr>;
constexpr exec::PlanFunction PlanBitwiseXorScalar = PlanWithScalar<Operation::kXor>;

}  // namespace

}  // namespace portacl::ops::bitwise

#include "ops/pointwise/bitwise/bitwise_functions.inc"
