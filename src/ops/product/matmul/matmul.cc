// SPDX-License-Identifier: Apache-2.0
//
// The C functions of this room.
#include <cstdint>
#include <span>

#include "aclnnop/aclnn_batch_matmul.h"
#include "aclnnop/aclnn_dot.h"
#include "aclnnop/aclnn_matmul.h"
#include "aclnnop/aclnn_mm.h"
#include "aclnnop/aclnn_mv.h"
#include "base/dtype.h"
#include "families/contraction.h"
#include "families/define.h"
#include "loops/copy.h"
#include "loops/elementwise.h"
#include "ops/product/matmul/matmul_spec.h"

namespace portacl::ops::matmul {

namespace {

// The kernel walks the factors of integers: the sum is one element.
void PlanDot(exec::PlanBuilder& plan) {
  if (!families::kWhole.Holds(plan.Tensor("self").dtype)) return families::PlanProduct(plan);
  const int factors[] = {plan.Input("self"), plan.Input("tensor")};
  View views[2];
  families::Terms terms{.count = plan.Tensor("self").shape[0], .steps = {}};
  for (int i = 0; i < 2; ++i) {
    views[i] = loops::PlainView(plan, factors[i]);
    terms.steps[i] = views[i].strides[0] * static_cast<int64_t>(ElementBytes(views[i].dtype));
    views[i].rank = 0;
    plan.ReadsLate(factors[i]);
  }
  loops::Elementwise(plan, {{factors[0], views[0]}, {factors[1], views[1]}, plan.Output("out")},
                     {.run = families::FindContraction(views[0].dtype),
                      .ns_per_element = 2 + static_cast<double>(terms.count),
                      .any_strides = true},
                     terms);
}

}  // namespace

#define PORTACL_PRODUCT(name, second)                                                                                  \
  PORTACL_DEFINE_OPERATOR(aclnn##name, k##name, families::PlanProduct,                                                 \
                          (const aclTensor* self, const aclTensor* second, aclTensor* out, int8_t cubeMathType), self, \
                          second, out, cubeMathType)

PORTACL_PRODUCT(Mm, mat2)
PORTACL_PRODUCT(BatchMatMul, mat2)
PORTACL_PRODUCT(Matmul, mat2)
PORTACL_PRODUCT(Mv, vec)
PORTACL_DEFINE_OPERATOR(aclnnDot, kDot, PlanDot, (const aclTensor* self, const aclTensor* tensor, aclTensor* out), self,
                        tensor, out)

namespace {
constexpr exec::OperatorEntry kOperators[] = {PORTACL_BIND(Mm), PORTACL_BIND(BatchMatMul), PORTACL_BIND(Matmul),
                                              PORTACL_BIND(Mv), PORTACL_BIND(Dot)};
}  // namespace

std::span<const exec::OperatorEntry> Operators() { return kOperators; }

}  // namespace portacl::ops::matmul
