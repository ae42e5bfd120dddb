// SPDX-License-Identifier: Apache-2.0
//
// The C functions of this room.
#include <algorithm>
#include <span>

#include "aclnnop/aclnn_addbmm.h"
#include "aclnnop/aclnn_addmm.h"
#include "aclnnop/aclnn_addmv.h"
#include "aclnnop/aclnn_baddbmm.h"
#include "families/define.h"
#include "ops/product/addmm/addmm_spec.h"
#include "tensor/scalar.h"

namespace portacl::ops::addmm {
namespace {

float FloatOf(const exec::PlanBuilder& plan, const char* name) {
  double value = 0;
  ScalarToDouble(*plan.Attribute<const aclScalar*>(name), &value);
  return static_cast<float>(value);
}

// One matrix for all of a batch.
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
  loops::Products(plan, {.a = {first, views.a},
                         .b = {second, views.b},
                         .out = {out, views.out},
                         .addend = loops::OperandPart(self, addend),
                         .alpha = FloatOf(plan, "alpha"),
                         .beta = FloatOf(plan, "beta"),
                         .sums_first = sums_batch});
}

}  // namespace

#define PORTACL_SUM(name, first, second)                                                                        \
  PORTACL_DEFINE_OPERATOR(aclnn##name, k##name, PlanSum,                                                        \
                          (const aclTensor* self, const aclTensor* first, const aclTensor* second,              \
                           const aclScalar* beta, const aclScalar* alpha, aclTensor* out, int8_t cubeMathType), \
                          self, first, second, beta, alpha, out, cubeMathType)
#define PORTACL_INPLACE_SUM(name, first, second)                                                 \
  PORTACL_DEFINE_OPERATOR(aclnn##name, k##name, PlanSum,                                         \
                          (aclTensor * selfRef, const aclTensor* first, const aclTensor* second, \
                           const aclScalar* beta, const aclScalar* alpha, int8_t cubeMathType),  \
                          selfRef, first, second, beta, alpha, cubeMathType)

PORTACL_SUM(Addmm, mat1, mat2)
PORTACL_INPLACE_SUM(InplaceAddmm, mat1, mat2)
PORTACL_DEFINE_OPERATOR(aclnnAddmv, kAddmv, PlanSum,
                        (const aclTensor* self, const aclTensor* mat, const aclTensor* vec, const aclScalar* alpha,
                         const aclScalar* beta, aclTensor* out, int8_t cubeMathType),
                        self, mat, vec, alpha, beta, out, cubeMathType)
PORTACL_SUM(Baddbmm, batch1, batch2)
PORTACL_INPLACE_SUM(InplaceBaddbmm, batch1, batch2)
PORTACL_SUM(Addbmm, batch1, batch2)

namespace {
constexpr exec::OperatorEntry kOperators[] = {PORTACL_BIND(Addmm),          PORTACL_BIND(InplaceAddmm),
                                              PORTACL_BIND(Addmv),          PORTACL_BIND(Baddbmm),
                                              PORTACL_BIND(InplaceBaddbmm), PORTACL_BIND(Addbmm)};
}  // namespace

std::span<const exec::OperatorEntry> Operators() { return kOperators; }

}  // namespace portacl::ops::addmm
