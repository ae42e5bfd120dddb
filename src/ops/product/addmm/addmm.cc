// SPDX-License-Identifier: Apache-2.0
//
// How the operators of this room are planned.
#include <algorithm>

#include "ops/product/addmm/addmm_spec.h"
#include "tensor/scalar.h"

namespace portacl::ops::addmm {
namespace {

float FloatOf(const exec::PlanBuilder& plan, const char* name) {
  double value = 0;
  ScalarToDouble(*plan.Attribute<const aclScalar*>(name), &value);
  return static_cast<float>(value);
}

// One matrix, repeated for the whole batch.
View ForBatch(const View& view, int64_t batch) {
  View result = view;
  std::copy_backward(result.shape, result.shape + result.rank, result.shape + result.rank + 1);
  std::copy_backward(result.strides, result.strides + result.rank, result.strides + result.rank + 1);
  ++result.rank;
  result.shape[0] = batch;
  result.strides[0] = 0;
  return result;
}

void PlanSum(exec::PlanBuilder& plan) {
  const exec::Schema& schema = plan.schema();
  const int self = plan.Operand(0), first = plan.Operand(1), second = plan.Operand(2);
  const int written = schema.Find("out");
  const int out = written < 0 ? self : plan.Operand(written);
  const View &a = plan.OperandView(first), &b = plan.OperandView(second), &result = plan.OperandView(out);
  View addend = families::AddendView(plan.OperandView(self), a, b, result);
  families::ProductViews views = families::ViewsOf(a, b, result);
  const bool sums_batch = result.rank < a.rank && a.rank == 3;
  if (sums_batch) {
    addend = ForBatch(addend, a.shape[0]);
    views = {a, b, ForBatch(result, a.shape[0])};
  }
  loops::products::MatMul(plan, {.a = {first, views.a},
                                 .b = {second, views.b},
                                 .out = {out, views.out},
                                 .addend = loops::OperandPart(self, addend),
                                 .alpha = FloatOf(plan, "alpha"),
                                 .beta = FloatOf(plan, "beta"),
                                 .sums_first = sums_batch});
}

constexpr exec::PlanFunction PlanAddmm = PlanSum;
constexpr exec::PlanFunction PlanAddmv = PlanSum;
constexpr exec::PlanFunction PlanBaddbmm = PlanSum;
constexpr exec::PlanFunction PlanAddbmm = PlanSum;

}  // namespace

}  // namespace portacl::ops::addmm

#include "ops/product/addmm/addmm_functions.inc"
